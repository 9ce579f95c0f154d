package wrapup

import (
	"slices"
	"time"

	"github.com/recallerhq/recaller/internal/when"
	"github.com/recallerhq/recaller/internal/wrapup/answer"
	"github.com/recallerhq/recaller/internal/wrapup/reading"
)

// due returns when a follow-up comes due (B8): on the date in its value, or else on the one that the model gave beside
// it. Either counts only if the words that the follow-up comes from name that day. base is when they were said, in the
// caller's zone.
func (w work) due(c answer.Memory, at []int, base time.Time) (*time.Time, bool) {
	said := w.around(at)
	for _, f := range slices.Concat(when.Find(c.Value, base), when.Find(c.Due, base), machine(c.Due, base)) {
		if d, ok := meant(f, said); ok && d.Until.After(base) {
			return comes(d, base)
		}
	}
	return nil, false
}

// around returns the turns with the numbers, each with the one before it. A question may date its answer ("Is Tuesday
// all right?").
func (w work) around(at []int) []reading.Turn {
	var out []reading.Turn
	all := w.reading().Turns
	for i, t := range all {
		if slices.Contains(at, t.Number) || i+1 < len(all) && slices.Contains(at, all[i+1].Number) {
			out = append(out, t)
		}
	}
	return out
}

// machine reads a date as models write it when they resolve one themselves.
func machine(text string, base time.Time) []when.Found {
	for _, layout := range []string{
		time.DateOnly, time.RFC3339, "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02 15:04",
	} {
		if t, err := time.ParseInLocation(layout, text, base.Location()); err == nil {
			return []when.Found{{At: t.In(base.Location())}}
		}
	}
	return nil
}

// comes returns the time at which a date comes due. For a stretch of days that has begun, that is the day on which it
// was said.
func comes(f when.Found, base time.Time) (*time.Time, bool) {
	at := f.At
	if f.Day && at.Before(base) {
		at = time.Date(base.Year(), base.Month(), base.Day(), 0, 0, 0, 0, base.Location())
	}
	return &at, f.Day
}
