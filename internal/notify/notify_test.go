package notify_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/jobs"
	"github.com/recallerhq/recaller/internal/obs/obstest"
	"github.com/recallerhq/recaller/internal/usecasetest"
	"github.com/recallerhq/recaller/internal/webhook/webhooktest"
)

const ann = "+12025550143"

// types tells the types of requests, in order.
func (h *house) types(list []webhooktest.Request) string {
	h.Helper()
	var out []string
	for _, r := range list {
		var m struct {
			Type string
			Data struct {
				Event string `json:"event_id"`
			}
		}
		h.ok(json.Unmarshal([]byte(r.Body), &m))
		if m.Data.Event != r.ID {
			h.Errorf("the webhook-id is %s, and the event's %s", r.ID, m.Data.Event)
		}
		out = append(out, m.Type)
	}
	return strings.Join(out, " ")
}

func TestWhatHappensIsSentOnceInOrder(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(h *house) {
		o := h.ring(tenantID, ann)
		m := h.remember(tenantID, o.Caller.ID, "tea", "Assam")
		h.remember(tenantID, o.Caller.ID, "tea", "Darjeeling")
		h.forget(m.ID)
		h.writeUp(h.end(o, false))
		h.pass(0)
		got := h.receiver.Take()
		if want := "caller.created memory.created memory.updated memory.forgotten conversation.ended conversation.written_up"; h.types(got) != want {
			t.Errorf("got %s, want %s", h.types(got), want)
		}
		for _, r := range got {
			for _, word := range []string{ann, "Ann", "CA-", "tea", "Assam", "Darjeeling", "bees"} {
				if strings.Contains(r.Body, word) {
					t.Errorf("%q is in %s, which nobody asked for", word, r.Body)
				}
			}
		}
		h.pass(48 * time.Hour)
		if again := h.receiver.Take(); len(again) != 0 || len(h.list("")) != 0 {
			t.Errorf("got %v later, %d waiting; want none", again, len(h.list("")))
		}
	})
}

func TestTheBodyOfARequest(t *testing.T) {
	t.Parallel()
	h := furnish(t, usecasetest.Open(t))
	h.set(func(w *recaller.Webhook) {
		w.Content, w.Events = true, []recaller.EventType{recaller.EventConversationWrittenUp, recaller.EventMemoryCreated}
	})
	o := h.ring(tenantID, ann)
	m := h.remember(tenantID, o.Caller.ID, "tea", "Assam")
	h.writeUp(h.end(o, false))
	h.pass(0)
	got := h.receiver.Take()
	if len(got) != 2 {
		t.Fatalf("got %v, want what was asked for", got)
	}
	var body bytes.Buffer
	h.ok(json.Indent(&body, []byte("["+got[0].Body+","+got[1].Body+"]"), "", "  "))
	want := `[
  {
    "type": "memory.created",
    "timestamp": "2026-11-21T09:00:02Z",
    "data": {
      "event_id": "` + got[0].ID + `",
      "sequence": 2,
      "caller": {
        "id": "` + string(o.Caller.ID) + `",
        "phone": "` + ann + `",
        "name": "Ann Archer"
      },
      "memory": {
        "id": "` + string(m.ID) + `",
        "version": 1,
        "type": "fact",
        "source": "conversation",
        "key": "tea",
        "value": "Assam"
      }
    }
  },
  {
    "type": "conversation.written_up",
    "timestamp": "2026-11-21T09:01:03Z",
    "data": {
      "event_id": "` + got[1].ID + `",
      "sequence": 4,
      "caller": {
        "id": "` + string(o.Caller.ID) + `",
        "phone": "` + ann + `",
        "name": "Ann Archer"
      },
      "conversation": {
        "id": "` + string(o.Conversation.ID) + `",
        "channel": "voice",
        "direction": "inbound",
        "status": "completed",
        "started_at": "2026-11-21T09:00:01Z",
        "ended_at": "2026-11-21T09:01:02Z",
        "duration_seconds": 60,
        "turns": 0,
        "analysis": {
          "intent": "enquiry",
          "sentiment": "positive",
          "outcome": "resolved",
          "by": "rules"
        },
        "external_id": "CA-` + ann + `",
        "summary": {
          "brief": "She keeps bees.",
          "by": "rules"
        }
      }
    }
  }
]`
	if diff := cmp.Diff(want, body.String()); diff != "" {
		t.Errorf("the bodies (-want +got):\n%s", diff)
	}
	obstest.WantNone(t, h.logged.String(), "Assam", "bees", "Archer", ann, h.receiver.URL, secret)
}

// What was forgotten before it could be sent, what is out of date, and what an ephemeral tenant says, is not told.
func TestContentIsThatOfTheMoment(t *testing.T) {
	t.Parallel()
	h := furnish(t, usecasetest.Open(t))
	h.set(func(w *recaller.Webhook) { w.Content = true })
	o := h.ring(tenantID, ann)
	gone := h.remember(tenantID, o.Caller.ID, "tea", "Assam")
	h.remember(tenantID, o.Caller.ID, "pet", "a cat called Ada")
	h.remember(tenantID, o.Caller.ID, "pet", "a dog called Bob")
	h.forget(gone.ID)
	h.pass(0)
	sent := fmt.Sprint(h.receiver.Take())
	if !strings.Contains(sent, "Bob") || strings.Contains(sent, "Assam") || strings.Contains(sent, "Ada") {
		t.Errorf("got %s, want what is true now", sent)
	}
	ephemeral := h.settings[tenantID]
	ephemeral.Retention = recaller.Ephemeral
	h.settings[tenantID] = ephemeral
	h.remember(tenantID, o.Caller.ID, "home", "Ely")
	h.writeUp(h.end(o, false))
	h.pass(0)
	for _, r := range h.receiver.Take() {
		if strings.Contains(r.Body, "Ely") || strings.Contains(r.Body, "bees") || strings.Contains(r.Body, "Ann") {
			t.Errorf("an ephemeral tenant: got %s, want no words", r.Body)
		}
	}
}

func TestWhatIsCommittedIsSentByTheNextProcess(t *testing.T) {
	t.Parallel()
	h := furnish(t, usecasetest.Open(t))
	o := h.ring(tenantID, ann)
	h.receiver.Answers(http.StatusServiceUnavailable, nil)
	h.pass(0)
	tried := h.receiver.Take()
	h.Restart(t)
	h.serve(jobs.Handler{MaxAttempts: maxTries})
	h.receiver.Answers(http.StatusOK, nil)
	h.pass(time.Hour)
	got := h.receiver.Take()
	if len(tried) != 1 || len(got) != 1 || got[0] != tried[0] {
		t.Errorf("got %v before, %v after; want the same request", tried, got)
	}
	if _, err := h.Place.Store.Caller(t.Context(), tenantID, o.Caller.ID); err != nil {
		t.Error(err)
	}
}

func TestFailuresAreToldAndSentAgain(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(h *house) {
		h.ring(tenantID, ann)
		h.ring(tenantID, "+12025550144")
		for status, want := range map[int]string{301: "3xx", 404: "4xx", 410: "4xx", 429: "4xx", 500: "5xx", 503: "5xx"} {
			h.receiver.Answers(status, nil)
			for _, d := range h.list("") {
				if _, err := h.Resend(h.Context(), tenantID, d.ID); err != nil {
					h.Fatal(err)
				}
			}
			h.pass(0)
			if list := h.list(recaller.DispatchPending); len(list) != 2 || list[0].Reason != want || list[0].Attempts != 1 {
				h.Errorf("%d: got %+v, want two that failed once for %s", status, list, want)
			}
		}
		for range maxTries {
			h.pass(time.Hour)
		}
		dead := h.list(recaller.DispatchDead)
		if len(dead) != 2 || dead[0].Reason == "" || dead[0].Attempts != maxTries || !dead[0].ClosedAt.Equal(h.Clock.Now().Add(-time.Hour)) {
			h.Errorf("got %+v at %v, want both given up on", dead, h.Clock.Now())
		}
		if strings.Contains(fmt.Sprintf("%+v", dead), "a secret of the receiver's") {
			h.Error("what the receiver said is kept")
		}
		first := h.receiver.Take()[0].ID
		h.receiver.Answers(http.StatusOK, nil)
		h.pass(24 * time.Hour)
		if got := h.receiver.Take(); len(got) != 0 {
			h.Errorf("got %v, want that what is dead is left alone", got)
		}
		n, err := h.ResendDead(h.Context(), tenantID)
		if err != nil || n != 2 {
			h.Errorf("got %d, %v; want both", n, err)
		}
		h.pass(0)
		got := h.receiver.Take()
		if len(got) != 2 || got[0].ID != first && got[1].ID != first || len(h.list("")) != 0 {
			h.Errorf("got %v, %d waiting; want both, under their ids", got, len(h.list("")))
		}
		if n, err := h.ResendDead(h.Context(), tenantID); n != 0 || err != nil {
			h.Errorf("got %d, %v; want nothing more", n, err)
		}
	})
}

func TestAWebhookThatIsGoneIsToldOfNothing(t *testing.T) {
	t.Parallel()
	h := furnish(t, usecasetest.Open(t))
	h.ring(tenantID, ann)
	hook := h.settings[tenantID].Webhook
	for name, change := range map[string]func(w *recaller.Webhook){
		"none":              func(w *recaller.Webhook) { *w = recaller.Webhook{} },
		"other events":      func(w *recaller.Webhook) { w.Events = []recaller.EventType{recaller.EventMemoryCreated} },
		"as it is at first": func(w *recaller.Webhook) { w.Events = nil },
	} {
		h.set(change)
		for _, d := range h.list(recaller.DispatchDead) {
			if _, err := h.Resend(t.Context(), tenantID, d.ID); err != nil {
				t.Fatal(err)
			}
		}
		h.pass(0)
		if dead := h.list(recaller.DispatchDead); len(dead) != 1 || dead[0].Reason != recaller.ReasonNoWebhook || len(h.receiver.Take()) != 0 {
			t.Errorf("%s: got %+v, want it dead at once", name, dead)
		}
		h.set(func(w *recaller.Webhook) { *w = hook })
	}
}

func TestNothingIsSentOfAnErasedCaller(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(h *house) {
		o := h.ring(tenantID, ann)
		h.remember(tenantID, o.Caller.ID, "tea", "Assam")
		other := h.ring(tenantID, "+12025550144")
		h.ok(h.Place.Store.BeginErasure(h.Context(), tenantID, o.Caller.ID, recaller.Job{ID: "e", Kind: "erase", Subject: string(o.Caller.ID), RunAt: h.Clock.Now().Add(time.Hour)}))
		h.pass(0)
		if got := h.receiver.Take(); len(got) != 1 || !strings.Contains(got[0].Body, string(other.Caller.ID)) {
			h.Errorf("got %v, want the other caller's alone", got)
		}
		_, err := h.Place.Store.EraseRows(h.Context(), tenantID, o.Caller.ID)
		h.ok(err)
		h.pass(time.Minute)
		if got := h.receiver.Take(); len(got) != 0 || len(h.list("")) != 0 {
			h.Errorf("got %v afterwards", got)
		}
	})
}

// A request that is under way when an erasure begins is broken off before the receipt.
func TestWhatIsUnderWayIsBrokenOffByAnErasure(t *testing.T) {
	t.Parallel()
	h := furnish(t, usecasetest.Open(t))
	asked, left := make(chan struct{}, 1), make(chan struct{}, 1)
	hanging := &webhooktest.Receiver{Server: httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.ReadAll(r.Body) // so that the server sees when the other side leaves
		asked <- struct{}{}
		<-r.Context().Done()
		left <- struct{}{}
	}))}
	t.Cleanup(hanging.Close)
	h.set(func(w *recaller.Webhook) { w.URL = hanging.URL })
	o := h.ring(tenantID, ann)
	h.Drop(tenantID, o.Caller.ID) // nothing is under way
	ran := make(chan error, 1)
	go func() { _, err := h.runner.RunDue(t.Context()); ran <- err }()
	<-asked
	h.ok(h.Place.Store.BeginErasure(t.Context(), tenantID, o.Caller.ID, recaller.Job{ID: "e", Kind: "erase", Subject: string(o.Caller.ID), RunAt: h.Clock.Now().Add(time.Hour)}))
	h.Drop(tenantID, "another")
	select {
	case <-left:
		t.Error("another's erasure breaks it off")
	default:
	}
	h.Drop(tenantID, o.Caller.ID)
	<-left
	h.ok(<-ran)
	_, err := h.Place.Store.EraseRows(t.Context(), tenantID, o.Caller.ID)
	h.ok(err)
	h.pass(24 * time.Hour)
	if len(asked) != 0 {
		t.Error("it was sent again")
	}
}

// A conversation that was cut goes on before its end was told: only its last end is.
func TestAnEndThatWasNoneIsNotTold(t *testing.T) {
	t.Parallel()
	h := furnish(t, usecasetest.Open(t))
	h.set(func(w *recaller.Webhook) { w.Events = []recaller.EventType{recaller.EventConversationEnded} })
	o := h.ring(tenantID, ann)
	h.end(o, true)
	req := h.Opening("x", "again", recaller.Identity{Kind: recaller.IdentityPhone, Value: ann})
	req.Resume, req.Conversation.ExternalID = true, "CA-"+ann
	resumed, err := h.Place.Store.OpenConversation(t.Context(), tenantID, req)
	if err != nil || !resumed.Resumed {
		t.Fatalf("got %+v, %v", resumed, err)
	}
	h.pass(0)
	if got := h.receiver.Take(); len(got) != 0 {
		t.Errorf("got %v while it goes on", got)
	}
	h.end(o, false)
	h.pass(0)
	if got := h.receiver.Take(); len(got) != 1 {
		t.Errorf("got %v, want its end", got)
	}
	const bob = "+12025550144"
	o = h.ring(tenantID, bob)
	h.end(o, true)
	req = h.Opening("y", "once more", recaller.Identity{Kind: recaller.IdentityPhone, Value: bob})
	req.Resume, req.Conversation.ExternalID = true, "CA-"+bob
	_, err = h.Place.Store.OpenConversation(t.Context(), tenantID, req)
	h.ok(err)
	last := h.end(o, false) // before its first end was told
	h.pass(0)
	if got := h.receiver.Take(); len(got) != 1 || !strings.Contains(got[0].Body, last.EndedAt.UTC().Format(time.RFC3339)) {
		t.Errorf("got %v, want its last end, at %s", got, last.EndedAt.UTC())
	}
}

// A receiver that hangs holds up its own tenant, and nobody else.
func TestAHangingReceiverCostsItsOwnTenant(t *testing.T) {
	t.Parallel()
	h := furnish(t, usecasetest.Open(t))
	release, asked := make(chan struct{}), make(chan struct{}, 64)
	hanging := &webhooktest.Receiver{Server: httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked <- struct{}{}; <-release }))}
	t.Cleanup(hanging.Close)
	h.tenant(recaller.Tenant{ID: "t2", Name: "Hanging"}, hanging)
	h.serve(jobs.Handler{AtOnce: 4, Share: 2})
	for i := range 20 {
		h.ring("t2", fmt.Sprint("+120255502", 10+i))
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); h.runner.Run(ctx, t.Context()) }()
	<-asked
	<-asked
	h.ring(tenantID, ann)
	h.runner.Wake()
	<-h.receiver.Arrived // while the other's hang
	if got := h.receiver.Take(); len(got) != 1 || len(asked) != 0 {
		t.Errorf("got %v, and %d more of the hanging ones at work; want one, and no more than its share", got, len(asked))
	}
	close(release)
	cancel()
	<-ended
}
