package jobs

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/recallerhq/recaller"
)

// memoryQueue is a Queue in memory that behaves as the store's does.
type memoryQueue struct {
	mu     sync.Mutex // guards all below
	jobs   map[string]*held
	calls  int // of ClaimJobs and NextJob
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
	q.mu.Lock()
	defer q.mu.Unlock()
	q.jobs[kind+subject] = &held{Job: recaller.Job{ID: subject, Tenant: "t", Kind: kind, Subject: subject, Caller: caller, RunAt: at}}
}

func (q *memoryQueue) ClaimJobs(_ context.Context, now, until time.Time, limit int, except ...recaller.Job) (out []recaller.Job, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.calls++
	if q.broken != nil {
		q.broke++
		return nil, q.broken
	}
	due := slices.Collect(maps.Values(q.jobs))
	slices.SortFunc(due, func(a, b *held) int { return a.RunAt.Compare(b.RunAt) })
	for _, j := range due {
		if len(out) < limit && !like(except, j.Job) && !j.RunAt.After(now) && !j.leased.After(now) {
			j.leased, j.Attempts = until, j.Attempts+1
			out = append(out, j.Job)
		}
	}
	return out, nil
}

func like(except []recaller.Job, j recaller.Job) bool {
	return slices.ContainsFunc(except, func(e recaller.Job) bool { return e.Kind == j.Kind && (e.Caller == "" || e.Caller == j.Caller) })
}

// asked is how often the queue was asked for work.
func (q *memoryQueue) asked() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.calls
}

func (q *memoryQueue) NextJob(_ context.Context, except ...recaller.Job) (next time.Time, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.calls++
	for _, j := range q.jobs {
		if like(except, j.Job) {
			continue
		}
		at := j.RunAt
		if j.leased.After(at) {
			at = j.leased
		}
		if next.IsZero() || at.Before(next) {
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
