package token

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

type class uint8

const (
	other class = iota
	lower
	upper
	digit
)

// asciiClass says what each byte is; bytes beyond ASCII are other.
var asciiClass = func() (t [256]class) {
	for c := 'a'; c <= 'z'; c++ {
		t[c], t[c-'a'+'A'] = lower, upper
	}
	for c := '0'; c <= '9'; c++ {
		t[c] = digit
	}
	return t
}()

// wordRune reports whether r, beyond ASCII, is part of words.
func wordRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsNumber(r)
}

// Unspaced reports whether r belongs to a script that is written without spaces between words.
func Unspaced(r rune) bool {
	switch {
	case r < 0x0E00:
		return false
	case r <= 0x0EFF, r >= 0x1000 && r <= 0x109F, r >= 0x1780 && r <= 0x17FF: // Thai, Lao; Burmese; Khmer
		return unicode.IsLetter(r) || unicode.IsMark(r)
	case r < 0x3005:
		return false
	}
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) || r == 'ー'
}

func isApostrophe(r rune) bool { return r == '’' || r == '‘' || r == 'ʼ' || r == '＇' }

// Fold appends r in lower case, without accents where the script is Latin, Greek or Cyrillic.
func Fold(b []byte, r rune) []byte {
	if r >= '\uFF10' && r <= '\uFF5A' { // full-width forms of ASCII
		r -= '\uFF10' - '0'
	}
	if r >= 0x0300 && r <= 0x036F { // an accent on its own
		return b
	}
	r = unicode.ToLower(r)
	switch r {
	case 'ß':
		return append(b, "ss"...)
	case 'æ':
		return append(b, "ae"...)
	case 'œ':
		return append(b, "oe"...)
	case 'ø':
		return append(b, 'o')
	case 'ł':
		return append(b, 'l')
	case 'đ', 'ð':
		return append(b, 'd')
	case 'þ':
		return append(b, "th"...)
	case 'ı':
		return append(b, 'i')
	}
	if r >= utf8.RuneSelf {
		r = base(r)
	}
	return utf8.AppendRune(b, r)
}

// base returns the letter that carries r's accents, or r.
func base(r rune) rune {
	var enc [utf8.UTFMax]byte
	n := utf8.EncodeRune(enc[:], r)
	d := norm.NFD.Properties(enc[:n]).Decomposition()
	if len(d) == 0 {
		return r
	}
	first, _ := utf8.DecodeRune(d)
	if first < utf8.RuneSelf || unicode.In(first, unicode.Latin, unicode.Greek, unicode.Cyrillic) {
		return unicode.ToLower(first)
	}
	return r
}
