package app

import (
	"crypto/sha256"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/store"
)

// Somebody writes the database and has no key: what the API says then.
func TestWhoWritesTheDatabaseMintsNoKeyAndChangesNoTurn(t *testing.T) {
	t.Parallel()
	onBoth(t, forged)
}

// overwrite changes rows behind the product's back.
func (h *house) overwrite(statement string, args ...any) {
	h.t.Helper()
	ctx := h.t.Context()
	err := h.store.Engine.Write(ctx, recaller.DefaultTenant, "", func(tx store.Tx) error {
		n, err := tx.Exec(ctx, statement, args...)
		if err == nil && n == 0 {
			h.t.Errorf("%s changed nothing", statement)
		}
		return err
	})
	if err != nil {
		h.t.Fatal(err)
	}
}

func forged(t *testing.T, env ...string) {
	ctx := t.Context()
	h := build(t, t.TempDir(), Options{}, env...)
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
	h.overwrite(`UPDATE api_keys SET scope = 'admin' WHERE tenant_id = 'default' AND id = $1`, key.Key.ID)
	refused(key.APIKey)
	const mine = "rk_default_mine"
	sum := sha256.Sum256([]byte("recaller api key\x00" + mine))
	h.overwrite(`UPDATE api_keys SET scope = 'read', hash = $2 WHERE tenant_id = 'default' AND id = $1`, key.Key.ID, sum[:])
	refused(mine)

	id := h.ring("+14155550133").Conversation.ID
	h.say(id, "Good morning.")
	h.say(id, "I keep bees.")
	h.say(id, "And wasps.")
	h.overwrite(`UPDATE turns SET speaker = 'assistant' WHERE tenant_id = 'default' AND conversation_id = $1 AND number = 0`, id)
	h.overwrite(`DELETE FROM turns WHERE tenant_id = 'default' AND conversation_id = $1 AND number = 2`, id)
	rec := h.read(id)
	if len(rec.Turns) != 1 || rec.Turns[0].Text != "I keep bees." || rec.Damaged != 2 {
		t.Errorf("got %d turns and %d damaged rows, want the one that nobody touched and 2", len(rec.Turns), rec.Damaged)
	}
}

// Somebody writes the database, has no key, and has a telephone: no row that he changes makes him another, so no call of
// his hears what another said. The other is recognised again when his row is as it was.
func TestWhoWritesTheDatabaseIsNotTakenForAnother(t *testing.T) {
	t.Parallel()
	onBoth(t, redirected)
}

func redirected(t *testing.T, env ...string) {
	ctx := t.Context()
	h := build(t, t.TempDir(), Options{}, env...)
	const hers, his = "+14155550141", "+14155550142"
	say := func(from, text string) string {
		s := h.ring(from)
		h.say(s.Conversation.ID, text)
		h.hangUp(s.Conversation.ID)
		return s.Caller.ID
	}
	her, him := say(hers, "The alarm code is Quokka."), say(his, "Hello.")
	if _, err := h.StoreMemory(ctx, her, client.MemoryInput{Type: recaller.Fact, Key: "code", Value: "The alarm code is Quokka."}); err != nil {
		t.Fatal(err)
	}
	of := func(caller string) (token, value []byte) {
		err := h.store.Engine.Read(ctx, recaller.DefaultTenant, "", func(tx store.Tx) error {
			return tx.QueryRow(ctx, `SELECT token, value FROM identities WHERE caller_id = $1`, []any{caller}, &token, &value)
		})
		if err != nil {
			t.Fatal(err)
		}
		return token, value
	}
	herToken, herValue := of(her)
	hisToken, hisValue := of(him)
	const remove, add = `DELETE FROM identities WHERE token = $1`,
		`INSERT INTO identities (tenant_id, kind, token, caller_id, value) VALUES ('default', 'phone', $1, $2, $3)`
	for what, rows := range map[string][]any{
		"his number leads to her":                       {her, hisValue},
		"his number leads to her, with her number":      {her, herValue},
		"his number is hers, whose own is gone":         {her, herValue, herToken},
		"his number leads to her, and hers to nowhere":  {her, hisValue, herToken},
		"his number leads to somebody who is not there": {"nobody", hisValue},
	} {
		h.overwrite(remove, hisToken)
		h.overwrite(add, hisToken, rows[0], rows[1])
		if len(rows) > 2 {
			h.overwrite(remove, rows[2])
		}
		call := h.ring(his)
		if b := call.Briefing; !b.Degraded || strings.Contains(b.Text, "Quokka") {
			t.Errorf("%s: he is told %q (%s)", what, b.Text, b.Reason)
		}
		if out := h.say(call.Conversation.ID, "Is anybody there?"); out.Durable {
			t.Errorf("%s: his words are stored as somebody's", what)
		}
		h.hangUp(call.Conversation.ID)
		for _, path := range []string{"/v1/callers/" + his, "/v1/callers/" + his + "/memories", "/v1/callers/" + his + "/briefing"} {
			if got := status(h, h.app.BootstrapKey(), path, nil); got == http.StatusOK {
				t.Errorf("%s: %s is answered", what, path)
			}
		}
		if len(rows) > 2 {
			h.overwrite(add, herToken, her, herValue)
		}
		if b := h.ring(hers).Briefing; b.Degraded || !strings.Contains(b.Text, "Quokka") {
			t.Errorf("%s: she is told %q (%s)", what, b.Text, b.Reason)
		}
		h.overwrite(remove, hisToken)
		h.overwrite(add, hisToken, him, hisValue)
		if waiting := h.app.conversations.FlushHeld(ctx); waiting != 0 {
			t.Errorf("%s: %d calls wait when his row is back", what, waiting)
		}
		if rec := h.read(call.Conversation.ID); rec.Conversation.CallerID != him || len(rec.Turns) != 1 {
			t.Errorf("%s: his call is with %s and has %d turns, want it to be his", what, rec.Conversation.CallerID, len(rec.Turns))
		}
	}
}
