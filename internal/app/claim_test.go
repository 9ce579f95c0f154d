package app

import (
	"net"
	"net/http"
	"testing"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
)

// Another process has the database: this one stops serving, says why, and has written nothing since.
func TestAServerWhoseDatabaseIsTakenServesAndWritesNoMore(t *testing.T) {
	t.Parallel()
	h := build(t, t.TempDir(), Options{}, "RECALLER_SHUTDOWN_GRACE=10m") // which is not waited for
	call := h.ring("+14155550100")
	h.say(call.Conversation.ID, "I need a repair.")
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- h.app.Serve(t.Context(), ln) }()
	if err := h.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}

	h.app.claimTold(recaller.Errorf(recaller.Conflict, "the database is in use by another recaller process"))
	wantStatus(t, h.Ready(t.Context()), http.StatusServiceUnavailable)
	if out := h.say(call.Conversation.ID, "This comes too late."); out.Durable {
		t.Error("a turn is called durable")
	}
	_, err = h.StoreMemory(t.Context(), call.Caller.ID, client.MemoryInput{Type: recaller.Preference, Key: "drink", Value: "Likes tea."})
	wantStatus(t, err, http.StatusServiceUnavailable)
	if err := <-served; recaller.KindOf(err) != recaller.Unavailable {
		t.Errorf("got %v, want unavailable", err)
	} else {
		holds(t, "why it stopped", err.Error(), "another recaller process has taken the database")
	}
	conv, err := h.app.store.Conversation(t.Context(), recaller.DefaultTenant, call.Conversation.ID)
	if err != nil || conv.Turns != 1 {
		t.Errorf("got %d turns, %v; want the one of before", conv.Turns, err)
	}
}
