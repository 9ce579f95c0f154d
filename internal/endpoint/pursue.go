package endpoint

import (
	"context"
	"errors"
	"time"

	"github.com/recallerhq/recaller"
)

// longestWait is the longest pause that a hurried client waits for.
const longestWait = 2 * time.Second

// Job is one thing to ask.
type Job struct {
	Timeout time.Duration // for all of it, waiting and retries included; 0: only the caller's context bounds it
	// Wait is until when, from the beginning, a request may be held back: for its turn, for a pause that the endpoint
	// asked for, and between two tries. 0: as long as there is time.
	Wait time.Duration

	// Send sends one request, by the client's Post or Stream. It returns what the endpoint told, even with an error.
	Send func(context.Context) (Told, error)
	// Amend is called after a refusal. It returns true if it changed what Send sends. Then it is sent again, and that
	// counts as no further try. nil: never.
	Amend func(*RefusalError) bool
}

// Told is what an endpoint told beside its answer.
type Told struct {
	In, Out int  // tokens
	Cut     bool // the answer broke off at its limit
}

// Pursue asks until there is an answer or a final failure. It waits until it may ask, and tries again after failures
// that may pass. The cost counts the requests that were sent, even with an error. The kinds of errors: Unavailable,
// Exhausted, Timeout, Unauthenticated and NotFound if the endpoint is away, Invalid if it refuses the request, or the
// kind that Send gave.
func (c *Client) Pursue(caller context.Context, job Job) (cost recaller.Cost, err error) {
	ctx, cancel := within(caller, job.Timeout)
	defer cancel()
	waiting, stop := within(ctx, job.Wait)
	defer stop()
	if err := c.enter(waiting, caller); err != nil {
		return cost, err
	}
	defer func() { c.slots.leave(cost.Took, err) }()
	started := c.s.Now()
	defer func() { cost.Took = c.s.Now().Sub(started) }()
	var failed error
	for try := 1; ; {
		if err := c.heed(waiting); err != nil {
			return cost, err
		}
		told, err := c.send(ctx, caller, job)
		if errors.As(err, new(turnedAwayError)) {
			if failed == nil {
				failed = err // otherwise the earlier failure says more
			}
			return cost, c.kind(ctx, failed)
		}
		cost = cost.Plus(recaller.Cost{Calls: 1, TokensIn: told.In, TokensOut: told.Out})
		if err == nil {
			return cost, nil
		}
		failed = err
		if c.amends(ctx, job, err) {
			continue
		}
		if try++; try > c.s.Tries || !mayPass(err) || ctx.Err() != nil {
			return cost, c.kind(ctx, err)
		}
		if waited := c.wait(waiting, err, try-2); waited != nil {
			return cost, waited
		}
	}
}

// within bounds ctx by d; 0: it does not.
func within(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	if d == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, d)
}

// enter waits until fewer requests than allowed are under way.
func (c *Client) enter(ctx, caller context.Context) error {
	waiting, cancel := within(ctx, c.s.Timeout)
	defer cancel()
	select {
	case c.slots.free <- struct{}{}:
		return nil
	case <-waiting.Done():
		c.s.Metrics.turnedAway(c.s.Label)
		if caller.Err() != nil {
			return c.kind(ctx, caller.Err())
		}
		return recaller.Wrap(recaller.Exhausted, waiting.Err(), "too many requests to the %s at once", c.s.Name)
	}
}

func (c *Client) amends(ctx context.Context, job Job, err error) bool {
	r := refusalOf(err)
	return job.Amend != nil && r != nil && ctx.Err() == nil && !errors.As(err, new(finalError)) && job.Amend(r)
}

// send sends one request, if the breaker lets it through, and tells breaker and metrics how it went.
func (c *Client) send(ctx, caller context.Context, job Job) (Told, error) {
	done, why := c.breaker.Enter()
	if done == nil {
		c.s.Metrics.turnedAway(c.s.Label)
		return Told{}, turnedAwayError{why}
	}
	how := outcome{Abandoned: true}
	defer func() { done(how) }() // so that no probe is ever left behind
	ctx, cancel := within(ctx, c.s.Timeout)
	defer cancel()
	began := c.s.Now()
	told, err := job.Send(ctx)
	took := c.s.Now().Sub(began)
	if err == nil {
		how.Abandoned = false
		c.s.Metrics.sent(c.s.Label, took, answered(told))
		return told, nil
	}
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	failed := c.kind(ctx, err)
	how.Abandoned = c.gone(caller)
	if isAway(recaller.KindOf(failed)) {
		how.Failed = failed
	}
	if d, asked := pauseOf(err); asked && !c.s.Hurried {
		c.pause.ask(c.s.Now().Add(d))
	} else if d > longestWait {
		how.Pause = d
	}
	result := resultOf(recaller.KindOf(failed))
	if how.Abandoned {
		result = "abandoned"
	}
	c.s.Metrics.sent(c.s.Label, took, result)
	return told, err
}

func answered(t Told) string {
	if t.Cut {
		return "cut"
	}
	return "ok"
}

// gone reports whether a request came to nothing because its caller left. A hurried caller whose time ran out waited in
// vain, which counts against the endpoint.
func (c *Client) gone(caller context.Context) bool {
	if c.s.Hurried {
		return errors.Is(caller.Err(), context.Canceled)
	}
	return caller.Err() != nil
}

// heed waits until the endpoint may be asked again. If the job's time would end before that, it returns at once.
func (c *Client) heed(ctx context.Context) error {
	for d := c.pause.left(c.s.Now()); d > 0; d = c.pause.left(c.s.Now()) {
		if end, ok := ctx.Deadline(); ok && time.Until(end) <= d {
			c.s.Metrics.turnedAway(c.s.Label)
			const msg = "the %s asked to be left alone for longer than there is time"
			return recaller.Errorf(recaller.Exhausted, msg, c.s.Name)
		}
		if err := c.sleep(ctx, d); err != nil {
			return err
		}
	}
	if ctx.Err() != nil {
		return c.kind(ctx, ctx.Err()) // nothing was sent, so it shows nothing of the endpoint
	}
	return nil
}

// wait waits before the next try: as long as the endpoint says, otherwise longer each time, with jitter. If that is too
// long, or the job's time would end before, it returns the failure at once.
func (c *Client) wait(ctx context.Context, failed error, tried int) error {
	d, told := pauseOf(failed)
	switch {
	case !told:
		d = time.Duration(float64(c.s.FirstWait<<tried) * (0.5 + 0.5*c.s.Jitter()))
	case c.s.Hurried && d > longestWait:
		return c.kind(ctx, failed)
	default:
		d += time.Duration(c.s.Jitter() * float64(c.s.FirstWait))
	}
	if end, ok := ctx.Deadline(); ok && time.Until(end) <= d {
		if told && !c.s.Hurried {
			const msg = "the %s asks to wait for longer than there is time"
			return recaller.Wrap(recaller.Exhausted, refusalOf(failed), msg, c.s.Name)
		}
		return c.kind(ctx, failed)
	}
	return c.sleep(ctx, d)
}

// sleep waits, unless the job ends first.
func (c *Client) sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return c.kind(ctx, ctx.Err())
	}
}
