package postgres

import (
	"context"

	"github.com/recallerhq/recaller"
)

// MigrateTo makes the schema as it was at an earlier version.
func MigrateTo(ctx context.Context, url, appRole string, version int64) error {
	return migrateTo(ctx, url, appRole, version)
}

// Older compares the versions of an extension.
func Older(a, b string) bool { return older(a, b) }

// TooOld tells the problem with a server's version.
func TooOld(number int, name string) string { return tooOld(number, name) }

// Hash is the keyed hash of a claim.
func Hash(of []byte, session, door, tenant, caller string) []byte {
	return secret(of).hash(session, claimed{door, recaller.TenantID(tenant), recaller.CallerID(caller)})
}

// Enter is the statement by which a transaction claims: session, door, tenant, caller, hash.
const Enter = `SELECT recaller_wall.enter($1, $2, $3, $4, $5)`

// Left tells which claims are still set on n connections, outside of any transaction.
func (e *Engine) Left(ctx context.Context, n int) (left string, err error) {
	for range n {
		c, err := e.pool.Acquire(ctx)
		if err != nil {
			return "", err
		}
		defer c.Release() // not before all have been asked
		var set string
		if err := c.QueryRow(ctx, `SELECT coalesce(current_setting('recaller.wall', TRUE), '')`).Scan(&set); err != nil {
			return "", err
		}
		left += set
	}
	return left, nil
}

// Asked tells how often the policies have asked for whom a transaction is, on the one connection of an engine.
func (e *Engine) Asked(ctx context.Context) (n int, err error) {
	c, err := e.pool.Acquire(ctx)
	if err != nil {
		return 0, err
	}
	defer c.Release()
	if _, err := c.Exec(ctx, `SELECT pg_stat_force_next_flush()`); err != nil {
		return 0, err
	}
	err = c.QueryRow(ctx, `SELECT coalesce(pg_stat_get_function_calls('recaller_wall.claimed(text)'::regprocedure), 0)`).Scan(&n)
	return n, err
}
