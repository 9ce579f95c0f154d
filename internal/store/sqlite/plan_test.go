package sqlite_test

import (
	"context"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/store"
	"github.com/recallerhq/recaller/internal/store/sqlite"
	"github.com/recallerhq/recaller/internal/store/storetest"
	"github.com/recallerhq/recaller/internal/vault"
)

// listener is an engine that remembers what it was asked.
type listener struct {
	*sqlite.Engine
	mu    *sync.Mutex
	asked map[string]int // the statements, with how many arguments they have
}

func (l listener) Read(ctx context.Context, tenant recaller.TenantID, fn func(store.Tx) error) error {
	return l.Engine.Read(ctx, tenant, func(tx store.Tx) error { return fn(overheard{tx, l}) })
}

func (l listener) ReadSystem(ctx context.Context, fn func(store.Tx) error) error {
	return l.Engine.ReadSystem(ctx, func(tx store.Tx) error { return fn(overheard{tx, l}) })
}

func (l listener) Write(ctx context.Context, tenant recaller.TenantID, fn func(store.Tx) error) error {
	return l.Engine.Write(ctx, tenant, func(tx store.Tx) error { return fn(overheard{tx, l}) })
}

func (l listener) WriteSystem(ctx context.Context, fn func(store.Tx) error) error {
	return l.Engine.WriteSystem(ctx, func(tx store.Tx) error { return fn(overheard{tx, l}) })
}

type overheard struct {
	store.Tx
	by listener
}

func (o overheard) note(query string, args []any) {
	o.by.mu.Lock()
	defer o.by.mu.Unlock()
	o.by.asked[query] = len(args)
}

func (o overheard) Exec(ctx context.Context, query string, args ...any) (int64, error) {
	o.note(query, args)
	return o.Tx.Exec(ctx, query, args...)
}

func (o overheard) Query(ctx context.Context, query string, args ...any) (store.Rows, error) {
	o.note(query, args)
	return o.Tx.Query(ctx, query, args...)
}

func (o overheard) QueryRow(ctx context.Context, query string, args []any, dest ...any) error {
	o.note(query, args)
	return o.Tx.QueryRow(ctx, query, args, dest...)
}

// TestEveryStatementHasAnIndex asks SQLite how it would carry out each statement that the stories make the store send:
// with a million memories none may read a whole table, or all of a tenant's rows of one. Every statement but those
// across tenants names the tenant, too.
func TestEveryStatementHasAnIndex(t *testing.T) { //nolint:tparallel // the stories come first
	t.Parallel()
	l := listener{mu: &sync.Mutex{}, asked: map[string]int{}}
	t.Run("stories", func(t *testing.T) {
		storetest.Run(t, func(t *testing.T) storetest.Opened {
			e := open(t, filepath.Join(t.TempDir(), "recaller.db"), sqlite.Options{})
			v := openVault(t, filepath.Join(t.TempDir(), "keys.db"), vault.NewKey())
			mine := listener{e, l.mu, l.asked}
			return storetest.Opened{Store: store.New(mine, v), Vault: v, Engine: e, CallerTables: func() []string { return tablesWith(t, e, "caller_id") }}
		})
	})
	e := open(t, filepath.Join(t.TempDir(), "recaller.db"), sqlite.Options{})
	ctx := context.Background()
	for query, n := range l.asked {
		across := strings.Contains(query, "FROM jobs") || strings.HasPrefix(query, "UPDATE jobs") || strings.Contains(query, "FROM tenants") || strings.Contains(query, "tenants SET")
		if !across && !strings.Contains(query, "tenant_id = $1") && !strings.HasPrefix(query, "INSERT INTO") {
			t.Errorf("names no tenant: %s", query)
		}
		if strings.HasPrefix(query, "SELECT count(*) FROM jobs") || strings.HasPrefix(query, "SELECT id FROM tenants") || strings.Contains(query, "FROM api_keys") {
			continue // they are about all rows, or very few
		}
		err := e.ReadSystem(ctx, func(tx store.Tx) error {
			rows, err := tx.Query(ctx, `EXPLAIN QUERY PLAN `+query, make([]any, n)...)
			if err != nil {
				return err
			}
			defer rows.Close()
			for rows.Next() {
				var id, parent, unused int
				var step string
				if err := rows.Scan(&id, &parent, &unused, &step); err != nil {
					return err
				}
				if wasteful(step) {
					t.Errorf("%s\n\t%s", step, query)
				}
			}
			return rows.Err()
		})
		if err != nil {
			t.Errorf("%s: %v", query, err)
		}
	}
	if len(l.asked) < 50 {
		t.Errorf("only %d statements were overheard", len(l.asked))
	}
}

// wasteful reports whether a step of a plan reads a whole table, or by nothing more than the tenant.
func wasteful(step string) bool {
	if strings.HasPrefix(step, "SCAN") {
		return !strings.Contains(step, "INDEX jobs_") && !strings.Contains(step, "(subquery") && !strings.Contains(step, "CONSTANT ROW") && !strings.Contains(step, "VALUES CLAUSE") && step != "SCAN n" && step != "SCAN h"
	}
	return strings.HasSuffix(step, "(tenant_id=?)")
}
