package wrapup

import (
	"strings"
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

// dated puts the date behind the words that only mean it on the day they are said.
func dated(text string, base time.Time, dayFirst bool) string {
	var b strings.Builder
	done := 0
	for _, f := range when.FindWith(text, base, when.Options{DayFirst: dayFirst}) {
		if f.Recurring || f.Approx || !relative(f.Phrase) || strings.HasPrefix(text[f.End:], " (") {
			continue
		}
		b.WriteString(text[done:f.End])
		b.WriteString(" (" + f.String() + ")")
		done = f.End
	}
	return b.String() + text[done:]
}

var relativeWords = map[string]bool{
	"today": true, "tonight": true, "tomorrow": true, "yesterday": true, "next": true, "last": true, "this": true,
	"coming": true, "ago": true, "monday": true, "tuesday": true, "wednesday": true, "thursday": true, "friday": true,
	"saturday": true, "sunday": true, "days": true, "weeks": true, "months": true, "week": true, "month": true,
}

// relative reports whether a phrase counts from the day on which it is said, and does not name the date as well.
func relative(phrase string) bool {
	found := false
	for _, word := range strings.Fields(strings.ToLower(phrase)) {
		if len(word) == 4 && strings.Trim(word, "0123456789") == "" { // a year
			return false
		}
		found = found || relativeWords[strings.Trim(word, ",.")]
	}
	return found
}
