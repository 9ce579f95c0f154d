// Package sqlite is the embedded engine of the store: one file, one writer whose commits many share, and a few readers
// that never wait for it (WAL). With synchronous=FULL, what is committed survives kill -9 and a power cut (design
// decision 4).
//
// It is not for SQL about entities: that is written once, in store.
package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"time"

	"modernc.org/sqlite"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/durable"
	"github.com/recallerhq/recaller/internal/store"
)

// Options adjusts an engine; the zero value is usable.
type Options struct {
	Readers  int // connections for reading; 0: four a core, eight at least
	MaxPages int // bounds the file, in pages of 4 KiB; 0: by the disk. A write past it fails with Full
	// Patience is how long a lock that another process holds on the file is waited for; 0: 5 s.
	Patience time.Duration
	// VectorBytes bounds the memory for vectors, which a tenant's first search reads; 0: 192 MiB. A tenant who has more
	// of them is searched from the disk.
	VectorBytes int64

	alone bool // see Engine.Alone
}

// Engine implements store.Engine on one SQLite file. Safe for concurrent use.
type Engine struct {
	file    driver.Connector // opens the connections below
	writer  *writer
	readers *idle
	opts    Options

	matrices matrices
	counts   store.Remembered // of frequent tokens
	scrubs   rounds
	tally    *tally

	once  sync.Once
	ended error // of Close
}

// Open opens the database file at path, making it or bringing its schema up to date. If there is no room even for the
// index of the write-ahead log, which processes share in a file, it is kept in memory (see Alone).
func Open(ctx context.Context, path string, opts Options) (*Engine, error) {
	e, err := open(ctx, path, opts)
	if errors.Is(err, recaller.Full) && !opts.alone {
		opts.alone = true
		return open(ctx, path, opts)
	}
	return e, err
}

// Alone reports whether the engine keeps the index of the log in memory, for lack of room when it was opened. It reads
// as ever, and writes when there is room. Until it is closed, no other process can read the file.
func (e *Engine) Alone() bool { return e.opts.alone }

func open(ctx context.Context, path string, opts Options) (*Engine, error) {
	if opts.Readers <= 0 {
		// More than cores: a reader that waits for its turn of a core holds its connection, and briefings are to be
		// read before turns are written. Measured at 50 requests at once: half the time of two (docs/benchmarks.md).
		opts.Readers = max(8, 4*runtime.GOMAXPROCS(0))
	}
	if opts.Patience <= 0 {
		opts.Patience = 5 * time.Second
	}
	if opts.VectorBytes <= 0 {
		opts.VectorBytes = 192 << 20
	}
	if err := create(path); err != nil {
		return nil, recaller.Wrap(recaller.Unavailable, err, "the database file cannot be made")
	}
	file, err := sqlite.NewConnector(dsn(path, opts))
	if err != nil {
		return nil, mapped(err)
	}
	e := &Engine{file: file, readers: newIdle(opts.Readers), opts: opts, matrices: matrices{limit: opts.VectorBytes}, tally: newTally()}
	if err := e.start(ctx, path); err != nil {
		return nil, errors.Join(err, e.readers.drain(len(e.readers.free))) //nolint:contextcheck // what was opened is closed, whatever became of ctx
	}
	return e, nil
}

// OpenReading opens the database file at path for reading alone, beside a process that may have it open. It makes
// nothing, and fails with Unavailable where the schema is not this program's.
func OpenReading(ctx context.Context, path string) (*Engine, error) {
	if _, err := os.Stat(path); err != nil {
		return nil, recaller.Wrap(recaller.Unavailable, err, "the database file is not there")
	}
	opts := Options{Readers: 1, Patience: 5 * time.Second}
	file, err := sqlite.NewConnector(dsn(path, opts) + "&_pragma=query_only(1)")
	if err != nil {
		return nil, mapped(err)
	}
	e := &Engine{file: file, readers: newIdle(opts.Readers), opts: opts, tally: newTally()}
	if err := e.startReading(ctx); err != nil {
		return nil, errors.Join(err, e.readers.drain(len(e.readers.free))) //nolint:contextcheck // what was opened is closed, whatever became of ctx
	}
	return e, nil
}

func (e *Engine) startReading(ctx context.Context) error {
	knows, err := store.Newest(migrations)
	if err != nil {
		return err
	}
	c, err := newConn(ctx, e.file)
	if err != nil {
		return err
	}
	e.readers.put(c)
	var has int64
	if err := c.QueryRow(ctx, versionQuery, nil, &has); err != nil {
		return err
	}
	if has != knows {
		return recaller.Errorf(recaller.Unavailable,
			"the database has schema %d; this Recaller knows %d: run the version that serves it", has, knows)
	}
	return nil
}

// create makes an empty file that only the owner may read; SQLite gives its log the same mode.
func create(path string) error {
	file, err := durable.New(path)
	if errors.Is(err, fs.ErrExist) {
		return nil // and it is not opened here: closing it would drop SQLite's locks of this process
	}
	if err != nil {
		return err
	}
	return errors.Join(file.Close(), durable.Names(filepath.Dir(path)))
}

// dsn spells the pragmas that every connection needs. busy_timeout is first: the others may have to wait.
func dsn(path string, opts Options) string {
	q := url.Values{}
	pragmas := []string{
		patience(opts.Patience), "secure_delete(1)", "journal_mode(WAL)", "synchronous(FULL)", "temp_store(MEMORY)", "cache_size(-4000)",
		"wal_autocheckpoint(0)", "journal_size_limit(16777216)", "trusted_schema(0)",
	}
	if opts.MaxPages > 0 {
		pragmas = append(pragmas, "max_page_count("+strconv.Itoa(opts.MaxPages)+")")
	}
	for _, p := range pragmas {
		q.Add("_pragma", p)
	}
	if opts.alone {
		q.Set("vfs", "unix-excl")
	}
	return "file:" + (&url.URL{Path: path}).EscapedPath() + "?" + q.Encode()
}

// patience spells how long a lock is waited for.
func patience(d time.Duration) string { return fmt.Sprintf("busy_timeout(%d)", d.Milliseconds()) }

func (e *Engine) start(ctx context.Context, path string) (err error) {
	db := sql.OpenDB(e.file)
	defer func() { err = errors.Join(err, mapped(db.Close())) }() // not the last connection, which empties the log
	if err := migrate(ctx, db); err != nil {
		return err
	}
	for range e.opts.Readers {
		c, err := newConn(ctx, e.file)
		if err != nil {
			return err
		}
		e.readers.put(c)
		if _, err := c.Exec(ctx, `PRAGMA query_only = 1`); err != nil {
			return err
		}
	}
	w, err := newConn(ctx, e.file)
	if err != nil {
		return err
	}
	if _, err := w.Exec(ctx, `PRAGMA cache_size = -16000`); err != nil {
		return errors.Join(err, w.close())
	}
	// What a process that died has left in the log is in the database then. Where it cannot be, the log is read as it is.
	_, _ = emptied(ctx, w)
	e.writer = startWriter(w, path+"-wal") //nolint:contextcheck // it outlives who starts it
	return nil
}

// Write implements store.Engine. SQLite has no row-level security: that every query names its tenant is held by the
// conformance suite.
func (e *Engine) Write(
	ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, fn func(store.Tx) error,
) error {
	defer e.tally.write(tenant, caller)()
	return e.WriteSystem(ctx, fn)
}

// Writes implements store.Engine. No other process writes to the file while this one does: the data folder is locked.
func (e *Engine) Writes(tenant recaller.TenantID, caller recaller.CallerID) (n uint64, known bool) {
	if e.writer == nil {
		return 0, false // open for reading alone, beside a process that may write
	}
	return e.tally.writes(tenant, caller)
}

// WriteSystem implements store.Engine.
func (e *Engine) WriteSystem(ctx context.Context, fn func(store.Tx) error) error {
	if e.writer == nil {
		return recaller.Errorf(recaller.Unavailable, "the database is open for reading alone")
	}
	return e.writer.do(ctx, fn)
}

// Read implements store.Engine.
func (e *Engine) Read(
	ctx context.Context, _ recaller.TenantID, _ recaller.CallerID, fn func(store.Tx) error,
) error {
	return e.ReadSystem(ctx, fn)
}

// ReadSystem implements store.Engine.
func (e *Engine) ReadSystem(ctx context.Context, fn func(store.Tx) error) (err error) {
	c, err := e.readers.take(ctx)
	if err != nil {
		return err
	}
	defer e.readers.put(c)
	always := context.WithoutCancel(ctx) // only what takes time need be interrupted
	if _, err := c.Exec(always, `BEGIN`); err != nil {
		c.doubt(always, err)
		return err
	}
	// Nothing was written: how the transaction ends does not matter, but that it ends does.
	defer func() {
		_, _ = c.Exec(always, `ROLLBACK`)
		c.doubt(always, err)
	}()
	return fn(c)
}

// Refresh implements store.Engine. There is nothing to do: every query has an index made for it.
func (e *Engine) Refresh(context.Context) error { return nil }

// Check implements store.Engine. To SQLite a page that cannot be read is damage, so what it finds is looked for twice.
func (e *Engine) Check(ctx context.Context) error {
	return e.ReadSystem(ctx, func(tx store.Tx) error {
		for range 2 {
			var verdict string
			if err := tx.QueryRow(ctx, `PRAGMA integrity_check(1)`, nil, &verdict); err != nil {
				return err
			}
			if verdict == "ok" {
				return nil
			}
			if _, err := tx.Exec(ctx, forget); err != nil {
				return err
			}
		}
		return recaller.Errorf(recaller.Internal, "the database is damaged; restore it from a backup")
	})
}

// Close implements store.Engine. It may be repeated.
func (e *Engine) Close() error {
	e.once.Do(func() {
		if e.writer != nil {
			e.scrubs.stop()
			e.writer.stop()
			e.ended = e.writer.c.close()
		}
		// The last connection empties the log into the database.
		e.ended = errors.Join(e.ended, e.readers.drain(e.opts.Readers))
	})
	return e.ended
}

func closed() error { return recaller.Errorf(recaller.Unavailable, "the store is closed") }
