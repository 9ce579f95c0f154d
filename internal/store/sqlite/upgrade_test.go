package sqlite_test

import (
	"crypto/sha256"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/pressly/goose/v3"

	"github.com/recallerhq/recaller/internal/store"
	"github.com/recallerhq/recaller/internal/store/sqlite"
	"github.com/recallerhq/recaller/internal/store/storetest"
	"github.com/recallerhq/recaller/internal/vault"
)

// upgraded is a data folder as it was left at schema 1, and the store that an upgrade makes of it.
func upgraded(t *testing.T) (*storetest.Old, *store.Store) {
	t.Helper()
	dir := t.TempDir()
	path, v := filepath.Join(dir, "recaller.db"), openVault(t, filepath.Join(dir, "keys.db"), vault.NewKey())
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	o := storetest.NewOld(t, v, func(statement string, args ...any) error {
		_, err := db.ExecContext(t.Context(), statement, args...)
		return err
	})
	p, err := goose.NewProvider(goose.DialectSQLite3, db, os.DirFS("migration"))
	o.OK(err)
	_, err = p.UpTo(t.Context(), 1)
	o.OK(err)
	o.Fill()
	o.OK(db.Close())
	s := store.New(open(t, path, sqlite.Options{}), v)
	s.AcceptUnbound(true)
	return o, s
}

func TestUpgradeKeepsAllOfSchema1(t *testing.T) {
	t.Parallel()
	o, s := upgraded(t)
	calls, list := o.Kept(s)
	o.Same("no tool calls, no reminders", len(calls)+len(list), 0)
}

func TestUpgradedDataGoesOn(t *testing.T) {
	t.Parallel()
	o, s := upgraded(t)
	o.GoesOn(s, nil)
}

// TestReleasedMigrationsStay holds what databases were made with: a change of it would reach new databases only.
func TestReleasedMigrationsStay(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"0001_init.sql": "c2c867e102d0c16f61e3d09fbdbf44f8c1794234a845cf1723c5e55606f64b65",
	} {
		raw, err := os.ReadFile(filepath.Join("migration", name))
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprintf("%x", sha256.Sum256(raw)); got != want {
			t.Errorf("%s was changed: write another migration instead", name)
		}
	}
}

func TestUpgradedDataIsBound(t *testing.T) {
	t.Parallel()
	o, s := upgraded(t)
	o.IsBound(s)
}
