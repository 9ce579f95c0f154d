package conversation

import (
	"slices"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/forgotten"
	"github.com/recallerhq/recaller/internal/livebuffer"
)

// Glance is a short view of an active conversation (W6): its last turns, and the keys of the memories that were stored
// while it ran.
type Glance struct {
	Turns      []livebuffer.Turn
	StoredKeys []string // lower-cased
}

// glance returns a Glance of a conversation that this process leads. It is nil for any other, such as one that had no
// turn since this process started, and for one that has ended.
func (s *Service) glance(tenant recaller.TenantID, ref string) *Glance {
	e := s.Ledger.get(tenant, ref)
	if e == nil {
		return nil
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.state.over() {
		return nil
	}
	return &Glance{e.glance.Turns(s.Now()), e.glance.Keys()}
}

// without takes out the turns with these numbers.
func (g *Glance) without(numbers []int) *Glance {
	if g != nil {
		g.Turns = slices.DeleteFunc(g.Turns, func(t livebuffer.Turn) bool { return slices.Contains(numbers, t.Number) })
	}
	return g
}

// told takes out the turns that say what was forgotten.
func (g *Glance) told(conv recaller.ConversationID, gone forgotten.View) *Glance {
	if g != nil {
		g.Turns = slices.DeleteFunc(g.Turns, func(t livebuffer.Turn) bool {
			return gone.Hides(conv, recaller.Turn{Number: t.Number, Speaker: t.Speaker, Text: t.Text, At: t.At})
		})
	}
	return g
}

// Stored takes note of a change of memories. The caller's running conversations get the keys of what was stored. They
// also learn what was forgotten, so that it is not told while the store is away. It never waits for a disk.
func (s *Service) Stored(c recaller.Change) {
	if len(c.Memories) == 0 {
		return
	}
	for _, e := range s.Ledger.ofCaller(c.Tenant, c.Caller) {
		e.mu.Lock()
		e.gone = e.gone.Plus(c.Forgotten).Without(c.Memories)
		for _, m := range c.Memories {
			if m.Status == recaller.MemoryActive {
				e.glance.AddKey(m.Key)
			}
		}
		e.mu.Unlock()
	}
}
