package postgres_test

import (
	"context"
	"testing"

	"github.com/recallerhq/recaller/internal/store"
	"github.com/recallerhq/recaller/internal/store/postgres"
	"github.com/recallerhq/recaller/internal/store/postgres/postgrestest"
	"github.com/recallerhq/recaller/internal/vault"
	"github.com/recallerhq/recaller/internal/vault/vaulttest"
)

// open opens an engine that is closed with the test.
func open(t testing.TB, url string) *postgres.Engine {
	t.Helper()
	return openAs(t, url, postgres.Options{Connections: 8})
}

func openAs(t testing.TB, url string, opts postgres.Options) *postgres.Engine {
	t.Helper()
	e, err := postgres.Open(t.Context(), url, postgrestest.Secrets(), opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return e
}

func newVault(t testing.TB) *vault.Vault {
	t.Helper()
	ring, err := vault.NewRing(vault.NewKey())
	if err != nil {
		t.Fatal(err)
	}
	return vault.New(ring, vaulttest.NewMemory(), vault.Options{})
}

func tablesWith(t testing.TB, e *postgres.Engine, column string) (tables []string) {
	t.Helper()
	err := e.ReadSystem(context.Background(), func(tx store.Tx) error {
		return tx.QueryAll(context.Background(), store.Query{
			SQL:  `SELECT table_name FROM information_schema.columns WHERE table_schema = 'public' AND column_name = $1`,
			Args: []any{column},
			Row: func(scan func(...any) error) error {
				var name string
				err := scan(&name)
				tables = append(tables, name)
				return err
			},
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return tables
}
