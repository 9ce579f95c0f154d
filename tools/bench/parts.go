package main

import (
	"context"
	"errors"
	"fmt"
)

// samplesPerStart is how many callers ring, and how many are looked up, right after a start.
const samplesPerStart = 100

// warmCallers is how many callers the warm rows go round.
const warmCallers = 200

// dialer of a server.
func (s *server) dialer(ctx context.Context) dialer {
	return func() (target, error) { return dial(ctx, s.addr, s.key) }
}

// cold measures what is slow only once: starts, and the first requests after them, each for another caller.
func (b *bench) cold(ctx context.Context) error {
	const part = "cold: right after a start, each request another caller, over HTTP"
	defer b.degraded(part)
	for _, c := range []struct {
		name string
		drop bool
	}{{"disk's cache dropped", true}, {"disk's cache warm", false}} {
		var ready, briefings, starts, recalls series
		for range b.starts {
			if c.drop {
				if err := dropCache(b.data); err != nil {
					return err
				}
			}
			s, err := b.serve(ctx)
			if err != nil {
				return err
			}
			ready = append(ready, s.ready)
			f, err := b.first(ctx, s)
			if err := errors.Join(err, s.stop()); err != nil {
				return err
			}
			briefings, starts, recalls = append(briefings, f.briefings...), append(starts, f.starts...), append(recalls, f.recalls...)
		}
		b.rep.add(part, "start to ready, "+c.name, ready, budget{"≤ 300 ms", func(r row) bool { return r.Max <= 300 }})
		b.rep.add(part, "briefing, "+c.name, briefings, p99(10))
		b.rep.add(part, "start of a call with its briefing (durable), "+c.name, starts, p99(10))
		b.rep.add(part, "first recall over 10,000 turns (reads and indexes them), "+c.name, recalls, none())
	}
	return nil
}

type firsts struct{ briefings, starts, recalls series }

func (b *bench) first(ctx context.Context, s *server) (f firsts, err error) {
	t, err := s.dialer(ctx)()
	if err != nil {
		return f, err
	}
	defer t.close()
	f.briefings, err = one(ctx, samplesPerStart, b.tolerant(func(int) error { return callerBriefing(t, b.caller(b.next())) }))
	if err != nil {
		return f, err
	}
	var begun []string
	f.starts, err = one(ctx, samplesPerStart, b.tolerant(func(int) error {
		id, err := start(t, phone(b.next()))
		begun = append(begun, id)
		return err
	}))
	if err != nil {
		return f, err
	}
	ask := talker{b.plan.rng(-1)}
	f.recalls, err = one(ctx, b.plan.Heavy, func(i int) error { return recall(t, b.caller(i), ask.query()) })
	if err != nil {
		return f, err
	}
	return f, b.endAll(ctx, s.dialer(ctx), begun)
}

// warm measures requests one after the other on a server that has seen these callers before.
func (b *bench) warm(ctx context.Context) (err error) {
	s, err := b.serve(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	return b.alone(ctx, "warm: one request at a time, over HTTP", s.dialer(ctx), unwatched)
}

// watcher is told when a row begins, and what it answers is called when the row ends: bench.profiled, or unwatched.
type watcher func(row string) (end func() error, err error)

func unwatched(string) (func() error, error) { return func() error { return nil }, nil }

// alone measures one request at a time.
func (b *bench) alone(ctx context.Context, part string, d dialer, watch watcher) error {
	t, err := d()
	if err != nil {
		return err
	}
	defer t.close()
	defer b.degraded(part)
	known := make([]int, warmCallers)
	for k := range known {
		known[k] = b.next()
		if err := callerBriefing(t, b.caller(known[k])); err != nil {
			return err
		}
	}
	if err := b.warmHeavy(d); err != nil {
		return err
	}
	ask := talker{b.plan.rng(-2)}
	var begun []string
	live, err := start(t, phone(known[0]))
	if err != nil {
		return err
	}
	rows := []struct {
		short, name string
		budget      budget
		do          func(i int) error
	}{
		{"briefing-warm", "briefing, warm", p99(2), func(i int) error { return callerBriefing(t, b.caller(known[i%warmCallers])) }},
		{"briefing-other", "briefing, another caller each time", p99(10), func(int) error { return callerBriefing(t, b.caller(b.next())) }},
		{"start", "start of a call with its briefing (durable)", p99(10), func(i int) error {
			id, err := start(t, phone(known[i%warmCallers]))
			begun = append(begun, id)
			return err
		}},
		{"lookup", "caller by number", none(), func(i int) error { return byPhone(t, phone(known[i%warmCallers])) }},
		{"recall", "recall over 10,000 turns", p99(5), func(i int) error { return recall(t, b.caller(i%b.plan.Heavy), ask.query()) }},
		{"memory", "memory stored (durable)", p99(10), func(i int) error {
			_, _, value := ask.memory(i)
			return storeMemory(t, b.caller(b.next()), newID(), value)
		}},
		{"turn", "turn acknowledged (durable)", none(), func(int) error { return addTurn(t, live, ask.say("user"), "") }},
	}
	for _, r := range rows {
		stop, err := watch(r.short)
		if err != nil {
			return err
		}
		series, err := one(ctx, b.n, b.tolerant(r.do))
		if err := errors.Join(err, stop()); err != nil {
			return fmt.Errorf("%s: %w", r.name, err)
		}
		b.rep.add(part, r.name, series, r.budget)
		if err := b.endAll(ctx, d, begun); err != nil {
			return err
		}
		begun = nil
	}
	return b.endAll(ctx, d, []string{live})
}
