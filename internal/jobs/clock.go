package jobs

import (
	"context"
	"time"
)

// This file is about clocks that jump. A job that runs is known by shares, so a lease that ends too soon gives it to
// nobody else here. What a clock that was ahead wrote into the queue is bounded once the clock is right again.

// straightenEach is how often the queue is straightened, by the clock; and whenever the clock went back.
const straightenEach = time.Minute

// soon is more than the time that a job is put off at the first, unless its kind is scheduled.
const soon = 2 * time.Minute

// straighten bounds the times in the queue, if it is time to.
func (r *Runner) straighten(ctx context.Context) {
	now := r.now()
	if since := now.Sub(r.straight); !r.straight.IsZero() && since >= 0 && since < straightenEach {
		return
	}
	longest := r.opts.MaxBackoff
	var scheduled []string
	for kind, h := range r.handlers {
		longest = max(longest, h.MaxBackoff)
		if h.Scheduled {
			scheduled = append(scheduled, kind)
		}
	}
	retry := now.Add(longest + longest/4 + time.Minute) // with jitter
	if err := r.queue.Straighten(ctx, now, now.Add(r.lease()), now.Add(soon), retry, scheduled...); err != nil {
		return // the queue is away, which a claim finds out too
	}
	r.straight = now
}
