package app

import (
	"context"
	"fmt"
	"testing"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/store"
)

// What the next request of a thread needs is read once an exchange is kept, and once the thread is summarised: the
// request finds it in memory.
func TestWhatARequestNeedsIsReadAhead(t *testing.T) {
	t.Parallel()
	h, up := chatting(t)
	up.Say("Noted. [LEARN: likes larch]")
	for i := range 5 {
		h.asks(fmt.Sprintf(`{"messages":[{"role":"user","content":"I like larch: %d."}]}`, i), "X-Memory-User", "ana")
		h.settled()
		if i == 4 { // the fifth exchange has the thread summarised
			h.eventually("no thread waits for its summary", func() bool { return h.waiting(recaller.JobThread) == 0 })
		}
		h.inMemory(fmt.Sprintf("after exchange %d", i))
	}
}

// waiting counts the jobs of a kind.
func (h *house) waiting(kind string) (n int) {
	h.t.Helper()
	ctx := context.Background()
	err := h.app.store.WithSystem(ctx, store.Reading, func(tx store.Tx) error {
		return tx.QueryRow(ctx, `SELECT count(*) FROM jobs WHERE kind = $1`, []any{kind}, &n)
	})
	if err != nil {
		h.t.Fatal(err)
	}
	return n
}

// inMemory fails if what the prompt of the only thread is made of is read from the database.
func (h *house) inMemory(when string) {
	h.t.Helper()
	ctx := h.t.Context()
	list, err := h.Threads(ctx, "", "", 2)
	if err != nil || len(list.Threads) != 1 {
		h.t.Fatalf("got %+v, %v, want one thread", list, err)
	}
	one := list.Threads[0]
	before := h.store.reads.Load()
	if _, err := h.app.store.Thread(ctx, recaller.DefaultTenant, one.ExternalID); err != nil {
		h.t.Fatal(err)
	}
	if _, err := h.app.store.Snapshot(ctx, recaller.DefaultTenant, recaller.CallerID(one.CallerID)); err != nil {
		h.t.Fatal(err)
	}
	if n := h.store.reads.Load() - before; n > 0 {
		h.t.Errorf("%s: %d reads, want none", when, n)
	}
}
