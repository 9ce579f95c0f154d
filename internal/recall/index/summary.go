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

// setSummary makes a text of the summary of a session, without what was forgotten.
func (ix *Index) setSummary(to sink, si int32, sum *recaller.Summary) {
	s := &ix.sessions[si]
	s.written = sum
	told := ix.gone.Summary(recaller.Conversation{ID: s.id, StartedAt: s.startedAt, Summary: sum}, s.turns)
	ix.setText(to, ix.kinds[recaller.HitSummary], recaller.Text{
		Kind: recaller.HitSummary, ID: string(s.id), Conversation: s.id, Text: summaryText(told), At: s.over(),
		Quotes: sum != nil && sum.By == recaller.ByRules,
	})
}
