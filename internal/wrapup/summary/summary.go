// Package summary writes up a conversation by rules: it chooses sentences and quotes them, and never says a thing in
// other words (V5, P4). Every line is words of a turn between quotation marks, with who said them before it. What is
// chosen follows from the shape of the dialogue, in any language: what the caller asked for first, what was offered and
// answered, promised, given and refused; numbers, days, rare words. An answer that says nothing by itself is quoted
// with its question, an offer with what was said to it, and nothing is parted from what takes it back.
//
// It is pure, and not for what a model writes, nor for what is remembered of the caller (package extract).
package summary

import (
	"slices"
	"strings"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/agreement"
	"github.com/recallerhq/recaller/internal/wrapup/reading"
)

// By is what a summary of this package says it was written by.
const By = recaller.ByRules

// What is said of a conversation that has nothing to be quoted.
const (
	Nothing   = "Nothing was said."
	Greetings = "Only greetings."
)

// The bounds of a summary, in words.
const (
	mostWords   = 120
	fewestWords = 80
	briefWords  = 65
	wantedWords = 44  // of it, what the caller wanted
	briefBytes  = 390 // what a briefing shows of it
)

// Options say how a summary is written. The zero value is usable.
type Options struct {
	Typed    bool // on a channel where one types: nobody says goodbye there
	Broken   bool // the conversation broke off
	MaxWords int  // over all sections; 0: by the length of the conversation
	// Acts are what was agreed on in the conversation; nil: they are looked for.
	Acts func() []recaller.Act
}

// Write summarises a conversation. The same words give the same summary. Turns that were cut off or hardly heard are
// only quoted as the last words of a conversation that broke off (B10).
func Write(r reading.Reading, opts Options) recaller.Summary {
	acts := spoken(r, opts)
	c := newChooser(gist(r, opts, acts), opts, acts)
	out := recaller.Summary{By: By}
	if !c.anything(func(u *unit) bool { return true }) {
		out.Brief = Nothing
		return out
	}
	if !c.anything(func(u *unit) bool { return !u.idle }) {
		out.Brief = Greetings
		return out
	}
	room := c.room()
	brief := c.brief()
	out.Brief = c.lines(brief)
	room -= size(out.Brief)
	next := c.next()
	out.Next = c.lines(next)
	room -= size(out.Next)
	promised := c.promised(brief, c.pledgeRoom(room))
	for _, p := range promised {
		out.Actions = append(out.Actions, c.lines([]passage{p}))
	}
	if c.opts.MaxWords > 0 {
		room -= size(strings.Join(out.Actions, " "))
	}
	for _, p := range c.choose(room) {
		line := c.lines([]passage{p})
		switch p.section {
		case inTopics:
			out.Topics = append(out.Topics, line)
		case inDecisions:
			out.Decisions = append(out.Decisions, line)
		case inActions:
			out.Actions = append(out.Actions, line)
		default:
			out.Facts = append(out.Facts, line)
		}
	}
	return out
}

// newChooser reads a conversation. acts are what spoken returned.
func newChooser(r reading.Reading, opts Options, acts map[int][]string) *chooser {
	c := &chooser{
		r: r, opts: opts, turns: units(r), told: map[string]bool{}, acts: acts, opened: map[int]int{}, taken: map[*unit]bool{},
	}
	c.weight = weights(c.turns)
	return c
}

// spoken are the words, by the numbers of their turns, by which something was agreed on, moved or cancelled.
func spoken(r reading.Reading, opts Options) map[int][]string {
	var acts []recaller.Act
	if opts.Acts != nil {
		acts = opts.Acts()
	} else {
		acts = agreement.Find(r)
	}
	out := map[int][]string{}
	for _, act := range acts {
		if act.Kind == recaller.ActDone && len(act.Of) == 0 { // it tells of another call, not of this one
			continue
		}
		for _, said := range act.Said {
			out[said.Turn] = append(out[said.Turn], said.Text)
		}
	}
	return out
}

// room is how many words the summary may have.
func (c *chooser) room() int {
	if c.opts.MaxWords > 0 {
		return c.opts.MaxWords
	}
	said := 0
	for _, t := range c.r.Turns {
		said += len(strings.Fields(t.Text))
	}
	return min(mostWords, max(fewestWords, said*4/5))
}

// pledgeRoom is how many words action items may have: they have room of their own, unless the whole was bounded.
func (c *chooser) pledgeRoom(room int) int {
	if c.opts.MaxWords > 0 {
		return min(pledgeWords, room/4)
	}
	return pledgeWords
}

func (c *chooser) anything(is func(*unit) bool) bool {
	return slices.ContainsFunc(c.turns, func(us []*unit) bool { return slices.ContainsFunc(us, is) })
}

func size(s string) int { return len(strings.Fields(s)) }
