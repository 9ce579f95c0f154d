package index

import (
	"math"
	"slices"
	"time"

	"github.com/recallerhq/recaller/internal/when"
)

// span is a stretch of days that a query means, seen from when it is asked.
type span struct {
	phrase   string // the query's words for it
	from, to int32  // its first and its last day
	blur     float32
	weight   float32 // what a day in it gets
}

// What was said so many days beside a span counts a third as much as what was said in it: a day, and for what is long
// past a tenth of the time since. People say "three weeks ago" of what was two or four days off.
const (
	blurDays  = 1
	blurShare = 0.1
)

// maxTimes is how many times, and how many dates, of a query count; more than these nobody means.
const maxTimes = 8

// spans finds the times that a query means: "three weeks ago", "last spring", "on Tuesday". Those that lie ahead say
// nothing of when something was said, nor does the present day, unless the query is told in the past.
func (ix *Index) spans(text string, words []queryWord, now time.Time) []span {
	if now.IsZero() || ix.weights.Time == 0 {
		return nil
	}
	var all []span
	today := dayOf(now)
	for _, f := range when.FindWith(text, now, when.Options{Lean: when.Behind}) {
		from := dayOf(f.At)
		if !f.Known() || f.At.After(now) || from == today && !asksPast(words) {
			continue
		}
		if len(all) == maxTimes {
			break
		}
		to := max(from, dayOf(f.Until.Add(-time.Nanosecond)))
		if slices.ContainsFunc(all, func(s span) bool { return s.from == from && s.to == to }) {
			continue
		}
		all = append(all, span{
			phrase: f.Phrase, from: from, to: to, blur: blurDays + blurShare*float32(max(0, today-to)), weight: ix.weights.Time,
		})
	}
	return all
}

// gives is what a day gets: the weight in the span, and less and less beside it.
func (s span) gives(day int32) float32 {
	if day == noDay {
		return 0
	}
	off := float64(float32(max(0, s.from-day, day-s.to)) / s.blur)
	return s.weight * float32(math.Exp(-off*off))
}

// fadeDays is in how many days what was said loses two thirds of its recency.
const fadeDays = 30

// lately tells how recent days are, quickly for runs of the same day.
type lately struct {
	today, day int32
	of         float32
}

// share is 1 for the day of asking and what lies ahead of it, and falls to 0 for days long past. 0 where either is not
// known.
func (l *lately) share(day int32) float32 {
	if l.today == noDay || day == noDay {
		return 0
	}
	if day != l.day {
		l.day, l.of = day, float32(math.Exp(-float64(max(0, l.today-day))/fadeDays))
	}
	return l.of
}

// asksPast reports whether a query is told in the past tense.
func asksPast(words []queryWord) bool {
	for _, w := range words {
		switch w.folded {
		case "did", "was", "were", "had", "said", "told":
			return true
		}
	}
	return false
}

// Days are counted from 1970. What was said belongs to the day that it was for the caller, and "yesterday" is the day
// before the one on which the caller's people ask.
const (
	secondsPerDay = 24 * 60 * 60
	noDay         = -1 << 31
)

// dayOf returns t's calendar day as days since 1970, in t's own zone.
func dayOf(t time.Time) int32 {
	if t.IsZero() {
		return noDay
	}
	y, m, d := t.Date()
	return int32(time.Date(y, m, d, 0, 0, 0, 0, time.UTC).Unix() / secondsPerDay)
}

// local returns t as the caller's calendar and clocks tell it.
func (ix *Index) local(t time.Time) time.Time {
	if ix.zone == nil || t.IsZero() {
		return t
	}
	return t.In(ix.zone)
}
