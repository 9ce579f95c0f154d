package recall

import (
	"container/list"
	"sync"

	"github.com/recallerhq/recaller"
)

// cache keeps entries up to a size; the least recently searched ones leave first.
type cache struct {
	max int64

	mu    sync.Mutex // guards all below; never held while an entry's lock is waited for
	byKey map[key]*list.Element
	order *list.List // of *slot, most recently searched first
	bytes int64
}

// slot is an entry in the cache with the size it is counted at.
type slot struct {
	entry *entry
	bytes int64
}

func newCache(maxBytes int64) cache {
	return cache{max: maxBytes, byKey: make(map[key]*list.Element), order: list.New()}
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
	c.bytes += entryOverhead
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
	n := e.bytes()
	c.mu.Lock()
	defer c.mu.Unlock()
	el, ok := c.byKey[k]
	if !ok || el.Value.(*slot).entry != e {
		return // dropped meanwhile
	}
	s := el.Value.(*slot)
	c.bytes += n - s.bytes
	s.bytes = n
	for c.bytes > c.max {
		c.remove(c.order.Back())
	}
}

func (c *cache) remove(el *list.Element) {
	s := c.order.Remove(el).(*slot)
	delete(c.byKey, s.entry.key)
	c.bytes -= s.bytes
}

func (c *cache) stats() (entries int, bytes int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.byKey), c.bytes
}
