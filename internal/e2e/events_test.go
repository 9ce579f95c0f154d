package e2e

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
)

// A listener hears what changes, in order; who comes back with the last id misses nothing.
func TestListeningToACall(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, on backing) {
		s := house(t, on)
		p := phone{t, s.admin}
		call := p.ring(number())
		heard := listen(t, p.c, call.Conversation.ID, 0)
		p.say(call.Conversation.ID, user("My cat is called Miso.")) // until a listener is there, nothing is sent

		stored := storeMemory(t, p.c, call.Caller.ID, "cat", "A cat called Miso")
		e := heard.next(t, client.EventMemoryStored)
		if e.Memory == nil || e.Memory.Value != "A cat called Miso" || e.ID == 0 {
			t.Errorf("got %+v, want the memory", e)
		}
		holds(t, "the new briefing", heard.next(t, client.EventBriefingUpdated).Briefing.Text, "Miso")

		value := "Two cats, Miso and Ramen"
		if _, err := p.c.UpdateMemory(t.Context(), stored, client.MemoryPatch{Value: &value}); err != nil {
			t.Fatal(err)
		}
		updated := heard.next(t, client.EventMemoryUpdated)
		told := heard.next(t, client.EventBriefingUpdated)
		holds(t, "the new briefing", told.Briefing.Text, "Ramen")
		if updated.ID != e.ID+2 || updated.Memory.Version != 2 || told.ID != updated.ID+1 { // the first briefing has an id too
			t.Errorf("got event %d with version %d and briefing %d, want %d with 2, and the next", updated.ID, updated.Memory.Version, told.ID, e.ID+2)
		}
		heard.hangUp()

		// While nobody listens:
		p.say(call.Conversation.ID, user("Please forget about the cats."))
		if _, err := p.c.ForgetMemory(t.Context(), stored); err != nil {
			t.Fatal(err)
		}
		again := listen(t, p.c, call.Conversation.ID, told.ID)
		if turns := again.next(t, client.EventTurnsAdded); turns.ID != told.ID+1 || turns.Turns[0].Text != "Please forget about the cats." {
			t.Errorf("got %+v, want the turn that was missed", turns)
		}
		if gone := again.next(t, client.EventMemoryForgotten); gone.ID != told.ID+2 || gone.Memory.Status != recaller.MemoryForgotten {
			t.Errorf("got %+v, want the memory that was forgotten", gone)
		}
		holds(t, "the new briefing", again.next(t, client.EventBriefingUpdated).Briefing.Text, "!Ramen")
		p.hangUp(call.Conversation.ID)
		if end := again.next(t, client.EventConversationEnded); end.Status != recaller.Completed {
			t.Errorf("got %+v, want completed", end)
		}
		if e, more := <-again.events; more {
			t.Errorf("got %+v after the end, want the stream to end", e)
		}
	})
}

func storeMemory(t *testing.T, c *client.Client, caller, key, value string) string {
	t.Helper()
	m, err := c.StoreMemory(t.Context(), caller, client.MemoryInput{Type: recaller.Fact, Key: key, Value: value})
	if err != nil {
		t.Fatal(err)
	}
	return m.Memory.ID
}

// listener reads events in the background.
type listener struct {
	events chan client.Event
	hangUp context.CancelFunc
}

// listen opens a stream; when it returns, the server has the listener: a turn that is said now is heard.
func listen(t *testing.T, c *client.Client, conversation string, last uint64) listener {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	l := listener{events: make(chan client.Event, 64), hangUp: cancel}
	go func() {
		defer close(l.events)
		for e, err := range c.EventsAfter(ctx, conversation, last) {
			if err != nil {
				return
			}
			l.events <- e
		}
	}()
	if last > 0 {
		return l // what was missed is kept
	}
	eventually(t, "the listener hears", func() bool {
		phone{t, c}.say(conversation, agent("Are you there?"))
		select {
		case <-l.events:
			return true
		default:
			return false
		}
	})
	return l
}

// next waits for an event of a type. Turns that were said to find out whether somebody listens are passed over.
func (l listener) next(t *testing.T, want string) client.Event {
	t.Helper()
	for {
		e, ok := <-l.events
		switch {
		case !ok:
			t.Fatalf("the stream ended, want %s", want)
		case e.Type == want:
			return e
		case e.Type != client.EventTurnsAdded:
			t.Fatalf("got %s, want %s", e.Type, want)
		}
	}
}

// What goes over the wire is what the description says: an id, a type, and data of the schema.
func TestEventsAreAsDescribed(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, on backing) {
		s := house(t, on)
		p := phone{t, s.admin}
		call := p.ring(number())
		l := listen(t, p.c, call.Conversation.ID, 0)
		storeMemory(t, p.c, call.Caller.ID, "cat", "A cat called Miso")
		l.next(t, client.EventMemoryStored)
		l.next(t, client.EventBriefingUpdated)
		p.hangUp(call.Conversation.ID)
		l.next(t, client.EventConversationEnded)

		req := request(t, s, "/v1/conversations/"+call.Conversation.ID+"/events?last_event_id=1")
		res, err := http.DefaultTransport.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		raw, err := io.ReadAll(res.Body) // the stream of a call that has ended ends
		if err != nil {
			t.Fatal(err)
		}
		op, _ := s.api.find("GET", "/v1/conversations/x/events")
		media, ok := op.Responses["200"].Content["text/event-stream"]
		if !ok || !strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream") {
			t.Fatalf("the stream came as %q, want text/event-stream, and described", res.Header.Get("Content-Type"))
		}
		seen := 0
		for line := range strings.Lines(string(raw)) {
			data, ok := strings.CutPrefix(line, "data: ")
			if !ok {
				continue
			}
			var v any
			if err := json.Unmarshal([]byte(data), &v); err != nil {
				t.Fatal(err)
			}
			if why := s.api.invalid("", media.Schema, v); why != "" {
				t.Errorf("an event has %s: %s", why, data)
			}
			seen++
		}
		if seen < 2 {
			t.Errorf("got %d events, want the memory and the end at least:\n%s", seen, raw)
		}
	})
}
