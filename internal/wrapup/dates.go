package wrapup

import (
	"slices"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/when"
	"github.com/recallerhq/recaller/internal/wrapup/reading"
)

// date says which days a model's summary means by relative words (B8): "tomorrow" becomes "tomorrow (24 November
// 2026)". It goes by where they were said. Words that nobody said so stay as they are, and so do words by which several
// days were meant.
func date(s *recaller.Summary, r reading.Reading) {
	s.Brief, s.Next = dated(s.Brief, r.Base, r.Turns), dated(s.Next, r.Base, r.Turns)
	for _, list := range [][]string{s.Decisions, s.Actions, s.Facts} {
		for i := range list {
			list[i] = dated(list[i], r.Base, r.Turns)
		}
	}
}

// dated does what date does, to one text that a model wrote of the turns.
func dated(text string, base time.Time, turns []reading.Turn) string {
	var sure []when.Found
	for _, f := range when.Find(text, base) {
		if said, ok := meant(f, turns); ok && !said.Approx {
			said.Start, said.End, said.Phrase = f.Start, f.End, f.Phrase
			sure = append(sure, said)
		}
	}
	return when.Absolute(text, sure, true)
}

// meant returns what a date of a model's text means in the turns that say it in the same words, or else name the same
// day. It returns false if there are none, or if they mean different days.
func meant(f when.Found, turns []reading.Turn) (out when.Found, ok bool) {
	for _, same := range []func(when.Found) bool{
		func(d when.Found) bool { return bare(d.Phrase) == bare(f.Phrase) },
		func(d when.Found) bool { return f.Known() && d.At.Format(time.DateOnly) == f.At.Format(time.DateOnly) },
	} {
		for _, t := range turns {
			for _, d := range t.Dates {
				if !d.Known() || d.Recurring || d.Retracted || !same(d) {
					continue
				}
				if ok && out.At.Format(time.DateOnly) != d.At.Format(time.DateOnly) {
					return out, false
				}
				if !ok || d.Clock {
					out, ok = d, true
				}
			}
		}
		if ok {
			return out, true
		}
	}
	return out, false
}

// bare returns a phrase without the preposition before it.
func bare(phrase string) string {
	words := strings.Fields(strings.ToLower(phrase))
	if len(words) > 1 && slices.Contains([]string{"on", "at", "by", "for", "in", "from", "this"}, words[0]) {
		words = words[1:]
	}
	return strings.Join(words, " ")
}
