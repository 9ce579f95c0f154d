package admission

import (
	"context"
	"sync"

	"github.com/recallerhq/recaller"
)

// Slots bound how many exchanges of a kind are under way at once, and how many of them are one tenant's. Operations may
// share them. Safe for concurrent use.
//
// A tenant may take any slot that is free, but for the last quarter: of those, and of the whole where it has fewer than
// four, it may take one only while it holds fewer than its share, a sixteenth, and one at least. So a tenant that is
// alone has three quarters, and one that takes all that it can leaves room for others (ADR 40).
type Slots struct {
	n, share int
	waits    bool
	full     string

	mu    sync.Mutex // guards what follows
	held  map[recaller.TenantID]int
	taken int
	freed chan struct{} // closed when a slot is given back; nil: nobody waits
}

// Queue returns n slots. If none is free for a tenant, an exchange waits for one. If its time ends first, it gets
// Unavailable, with full as the message.
func Queue(n int, full string) *Slots {
	s := Cap(n, full)
	s.waits = true
	return s
}

// Cap returns n slots. If none is free for a tenant, an exchange gets Exhausted at once, with full as the message.
func Cap(n int, full string) *Slots {
	return &Slots{n: n, share: max(1, n/16), full: full, held: map[recaller.TenantID]int{}}
}

// take takes a slot for a tenant.
func (s *Slots) take(ctx context.Context, t recaller.TenantID) error {
	for {
		freed, ok := s.try(t)
		if ok {
			return nil
		}
		if !s.waits {
			return recaller.Errorf(recaller.Exhausted, "%s", s.full)
		}
		select {
		case <-freed:
		case <-ctx.Done():
			return recaller.Errorf(recaller.Unavailable, "%s", s.full)
		}
	}
}

// try takes a slot, if there is one for the tenant. If not, freed is closed when that may have changed.
func (s *Slots) try(t recaller.TenantID) (freed <-chan struct{}, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	common := s.n - s.n/4
	if s.n < 4 {
		common = 0
	}
	if s.taken < common || s.taken < s.n && s.held[t] < s.share {
		s.taken++
		s.held[t]++
		return nil, true
	}
	if s.freed == nil {
		s.freed = make(chan struct{})
	}
	return s.freed, false
}

// give gives a tenant's slot back.
func (s *Slots) give(t recaller.TenantID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.taken--
	if s.held[t]--; s.held[t] == 0 {
		delete(s.held, t)
	}
	if s.freed != nil {
		close(s.freed)
		s.freed = nil
	}
}
