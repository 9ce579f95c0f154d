// Package postgrestest gives tests Postgres databases that have the store's schema.
//
// It is for tests only.
package postgrestest

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/recallerhq/recaller/internal/pgtest"
	"github.com/recallerhq/recaller/internal/store/postgres"
)

// Database returns a database with the current schema and nothing in it.
func Database(t testing.TB) pgtest.Database {
	t.Helper()
	return pgtest.Prepared(t, schema(t), Migrate)
}

// Migrate makes the schema in a database.
func Migrate(ctx context.Context, db pgtest.Database) error {
	return postgres.Migrate(ctx, db.Owner, db.AppRole())
}

// schema is the text of the migrations and of what grants rights on them: it changes when a database of today would.
func schema(t testing.TB) string {
	t.Helper()
	_, here, _, ok := runtime.Caller(0)
	if !ok {
		t.Fatal("where this file is cannot be told")
	}
	dir := filepath.Dir(filepath.Dir(here))
	files, err := filepath.Glob(filepath.Join(dir, "migration", "*.sql"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no migrations: %v", err)
	}
	var all strings.Builder
	for _, f := range append(files, filepath.Join(dir, "migrate.go")) {
		raw, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(raw)
	}
	return all.String()
}

// Secrets has the secret that the walls of tests' databases are made with.
func Secrets() postgres.Secrets { return secrets{} }

type secrets struct{}

func (secrets) WallSecret(context.Context) ([]byte, error) { return bytes.Repeat([]byte{7}, 32), nil }

func (s secrets) MakeWallSecret(ctx context.Context) ([]byte, error) { return s.WallSecret(ctx) }
