package wrapup

import (
	"slices"
	"time"

	"github.com/recallerhq/recaller/internal/when"
	"github.com/recallerhq/recaller/internal/wrapup/answer"
)

// due is when a follow-up comes due (B8): on the date in its value, else on the one that the model gave beside it, if the
// words it comes from name that day. base is when they were said, in the caller's zone.
func (w work) due(c answer.Memory, at []int, base time.Time) (*time.Time, bool) {
	if found := w.dates(c.Value, base); len(found) > 0 {
		return comes(found[0], base)
	}
	meant := append(w.dates(c.Due, base), machine(c.Due, base)...)
	if len(meant) == 0 {
		return nil, false
	}
	f := meant[0]
	for _, n := range at {
		for _, k := range []int{n, n - 1} { // an answer is dated by its question: "Is Tuesday at three all right?"
			t, _ := w.turn(k)
			for _, said := range w.dates(t.Text, base) {
				if said.At.Format(time.DateOnly) == f.At.Format(time.DateOnly) {
					return comes(said, base)
				}
			}
		}
	}
	return nil, false
}

// dates are those in a text that lie ahead of base.
func (w work) dates(text string, base time.Time) []when.Found {
	return slices.DeleteFunc(when.FindWith(text, base, when.Options{DayFirst: w.dayFirst, Lean: when.Ahead}), func(f when.Found) bool {
		return !f.Known() || !f.Until.After(base)
	})
}

// machine reads a date as models write it when they resolve one themselves.
func machine(text string, base time.Time) []when.Found {
	for _, layout := range []string{time.DateOnly, time.RFC3339, "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02 15:04"} {
		if t, err := time.ParseInLocation(layout, text, base.Location()); err == nil {
			return []when.Found{{At: t.In(base.Location())}}
		}
	}
	return nil
}

// comes is the time at which a date comes due: of a stretch that has begun, the day on which it was said.
func comes(f when.Found, base time.Time) (*time.Time, bool) {
	at := f.At
	if f.Day && at.Before(base) {
		at = time.Date(base.Year(), base.Month(), base.Day(), 0, 0, 0, 0, base.Location())
	}
	return &at, f.Day
}
