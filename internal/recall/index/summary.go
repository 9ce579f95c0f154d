package index

import (
	"strings"

	"github.com/recallerhq/recaller"
)

// summaryText returns a summary as one text, the way a person would read it; "" for none.
func summaryText(s *recaller.Summary) string {
	if s == nil {
		return ""
	}
	var b strings.Builder
	line := func(label, text string) {
		if text == "" {
			return
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(label)
		b.WriteString(text)
	}
	line("", s.Brief)
	line("Topics: ", strings.Join(s.Topics, "; "))
	line("Decisions: ", strings.Join(s.Decisions, "; "))
	line("Actions: ", strings.Join(s.Actions, "; "))
	line("Facts: ", strings.Join(s.Facts, "; "))
	line("Next: ", s.Next)
	return b.String()
}
