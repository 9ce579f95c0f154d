package recall

import (
	"container/list"
	"sync"

	"github.com/recallerhq/recaller"
)

// cache keeps entries up to a size. The least recently searched entries leave first. Entries of long callers have a
// bound of their own, because one takes as much memory as a thousand others, and half a minute to make.
type cache struct {
	max [2]int64 // bytes: [0] of entries that are not long, [1] of those that are

	mu    sync.Mutex // guards all below; never held while an entry's lock is waited for
	byKey map[key]*list.Element
	order *list.List // of *slot, most recently searched first
	bytes [2]int64
}

// slot is an entry in the cache, with the size that it counts for.
type slot struct {
	entry *entry
	bytes int64
	long  int // the index into cache.max: 1 for a long caller, else 0
}

func newCache(maxBytes, maxLong int64) cache {
	return cache{max: [2]int64{maxBytes, maxLong}, byKey: make(map[key]*list.Element), order: list.New()}
}

// get returns the entry of k, and makes it if there is none. It counts as a use.
func (c *cache) get(k key) *entry {
	c.mu.Lock()
	defer c.mu.Unlock()
	if el, ok := c.byKey[k]; ok {
		c.order.MoveToFront(el)
		return el.Value.(*slot).entry
	}
	e := newEntry(k)
	c.byKey[k] = c.order.PushFront(&slot{entry: e, bytes: entryOverhead})
	c.bytes[0] += entryOverhead
	return e
}

// peek returns the entry of k, or nil.
func (c *cache) peek(k key) *entry {
	c.mu.Lock()
	defer c.mu.Unlock()
	if el, ok := c.byKey[k]; ok {
		return el.Value.(*slot).entry
	}
	return nil
}

// drop removes the entry of k. Whoever works with it goes on, but nobody finds that entry any more.
func (c *cache) drop(k key) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if el, ok := c.byKey[k]; ok {
		c.remove(el)
	}
}

// dropAll removes the entries of a tenant.
func (c *cache) dropAll(t recaller.TenantID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for k, el := range c.byKey {
		if k.tenant == t {
			c.remove(el)
		}
	}
}

// resize counts e at its present size and makes room. If nothing else is left, e itself goes.
func (c *cache) resize(k key, e *entry) {
	n, long := e.bytes()
	c.mu.Lock()
	defer c.mu.Unlock()
	el, ok := c.byKey[k]
	if !ok || el.Value.(*slot).entry != e {
		return // dropped meanwhile
	}
	s := el.Value.(*slot)
	c.bytes[s.long] -= s.bytes
	s.bytes, s.long = n, long
	c.bytes[long] += n
	for el := c.order.Back(); el != nil && c.bytes[long] > c.max[long]; {
		before := el.Prev()
		if el.Value.(*slot).long == long {
			c.remove(el)
		}
		el = before
	}
}

func (c *cache) remove(el *list.Element) {
	s := c.order.Remove(el).(*slot)
	delete(c.byKey, s.entry.key)
	c.bytes[s.long] -= s.bytes
}

func (c *cache) stats() (entries int, bytes int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.byKey), c.bytes[0] + c.bytes[1]
}
