package postgres

import (
	"context"
	"errors"
	"runtime/debug"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/store"
)

const (
	beginRead  = `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY`
	beginWrite = `BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE` // whatever the role's or the database's default is
	// Without timeouts, a transaction whose client is gone would keep its locks until the network tells the server, and a
	// statement whose cancellation was lost on the way, or came before it, would run to its end.
	enter = `SELECT recaller_wall.enter($1, $2, $3, $4, $5), set_config('idle_in_transaction_session_timeout', $6, TRUE),
		set_config('statement_timeout', $6, TRUE)`
	lockCaller = `SELECT 1 FROM callers WHERE tenant_id = $1 AND id = $2 FOR UPDATE`
)

// prologue is what a transaction begins with. It travels with the first statement.
type prologue struct {
	begin    string
	claim    claimed
	caller   recaller.CallerID // locked; empty: nobody
	turn     bool              // the first statement locks the caller
	patience string            // in milliseconds
}

// locks reports whether the caller's row is locked before the first statement.
func (p prologue) locks() bool { return p.caller != "" && !p.turn }

// queue queues what goes before the first statement on a connection.
func (p prologue) queue(b *pgx.Batch, c *pgx.Conn, s secret) {
	session := sessionOf(c)
	b.Queue(p.begin)
	b.Queue(enter, session, p.claim.door, string(p.claim.tenant), string(p.claim.caller), s.hash(session, p.claim), p.patience)
	if p.locks() {
		b.Queue(lockCaller, string(p.claim.tenant), string(p.caller))
	}
}

func (p prologue) size() int {
	if p.locks() {
		return 3
	}
	return 2
}

// tx is a transaction; it implements store.Tx. One goroutine uses it.
type tx struct {
	of       *Engine
	ctx      context.Context //nolint:containedctx // of the whole transaction: a write outlives whoever waits for it
	c        *pgxpool.Conn   // nil: it broke, and there was no other
	prologue prologue
	begun    bool
	over     bool // it ended with its last statement
}

// release gives the connection back. One that is in a transaction still, or broken, is not used again.
func (t *tx) release() {
	if t.c != nil {
		t.c.Release()
	}
}

// leave ends a transaction that has nothing to commit. Nobody waits for that.
func (t *tx) leave(ctx context.Context) {
	if !t.begun || t.over || t.c == nil || t.c.Conn().IsClosed() {
		t.release()
		return
	}
	go func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), t.of.opts.Patience)
		defer cancel()
		_, _ = t.c.Exec(ctx, `ROLLBACK`)
		t.release()
	}()
}

// send sends statements, the first time with the prologue before them. If the connection proves broken then, nothing
// has happened on it that lasts: it is exchanged for another, once.
func (t *tx) send(queue func(*pgx.Batch)) (pgx.BatchResults, error) {
	if t.over {
		return nil, recaller.Errorf(recaller.Internal, "a read went on after its last statement")
	}
	if t.begun {
		if t.c == nil {
			return nil, recaller.Errorf(recaller.Unavailable, "the store went away")
		}
		var b pgx.Batch
		queue(&b)
		return t.c.SendBatch(t.ctx, &b), nil
	}
	r, err := t.open(queue)
	if err == nil || !t.c.Conn().IsClosed() || t.ctx.Err() != nil {
		return r, t.mapped(err)
	}
	t.of.pool.Reset() // whatever ended this one has likely ended the others
	t.release()
	if t.c, err = t.of.acquire(t.ctx); err != nil {
		return nil, err
	}
	r, err = t.open(queue)
	return r, t.mapped(err)
}

// open begins the transaction, with its first statements.
func (t *tx) open(queue func(*pgx.Batch)) (pgx.BatchResults, error) {
	if err := t.prologue.claim.fit(); err != nil {
		return nil, err
	}
	var b pgx.Batch
	t.prologue.queue(&b, t.c.Conn(), t.of.secret)
	queue(&b)
	t.begun = true // even where it fails: how far it came cannot be told
	r := t.c.SendBatch(t.ctx, &b)
	for range t.prologue.size() {
		if _, err := r.Exec(); err != nil {
			_ = r.Close() // what went wrong is in err
			return nil, err
		}
	}
	return r, nil
}

// mapped is the package's mapped for an error on this connection: it sees whether the connection broke, and resets the
// pool if all are stale.
func (t *tx) mapped(err error) error {
	if err == nil {
		return nil
	}
	if stale(err) {
		t.of.pool.Reset()
	}
	var known *recaller.Error
	out := mapped(err)
	if recaller.KindOf(out) == recaller.Internal && !errors.As(err, &known) && (t.c == nil || t.c.Conn().IsClosed()) {
		return away(err)
	}
	return out
}

// Exec implements store.Tx.
func (t *tx) Exec(_ context.Context, query string, args ...any) (int64, error) {
	r, err := t.send(func(b *pgx.Batch) { b.Queue(query, args...) })
	if err != nil {
		return 0, err
	}
	tag, err := r.Exec()
	if end := r.Close(); err == nil {
		err = end
	}
	return tag.RowsAffected(), t.mapped(err)
}

// Query implements store.Tx.
func (t *tx) Query(_ context.Context, query string, args ...any) (store.Rows, error) {
	r, err := t.send(func(b *pgx.Batch) { b.Queue(query, args...) })
	if err != nil {
		return nil, err
	}
	found, err := r.Query() // its error is the caller's to ask for
	if err != nil {
		_ = r.Close() // what went wrong is in err
		return nil, t.mapped(err)
	}
	return &rows{rows: found, results: r, of: t}, nil
}

// QueryRow implements store.Tx.
func (t *tx) QueryRow(ctx context.Context, query string, args []any, dest ...any) error {
	found := false
	err := t.QueryAll(ctx, store.Query{SQL: query, Args: args, Row: func(scan func(...any) error) error {
		if found {
			return nil
		}
		found = true
		return scan(dest...)
	}})
	if err == nil && !found {
		err = recaller.Errorf(recaller.NotFound, "no such row")
	}
	return err
}

// QueryAll implements store.Tx: in one round trip, with the beginning of a transaction, and the end of one that reads.
func (t *tx) QueryAll(_ context.Context, queries ...store.Query) error {
	if len(queries) > 0 && queries[0].Turn {
		t.prologue.turn = true
	}
	ends := t.prologue.begin == beginRead && len(queries) > 0 && queries[len(queries)-1].Last
	r, err := t.send(func(b *pgx.Batch) {
		for _, q := range queries {
			b.Queue(q.SQL, q.Args...)
		}
		if ends {
			b.Queue(`COMMIT`)
		}
	})
	if err != nil {
		return err
	}
	for _, q := range queries {
		if err = t.each(r, q.Row); err != nil {
			break
		}
	}
	if end := r.Close(); err == nil {
		err = t.mapped(end)
	}
	t.over = ends && err == nil
	return err
}

func (t *tx) each(r pgx.BatchResults, row func(func(...any) error) error) error {
	found, err := r.Query()
	if err != nil {
		return t.mapped(err)
	}
	defer found.Close()
	for found.Next() {
		if err := row(func(dest ...any) error { return t.mapped(found.Scan(borrowed(dest)...)) }); err != nil {
			return err
		}
	}
	return t.mapped(found.Err())
}

// borrowed has each store.Borrowed scanned without a copy, as the driver lends it.
func borrowed(dest []any) []any {
	for i, d := range dest {
		if b, ok := d.(*store.Borrowed); ok {
			dest[i] = (*pgtype.DriverBytes)(b)
		}
	}
	return dest
}

// ExecAll implements store.Tx: in one round trip.
func (t *tx) ExecAll(_ context.Context, query string, args [][]any) error {
	if len(args) == 0 {
		return nil
	}
	r, err := t.send(func(b *pgx.Batch) {
		for _, a := range args {
			b.Queue(query, a...)
		}
	})
	if err != nil {
		return err
	}
	for range args {
		if _, err = r.Exec(); err != nil {
			break
		}
	}
	if end := r.Close(); err == nil {
		err = end
	}
	return t.mapped(err)
}

// rows is a cursor; it implements store.Rows.
type rows struct {
	rows    pgx.Rows
	results pgx.BatchResults
	of      *tx
}

func (r *rows) Next() bool             { return r.rows.Next() }
func (r *rows) Scan(dest ...any) error { return r.of.mapped(r.rows.Scan(dest...)) }
func (r *rows) Err() error             { return r.of.mapped(r.rows.Err()) }

func (r *rows) Close() error {
	r.rows.Close()
	return r.of.mapped(r.results.Close())
}

// guarded turns a panic into an error, so that the connection is given back.
func guarded(fn func(store.Tx) error, t store.Tx) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = recaller.Wrap(recaller.Internal, panicked{debug.Stack()}, "a transaction failed")
		}
	}()
	return fn(t)
}

// panicked tells where, not with what: the value may hold what people said.
type panicked struct{ stack []byte }

func (p panicked) Error() string { return "panic in a transaction\n" + string(p.stack) }
