package memory

import (
	"container/list"
	"context"
	"slices"
	"sync"

	"github.com/recallerhq/recaller"
)

// views hold the active memories of the callers who were written about last, so that a tool call in the middle of a
// conversation need not open all of them again. Each view is of one content version. The version is read each time, and
// a view that is behind is not used. Safe for concurrent use.
type views struct {
	mu    sync.Mutex // guards what follows
	by    map[who]*list.Element
	order *list.List // of *view; front: used last
	held  int        // the memories in all views, plus one for each view
}

type who struct {
	tenant recaller.TenantID
	caller recaller.CallerID
}

type view struct {
	of       who
	version  int64
	memories []recaller.Memory // never changed in place, because readers hold it
}

// maxHeld bounds held: some 10 MB of typical memories.
const maxHeld = 20_000

func newViews() *views { return &views{by: map[who]*list.Element{}, order: list.New()} }

// of returns a caller's view and its content version; -1 if there is none.
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

// put keeps a view, and drops those that were not used for longest.
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

// apply takes a committed change into a view. If the view has missed one before it, apply drops the view.
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

// drop drops the view of a caller.
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

// active returns the active memories of a caller. The slice must not be changed.
func (s *Service) active(
	ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID,
) ([]recaller.Memory, error) {
	of := who{tenant, caller}
	known, has := s.views.of(of)
	read, version, err := s.Deps.Store.ActiveMemories(ctx, tenant, caller, has)
	if err != nil || version == has {
		return known, err
	}
	s.views.put(of, version, read)
	return read, nil
}

// Apply takes in a committed change of a caller's content. Changes of a caller come in the order of their versions. It
// never waits for a disk.
func (s *Service) Apply(c recaller.Change) { s.views.apply(c) }

// Drop drops what is held in memory of a caller, because the caller was erased.
func (s *Service) Drop(tenant recaller.TenantID, caller recaller.CallerID) {
	s.views.drop(who{tenant, caller})
}
