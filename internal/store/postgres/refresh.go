package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// Refresh implements store.Engine: one table after the other, each in a transaction of its own.
func (e *Engine) Refresh(ctx context.Context) error {
	c, err := e.acquire(ctx)
	if err != nil {
		return err
	}
	defer c.Release()
	rows, err := c.Query(ctx, `SELECT relname::text FROM pg_class
		WHERE relnamespace = 'public'::regnamespace AND relrowsecurity AND relkind IN ('r', 'p')`)
	if err != nil {
		return mapped(err)
	}
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return mapped(err)
	}
	for _, table := range tables {
		if _, err := c.Exec(ctx, `SELECT recaller_wall.analyze($1)`, table); err != nil {
			return mapped(err)
		}
	}
	return nil
}
