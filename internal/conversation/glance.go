package conversation

import (
	"slices"
	"time"

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

// glance returns a Glance of a conversation; nil: it has ended.
func (e *entry) glance(now time.Time) *Glance {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.glanceLocked(now)
}

func (e *entry) glanceLocked(now time.Time) *Glance {
	if e.state.over() {
		return nil
	}
	return &Glance{e.heard.glance.Turns(now), e.heard.glance.Keys()}
}

// without takes out the turns with these numbers.
func (g *Glance) without(numbers []int) *Glance {
	if g != nil {
		g.Turns = slices.DeleteFunc(g.Turns, func(t livebuffer.Turn) bool { return slices.Contains(numbers, t.Number) })
	}
	return g
}

// whole reports whether each turn has all of its words.
func (g *Glance) whole() bool {
	return g == nil || !slices.ContainsFunc(g.Turns, func(t livebuffer.Turn) bool { return !t.Whole() })
}

// told takes out the turns that say what was forgotten, as far as they have their words.
func (g *Glance) told(conv recaller.ConversationID, gone forgotten.View) *Glance {
	if g != nil {
		g.Turns = slices.DeleteFunc(g.Turns, func(t livebuffer.Turn) bool {
			return gone.Hides(conv, recaller.Turn{Number: t.Number, Speaker: t.Speaker, Text: t.Text, At: t.At})
		})
	}
	return g
}

// Stored takes note of a change of memories. The caller's running conversations get the keys of what was stored. They
// also learn what was forgotten, so that it is not told while the store is away, and how sure it is who calls. It never
// waits for a disk.
func (s *Service) Stored(c recaller.Change) {
	if c.Surer {
		s.surer(c.Conversation, c.Tenant)
	}
	if len(c.Memories) == 0 {
		return
	}
	for _, e := range s.Ledger.ofCaller(c.Tenant, c.Caller) {
		e.mu.Lock()
		e.heard.gone = e.heard.gone.Plus(c.Forgotten).Without(c.Memories)
		for _, m := range c.Memories {
			if m.PrivacyScope == recaller.Private {
				e.heard.private = e.heard.private.Plus(forgotten.AsIf([]recaller.Memory{m}))
			}
			if m.Status == recaller.MemoryActive {
				e.heard.glance.AddKey(m.Key)
			}
		}
		e.mu.Unlock()
	}
}
