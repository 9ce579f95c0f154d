package jobs

import "sync"

// running counts the jobs that run, by kind.
type running struct {
	mu sync.Mutex // guards by
	by map[string]int
}

func (r *running) add(kind string, n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.by[kind] += n
}

// full names the kinds of which no more may run now.
func (r *running) full(handlers map[string]Handler) (kinds []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for kind, h := range handlers {
		if h.AtOnce > 0 && r.by[kind] >= h.AtOnce {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}
