package recall

import (
	"container/list"
	"sync"

	"github.com/recallerhq/recaller"
)

// cache keeps entries up to a size; the least recently searched ones leave first. Those of long callers have a size of
// their own: one of them takes as much as a thousand others, and takes half a minute to make anew.
type cache struct {
	max [2]int64 // of entries that are not long, and of those that are

	mu    sync.Mutex // guards all below; never held while an entry's lock is waited for
	byKey map[key]*list.Element
	order *list.List // of *slot, most recently searched first
	bytes [2]int64
}

// slot is an entry in the cache with the size it is counted at.
type slot struct {
	entry *entry
	bytes int64
	long  int // 1: it is a long caller's
}

func newCache(maxBytes, maxLong int64) cache {
	return cache{max: [2]int64{maxBytes, maxLong}, byKey: make(map[key]*list.Element), order: list.New()}
}

// get returns the entry of k, a new one if there is none, and counts it as used.
func (c *cache) get(k key) *entry {
	c.mu.Lock()
	defer c.mu.Unlock()
	if el, ok := c.byKey[k]; ok {
		c.order.MoveToFront(el)
		return el.Value.(*slot).entry
	}
	e := &entry{key: k}
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

// drop removes the entry of k. Whoever works with it still works on something that nobody finds any more.
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

// resize counts e at its present size and makes room, last of all by letting e itself go.
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
