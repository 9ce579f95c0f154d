// Package sms knows what texts are made of: the alphabets and segments that SMS goes in, where a long text may be parted,
// and the words by which somebody tells a number to stop.
//
// It is not for sending (carrier), nor for what is done about such a word (texting).
package sms

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// The alphabet that telephones share, GSM 03.38, and what takes two places in it.
const (
	basic = "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿" +
		"abcdefghijklmnopqrstuvwxyzäöñüà"
	extended = "\f^{}\\[~]|€"
)

// How much goes in one segment: of the shared alphabet in places, else in UTF-16 units. A text of several segments has
// less in each, because each says which it is.
const (
	alone     = 160
	joined    = 153
	wideAlone = 70
	wideJoin  = 67
)

// plain are characters that are nice to read, and what they are written as where they would make a text twice as long.
var plain = strings.NewReplacer(
	"’", "'", "‘", "'", "‚", "'", "‛", "'", "′", "'", "“", "\"", "”", "\"", "„", "\"", "«", "\"", "»", "\"", "″", "\"",
	"–", "-", "—", "-", "‐", "-", "‑", "-", "−", "-", "…", "...", "•", "-", "·", "-", "‹", "'", "›", "'",
	"\u00a0", " ", "\u202f", " ", "\u2009", " ", "\u200b", "", "\ufeff", "", "\t", " ",
)

// Plain writes typographic quotation marks, dashes and spaces as telephones have them, if the letters of the text are in the
// shared alphabet. One with others goes in wide characters anyway, and stays as it is.
func Plain(text string) string {
	for _, r := range text {
		if unicode.IsLetter(r) && place(r) == 0 {
			return text
		}
	}
	return plain.Replace(text)
}

// place is how many places a character takes in the shared alphabet; 0: it is not in it.
func place(r rune) int {
	switch {
	case r == utf8.RuneError:
		return 0
	case strings.ContainsRune(basic, r):
		return 1
	case strings.ContainsRune(extended, r):
		return 2
	}
	return 0
}

// wide is how many UTF-16 units a character takes.
func wide(r rune) int {
	if r > 0xffff {
		return 2
	}
	return 1
}

// Segments is in how many segments a text goes. None is parted within a character.
func Segments(text string) int {
	var c count
	for _, r := range text {
		c.add(r)
	}
	return c.segments()
}

// count counts segments of what is added to it, in either alphabet.
type count struct {
	bytes        int
	odd          bool // it has something that is not in the shared alphabet
	shared, wide filling
}

// filling is how segments are filled.
type filling struct{ total, n, left int }

func (f *filling) add(width, each int) {
	f.total += width
	if width > f.left {
		f.n, f.left = f.n+1, each
	}
	f.left -= width
}

func (c *count) add(r rune) {
	c.bytes += utf8.RuneLen(r)
	p := place(r)
	c.odd = c.odd || p == 0
	c.shared.add(p, joined)
	c.wide.add(wide(r), wideJoin)
}

func (c *count) segments() int {
	f, one := c.shared, alone
	if c.odd {
		f, one = c.wide, wideAlone
	}
	if f.total > 0 && f.total <= one {
		return 1
	}
	return f.n
}
