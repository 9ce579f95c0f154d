package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
)

// search measures searches over all of the tenant's conversations: the first one after a start, which reads what the
// embedded store searches in memory, then one at a time, then fifty at once.
func (b *bench) search(ctx context.Context) (err error) {
	const part = "search over all conversations of the tenant, over HTTP"
	s, err := b.serve(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	t, err := s.dialer(ctx)()
	if err != nil {
		return err
	}
	defer t.close()
	before, err := s.usage()
	if err != nil {
		return err
	}
	ask := talker{b.plan.rng(-3)}
	first, err := one(ctx, 1, func(int) error { return find(t, ask.query()) })
	if err != nil {
		return err
	}
	b.rep.add(part, "first search after a start", first, none())
	warm, err := one(ctx, b.n, func(int) error { return find(t, ask.query()) })
	if err != nil {
		return err
	}
	b.rep.add(part, "search, one at a time", warm, p99(50))
	after, err := s.usage()
	if err != nil {
		return err
	}
	crowd, took, err := many(ctx, s.dialer(ctx), 50, 0, b.writing, func(t target, w, i int) error {
		return find(t, talker{b.plan.rng(-1000 - i)}.query())
	})
	if err != nil {
		return err
	}
	b.rep.rated(part, fmt.Sprintf("search, 50 at once without a pause (memory of the process %d MB before, %d MB after the first)", before.RSS>>20, after.RSS>>20), crowd, took, none())
	return nil
}

// find looks through the tenant's conversations. An answer with nothing in it is an error.
func find(t target, query string) error {
	out, err := t.do("POST", "/v1/conversations/search", jsonOf(map[string]string{"query": query}), "")
	if err == nil && !bytes.Contains(out, []byte(`"conversation_id"`)) {
		return fmt.Errorf("no conversation was found for %q", query)
	}
	return err
}
