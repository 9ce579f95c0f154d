package e2e

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/recallerhq/recaller/internal/pgtest"
	"github.com/recallerhq/recaller/internal/store/postgres"
	"github.com/recallerhq/recaller/internal/vault/keytable"
)

// backing is what a server keeps its data in.
type backing string

const (
	onSQLite   backing = "sqlite"
	onPostgres backing = "postgres"
)

// onBothStores tells a story of each store.
func onBothStores(t *testing.T, story func(t *testing.T, on backing)) {
	t.Helper()
	for _, on := range []backing{onSQLite, onPostgres} {
		t.Run(string(on), func(t *testing.T) {
			t.Parallel()
			story(t, on)
		})
	}
}

// masterKey is the key-encryption key of the servers on Postgres.
const masterKey = "6d1f0c9a5be84c6f8a3d2e7b90c4f15a6d1f0c9a5be84c6f8a3d2e7b90c4f15a"

// serveIn starts a server on a store of its own.
func serveIn(t testing.TB, on backing, env ...string) *server {
	t.Helper()
	if on == onSQLite {
		return serve(t, env...)
	}
	db := pgtest.Prepared(t, schemas(t), migrate)
	s := serve(t, append(onDatabase(db), env...)...)
	s.db = db
	return s
}

// tables copies every table of a database, byte for byte, by name.
func tables(t testing.TB, db pgtest.Database) map[string][]byte {
	t.Helper()
	c, err := pgx.Connect(t.Context(), db.Super)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close(context.Background()) }()
	rows, err := c.Query(t.Context(), `SELECT schemaname || '.' || tablename FROM pg_tables WHERE schemaname IN ('public', 'recaller_keys')`)
	if err != nil {
		t.Fatal(err)
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]byte{}
	for _, name := range names {
		var out bytes.Buffer
		if _, err := c.PgConn().CopyTo(t.Context(), &out, `COPY (SELECT * FROM `+name+`) TO STDOUT (FORMAT binary)`); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		all[name] = out.Bytes()
	}
	return all
}

// settings are the environment of a server on a store.
func (on backing) settings(t testing.TB) []string {
	t.Helper()
	if on == onSQLite {
		return nil
	}
	return onDatabase(pgtest.Prepared(t, schemas(t), migrate))
}

// onDatabase is the environment of a server on a database.
func onDatabase(db pgtest.Database) []string {
	return []string{"RECALLER_DATABASE_URL=" + db.App, "MEMORY_ENCRYPTION_KEY=" + masterKey}
}

// migrate makes the schemas of data and keys.
func migrate(ctx context.Context, db pgtest.Database) error {
	return errors.Join(postgres.Migrate(ctx, db.Owner, db.AppRole()), keytable.Migrate(ctx, db.Owner, db.AppRole()))
}

// schemas is the text of what migrate makes: it changes when that does.
func schemas(t testing.TB) string {
	t.Helper()
	var all strings.Builder
	for _, pattern := range []string{"../store/postgres/migration/*.sql", "../store/postgres/migrate.go", "../vault/keytable/*.go", "../vault/keytable/*/*.sql"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			raw, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			all.Write(raw)
		}
	}
	return all.String()
}
