package guard

import (
	"strings"
	"unicode"
	"unicode/utf8"

	recall "github.com/recallerhq/recaller/internal/recall/token"
)

// kind is a sort of token.
type kind uint8

const (
	word       kind = iota // letters
	digitsKind             // decimal digits of any script
	mixed                  // letters and digits: "ab123456c"
	punct                  // one other character
	mark                   // what a mask left: "[password]"
)

// token is a piece of a text. Zero-width characters belong to the token that they are in and say nothing.
type token struct {
	start, end int
	kind       kind
	s          string // lower case, without accents, digits as 0-9
	spaced     bool   // white space before it
	lines      int    // line ends before it
}

// tokenize cuts a text into tokens. An apostrophe begins a word of its own: "it's" is "it" and "'s".
func tokenize(text string) []token {
	out := make([]token, 0, len(text)/4+1)
	var gap token // what stands before the next token
	for i := 0; i < len(text); {
		if text[i] == '[' {
			if n := markLen(text[i:]); n > 0 {
				out = append(out, token{start: i, end: i + n, kind: mark, s: text[i : i+n], spaced: gap.spaced, lines: gap.lines})
				gap, i = token{}, i+n
				continue
			}
		}
		r, n := utf8.DecodeRuneInString(text[i:])
		switch {
		case unseen(r):
			i += n
		case unicode.IsSpace(r):
			gap.spaced = true
			if r == '\n' {
				gap.lines++
			}
			i += n
		default:
			t := next(text, i)
			t.spaced, t.lines = gap.spaced, gap.lines
			out = append(out, t)
			gap, i = token{}, t.end
		}
	}
	return out
}

// next reads the token that begins at i.
func next(text string, i int) token {
	if t, ok := nextPlain(text, i); ok {
		return t
	}
	var b strings.Builder
	hasLetter, hasDigit := false, false
	end := i
	for j := i; j < len(text); {
		r, n := utf8.DecodeRuneInString(text[j:])
		switch d := digit(r); {
		case d >= 0:
			hasDigit = true
			b.WriteByte(byte('0' + d))
		case unicode.IsLetter(r):
			hasLetter = true
			b.Write(appendFolded(nil, r))
		case j == i && apostrophe(r) && letterAt(text, j+n) && letterBefore(text, j):
			b.WriteByte('\'')
			hasLetter = true
		case (unseen(r) || unicode.IsMark(r)) && j > i:
			j += n
			continue
		case j == i:
			return token{start: i, end: i + n, kind: punct, s: string(plain(r))}
		default:
			return token{start: i, end: end, kind: kindOf(hasLetter, hasDigit), s: b.String()}
		}
		j += n
		end = j
	}
	return token{start: i, end: end, kind: kindOf(hasLetter, hasDigit), s: b.String()}
}

// nextPlain is next for the usual token, which can be had without memory: small letters or digits, all ASCII.
func nextPlain(text string, i int) (token, bool) {
	end, hasLetter, hasDigit := i, false, false
	for ; end < len(text); end++ {
		c := text[end]
		if c >= 'a' && c <= 'z' {
			hasLetter = true
		} else if c >= '0' && c <= '9' {
			hasDigit = true
		} else {
			break
		}
	}
	if end == i || end < len(text) && (text[end] >= utf8.RuneSelf || text[end] >= 'A' && text[end] <= 'Z') {
		return token{}, false
	}
	return token{start: i, end: end, kind: kindOf(hasLetter, hasDigit), s: text[i:end]}, true
}

func kindOf(hasLetter, hasDigit bool) kind {
	switch {
	case hasLetter && hasDigit:
		return mixed
	case hasDigit:
		return digitsKind
	}
	return word
}

func letterAt(text string, i int) bool {
	r, _ := utf8.DecodeRuneInString(text[i:])
	return unicode.IsLetter(r)
}

func letterBefore(text string, i int) bool {
	r, _ := utf8.DecodeLastRuneInString(text[:i])
	return unicode.IsLetter(r)
}

func apostrophe(r rune) bool { return r == '\'' || r == '’' || r == 'ʼ' }

// unseen reports whether a reader sees nothing of a character: zero-width ones, and what makes a keycap of a digit.
func unseen(r rune) bool {
	if r < 0x80 {
		return false
	}
	return unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Variation_Selector, r) || r == '\u20e3' || r == '\u034f'
}

// digit returns the value of a decimal digit of any script, or -1. The digits of a script stand in a row of ten.
func digit(r rune) int {
	switch {
	case r >= '0' && r <= '9':
		return int(r - '0')
	case r < 0x80 || !unicode.Is(unicode.Nd, r):
		return -1
	}
	for _, set := range unicode.Nd.R16 {
		if r >= rune(set.Lo) && r <= rune(set.Hi) {
			return int(r-rune(set.Lo)) % 10
		}
	}
	for _, set := range unicode.Nd.R32 {
		if r >= rune(set.Lo) && r <= rune(set.Hi) {
			return int(r-rune(set.Lo)) % 10
		}
	}
	return -1
}

// plain maps full-width characters and the many dashes to their plain forms.
func plain(r rune) rune {
	switch {
	case r >= 0xff01 && r <= 0xff5e:
		return r - 0xfee0
	case unicode.Is(unicode.Pd, r) || r == '−':
		return '-'
	case r == '·' || r == '•' || r == '‧' || r == '∙':
		return '.'
	}
	return r
}

// appendFolded appends a letter in lower case and without its accent.
func appendFolded(b []byte, r rune) []byte { return recall.Fold(b, plain(r)) }
