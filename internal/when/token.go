package when

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

type kind byte

const (
	word kind = iota
	number
	punct
)

// token is one word, run of digits or punctuation mark.
type token struct {
	start, end int
	w          string // lower case; apostrophes straight; a possessive 's is its own mark
	kind       kind
	val        int  // of a number; -1 if it is too long to matter
	digits     int  // how many digits it has
	ordinal    bool // "3rd"
	decade     bool // "1960s"
	capital    bool
	glued      bool // no space before it
	owner      bool // the word stood as a possessive: "week's"
}

// tokenize splits text. Offsets are bytes of text, also where it holds other scripts or broken UTF-8.
func tokenize(text string) []token {
	out := make([]token, 0, len(text)/5+4)
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case c == ' ' || c == '\t' || c == '\r':
			i++
		case isDigit(c):
			t := scanNumber(text, i)
			t.glued = i > 0 && len(out) > 0 && out[len(out)-1].end == i
			out, i = append(out, t), t.end
		case c >= utf8.RuneSelf && apostrophe(text[i:]) == 0 && !letterAt(text, i):
			r, n := utf8.DecodeRuneInString(text[i:])
			if unicode.IsSpace(r) {
				i += n
				continue
			}
			out, i = append(out, token{start: i, end: i + n, w: text[i : i+n], kind: punct}), i+n
		case isLetter(c) || c >= utf8.RuneSelf:
			t := scanWord(text, i)
			t.glued = len(out) > 0 && out[len(out)-1].end == i
			out, i = append(out, t), t.end
		default:
			out = append(out, token{start: i, end: i + 1, w: text[i : i+1], kind: punct, glued: len(out) > 0 && out[len(out)-1].end == i})
			i++
		}
	}
	return out
}

func scanNumber(text string, i int) token {
	t := token{start: i, kind: number}
	for i < len(text) && isDigit(text[i]) {
		if i-t.start < 8 {
			t.val = t.val*10 + int(text[i]-'0')
		} else {
			t.val = -1
		}
		i++
	}
	t.digits = i - t.start
	if t.digits > 8 {
		t.val = -1
	}
	t.w = text[t.start:i]
	j := i
	for j < len(text) && isLetter(text[j]) {
		j++
	}
	switch strings.ToLower(text[i:j]) {
	case "st", "nd", "rd", "th":
		t.ordinal, i = true, j
	case "s":
		t.decade, i = true, j
	}
	t.end = i
	return t
}

func scanWord(text string, i int) token {
	t := token{start: i, kind: word, capital: text[i] >= 'A' && text[i] <= 'Z'}
	plain := true
	for i < len(text) {
		c := text[i]
		if isLetter(c) {
			plain = plain && c >= 'a'
			i++
			continue
		}
		n := apostrophe(text[i:])
		if n > 0 && i+n < len(text) && isLetter(text[i+n]) {
			plain = plain && n == 1
			i += n
			continue
		}
		if n > 0 && i > t.start && (text[i-1] == 's' || text[i-1] == 'S') {
			t.w, t.end, t.owner = lower(text[t.start:i], plain), i+n, true
			return t
		}
		if n > 0 || c < utf8.RuneSelf || !letterAt(text, i) {
			break
		}
		_, size := utf8.DecodeRuneInString(text[i:])
		plain, i = false, i+size
	}
	if i == t.start { // an apostrophe of more than one byte
		i += apostrophe(text[i:])
		return token{start: t.start, end: i, w: "'", kind: punct}
	}
	t.end, t.w = i, lower(text[t.start:i], plain)
	if strings.HasPrefix(text[i:], "-feira") { // a weekday of Portuguese
		t.end += len("-feira")
	}
	if s, ok := strings.CutSuffix(t.w, "'s"); ok {
		t.w, t.owner = s, true
	}
	return t
}

func lower(s string, plain bool) string {
	if plain {
		return s
	}
	return strings.ReplaceAll(strings.ToLower(s), "’", "'")
}

// apostrophe returns the length of the apostrophe that s begins with, 0 if it begins with none.
func apostrophe(s string) int {
	if s[0] == '\'' {
		return 1
	}
	if strings.HasPrefix(s, "’") {
		return len("’")
	}
	return 0
}

// letterAt reports whether the character at i is a letter or a mark on one.
func letterAt(text string, i int) bool {
	r, _ := utf8.DecodeRuneInString(text[i:])
	return unicode.IsLetter(r) || unicode.IsMark(r)
}

func isDigit(c byte) bool  { return c >= '0' && c <= '9' }
func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// w returns the word at i, "" outside the text. Numbers and punctuation are returned as written.
func (p *parser) w(i int) string {
	if i < 0 || i >= len(p.tok) {
		return ""
	}
	return p.tok[i].w
}

// is reports whether the words from i on are these.
func (p *parser) is(i int, words ...string) bool {
	for k, w := range words {
		if p.w(i+k) != w {
			return false
		}
	}
	return true
}

// any reports whether the word at i is one of these.
func (p *parser) any(i int, words ...string) bool {
	have := p.w(i)
	if have == "" {
		return false
	}
	for _, w := range words {
		if have == w {
			return true
		}
	}
	return false
}

// ends reports whether nothing that belongs to the same clause follows: the end of the text or a mark.
func (p *parser) ends(i int) bool {
	return i >= len(p.tok) || p.tok[i].kind == punct && p.any(i, ".", ",", "!", "?", ";", ":", ")", "\n", "-")
}
