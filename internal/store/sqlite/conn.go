package sqlite

import (
	"context"
	"database/sql/driver"
	"errors"
	"strings"

	"modernc.org/sqlite"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/store"
)

// conn is one connection with its prepared statements; it implements store.Tx. One goroutine uses it at a time.
//
// It asks the driver itself. A pool it has no use for, and database/sql took a quarter of what the start of a call cost
// (docs/benchmarks.md).
type conn struct {
	c     driver.Conn
	stmts map[string]*stmt
	args  []driver.NamedValue // room for those of the statement that begins
}

// stmt is a prepared statement, as the driver has it.
type stmt struct {
	driver.Stmt
	driver.StmtExecContext
	driver.StmtQueryContext
}

// maxStmts bounds the prepared statements: lists with many filters make texts of their own.
const maxStmts = 200

func newConn(ctx context.Context, to driver.Connector) (*conn, error) {
	c, err := to.Connect(ctx)
	if err != nil {
		return nil, mapped(err)
	}
	return &conn{c: c, stmts: map[string]*stmt{}}, nil
}

func (c *conn) stmt(query string) (*stmt, error) {
	if s := c.stmts[query]; s != nil {
		return s, nil
	}
	if len(c.stmts) >= maxStmts {
		for q, s := range c.stmts {
			if err := s.Close(); err != nil {
				return nil, mapped(err)
			}
			delete(c.stmts, q)
		}
	}
	// To SQLite "$5" is a name, which the driver binds by its first appearance; "?5" is the fifth parameter.
	p, err := c.c.Prepare(strings.ReplaceAll(query, "$", "?"))
	if err != nil {
		return nil, mapped(err)
	}
	s := &stmt{Stmt: p}
	var execs, queries bool
	s.StmtExecContext, execs = p.(driver.StmtExecContext)
	s.StmtQueryContext, queries = p.(driver.StmtQueryContext)
	if !execs || !queries {
		return nil, errors.Join(recaller.Errorf(recaller.Internal, "the driver of SQLite knows no contexts"), p.Close())
	}
	c.stmts[query] = s
	return s, nil
}

// bound gives the arguments of a statement to the driver. They are valid until the next statement begins.
func (c *conn) bound(args []any) ([]driver.NamedValue, error) {
	c.args = c.args[:0]
	for i, a := range args {
		v, err := driver.DefaultParameterConverter.ConvertValue(a)
		if err != nil {
			return nil, recaller.Wrap(recaller.Internal, err, "argument %d of a statement", i+1)
		}
		c.args = append(c.args, driver.NamedValue{Ordinal: i + 1, Value: v})
	}
	return c.args, nil
}

// forget drops the pages that a connection has read.
const forget = `PRAGMA shrink_memory`

// doubt drops the pages that the connection has read, if an error says that one of them is damaged: it may have been read
// wrong, and from the cache it would be wrong for ever. No transaction is open.
func (c *conn) doubt(ctx context.Context, err error) {
	var told *sqlite.Error
	if errors.As(err, &told) && damaged(told.Code()) {
		_, _ = c.Exec(ctx, forget) // it cannot fail
	}
}

// close gives the connection back to be closed, with its statements.
func (c *conn) close() error {
	var errs []error
	for _, s := range c.stmts {
		errs = append(errs, s.Close())
	}
	return errors.Join(append(errs, c.c.Close())...)
}

// Exec implements store.Tx.
func (c *conn) Exec(ctx context.Context, query string, args ...any) (int64, error) {
	s, err := c.stmt(query)
	if err != nil {
		return 0, err
	}
	values, err := c.bound(args)
	if err != nil {
		return 0, err
	}
	defer clear(values) // they may be words
	res, err := s.ExecContext(ctx, values)
	if err != nil {
		return 0, mapped(err)
	}
	n, err := res.RowsAffected()
	return n, mapped(err)
}

// Query implements store.Tx. The driver watches for the end of ctx while it looks for the first row.
func (c *conn) Query(ctx context.Context, query string, args ...any) (store.Rows, error) {
	return c.query(ctx, ctx, query, args)
}

// query is Query, in which the driver watches for the end of another context.
func (c *conn) query(ctx, watched context.Context, query string, args []any) (*rows, error) {
	if err := ctx.Err(); err != nil {
		return nil, mapped(err)
	}
	s, err := c.stmt(query)
	if err != nil {
		return nil, err
	}
	values, err := c.bound(args)
	if err != nil {
		return nil, err
	}
	defer clear(values) // they may be words
	r, err := s.QueryContext(watched, values)
	if err != nil {
		return nil, mapped(err)
	}
	return &rows{ctx: ctx, r: r, row: make([]driver.Value, len(r.Columns()))}, nil
}

// QueryRow implements store.Tx. The statement is run to its end, so that an UPDATE … RETURNING has taken place.
func (c *conn) QueryRow(ctx context.Context, query string, args []any, dest ...any) error {
	r, err := c.Query(ctx, query, args...)
	if err != nil {
		return err
	}
	found := r.Next()
	if found {
		err = r.Scan(dest...)
		for err == nil && r.Next() { // to the end
		}
	}
	if err == nil {
		err = r.Err()
	}
	if cerr := r.Close(); err == nil {
		err = mapped(cerr)
	}
	if err == nil && !found {
		err = recaller.Errorf(recaller.NotFound, "no such row")
	}
	return err
}

// QueryAll implements store.Tx: one after another.
func (c *conn) QueryAll(ctx context.Context, queries ...store.Query) error {
	for _, q := range queries {
		if err := c.each(ctx, q); err != nil {
			return err
		}
	}
	return nil
}

func (c *conn) each(ctx context.Context, q store.Query) error {
	if q.Needless != nil && q.Needless() {
		return nil
	}
	watched := ctx
	if q.Brief {
		watched = context.WithoutCancel(ctx)
	}
	r, err := c.query(ctx, watched, q.SQL, q.Args)
	if err != nil {
		return err
	}
	defer func() { _ = r.Close() }() // what matters is in Err
	for r.Next() {
		if err := q.Row(r.Scan); err != nil {
			return err
		}
	}
	return r.Err()
}

// ExecAll implements store.Tx: one after another.
func (c *conn) ExecAll(ctx context.Context, query string, args [][]any) error {
	for _, a := range args {
		if _, err := c.Exec(ctx, query, a...); err != nil {
			return err
		}
	}
	return nil
}
