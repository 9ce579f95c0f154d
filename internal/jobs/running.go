package jobs

import (
	"sync"

	"github.com/recallerhq/recaller"
)

// running holds the jobs that run, by id.
type running struct {
	mu   sync.Mutex // guards jobs
	jobs map[string]recaller.Job
}

func (r *running) add(j recaller.Job) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.jobs[j.ID] = j
}

func (r *running) remove(j recaller.Job) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.jobs, j.ID)
}

// except returns what may not run now: kinds at their limit, and what matches a running job. A caller's jobs of one
// kind run one after the other, so that two write-ups do not compete over his memories.
func (r *running) except(handlers map[string]Handler) (out []recaller.Job) {
	r.mu.Lock()
	defer r.mu.Unlock()
	by := map[string]int{}
	for _, j := range r.jobs {
		by[j.Kind]++
		if j.Caller != "" {
			out = append(out, recaller.Job{Kind: j.Kind, Tenant: j.Tenant, Caller: j.Caller})
		}
	}
	for kind, h := range handlers {
		if h.AtOnce > 0 && by[kind] >= h.AtOnce {
			out = append(out, recaller.Job{Kind: kind})
		}
	}
	return out
}
