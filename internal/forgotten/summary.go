package forgotten

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/recallerhq/recaller"
)

// Summary returns a conversation's summary without the lines that tell what was forgotten: those that quote only hidden
// turns, and those that carry a value from before the forgetting. said are the turns, as far as they are known. It is
// nil if no line is left.
func (v View) Summary(conv recaller.Conversation, said []recaller.Turn) *recaller.Summary {
	if v.Empty() || conv.Summary == nil {
		return conv.Summary
	}
	sieve := v.Sieve(conv)
	for _, t := range said {
		sieve.Quote(t)
	}
	return sieve.Summary()
}

// Sieve takes out of a conversation what must not be told, given its turns one by one: however many there are, it
// holds none of them. Read them all, or Quote them all, and then ask for its Summary.
type Sieve struct {
	filter
}

// Sieve returns one for a conversation.
func (v View) Sieve(conv recaller.Conversation) *Sieve {
	var judged []string
	if s := conv.Summary; s != nil {
		judged = slices.Concat([]string{s.Brief, s.Next}, s.Topics, s.Decisions, s.Actions, s.Facts)
	}
	return &Sieve{v.filter(conv, judged...)}
}

// Read takes a turn, and reports whether it must not be told.
func (s *Sieve) Read(turn recaller.Turn) (hidden bool) {
	hidden = s.view.Hides(s.conv.ID, turn)
	s.read(turn, func() bool { return hidden })
	return hidden
}

// Quotes reports whether the summary cannot be told without the turns, because it quotes some.
func (s *Sieve) Quotes() bool { return s.any && s.quotes }

// Quote is Read, for who asks for the Summary alone: it looks only for what that quotes.
func (s *Sieve) Quote(turn recaller.Turn) {
	s.read(turn, func() bool { return s.view.Hides(s.conv.ID, turn) })
}

// Summary returns View.Summary of the turns that were read.
func (s *Sieve) Summary() *recaller.Summary {
	conv, f := s.conv, s.filter
	if s.view.Empty() || conv.Summary == nil {
		return conv.Summary
	}
	told := *conv.Summary
	told.Brief, told.Next = f.brief(told.Brief), f.line(told.Next)
	for _, lines := range []*[]string{&told.Topics, &told.Decisions, &told.Actions, &told.Facts} {
		*lines = f.lines(*lines)
	}
	if told.Brief == "" && told.Next == "" &&
		len(told.Topics)+len(told.Decisions)+len(told.Actions)+len(told.Facts) == 0 {
		return nil
	}
	return &told
}

// Conversation returns a conversation with that Summary.
func (v View) Conversation(conv recaller.Conversation, said []recaller.Turn) recaller.Conversation {
	conv.Summary = v.Summary(conv, said)
	return conv
}

// Text returns a text without the lines that tell of what was forgotten after it was written. One whose title tells of
// that, or of which no line is left, has no words. said are the turns of its conversation, as far as they are known.
func (v View) Text(t recaller.Text, said []recaller.Turn) recaller.Text {
	if v.Empty() {
		return t
	}
	lines := strings.Split(t.Text, "\n")
	f := v.filtered(recaller.Conversation{ID: t.Conversation, StartedAt: t.At}, said, append(lines, t.Title)...)
	if f.line(t.Title) != t.Title {
		t.Title, lines = "", nil
	}
	t.Text = strings.Join(f.lines(lines), "\n")
	return t
}

// Snapshot removes from the material of a briefing all that must not be told.
func Snapshot(snap *recaller.Snapshot) {
	v := New(snap.Forgotten)
	if v.Empty() {
		return
	}
	for i, conv := range snap.History {
		snap.History[i] = v.Conversation(conv, snap.Said[conv.ID])
	}
	if b := snap.BrokenOff; b != nil {
		kept := v.brokenOff(*b, snap.Said[b.Conversation.ID])
		snap.BrokenOff = &kept
	}
	for i, b := range snap.Open {
		snap.Open[i] = v.brokenOff(b, nil)
	}
	for i, d := range snap.Pinned {
		snap.Pinned[i] = v.Document(d, nil)
	}
	if c := snap.Checkpoint; c != nil {
		kept := v.Checkpoint(*c)
		snap.Checkpoint = &kept
	}
}

// Agreements returns the agreements without those of their words that must not be told. What was cancelled or moved in
// such words stays so, and the new time stands without words. What was settled anew is left out if its day was named in
// hidden words.
func (v View) Agreements(list []recaller.Agreement) []recaller.Agreement {
	if v.Empty() {
		return list
	}
	var out []recaller.Agreement
	for _, g := range list {
		said := v.sayings(g.By)
		dated := func(s recaller.Saying) bool { return strings.Contains(s.Text, "[") }
		count := func(of []recaller.Saying) (n int) {
			for _, s := range of {
				if dated(s) {
					n++
				}
			}
			return n
		}
		shown := len(said) == len(g.By.Said) || count(said) > 0 && count(said) == count(g.By.Said)
		moves := slices.ContainsFunc(list, func(o recaller.Agreement) bool {
			return o.State == recaller.AgreementMoved && sameAct(o.Ended, g.By)
		})
		if !shown && !moves {
			continue
		}
		g.By.Said = said
		if g.Ended != nil {
			ended := *g.Ended
			ended.Said = v.sayings(ended)
			g.Ended = &ended
		}
		out = append(out, g)
	}
	return out
}

func sameAct(a *recaller.Act, b recaller.Act) bool {
	return a != nil && a.Conversation == b.Conversation && a.SaidAt.Equal(b.SaidAt) && a.At.Equal(b.At) &&
		a.Kind == b.Kind
}

// sayings returns those of an act's words that may be told.
func (v View) sayings(a recaller.Act) []recaller.Saying {
	return slices.DeleteFunc(slices.Clone(a.Said), func(s recaller.Saying) bool {
		return v.Hides(a.Conversation, recaller.Turn{Number: s.Turn, Speaker: s.Speaker, Text: s.Text, At: a.SaidAt})
	})
}

// brokenOff returns a conversation that broke off without what was forgotten of it. all are its turns, where they are
// known.
func (v View) brokenOff(b recaller.BrokenOff, all []recaller.Turn) recaller.BrokenOff {
	if len(all) == 0 {
		all = b.Turns
	}
	return recaller.BrokenOff{
		Conversation: v.Conversation(b.Conversation, all), Turns: v.Turns(b.Conversation.ID, b.Turns),
	}
}

// Checkpoint returns a checkpoint without what was forgotten since it was saved.
func (v View) Checkpoint(c recaller.Checkpoint) recaller.Checkpoint {
	if v.Empty() {
		return c
	}
	f := v.filter(recaller.Conversation{ID: c.Conversation, StartedAt: c.LastActivity})
	c.Intent, c.Summary = f.line(c.Intent), f.quotations(c.Summary)
	var staging map[string]any
	dec := json.NewDecoder(bytes.NewReader(c.StagingData))
	dec.UseNumber()
	if f.any && dec.Decode(&staging) == nil {
		if kept, err := json.Marshal(f.value(staging)); err == nil {
			c.StagingData = kept
		}
	}
	return c
}
