package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/store"
)

// Engine is an engine under test, on an empty database.
type Engine struct {
	store.Engine
	// Endless is a query that runs until it is stopped, and Breaks are statements that end a transaction, or a part of it,
	// behind the engine's back.
	Endless string
	Breaks  []string
	// Stopped and Closed look at the database: no query goes on after its deadline, and a closed engine leaves nothing
	// open.
	Stopped func(t *testing.T)
	Closed  func(t *testing.T)
}

// Engines tells the stories of what every engine does below the store. open opens one with so many connections.
func Engines(t *testing.T, open func(t *testing.T, connections int32) Engine) {
	t.Helper()
	for _, s := range []struct {
		name        string
		connections int32
		tell        func(*testing.T, Engine)
	}{
		{"one failure undoes only itself", 4, oneFailure},
		{"a write ends its own transaction", 1, brokenTransaction},
		{"readers cannot write", 2, readersCannotWrite},
		{"reads end at their deadline", 2, deadlines},
		{"a closed engine says so", 2, closedEngine},
	} {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			s.tell(t, open(t, s.connections))
		})
	}
}

// InsertJob writes a job row, the plainest thing to write: of a tenant and a kind, with a subject, an id and a time.
const InsertJob = `INSERT INTO jobs (tenant_id, kind, subject, id, caller_id, run_at) VALUES ($1, $2, $3, $4, '', $5)`

// PutJob writes a job of tenant "t".
func PutJob(e store.Engine, subject string) error {
	ctx := context.Background()
	return e.Write(ctx, "t", "", func(tx store.Tx) error {
		_, err := tx.Exec(ctx, InsertJob, "t", "kind", subject, subject, 0)
		return err
	})
}

// Jobs counts the jobs that tenant "t" sees.
func Jobs(t testing.TB, e store.Engine) (n int) {
	t.Helper()
	ctx := context.Background()
	if err := e.Read(ctx, "t", "", func(tx store.Tx) error { return tx.QueryRow(ctx, `SELECT count(*) FROM jobs`, nil, &n) }); err != nil {
		t.Fatal(err)
	}
	return n
}

// WantKind fails the test unless there is an error, of one of the kinds.
func WantKind(t testing.TB, what string, err error, kinds ...recaller.Kind) {
	t.Helper()
	if err == nil || !slices.Contains(kinds, recaller.KindOf(err)) {
		t.Errorf("%s: got %v, want an error of kind %q", what, err, kinds)
	}
}

func oneFailure(t *testing.T, e Engine) {
	if err := PutJob(e, "taken"); err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	gone, cancel := context.WithCancel(ctx)
	cancel()
	var wg sync.WaitGroup
	for i := range 64 {
		wg.Go(func() {
			name := fmt.Sprint("w", i)
			switch i % 4 {
			case 0:
				if err := PutJob(e, name); err != nil {
					t.Error(err)
				}
			case 1:
				WantKind(t, "clash", PutJob(e, "taken"), recaller.Conflict)
			case 2:
				err := e.Write(ctx, "t", "", func(tx store.Tx) error {
					if _, err := tx.Exec(ctx, InsertJob, "t", "kind", name, name, 0); err != nil {
						return err
					}
					panic("what somebody said")
				})
				WantKind(t, "panic", err, recaller.Internal)
				if strings.Contains(fmt.Sprint(err), "somebody") || !strings.Contains(fmt.Sprint(err), "engines.go") {
					t.Error("the error of a panic must say where, not what")
				}
			case 3:
				WantKind(t, "too late", e.Write(gone, "t", "", func(store.Tx) error { return nil }), recaller.Timeout)
			}
		})
	}
	wg.Wait()
	if got := Jobs(t, e); got != 1+16 {
		t.Errorf("got %d rows, want 17", got)
	}
}

// brokenTransaction has a write that does what it must not: it ends the transaction that it is in.
func brokenTransaction(t *testing.T, e Engine) {
	ctx := context.Background()
	for i, statement := range e.Breaks {
		err := e.Write(ctx, "t", "", func(tx store.Tx) error {
			if _, err := tx.Exec(ctx, InsertJob, "t", "kind", statement, statement, 0); err != nil {
				return err
			}
			_, err := tx.Exec(ctx, statement)
			return errors.Join(err, errors.New("and fails"))
		})
		if err == nil {
			t.Errorf("%s: got no error", statement)
		}
		if err := PutJob(e, fmt.Sprint(i)); err != nil {
			t.Errorf("after %s: %v", statement, err)
		}
	}
}

func readersCannotWrite(t *testing.T, e Engine) {
	ctx := context.Background()
	err := e.Read(ctx, "t", "", func(tx store.Tx) error {
		_, err := tx.Exec(ctx, InsertJob, "t", "kind", "x", "x", 0)
		return err
	})
	if err == nil || Jobs(t, e) != 0 {
		t.Errorf("a reader wrote: %v", err)
	}
}

// deadlines has more reads than connections run for ever.
func deadlines(t *testing.T, e Engine) {
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			err := e.Read(ctx, "t", "", func(tx store.Tx) error {
				var n int
				return tx.QueryRow(ctx, e.Endless, nil, &n)
			})
			WantKind(t, "endless", err, recaller.Timeout)
		})
	}
	wg.Wait()
	for range 4 { // the connections are as good as new
		Jobs(t, e)
	}
	e.Stopped(t)
}

// closedEngine closes an engine in the middle of reads and writes, and again.
func closedEngine(t *testing.T, e Engine) {
	ctx := context.Background()
	read := func() error { return e.Read(ctx, "t", "", func(store.Tx) error { return nil }) }
	var wg sync.WaitGroup
	for i := range 64 {
		wg.Go(func() {
			if err := PutJob(e, fmt.Sprint(i)); err != nil {
				WantKind(t, "write", err, recaller.Unavailable)
			}
			if err := read(); err != nil {
				WantKind(t, "read", err, recaller.Unavailable)
			}
		})
	}
	for range 3 {
		if err := e.Close(); err != nil {
			t.Fatal(err)
		}
	}
	wg.Wait()
	WantKind(t, "write", PutJob(e, "x"), recaller.Unavailable)
	WantKind(t, "read", read(), recaller.Unavailable)
	WantKind(t, "check", e.Check(ctx), recaller.Unavailable)
	e.Closed(t)
}
