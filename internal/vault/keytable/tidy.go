package keytable

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

const (
	listMarked  = `SELECT DISTINCT part FROM recaller_keys.traces ORDER BY part`
	rewritePart = `SELECT recaller_keys.rewrite($1)`
)

// How long parts are waited for that cannot be written anew at once: whoever destroyed a key waits a little, a
// rotation, which has all of them to write, longer, the tidier for ever.
const (
	afterDestruction = 2 * time.Second
	afterRotation    = 15 * time.Second
	clearPause       = 10 * time.Millisecond // doubled each time, up to
	clearMost        = 250 * time.Millisecond
	tidyPause        = 2 * time.Second // doubled each time, up to
	tidyMost         = time.Minute
	tidyIdle         = 10 * time.Minute // between looks for what processes that are gone have left
)

// marked lists the tables in which former versions of rows may be left.
func (k *Keys) marked(ctx context.Context) (parts []string, err error) {
	err = k.repeat(ctx, door{system: true}, func(b *pgx.Batch) {
		b.Queue(listMarked).Query(func(rows pgx.Rows) (err error) {
			parts, err = pgx.CollectRows(rows, pgx.RowTo[string])
			return err
		})
	})
	return parts, err
}

// rewrite writes a marked table anew and reports whether nothing of former rows is left in it.
func (k *Keys) rewrite(ctx context.Context, part string) (clean bool, err error) {
	err = k.repeat(ctx, door{}, func(b *pgx.Batch) {
		b.Queue(rewritePart, part).QueryRow(func(row pgx.Row) error { return row.Scan(&clean) })
	})
	var server *pgconn.PgError
	if errors.As(err, &server) && server.Code == "55P03" { // lock_not_available: somebody uses the table
		return false, nil
	}
	return clean, err
}

// clear writes parts anew and leaves to the tidier what cannot be within moments: the marks stay, and Inspect tells of
// them.
func (k *Keys) clear(ctx context.Context, most time.Duration, parts ...string) {
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	for pause := clearPause; ; pause = min(2*pause, clearMost) {
		var left []string
		for _, part := range parts {
			clean, err := k.rewrite(ctx, part)
			if err != nil {
				k.wakeTidier()
				return
			}
			if !clean {
				left = append(left, part)
			}
		}
		if parts = left; len(parts) == 0 {
			return
		}
		select {
		case <-ctx.Done():
			k.wakeTidier()
			return
		case <-time.After(pause):
		}
	}
}

func (k *Keys) wakeTidier() {
	select {
	case k.wake <- struct{}{}:
	default: // it has been told
	}
}

// tidy writes marked parts anew until none is marked, whenever it is woken and now and then.
func (k *Keys) tidy(ctx context.Context) {
	defer close(k.done)
	for {
		select {
		case <-ctx.Done():
			return
		case <-k.wake:
		case <-time.After(tidyIdle):
		}
		for pause := tidyPause; !k.tidied(ctx); pause = min(2*pause, tidyMost) {
			select {
			case <-ctx.Done():
				return
			case <-time.After(pause):
			}
		}
	}
}

// tidied is one try at everything that is marked.
func (k *Keys) tidied(ctx context.Context) bool {
	parts, err := k.marked(ctx)
	if err != nil {
		return false
	}
	all := true
	for _, part := range parts {
		clean, err := k.rewrite(ctx, part)
		all = all && clean && err == nil
	}
	return all
}
