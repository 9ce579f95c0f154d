package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/pgtest"
	"github.com/recallerhq/recaller/internal/store"
	"github.com/recallerhq/recaller/internal/store/postgres"
	"github.com/recallerhq/recaller/internal/store/postgres/postgrestest"
	"github.com/recallerhq/recaller/internal/store/storetest"
)

// openWith opens an engine on a database of its own.
func openWith(t testing.TB, opts postgres.Options) (*postgres.Engine, pgtest.Database) {
	t.Helper()
	db := postgrestest.Database(t)
	e, err := postgres.Open(t.Context(), db.App, postgrestest.Secrets(), opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	return e, db
}

// endless runs until it is stopped, and sleeping asks how many do. A query that is only being prepared is active too, but
// does not sleep yet; a cancellation that comes before the query does nothing.
const (
	endless  = `SELECT count(*) FROM pg_sleep(1000000000)`
	sleeping = `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'`
)

func TestEngine(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, connections int32) storetest.Engine {
		e, db := openWith(t, postgres.Options{Connections: connections})
		return storetest.Engine{
			Engine: e, Endless: endless, Breaks: []string{`ROLLBACK`, `COMMIT`},
			Stopped: func(t *testing.T) {
				until(t, connect(t, db.Super), "the server stops too", `SELECT (`+sleeping+`) = 0`)
			},
			Closed: func(t *testing.T) {
				until(t, connect(t, db.Super), "no connection is left", `SELECT count(*) = 0 FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`)
			},
		}
	})
}

// TestErrors has statements fail in every way that they do, with a word in them that no error may hold.
func TestErrors(t *testing.T) {
	t.Parallel()
	const word = "xylophone"
	e, _ := openWith(t, postgres.Options{Connections: 2})
	ctx := context.Background()
	for what, c := range map[string]struct {
		kind  recaller.Kind
		query string
		args  []any
	}{
		"a zero byte":             {recaller.Invalid, storetest.InsertJob, []any{"t", "kind", word + "\x00", "x", 0}},
		"no UTF-8":                {recaller.Invalid, storetest.InsertJob, []any{"t", "kind", word + "\xff", "x", 0}},
		"too long for a key":      {recaller.Invalid, `INSERT INTO jobs (tenant_id, kind, subject, id, caller_id, run_at) SELECT 't', 'kind', $1 || string_agg(md5(i::text), ''), 'x', '', 0 FROM generate_series(1, 1000) i`, []any{word}},
		"there already":           {recaller.Conflict, `INSERT INTO jobs (tenant_id, kind, subject, id, caller_id, run_at) SELECT 't', 'kind', $1, 'x', '', 0 FROM generate_series(1, 2)`, []any{word}},
		"another tenant's":        {recaller.Internal, storetest.InsertJob, []any{"other", "kind", word, "x", 0}},
		"nothing where must be":   {recaller.Internal, storetest.InsertJob, []any{"t", "kind", word, nil, 0}},
		"no number":               {recaller.Internal, storetest.InsertJob, []any{"t", "kind", word, "x", word}},
		"no such table":           {recaller.Internal, `SELECT $1::text FROM ` + word, []any{word}},
		"a number out of range":   {recaller.Internal, `SELECT $1::text, 9223372036854775807 + 1`, []any{word}},
		"division by zero":        {recaller.Internal, `SELECT 1 / length($1::text) / 0`, []any{word}},
		"more than it may":        {recaller.Internal, `ALTER TABLE jobs DISABLE ROW LEVEL SECURITY`, nil},
		"raised by the database":  {recaller.Internal, `DO $$ BEGIN RAISE EXCEPTION 'xylophone'; END $$`, nil},
		"a deadlock":              {recaller.Unavailable, `DO $$ BEGIN RAISE EXCEPTION 'xylophone' USING ERRCODE = '40P01'; END $$`, nil},
		"the server shuts down":   {recaller.Unavailable, `DO $$ BEGIN RAISE EXCEPTION 'xylophone' USING ERRCODE = '57P01'; END $$`, nil},
		"the server has no room":  {recaller.Full, `DO $$ BEGIN RAISE EXCEPTION 'xylophone' USING ERRCODE = '53100'; END $$`, nil},
		"the server waited":       {recaller.Timeout, `DO $$ BEGIN RAISE EXCEPTION 'xylophone' USING ERRCODE = '55P03'; END $$`, nil},
		"the server is a standby": {recaller.Unavailable, `DO $$ BEGIN RAISE EXCEPTION 'xylophone' USING ERRCODE = '25006'; END $$`, nil},
	} {
		for _, how := range []string{"alone", "after another"} {
			err := e.Write(ctx, "t", "", func(tx store.Tx) error {
				if how == "after another" {
					if _, err := tx.Exec(ctx, `SELECT 1`); err != nil {
						return err
					}
				}
				_, err := tx.Exec(ctx, c.query, c.args...)
				return err
			})
			wantKind(t, what+", "+how, err, c.kind)
			for cause := err; cause != nil; cause = errors.Unwrap(cause) {
				if strings.Contains(fmt.Sprintf("%v %+v", cause, cause), word) {
					t.Errorf("%s, %s: the error tells what was said: %v", what, how, cause)
				}
			}
		}
	}
	err := e.Write(ctx, "t", "", func(tx store.Tx) error {
		_, _ = tx.Exec(ctx, `SELECT 1 / 0`)
		return nil // as if nothing had happened
	})
	wantKind(t, "a failure that was overlooked", err, recaller.Internal)
	err = e.Read(ctx, "t", "", func(tx store.Tx) error {
		var n int
		return tx.QueryRow(ctx, `SELECT $1::text`, []any{word}, &n)
	})
	wantKind(t, "a row that does not fit", err, recaller.Internal)
	if strings.Contains(fmt.Sprint(err, errors.Unwrap(err)), word) {
		t.Errorf("the error tells what was read: %v", err)
	}
	if got := storetest.Jobs(t, e); got != 0 {
		t.Errorf("got %d rows of writes that failed", got)
	}
}

// TestReadsSeeOneMoment reads twice while others write in between.
func TestReadsSeeOneMoment(t *testing.T) {
	t.Parallel()
	e, _ := openWith(t, postgres.Options{Connections: 2})
	ctx := context.Background()
	err := e.Read(ctx, "t", "", func(tx store.Tx) error {
		var before, after int
		if err := tx.QueryRow(ctx, `SELECT count(*) FROM jobs`, nil, &before); err != nil {
			return err
		}
		if err := storetest.PutJob(e, "meanwhile"); err != nil {
			return err
		}
		err := tx.QueryRow(ctx, `SELECT count(*) FROM jobs`, nil, &after)
		if before != 0 || after != 0 {
			t.Errorf("got %d rows and then %d, want none: it began before there were any", before, after)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestCancelled has whoever asked go away: in the middle of a read, while a connection is waited for, and in the middle
// of a write, which goes on.
func TestCancelled(t *testing.T) {
	t.Parallel()
	e, db := openWith(t, postgres.Options{Connections: 1})
	super := connect(t, db.Super)
	ctx, cancel := context.WithCancel(context.Background())
	waiting := make(chan error, 1)
	read := make(chan error, 1)
	go func() {
		read <- e.Read(ctx, "t", "", func(tx store.Tx) error {
			var n int
			return tx.QueryRow(ctx, endless, nil, &n)
		})
	}()
	until(t, super, "the read runs", `SELECT (`+sleeping+`) = 1`)
	queued, leave := context.WithCancel(context.Background())
	go func() { waiting <- e.Read(queued, "t", "", func(store.Tx) error { return nil }) }()
	leave()
	wantKind(t, "in the queue", <-waiting, recaller.Timeout)
	cancel()
	wantKind(t, "in a read", <-read, recaller.Timeout)

	ctx, cancel = context.WithCancel(context.Background())
	err := e.Write(ctx, "t", "", func(tx store.Tx) error {
		cancel()
		_, err := tx.Exec(ctx, storetest.InsertJob, "t", "kind", "x", "x", 0)
		return err
	})
	if err != nil || storetest.Jobs(t, e) != 1 {
		t.Errorf("a write that had begun: %v, %d rows", err, storetest.Jobs(t, e))
	}
}

// TestPatience has writes wait for a row that somebody else keeps locked, and for a connection.
func TestPatience(t *testing.T) {
	t.Parallel()
	e, db := openWith(t, postgres.Options{Connections: 2, Patience: 200 * time.Millisecond})
	super := connect(t, db.Super)
	run(t, super, `INSERT INTO callers (tenant_id, id, first_seen, last_seen, body) VALUES ('t', 'c', 0, 0, '')`, `BEGIN`, `SELECT 1 FROM callers FOR UPDATE`)
	ctx := context.Background()
	touch := func() error {
		return e.Write(ctx, "t", "c", func(tx store.Tx) error {
			_, err := tx.Exec(ctx, `UPDATE callers SET version = version + 1 WHERE tenant_id = $1 AND id = $2`, "t", "c")
			return err
		})
	}
	began := time.Now()
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() { wantKind(t, "locked", touch(), recaller.Timeout, recaller.Unavailable) })
	}
	wg.Wait()
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("four impatient writes took %v", took)
	}
	run(t, super, `ROLLBACK`)
	if err := touch(); err != nil {
		t.Errorf("unlocked: %v", err)
	}
	until(t, super, "nobody waits any more", `SELECT count(*) = 0 FROM pg_locks WHERE NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`)
	if got := ask[int](t, super, `SELECT version FROM callers`); got != 1 {
		t.Errorf("%d writes came through, want the one that was acknowledged", got)
	}
}

// TestClientGone has a transaction that nobody goes on with: the server ends it, so that it keeps no locks.
func TestClientGone(t *testing.T) {
	t.Parallel()
	e, db := openWith(t, postgres.Options{Connections: 2, Patience: 300 * time.Millisecond})
	super := connect(t, db.Super)
	ctx := context.Background()
	err := e.Write(ctx, "t", "", func(tx store.Tx) error {
		_, err := tx.Exec(ctx, storetest.InsertJob, "t", "kind", "x", "x", 0)
		until(t, super, "the server ends it", `SELECT count(*) = 0 FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in transaction%'`)
		return err
	})
	wantKind(t, "abandoned", err, recaller.Timeout, recaller.Unavailable)
	if got := storetest.Jobs(t, e); got != 0 {
		t.Errorf("got %d rows, want none", got)
	}
}

// TestServerEndsConnections has the server end what nobody uses, as when it is restarted or a pooler tidies up: nobody
// notices.
func TestServerEndsConnections(t *testing.T) {
	t.Parallel()
	e, db := openWith(t, postgres.Options{Connections: 4})
	super := connect(t, db.Super)
	const end = `SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`
	const ended = `SELECT count(*) = 0 FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`
	ctx := context.Background()
	for round := range 3 {
		var wg sync.WaitGroup
		for i := range 8 {
			wg.Go(func() {
				if err := storetest.PutJob(e, fmt.Sprint(round, " ", i)); err != nil {
					t.Errorf("write: %v", err)
				}
				storetest.Jobs(t, e)
			})
		}
		wg.Wait()
		run(t, super, end)
		until(t, super, "they are gone", ended)
	}
	if got := storetest.Jobs(t, e); got != 24 {
		t.Errorf("got %d rows, want 24", got)
	}
	err := e.Write(ctx, "t", "", func(tx store.Tx) error {
		if _, err := tx.Exec(ctx, storetest.InsertJob, "t", "kind", "lost", "x", 0); err != nil {
			return err
		}
		run(t, super, end)
		until(t, super, "it is gone", ended)
		_, err := tx.Exec(ctx, storetest.InsertJob, "t", "kind", "more", "x", 0)
		return err
	})
	wantKind(t, "in the middle of a write", err, recaller.Unavailable)
	if got := storetest.Jobs(t, e); got != 24 {
		t.Errorf("got %d rows, want 24: half a write stayed", got)
	}
}

// TestSchemaChangesUnderneath has another process migrate while statements are prepared: one of them may fail, not one
// on every connection, and it may be tried again.
func TestSchemaChangesUnderneath(t *testing.T) {
	t.Parallel()
	e, db := openWith(t, postgres.Options{Connections: 4})
	owner := connect(t, db.Owner)
	run(t, owner, `CREATE TABLE probe (tenant_id TEXT, n INT)`, `GRANT SELECT ON probe TO `+db.AppRole())
	ctx := context.Background()
	read := func() error {
		return e.Read(ctx, "t", "", func(tx store.Tx) error {
			var n int
			return tx.QueryRow(ctx, `SELECT count(*), coalesce(max(n), 0) FROM probe`, nil, &n, &n)
		})
	}
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			if err := read(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	run(t, owner, `ALTER TABLE probe ALTER COLUMN n TYPE BIGINT`)
	failed := 0
	for range 16 {
		if err := read(); err != nil {
			wantKind(t, "changed", err, recaller.Unavailable)
			failed++
		}
	}
	if failed > 1 {
		t.Errorf("%d reads failed, want one at most", failed)
	}
}

// TestPoolIsBounded has many more transactions than connections.
func TestPoolIsBounded(t *testing.T) {
	t.Parallel()
	e, db := openWith(t, postgres.Options{Connections: 3})
	var wg sync.WaitGroup
	for i := range 64 {
		wg.Go(func() {
			if err := storetest.PutJob(e, fmt.Sprint(i)); err != nil {
				t.Error(err)
			}
			storetest.Jobs(t, e)
		})
	}
	wg.Wait()
	// One that opened the engine may be on its way out still.
	until(t, connect(t, db.Super), "three connections are left", `SELECT count(*) = 3 FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'recaller'`)
	e, err := postgres.Open(t.Context(), with(t, db.App, "pool_max_conns", "1"), postgrestest.Secrets(), postgres.Options{Patience: 50 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	err = e.Read(t.Context(), "t", "", func(store.Tx) error {
		return e.Read(t.Context(), "t", "", func(store.Tx) error { return nil })
	})
	wantKind(t, "the only connection is in use", err, recaller.Timeout)
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestOldPooler runs without statements that are prepared by name, as a pooler that knows nothing of them needs it.
func TestOldPooler(t *testing.T) {
	t.Parallel()
	db := postgrestest.Database(t)
	e, err := postgres.Open(t.Context(), with(t, db.App, "default_query_exec_mode", "exec"), postgrestest.Secrets(), postgres.Options{Connections: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	d := dataOn(t, db, e)
	o := d.Call("+15550000001")
	_, err = d.AppendTurns(d.Context(), "t", d.Appending(o, 3))
	d.OK(err)
	d.Remember(o.Caller.ID, 2)
	d.End(o)
	snap, err := d.Snapshot(d.Context(), "t", o.Caller.ID)
	d.OK(err)
	if len(snap.Memories) != 2 || len(snap.History) != 1 {
		t.Errorf("got %d memories and %d conversations", len(snap.Memories), len(snap.History))
	}
	if got := ask[int](t, connect(t, db.Super), `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'recaller'`); got == 0 {
		t.Error("no connection has the program's name")
	}
}
