package e2e

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
)

// inbox is an application's endpoint that verifies what it gets with the official library. It answers 503 until it is
// opened, and outlives servers that call it.
type inbox struct {
	*httptest.Server
	t       *testing.T
	mu      sync.Mutex
	secret  string
	open    bool
	refused map[string]bool // ids
	taken   []told
}

// told is a request that an inbox took.
type told struct {
	ID, Raw string
	Type    string
	Data    struct {
		EventID      string `json:"event_id"`
		Sequence     int64
		Caller       struct{ ID, Phone string }
		Conversation struct {
			ID, Status string
			Summary    struct{ Brief string }
		}
		Memory struct {
			ID, Value string
			Version   int
		}
	}
}

func newInbox(t *testing.T, secret string) *inbox {
	t.Helper()
	b := &inbox{t: t, secret: secret, refused: map[string]bool{}}
	b.Server = httptest.NewServer(b)
	t.Cleanup(b.Close)
	return b
}

func (b *inbox) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b.mu.Lock()
	defer b.mu.Unlock()
	raw, err := io.ReadAll(r.Body)
	if err != nil { // the server was killed meanwhile
		return
	}
	verifier, err := standardwebhooks.NewWebhook(b.secret)
	if err == nil {
		err = verifier.Verify(raw, r.Header)
	}
	if err != nil {
		b.t.Errorf("a request is not signed right: %v", err)
	}
	id := r.Header.Get("webhook-id")
	if !b.open {
		b.refused[id] = true
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	one := told{ID: id, Raw: string(raw)}
	if err := json.Unmarshal(raw, &one); err != nil {
		b.t.Error(err)
	}
	b.taken = append(b.taken, one)
}

// set opens or shuts it, and says what it verifies with.
func (b *inbox) set(open bool, secret string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.open, b.secret = open, secret
}

// of returns what it took of a type.
func (b *inbox) of(t recaller.EventType) (list []told) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, one := range b.taken {
		if one.Type == string(t) {
			list = append(list, one)
		}
	}
	return list
}

func (b *inbox) hasRefused() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.refused)
}

// What was committed is told, though the process is killed before it could be; once, and under the id of the tries
// before.
func TestEventsSurviveKillNine(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, on backing) {
		s := serveIn(t, on)
		box := newInbox(t, webhookSecret)
		yes := true
		_, err := s.admin.SetWebhook(t.Context(), client.WebhookInput{URL: box.URL, Secret: webhookSecret, Events: recaller.EventTypes(), IncludeContent: &yes})
		if err != nil {
			t.Fatal(err)
		}
		p := phone{t, s.admin}
		call := p.ring(number())
		m, err := s.admin.StoreMemory(t.Context(), call.Caller.ID, client.MemoryInput{Type: recaller.Fact, Key: "pet", Value: "a cat called Ada"})
		if err != nil {
			t.Fatal(err)
		}
		p.say(call.Conversation.ID, client.TurnInput{Speaker: recaller.User, Text: "I keep bees"})
		if _, err := s.admin.EndConversation(t.Context(), call.Conversation.ID, client.EndRequest{}); err != nil {
			t.Fatal(err)
		}
		eventually(t, "something was tried", func() bool { return box.hasRefused() > 0 })
		s.kill()
		tried := box.hasRefused()
		box.set(true, webhookSecret)
		s.start()
		if tried == 0 {
			t.Error("nothing was tried before the kill")
		}
		for _, want := range []recaller.EventType{recaller.EventCallerCreated, recaller.EventMemoryCreated, recaller.EventConversationEnded, recaller.EventConversationWrittenUp} {
			eventually(t, string(want), func() bool { return len(box.of(want)) > 0 })
		}
		eventually(t, "nothing waits any more", func() bool {
			list, err := s.admin.WebhookDeliveries(t.Context(), "", client.Page{})
			return err == nil && len(list.Deliveries) == 0
		})
		s.restart()
		s.stop()
		seen := map[string]bool{}
		for _, one := range box.taken {
			if seen[one.ID] || one.ID != one.Data.EventID || one.Data.Caller.ID != call.Caller.ID || one.Data.Caller.Phone == "" {
				t.Errorf("got %s (again: %v), want each event once, with its id and the caller", one.Raw, seen[one.ID])
			}
			seen[one.ID] = true
		}
		for id := range box.refused {
			if !seen[id] {
				t.Errorf("%s was tried before the kill, and never told", id)
			}
		}
		if list := box.of(recaller.EventMemoryCreated); list[0].Data.Memory.ID != m.Memory.ID || list[0].Data.Memory.Value != "a cat called Ada" {
			t.Errorf("got %+v, want the memory", list[0])
		}
		if list := box.of(recaller.EventConversationEnded); len(list) != 1 || list[0].Data.Conversation.ID != call.Conversation.ID || list[0].Data.Conversation.Status != "completed" {
			t.Errorf("got %+v, want the end", list)
		}
	})
}

// A delivery that failed is listed without a word, and sent again on request, signed with both secrets while they count;
// of a caller who is erased nothing is sent any more.
func TestDeliveriesAreResentRotatedAndErased(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, on backing) {
		s := serveIn(t, on)
		box := newInbox(t, webhookSecret)
		hook := client.WebhookInput{URL: box.URL, Secret: webhookSecret, Events: []recaller.EventType{recaller.EventCallerCreated}}
		if _, err := s.admin.SetWebhook(t.Context(), hook); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		heard := make(chan client.TenantEvent, 1)
		go func() {
			for e := range s.admin.TenantEvents(ctx, 0) {
				heard <- e
				return
			}
		}()
		var stream client.TenantEvent
		for knocking := true; knocking; { // until the stream listens
			stranger := phone{t, s.admin}.ring(number())
			if _, err := s.admin.EraseCaller(t.Context(), stranger.Caller.ID); err != nil {
				t.Fatal(err)
			}
			select {
			case stream = <-heard:
				knocking = false
			case <-time.After(50 * time.Millisecond):
			}
		}
		if stream.Type != string(recaller.EventCallerCreated) || !strings.HasPrefix(stream.EventID, "evt_") {
			t.Errorf("the stream tells %+v, want a caller", stream)
		}
		eventually(t, "nothing waits of the erased", func() bool {
			list, err := s.admin.WebhookDeliveries(t.Context(), "", client.Page{})
			return err == nil && len(list.Deliveries) == 0
		})

		ann := phone{t, s.admin}.ring(number())
		var waiting client.WebhookDelivery
		eventually(t, "the failure is told", func() bool {
			list, err := s.admin.WebhookDeliveries(t.Context(), recaller.DispatchPending, client.Page{})
			if err != nil || len(list.Deliveries) != 1 {
				return false
			}
			waiting = list.Deliveries[0]
			return waiting.Reason == recaller.ReasonServerError && waiting.CallerID == ann.Caller.ID
		})
		turned, err := s.admin.RotateWebhook(t.Context(), client.RotateRequest{})
		if err != nil {
			t.Fatal(err)
		}
		for _, secret := range []string{webhookSecret, turned.Secret} { // a receiver that has either takes it
			box.set(true, secret)
			before := len(box.of(recaller.EventCallerCreated))
			if before == 0 {
				if _, err := s.admin.ResendWebhook(t.Context(), waiting.ID); err != nil && !client.IsNotFound(err) {
					t.Fatal(err)
				}
			} else {
				phone{t, s.admin}.ring(number())
			}
			eventually(t, "it is told", func() bool { return len(box.of(recaller.EventCallerCreated)) == before+1 })
		}
		if first := box.of(recaller.EventCallerCreated)[0]; first.ID != waiting.ID || first.Data.Caller.Phone != "" {
			t.Errorf("got %+v, want %s without the number", first, waiting.ID)
		}
		s.stop()
	})
}
