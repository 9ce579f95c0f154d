package evidence

import (
	"strings"

	"github.com/recallerhq/recaller/internal/fence"
)

// clean returns what people said as data on one line: without control, invisible, bidirectional or private characters,
// and without the signs that could end a fence or a quotation, or make a line look like one of a script. It is the way
// by which all text of a conversation gets into what a model reads.
func clean(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	marks, gap := 0, false
	for _, r := range s {
		if fence.Space(r) {
			gap = b.Len() > 0
			continue
		}
		if fence.Hidden(r) {
			continue
		}
		if marks = fence.Marks(marks, r); marks > fence.MaxMarks {
			continue
		}
		if gap {
			b.WriteByte(' ')
			gap = false
		}
		b.WriteRune(bracketless(fence.Harmless(r)))
	}
	return b.String()
}

// bracketless replaces square brackets, which the lines of a script begin with.
func bracketless(r rune) rune {
	switch r {
	case '[', '\uFF3B', '【', '〔', '⟦':
		return '('
	case ']', '\uFF3D', '】', '〕', '⟧':
		return ')'
	}
	return r
}
