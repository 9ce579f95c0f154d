package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
)

// diary collects durations by kind of request. Safe for concurrent use.
type diary struct {
	mu   sync.Mutex
	by   map[string]series
	rest series // how long each request took, all together
	poor int    // answers that were degraded
}

func (d *diary) time(kind string, do func() error) error {
	began := time.Now()
	err := do()
	took := time.Since(began)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.by[kind] = append(d.by[kind], took)
	d.rest = append(d.rest, took)
	if errors.Is(err, errDegraded) {
		d.poor++
		return nil
	}
	return err
}

// The kinds of request in a call.
const (
	kindStart    = "start of a call with its briefing"
	kindBriefing = "briefing during a call"
	kindRecall   = "recall over 10,000 turns"
	kindTurn     = "turn acknowledged"
	kindMemory   = "memory stored"
)

// calls holds 50 calls at once: each begins, speaks, recalls, asks for its briefing, stores a memory, and ends, and
// then the next one rings. The pause is between the requests of one call; 0 is as fast as they are answered.
func (b *bench) calls(ctx context.Context, part string, d dialer, pause time.Duration, watch watcher) error {
	const atOnce = 50
	book := &diary{by: map[string]series{}}
	first := b.turn
	var mu sync.Mutex // guards begun, of calls that are under way at the end
	var begun []string
	stop, err := watch("calls")
	if err != nil {
		return err
	}
	_, took, err := many(ctx, d, atOnce, 0, b.writing, func(t target, w, i int) error {
		c := call{target: t, book: book, pause: pause, words: talker{b.plan.rng(-10_000 - i)}, heavy: b.caller(w % b.plan.Heavy)}
		who := b.plan.richAt(first + i)
		if w < b.plan.Heavy {
			who = w // so that indexes change while they are searched
		}
		id, err := c.hold(ctx, phone(who), b.caller(who))
		mu.Lock()
		defer mu.Unlock()
		if id != "" {
			begun = append(begun, id)
		}
		return err
	})
	if err := errors.Join(err, stop()); err != nil {
		return err
	}
	b.turn += len(begun)
	how := "as fast as they are answered"
	if pause > 0 {
		how = fmt.Sprintf("a request about every %s each", pause)
	}
	limits := map[string]budget{kindStart: p95(20), kindBriefing: p95(20), kindRecall: p95(25)}
	for _, kind := range []string{kindStart, kindBriefing, kindRecall, kindTurn, kindMemory} {
		b.rep.add(part, fmt.Sprintf("50 calls, %s: %s", how, kind), book.by[kind], limits[kind])
	}
	b.rep.rated(part, fmt.Sprintf("50 calls, %s: all requests (%d answers degraded)", how, book.poor), slices.Clone(book.rest), took, none())
	return b.endAll(ctx, d, begun)
}

// call is one call of the mixed load.
type call struct {
	target
	book  *diary
	pause time.Duration
	words talker
	heavy string // the caller whose words are searched
}

// hold holds one call but for its end.
func (c call) hold(ctx context.Context, number, caller string) (id string, err error) {
	steps := []struct {
		kind string
		do   func() error
	}{
		{kindStart, func() error { id, err = start(c, number); return err }},
		{kindTurn, func() error { return addTurn(c, id, c.words.say("user"), "") }},
		{kindTurn, func() error { return addTurn(c, id, c.words.say("assistant"), "") }},
		{kindRecall, func() error { return recall(c, c.heavy, c.words.query()) }},
		{kindTurn, func() error { return addTurn(c, id, c.words.say("user"), "") }},
		{kindMemory, func() error { return storeMemory(c, caller, newID(), c.words.say("user")) }},
		{kindBriefing, func() error { return conversationBriefing(c, id) }},
		{kindTurn, func() error { return addTurn(c, id, c.words.say("assistant"), "") }},
	}
	if err := c.wait(ctx); err != nil {
		return id, err
	}
	for _, s := range steps {
		if err := c.book.time(s.kind, s.do); err != nil {
			return id, err
		}
		if err := c.wait(ctx); err != nil {
			return id, err
		}
	}
	return id, nil
}

// wait lets the caller and the agent speak: the pause, more or less, so that calls do not march in step.
func (c call) wait(ctx context.Context) error {
	if c.pause == 0 {
		return nil
	}
	select {
	case <-time.After(time.Duration((0.5 + c.words.Float64()) * float64(c.pause))):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
