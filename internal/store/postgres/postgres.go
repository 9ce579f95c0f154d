// Package postgres is the engine of the store for those who outgrow one machine: Postgres 15 or newer with pgvector 0.8
// or newer. Row-level security is forced on every table with a tenant (spec P8, design decision 6). Migrate makes the
// schema, as a role that owns it. The server runs as another role, which can neither bypass the policies nor change
// them; Open refuses one that could.
//
// What may be relied on: a transaction begins, names its tenant and runs its first statements in one round trip. No
// connection is pinged before use. If the server behind one has gone meanwhile, the transaction takes another, once,
// unseen. An Engine keeps nothing on a connection but prepared statements, so a pooler in transaction mode may stand
// between (PgBouncer 1.21 or newer, with max_prepared_statements; an older one with default_query_exec_mode=exec in the
// URL). A Claim needs a direct connection, or a pooler in session mode.
//
// It is not for SQL about entities: that is written once, in store.
package postgres

import (
	"context"
	"runtime"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/store"
)

// Options adjusts an engine; the zero value is usable.
type Options struct {
	// Connections bounds how many connections are held; 0: eight a core, 16 at least and 64 at most, unless the URL
	// says pool_max_conns.
	Connections int32
	// Patience is how long a transaction may take, and before that how long it may wait for a connection; 0: 15 s. A
	// shorter deadline of whoever asked comes first, but a write that has begun ends by Patience alone. After the same
	// time the server ends a statement that nobody waits for any more, and a transaction whose client is gone.
	Patience time.Duration
}

const patience = 15 * time.Second

// Engine implements store.Engine on Postgres. Safe for concurrent use.
type Engine struct {
	pool    *pgxpool.Pool
	opts    Options
	secrets Secrets
	secret  secret
	closed  atomic.Bool

	counts store.Remembered // of tokens
}

// Open connects to a database whose schema is current. It fails with Unavailable where the server cannot be reached,
// where the schema is not this program's, where the role could see past the policies, and where the secret of the wall
// is not the one that the database knows; the message says what to do.
func Open(ctx context.Context, url string, secrets Secrets, opts Options) (*Engine, error) {
	if opts.Patience <= 0 {
		opts.Patience = patience
	}
	cfg, err := poolConfig(url, opts)
	if err != nil {
		return nil, err
	}
	if err := sound(ctx, cfg.ConnConfig); err != nil {
		return nil, err
	}
	made, err := arm(ctx, cfg.ConnConfig, secrets)
	if err != nil {
		return nil, err
	}
	cfg.AfterConnect = connected
	// A ping would be a round trip before nearly every transaction of a server that has little to do.
	cfg.ShouldPing = func(context.Context, pgxpool.ShouldPingParams) bool { return false }
	pool, err := pgxpool.NewWithConfig(ctx, cfg)
	if err != nil {
		return nil, mapped(err)
	}
	return &Engine{pool: pool, opts: opts, secrets: secrets, secret: made}, nil
}

func poolConfig(url string, opts Options) (*pgxpool.Config, error) {
	cfg, err := pgxpool.ParseConfig(url)
	if err != nil { // pgx's error shows the URL, password and all
		return nil, recaller.Errorf(recaller.Invalid, "the database URL cannot be read: want postgres://USER:PASSWORD@HOST:PORT/DATABASE")
	}
	bare, err := pgx.ParseConfig(url)
	if err != nil {
		return nil, recaller.Errorf(recaller.Invalid, "the database URL cannot be read: want postgres://USER:PASSWORD@HOST:PORT/DATABASE")
	}
	switch {
	case opts.Connections > 0:
		cfg.MaxConns = opts.Connections
	// pgx leaves what it does not know to the server; pgxpool takes it out.
	case bare.RuntimeParams["pool_max_conns"] == "":
		cfg.MaxConns = int32(min(64, max(16, 8*runtime.GOMAXPROCS(0))))
	}
	if cfg.MaxConnLifetimeJitter == 0 {
		cfg.MaxConnLifetimeJitter = cfg.MaxConnLifetime / 4 // not all of them at once
	}
	if cfg.ConnConfig.ConnectTimeout == 0 {
		cfg.ConnConfig.ConnectTimeout = 5 * time.Second
	}
	if cfg.ConnConfig.DefaultQueryExecMode == pgx.QueryExecModeSimpleProtocol {
		return nil, recaller.Errorf(recaller.Invalid, "the database URL has default_query_exec_mode=simple_protocol, which would show claims in pg_stat_activity: take exec")
	}
	cfg.ConnConfig.RuntimeParams["application_name"] = "recaller"
	return cfg, nil
}

// Read implements store.Engine: on one snapshot. The transaction begins with its first statement, in one round trip,
// and nobody waits for its end.
func (e *Engine) Read(
	ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, fn func(store.Tx) error,
) error {
	return e.read(ctx, prologue{begin: beginRead, claim: claimed{tenant: tenant, caller: caller}}, fn)
}

// ReadSystem implements store.Engine.
func (e *Engine) ReadSystem(ctx context.Context, fn func(store.Tx) error) error {
	return e.read(ctx, prologue{begin: beginRead, claim: claimed{door: system}}, fn)
}

// Write implements store.Engine. It locks the caller's row, so that others who write about the caller wait.
func (e *Engine) Write(
	ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, fn func(store.Tx) error,
) error {
	return e.write(ctx, prologue{begin: beginWrite, claim: claimed{tenant: tenant, caller: caller}, caller: caller}, fn)
}

// WriteSystem implements store.Engine.
func (e *Engine) WriteSystem(ctx context.Context, fn func(store.Tx) error) error {
	return e.write(ctx, prologue{begin: beginWrite, claim: claimed{door: system}}, fn)
}

// Writes implements store.Engine: other servers write to the same database.
func (e *Engine) Writes(recaller.TenantID, recaller.CallerID) (n uint64, known bool) { return 0, false }

func (e *Engine) read(ctx context.Context, p prologue, fn func(store.Tx) error) error {
	ctx, cancel := context.WithTimeout(ctx, e.opts.Patience)
	defer cancel()
	c, err := e.acquire(ctx)
	if err != nil {
		return err
	}
	t := e.tx(ctx, c, p)
	defer t.leave(ctx)
	return guarded(fn, t)
}

// write runs fn in a transaction of its own. Once that has begun, the end of ctx does not undo it: the answer is what
// really happened. If the connection breaks during the commit, nobody can tell what happened. Then the answer is
// Unavailable or Timeout, and whoever asked asks again, under an Idempotency-Key.
func (e *Engine) write(ctx context.Context, p prologue, fn func(store.Tx) error) error {
	waiting, cancel := context.WithTimeout(ctx, e.opts.Patience)
	c, err := e.acquire(waiting)
	cancel()
	if err != nil {
		return err
	}
	ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), e.opts.Patience)
	defer cancel()
	t := e.tx(ctx, c, p)
	defer t.release()
	err = guarded(fn, t)
	if !t.begun || t.c == nil {
		return err
	}
	if err != nil {
		_, _ = t.c.Exec(ctx, `ROLLBACK`) // where it fails the connection is broken, and the transaction with it
		return err
	}
	tag, err := t.c.Exec(ctx, `COMMIT`)
	if err == nil && tag.String() == "ROLLBACK" {
		return recaller.Errorf(recaller.Internal, "a write went on after a statement of it had failed")
	}
	return t.mapped(err)
}

func (e *Engine) tx(ctx context.Context, c *pgxpool.Conn, p prologue) *tx {
	p.patience = strconv.FormatInt(max(1, e.opts.Patience.Milliseconds()), 10)
	return &tx{of: e, ctx: ctx, c: c, prologue: p}
}

// acquire waits for a connection that nobody uses, or makes one.
func (e *Engine) acquire(ctx context.Context) (*pgxpool.Conn, error) {
	c, err := e.pool.Acquire(ctx)
	switch {
	case err == nil:
		return c, nil
	case e.closed.Load():
		return nil, closed()
	case ctx.Err() != nil:
		return nil, mapped(ctx.Err())
	case recaller.KindOf(mapped(err)) == recaller.Internal: // whatever is wrong with it, there is no connection
		return nil, away(err)
	}
	return nil, mapped(err)
}

// Scrub implements store.Engine. Only the owner of the tables may have their files written anew (ScrubTables), and
// nobody the log or a standby: all of it remains.
func (e *Engine) Scrub(context.Context) ([]recaller.Remain, error) {
	return []recaller.Remain{recaller.RemainRows, recaller.RemainLog, recaller.RemainStandbys}, nil
}

// Check implements store.Engine: that the server can be reached, and that the wall stands. Damage of its files is
// Postgres's own to find (data checksums, amcheck).
func (e *Engine) Check(ctx context.Context) error {
	if e.closed.Load() {
		return closed()
	}
	cfg := e.pool.Config().ConnConfig
	if err := sound(ctx, cfg); err != nil {
		return err
	}
	_, err := arm(ctx, cfg, e.secrets)
	return err
}

// Close implements store.Engine. It may be repeated.
func (e *Engine) Close() error {
	e.closed.Store(true)
	e.pool.Close()
	return nil
}
