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
	cacheFor  = 10 * time.Second       // in which a change made by another process may go unseen
	patience  = 100 * time.Millisecond // how long a known value waits for the store before it serves as it is
	retryFor  = time.Second            // after which a store that was away is asked again
	readFor   = 10 * time.Second       // bounds a read that nobody waits for any more
	maxCached = 10_000                 // entries; past it a cache starts anew
)

// cache keeps what every request needs in memory for a moment. Changes of this process are seen at once. While the
// store is away, what was true a moment ago keeps calls going.
type cache[K comparable, V any] struct {
	now   func() time.Time
	name  func(K) string
	loads singleflight.Group

	mu      sync.Mutex // guards what follows; never held over I/O
	entries map[K]cached[V]
	changed uint64 // counts changes, so that what was read before one is not kept after it
}

type cached[V any] struct {
	value V
	until time.Time
}

func newCache[K comparable, V any](now func() time.Time, name func(K) string) *cache[K, V] {
	return &cache[K, V]{now: now, name: name, entries: map[K]cached[V]{}}
}

// get returns the value of k: from memory, if it was read a moment ago, else by read. Where read fails for want of the
// store, or does not answer in time, a value from before serves.
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

// load reads and keeps a value, unless something changed meanwhile. What is not found is not known any more.
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

// extend lets an old value serve for a while without asking again.
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

// known returns the value of k that is in memory, however old; it never waits.
func (c *cache[K, V]) known(k K) (V, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.entries[k]
	return e.value, ok
}

// forget drops the values for which drop says so: they changed.
func (c *cache[K, V]) forget(drop func(K, V) bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.changed++
	maps.DeleteFunc(c.entries, func(k K, e cached[V]) bool { return drop(k, e.value) })
}

// doubt has the value of k read anew before it serves again, if that can be.
func (c *cache[K, V]) doubt(k K) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.changed++
	if e, known := c.entries[k]; known {
		c.entries[k] = cached[V]{value: e.value}
	}
}

// set puts a value in place of what is known: it was just changed to this.
func (c *cache[K, V]) set(k K, v V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.changed++
	c.entries[k] = cached[V]{v, c.now().Add(cacheFor)}
}
