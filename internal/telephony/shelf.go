package telephony

import (
	"container/list"
	"time"
)

// shelf keeps things by name, for a while and not too many: the oldest gives way. It is not safe for concurrent use.
type shelf[V any] struct {
	most  int
	ttl   time.Duration
	items map[string]*list.Element
	order *list.List // of *shelved, oldest first
}

type shelved[V any] struct {
	name  string
	value V
	until time.Time
}

func newShelf[V any](most int, ttl time.Duration) *shelf[V] {
	return &shelf[V]{most: most, ttl: ttl, items: map[string]*list.Element{}, order: list.New()}
}

// put keeps a thing in the place of what has its name. It returns how many others gave way.
func (s *shelf[V]) put(name string, v V, now time.Time) (gone int) {
	s.drop(name)
	gone = s.prune(now)
	if s.order.Len() >= s.most {
		s.drop(s.order.Front().Value.(*shelved[V]).name)
		gone++
	}
	s.items[name] = s.order.PushBack(&shelved[V]{name, v, now.Add(s.ttl)})
	return gone
}

// get returns what has a name.
func (s *shelf[V]) get(name string, now time.Time) (v V, ok bool) {
	e, ok := s.items[name]
	if !ok || !now.Before(e.Value.(*shelved[V]).until) {
		return v, false
	}
	return e.Value.(*shelved[V]).value, true
}

func (s *shelf[V]) drop(name string) {
	if e, ok := s.items[name]; ok {
		s.order.Remove(e)
		delete(s.items, name)
	}
}

// prune drops what is too old. It returns how much that was.
func (s *shelf[V]) prune(now time.Time) (gone int) {
	for e := s.order.Front(); e != nil && !now.Before(e.Value.(*shelved[V]).until); e = s.order.Front() {
		s.drop(e.Value.(*shelved[V]).name)
		gone++
	}
	return gone
}

// names lists what there is, oldest first.
func (s *shelf[V]) names() []string {
	out := make([]string, 0, s.order.Len())
	for e := s.order.Front(); e != nil; e = e.Next() {
		out = append(out, e.Value.(*shelved[V]).name)
	}
	return out
}
