package bridge

import (
	"context"
	"sync"
	"time"
)

// outbox is a queue to a socket's writer. Putting never waits. Safe for concurrent use.
type outbox[T any] struct {
	now  func() time.Time
	wake chan struct{} // holds a token while there may be something

	mu    sync.Mutex
	queue []T
	since time.Time // when the writer took the one that it writes; zero: it writes none
}

func newOutbox[T any](now func() time.Time) *outbox[T] {
	return &outbox[T]{now: now, wake: make(chan struct{}, 1)}
}

// put appends, and returns how many wait now.
func (o *outbox[T]) put(what ...T) int {
	o.mu.Lock()
	o.queue = append(o.queue, what...)
	n := len(o.queue)
	o.mu.Unlock()
	o.signal()
	return n
}

// only throws away all that waits, and puts in one thing instead.
func (o *outbox[T]) only(what T) {
	o.mu.Lock()
	clear(o.queue)
	o.queue = append(o.queue[:0], what)
	o.mu.Unlock()
	o.signal()
}

func (o *outbox[T]) signal() {
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

// next waits for the next thing; false when ctx ends. Asking for it says that the one before is written.
func (o *outbox[T]) next(ctx context.Context) (what T, ok bool) {
	for {
		o.mu.Lock()
		o.since = time.Time{}
		if len(o.queue) > 0 {
			var none T
			what, o.since = o.queue[0], o.now()
			o.queue[0] = none // frees it now; append frees its place later
			o.queue = o.queue[1:]
			o.mu.Unlock()
			return what, true
		}
		o.mu.Unlock()
		select {
		case <-o.wake:
		case <-ctx.Done():
			return what, false
		}
	}
}

// stuck returns for how long the writer has been writing one thing.
func (o *outbox[T]) stuck(now time.Time) time.Duration {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.since.IsZero() {
		return 0
	}
	return now.Sub(o.since)
}
