package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/recallerhq/recaller"
)

// tools measures what a live agent waits for: memory tools called while 50 people are on the line (W1–W3).
func (b *bench) tools(ctx context.Context) (err error) {
	s, err := b.serve(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	const part = "tool calls (POST /tools/…, durable), over HTTP"
	d := s.dialer(ctx)
	if err := b.toolAlone(ctx, part, d); err != nil {
		return err
	}
	for _, pause := range []time.Duration{time.Second, 250 * time.Millisecond, 0} {
		if err := b.toolCalls(ctx, part, d, pause); err != nil {
			return err
		}
	}
	return nil
}

// onLine is a call under way, as a tool call names it.
type onLine struct{ id, caller string }

// toolAlone calls tools one after the other.
func (b *bench) toolAlone(ctx context.Context, part string, d dialer) error {
	t, err := d()
	if err != nil {
		return err
	}
	defer t.close()
	lines, err := b.ring(ctx, d, toolCallers)
	if err != nil {
		return err
	}
	words := talker{b.plan.rng(-5)}
	first, err := one(ctx, len(lines), func(i int) error { return callTool(t, lines[i], words, 0) })
	if err != nil {
		return err
	}
	b.rep.add(part, "the first one of a call, one call after the other", first, p99(10))
	all, err := one(ctx, b.n, func(i int) error { return callTool(t, lines[i%len(lines)], words, i) })
	if err != nil {
		return err
	}
	b.rep.add(part, "one at a time", all, p99(10))
	return b.endAll(ctx, d, idsOf(lines))
}

// toolCallers is how many calls the tools are called from one after the other: nobody says two thousand things in one.
const toolCallers = 200

func idsOf(lines []onLine) []string {
	ids := make([]string, len(lines))
	for i, l := range lines {
		ids[i] = l.id
	}
	return ids
}

// toolCalls has 50 calls under way, each of which calls a tool and waits about so long before the next.
func (b *bench) toolCalls(ctx context.Context, part string, d dialer, pause time.Duration) error {
	const atOnce = 50
	lines, err := b.ring(ctx, d, atOnce)
	if err != nil {
		return err
	}
	// The first tool call of each is in a row of its own.
	_, _, err = many(ctx, d, 1, atOnce, 0, func(t target, _, i int) error { return callTool(t, lines[i], talker{b.plan.rng(-6)}, 0) })
	if err != nil {
		return err
	}
	book := &diary{by: map[string]series{}}
	_, took, err := many(ctx, d, atOnce, 0, b.writing, func(t target, w, i int) error {
		c := call{target: t, book: book, pause: pause, words: talker{b.plan.rng(-20_000 - i)}}
		if err := c.wait(ctx); err != nil {
			return err
		}
		return book.time("tool", func() error { return callTool(t, lines[w], c.words, i) })
	})
	if err != nil {
		return err
	}
	how := "as fast as they are answered"
	limit := none()
	if pause > 0 {
		how = fmt.Sprintf("one about every %s each", pause)
	}
	if pause == time.Second { // some ten times as often as in a call
		limit = p99(10)
	}
	b.rep.rated(part, "50 calls at once, "+how, book.by["tool"], took, limit)
	return b.endAll(ctx, d, idsOf(lines))
}

// ring begins n calls.
func (b *bench) ring(ctx context.Context, d dialer, n int) ([]onLine, error) {
	first := b.turn
	ids, err := b.begin(ctx, d, n)
	lines := make([]onLine, len(ids))
	for i, id := range ids {
		lines[i] = onLine{id, b.caller(b.plan.richAt(first + i))}
	}
	return lines, err
}

// leastMemories is how many memories a caller has at least, in a plan that gives each one.
const leastMemories = 1

// callTool stores a memory, or, each fourth time, corrects one, as a realtime model does.
func callTool(t target, on onLine, words talker, i int) error {
	body := map[string]string{"callSessionId": on.id, "lineId": on.caller, "accountId": string(recaller.DefaultTenant)}
	if i%4 == 3 {
		_, body["existingKey"], body["newValue"] = words.memory(i % leastMemories)
		_, err := t.do("POST", "/tools/update_memory", jsonOf(body), "")
		return err
	}
	kind, key, value := words.memory(i)
	body["memoryType"], body["key"], body["value"] = string(kind), key, value
	_, err := t.do("POST", "/tools/store_memory", jsonOf(body), "")
	return err
}
