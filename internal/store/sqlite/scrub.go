package sqlite

import (
	"context"
	"sync"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/durable"
	"github.com/recallerhq/recaller/internal/store"
)

// What a deleted row leaves behind, and who takes it away (ADR 34):
//
//	the row's own bytes, and pages that are free   secure_delete overwrites them with the commit
//	copies in pages from which rows were moved     wash
//	the terms of the indexes of words               mergeWords: FTS5 only notes that they are gone
//	the log, which has the pages as they were      emptyLog, last
//	the vectors in memory                          matrices.sweep
const (
	mergePages = 100 // of the index of words that one write merges: some ten milliseconds
	washRead   = 512 // pages that are looked at in one snapshot
	washWrite  = 64  // pages that one write cleans
	logTries   = 10  // at emptying the log, where a reader is in the way
	logPause   = 50 * time.Millisecond
	scrubLimit = 10 * time.Minute // of one round; who waits for it may leave earlier
)

// Scrub implements store.Engine. It works in small steps between which others write. Those who ask while it runs share
// the next round.
func (e *Engine) Scrub(ctx context.Context) ([]recaller.Remain, error) {
	if e.writer == nil {
		return nil, recaller.Errorf(recaller.Unavailable, "the database is open for reading alone")
	}
	return e.scrubs.next(ctx, e.scrub)
}

func (e *Engine) scrub(ctx context.Context) (remains []recaller.Remain, err error) {
	if err := e.matrices.sweep(ctx, e.ReadSystem); err != nil {
		return nil, err
	}
	merged := true
	for _, thing := range store.Things() {
		done, err := e.mergeWords(ctx, tokensOf(thing))
		if err != nil {
			return nil, err
		}
		merged = merged && done
	}
	if !merged {
		remains = append(remains, recaller.RemainIndex)
	}
	if err := e.wash(ctx); err != nil {
		return nil, err
	}
	whole, err := e.emptyLog(ctx)
	if err != nil {
		return nil, err
	}
	if !whole {
		remains = append(remains, recaller.RemainLog)
	}
	return remains, nil
}

// firstTombstone is the first id by which FTS5 notes in its table of data that rows of a segment are gone. The ids of
// segments, which are below 2^16, are the upper bits; those of their tombstones are 2^16 higher.
const firstTombstone = int64(1) << (16 + 37)

// mergeWords has the segments of an index of words that hold erased rows written anew without them. It reports false where
// deletions by others kept it from coming to an end.
func (e *Engine) mergeWords(ctx context.Context, index string) (done bool, err error) {
	var pages int
	err = e.ReadSystem(ctx, func(tx store.Tx) error {
		return tx.QueryRow(ctx, `SELECT count(*) FROM `+index+`_data`, nil, &pages)
	})
	// A merge reads and writes all pages once. The second time is for what is deleted meanwhile.
	for steps := 2*pages/mergePages + 10; err == nil && !done && steps > 0; steps-- {
		err = e.writer.bulk(ctx, func(tx store.Tx) error {
			err := tx.QueryRow(ctx, `SELECT NOT EXISTS (SELECT 1 FROM `+index+`_data WHERE id >= $1)`,
				[]any{firstTombstone}, &done)
			if err != nil || done {
				return err
			}
			_, err = tx.Exec(ctx, `INSERT INTO `+index+` (`+index+`, rank) VALUES ('merge', $1)`,
				-mergePages)
			return err
		})
	}
	return done, err
}

// emptyLog copies the log into the database and cuts it to nothing, durably: SQLite does not sync the cut, and a power
// cut could bring the log back. Readers may be in the way for a while; it reports false where they stay.
func (e *Engine) emptyLog(ctx context.Context) (whole bool, err error) {
	for try := range logTries {
		err = e.writer.between(ctx, func(tx store.Tx) error {
			whole, err = emptied(ctx, tx)
			if err == nil && whole {
				err = unwritten(durable.SyncFile(e.writer.log))
			}
			return err
		})
		if err != nil || whole || try == logTries-1 {
			break
		}
		select {
		case <-ctx.Done():
			return false, mapped(ctx.Err())
		case <-time.After(logPause):
		}
	}
	return whole, err
}

// rounds runs one scrubbing at a time. The zero value is usable.
type rounds struct {
	turn sync.Mutex // held while a round runs
	all  sync.WaitGroup

	mu      sync.Mutex // guards what follows
	coming  *round
	running context.CancelFunc
	stopped bool
}

// round is one scrubbing, for all who asked before it began.
type round struct {
	done    chan struct{}
	remains []recaller.Remain
	err     error
}

// next runs the next round, or waits for it where somebody asked for it already. A round goes on where nobody waits for
// it any more.
func (s *rounds) next(
	ctx context.Context, run func(context.Context) ([]recaller.Remain, error),
) ([]recaller.Remain, error) {
	s.mu.Lock()
	if s.stopped {
		s.mu.Unlock()
		return nil, closed()
	}
	r := s.coming
	if r == nil {
		r = &round{done: make(chan struct{})}
		s.coming = r
		s.all.Go(func() { s.run(context.WithoutCancel(ctx), r, run) })
	}
	s.mu.Unlock()
	select {
	case <-r.done:
		return r.remains, r.err
	case <-ctx.Done():
		return nil, mapped(ctx.Err())
	}
}

func (s *rounds) run(ctx context.Context, r *round, run func(context.Context) ([]recaller.Remain, error)) {
	s.turn.Lock()
	defer s.turn.Unlock()
	defer close(r.done)
	ctx, cancel := context.WithTimeout(ctx, scrubLimit)
	defer cancel()
	s.mu.Lock()
	s.coming, s.running = nil, cancel
	stopped := s.stopped
	s.mu.Unlock()
	if stopped {
		r.err = closed()
		return
	}
	r.remains, r.err = run(ctx)
}

// stop ends the round that runs and those that wait.
func (s *rounds) stop() {
	s.mu.Lock()
	s.stopped = true
	if s.running != nil {
		s.running()
	}
	s.mu.Unlock()
	s.all.Wait()
}
