package tenant

import (
	"context"
	"errors"
	"maps"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/recallerhq/recaller"
)

// Bounds of the caches.
const (
	cacheFor  = 10 * time.Second       // how long a change by another process may go unseen
	patience  = 100 * time.Millisecond // how long to wait for the store before an old value serves
	retryFor  = time.Second            // when to ask the store again after a failure
	readFor   = 10 * time.Second       // bounds a read, because nobody may be waiting for it
	maxCached = 10_000                 // entries; past it a cache starts anew
)

// cache keeps what every request needs in memory for a moment. It sees the changes of this process at once. While the
// store is away, old values keep calls going.
type cache[K comparable, V any] struct {
	now   func() time.Time
	name  func(K) string
	loads singleflight.Group

	mu      sync.Mutex // guards what follows; never held over I/O
	entries map[K]cached[V]
	changed uint64 // counts changes, so that a value read before one is not kept after it
}

type cached[V any] struct {
	value V
	until time.Time
}

func newCache[K comparable, V any](now func() time.Time, name func(K) string) *cache[K, V] {
	return &cache[K, V]{now: now, name: name, entries: map[K]cached[V]{}}
}

// get returns the value of k: from memory, if it was read a moment ago, otherwise by read. If read is late, or fails
// with anything but NotFound, an older value serves.
func (c *cache[K, V]) get(ctx context.Context, k K, read func(context.Context) (V, error)) (V, error) {
	c.mu.Lock()
	old, known := c.entries[k]
	c.mu.Unlock()
	if known && c.now().Before(old.until) {
		return old.value, nil
	}
	if !known {
		return c.load(ctx, k, read)
	}
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case r := <-c.loads.DoChan(c.name(k), func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), readFor) // others wait for it too
		defer cancel()
		return c.load(ctx, k, read)
	}):
		if r.Err == nil {
			return r.Val.(V), nil
		}
		if recaller.KindOf(r.Err) == recaller.NotFound {
			return *new(V), r.Err
		}
	case <-timer.C:
	case <-ctx.Done():
		return old.value, nil
	}
	c.extend(k)
	return old.value, nil
}

// load reads a value and keeps it, unless something changed meanwhile. NotFound removes it.
func (c *cache[K, V]) load(ctx context.Context, k K, read func(context.Context) (V, error)) (V, error) {
	c.mu.Lock()
	before := c.changed
	c.mu.Unlock()
	v, err := read(ctx)
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case errors.Is(err, recaller.NotFound):
		delete(c.entries, k)
	case err == nil && c.changed == before:
		if len(c.entries) >= maxCached {
			clear(c.entries)
		}
		c.entries[k] = cached[V]{v, c.now().Add(cacheFor)}
	}
	return v, err
}

// extend lets an old value serve for retryFor without asking the store.
func (c *cache[K, V]) extend(k K) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, known := c.entries[k]; known {
		e.until = later(e.until, c.now().Add(retryFor))
		c.entries[k] = e
	}
}

func later(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}

// known returns the value of k in memory, however old. It never waits.
func (c *cache[K, V]) known(k K) (V, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.entries[k]
	return e.value, ok
}

// forget drops the values for which drop returns true, because they changed.
func (c *cache[K, V]) forget(drop func(K, V) bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.changed++
	maps.DeleteFunc(c.entries, func(k K, e cached[V]) bool { return drop(k, e.value) })
}

// doubt makes get read the value of k again, if the store answers, before it serves.
func (c *cache[K, V]) doubt(k K) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.changed++
	if e, known := c.entries[k]; known {
		c.entries[k] = cached[V]{value: e.value}
	}
}

// set keeps a value that this process has just written.
func (c *cache[K, V]) set(k K, v V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.changed++
	c.entries[k] = cached[V]{v, c.now().Add(cacheFor)}
}
