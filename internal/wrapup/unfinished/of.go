package unfinished

import (
	"slices"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/forgotten"
	"github.com/recallerhq/recaller/internal/memory/decide"
	"github.com/recallerhq/recaller/internal/wrapup/label"
)

// Setting is what is known beside the words of a conversation.
type Setting struct {
	Zone     *time.Location // the caller's
	DayFirst bool           // he writes the day before the month
	Packs    []label.Pack
	Window   time.Duration // how long a matter can be resumed
	// Stands is the caller's checkpoint as it stands; nil: there is none.
	Stands *recaller.Checkpoint
}

// Of returns what a conversation left of the caller's matter. turns are its words, without those that were forgotten.
func Of(conv recaller.Conversation, turns []recaller.Turn, s Setting) recaller.Unfinished {
	o := Options{
		Broke:    conv.Status == recaller.Failed || conv.Status == recaller.Active,
		Reminder: conv.Reminder, Outbound: conv.Direction == recaller.Outbound,
		Packs: s.Packs, Before: before(s.Stands, conv, s.Window),
	}
	read := func(turns []recaller.Turn) Left { return Read(turns, conv.StartedAt.In(s.Zone), s.DayFirst, o) }
	left := read(turns)
	if asked := forgotten.Requests(turns); len(asked) > 0 {
		left = read(without(turns[max(0, len(turns)-mostTurns):], asked, left))
	}
	at := left.At
	if at.IsZero() {
		at = conv.LastActivityAt
	}
	if at.IsZero() {
		at = conv.StartedAt
	}
	return recaller.Unfinished{
		Checkpoint: recaller.Checkpoint{
			ID: recaller.CheckpointID(conv.ID), Caller: conv.Caller, Intent: left.Intent, Summary: left.Summary,
			StagingData: left.Staging, LastActivity: at, CreatedAt: at,
			Source: recaller.CheckpointFound, Conversation: conv.ID,
		},
		Since: conv.StartedAt, Settles: left.Settles, Continues: left.Continues,
	}
}

// After returns the checkpoint that stands after a conversation, given the one that stands in s.
func After(conv recaller.Conversation, turns []recaller.Turn, s Setting) *recaller.Checkpoint {
	if c, ok := decide.Unfinished(s.Stands, Of(conv, turns, s)); ok {
		return &c
	}
	return s.Stands
}

// before is what stood unfinished when a conversation began. What was found in its own words already is not counted.
func before(c *recaller.Checkpoint, conv recaller.Conversation, window time.Duration) *recaller.Checkpoint {
	if c == nil || c.Completed() {
		return nil
	}
	stood := *c
	if c.Source == recaller.CheckpointFound && c.Conversation == conv.ID {
		if len(c.Before) == 0 || c.Before[0].At.Before(c.CreatedAt) { // what stood before that was completed
			return nil
		}
		was := c.Before[0]
		stood = recaller.Checkpoint{
			Intent: was.Intent, Summary: was.Summary, StagingData: was.StagingData, Source: was.Source, LastActivity: was.At,
		}
	}
	if !stood.LastActivity.Before(conv.StartedAt) || conv.StartedAt.Sub(stood.LastActivity) > window {
		return nil
	}
	return &stood
}

// without blanks the words that the caller asks, in the same conversation, to have forgotten, and those that ask: those
// that the requests mean, and those in which was found what they name.
func without(turns []recaller.Turn, asked []forgotten.Request, left Left) []recaller.Turn {
	hidden := map[int]bool{}
	for _, r := range asked {
		if len(r.Turns) > 0 && slices.Max(r.Turns) < turns[0].Number { // it is about what was said before these
			continue
		}
		s := r.Search()
		s.Read("", turns, true)
		for _, t := range s.Told(false) {
			hidden[t.Number] = true
		}
		for _, n := range r.Turns {
			hidden[n] = true
		}
		for key, f := range left.facts {
			m := recaller.Memory{
				ID: recaller.MemoryID(key), Key: key, Value: f.value, Type: recaller.Fact,
				Provenance: recaller.Provenance{Turns: []int{f.turn}},
			}
			hidden[f.turn] = hidden[f.turn] || len(r.Means("", []recaller.Memory{m})) > 0
		}
	}
	out := make([]recaller.Turn, len(turns))
	for i, t := range turns {
		if out[i] = t; hidden[t.Number] {
			out[i].Text = ""
		}
	}
	return out
}
