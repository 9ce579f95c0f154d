package pgtest

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"
)

// A server has so many connections, and tests run at once: none is held for a database that was made.
func TestADatabaseHoldsNoConnection(t *testing.T) {
	const name = "recaller-pgtest-holds-none"
	t.Setenv("PGAPPNAME", name)
	db := Empty(t)
	on, made := server(t), template(t, name, func(context.Context, Database) error { return nil })
	t.Cleanup(func() {
		if err := dropNamed(on, made); err != nil {
			t.Error(err)
		}
	})
	c, err := pgx.Connect(t.Context(), db.Super)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close(context.Background()) }()
	var held int
	if err := c.QueryRow(t.Context(), `SELECT count(*) FROM pg_stat_activity WHERE application_name = $1 AND pid <> pg_backend_pid()`, name).Scan(&held); err != nil || held != 0 {
		t.Errorf("got %d connections held, %v; want none", held, err)
	}
}
