package postgres_test

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/pgtest"
	"github.com/recallerhq/recaller/internal/store/postgres"
	"github.com/recallerhq/recaller/internal/store/postgres/postgrestest"
)

// halting is a server that is stopped and started under calls that go on.
type halting struct {
	*data
	server   *pgtest.Server
	patience time.Duration

	acked  atomic.Int64
	failed atomic.Int64
	stop   chan struct{}
	mu     sync.Mutex
	heard  map[recaller.ConversationID][]recaller.Turn // acknowledged
}

// TestServerCrashes stops a server at once, twice, in the middle of the reads and writes of 16 calls, and starts it
// again. Each read and write ends in time, with an error that says what it is; the same store goes on; what was
// acknowledged is there.
func TestServerCrashes(t *testing.T) { //nolint:paralleltest // it counts goroutines
	server := pgtest.OwnServer(t)
	db := server.Database()
	if err := postgres.Migrate(t.Context(), db.Owner, db.AppRole()); err != nil {
		t.Fatal(err)
	}
	before := runtime.NumGoroutine()
	const patience = 2 * time.Second
	e, err := postgres.Open(t.Context(), db.App, postgrestest.Secrets(), postgres.Options{Connections: 8, Patience: patience})
	if err != nil {
		t.Fatal(err)
	}
	h := &halting{data: dataOn(t, db, e), server: server, patience: patience, stop: make(chan struct{}), heard: map[recaller.ConversationID][]recaller.Turn{}}
	var wg sync.WaitGroup
	var calls []recaller.Opened
	for i := range 16 {
		calls = append(calls, h.Call(fmt.Sprintf("+1555%07d", i)))
	}
	for _, o := range calls {
		wg.Go(func() { h.talk(o) })
	}
	for range 2 {
		h.wait("turns are acknowledged", &h.acked, 200)
		server.Halt()
		h.wait("calls notice", &h.failed, 100)
		server.Start()
	}
	h.wait("everything goes on", &h.acked, 200)
	close(h.stop)
	wg.Wait()
	if err := e.Check(t.Context()); err != nil {
		t.Error(err)
	}
	h.verify(calls)
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	super := connect(t, db.Super)
	until(t, super, "no connection is left", `SELECT count(*) = 0 FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`)
	_ = super.Close(t.Context())
	for end := time.Now().Add(20 * time.Second); runtime.NumGoroutine() > before; runtime.Gosched() {
		if time.Now().After(end) {
			t.Fatalf("%d goroutines are left, %d were there before", runtime.NumGoroutine(), before)
		}
	}
}

// wait waits until a count has risen by n.
func (h *halting) wait(what string, count *atomic.Int64, n int64) {
	h.Helper()
	from := count.Load()
	for end := time.Now().Add(time.Minute); count.Load() < from+n; runtime.Gosched() {
		if time.Now().After(end) {
			h.Fatalf("waited in vain: %s", what)
		}
	}
}

// talk says a turn and reads a briefing, again and again.
func (h *halting) talk(o recaller.Opened) {
	for {
		select {
		case <-h.stop:
			return
		default:
		}
		in := h.Appending(o, 1)
		h.timed("a turn", 3*h.patience, func() error {
			out, err := h.AppendTurns(h.Context(), "t", in)
			if err != nil {
				return err
			}
			h.mu.Lock()
			h.heard[o.Conversation.ID] = append(h.heard[o.Conversation.ID], out.Turns...)
			h.mu.Unlock()
			h.acked.Add(1)
			return nil
		})
		ctx, cancel := context.WithTimeout(h.Context(), h.patience/4) // as a call has
		h.timed("a briefing", h.patience, func() error { _, err := h.Snapshot(ctx, "t", o.Caller.ID); return err })
		cancel()
	}
}

// timed wants an answer, or an error that says that the store is away, before a time has passed.
func (h *halting) timed(what string, within time.Duration, do func() error) {
	began := time.Now()
	if err := do(); err != nil {
		h.failed.Add(1)
		wantKind(h, what, err, recaller.Unavailable, recaller.Timeout)
	}
	if took := time.Since(began); took > within {
		h.Errorf("%s took %v, want %v at most", what, took, within)
	}
}

// verify wants every turn that was acknowledged, in its place, and counts that are right.
func (h *halting) verify(calls []recaller.Opened) {
	h.Helper()
	acknowledged, stored := 0, 0
	for _, o := range calls {
		conv, err := h.Conversation(h.Context(), "t", string(o.Conversation.ID))
		h.OK(err)
		turns, err := h.Turns(h.Context(), "t", conv)
		h.OK(err)
		if conv.Turns != len(turns) {
			h.Errorf("%s counts %d turns and has %d", conv.ID, conv.Turns, len(turns))
		}
		for i, turn := range turns {
			if turn.Number != i {
				h.Errorf("%s: turn %d has number %d", conv.ID, i, turn.Number)
			}
		}
		for _, want := range h.heard[conv.ID] {
			if want.Number >= len(turns) || turns[want.Number].ID != want.ID || turns[want.Number].Text != want.Text {
				h.Errorf("%s: the acknowledged turn %d is lost or changed", conv.ID, want.Number)
			}
		}
		acknowledged, stored = acknowledged+len(h.heard[conv.ID]), stored+len(turns)
	}
	h.Logf("%d turns acknowledged, %d stored, %d failures told", acknowledged, stored, h.failed.Load())
}
