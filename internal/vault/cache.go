package vault

import (
	"hash/maphash"
	"sync"
)

const cacheShards = 16

// cache holds the most recently used data keys, at most so many. It is safe for concurrent use.
type cache struct {
	seed   maphash.Seed
	shards [cacheShards]cacheShard
}

type cacheShard struct {
	mu    sync.Mutex // guards all below
	limit int
	epoch uint64 // counts the drops, so that a key read before a drop is not put after it
	nodes map[Scope]*cacheNode
	ring  cacheNode // ring.next is the most, ring.prev the least recently used
}

type cacheNode struct {
	scope      Scope
	key        *dataKey
	prev, next *cacheNode
}

func newCache(size int) *cache {
	c := &cache{seed: maphash.MakeSeed()}
	for i := range c.shards {
		s := &c.shards[i]
		s.limit = (size + cacheShards - 1) / cacheShards
		s.nodes = make(map[Scope]*cacheNode)
		s.ring.prev, s.ring.next = &s.ring, &s.ring
	}
	return c
}

// get returns the scope's key, or nil and the epoch that put wants to see again.
func (c *cache) get(scope Scope) (*dataKey, uint64) {
	s := c.shard(scope)
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.nodes[scope]
	if n == nil {
		return nil, s.epoch
	}
	s.unlink(n)
	s.link(n)
	return n.key, s.epoch
}

// put adds a key that was loaded after get told the epoch, and returns the one that is held for the scope now. It does
// nothing and returns false if a key was dropped in between.
func (c *cache) put(scope Scope, key *dataKey, epoch uint64) (*dataKey, bool) {
	s := c.shard(scope)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.epoch != epoch {
		return nil, false
	}
	if n := s.nodes[scope]; n != nil {
		return n.key, true
	}
	if len(s.nodes) >= s.limit {
		oldest := s.ring.prev
		s.unlink(oldest)
		delete(s.nodes, oldest.scope)
	}
	n := &cacheNode{scope: scope, key: key}
	s.nodes[scope] = n
	s.link(n)
	return key, true
}

// drop forgets the scope's key, and makes handles that hold it useless.
func (c *cache) drop(scope Scope) {
	s := c.shard(scope)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.epoch++
	if n := s.nodes[scope]; n != nil {
		n.key.destroyed.Store(true)
		s.unlink(n)
		delete(s.nodes, scope)
	}
}

func (c *cache) shard(scope Scope) *cacheShard {
	h := maphash.String(c.seed, string(scope.Tenant)) ^ 3*maphash.String(c.seed, string(scope.Caller))
	return &c.shards[h%cacheShards]
}

func (s *cacheShard) link(n *cacheNode) {
	n.prev, n.next = &s.ring, s.ring.next
	n.prev.next, n.next.prev = n, n
}

func (s *cacheShard) unlink(n *cacheNode) {
	n.prev.next, n.next.prev = n.next, n.prev
}
