// Package keyfile keeps wrapped data keys in an SQLite file of their own, apart from the data they open, and the master
// key of an installation in a file beside it.
//
// Erasure rests on it: when DestroyKey has returned, no file of the store holds a byte of the wrapped key. SQLite's
// secure_delete alone does not give that, because splitting a page can leave stale copies of rows in its free space. So
// rows with key material are only ever appended and overwritten in place by as many bytes, in a table that is never
// split in the middle, and the write-ahead log is emptied into the file and cut to nothing after each destruction. What
// a file system or a disk keeps of overwritten blocks is beyond its reach; so are backups made before, which is why the
// key store is to be backed up apart from the data, and briefly.
//
// It is not for any other data. Back it up with SQLite's backup or a copy made while the server is stopped.
package keyfile

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"net/url"
	"path/filepath"
	"sync"

	_ "modernc.org/sqlite" // the database/sql driver

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/durable"
)

const (
	applicationID = 0x52434c4b // "RCLK"
	schemaVersion = 1
	readers       = 4
)

// File is a vault.KeyStore in an SQLite file. It is safe for concurrent use, also by several processes on one machine.
type File struct {
	path  string
	vfs   string // of SQLite's; empty: its default
	read  *sql.DB
	write *sql.DB
	find  *sql.Stmt // of read
	stmts statements
	queue chan *request
	done  chan struct{} // closed when the writer has returned

	mu     sync.RWMutex // held for reading while a request is queued; guards closed
	closed bool
}

// Open opens the key store at path, making it, readable by the owner only, if it is not there.
func Open(path string) (*File, error) {
	if err := create(path); err != nil {
		return nil, recaller.Wrap(recaller.Unavailable, err, "the key store cannot be made")
	}
	f := &File{path: path, queue: make(chan *request, maxBatch), done: make(chan struct{})}
	err := f.open(context.Background())
	if full(err) { // the index of the log, which processes share in a file, is kept in memory
		f.vfs, err = "unix-excl", f.closeDBs()
		if err == nil {
			err = f.open(context.Background())
		}
	}
	if err != nil {
		return nil, failure(errors.Join(err, f.closeDBs()), "the key store cannot be opened")
	}
	return f, nil
}

// Check looks for damage in every page of the file. To SQLite a page that cannot be read is damage, so what it finds is
// looked for twice.
func (f *File) Check(ctx context.Context) error {
	for range 2 {
		var verdict string
		if err := f.read.QueryRowContext(ctx, `PRAGMA integrity_check(1)`).Scan(&verdict); err != nil {
			return failure(err, "the key store cannot be read")
		}
		if verdict == "ok" {
			return nil
		}
		f.forget()
	}
	return recaller.Errorf(recaller.Internal, "the key store's file is damaged: put it back from a backup")
}

// forget drops what readers have read: the connections that nobody uses, of which there will be others.
func (f *File) forget() {
	f.read.SetMaxIdleConns(0)
	f.read.SetMaxIdleConns(readers)
}

// Close waits for the writes that were begun and closes the file. Everything fails with Unavailable afterwards.
func (f *File) Close() error {
	f.mu.Lock()
	if f.closed {
		f.mu.Unlock()
		return nil
	}
	f.closed = true
	close(f.queue)
	f.mu.Unlock()
	<-f.done
	return f.closeDBs()
}

func (f *File) open(ctx context.Context) error {
	var err error
	if f.write, err = sql.Open("sqlite", dsn(f.path, f.vfs)); err != nil {
		return err
	}
	f.write.SetMaxOpenConns(1)
	conn, err := f.write.Conn(ctx)
	if err != nil {
		return err
	}
	if err := prepareFile(ctx, conn); err != nil {
		return errors.Join(err, conn.Close())
	}
	// A crash may have come between a destruction and the emptying of the log. Where others use the file this waits for
	// nothing: they empty it after their own destructions. On a full disk the next destruction empties it.
	if err := truncateLog(ctx, conn, f.path); err != nil && !errors.Is(err, errLogBusy) && !full(err) {
		return errors.Join(err, conn.Close())
	}
	if f.stmts, err = prepareStatements(ctx, conn); err != nil {
		return errors.Join(err, conn.Close())
	}
	if f.read, err = sql.Open("sqlite", dsn(f.path, f.vfs, "query_only(1)")); err != nil {
		return errors.Join(err, conn.Close())
	}
	f.read.SetMaxOpenConns(readers)
	f.read.SetMaxIdleConns(readers)
	if f.find, err = f.read.PrepareContext(ctx, findKey); err != nil {
		return errors.Join(err, conn.Close())
	}
	go f.writer(conn) //nolint:contextcheck // a commit is nobody's alone
	return nil
}

func (f *File) closeDBs() error {
	var errs []error
	for _, db := range []*sql.DB{f.read, f.write} {
		if db != nil {
			errs = append(errs, db.Close())
		}
	}
	return errors.Join(errs...)
}

// create makes an empty file that only the owner may read; SQLite gives its log the same mode.
func create(path string) error {
	if err := durable.Folder(filepath.Dir(path)); err != nil {
		return err
	}
	file, err := durable.New(path)
	if errors.Is(err, fs.ErrExist) {
		return nil // and it is not opened here: closing it would drop SQLite's locks of this process
	}
	if err != nil {
		return err
	}
	return errors.Join(file.Close(), durable.Names(filepath.Dir(path)))
}

// dsn names the file and how every connection to it is set up.
func dsn(path, vfs string, pragmas ...string) string {
	q := url.Values{"_pragma": append([]string{
		"busy_timeout(5000)", "journal_mode(WAL)", "synchronous(FULL)", "secure_delete(1)", "temp_store(MEMORY)",
	}, pragmas...)}
	if vfs != "" {
		q.Set("vfs", vfs)
	}
	return (&url.URL{Scheme: "file", Opaque: (&url.URL{Path: path}).EscapedPath(), RawQuery: q.Encode()}).String()
}

const schema = `
CREATE TABLE keys (
	id          INTEGER PRIMARY KEY, -- only ever appended
	tenant      TEXT NOT NULL,
	caller      TEXT NOT NULL,       -- '' for the tenant's own key
	fingerprint TEXT NOT NULL,
	destroyed   INTEGER NOT NULL DEFAULT 0,
	wrapped     BLOB NOT NULL,       -- zeros of the same length once destroyed
	UNIQUE (tenant, caller)
);
CREATE TABLE named (
	name  TEXT PRIMARY KEY,
	value BLOB NOT NULL
) WITHOUT ROWID;
`

// prepareFile makes the schema in a new file, and refuses a file that is not ours, or newer, or on a file system that
// cannot hold the promises.
func prepareFile(ctx context.Context, conn *sql.Conn) error {
	var app, version, secure int
	var journal string
	row := conn.QueryRowContext(ctx, `SELECT a.application_id, v.user_version, s.secure_delete, j.journal_mode
		FROM pragma_application_id a, pragma_user_version v, pragma_secure_delete s, pragma_journal_mode j`)
	if err := row.Scan(&app, &version, &secure, &journal); err != nil {
		return err
	}
	if secure != 1 || journal != "wal" {
		return recaller.Errorf(recaller.Unavailable, "the file system of the key store does not support a write-ahead log")
	}
	switch {
	case app == applicationID && version == schemaVersion:
		return nil
	case app == applicationID && version > schemaVersion:
		return recaller.Errorf(recaller.Unavailable, "the key store is of version %d, made by a newer Recaller; this one knows version %d", version, schemaVersion)
	case app != 0 || version != 0:
		return recaller.Errorf(recaller.Unavailable, "the key store's file is not a key store")
	}
	return makeSchema(ctx, conn)
}

// makeSchema makes the schema, unless another process is first.
func makeSchema(ctx context.Context, conn *sql.Conn) error {
	if _, err := conn.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
		return err
	}
	var tables int
	err := conn.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema").Scan(&tables)
	if err == nil && tables == 0 {
		_, err = conn.ExecContext(ctx, schema)
	}
	if err == nil && tables == 0 {
		_, err = conn.ExecContext(ctx, "PRAGMA application_id = 1380142155; PRAGMA user_version = 1")
	}
	if err != nil {
		_, rollback := conn.ExecContext(ctx, "ROLLBACK")
		return errors.Join(err, rollback)
	}
	_, err = conn.ExecContext(ctx, "COMMIT")
	return err
}
