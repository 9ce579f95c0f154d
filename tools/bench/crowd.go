package main

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"
)

// warmHeavy has the heavy callers' words indexed.
func (b *bench) warmHeavy(d dialer) error {
	t, err := d()
	if err != nil {
		return err
	}
	defer t.close()
	for h := range b.plan.Heavy {
		if err := recall(t, b.caller(h), "appointment"); err != nil {
			return err
		}
	}
	return nil
}

// mixed measures many at once.
func (b *bench) mixed(ctx context.Context) (err error) {
	s, err := b.serve(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	const part = "many at once, over HTTP"
	d := s.dialer(ctx)
	all, took, err := many(ctx, d, 50, 5*b.n, 0, func(t target, w, i int) error {
		words := talker{b.plan.rng(-1000 - i)}
		_, _, value := words.memory(i)
		return storeMemory(t, b.caller(b.plan.richAt(i)), newID(), value)
	})
	if err != nil {
		return err
	}
	b.rep.rated(part, "memory stored (durable), 50 at once", all, took, none())
	for _, keys := range []bool{false, true} {
		if err := b.write(ctx, part, d, keys, unwatched); err != nil {
			return err
		}
	}
	if err := b.warmHeavy(d); err != nil {
		return err
	}
	for _, pause := range []time.Duration{250 * time.Millisecond, 0} {
		if err := b.calls(ctx, part, d, pause, unwatched); err != nil {
			return err
		}
	}
	u, err := s.usage()
	b.rep.held("after the rows above (50 calls at once, 64 writers)", u, none())
	return err
}

// write measures turns: 64 writers, each in a call of its own, each waiting for its turn to be acknowledged.
func (b *bench) write(ctx context.Context, part string, d dialer, keys bool, watch watcher) error {
	const writers = 64
	begun, err := b.begin(ctx, d, writers)
	if err != nil {
		return err
	}
	lines := make([]string, 1000)
	words := talker{b.plan.rng(-3)}
	for k := range lines {
		lines[k] = words.say("user")
	}
	stop, err := watch("turns")
	if err != nil {
		return err
	}
	all, took, err := many(ctx, d, writers, 0, b.writing, func(t target, w, i int) error {
		once := ""
		if keys {
			once = newID()
		}
		return addTurn(t, begun[w], lines[i%len(lines)], once)
	})
	if err := errors.Join(err, stop()); err != nil {
		return err
	}
	name := "turn acknowledged (durable), 64 writers"
	if keys {
		name += ", each with an Idempotency-Key"
	}
	b.rep.rated(part, name, all, took, atLeast(5000))
	return b.endAll(ctx, d, begun)
}

// beginnings measures starts alone: 50 at once, each of another caller whose past is known, without a pause. What they
// cost is told in processor time too, which a busy machine changes less.
func (b *bench) beginnings(ctx context.Context) (err error) {
	s, err := b.serve(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	return b.starts50(ctx, "starts, over HTTP", s.dialer(ctx), s.processor)
}

// startsAtOnce is how many calls begin at the same time.
const startsAtOnce = 50

// starts50 measures starts alone. spent is the processor time that the server has had.
func (b *bench) starts50(ctx context.Context, part string, d dialer, spent func() (time.Duration, error)) error {
	before, err := spent()
	if err != nil {
		return err
	}
	var poor atomic.Int64
	first := b.turn
	all, took, err := many(ctx, d, startsAtOnce, b.n, 0, func(t target, _, i int) error {
		_, err := start(t, phone(b.plan.richAt(first+i)))
		if errors.Is(err, errDegraded) {
			poor.Add(1)
			return nil
		}
		return err
	})
	if err != nil {
		return err
	}
	b.turn += len(all)
	after, err := spent()
	each := (after - before) / time.Duration(len(all))
	name := fmt.Sprintf("start of a call with its briefing, %d at once without a pause (%d degraded, %s of processor time each)",
		startsAtOnce, poor.Load(), each.Round(time.Microsecond))
	b.rep.rated(part, name, all, took, none())
	return err
}

// begin starts n calls and returns their ids.
func (b *bench) begin(ctx context.Context, d dialer, n int) ([]string, error) {
	ids := make([]string, n)
	first := b.turn
	b.turn += n
	_, _, err := many(ctx, d, 16, n, 0, func(t target, _, i int) (err error) {
		ids[i], err = start(t, phone(b.plan.richAt(first+i)))
		return err
	})
	return ids, err
}

// memory measures what the process holds, and how it comes back from a crash with calls under way.
func (b *bench) memory(ctx context.Context) error {
	s, err := b.serve(ctx)
	if err != nil {
		return err
	}
	time.Sleep(2 * time.Second) // what the start left behind is collected, or not
	rest, err := s.usage()
	if err == nil {
		b.rep.held("at rest, after a start", rest, atMost(80))
		err = b.thousand(ctx, s)
	}
	if err := errors.Join(err, s.kill()); err != nil {
		return err
	}
	if s, err = b.serve(ctx); err != nil {
		return err
	}
	b.rep.add("memory", "start to ready after kill -9 with 1,000 live conversations", series{s.ready}, budget{"≤ 300 ms", func(r row) bool { return r.Max <= 300 }})
	t, err := s.dialer(ctx)()
	if err == nil {
		err = quiet(ctx, t)
		t.close()
	}
	return errors.Join(err, s.stop())
}

// thousand holds 1,000 live conversations of ten turns and a recall each.
func (b *bench) thousand(ctx context.Context, s *server) error {
	const calls, turns = 1000, 10
	d := s.dialer(ctx)
	first := b.turn
	begun, err := b.begin(ctx, d, calls)
	if err != nil {
		return err
	}
	words := talker{b.plan.rng(-4)}
	line := words.say("user")
	_, _, err = many(ctx, d, 32, calls*turns, 0, func(t target, _, i int) error { return addTurn(t, begun[i%calls], line, "") })
	if err != nil {
		return err
	}
	_, _, err = many(ctx, d, 16, calls, 0, func(t target, _, i int) error {
		return recall(t, b.caller(b.plan.richAt(first+i)), line)
	})
	if err != nil {
		return err
	}
	u, err := s.usage()
	b.rep.held("with 1,000 live conversations (10 turns and a recall each)", u, atMost(400))
	return err
}

// inProcess repeats the warm rows on an App in this process: no socket, no client, no other process.
func (b *bench) inProcess(ctx context.Context) error {
	a, err := b.newApp(ctx)
	if err != nil {
		return err
	}
	if err := a.Start(ctx); err != nil {
		return errors.Join(err, a.Close(ctx))
	}
	d := func() (target, error) { return local{a.Handler(), a.BootstrapKey()}, nil }
	err = b.alone(ctx, "the same in process: the server's own share", d, b.profiled)
	if err == nil {
		err = b.manyProfiled(ctx, d)
	}
	return errors.Join(err, a.Close(ctx))
}

// manyProfiled repeats what 64 writers and 50 calls do.
func (b *bench) manyProfiled(ctx context.Context, d dialer) error {
	const part = "many at once, in process"
	if err := b.write(ctx, part, d, false, b.profiled); err != nil {
		return err
	}
	if err := b.calls(ctx, part, d, 0, b.profiled); err != nil {
		return err
	}
	stop, err := b.profiled("starts")
	if err != nil {
		return err
	}
	return errors.Join(b.starts50(ctx, part, d, func() (time.Duration, error) { return processor(), nil }), stop())
}
