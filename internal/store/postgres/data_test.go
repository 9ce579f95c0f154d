package postgres_test

import (
	"context"
	"net/url"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/pgtest"
	"github.com/recallerhq/recaller/internal/store"
	"github.com/recallerhq/recaller/internal/store/postgres"
	"github.com/recallerhq/recaller/internal/store/postgres/postgrestest"
	"github.com/recallerhq/recaller/internal/store/storetest"
)

// data is a database with one tenant.
type data struct {
	*storetest.Data
	db pgtest.Database
	e  *postgres.Engine
}

func newData(t testing.TB) *data {
	t.Helper()
	db := postgrestest.Database(t)
	return dataOn(t, db, open(t, db.App))
}

func dataOn(t testing.TB, db pgtest.Database, e *postgres.Engine) *data {
	t.Helper()
	return &data{Data: storetest.NewData(t, store.New(e, newVault(t))), db: db, e: e}
}

// with adds a parameter to a URL.
func with(t testing.TB, raw, key, value string) string {
	t.Helper()
	u, err := url.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	q.Set(key, value)
	u.RawQuery = q.Encode()
	return u.String()
}

// connect connects to a database, past the engine.
func connect(t testing.TB, url string) *pgx.Conn {
	t.Helper()
	c, err := pgx.Connect(context.Background(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close(context.Background()) }) // it may be broken by then
	return c
}

// run runs statements on a connection.
func run(t testing.TB, c *pgx.Conn, statements ...string) {
	t.Helper()
	for _, s := range statements {
		if _, err := c.Exec(context.Background(), s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}

// ask asks for one value.
func ask[T any](t testing.TB, c *pgx.Conn, query string, args ...any) (v T) {
	t.Helper()
	if err := c.QueryRow(context.Background(), query, args...).Scan(&v); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return v
}

// until asks again and again until the answer is yes.
func until(t testing.TB, c *pgx.Conn, what, query string, args ...any) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !ask[bool](t, c, query, args...); {
		if time.Now().After(end) {
			t.Fatalf("waited in vain: %s", what)
		}
	}
}

// wantKind fails the test unless there is an error, of one of the kinds.
func wantKind(t testing.TB, what string, err error, kinds ...recaller.Kind) {
	t.Helper()
	storetest.WantKind(t, what, err, kinds...)
}
