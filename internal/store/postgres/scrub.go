package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/recallerhq/recaller/internal/store"
)

// ScrubTables has the tables written anew that hold something of callers that is not sealed, with their indexes, so
// that nothing of rows that were deleted is left in their files. url is of the role that owns them. Each table is
// locked meanwhile, for reading too. The write-ahead log and the copies of it are not reached. A plain VACUUM is not
// enough: it moves the rows of a page together and leaves what was there before.
func ScrubTables(ctx context.Context, url string) error {
	cfg, err := poolConfig(url, Options{})
	if err != nil {
		return err
	}
	c, err := pgx.ConnectConfig(ctx, cfg.ConnConfig.Copy())
	if err != nil {
		return mapped(err)
	}
	defer func() { _ = c.Close(context.WithoutCancel(ctx)) }() // and with it the lock
	if err := lock(ctx, c); err != nil {
		return err
	}
	for _, table := range store.Readable() {
		if _, err := c.Exec(ctx, `VACUUM (FULL, ANALYZE) `+pgx.Identifier{table}.Sanitize()); err != nil {
			return mapped(err)
		}
	}
	return nil
}
