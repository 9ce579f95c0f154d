package app

import (
	"crypto/sha256"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/pgtest"
	"github.com/recallerhq/recaller/internal/store"
)

// Somebody writes the database and has no key: what the API says then.
func TestWhoWritesTheDatabaseMintsNoKeyAndChangesNoTurn(t *testing.T) {
	t.Parallel()
	const key = "MEMORY_ENCRYPTION_KEY=000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
	t.Run("sqlite", func(t *testing.T) { t.Parallel(); forged(t) })
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		db := pgtest.Empty(t)
		env := []string{"RECALLER_DATABASE_URL=" + db.App, "RECALLER_OWNER_DATABASE_URL=" + db.Owner, key}
		if err := Migrate(t.Context(), settings(t, t.TempDir(), env...)); err != nil {
			t.Fatal(err)
		}
		forged(t, env...)
	})
}

func forged(t *testing.T, env ...string) {
	ctx := t.Context()
	h := build(t, t.TempDir(), Options{}, env...)
	run := func(statement string, args ...any) {
		t.Helper()
		err := h.store.Engine.Write(ctx, recaller.DefaultTenant, "", func(tx store.Tx) error {
			n, err := tx.Exec(ctx, statement, args...)
			if err == nil && n == 0 {
				t.Errorf("%s changed nothing", statement)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	key, err := h.CreateKey(ctx, client.KeyInput{Scope: recaller.ScopeRead, Label: "reader"})
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(h.app.Handler())
	defer srv.Close()
	refused := func(secret string) {
		t.Helper()
		as, err := client.New(srv.URL, secret, client.WithRetries(0))
		if err != nil {
			t.Fatal(err)
		}
		_, err = as.Keys(ctx)
		wantStatus(t, err, http.StatusUnauthorized)
	}
	run(`UPDATE api_keys SET scope = 'admin' WHERE tenant_id = 'default' AND id = $1`, key.Key.ID)
	refused(key.APIKey)
	const mine = "rk_default_mine"
	sum := sha256.Sum256([]byte("recaller api key\x00" + mine))
	run(`UPDATE api_keys SET scope = 'read', hash = $2 WHERE tenant_id = 'default' AND id = $1`, key.Key.ID, sum[:])
	refused(mine)

	id := h.ring("+14155550133").Conversation.ID
	h.say(id, "Good morning.")
	h.say(id, "I keep bees.")
	h.say(id, "And wasps.")
	run(`UPDATE turns SET speaker = 'assistant' WHERE tenant_id = 'default' AND conversation_id = $1 AND number = 0`, id)
	run(`DELETE FROM turns WHERE tenant_id = 'default' AND conversation_id = $1 AND number = 2`, id)
	rec := h.read(id)
	if len(rec.Turns) != 1 || rec.Turns[0].Text != "I keep bees." || rec.Damaged != 2 {
		t.Errorf("got %d turns and %d damaged rows, want the one that nobody touched and 2", len(rec.Turns), rec.Damaged)
	}
}
