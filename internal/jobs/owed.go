package jobs

import (
	"context"
	"slices"
	"sync"

	"github.com/recallerhq/recaller"
)

// owed are attempts of whose end the queue could not be told, because it was away or had no room. Until it is told,
// their leases keep the jobs from everybody.
type owed struct {
	mu   sync.Mutex
	list []attempted
}

// attempted is an attempt that is over, and how it ended.
type attempted struct {
	job   recaller.Job
	cause error
}

func (o *owed) add(a attempted) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.list = append(o.list, a)
}

// all returns what is owed, oldest first.
func (o *owed) all() []attempted {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.list)
}

func (o *owed) paid(j recaller.Job) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.list = slices.DeleteFunc(o.list, func(a attempted) bool { return a.job.ID == j.ID && a.job.Attempts == j.Attempts })
}

// settleOwed tells the queue of what ended while it was away. It returns false if it still is.
func (r *Runner) settleOwed(ctx context.Context) bool {
	for _, a := range r.owed.all() {
		if ctx.Err() != nil {
			return false
		}
		result, err := r.settle(ctx, a.job, a.cause)
		if err != nil {
			return false
		}
		r.owed.paid(a.job)
		r.log.Info("settled a job that ended while the queue was away", "kind", a.job.Kind, "tenant", a.job.Tenant,
			"subject", a.job.Subject, "result", result)
	}
	return true
}
