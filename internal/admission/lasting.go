package admission

import (
	"context"
	"maps"
	"slices"
	"sync"
)

// lasting are the exchanges that last until they are told to end: event streams, sockets.
type lasting struct {
	mu       sync.Mutex // guards what follows
	ends     map[*Exchange]func(why string)
	why      string        // the reason given to Drain; empty: the gate does not drain
	finished chan struct{} // closed when the gate drains and none is left
}

// Lasts says that the exchange goes on until somebody ends it. When the gate drains, it calls end once with the reason.
// If the gate drains already, it calls end at once. end must not wait: it makes the exchange end soon, and tells
// whoever listens why. It may be called at the moment when the exchange is done.
func (x *Exchange) Lasts(end func(why string)) {
	l := &x.gate.lasting
	l.mu.Lock()
	if l.why != "" {
		l.mu.Unlock()
		end(l.why)
		return
	}
	if l.ends == nil {
		l.ends = map[*Exchange]func(string){}
	}
	l.ends[x], x.lasts = end, true
	l.mu.Unlock()
}

func (l *lasting) remove(x *Exchange) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.ends, x)
	if l.why != "" && len(l.ends) == 0 {
		close(l.finished)
	}
}

// Drain ends all exchanges that last, and those that begin to last later, with a reason that they tell. It waits until
// they have ended, or ctx ends, and returns how many are left. It may be called once.
func (g *Gate) Drain(ctx context.Context, why string) (left int) {
	l := &g.lasting
	l.mu.Lock()
	l.why, l.finished = why, make(chan struct{})
	ends := slices.Collect(maps.Values(l.ends))
	if len(ends) == 0 {
		close(l.finished)
	}
	l.mu.Unlock()
	for _, end := range ends {
		end(why)
	}
	select {
	case <-l.finished:
	case <-ctx.Done():
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.ends)
}
