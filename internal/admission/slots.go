package admission

import (
	"context"

	"github.com/recallerhq/recaller"
)

// Slots bound how many exchanges of a kind are under way at once. Operations may share them. Safe for concurrent use.
type Slots struct {
	taken chan struct{}
	waits bool
	full  string
}

// Queue returns n slots. If none is free, an exchange waits for one. If its time ends first, it gets Unavailable, with
// full as the message.
func Queue(n int, full string) *Slots {
	return &Slots{taken: make(chan struct{}, n), waits: true, full: full}
}

// Cap returns n slots. If none is free, an exchange gets Exhausted at once, with full as the message.
func Cap(n int, full string) *Slots {
	return &Slots{taken: make(chan struct{}, n), full: full}
}

func (s *Slots) take(ctx context.Context) error {
	select {
	case s.taken <- struct{}{}:
		return nil
	default:
	}
	if !s.waits {
		return recaller.Errorf(recaller.Exhausted, "%s", s.full)
	}
	select {
	case s.taken <- struct{}{}:
		return nil
	case <-ctx.Done():
		return recaller.Errorf(recaller.Unavailable, "%s", s.full)
	}
}

func (s *Slots) give() { <-s.taken }
