package httpapi

import (
	"context"
	"iter"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/notify"
	"github.com/recallerhq/recaller/internal/store"
)

// announced has what is committed told to who listens to the tenant, and kept for a webhook, which nobody asks here.
func (h *house) announced() {
	h.deps.Deliveries.(*notify.Service).Store.(words).Announce(store.Herald{
		Audience: func(_ context.Context, tenant recaller.TenantID) (store.Audience, error) {
			return store.Audience{Webhook: recaller.EventTypes(), Stream: h.bus.Listened(tenant)}, nil
		},
		Committed: func(tenant recaller.TenantID, events []recaller.Event, _ bool) { h.bus.Tell(tenant, events...) },
	})
}

func TestAWebhooksSecretIsRotated(t *testing.T) {
	t.Parallel()
	h := setup(t, nil)
	if p := h.refused(t, 404, "POST", "/v1/webhook/rotate", ""); p.Code != "not_found" {
		t.Errorf("got %+v, want that there is none", p)
	}
	yes := true
	made, err := h.admin.SetWebhook(t.Context(), client.WebhookInput{
		URL: "https://agent.example.com/hook", Events: []recaller.EventType{recaller.EventMemoryCreated}, IncludeContent: &yes,
	})
	if err != nil || !made.IncludeContent || len(made.Events) != 1 || made.PreviousUntil != nil {
		t.Fatalf("got %+v, %v", made, err)
	}
	if p := h.refused(t, 422, "PUT", "/v1/webhook", `{"url":"https://agent.example.com/","events":["memory.made"]}`); !strings.HasPrefix(p.Field, "events") {
		t.Errorf("got %+v, want the events at fault", p)
	}
	next, err := h.admin.RotateWebhook(t.Context(), client.RotateRequest{})
	if err != nil || next.Secret == made.Secret || next.PreviousUntil == nil || time.Until(*next.PreviousUntil) < 23*time.Hour {
		t.Errorf("got %+v, %v; want another secret, and a day for the old one", next, err)
	}
	h.refused(t, 409, "POST", "/v1/webhook/rotate", `{"overlap_seconds":60}`)
	h.refused(t, 422, "POST", "/v1/webhook/rotate", `{"overlap_seconds":-1}`)
	none := 0
	alone, err := h.admin.RotateWebhook(t.Context(), client.RotateRequest{OverlapSeconds: &none})
	if err != nil || alone.Secret == next.Secret || alone.PreviousUntil != nil {
		t.Errorf("got %+v, %v; want the new one alone", alone, err)
	}
}

func TestWhatAWebhookHasNotTakenIsListedAndResent(t *testing.T) {
	t.Parallel()
	h := setup(t, nil)
	h.announced()
	s := h.begun(t, "+4930901820")
	if _, err := h.admin.StoreMemory(t.Context(), s.Caller.ID, client.MemoryInput{Type: recaller.Fact, Key: "pet", Value: "a cat"}); err != nil {
		t.Fatal(err)
	}
	page, err := h.admin.WebhookDeliveries(t.Context(), recaller.DispatchPending, client.Page{Limit: 1})
	if err != nil || len(page.Deliveries) != 1 || page.NextCursor == "" {
		t.Fatalf("got %+v, %v; want a page of one", page, err)
	}
	newest := page.Deliveries[0]
	if newest.Type != recaller.EventMemoryCreated || newest.CallerID != s.Caller.ID || newest.MemoryVersion != 1 || newest.Sequence == 0 {
		t.Errorf("got %+v, want the memory", newest)
	}
	if dead, err := h.admin.WebhookDeliveries(t.Context(), recaller.DispatchDead, client.Page{}); err != nil || len(dead.Deliveries) != 0 {
		t.Errorf("got %+v, %v; want none", dead, err)
	}
	h.refused(t, 422, "GET", "/v1/webhook/deliveries?status=late", "")
	h.refused(t, 404, "POST", "/v1/webhook/deliveries/evt_none/resend", "")
	if d, err := h.admin.ResendWebhook(t.Context(), newest.ID); err != nil || d.ID != newest.ID || d.Status != recaller.DispatchPending {
		t.Errorf("got %+v, %v", d, err)
	}
	if n, err := h.admin.ResendDeadWebhooks(t.Context()); err != nil || n.Resent != 0 {
		t.Errorf("got %+v, %v; want none", n, err)
	}
}

func TestATenantIsListenedTo(t *testing.T) {
	t.Parallel()
	h := setup(t, nil)
	h.announced()
	in := connect(t, h, "/v1/events") // it listens from now on
	s := h.begun(t, "+4930901820")
	if _, err := h.admin.StoreMemory(t.Context(), s.Caller.ID, client.MemoryInput{Type: recaller.Fact, Key: "pet", Value: "a cat called Ada"}); err != nil {
		t.Fatal(err)
	}
	if _, err := h.admin.EndConversation(t.Context(), s.Conversation.ID, client.EndRequest{}); err != nil {
		t.Fatal(err)
	}
	first, err := strconv.ParseUint(strings.TrimPrefix(line(t, in, "id: "), "id: "), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	next, stop := iter.Pull2(h.admin.TenantEvents(ctx, first-1))
	defer stop()
	for i, want := range []recaller.EventType{recaller.EventCallerCreated, recaller.EventMemoryCreated, recaller.EventConversationEnded} {
		e, err, open := next()
		if !open || err != nil || e.Type != string(want) || e.CallerID != s.Caller.ID || e.ID != first+uint64(i) || e.EventID == "" {
			t.Errorf("got %+v, %v (open: %v); want %s", e, err, open, want)
		}
	}
	missed, stopMissed := iter.Pull2(h.admin.TenantEvents(ctx, 17))
	defer stopMissed()
	if e, err, _ := missed(); err != nil || e.Type != client.EventMissed {
		t.Errorf("got %+v, %v; want that some are not kept", e, err)
	}
	go h.drain()
	if e, err, _ := next(); err != nil || e.Type != client.EventServerClosing || e.Reason == "" {
		t.Errorf("got %+v, %v; want that the server closes", e, err)
	}
}

// Streams of the tenant and of its conversations are bounded together; the last quarter is for other tenants.
func TestStreamsOfATenantAreBounded(t *testing.T) {
	t.Parallel()
	h := setup(t, func(_ *Deps, o *Options) { o.MaxStreams = 4 })
	s := h.begun(t, "+4930901820")
	connect(t, h, "/v1/events")
	connect(t, h, "/v1/events")
	connect(t, h, "/v1/conversations/"+s.Conversation.ID+"/events")
	if p := h.refused(t, 429, "GET", "/v1/events", ""); p.Code != "exhausted" {
		t.Errorf("got %+v, want that too many are open", p)
	}
	golf, err := h.admin.CreateTenant(t.Context(), client.NewTenant{Name: "Golf"})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	next, stop := iter.Pull2(h.client(t, golf.APIKey).TenantEvents(ctx, 17))
	defer stop()
	if e, err, _ := next(); err != nil || e.Type != client.EventMissed {
		t.Errorf("another tenant: got %+v, %v; want a stream", e, err)
	}
	cancel()
}
