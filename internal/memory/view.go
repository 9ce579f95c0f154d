package memory

import (
	"container/list"
	"context"
	"slices"
	"sync"

	"github.com/recallerhq/recaller"
)

// views hold what is known of the callers who were written about last, so that a tool call in the middle of a
// conversation need not open all of it anew. A view is of one content version, which is read each time: one that is
// behind is not used. Safe for concurrent use.
type views struct {
	mu    sync.Mutex // guards what follows
	by    map[who]*list.Element
	order *list.List // of *view; front: used last
	held  int        // memories in all of them, and one more for each view
}

type who struct {
	tenant recaller.TenantID
	caller recaller.CallerID
}

type view struct {
	of       who
	version  int64
	memories []recaller.Memory // never changed in place: readers hold it
}

// maxHeld bounds the views: some 10 MB of memories as callers have them.
const maxHeld = 20_000

func newViews() *views { return &views{by: map[who]*list.Element{}, order: list.New()} }

// of returns a caller's view and the content version that it is of; -1 if there is none.
func (v *views) of(caller who) ([]recaller.Memory, int64) {
	v.mu.Lock()
	defer v.mu.Unlock()
	e := v.by[caller]
	if e == nil {
		return nil, -1
	}
	v.order.MoveToFront(e)
	return look(e).memories, look(e).version
}

// put keeps a view, and lets those go that were not used for longest.
func (v *views) put(of who, version int64, memories []recaller.Memory) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.dropLocked(of)
	v.by[of] = v.order.PushFront(&view{of, version, memories})
	v.held += 1 + len(memories)
	for v.held > maxHeld && v.order.Len() > 0 {
		v.dropLocked(look(v.order.Back()).of)
	}
}

// apply takes a committed change in. A view that has missed one before it is let go.
func (v *views) apply(c recaller.Change) {
	v.mu.Lock()
	defer v.mu.Unlock()
	of := who{c.Tenant, c.Caller}
	e := v.by[of]
	if e == nil || c.Version <= look(e).version {
		return
	}
	if c.Version > look(e).version+1 {
		v.dropLocked(of)
		return
	}
	now := look(e)
	before := len(now.memories)
	now.version = c.Version
	for _, m := range c.Memories {
		rest := slices.DeleteFunc(slices.Clone(now.memories), func(k recaller.Memory) bool { return k.ID == m.ID })
		if m.Status == recaller.MemoryActive {
			rest = slices.Insert(rest, 0, m)
		}
		now.memories = rest
	}
	v.held += len(now.memories) - before
}

// drop lets the view of a caller go.
func (v *views) drop(of who) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.dropLocked(of)
}

func (v *views) dropLocked(of who) {
	if e := v.by[of]; e != nil {
		v.held -= 1 + len(look(e).memories)
		v.order.Remove(e)
		delete(v.by, of)
	}
}

func look(e *list.Element) *view {
	v, _ := e.Value.(*view) // nothing else is in the list
	return v
}

// active returns the active memories of a caller. Nobody may change what it returns.
func (s *Service) active(ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID) ([]recaller.Memory, error) {
	of := who{tenant, caller}
	known, has := s.views.of(of)
	read, version, err := s.Deps.Store.ActiveMemories(ctx, tenant, caller, has)
	if err != nil || version == has {
		return known, err
	}
	s.views.put(of, version, read)
	return read, nil
}

// Apply takes in a change of a caller's content that was committed, in the order of versions. It never waits for a
// disk.
func (s *Service) Apply(c recaller.Change) { s.views.apply(c) }

// Drop lets go of what is held in memory of a caller: the caller was erased.
func (s *Service) Drop(tenant recaller.TenantID, caller recaller.CallerID) {
	s.views.drop(who{tenant, caller})
}
