// Package fence says, rune by rune, how people's words stand between the fences of a prompt (B11): what is white space,
// what must not be seen, and what a sign becomes that could end the fence.
//
// It does not lay text out: a briefing and a model's script each do that in their own way, by these rules.
package fence

import (
	"unicode"
	"unicode/utf8"
)

// Space reports white space, and letters that are drawn as nothing.
func Space(r rune) bool {
	if r < 0x7f {
		return r == ' ' || r >= '\t' && r <= '\r'
	}
	switch r {
	case '\u115F', '\u1160', '\u2800', '\u3164', '\uFFA0':
		return true
	}
	return unicode.IsSpace(r)
}

// Hidden reports characters that cannot be seen, or that change how others are shown: control, format (zero width,
// bidi, tags), private use, surrogates, variation selectors, and the replacement for broken UTF-8.
func Hidden(r rune) bool {
	if r >= ' ' && r < 0x7f {
		return false
	}
	switch {
	case r == utf8.RuneError, r == '\u034F', r == '\u17B4', r == '\u17B5':
		return true
	case r >= '\u180B' && r <= '\u180F', r >= '\uFE00' && r <= '\uFE0F', r >= 0xE0000 && r <= 0xE0FFF:
		return true
	}
	return unicode.In(r, unicode.C) || !unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.P, unicode.S)
}

// MaxMarks is how many combining marks a letter keeps.
const MaxMarks = 3

// Marks returns the count of combining marks on a letter after r, from the count before it.
func Marks(marks int, r rune) int {
	if r < 0x300 || !unicode.Is(unicode.Mn, r) && !unicode.Is(unicode.Me, r) {
		return 0
	}
	return marks + 1
}

// Harmless replaces the signs that could end a fence, a code block or a quotation, their wide forms included.
func Harmless(r rune) rune {
	switch r {
	case '<', '\uFF1C', '\uFE64', '\u27E8', '\u3008', '\u2329':
		return '‹'
	case '>', '\uFF1E', '\uFE65', '\u27E9', '\u3009', '\u232A':
		return '›'
	case '`', '\uFF40', '"', '\uFF02', '“', '”', '„', '‟':
		return '\''
	}
	return r
}
