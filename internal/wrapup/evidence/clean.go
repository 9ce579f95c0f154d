package evidence

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxMarks is how many combining marks one letter keeps.
const maxMarks = 3

// clean returns what people said as data on one line: without control, invisible, bidirectional or private characters, and
// without the signs that could end a fence or a quotation, or make a line look like one of a script. It is the way by which all
// text of a conversation gets into what a model reads; briefings have their own, which does the same.
func clean(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	marks, gap := 0, false
	for _, r := range s {
		if isSpace(r) {
			gap = b.Len() > 0
			continue
		}
		if hidden(r) {
			continue
		}
		if r >= 0x300 && (unicode.Is(unicode.Mn, r) || unicode.Is(unicode.Me, r)) {
			if marks++; marks > maxMarks {
				continue
			}
		} else {
			marks = 0
		}
		if gap {
			b.WriteByte(' ')
			gap = false
		}
		b.WriteRune(harmless(r))
	}
	return b.String()
}

// isSpace reports white space and the letters that are drawn as nothing.
func isSpace(r rune) bool {
	switch r {
	case '\u115F', '\u1160', '\u2800', '\u3164', '\uFFA0':
		return true
	}
	return unicode.IsSpace(r)
}

// hidden reports characters that cannot be seen or that change how others are shown.
func hidden(r rune) bool {
	switch {
	case r >= ' ' && r < 0x7f:
		return false
	case r == utf8.RuneError, r == '\u034F', r == '\u17B4', r == '\u17B5':
		return true
	case r >= '\u180B' && r <= '\u180F', r >= '\uFE00' && r <= '\uFE0F', r >= 0xE0000 && r <= 0xE0FFF:
		return true
	}
	return unicode.In(r, unicode.C) || !unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.P, unicode.S)
}

// harmless replaces the signs that could end a fence, a code block or a quotation, and square brackets, which the lines of a
// script begin with.
func harmless(r rune) rune {
	switch r {
	case '<', '\uFF1C', '\uFE64', '\u27E8', '\u3008', '\u2329':
		return '‹'
	case '>', '\uFF1E', '\uFE65', '\u27E9', '\u3009', '\u232A':
		return '›'
	case '`', '\uFF40', '"', '\uFF02', '“', '”', '„', '‟':
		return '\''
	case '[', '\uFF3B', '【', '〔', '⟦':
		return '('
	case ']', '\uFF3D', '】', '〕', '⟧':
		return ')'
	}
	return r
}
