package jobs

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/recallerhq/recaller"
)

// memoryQueue is a Queue in memory that behaves as the store's does.
type memoryQueue struct {
	mu     sync.Mutex // guards all below
	jobs   map[string]*held
	calls  int // of DueJobs and NextJob
	broken error
	broke  int // how many claims failed
	full   bool
}

type held struct {
	recaller.Job
	leased time.Time
	reason string
}

func newQueue() *memoryQueue { return &memoryQueue{jobs: map[string]*held{}} }

func (q *memoryQueue) add(kind, subject string, at time.Time) { q.addOf("", kind, subject, at) }

func (q *memoryQueue) addOf(caller recaller.CallerID, kind, subject string, at time.Time) {
	q.put(recaller.Job{Tenant: "t", Kind: kind, Subject: subject, Caller: caller, RunAt: at})
}

func (q *memoryQueue) put(j recaller.Job) {
	q.mu.Lock()
	defer q.mu.Unlock()
	j.ID = j.Subject
	q.jobs[j.Kind+j.Subject] = &held{Job: j}
}

func (q *memoryQueue) DueJobs(
	_ context.Context, now time.Time, tenant recaller.TenantID, limit int, without ...string,
) (out []recaller.Job, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.calls++
	if q.broken != nil {
		q.broke++
		return nil, q.broken
	}
	due := slices.Collect(maps.Values(q.jobs))
	slices.SortFunc(due, func(a, b *held) int {
		return cmp.Or(b.leased.Compare(a.leased), a.RunAt.Compare(b.RunAt), cmp.Compare(a.Subject, b.Subject))
	})
	for _, j := range due {
		its := (tenant == "" || tenant == j.Tenant) && !slices.Contains(without, j.Kind)
		if its && len(out) < limit && !j.RunAt.After(now) && !j.leased.After(now) {
			out = append(out, j.Job)
		}
	}
	return out, nil
}

func (q *memoryQueue) DueTenants(
	ctx context.Context, now time.Time, after recaller.TenantID, limit int,
) (out []recaller.TenantID, err error) {
	due, err := q.DueJobs(ctx, now, "", math.MaxInt)
	for _, j := range due {
		if j.Tenant > after {
			out = append(out, j.Tenant)
		}
	}
	slices.Sort(out)
	out = slices.Compact(out)
	return out[:min(len(out), limit)], err
}

func (q *memoryQueue) LeaseJob(_ context.Context, j recaller.Job, until time.Time) (recaller.Job, bool, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	h := q.jobs[j.Kind+j.Subject]
	if h == nil || h.Attempts != j.Attempts {
		return j, false, nil
	}
	h.leased, h.Attempts = until, h.Attempts+1
	return h.Job, true, nil
}

// fill has the queue take nothing more to write down, or again all.
func (q *memoryQueue) fill(full bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.full = full
}

func (q *memoryQueue) Straighten(_ context.Context, now time.Time, may recaller.Waits) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, j := range q.jobs {
		if lease := now.Add(may.Lease); j.leased.After(lease) {
			j.leased = lease
		}
		if most, bound := j.waits(may); bound && j.RunAt.Sub(now) > most {
			j.RunAt = now
		}
	}
	return nil
}

// waits returns how long a job may wait, unless it is scheduled.
func (j *held) waits(may recaller.Waits) (most time.Duration, bound bool) {
	if j.Attempts == 0 {
		return may.First, !slices.Contains(may.Scheduled, j.Kind)
	}
	most, ok := may.Kinds[j.Kind]
	if !ok {
		most = may.Longest
	}
	if j.Attempts <= len(may.Retries) && !slices.Contains(may.Patient, j.reason) {
		most = min(most, may.Retries[j.Attempts-1])
	}
	return most, true
}

// asked is how often the queue was asked for work.
func (q *memoryQueue) asked() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.calls
}

func (q *memoryQueue) NextJob(_ context.Context, now time.Time) (next time.Time, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.calls++
	for _, j := range q.jobs {
		at := j.RunAt
		if j.leased.After(at) {
			at = j.leased
		}
		if at.After(now) && (next.IsZero() || at.Before(next)) {
			next = at
		}
	}
	return next, nil
}

func (q *memoryQueue) FinishJob(_ context.Context, j recaller.Job) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.full {
		return recaller.Errorf(recaller.Full, "full")
	}
	delete(q.jobs, j.Kind+j.Subject)
	return nil
}

func (q *memoryQueue) RetryJob(ctx context.Context, j recaller.Job, at time.Time, reason string) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	if q.full {
		return recaller.Errorf(recaller.Full, "full")
	}
	if h := q.jobs[j.Kind+j.Subject]; h != nil && h.Attempts == j.Attempts {
		h.RunAt, h.leased, h.reason = at, time.Time{}, reason
	}
	return nil
}

// state tells what is left, as "subject attempts reason".
func (q *memoryQueue) state() string {
	q.mu.Lock()
	defer q.mu.Unlock()
	var out []string
	for _, j := range q.jobs {
		out = append(out, fmt.Sprintf("%s %d %s", j.Subject, j.Attempts, j.reason))
	}
	slices.Sort(out)
	return fmt.Sprint(out)
}

func (q *memoryQueue) count() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.calls
}
