package app

import (
	"bufio"
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
)

// listen hears the types of a conversation's events. When it returns, nothing is missed any more.
func (h *house) listen(conversation string) <-chan string {
	h.t.Helper()
	srv := httptest.NewServer(h.app.Handler())
	req, err := http.NewRequestWithContext(h.t.Context(), http.MethodGet, srv.URL+"/v1/conversations/"+conversation+"/events", nil)
	if err != nil {
		h.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+h.app.BootstrapKey())
	res, err := srv.Client().Do(req)
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { res.Body.Close(); srv.Close() })
	lines := bufio.NewScanner(res.Body)
	if !lines.Scan() || lines.Text() != ": listening" {
		h.t.Fatalf("got %q, want to listen", lines.Text())
	}
	heard := make(chan string, 100)
	go func() {
		defer close(heard)
		for lines.Scan() {
			if kind, is := strings.CutPrefix(lines.Text(), "event: "); is {
				heard <- kind
			}
		}
	}()
	return heard
}

func (h *house) hears(heard <-chan string, want ...string) {
	h.t.Helper()
	for _, kind := range want {
		select {
		case got := <-heard:
			if got != kind {
				h.t.Fatalf("got event %q, want %q", got, kind)
			}
		case <-time.After(20 * time.Second):
			h.t.Fatalf("waited in vain for %s", kind)
		}
	}
}

// A call begins while the store is away, and the agent listens to it: it hears of what is written when the store is
// back, of the caller's memories, and of the end, though the store's answers were lost on the way. After the end it
// hears no more.
func TestListenersOfACallThatBeganWhileTheStoreWasAway(t *testing.T) {
	t.Parallel()
	h := build(t, t.TempDir(), Options{}) // nothing works on jobs: a write-up would tell of memories of its own
	h.app.loops.run(context.WithoutCancel(t.Context()), h.app.refresh.Run)
	known := h.ring("+14155550100") // the tenant, its key and the caller are known
	h.hangUp(known.Conversation.ID)
	h.store.is(away)
	call := h.ring("+14155550100").Conversation.ID
	heard := h.listen(call)
	h.say(call, "My parrot is called Kiki.")
	h.store.is(deaf)
	h.app.conversations.FlushHeld(t.Context())
	h.store.is(well)
	h.eventually("what was held is written", func() bool { return h.app.conversations.FlushHeld(t.Context()) == 0 })
	h.hears(heard, client.EventTurnsAdded)
	if _, err := h.StoreMemory(t.Context(), known.Caller.ID, client.MemoryInput{Type: recaller.Fact, Key: "pet", Value: "a parrot"}); err != nil {
		t.Fatal(err)
	}
	h.hears(heard, client.EventMemoryStored, client.EventBriefingUpdated)
	h.store.is(deaf)
	h.hangUp(call)
	h.store.is(well)
	h.eventually("the end is found in the store", func() bool { return h.app.conversations.FlushHeld(t.Context()) == 0 })
	h.hears(heard, client.EventConversationEnded)
	if kind, open := <-heard; open {
		t.Errorf("got event %q after the end", kind)
	}
	if listening := h.app.events.Listening(recaller.DefaultTenant, recaller.CallerID(known.Caller.ID)); len(listening) != 0 {
		t.Errorf("got %q, want nobody to be told of more", listening)
	}
}
