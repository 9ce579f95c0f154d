// Package jobs runs durable work. What a commit enqueued runs at least once, across restarts, and again with backoff
// until it is done or given up (design decision 5). A job says what to do, never what was said.
//
// Workers are shared fairly (share.go): a kind of job takes its part of them, a tenant its part of the kind, and of
// tenants whose jobs wait the one that was served longest ago is next, however many the others have.
//
// The package knows kinds of job, not their meaning. Every job must be safe to repeat.
package jobs

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"runtime/debug"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/recallerhq/recaller"
)

// Queue is where jobs are kept. Every call is one commit.
type Queue interface {
	// DueJobs returns up to limit jobs that are due, of one tenant or, if that is empty, of all: first those whose
	// lease ran out, then what has been due longest. It leaves out the kinds that are named in without.
	DueJobs(
		ctx context.Context, now time.Time, tenant recaller.TenantID, limit int, without ...string,
	) ([]recaller.Job, error)
	// DueTenants returns up to limit tenants that have a due job, in the order of their ids, from the one after the
	// given one.
	DueTenants(
		ctx context.Context, now time.Time, after recaller.TenantID, limit int,
	) ([]recaller.TenantID, error)
	// LeaseJob takes a job until the given time, and counts an attempt. False: it is not as DueJobs returned it.
	LeaseJob(ctx context.Context, j recaller.Job, until time.Time) (recaller.Job, bool, error)
	// NextJob returns when the next job is due that is not due yet; the zero time if there is none.
	NextJob(ctx context.Context, now time.Time) (time.Time, error)
	FinishJob(ctx context.Context, j recaller.Job) error
	RetryJob(ctx context.Context, j recaller.Job, at time.Time, reason string) error
	// Straighten puts right what a clock that was ahead has written: a lease ends no later than one that is made now, and
	// a job that waits longer than it may runs now.
	Straighten(ctx context.Context, now time.Time, may recaller.Waits) error
}

// Handler does the work of one kind of job.
type Handler struct {
	// Run does the work. An error means that the job must run again.
	Run func(ctx context.Context, j recaller.Job) error
	// GiveUp is called when a job has failed too often, before it is removed.
	GiveUp func(ctx context.Context, j recaller.Job, cause error) error
	// Timeout bounds one attempt; 0 means a minute.
	Timeout time.Duration
	// MaxAttempts and MaxBackoff are those of this kind of job; 0 means those of the Options.
	MaxAttempts int
	MaxBackoff  time.Duration
	// Scheduled says that the first attempt may be due at any time to come. Otherwise it is due at once.
	Scheduled bool
	// AtOnce bounds how many jobs of this kind run at once, so that others find a worker; 0 means all workers.
	AtOnce int
	// Work names what a caller's jobs do one after the other, of whatever kinds they are; "" means the kind.
	Work string
	// Share bounds how many of them are one tenant's, so that others' find one too; 0 means AtOnce.
	Share int
}

// Options adjusts a Runner.
type Options struct {
	Workers     int            // how many jobs run at once; 0: 2
	MaxAttempts int            // after which a job is given up; 0: 12
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
	shares   shares
	owed     owed
	results  *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	waits    recaller.Waits
	straight time.Time // when the queue was straightened; Run has it
}

// New returns a Runner for the given kinds of job.
func New(
	q Queue, handlers map[string]Handler, opts Options, log *slog.Logger, reg prometheus.Registerer,
	now func() time.Time,
) *Runner {
	def(&opts.Workers, 2)
	def(&opts.MaxAttempts, 12)
	def(&opts.Backoff, time.Second)
	def(&opts.MaxBackoff, time.Hour)
	if opts.Jitter == nil {
		opts.Jitter = func() float64 { return 0 }
	}
	r := &Runner{
		queue: q, handlers: handlers, opts: opts, log: log, now: now, wake: make(chan struct{}, 1),
		shares: newShares(handlers),
		results: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "recaller_jobs_total", Help: "Attempts at jobs, by how they ended.",
		}, []string{"kind", "result"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "recaller_job_duration_seconds", Help: "How long attempts at jobs took.",
			Buckets: prometheus.ExponentialBuckets(0.001, 4, 9),
		}, []string{"kind"}),
	}
	r.waits = r.longestWaits()
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

// How long the runner sleeps.
const (
	idle     = 15 * time.Second      // at most: other processes enqueue too
	pause    = 10 * time.Millisecond // at least: somebody else took the job that was due
	awayFor  = time.Second           // when the queue did not answer
	settling = 10 * time.Second      // bounds the wait for the queue after an attempt
)

// Run claims and runs jobs until ctx ends, then waits for those that run. It does not cut them off: their timeouts and
// drain bound them.
func (r *Runner) Run(ctx, drain context.Context) {
	var running sync.WaitGroup
	defer running.Wait()
	slots := make(chan struct{}, r.opts.Workers)
	for {
		r.straighten(ctx)
		there := r.settleOwed(ctx)
		started, asked, err := r.claim(ctx, drain, slots, &running)
		if ctx.Err() != nil {
			return
		}
		if !started {
			r.sleep(ctx, asked, err != nil || !there)
		}
	}
}

// RunDue runs the jobs that are due, one after the other, until none is, and returns how many attempts it made. It is
// for a caller who wants the work done now; Run does it all the time.
func (r *Runner) RunDue(ctx context.Context) (n int, err error) {
	for ctx.Err() == nil {
		j, ok, err := r.take(ctx, r.now())
		if err != nil || !ok {
			return n, err
		}
		r.attempt(ctx, j)
		r.shares.done(j)
		n++
	}
	return n, ctx.Err()
}

// claim waits for a free worker, then starts a job if one is due. It returns when it asked for one.
func (r *Runner) claim(
	ctx, drain context.Context, slots chan struct{}, running *sync.WaitGroup,
) (started bool, asked time.Time, err error) {
	select {
	case slots <- struct{}{}:
	case <-ctx.Done():
	}
	if ctx.Err() != nil {
		return false, asked, ctx.Err()
	}
	asked = r.now()
	j, ok, err := r.take(ctx, asked)
	if err != nil && ctx.Err() == nil {
		r.log.Error("claim jobs", "err", err)
	}
	if !ok {
		<-slots
		return false, asked, err
	}
	running.Go(func() {
		defer func() { <-slots }()
		r.attempt(drain, j)
		r.shares.done(j)
		r.Wake() // it may be due again before the next one
	})
	return true, asked, nil
}

// lease is longer than any attempt may take.
func (r *Runner) lease() time.Duration {
	longest := time.Minute
	for _, h := range r.handlers {
		longest = max(longest, h.Timeout)
	}
	return longest + time.Minute
}

// sleep waits until the next job is due that was not when it was asked for, or Wake is called. What was due then and may
// not run yet waits for a job that runs. If the queue is away it waits a while in any case.
func (r *Runner) sleep(ctx context.Context, asked time.Time, away bool) {
	wait, wake := idle, r.wake
	next, err := r.queue.NextJob(ctx, asked)
	switch {
	case away || err != nil:
		wait, wake = awayFor, nil
	case !next.IsZero():
		wait = min(wait, max(next.Sub(r.now()), pause))
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-wake:
	case <-ctx.Done():
	}
}

func (r *Runner) attempt(ctx context.Context, j recaller.Job) {
	began := r.now()
	err := r.work(ctx, j)
	r.seconds.WithLabelValues(j.Kind).Observe(r.now().Sub(began).Seconds())
	result, after := r.settle(ctx, j, err)
	r.results.WithLabelValues(j.Kind, result).Inc()
	if err != nil {
		r.log.Warn("job failed", "kind", j.Kind, "tenant", j.Tenant, "subject", j.Subject, "attempt", j.Attempts,
			"result", result, "err", err)
	}
	if after != nil {
		r.log.Error("settle job", "kind", j.Kind, "tenant", j.Tenant, "subject", j.Subject, "err", after)
		r.owed.add(attempted{j, err})
	}
}

func (r *Runner) work(ctx context.Context, j recaller.Job) (err error) {
	h := r.handler(j)
	if h.Run == nil {
		return recaller.Errorf(recaller.Internal, "no handler for jobs of kind %s", j.Kind)
	}
	ctx, cancel := context.WithTimeout(ctx, h.Timeout)
	defer cancel()
	return guarded(func() error { return h.Run(ctx, j) })
}

// handler returns the Handler of a kind of job, with the defaults filled in. Its Run is nil if there is none.
func (r *Runner) handler(j recaller.Job) Handler {
	h := r.handlers[j.Kind]
	def(&h.Timeout, time.Minute)
	def(&h.MaxAttempts, r.opts.MaxAttempts)
	def(&h.MaxBackoff, r.opts.MaxBackoff)
	return h
}

// guarded keeps a panic of one job from ending the process. The error tells where, not with what: the value may hold
// what people said.
func guarded(fn func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = recaller.Wrap(recaller.Internal, errors.New(string(debug.Stack())), "the job panicked")
		}
	}()
	return fn()
}

// Why a job waits as long as its kind may, however often it was tried.
const (
	reasonKey    = "key missing"
	reasonGiveUp = "give up"
)

// settle removes a job that is done or given up, and gives back one that must run again.
func (r *Runner) settle(ctx context.Context, j recaller.Job, cause error) (result string, err error) {
	interrupted := ctx.Err() != nil
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settling)
	defer cancel()
	switch {
	case cause == nil:
		return "done", r.queue.FinishJob(ctx, j)
	case interrupted: // by a shutdown, which is no fault of the job's
		return "retry", r.queue.RetryJob(ctx, j, r.now(), "shutdown")
	case recaller.IsKeyMissing(cause): // it waits for the key, however long that takes
		return "retry", r.queue.RetryJob(ctx, j, r.now().Add(r.handler(j).MaxBackoff), reasonKey)
	case j.Attempts < r.handler(j).MaxAttempts:
		return "retry", r.queue.RetryJob(ctx, j, r.now().Add(r.backoff(j)), string(recaller.KindOf(cause)))
	}
	if h := r.handler(j); h.GiveUp != nil {
		if err := guarded(func() error { return h.GiveUp(ctx, j, cause) }); err != nil {
			r.log.Error("give up job", "kind", j.Kind, "tenant", j.Tenant, "subject", j.Subject, "err", err)
			return "retry", r.queue.RetryJob(ctx, j, r.now().Add(r.handler(j).MaxBackoff), reasonGiveUp)
		}
	}
	return "given up", r.queue.FinishJob(ctx, j)
}

func (r *Runner) backoff(j recaller.Job) time.Duration {
	d := min(r.doubled(j.Attempts), r.handler(j).MaxBackoff)
	return d + time.Duration(r.opts.Jitter()*float64(d)/4)
}

// doubled is the backoff after so many attempts, if nothing bounds it.
func (r *Runner) doubled(attempts int) time.Duration {
	if d := r.opts.Backoff << min(max(attempts-1, 0), 30); d > 0 {
		return d
	}
	return math.MaxInt64
}
