package chatproxy

import (
	"context"
	"strconv"
	"sync"
	"time"
)

// order has what is to be kept of one thread kept in order.
type order struct {
	mu      sync.Mutex // guards what follows
	last    map[string]chan struct{}
	waiting int
	idle    chan struct{}  // closed when nothing waits; nil: nobody asked
	stuck   map[string]int // what tries again, of a key
	soon    chan struct{}  // closed when nobody may pause any longer
}

func newOrder() *order {
	return &order{last: map[string]chan struct{}{}, stuck: map[string]int{}, soon: make(chan struct{})}
}

// after runs fn when all that was given for the key before is done; false if too much waits.
func (o *order) after(key string, fn func()) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.waiting >= maxHeld {
		return false
	}
	before, done := o.last[key], make(chan struct{})
	o.last[key] = done
	o.waiting++
	go func() {
		defer o.done(key, done)
		if before != nil {
			<-before
		}
		fn()
	}()
	return true
}

func (o *order) done(key string, done chan struct{}) {
	o.mu.Lock()
	defer o.mu.Unlock()
	close(done)
	if o.last[key] == done {
		delete(o.last, key)
	}
	if o.waiting--; o.waiting == 0 && o.idle != nil {
		close(o.idle)
		o.idle = nil
	}
}

// pause waits before another try; false: it is to be the last one. Nobody waits for a key that pauses.
func (o *order) pause(key string, pause time.Duration) bool {
	o.mu.Lock()
	o.stuck[key]++
	soon := o.soon
	o.mu.Unlock()
	defer func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		if o.stuck[key]--; o.stuck[key] == 0 {
			delete(o.stuck, key)
		}
	}()
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-soon:
		return false
	}
}

// hurry has whatever pauses try a last time.
func (o *order) hurry() {
	o.mu.Lock()
	defer o.mu.Unlock()
	close(o.soon)
	o.soon = make(chan struct{})
}

// settled waits until all of a key is done, or ctx ends.
func (o *order) settled(ctx context.Context, key string) {
	o.mu.Lock()
	last := o.last[key]
	if o.stuck[key] > 0 {
		last = nil
	}
	o.mu.Unlock()
	if last == nil {
		return
	}
	select {
	case <-last:
	case <-ctx.Done():
	}
}

// wait waits until nothing is to be kept, or ctx ends.
func (o *order) wait(ctx context.Context) {
	o.mu.Lock()
	if o.waiting == 0 {
		o.mu.Unlock()
		return
	}
	if o.idle == nil {
		o.idle = make(chan struct{})
	}
	idle := o.idle
	o.mu.Unlock()
	select {
	case <-idle:
	case <-ctx.Done():
	}
}

// repeats knows requests without a history that came lately. One that comes again soon is the same; later it is somebody
// who says the same again, such as "hello".
type repeats struct {
	mu    sync.Mutex // guards what follows
	since map[string]time.Time
}

func newRepeats() *repeats { return &repeats{since: map[string]time.Time{}} }

// token returns the mark of a request as this time's.
func (r *repeats) token(mark string, now time.Time) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.since) >= maxHeld {
		for m, at := range r.since {
			if now.Sub(at) >= repeatFor {
				delete(r.since, m)
			}
		}
		if len(r.since) >= maxHeld {
			clear(r.since)
		}
	}
	at, ok := r.since[mark]
	if !ok || now.Sub(at) >= repeatFor || now.Before(at) {
		at = now
		r.since[mark] = at
	}
	return mark + ":" + strconv.FormatInt(at.UnixMilli(), 10)
}
