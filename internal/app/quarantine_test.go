package app

import (
	"bytes"
	"context"
	"database/sql"
	"log/slog"
	"path/filepath"
	"sync"
	"testing"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
)

// journal is a log that can be read while it is written.
type journal struct {
	mu  sync.Mutex // guards buf
	buf bytes.Buffer
}

func (j *journal) Write(line []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.buf.Write(line)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.buf.String()
}

// keyRow takes the key of a caller out of a key store, as if it was older than the caller; back puts it in again, into a
// store that may be in use.
func keyRow(t *testing.T, dir, caller string) (back func()) {
	t.Helper()
	run := func(query string, args ...any) (fingerprint string, wrapped []byte) {
		t.Helper()
		db, err := sql.Open("sqlite", filepath.Join(dir, keysDir, keysFile)+"?_pragma=busy_timeout(5000)")
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = db.Close() }()
		err = db.QueryRowContext(context.Background(), query, args...).Scan(&fingerprint, &wrapped)
		if err != nil {
			t.Fatal(err)
		}
		return fingerprint, wrapped
	}
	fingerprint, wrapped := run(`DELETE FROM keys WHERE caller = ? RETURNING fingerprint, wrapped`, caller)
	return func() {
		run(`INSERT INTO keys (tenant, caller, fingerprint, wrapped) VALUES ('default', ?, ?, ?)
			RETURNING fingerprint, wrapped`, caller, fingerprint, wrapped)
	}
}

// Spec section 5, "keys older than the data": the keys were restored from a backup from before a caller came. He is
// quarantined and named, his call goes on, and nobody else notices. With the key put back all of it is there.
func TestKeysThatAreOlderThanTheData(t *testing.T) {
	dir := t.TempDir()
	var ana, ben client.StartResponse
	t.Run("before", func(t *testing.T) {
		h := build(t, dir, Options{}).start()
		for _, of := range []*client.StartResponse{&ana, &ben} {
			*of = h.ring(map[bool]string{true: "+14155550100", false: "+14155550101"}[of == &ana])
			h.say(of.Conversation.ID, "The fence at 4 Elm Road needs a repair.")
			h.hangUp(of.Conversation.ID)
			h.writtenUp(of.Conversation.ID)
		}
		open := h.ring("+14155550101") // nobody ends it before the process does
		h.say(open.Conversation.ID, "And the roof.")
	})
	back := keyRow(t, dir, ben.Caller.ID)
	log := &journal{}
	h := build(t, dir, Options{Log: slog.New(slog.NewTextHandler(log, nil))}).start()
	h.app.quarantined(t.Context())
	holds(t, "the log", log.String(), ben.Caller.ID, "!"+ana.Caller.ID)

	again := h.ring("+14155550101")
	if !again.Briefing.Degraded || again.Briefing.Reason != "key missing" {
		t.Errorf("got a briefing %+v, want one that is degraded, because the key is missing", again.Briefing)
	}
	h.say(again.Conversation.ID, "It is me again.")
	h.hangUp(again.Conversation.ID)
	h.othersGoOn(ana, ben)
	if waiting := h.app.conversations.FlushHeld(t.Context()); waiting != 0 {
		t.Errorf("%d conversations wait for the store, want none: it is there", waiting)
	}
	_, err := h.Caller(t.Context(), ben.Caller.ID)
	wantStatus(t, err, 503)
	holds(t, "what is said of him", err.Error(), ben.Caller.ID, "key")

	back()
	h.app.conversations.FlushHeld(t.Context())
	rec := h.read(again.Conversation.ID)
	if rec.Conversation.CallerID != ben.Caller.ID || rec.Conversation.Status != recaller.Completed {
		t.Errorf("got %+v, want the call that was held, as his", rec.Conversation)
	}
	holds(t, "his briefing", h.ring("+14155550101").Briefing.Text, "A returning caller", "Elm Road")
}

// othersGoOn wants lists and search to go on without a caller, and to say so.
func (h *house) othersGoOn(ana, ben client.StartResponse) {
	h.t.Helper()
	ctx := h.t.Context()
	holds(h.t, "the other's briefing", h.ring("+14155550100").Briefing.Text, "A returning caller", "Elm Road")
	if new := h.ring("+14155550102"); !new.Caller.FirstTime || new.Briefing.Degraded {
		h.t.Errorf("got %+v, want a new caller's call", new)
	}
	callers, err := h.Callers(ctx, client.Page{})
	if err != nil || len(callers.Callers) != 3 {
		h.t.Fatalf("got %d callers, %v; want 3", len(callers.Callers), err)
	}
	for _, c := range callers.Callers {
		if c.Unreadable != (c.ID == ben.Caller.ID) {
			h.t.Errorf("%s is listed as unreadable: %v", c.ID, c.Unreadable)
		}
	}
	found, err := h.SearchConversations(ctx, client.SearchRequest{Query: "fence repair"})
	if err != nil || len(found.Results) != 1 || found.Results[0].ConversationID != ana.Conversation.ID || found.Unreadable != 1 {
		h.t.Errorf("got %+v, %v; want the other's conversation, and that one is unreadable", found, err)
	}
}
