package webchat

import (
	"sync"

	"github.com/recallerhq/recaller"
)

// seats bounds how many sockets and streams are open at once: of all, of one tenant, of one visitor.
type seats struct {
	all, tenant, visitor int

	mu       sync.Mutex // guards what follows
	taken    int
	tenants  map[recaller.TenantID]int
	visitors map[who]int
}

func newSeats(all, tenant, visitor int) *seats {
	return &seats{all: all, tenant: tenant, visitor: visitor, tenants: map[recaller.TenantID]int{}, visitors: map[who]int{}}
}

// take takes a seat, or says why there is none.
func (s *seats) take(w who) reason {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.visitors[w] >= s.visitor:
		return tooManyTabs
	case s.taken >= s.all || s.tenants[w.tenant] >= s.tenant:
		return tooMany
	}
	s.taken++
	s.tenants[w.tenant]++
	s.visitors[w]++
	return ""
}

// give gives one back.
func (s *seats) give(w who) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.taken--
	if s.tenants[w.tenant]--; s.tenants[w.tenant] == 0 {
		delete(s.tenants, w.tenant)
	}
	if s.visitors[w]--; s.visitors[w] == 0 {
		delete(s.visitors, w)
	}
}
