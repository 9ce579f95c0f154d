// Package reading reads a conversation once, for all who look for something in it: its turns with their sentences and
// the dates that are said in them. It is pure, and not for what any of it means.
package reading

import (
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/speech"
	"github.com/recallerhq/recaller/internal/when"
)

// Reading is a conversation as it was said.
type Reading struct {
	Turns []Turn
	Base  time.Time // when it began, in the caller's zone
}

// Turn is a turn with what is read in it. The places of sentences and dates are bytes of its Text.
type Turn struct {
	recaller.Turn
	At        time.Time // when it was said, in the caller's zone; where the turn does not say, when the conversation began
	Sentences []speech.Sentence
	Dates     []when.Found
}

// Caller reports whether the caller said it.
func (t Turn) Caller() bool { return t.Speaker == recaller.User }

// Of reads a conversation that began at base, whose Location is the caller's zone.
func Of(turns []recaller.Turn, base time.Time, dayFirst bool) Reading {
	r := Reading{Base: base, Turns: make([]Turn, len(turns))}
	said := make([]when.Said, len(turns))
	for i, t := range turns {
		at := base
		if !t.At.IsZero() {
			at = t.At.In(base.Location())
		}
		r.Turns[i] = Turn{Turn: t, At: at, Sentences: speech.Sentences(t.Text)}
		said[i] = when.Said{Text: t.Text, At: at, Caller: t.Speaker == recaller.User}
	}
	for i, dates := range when.Dialogue(said, when.Options{DayFirst: dayFirst}) {
		r.Turns[i].Dates = dates
	}
	return r
}
