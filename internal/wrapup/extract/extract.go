// Package extract finds what a caller said of himself or of his matter that is worth knowing next time: memories of the
// six types of spec W4, chosen and quoted. It never rewrites: a value holds the caller's own words, with the agent's
// question where the answer alone says nothing, and days and spoken numbers read out in square brackets. It works by
// the shape of sentences and closed tables of words, in time linear in the words; no model, no I/O, no clock.
//
// It is not for deciding what is kept: whether a key exists already and whether the conversation qualifies (W9) is the
// caller's business. It is no reader of names either (wrapup/name), nor of what both sides agreed on (agreement).
//
// # What it chooses
//
// The caller's own assertions that will hold beyond the call: people and pets, home and how to get in, work, health,
// likes and limits, habits, things and identifiers, what happened on a day, what is planned for one, and answers to the
// agent's questions about these. Nothing from the agent's words, from questions, conditions and wishes, from what
// others are quoted to have said, from pasted texts and role play, from turns that were cut off or hardly heard (B10),
// from what the agent recited (B11), and nothing told in confidence; nothing of when the caller is free this week. What
// the caller wants forgotten the wrap-up leaves out. Of English, German and Spanish; in other languages it finds
// nothing.
//
// # Keys
//
// A key is snake_case and says what the words are about, so that the same thing said again has the same key: a topic
// (allergy, address, occupation, contact_preference), behind the relation whose it is (wife_allergy,
// neighbour_dog_health, somebody_condition of one who is not known), with one or two of the words themselves where one
// may have several (medication_metformin, dog_tinker).
package extract

import (
	"cmp"
	"slices"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/wrapup/quote"
	"github.com/recallerhq/recaller/internal/wrapup/reading"
)

// The bounds of what one conversation leaves.
const (
	MaxValue = 400 // characters of a value
	maxFound = 12
	maxQuote = 42 // words of one quotation, and of a turn that is quoted as a whole
)

// Candidate is a memory that the words support.
type Candidate struct {
	Type       recaller.MemoryType
	Key        string // snake_case
	Other      string // the key to take where Key is taken by something else; "" where there can be but one such thing
	Value      string // quotations, at most MaxValue characters
	Confidence float64
	Turns      []int      // Numbers of the turns it came from, ascending
	DueAt      *time.Time // of a follow-up with a day ahead
	DueDay     bool       // DueAt names a day, not a time of day
}

// Memories returns what the caller said that is worth keeping, in the order in which it was said; no key twice.
func Memories(r reading.Reading) []Candidate {
	x := newExtractor(r)
	if x.lang == nil {
		return nil
	}
	var found []draft
	for i := range r.Turns {
		if x.own[i] {
			found = append(found, x.turn(i)...)
		}
	}
	return x.candidates(x.best(x.unconfided(found)))
}

// draft is what was chosen, before it is quoted.
type draft struct {
	asked    int // the turn of the question that belongs to it; -1: none
	turn     int
	from, to int // sentences of the turn, to excluded
	core     int // the one for which it was chosen
	about    about
	score    float64
	sure     float64
	order    int
}

// best are the drafts that are kept where there are too many, in the order in which they were said.
func (x *extractor) best(found []draft) []draft {
	for i := range found {
		found[i].order = i
	}
	slices.SortStableFunc(found, func(a, b draft) int { return cmp.Compare(b.score, a.score) })
	found = found[:min(len(found), maxFound)]
	slices.SortFunc(found, func(a, b draft) int { return cmp.Compare(a.order, b.order) })
	return found
}

// candidates quotes the drafts. Of two with one key the later holds, unless one may have several: then it takes another
// key.
func (x *extractor) candidates(found []draft) []Candidate {
	var out []Candidate
	at := map[string]int{}
	for _, d := range found {
		c := x.candidate(d)
		if c.Value == "" || c.Key == "" {
			continue
		}
		i, taken := at[c.Key]
		if taken && c.Other != "" {
			c.Key = c.Other
			i, taken = at[c.Key]
		}
		if taken {
			out[i] = c
			continue
		}
		at[c.Key] = len(out)
		out = append(out, c)
	}
	return out
}

func (x *extractor) candidate(d draft) Candidate {
	t := x.r.Turns[d.turn]
	from, to := x.ss[d.turn][d.from].Start, x.ss[d.turn][d.to-1].End
	value := quote.Of(t, from, to) + readings(t.Text[from:to])
	turns := []int{t.Number}
	if asked := x.leaningOn(d); asked >= 0 {
		q := x.r.Turns[asked]
		from, to := x.question(asked)
		value = "Agent: " + quote.Of(q, q.Sentences[from].Start, q.Sentences[to-1].End) + " Caller: " + value
		turns = []int{q.Number, t.Number}
	}
	if len([]rune(value)) > MaxValue {
		return Candidate{}
	}
	c := Candidate{Type: d.about.kind, Value: value, Confidence: d.sure, Turns: turns}
	if t.Confidence > 0 && t.Confidence < 0.9 {
		c.Confidence *= t.Confidence
	}
	c.Key, c.Other = x.keys(d)
	if c.Type == recaller.FollowUp {
		c.DueAt, c.DueDay = x.due(t, from, to)
	}
	return c
}

// due is the first day that is named for sure and lies ahead.
func (x *extractor) due(t reading.Turn, from, to int) (*time.Time, bool) {
	for _, f := range t.Dates {
		if f.Start < from || f.End > to || f.Retracted || !f.Exact() || f.At.Before(startOfDay(t.At)) {
			continue
		}
		at := f.At
		return &at, f.Day
	}
	return nil, false
}

func startOfDay(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, t.Location())
}
