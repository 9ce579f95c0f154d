package llm

import (
	"context"
	"sync"
	"time"

	"github.com/recallerhq/recaller"
)

// pause keeps what the endpoint asked for: to be left alone until then. All questions of a client share it.
type pause struct {
	mu    sync.Mutex // guards until
	until time.Time
}

// ask takes in a pause that was asked for; of several the one that ends last holds.
func (p *pause) ask(until time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if until.After(p.until) {
		p.until = until
	}
}

func (p *pause) left(now time.Time) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.until.Sub(now)
}

// heed waits until the endpoint wants to be asked again. Where the question's time would end before, it returns at once.
func (c *Client) heed(ctx context.Context) error {
	for d := c.pause.left(c.now()); d > 0; d = c.pause.left(c.now()) {
		if end, ok := ctx.Deadline(); ok && time.Until(end) <= d {
			c.metrics.turnedAway(c.label)
			return recaller.Errorf(recaller.Exhausted, "the model endpoint asked to be left alone for longer than there is time")
		}
		if err := sleep(ctx, d); err != nil {
			return err
		}
	}
	return nil
}

// sleep waits, unless the question ends before.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return kindOf(ctx, ctx.Err())
	}
}
