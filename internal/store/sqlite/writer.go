package sqlite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"sync"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/store"
)

// writer runs all writes on one connection, many in one commit: at synchronous=FULL the commit is what costs, and
// whoever waits for the disk shares the wait. Each write has a savepoint of its own, so that one that fails undoes only
// itself. A write is answered after the commit that holds it.
type writer struct {
	c     *conn
	queue chan *request
	mu    sync.RWMutex // guards closed against sends on queue
	done  bool
	ended chan struct{}

	log   string // the file of the write-ahead log
	limit int64  // past this size it is emptied
	since int    // writes since the last checkpoint
}

type request struct {
	ctx   context.Context
	fn    func(store.Tx) error
	apart bool // it is no write: it runs between two commits, outside of any transaction
	size  int  // for how many writes it counts
	err   error
	done  chan struct{}
}

// maxBatch bounds how many writes share a commit: enough to make the disk's share small, few enough that readers and
// the first in line do not wait long.
const maxBatch = 128

// A checkpoint copies the log into the database. SQLite's automatic ones run inside a commit, and whoever waits for the
// commit waits for them; the writer's come after its answers, when nobody is next in line, and in any case after so
// many writes.
const (
	checkpointSoon = 50  // some 2 MB of the log, copied in a few milliseconds
	checkpointLate = 400 // some 20 MB
)

// maxLog is how large the write-ahead log may grow before the writer empties it. Checkpoints, which wait for nobody,
// keep it below; but readers that overlap without a pause never let them start it anew.
const maxLog = 32 << 20

func startWriter(c *conn, log string) *writer {
	w := &writer{
		c: c, queue: make(chan *request, maxBatch), ended: make(chan struct{}),
		log: log, limit: maxLog,
	}
	go w.run()
	return w
}

// do runs fn in a commit and returns when that is on disk. A context that ends while the write is under way does not
// undo it: the answer is then what really happened.
func (w *writer) do(ctx context.Context, fn func(store.Tx) error) error {
	return w.carriedOut(&request{ctx: ctx, fn: fn, size: 1, done: make(chan struct{})})
}

// bulk is do for a write of up to a megabyte, which others make tens of.
func (w *writer) bulk(ctx context.Context, fn func(store.Tx) error) error {
	return w.carriedOut(&request{ctx: ctx, fn: fn, size: checkpointSoon / 2, done: make(chan struct{})})
}

// between runs fn between two commits, outside of any transaction. All writes wait for it.
func (w *writer) between(ctx context.Context, fn func(store.Tx) error) error {
	return w.carriedOut(&request{ctx: ctx, fn: fn, apart: true, done: make(chan struct{})})
}

func (w *writer) carriedOut(r *request) error {
	if err := w.send(r); err != nil {
		return err
	}
	<-r.done
	return r.err
}

func (w *writer) send(r *request) error {
	w.mu.RLock()
	defer w.mu.RUnlock()
	if w.done {
		return closed()
	}
	select {
	case w.queue <- r:
		return nil
	case <-r.ctx.Done():
		return mapped(r.ctx.Err())
	}
}

// stop waits for the writes that were sent, and ends the writer.
func (w *writer) stop() {
	w.mu.Lock()
	if !w.done {
		w.done = true
		close(w.queue)
	}
	w.mu.Unlock()
	<-w.ended
}

func (w *writer) run() {
	defer close(w.ended)
	for first := range w.queue {
		batch := []*request{first}
		for len(batch) < maxBatch {
			select {
			case r, ok := <-w.queue:
				if !ok {
					w.carryOut(batch)
					return
				}
				batch = append(batch, r)
				continue
			default:
			}
			break
		}
		w.carryOut(batch)
		w.checkpoint()
		w.trim()
	}
}

// checkpoint copies the log into the database when it is time to. Where a reader holds parts of it back they are left
// for the next one; one that fails leaves all of it.
func (w *writer) checkpoint() {
	if w.since < checkpointSoon || w.since < checkpointLate && len(w.queue) > 0 {
		return
	}
	var busy, pages, moved int
	_ = w.c.QueryRow(context.Background(), `PRAGMA wal_checkpoint(PASSIVE)`, nil, &busy, &pages, &moved)
	w.since = 0
}

// trim empties a log that has grown too large: it waits for the readers under way, and new ones do without the log.
// Where one does not end (another process may have it), it is tried again when the log has grown by a good deal.
func (w *writer) trim() {
	info, err := os.Stat(w.log)
	if err != nil || info.Size() <= w.limit {
		return
	}
	whole, err := emptied(context.Background(), w.c)
	w.limit = maxLog
	if err != nil || !whole {
		w.limit = info.Size() + maxLog/4
	}
}

// emptied copies the log into the database and cuts it to nothing. It reports false where a reader stays in the way:
// writes wait for this, so it waits for readers but for moments.
func emptied(ctx context.Context, c store.Tx) (whole bool, err error) {
	var patience int
	if err := c.QueryRow(ctx, `PRAGMA busy_timeout`, nil, &patience); err != nil {
		return false, err
	}
	busy, pages, moved := 1, 0, 0
	if err = c.QueryRow(ctx, `PRAGMA busy_timeout = 200`, nil, &pages); err == nil {
		err = c.QueryRow(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`, nil, &busy, &pages, &moved)
	}
	// It cannot fail: it sets a number.
	_ = c.QueryRow(ctx, fmt.Sprintf(`PRAGMA busy_timeout = %d`, patience), nil, &pages)
	return busy == 0, err
}

// carryOut has a batch committed, and then what is to run outside of a commit.
func (w *writer) carryOut(batch []*request) {
	shared := slices.DeleteFunc(slices.Clone(batch), func(r *request) bool { return r.apart })
	if len(shared) > 0 {
		w.commit(shared)
	}
	for _, r := range batch {
		if r.apart {
			answer([]*request{r}, guarded(r.fn, writeTx{w.c}))
		}
	}
}

// commit runs a batch and answers each of its requests.
func (w *writer) commit(batch []*request) {
	ctx := context.Background() // a commit is nobody's alone
	var failed error
	defer func() { w.c.doubt(ctx, failed) }()
	if _, err := w.c.Exec(ctx, `BEGIN IMMEDIATE`); err != nil {
		failed = err
		answer(batch, err)
		return
	}
	var written []*request
	for i, r := range batch {
		whole, err := w.attempt(ctx, r)
		failed = errors.Join(failed, err)
		switch {
		case err == nil:
			written = append(written, r)
		case whole:
			answer([]*request{r}, err)
		default: // SQLite undid the whole transaction (a full disk does that), or the rest of it is to be undone
			_, _ = w.c.Exec(ctx, `ROLLBACK`)
			answer(append(written, batch[i:]...), err)
			return
		}
	}
	_, err := w.c.Exec(ctx, `COMMIT`)
	if err != nil {
		failed = errors.Join(failed, err)
		_, _ = w.c.Exec(ctx, `ROLLBACK`) // the failure may have done so itself
	}
	for _, r := range written {
		w.since += r.size
	}
	answer(written, err)
}

func answer(batch []*request, err error) {
	for _, r := range batch {
		r.err = err
		close(r.done)
	}
}

// attempt runs one write under a savepoint. whole tells whether the transaction around it still stands.
func (w *writer) attempt(ctx context.Context, r *request) (whole bool, err error) {
	if err := r.ctx.Err(); err != nil {
		return true, mapped(err)
	}
	if _, err := w.c.Exec(ctx, `SAVEPOINT one`); err != nil {
		return false, err
	}
	err = guarded(r.fn, writeTx{w.c})
	if err != nil {
		if _, back := w.c.Exec(ctx, `ROLLBACK TO one`); back != nil {
			return false, err
		}
	}
	if _, end := w.c.Exec(ctx, `RELEASE one`); end != nil {
		return false, end
	}
	return true, err
}

// writeTx is the connection as a write sees it. Its statements do not end with the caller's context: an interrupt could
// hit the statement of the next in line.
type writeTx struct{ *conn }

func (t writeTx) Exec(ctx context.Context, query string, args ...any) (int64, error) {
	return t.conn.Exec(context.WithoutCancel(ctx), query, args...)
}

func (t writeTx) Query(ctx context.Context, query string, args ...any) (store.Rows, error) {
	return t.conn.Query(context.WithoutCancel(ctx), query, args...)
}

func (t writeTx) QueryAll(ctx context.Context, queries ...store.Query) error {
	return t.conn.QueryAll(context.WithoutCancel(ctx), queries...)
}

func (t writeTx) ExecAll(ctx context.Context, query string, args [][]any) error {
	return t.conn.ExecAll(context.WithoutCancel(ctx), query, args)
}

func (t writeTx) QueryRow(ctx context.Context, query string, args []any, dest ...any) error {
	return t.conn.QueryRow(context.WithoutCancel(ctx), query, args, dest...)
}

// guarded keeps a panic of one write from taking the writer, and with it every other, down.
func guarded(fn func(store.Tx) error, tx store.Tx) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = recaller.Wrap(recaller.Internal, panicked{debug.Stack()}, "a write failed")
		}
	}()
	return fn(tx)
}

// panicked tells where, not with what: the value may hold what people said.
type panicked struct{ stack []byte }

func (p panicked) Error() string { return "panic in a write\n" + string(p.stack) }
