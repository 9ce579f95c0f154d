package jobs

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/recallerhq/recaller"
)

// This file is about whose job is next.

const (
	// window is how many due jobs are looked at. If more are due, each tenant's are looked at in turn.
	window = 128
	// visited is how many tenants are looked at in turn for one job.
	visited = 64
	// remembered is of how many tenants it is known when they were served.
	remembered = 4096
)

// take takes the job that is next, until its lease ends. It returns false if none may run now. Whoever takes a job
// tells the shares when it is done.
func (r *Runner) take(ctx context.Context, now time.Time) (recaller.Job, bool, error) {
	due, err := r.queue.DueJobs(ctx, now, "", window, r.shares.busy("")...)
	if err != nil || len(due) < window {
		return r.leaseOne(ctx, due, now, err)
	}
	tenants, err := r.inTurn(ctx, now)
	if err != nil {
		return recaller.Job{}, false, err
	}
	for _, t := range tenants {
		of, err := r.queue.DueJobs(ctx, now, t, window, r.shares.busy(t)...)
		j, ok, err := r.leaseOne(ctx, of, now, err)
		if err != nil || ok {
			return j, ok, err
		}
		r.shares.visit(t)
	}
	return r.leaseOne(ctx, due, now, nil)
}

// inTurn returns tenants whose jobs are due, from the one whose turn it is.
func (r *Runner) inTurn(ctx context.Context, now time.Time) ([]recaller.TenantID, error) {
	last := r.shares.last()
	tenants, err := r.queue.DueTenants(ctx, now, last, visited)
	if err != nil || len(tenants) == visited || last == "" {
		return tenants, err
	}
	first, err := r.queue.DueTenants(ctx, now, "", visited-len(tenants))
	return append(tenants, first...), err
}

// leaseOne takes one of the jobs that are due, unless there was an error.
func (r *Runner) leaseOne(
	ctx context.Context, due []recaller.Job, now time.Time, err error,
) (recaller.Job, bool, error) {
	if err != nil {
		return recaller.Job{}, false, err
	}
	for {
		j, ok := r.shares.take(due)
		if !ok {
			return recaller.Job{}, false, nil
		}
		leased, ok, err := r.queue.LeaseJob(ctx, j, now.Add(r.lease()))
		if err == nil && ok {
			return leased, true, nil
		}
		r.shares.done(j)
		if err != nil {
			return recaller.Job{}, false, err
		}
		due = slices.DeleteFunc(due, func(d recaller.Job) bool { return d.ID == j.ID }) // somebody else has it
	}
}

// shares knows what runs and who was served when, and tells by that whose job is next.
type shares struct {
	handlers map[string]Handler

	mu      sync.Mutex // guards all below
	running []recaller.Job
	served  map[recaller.TenantID]int64 // by turns
	turns   int64
	at      recaller.TenantID // whose turn it was last
}

func newShares(handlers map[string]Handler) shares {
	return shares{handlers: handlers, served: map[recaller.TenantID]int64{}}
}

// take picks the next of the jobs that are due, and counts it as running. Of the tenants with a job that may run, it is
// the one that runs fewest and was served longest ago; of his jobs, the first.
func (s *shares) take(due []recaller.Job) (next recaller.Job, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	by := map[recaller.TenantID]int{}
	for _, j := range s.running {
		by[j.Tenant]++
	}
	for _, j := range due {
		if ok && s.order(by, j.Tenant, next.Tenant) >= 0 || !s.may(j) {
			continue
		}
		next, ok = j, true
	}
	if !ok {
		return next, false
	}
	s.running = append(s.running, next)
	if len(s.served) >= remembered {
		clear(s.served) // they begin a round anew
	}
	s.turns++
	s.served[next.Tenant], s.at = s.turns, next.Tenant
	return next, true
}

// order is negative if a is before b. The lock is held.
func (s *shares) order(running map[recaller.TenantID]int, a, b recaller.TenantID) int {
	return cmp.Or(cmp.Compare(running[a], running[b]), cmp.Compare(s.served[a], s.served[b]))
}

// work is what a caller's jobs of a kind do one after the other.
func (s *shares) work(kind string) string { return cmp.Or(s.handlers[kind].Work, kind) }

// may reports whether a job may run beside those that do. A caller's jobs of one work run one after the other, so that
// two write-ups do not compete over his memories. The lock is held.
func (s *shares) may(j recaller.Job) bool {
	kind, tenant := 0, 0
	for _, r := range s.running {
		if j.Caller != "" && r.Caller == j.Caller && r.Tenant == j.Tenant && s.work(r.Kind) == s.work(j.Kind) {
			return false
		}
		if r.Kind != j.Kind {
			continue
		}
		kind++
		if r.Tenant == j.Tenant {
			tenant++
			if r.ID == j.ID { // its lease ended too soon: the clock jumped
				return false
			}
		}
	}
	h := s.handlers[j.Kind]
	return (h.AtOnce == 0 || kind < h.AtOnce) && (h.Share == 0 || tenant < h.Share)
}

// busy returns the kinds of which no more may run now: of a tenant, or, if that is empty, of all. They are not asked for,
// so that many of them do not hide what may run.
func (s *shares) busy(t recaller.TenantID) (kinds []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for kind, h := range s.handlers {
		all, its := 0, 0
		for _, r := range s.running {
			if r.Kind == kind {
				all++
				if r.Tenant == t {
					its++
				}
			}
		}
		if h.AtOnce > 0 && all >= h.AtOnce || t != "" && h.Share > 0 && its >= h.Share {
			kinds = append(kinds, kind)
		}
	}
	slices.Sort(kinds)
	return kinds
}

// done says that a job does not run any more.
func (s *shares) done(j recaller.Job) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running = slices.DeleteFunc(s.running, func(r recaller.Job) bool { return r.ID == j.ID && r.Kind == j.Kind })
}

// visit says that a tenant had his turn, though none of his jobs may run.
func (s *shares) visit(t recaller.TenantID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.at = t
}

// last returns whose turn it was last.
func (s *shares) last() recaller.TenantID {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.at
}
