package notify

import (
	"context"
	"sync"

	"github.com/recallerhq/recaller"
)

// underway are the requests that this process is sending, by whom they are about.
type underway struct {
	mu sync.Mutex // guards of
	of map[who]map[*sending]bool
}

type who struct {
	tenant recaller.TenantID
	caller recaller.CallerID
}

// sending is one of them.
type sending struct {
	stop context.CancelFunc
	over chan struct{} // closed at its end
}

// enter begins one; whoever does calls leave at its end.
func (u *underway) enter(ctx context.Context, w who) (_ context.Context, leave func()) {
	ctx, stop := context.WithCancel(ctx)
	one := &sending{stop, make(chan struct{})}
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.of == nil {
		u.of = map[who]map[*sending]bool{}
	}
	if u.of[w] == nil {
		u.of[w] = map[*sending]bool{}
	}
	u.of[w][one] = true
	return ctx, func() {
		stop()
		u.mu.Lock()
		defer u.mu.Unlock()
		if delete(u.of[w], one); len(u.of[w]) == 0 {
			delete(u.of, w)
		}
		close(one.over)
	}
}

// end breaks off those about somebody, and waits until they are over.
func (u *underway) end(w who) {
	u.mu.Lock()
	var list []*sending
	for one := range u.of[w] {
		list = append(list, one)
	}
	u.mu.Unlock()
	for _, one := range list {
		one.stop()
		<-one.over
	}
}

// Drop breaks off what this process is sending about a caller whose erasure has begun. When it returns nothing is on its
// way, and nothing will be: the store hides him.
func (s *Service) Drop(tenant recaller.TenantID, caller recaller.CallerID) {
	s.underway.end(who{tenant, caller})
}
