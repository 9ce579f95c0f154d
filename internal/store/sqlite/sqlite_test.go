package sqlite_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/recallerhq/recaller/internal/store"
	"github.com/recallerhq/recaller/internal/store/sqlite"
	"github.com/recallerhq/recaller/internal/store/sqlite/sqlitetest"
	"github.com/recallerhq/recaller/internal/store/storetest"
	"github.com/recallerhq/recaller/internal/vault"
	"github.com/recallerhq/recaller/internal/vault/keyfile"
)

// open opens an engine that is closed with the test. A new file has its schema already (see sqlitetest).
func open(t testing.TB, path string, opts sqlite.Options) *sqlite.Engine {
	t.Helper()
	return closed(t, sqlitetest.Open, path, opts)
}

// closed opens an engine by open, and closes it with the test.
func closed(t testing.TB, open func(context.Context, string, sqlite.Options) (*sqlite.Engine, error), path string, opts sqlite.Options) *sqlite.Engine {
	t.Helper()
	e, err := open(context.Background(), path, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}

// manyPages makes a database of some dozen pages, closes it, and returns its bytes.
func manyPages(t testing.TB, path string) []byte {
	t.Helper()
	e, err := sqlitetest.Open(context.Background(), path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 200 {
		if err := storetest.PutJob(e, fmt.Sprint(i, strings.Repeat("x", 200))); err != nil {
			t.Fatal(err)
		}
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func openVault(t testing.TB, path, key string) *vault.Vault {
	t.Helper()
	keys, err := keyfile.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := keys.Close(); err != nil {
			t.Error(err)
		}
	})
	ring, err := vault.NewRing(key)
	if err != nil {
		t.Fatal(err)
	}
	return vault.New(ring, keys, vault.Options{})
}

// tablesWith lists the tables that have a column.
func tablesWith(t testing.TB, e *sqlite.Engine, column string) (tables []string) {
	t.Helper()
	for _, c := range columns(t, e) {
		if c.column == column {
			tables = append(tables, c.table)
		}
	}
	return tables
}

type column struct{ table, column string }

// columns lists every column of the schema.
func columns(t testing.TB, e *sqlite.Engine) (list []column) {
	t.Helper()
	ctx := context.Background()
	err := e.ReadSystem(ctx, func(tx store.Tx) error {
		rows, err := tx.Query(ctx, `SELECT s.name, c.name FROM sqlite_schema s, pragma_table_info(s.name) c WHERE s.type = 'table' ORDER BY s.name, c.cid`)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var c column
			if err := rows.Scan(&c.table, &c.column); err != nil {
				return err
			}
			list = append(list, c)
		}
		return rows.Err()
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}
