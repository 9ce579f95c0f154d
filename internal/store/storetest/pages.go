package storetest

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/recallerhq/recaller"
)

// wordPages reads the words of conversations that are longer than a page, or wider.
func wordPages(b *bench) {
	for what, text := range map[string]string{"many": "words", "wide": strings.Repeat("word ", 8000)} {
		o := b.open("t1", opening{})
		n := 300
		if what == "wide" {
			n = 30
		}
		b.saySome(o, n, text)
		conv, err := b.Store.Conversation(b.ctx, "t1", string(o.Conversation.ID))
		b.ok(err)
		pages := 0
		got := b.paged(b.ctx, conv, func(next int) { // somebody goes on talking
			pages++
			b.saySome(o, 1, "more")
		})
		eq(b, what+": turns", len(got), n)
		eq(b, what+": in pages", pages > 1 && pages < n/2, true)
		all, err := b.Store.Turns(b.ctx, "t1", conv)
		b.ok(err)
		eq(b, what+": turns after it", len(all), n+pages)
		eq(b, what+": they are the same", slices.Equal(got, all[:n]), true)
		noted := b.noted(func(ctx context.Context) error { b.paged(ctx, conv, nil); return nil })
		eq(b, what+": nothing is amiss", len(noted), 0)
	}
	none := b.open("t1", opening{})
	eq(b, "none", len(b.paged(b.ctx, none.Conversation, nil)), 0)
}

// wordPagesDamaged wants that what is missing from a page, or does not open, is told as it is of the whole.
func wordPagesDamaged(b *bench) {
	o := b.open("t1", opening{})
	b.saySome(o, 300, "words")
	b.close(o, recaller.Completed)
	conv, err := b.Store.Conversation(b.ctx, "t1", string(o.Conversation.ID))
	b.ok(err)
	at := ` WHERE tenant_id = 't1' AND conversation_id = '` + string(conv.ID) + `' AND number `
	for _, c := range []struct {
		what string
		sql  []string
		left int
	}{
		{"one is missing", []string{`DELETE FROM turns` + at + `= 150`}, 299},
		{"and one does not open", []string{`UPDATE turns SET at = at + 1` + at + `= 200`}, 298},
		{"and whole pages are missing", []string{`DELETE FROM turns` + at + `BETWEEN 1 AND 140`}, 158},
		{"and the end", []string{`DELETE FROM turns` + at + `> 290`}, 149},
		{"and all", []string{`DELETE FROM turns` + at + `>= 0`}, 0},
	} {
		b.raws(c.sql...)
		whole := b.noted(func(ctx context.Context) error { _, err := b.Store.Turns(ctx, "t1", conv); return err })
		paged := b.noted(func(ctx context.Context) error {
			eq(b, c.what+": turns", len(b.paged(ctx, conv, nil)), c.left)
			return nil
		})
		eq(b, c.what, fmt.Sprint(paged), fmt.Sprint(whole))
	}
}

// wordPagesErased has a caller erased between two pages: nobody takes the first for all.
func wordPagesErased(b *bench) {
	o := b.open("t1", opening{})
	b.saySome(o, 300, "words")
	conv, err := b.Store.Conversation(b.ctx, "t1", string(o.Conversation.ID))
	b.ok(err)
	_, next, err := b.Store.TurnPage(b.ctx, "t1", conv, 0)
	b.ok(err)
	b.ok(b.Store.BeginErasure(b.ctx, "t1", o.Caller.ID, recaller.Job{ID: "j", Tenant: "t1", Kind: "erase", Subject: string(o.Caller.ID), RunAt: b.now}))
	_, _, err = b.Store.TurnPage(b.ctx, "t1", conv, next)
	b.fails(err, recaller.NotFound)
}

// saySome adds turns to a conversation.
func (b *bench) saySome(o recaller.Opened, n int, text string) {
	b.Helper()
	lines := make([]string, n)
	for i := range lines {
		lines[i] = fmt.Sprint("user: ", i, " ", text)
	}
	b.say("t1", o, lines...)
}

// paged reads the words of a conversation page by page. It calls between, if there is one, before each but the first.
func (b *bench) paged(ctx context.Context, conv recaller.Conversation, between func(next int)) (all []recaller.Turn) {
	b.Helper()
	for next := 0; ; {
		turns, after, err := b.Store.TurnPage(ctx, "t1", conv, next)
		b.ok(err)
		if all = append(all, turns...); after == 0 {
			return all
		}
		if after <= next {
			b.Fatalf("the page after %d begins at %d", next, after)
		}
		if next = after; between != nil {
			between(next)
		}
	}
}
