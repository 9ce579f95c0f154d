package forgotten

import (
	"slices"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/memory/likeness"
)

// always is after whatever is ever said.
var always = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)

// AsIf returns the versions of private memories as they would be if they were forgotten, and whatever is said of them
// later too. A View of them hides their words from whoever may not be told what is private.
func AsIf(private []recaller.Memory) []recaller.Memory {
	out := slices.Clone(private)
	for i := range out {
		out[i].Status, out[i].ClosedAt, out[i].Forgetting = recaller.MemoryForgotten, always, nil
	}
	return out
}

// Withhold takes what is private out of the material of a briefing: the memories, those that say the same, their
// reminders, and the caller's name if that is private. What else must not be told it adds to what is forgotten, so
// Snapshot takes it out of the rest. It returns the view by which what was found is to be judged.
func Withhold(snap *recaller.Snapshot) View {
	if len(snap.Private) == 0 {
		return View{}
	}
	gone := AsIf(Untold(snap.Private, snap.Memories))
	v := New(gone)
	tells := func(m recaller.Memory) bool { return v.Has(m.ID) }
	snap.Forgotten = append(slices.Clone(snap.Forgotten), gone...)
	snap.Reminders = slices.DeleteFunc(slices.Clone(snap.Reminders), func(r recaller.Reminder) bool {
		return v.Has(r.Memory) || v.Retold(recaller.Memory{ID: r.Memory, Type: recaller.FollowUp, Value: r.Text})
	})
	snap.Memories = slices.DeleteFunc(slices.Clone(snap.Memories), tells)
	for i, m := range snap.Memories {
		if d := m.Dispute; d != nil && v.Retold(recaller.Memory{ID: m.ID, Type: m.Type, Key: m.Key, Value: d.Value}) {
			snap.Memories[i].Dispute = nil
		}
	}
	if c := snap.Checkpoint; c != nil && c.Summary != "" && v.Checkpoint(*c).Summary == "" { // what is left of it says nothing
		snap.Checkpoint = nil
	}
	snap.History = slices.Clone(snap.History)
	for i, conv := range snap.History { // the label of one of which nothing may be told says what it was about
		if a := conv.Analysis; a != nil && conv.Summary != nil && v.Summary(conv, snap.Said[conv.ID]) == nil {
			told := *a
			told.Intent, snap.History[i].Analysis = "", &told
		}
	}
	if Unnamed(snap.Private, snap.Caller.Name) {
		snap.Caller.Name, snap.Caller.NameSource = "", ""
	}
	return v
}

// Unnamed reports whether a caller's name may not be told: it is private, or was taken from what is.
func Unnamed(private []recaller.Memory, name string) bool {
	if name == "" || len(private) == 0 {
		return false
	}
	return slices.ContainsFunc(private, func(m recaller.Memory) bool { return likeness.OfName(m.Key) }) ||
		New(AsIf(private)).index().carries(words(name), func(*thing) bool { return true })
}

// Untold returns the versions of private memories, and those of a caller's active memories that say the same.
func Untold(private, known []recaller.Memory) []recaller.Memory {
	if len(private) == 0 {
		return nil
	}
	out, tells, v := slices.Clone(private), Tells(private, known), New(AsIf(private))
	for _, m := range known {
		if tells(m) && !v.Has(m.ID) {
			out = append(out, m)
		}
	}
	return out
}

// Tells reports whether a memory is private, says what a private one does, or was found in the words that said it. private
// has every version of those that are private now, known the caller's active memories.
func Tells(private, known []recaller.Memory) func(recaller.Memory) bool {
	return New(AsIf(private)).tellers(private, known)
}

// tellers is Tells, for the view of what is private.
func (v View) tellers(private, known []recaller.Memory) func(recaller.Memory) bool {
	same := map[recaller.MemoryID]bool{}
	for _, p := range private {
		if same[p.ID] = true; p.Status == recaller.MemoryActive {
			for _, id := range Same(p, known) {
				same[id] = true
			}
		}
	}
	for _, m := range known {
		same[m.ID] = same[m.ID] || v.Retold(m) || v.took(m)
	}
	return func(m recaller.Memory) bool { return same[m.ID] }
}

// took reports whether a memory was found in hidden turns alone: it quotes them.
func (v View) took(m recaller.Memory) bool {
	if v.Empty() || m.Source != recaller.SourceExtraction || len(m.Provenance.Turns) == 0 {
		return false
	}
	x := v.index()
	return !slices.ContainsFunc(m.Provenance.Turns, func(n int) bool { return !x.places[place{m.Provenance.Conversation, n}] })
}

// Touches reports whether something that must not be told was said in a conversation, by what it came from.
func (v View) Touches(conv recaller.ConversationID) bool {
	return !v.Empty() && v.index().convs[conv]
}

// Hits returns what was found, without what must not be told. What the business itself has written stays.
func (v View) Hits(found []recaller.Hit) []recaller.Hit {
	if v.Empty() {
		return found
	}
	var out []recaller.Hit
	for _, h := range found {
		switch {
		case h.House:
		case h.Kind == recaller.HitTurn:
			if v.Hides(h.Conversation, recaller.Turn{Number: h.Turn, Speaker: h.Speaker, Text: h.Text, At: h.At}) {
				continue
			}
			h.Neighbours = v.Turns(h.Conversation, h.Neighbours)
		case h.Kind == recaller.HitMemory && v.Has(recaller.MemoryID(h.ID)):
			continue
		case v.Touches(h.Conversation): // without the turns nobody knows what it quotes of them
			continue
		default:
			t := v.Text(recaller.Text{Conversation: h.Conversation, Title: h.Title, Text: h.Text, At: h.At}, nil)
			if h.Title, h.Text = t.Title, t.Text; h.Text == "" {
				continue
			}
		}
		out = append(out, h)
	}
	return out
}
