package briefing

import (
	"strconv"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/when"
)

// earlier is from when a phrase is read once more, to see whether it names its day by itself.
const earlier = 40 * 24 * time.Hour

// dueTime says when a memory comes due, as far as its value does not say so. What names a month or a week has no day to
// tell: DueAt is only where that begins. What names its date needs none beside it, only how near it is.
func (c *composer) dueTime(m *recaller.Memory, said time.Time) string {
	due := m.DueAt.In(c.now.Location())
	phrase := when.Phrase(due, c.now, m.DueDay)
	for _, f := range when.FindWith(m.Value, said.In(c.now.Location()), when.Options{Lean: when.Ahead}) {
		switch {
		case !f.Known() || f.Recurring || !f.At.Equal(due):
		case m.DueDay && f.Until.Sub(f.At) > 25*time.Hour:
			return stretch(m.Value, f)
		case c.dates(m.Value, f):
			near, _, _ := strings.Cut(phrase, " (")
			if strings.HasPrefix(near, "on ") {
				return ""
			}
			return " - " + near
		}
	}
	return " - " + phrase
}

// stretch says which month, week or season is meant, unless the value does.
func stretch(value string, f when.Found) string {
	named := f.String()
	if strings.Contains(value, named) {
		return ""
	}
	return " (" + named + ")"
}

// dates reports whether the value names a date so that it is understood on every day: "14 December", not "the 14th" or
// "Thursday". In another year than this one it has to name that, too.
func (c *composer) dates(value string, f when.Found) bool {
	if f.At.Year() != c.now.Year() && !strings.Contains(value, strconv.Itoa(f.At.Year())) {
		return false
	}
	for _, g := range when.FindWith(f.Phrase, f.At.Add(-earlier), when.Options{Lean: when.Ahead}) {
		if g.Exact() && g.At.Equal(f.At) {
			return true
		}
	}
	return false
}
