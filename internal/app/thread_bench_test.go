//go:build measure

package app

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/recallerhq/recaller/client"
)

// Hundreds of threads at once, with figures: RECALLER_THREADS=500 of as many users, six exchanges each with a prompt before
// every reply, by RECALLER_THREADS_CLIENTS=50 at once. Every exchange counts once, and all threads are summarised.
// `make bench-threads` runs it on both stores; the figures are in docs/benchmarks.md.
func TestHundredsOfThreadsAtOnce(t *testing.T) {
	t.Parallel()
	many, err := strconv.Atoi(os.Getenv("RECALLER_THREADS"))
	if err != nil {
		t.Fatal("make bench-threads runs it")
	}
	clients, err := strconv.Atoi(cmp.Or(os.Getenv("RECALLER_THREADS_CLIENTS"), "50"))
	if err != nil {
		t.Fatal(err)
	}
	onBoth(t, func(t *testing.T, env ...string) {
		alone.Lock() // one store after the other
		defer alone.Unlock()
		h := build(t, t.TempDir(), Options{}, append(env, "RECALLER_RATE_LIMIT=0")...).start()
		const each = 6
		var took laps
		var all errgroup.Group
		all.SetLimit(clients)
		began := time.Now()
		for i := range many {
			all.Go(func() error { return took.chat(t.Context(), h, fmt.Sprintf("tg-%d", i), each) })
		}
		if err := all.Wait(); err != nil {
			t.Fatal(err)
		}
		ended := time.Now()
		for i := range many {
			id := fmt.Sprintf("chat of tg-%d", i)
			h.eventually("the thread is summarised", func() bool { return h.thread(id).Summary != nil })
			if got := h.thread(id); got.Exchanges != each {
				t.Errorf("%s: got %d exchanges, want %d", id, got.Exchanges, each)
			}
		}
		t.Logf("%d threads, %d clients, n = %d: %.0f exchanges a second\nprompt: %s, degraded %d\nreply: %s, held %d\nthe last summary %v after the end",
			many, clients, many*each, float64(many*each)/ended.Sub(began).Seconds(), quantiles(took.prompt), took.degraded, quantiles(took.reply), took.held,
			time.Since(ended).Round(time.Second))
	})
}

var alone sync.Mutex

// laps are how long requests took.
type laps struct {
	mu            sync.Mutex
	prompt, reply []time.Duration
	degraded      int // prompts that the store had no time for
	held          int // replies that were acknowledged as not durable yet
}

// chat has exchanges in a thread, one after the other.
func (l *laps) chat(ctx context.Context, h *house, who string, exchanges int) error {
	id := "chat of " + who
	if _, err := h.OpenThread(ctx, client.ThreadRequest{Caller: client.CallerRef{ExternalID: who}, ExternalID: id}); err != nil {
		return err
	}
	for n := range exchanges {
		said := client.ThreadMessage{Message: fmt.Sprintf("I have %d boats on the lake. What did we say of the %dth?", n, n)}
		began := time.Now()
		p, err := h.ThreadPrompt(ctx, id, client.PromptRequest{ThreadMessage: said})
		if err != nil {
			return err
		}
		asked := time.Now()
		out, err := h.ThreadReply(ctx, id, client.ReplyRequest{
			ThreadMessage: said, Reply: fmt.Sprintf("You wanted it green. [LEARN: has %d boats on the lake]", n),
		})
		if err != nil {
			return err
		}
		l.mu.Lock()
		if !out.Durable {
			l.held++
		}
		if p.Degraded {
			l.degraded++
		}
		l.prompt, l.reply = append(l.prompt, asked.Sub(began)), append(l.reply, time.Since(asked))
		l.mu.Unlock()
	}
	return nil
}
