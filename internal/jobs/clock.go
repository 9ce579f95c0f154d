package jobs

import (
	"context"
	"slices"
	"time"

	"github.com/recallerhq/recaller"
)

// This file is about clocks that jump. A job that runs is known by shares, so a lease that ends too soon gives it to
// nobody else here. What a clock that was ahead wrote into the queue is bounded once the clock is right again.

// straightenEach is how often the queue is straightened, by the clock; and whenever the clock went back.
const straightenEach = time.Minute

// soon is more than the time that a job is put off at the first, unless its kind is scheduled.
const soon = 2 * time.Minute

// slack is how much longer than it may a job waits before that is taken for the fault of a clock.
const slack = time.Minute

// straighten bounds the times in the queue, if it is time to.
func (r *Runner) straighten(ctx context.Context) {
	now := r.now()
	if since := now.Sub(r.straight); !r.straight.IsZero() && since >= 0 && since < straightenEach {
		return
	}
	if err := r.queue.Straighten(ctx, now, r.waits); err != nil {
		return // the queue is away, which a claim finds out too
	}
	r.straight = now
}

// longestWaits returns how long jobs wait at most. The bound of a retry is that of as many attempts: a clock may have
// been ahead by less than the longest backoff.
func (r *Runner) longestWaits() recaller.Waits {
	w := recaller.Waits{
		Lease: r.lease(), First: soon, Kinds: map[string]time.Duration{}, Longest: most(r.opts.MaxBackoff),
		Patient: []string{reasonKey, reasonGiveUp},
	}
	longest := r.opts.MaxBackoff
	for kind := range r.handlers {
		h := r.handler(recaller.Job{Kind: kind})
		longest = max(longest, h.MaxBackoff)
		w.Kinds[kind] = most(h.MaxBackoff)
		if h.Scheduled {
			w.Scheduled = append(w.Scheduled, kind)
		}
	}
	slices.Sort(w.Scheduled)
	for n := 1; r.doubled(n) < longest && n <= 31; n++ {
		w.Retries = append(w.Retries, most(r.doubled(n)))
	}
	return w
}

// most is the longest wait for a retry after a backoff, with jitter.
func most(backoff time.Duration) time.Duration { return backoff + backoff/4 + slack }
