// Package jobs runs durable work: what a commit enqueued is run at least once, retried with backoff until it is done or
// given up on, across restarts (design decision 5). A job says what is to be done, never what was said.
//
// It knows kinds of job, not their meaning; what a job does must be safe to repeat.
package jobs

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/recallerhq/recaller"
)

// Queue is where jobs are kept. Every call is one commit.
type Queue interface {
	// ClaimJobs takes jobs that are due, counts an attempt, and leases them until the given time.
	ClaimJobs(ctx context.Context, now, until time.Time, limit int) ([]recaller.Job, error)
	// NextJob returns when the next job wants to run; the zero time if there is none.
	NextJob(ctx context.Context) (time.Time, error)
	FinishJob(ctx context.Context, j recaller.Job) error
	RetryJob(ctx context.Context, j recaller.Job, at time.Time, reason string) error
}

// Handler does the work of one kind of job.
type Handler struct {
	// Run does the work. An error means: again later.
	Run func(ctx context.Context, j recaller.Job) error
	// GiveUp is told when a job has failed too often, before it is removed. It leaves what can be left.
	GiveUp func(ctx context.Context, j recaller.Job, cause error) error
	// Timeout bounds one attempt; 0 means a minute.
	Timeout time.Duration
}

// Options adjusts a Runner.
type Options struct {
	Workers     int            // how many jobs run at once; 0: 2
	MaxAttempts int            // after which a job is given up on; 0: 12
	Backoff     time.Duration  // before the second attempt, doubled for each after it; 0: a second
	MaxBackoff  time.Duration  // 0: an hour
	Jitter      func() float64 // 0 to 1; nil: none
}

// Runner claims and runs jobs. Make it with New.
type Runner struct {
	queue    Queue
	handlers map[string]Handler
	opts     Options
	log      *slog.Logger
	now      func() time.Time
	wake     chan struct{}
	results  *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
}

// New returns a Runner for the given kinds of job.
func New(q Queue, handlers map[string]Handler, opts Options, log *slog.Logger, reg prometheus.Registerer, now func() time.Time) *Runner {
	def(&opts.Workers, 2)
	def(&opts.MaxAttempts, 12)
	def(&opts.Backoff, time.Second)
	def(&opts.MaxBackoff, time.Hour)
	if opts.Jitter == nil {
		opts.Jitter = func() float64 { return 0 }
	}
	r := &Runner{
		queue: q, handlers: handlers, opts: opts, log: log, now: now, wake: make(chan struct{}, 1),
		results: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "recaller_jobs_total", Help: "Attempts at jobs, by how they ended."}, []string{"kind", "result"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "recaller_job_duration_seconds", Help: "How long attempts at jobs took.", Buckets: prometheus.ExponentialBuckets(0.001, 4, 9)}, []string{"kind"}),
	}
	reg.MustRegister(r.results, r.seconds)
	return r
}

func def[T comparable](v *T, to T) {
	var zero T
	if *v == zero {
		*v = to
	}
}

// Wake tells the runner that there is work. It never blocks.
func (r *Runner) Wake() {
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// idle bounds how long the runner sleeps without looking: other processes enqueue too.
const idle = 15 * time.Second

// Run claims and runs jobs until ctx ends, then waits for those that run: they are not cut off, but bounded by their
// timeouts and by drain.
func (r *Runner) Run(ctx, drain context.Context) {
	var running sync.WaitGroup
	defer running.Wait()
	slots := make(chan struct{}, r.opts.Workers)
	for {
		n := r.claim(ctx, drain, slots, &running)
		if n > 0 && ctx.Err() == nil {
			continue
		}
		if !r.sleep(ctx) {
			return
		}
	}
}

// claim waits for a free worker, then starts as many jobs as there are workers free and jobs due.
func (r *Runner) claim(ctx, drain context.Context, slots chan struct{}, running *sync.WaitGroup) (started int) {
	select {
	case slots <- struct{}{}:
	case <-ctx.Done():
		return 0
	}
	now := r.now()
	jobs, err := r.queue.ClaimJobs(ctx, now, now.Add(r.lease()), 1)
	if err != nil && ctx.Err() == nil {
		r.log.Error("claim jobs", "err", err)
	}
	if len(jobs) == 0 {
		<-slots
		return 0
	}
	running.Go(func() {
		defer func() { <-slots; r.Wake() }()
		r.attempt(drain, jobs[0])
	})
	return 1
}

// lease is longer than any attempt may take.
func (r *Runner) lease() time.Duration {
	longest := time.Minute
	for _, h := range r.handlers {
		longest = max(longest, h.Timeout)
	}
	return longest + time.Minute
}

func (r *Runner) sleep(ctx context.Context) bool {
	wait := idle
	if next, err := r.queue.NextJob(ctx); err == nil && !next.IsZero() {
		wait = min(wait, max(next.Sub(r.now()), 10*time.Millisecond))
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-r.wake:
	case <-ctx.Done():
		return false
	}
	return true
}

func (r *Runner) attempt(ctx context.Context, j recaller.Job) {
	began := r.now()
	err := r.work(ctx, j)
	r.seconds.WithLabelValues(j.Kind).Observe(r.now().Sub(began).Seconds())
	result, after := r.settle(context.WithoutCancel(ctx), j, err)
	r.results.WithLabelValues(j.Kind, result).Inc()
	if err != nil {
		r.log.Warn("job failed", "kind", j.Kind, "tenant", j.Tenant, "subject", j.Subject, "attempt", j.Attempts, "result", result, "err", err)
	}
	if after != nil {
		r.log.Error("settle job", "kind", j.Kind, "tenant", j.Tenant, "subject", j.Subject, "err", after)
	}
}

func (r *Runner) work(ctx context.Context, j recaller.Job) (err error) {
	h, ok := r.handlers[j.Kind]
	if !ok {
		return recaller.Errorf(recaller.Internal, "no handler for jobs of kind %s", j.Kind)
	}
	def(&h.Timeout, time.Minute)
	ctx, cancel := context.WithTimeout(ctx, h.Timeout)
	defer cancel()
	defer func() {
		if p := recover(); p != nil { // the value may hold what people said
			err = recaller.Errorf(recaller.Internal, "the job panicked")
		}
	}()
	return h.Run(ctx, j)
}

// settle removes a job that is done or given up on, and gives back one that is to be tried again.
func (r *Runner) settle(ctx context.Context, j recaller.Job, cause error) (result string, err error) {
	switch {
	case cause == nil:
		return "done", r.queue.FinishJob(ctx, j)
	case j.Attempts < r.opts.MaxAttempts:
		return "retry", r.queue.RetryJob(ctx, j, r.now().Add(r.backoff(j.Attempts)), string(recaller.KindOf(cause)))
	}
	if h := r.handlers[j.Kind]; h.GiveUp != nil {
		if err := h.GiveUp(ctx, j, cause); err != nil {
			return "retry", r.queue.RetryJob(ctx, j, r.now().Add(r.opts.MaxBackoff), "give up")
		}
	}
	return "given up", r.queue.FinishJob(ctx, j)
}

func (r *Runner) backoff(attempts int) time.Duration {
	d := r.opts.Backoff << min(max(attempts-1, 0), 30)
	if d <= 0 || d > r.opts.MaxBackoff {
		d = r.opts.MaxBackoff
	}
	return d + time.Duration(r.opts.Jitter()*float64(d)/4)
}
