// Package forgotten tells which of a caller's words must no longer be told, because memories of them were forgotten:
// turns, lines of summaries, checkpoints, and memories that are found again. It is the one filter of everybody who
// reads (briefing, recall, search, wrap-up). Nothing is rewritten, so an undo brings everything back, and an export has
// everything.
//
// A forgotten memory hides the turns that it came from and those that asked for the forgetting. It hides every earlier
// turn that carries its value in other words, or in which the caller told what the request named, whenever that turn
// becomes known. In the conversation of the request it also hides what the agent says of it afterwards. What the caller
// says again later counts again.
//
// It is pure. It does not forget (memory, store), nor erase (privacy).
package forgotten

import (
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/memory/likeness"
)

// View is what was forgotten of one caller. The zero value hides nothing. Safe for concurrent use.
type View struct {
	things []thing
	index  func() *index // made when first asked for; nil where there are no things
}

// thing is one memory that was forgotten, in all of its versions.
type thing struct {
	id       recaller.MemoryID
	at       time.Time           // words of it from before this time are hidden
	asked    recaller.Provenance // the words that asked for it
	from     []recaller.Provenance
	versions []recaller.Memory
	carried  []carried // what its values are known by
	request  Request   // the words that asked for it, as far as they named something
}

// New returns the view of memories that are forgotten, given all of their versions in any order.
func New(versions []recaller.Memory) View {
	var things []thing
	at := map[recaller.MemoryID]int{}
	for _, m := range versions {
		i, known := at[m.ID]
		if !known {
			i = len(things)
			at[m.ID], things = i, append(things, thing{id: m.ID})
		}
		things[i].add(m)
	}
	return viewOf(things)
}

func viewOf(things []thing) View {
	if len(things) == 0 {
		return View{}
	}
	return View{things, sync.OnceValue(func() *index { return indexOf(things) })}
}

func (t *thing) add(m recaller.Memory) {
	if m.Status == recaller.MemoryForgotten && !m.ClosedAt.Before(t.at) {
		t.at, t.asked, t.request = m.ClosedAt, recaller.Provenance{}, Request{}
		if g := m.Forgetting; g != nil {
			t.at, t.asked = g.At, g.Asked
			t.request = Request{At: g.At, Turns: g.Asked.Turns}
			for _, named := range g.Named {
				t.request.names = append(t.request.names, phrase{stems: strings.Fields(named), own: true})
			}
		}
	}
	reads := read
	if m.ClosedAt.Equal(always) {
		reads = readSecret
	}
	t.versions = append(t.versions, m)
	t.from = append(t.from, m.Provenance)
	t.know(reads(m.Key, m.Value))
	if d := m.Dispute; d != nil {
		t.from = append(t.from, d.Provenance)
		t.know(reads(m.Key, d.Value))
	}
}

// know adds what a value is known by, unless that is known already.
func (t *thing) know(c carried) {
	if !slices.ContainsFunc(t.carried, c.equal) {
		t.carried = append(t.carried, c)
	}
}

// Since reports whether any of the versions was forgotten at a time or after it.
func Since(versions []recaller.Memory, at time.Time) bool {
	return slices.ContainsFunc(versions, func(m recaller.Memory) bool {
		return m.Status == recaller.MemoryForgotten && !m.ClosedAt.Before(at)
	})
}

// Empty reports whether nothing was forgotten.
func (v View) Empty() bool { return len(v.things) == 0 }

// Has reports whether a memory was forgotten.
func (v View) Has(id recaller.MemoryID) bool {
	return slices.ContainsFunc(v.things, func(t thing) bool { return t.id == id })
}

// Plus returns a view that also hides what the versions forget. It replaces memories that v has already.
func (v View) Plus(versions []recaller.Memory) View {
	if len(versions) == 0 {
		return v
	}
	again := New(versions)
	kept := slices.DeleteFunc(slices.Clone(v.things), func(t thing) bool {
		return slices.ContainsFunc(again.things, func(n thing) bool { return n.id == t.id })
	})
	return viewOf(append(kept, again.things...))
}

// Without returns v without those of the memories that are active again.
func (v View) Without(memories []recaller.Memory) View {
	back := func(t thing) bool {
		return slices.ContainsFunc(memories, func(m recaller.Memory) bool {
			return m.ID == t.id && m.Status == recaller.MemoryActive
		})
	}
	if !slices.ContainsFunc(v.things, back) {
		return v
	}
	return viewOf(slices.DeleteFunc(slices.Clone(v.things), back))
}

// asking is how many turns after a request still speak of it, such as the agent's promise.
const asking = 2

// Hides reports whether a turn of a conversation must not be told.
func (v View) Hides(conv recaller.ConversationID, turn recaller.Turn) bool {
	if v.Empty() {
		return false
	}
	x := v.index()
	if x.places[place{conv, turn.Number}] {
		return true
	}
	said := words(turn.Text)
	agent := turn.Speaker == recaller.Assistant
	if agent && x.private[place{conv, turn.Number - 1}] { // what it says to that
		return true
	}
	asks := len(x.asked[conv]) > 0 && said.asks()
	before := func(t *thing) bool { return t.before(conv, turn.Number, turn.At) }
	here := func(t *thing) bool { return conv == t.asked.Conversation }
	switch {
	case x.carries(said, func(t *thing) bool { return before(t) || here(t) && (agent || asks) }),
		turn.Speaker == recaller.User && x.named(said, before):
		return true
	case !asks:
		return false
	}
	return agent && slices.ContainsFunc(x.asked[conv], func(t *thing) bool {
		return !before(t) && len(t.asked.Turns) > 0 && turn.Number-last(t.asked) <= asking
	}) || x.touches(said, func(t *thing) bool { return here(t) && !before(t) })
}

// before reports whether words are from before the forgetting: by their number in the conversation that asked for it,
// by their time in others.
func (t thing) before(conv recaller.ConversationID, number int, at time.Time) bool {
	if conv == t.asked.Conversation && conv != "" && len(t.asked.Turns) > 0 {
		return number <= last(t.asked)
	}
	return !at.After(t.at)
}

func (t thing) carriedBy(said text) bool {
	return slices.ContainsFunc(t.carried, func(c carried) bool { return c.in(said) })
}

func names(p recaller.Provenance, conv recaller.ConversationID, number int) bool {
	return p.Conversation != "" && p.Conversation == conv && slices.Contains(p.Turns, number)
}

func last(p recaller.Provenance) int {
	if len(p.Turns) == 0 {
		return -1
	}
	return slices.Max(p.Turns)
}

// Turns returns the turns of a conversation that may be told.
func (v View) Turns(conv recaller.ConversationID, turns []recaller.Turn) []recaller.Turn {
	if v.Empty() {
		return turns
	}
	return slices.DeleteFunc(slices.Clone(turns), func(t recaller.Turn) bool { return v.Hides(conv, t) })
}

// Blank returns the turns of a conversation, without the words of those that must not be told, so that numbers stay
// places.
func (v View) Blank(conv recaller.ConversationID, turns []recaller.Turn) []recaller.Turn {
	if v.Empty() {
		return turns
	}
	out := slices.Clone(turns)
	for i := range out {
		if v.Hides(conv, out[i]) {
			out[i].Text = ""
		}
	}
	return out
}

// Retold reports whether a memory that was found in words says something that was forgotten after they were said, under
// whatever key.
func (v View) Retold(m recaller.Memory) bool {
	return slices.ContainsFunc(v.things, func(t thing) bool {
		return t.before(m.Provenance.Conversation, last(m.Provenance), m.CreatedAt) && t.told(m)
	})
}

func (t thing) told(m recaller.Memory) bool {
	if _, same := likeness.Same(t.versions, m.Key); same {
		return true
	}
	if _, _, again := likeness.Duplicate(t.versions, m); again {
		return true
	}
	return t.carriedBy(words(m.Value)) || t.request.tells(m)
}

// Same returns the caller's active memories that say what m says, and so are forgotten with it: in the same words, or
// under a key that means the same.
func Same(m recaller.Memory, active []recaller.Memory) []recaller.MemoryID {
	var out []recaller.MemoryID
	about := read(m.Key, m.Value)
	own := likeness.OfName(m.Key)
	for _, a := range active {
		if a.ID == m.ID {
			continue
		}
		_, _, again := likeness.Duplicate([]recaller.Memory{m}, a)
		_, _, held := likeness.Duplicate([]recaller.Memory{a}, m)
		name := own && likeness.OfName(a.Key)
		breath := shares(a.Provenance, m.Provenance)
		if again || held || (name || breath) && about.in(words(a.Value)) {
			out = append(out, a.ID)
		}
	}
	return out
}

// shares reports whether two memories came from one turn.
func shares(a, b recaller.Provenance) bool {
	return a.Conversation == b.Conversation &&
		slices.ContainsFunc(a.Turns, func(n int) bool { return names(b, a.Conversation, n) })
}
