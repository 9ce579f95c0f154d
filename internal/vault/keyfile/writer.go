package keyfile

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/durable"
)

// maxBatch is how many requests share one commit at most.
const maxBatch = 512

// request is one write. The writer runs do inside a transaction that it shares with others, commits, and then answers.
type request struct {
	do    func(ctx context.Context, s *statements) error
	scrub bool // empty the log after the commit
	done  chan error
}

// submit hands a write to the writer and waits until it is durable. When the context ends first the write may still be
// made: all writes here can be repeated without a second effect.
func (f *File) submit(ctx context.Context, r *request) error {
	r.done = make(chan error, 1)
	if err := f.enqueue(ctx, r); err != nil {
		return err
	}
	select {
	case err := <-r.done:
		return err
	case <-ctx.Done():
		return failure(ctx.Err(), "the key store did not answer in time")
	}
}

func (f *File) enqueue(ctx context.Context, r *request) error {
	f.mu.RLock()
	defer f.mu.RUnlock()
	if f.closed {
		return recaller.Errorf(recaller.Unavailable, "the key store is closed")
	}
	select {
	case f.queue <- r:
		return nil
	case <-ctx.Done():
		return failure(ctx.Err(), "the key store did not answer in time")
	}
}

// writer commits requests until the queue is closed. While one batch is being synced the next one gathers, so the
// number of syncs follows the disk and not the number of writers.
func (f *File) writer(conn *sql.Conn) {
	defer close(f.done)
	ctx := context.Background()
	batch := make([]*request, 0, maxBatch)
	for first := range f.queue {
		batch = f.gather(append(batch[:0], first))
		err := f.commit(ctx, conn, batch)
		scrubbed := f.scrub(ctx, conn, batch, err)
		for _, r := range batch {
			if r.scrub && err == nil {
				r.done <- scrubbed
				continue
			}
			r.done <- err
		}
	}
	// Statements first: a connection with open statements is not closed by SQLite.
	f.stmts.close()
	_ = conn.Close() // it goes back to the pool, whose Close reports
}

// gather adds what else is waiting.
func (f *File) gather(batch []*request) []*request {
	for len(batch) < maxBatch {
		select {
		case r, ok := <-f.queue:
			if !ok {
				return batch
			}
			batch = append(batch, r)
		default:
			return batch
		}
	}
	return batch
}

// commit runs a batch in one transaction.
func (f *File) commit(ctx context.Context, conn *sql.Conn, batch []*request) error {
	err := func() error {
		if _, err := conn.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
			return err
		}
		for _, r := range batch {
			if err := r.do(ctx, &f.stmts); err != nil {
				return err
			}
		}
		_, err := conn.ExecContext(ctx, "COMMIT")
		return err
	}()
	if err == nil {
		return nil
	}
	// SQLite has rolled back by itself after some errors; then this one fails, and that is well.
	_, _ = conn.ExecContext(ctx, "ROLLBACK")
	if doubtful(err) { // a page was read wrong, and from the cache it would be wrong for ever
		_, _ = conn.ExecContext(ctx, "PRAGMA shrink_memory")
	}
	return failure(err, "the key store cannot be written")
}

// scrub empties the log if the batch asks for it.
func (f *File) scrub(ctx context.Context, conn *sql.Conn, batch []*request, committed error) error {
	for _, r := range batch {
		if r.scrub && committed == nil {
			return failure(truncateLog(ctx, conn, f.path), "the key was destroyed, but a copy may be left in the key store's log: destroy it again")
		}
	}
	return nil
}

var errLogBusy = errors.New("the write-ahead log is in use")

// truncateLog moves the whole log into the file and cuts it to nothing, durably, waiting for readers as long as the
// busy timeout.
func truncateLog(ctx context.Context, conn *sql.Conn, path string) error {
	var busy, frames, moved int
	if err := conn.QueryRowContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &frames, &moved); err != nil {
		return err
	}
	if busy != 0 {
		return errLogBusy
	}
	info, err := os.Stat(path + "-wal")
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if info.Size() != 0 {
		return fmt.Errorf("the write-ahead log holds %d bytes after it was emptied", info.Size())
	}
	return durable.SyncFile(path + "-wal") // SQLite does not: a power cut could bring the log back
}

// failure is the one spot where the driver's errors become ours.
func failure(err error, msg string) error {
	if err == nil {
		return nil
	}
	var own *recaller.Error
	if errors.As(err, &own) {
		return err
	}
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return recaller.Wrap(recaller.Timeout, err, "the key store did not answer in time")
	}
	if full(err) {
		return recaller.Wrap(recaller.Unavailable, err, "the disk of the key store is full")
	}
	return recaller.Wrap(recaller.Unavailable, err, "%s", msg)
}

// doubtful reports whether an error says that a page is damaged.
func doubtful(err error) bool {
	var lite *sqlite.Error
	return errors.As(err, &lite) && (lite.Code()&0xff == sqlite3.SQLITE_CORRUPT || lite.Code()&0xff == sqlite3.SQLITE_NOTADB)
}

// full reports whether a write failed for lack of room.
func full(err error) bool {
	var lite *sqlite.Error
	if !errors.As(err, &lite) {
		return false
	}
	switch lite.Code() {
	case sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_SHMOPEN, sqlite3.SQLITE_IOERR_SHMSIZE, sqlite3.SQLITE_IOERR_WRITE:
		return true
	}
	return false
}
