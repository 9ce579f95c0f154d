package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"strings"

	"modernc.org/sqlite"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/store"
)

// conn is one connection with its prepared statements; it implements store.Tx. One goroutine uses it at a time.
type conn struct {
	c     *sql.Conn
	stmts map[string]*sql.Stmt
}

// maxStmts bounds the prepared statements: lists with many filters make texts of their own.
const maxStmts = 200

func newConn(ctx context.Context, db *sql.DB) (*conn, error) {
	c, err := db.Conn(ctx)
	if err != nil {
		return nil, mapped(err)
	}
	return &conn{c: c, stmts: map[string]*sql.Stmt{}}, nil
}

func (c *conn) stmt(ctx context.Context, query string) (*sql.Stmt, error) {
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
	s, err := c.c.PrepareContext(ctx, strings.ReplaceAll(query, "$", "?"))
	if err != nil {
		return nil, mapped(err)
	}
	c.stmts[query] = s
	return s, nil
}

// forget drops the pages that a connection has read.
const forget = `PRAGMA shrink_memory`

// doubt drops the pages that the connection has read, if an error says that one of them is damaged: it may have been read
// wrong, and from the cache it would be wrong for ever. No transaction is open.
func (c *conn) doubt(ctx context.Context, err error) {
	var driver *sqlite.Error
	if errors.As(err, &driver) && damaged(driver.Code()) {
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
	s, err := c.stmt(ctx, query) //nolint:sqlclosecheck // it is kept for the next time
	if err != nil {
		return 0, err
	}
	res, err := s.ExecContext(ctx, args...)
	if err != nil {
		return 0, mapped(err)
	}
	n, err := res.RowsAffected()
	return n, mapped(err)
}

// Query implements store.Tx.
func (c *conn) Query(ctx context.Context, query string, args ...any) (store.Rows, error) {
	s, err := c.stmt(ctx, query) //nolint:sqlclosecheck // it is kept for the next time
	if err != nil {
		return nil, err
	}
	r, err := s.QueryContext(ctx, args...) //nolint:rowserrcheck // the caller asks for it
	if err != nil {
		return nil, mapped(err)
	}
	return rows{r}, nil
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
	r, err := c.Query(ctx, q.SQL, q.Args...)
	if err != nil {
		return err
	}
	defer func() { _ = r.Close() }() // what matters is in Err
	for r.Next() {
		if err := q.Row(func(dest ...any) error { return r.Scan(borrowed(dest)...) }); err != nil {
			return err
		}
	}
	return r.Err()
}

// borrowed has each store.Borrowed scanned without a copy, as the driver lends it.
func borrowed(dest []any) []any {
	for i, d := range dest {
		if b, ok := d.(*store.Borrowed); ok {
			dest[i] = (*sql.RawBytes)(b)
		}
	}
	return dest
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

type rows struct{ r *sql.Rows }

func (r rows) Next() bool             { return r.r.Next() }
func (r rows) Scan(dest ...any) error { return mapped(r.r.Scan(dest...)) }
func (r rows) Err() error             { return mapped(r.r.Err()) }
func (r rows) Close() error           { return r.r.Close() }
