package wrapup

import (
	"slices"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/when"
)

// date makes the relative dates of a summary absolute, for it is read on other days than it was written on: "tomorrow"
// becomes "tomorrow (24 November 2026)" (B8).
func date(s *recaller.Summary, base time.Time, dayFirst bool) {
	dated := func(text string) string { return dated(text, base, dayFirst) }
	s.Brief, s.Next = dated(s.Brief), dated(s.Next)
	for _, list := range [][]string{s.Decisions, s.Actions, s.Facts} {
		for i := range list {
			list[i] = dated(list[i])
		}
	}
}

// dated puts the date behind the words that only mean it on the day they are said. What says a date only roughly stays as it is.
func dated(text string, base time.Time, dayFirst bool) string {
	found := when.FindWith(text, base, when.Options{DayFirst: dayFirst})
	return when.Absolute(text, slices.DeleteFunc(found, func(f when.Found) bool { return f.Approx }), true)
}
