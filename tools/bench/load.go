package main

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// series are the durations of one operation, in no order.
type series []time.Duration

// quantile is the smallest duration that a share p of the series does not pass (nearest rank).
func (s series) quantile(p float64) time.Duration {
	if len(s) == 0 {
		return 0
	}
	rank := int(p*float64(len(s))+0.9999999) - 1
	return s[min(max(rank, 0), len(s)-1)]
}

func (s series) sorted() series {
	out := slices.Clone(s)
	slices.Sort(out)
	return out
}

// one does something n times, one after the other, and times each.
func one(ctx context.Context, n int, do func(i int) error) (series, error) {
	s := make(series, 0, n)
	for i := range n {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		began := time.Now()
		if err := do(i); err != nil {
			return nil, err
		}
		s = append(s, time.Since(began))
	}
	return s, nil
}

// dialer gives each worker a target of its own.
type dialer func() (target, error)

// many lets workers do something at once, n times or, where lasting is set, for so long, and times each. took is how
// long it all lasted.
func many(ctx context.Context, d dialer, workers, n int, lasting time.Duration, do func(t target, worker, i int) error) (all series, took time.Duration, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	targets := make([]target, workers)
	for w := range targets {
		if targets[w], err = d(); err != nil {
			return nil, 0, err
		}
		defer targets[w].close()
	}
	var next atomic.Int64
	var wg sync.WaitGroup
	parts := make([]series, workers)
	began := time.Now()
	for w, t := range targets {
		wg.Go(func() {
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				start := time.Now()
				if (lasting == 0 && i >= n) || (lasting > 0 && start.Sub(began) >= lasting) {
					return
				}
				if err := do(t, w, i); err != nil {
					cancel(err)
					return
				}
				parts[w] = append(parts[w], time.Since(start))
			}
		})
	}
	wg.Wait()
	took = time.Since(began)
	return slices.Concat(parts...), took, context.Cause(ctx)
}
