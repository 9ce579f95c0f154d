package sqlite_test

import (
	"context"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/store"
	"github.com/recallerhq/recaller/internal/store/sqlite"
	"github.com/recallerhq/recaller/internal/store/storetest"
	"github.com/recallerhq/recaller/internal/vault"
)

// TestStore tells the stories of every store. Then it asks SQLite how it would carry out each statement that they made
// the store send: with a million memories none may read a whole table, or all of a tenant's rows of one. Every statement
// but those across tenants names the tenant, too.
func TestStore(t *testing.T) { //nolint:tparallel // the stories come first
	t.Parallel()
	var l storetest.Listener
	t.Run("stories", func(t *testing.T) {
		storetest.Run(t, func(t *testing.T) storetest.Opened {
			e := open(t, filepath.Join(t.TempDir(), "recaller.db"), sqlite.Options{})
			v := openVault(t, filepath.Join(t.TempDir(), "keys.db"), vault.NewKey())
			return storetest.Opened{Store: store.New(l.To(e), v), Vault: v, Engine: e, CallerTables: func() []string { return tablesWith(t, e, "caller_id") }}
		})
	})
	asked := l.Asked()
	explained(t, asked)
	if len(asked) < 50 {
		t.Errorf("only %d statements were overheard", len(asked))
	}
}

// usesTheIndexes has documents searched by every filter where it leaves too few for a look among the nearest or the newest
// to be enough.
func (c *crowd) usesTheIndexes(t *testing.T) {
	t.Helper()
	var l storetest.Listener
	e := l.To(c.e)
	read := func(ctx context.Context, fn func(store.Tx) error) error { return e.Read(ctx, "t", "", fn) }
	for _, among := range storetest.FewOf(&c.Population) {
		_, err := e.Similar(t.Context(), read, store.Nearest{Among: among, Tenant: "t", Embedding: recaller.Embedding{Model: "m", Vector: c.Vector(0)}, Limit: 100})
		c.ok(err)
		_, err = e.Matching(t.Context(), read, store.Matching{Among: among, Tenant: "t", Tokens: storetest.Queries()["frequent"], Limit: 1000})
		c.ok(err)
	}
	asked := l.Asked()
	for _, table := range []string{"document_embeddings_key", "document_words w ON"} {
		if !slices.ContainsFunc(slices.Collect(maps.Keys(asked)), func(q string) bool { return strings.Contains(q, table) }) {
			t.Errorf("no search was carried out by %s: this test looks at the wrong ones", table)
		}
	}
	explained(t, asked)
}

// explained asks SQLite how it would carry out statements, and wants none to be wasteful.
func explained(t *testing.T, asked map[string]int) {
	t.Helper()
	e := open(t, filepath.Join(t.TempDir(), "recaller.db"), sqlite.Options{})
	ctx := context.Background()
	for query, n := range asked {
		across := strings.Contains(query, "FROM jobs") || strings.HasPrefix(query, "UPDATE jobs") || strings.Contains(query, "FROM tenants") || strings.Contains(query, "tenants SET") || strings.Contains(query, "FROM tenant_numbers") || strings.Contains(query, "FROM conversation_tokens") || strings.Contains(query, "FROM document_tokens")
		if !across && !strings.Contains(query, "tenant_id = $1") && !strings.HasPrefix(query, "INSERT INTO") {
			t.Errorf("names no tenant: %s", query)
		}
		if strings.HasPrefix(query, "SELECT count(*) FROM jobs") || strings.HasPrefix(query, "SELECT id FROM tenants") || strings.Contains(query, "FROM api_keys") || strings.Contains(query, "FROM tenant_numbers") || strings.HasPrefix(query, "SELECT count(*) FROM (") {
			continue // they are about all rows, very few, or no more than a bound
		}
		past := storetest.ReadsWaiting(query)
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
				past = past && !strings.Contains(step, "INDEX reminders_waiting")
			}
			return rows.Err()
		})
		if err != nil {
			t.Errorf("%s: %v", query, err)
		}
		if past {
			t.Errorf("reads the reminders that are past too: %s", query)
		}
	}
}

// wasteful reports whether a step of a plan reads a whole table, or by nothing more than the tenant.
func wasteful(step string) bool {
	if strings.HasPrefix(step, "SCAN") {
		if strings.Contains(step, "VIRTUAL TABLE INDEX") { // a list of ids that is a parameter, or what matches tokens, which are one tenant's
			return !strings.HasPrefix(step, "SCAN j ") && !strings.HasSuffix(step, ":M0") && !strings.HasSuffix(step, ":=M0")
		}
		return !strings.Contains(step, "INDEX jobs_") && !strings.Contains(step, "(subquery") && !strings.Contains(step, "CONSTANT ROW") && !strings.Contains(step, "VALUES CLAUSE") && step != "SCAN n" && step != "SCAN h"
	}
	if step == "SEARCH c USING INDEX documents_pinned (tenant_id=?)" {
		return false // it has the pinned ones alone
	}
	// The vectors of conversations that are known are read by their key, not out of all by the model.
	return strings.HasSuffix(step, "(tenant_id=?)") || strings.HasPrefix(step, "SEARCH e USING INDEX conversation_embeddings_new") || strings.HasPrefix(step, "SEARCH e USING INDEX document_embeddings_new")
}
