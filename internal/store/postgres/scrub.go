package postgres

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/store"
)

// Deleted rows are written anew with the others while a transaction may still see them.
const (
	scrubPatience = 2 * time.Minute // with such transactions, for each table
	scrubPause    = 250 * time.Millisecond
)

// ScrubTables has the tables written anew that hold something of callers that is not sealed, with their indexes, so
// that nothing of rows that were deleted is left in their files. url is of the role that owns them. Each table is
// locked meanwhile, for reading too. It fails with Unavailable where a transaction that does not end keeps deleted rows
// from going. The write-ahead log and the copies of it are not reached. A plain VACUUM is not enough: it moves the rows
// of a page together and leaves what was there before.
func ScrubTables(ctx context.Context, url string) error {
	pool, err := poolConfig(url, Options{})
	if err != nil {
		return err
	}
	cfg := pool.ConnConfig.Copy()
	kept := 0
	cfg.OnNotice = func(_ *pgconn.PgConn, n *pgconn.Notice) { kept += deadKept(n.Detail) }
	c, err := pgx.ConnectConfig(ctx, cfg)
	if err != nil {
		return mapped(err)
	}
	defer func() { _ = c.Close(context.WithoutCancel(ctx)) }() // and with it the lock
	if err := lock(ctx, c); err != nil {
		return err
	}
	for _, table := range store.Readable() {
		for end := time.Now().Add(scrubPatience); ; {
			kept = 0
			if _, err := c.Exec(ctx, `VACUUM (FULL, VERBOSE, ANALYZE) `+pgx.Identifier{table}.Sanitize()); err != nil {
				return mapped(err)
			}
			if kept == 0 {
				break
			}
			if time.Now().After(end) {
				return recaller.Errorf(recaller.Unavailable, "a transaction that does not end still sees deleted rows of %s: end it, and try again", table)
			}
			select {
			case <-ctx.Done():
				return mapped(ctx.Err())
			case <-time.After(scrubPause):
			}
		}
	}
	return nil
}

// deadKept reads how many deleted rows were written anew. Only that notice has a detail, which begins with the number
// in English; in other languages it is the first number.
func deadKept(detail string) int {
	numbers := strings.FieldsFunc(detail, func(r rune) bool { return r < '0' || r > '9' })
	if len(numbers) == 0 {
		return 0
	}
	n, _ := strconv.Atoi(numbers[0]) // of digits alone
	return n
}
