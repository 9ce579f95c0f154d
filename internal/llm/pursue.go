package llm

import (
	"context"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/endpoint"
)

// firstWait is how long is waited before the second try, if the endpoint does not say; it doubles with each further one.
const firstWait = 500 * time.Millisecond

// once sends one request.
type once func(context.Context, question) (said, error)

// pursue asks until there is an answer, or none to be had: it waits for a slot, tries again after failures that may pass, and
// leaves out what the endpoint does not take. Its errors have their kinds.
func (c *Client) pursue(caller context.Context, timeout time.Duration, q question, ask once) (cost recaller.Cost, err error) {
	ctx, cancel := context.WithTimeout(caller, timeout)
	defer cancel()
	select {
	case c.slots.free <- struct{}{}:
		defer func() { c.slots.leave(cost.Took, err) }()
	case <-ctx.Done():
		c.metrics.turnedAway(c.label)
		if caller.Err() != nil {
			return cost, kindOf(ctx, ctx.Err())
		}
		return cost, recaller.Wrap(recaller.Exhausted, ctx.Err(), "too many questions for the model at once")
	}
	started := c.now()
	defer func() { cost.Took = c.now().Sub(started) }()
	q.form = c.habits.known()
	learn := true
	for try := 1; ; {
		if err = c.heed(ctx); err != nil {
			return cost, err
		}
		var answer said
		answer, err = c.send(ctx, caller, q, ask)
		cost = cost.Plus(recaller.Cost{Calls: 1, TokensIn: answer.in, TokensOut: answer.out})
		if err == nil {
			if learn {
				c.habits.learn(q.form)
			}
			return cost, nil
		}
		if isTurnedAway(err) {
			cost.Calls--
			return cost, kindOf(ctx, err)
		}
		if next, lasting, ok := q.without(err); ok && ctx.Err() == nil {
			q.form, learn = next, learn && lasting
			continue
		}
		if try++; try > c.tries || !mayPass(err) || ctx.Err() != nil {
			return cost, kindOf(ctx, err)
		}
		if waited := c.wait(ctx, err, try-2); waited != nil {
			return cost, waited
		}
	}
}

// send sends one request, if the breaker lets it through, and tells breaker and metrics how it went.
func (c *Client) send(ctx, caller context.Context, q question, ask once) (said, error) {
	done, _ := c.breaker.Enter()
	if done == nil {
		c.metrics.turnedAway(c.label)
		return said{}, errTurnedAway
	}
	how := endpoint.Outcome{Abandoned: true}
	defer func() { done(how) }() // a panic in an endpoint's library leaves no probe behind
	began := c.now()
	answer, err := ask(ctx, q)
	took := c.now().Sub(began)
	failed := kindOf(ctx, err)
	kind := recaller.KindOf(failed)
	how.Abandoned = err != nil && caller.Err() != nil
	if err != nil && isAway(kind) {
		how.Failed = failed
	}
	if d, told := pauseOf(err); told {
		c.pause.ask(c.now().Add(d))
	}
	c.metrics.sent(c.label, took, answer, err, kind, how.Abandoned)
	return answer, err
}

// wait waits before the next try: as long as the endpoint says, else longer each time, and never as long as all of them at
// once. Where the question's time would end before, it returns at once, with the failure.
func (c *Client) wait(ctx context.Context, failed error, tried int) error {
	d, told := pauseOf(failed)
	if told {
		d += time.Duration(c.jitter() * float64(firstWait))
	} else {
		d = time.Duration(float64(firstWait<<tried) * (0.5 + 0.5*c.jitter()))
	}
	if end, ok := ctx.Deadline(); ok && time.Until(end) <= d {
		if told {
			return recaller.Wrap(recaller.Exhausted, refusalOf(failed), "the model endpoint asks to wait for longer than there is time")
		}
		return kindOf(ctx, failed)
	}
	return sleep(ctx, d)
}
