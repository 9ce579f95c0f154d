package tag

import (
	"bytes"
	"strings"
	"unicode"
)

// gap is the white space before a character that did not come yet. Where tags were taken out of it, left is what was
// before them and right what is behind them.
type gap struct {
	left, right side
	cut         bool
}

// side is white space, and the marker of a list where it ends with one.
type side struct{ white, marker []byte }

// space takes in white space.
func (g *gap) space(char []byte) {
	if len(g.right.marker) > 0 {
		g.right.marker = append(g.right.marker, char...)
	} else {
		g.right.white = append(g.right.white, char...)
	}
}

// take takes a tag out of the gap.
func (g *gap) take() {
	if g.cut {
		g.left = join(g.left, g.right)
	} else {
		g.left = g.right
	}
	g.right, g.cut = side{}, true
}

// settle returns the white space between two characters, before and after. No before is the start of the text.
func (g *gap) settle(before, after rune) []byte {
	if !g.cut {
		return append(g.right.white, g.right.marker...)
	}
	s := join(g.left, g.right)
	switch {
	case before == 0:
		return s.marker
	case len(s.marker) > 0 || bytes.ContainsRune(s.white, '\n'):
		return append(s.white, s.marker...)
	case hard(g.right.white):
		return g.right.white
	case strings.ContainsRune(attached, after), strings.ContainsRune(smiling, after) && len(g.right.white) == 0:
		return nil
	case len(s.white) == 0 && parted(before, after):
		return []byte(" ")
	}
	return s.white
}

// over returns an empty gap, with the memory of this one where nobody else has it.
func (g *gap) over() gap {
	if g.cut {
		return gap{}
	}
	return gap{right: side{white: g.right.white[:0], marker: g.right.marker[:0]}}
}

// attached has no space before it. The signs of smiling only if there was none: they begin a smiley too.
const (
	attached = ".,!?)]}…。，！？、；：）"
	smiling  = ":;"
)

// join returns the white space of what is left when a tag between two sides goes.
func join(left, right side) side {
	lines := bytes.Count(right.white, []byte("\n"))
	switch {
	case lines == 0 && (len(left.marker) > 0 || bytes.ContainsRune(left.white, '\n')):
		return left
	case lines == 0 && (len(left.white) == 0 || len(right.white) > 0 && len(right.white) < len(left.white)):
		return side{white: right.white}
	case lines == 0:
		return side{white: left.white}
	case bytes.Count(left.white, []byte("\n")) > lines:
		kept := bytes.Clone(left.white[:bytes.LastIndexByte(left.white, '\n')+1])
		return side{white: append(kept, right.white[bytes.LastIndexByte(right.white, '\n')+1:]...), marker: right.marker}
	}
	from := bytes.IndexByte(right.white, '\n')
	if from > 0 && right.white[from-1] == '\r' {
		from--
	}
	return side{white: right.white[from:], marker: right.marker}
}

// hard reports spaces that a writer puts before punctuation on purpose, as the French do.
func hard(white []byte) bool {
	return len(white) > 0 && strings.Trim(string(white), "\u00A0\u202F") == ""
}

// parted reports that there must be a space between two characters which only a tag kept apart.
func parted(before, after rune) bool {
	return (word(before) || strings.ContainsRune(".,!?;:…", before)) && word(after)
}

// word reports letters and digits of the scripts that put spaces between words.
func word(c rune) bool {
	return (unicode.IsLetter(c) || unicode.IsDigit(c)) &&
		!unicode.In(c, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}
