package notify_test

import (
	"context"
	"log/slog"
	"net/http"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/jobs"
	"github.com/recallerhq/recaller/internal/notify"
	"github.com/recallerhq/recaller/internal/obs/obstest"
	"github.com/recallerhq/recaller/internal/store"
	"github.com/recallerhq/recaller/internal/usecasetest"
	"github.com/recallerhq/recaller/internal/webhook"
	"github.com/recallerhq/recaller/internal/webhook/webhooktest"
)

const (
	tenantID = "t1"
	maxTries = 4

	mostWaiting = 30 // deliveries of a tenant
	secret      = webhooktest.Secret
)

// house is the service on a real store, with the runner that sends and a receiver that checks signatures.
type house struct {
	*testing.T
	*usecasetest.Place
	*notify.Service
	receiver *webhooktest.Receiver
	settings usecasetest.Settings
	runner   *jobs.Runner
	logged   *obstest.Stream
}

// onBothStores tells a story of each store.
func onBothStores(t *testing.T, story func(h *house)) {
	t.Helper()
	usecasetest.OnBothStores(t, furnish, story)
}

func furnish(t *testing.T, p *usecasetest.Place) *house {
	t.Helper()
	h := &house{T: t, Place: p, receiver: webhooktest.New(t), settings: usecasetest.Settings{}}
	h.tenant(recaller.Tenant{ID: tenantID, Name: "Lakeside Dental"}, h.receiver)
	h.serve(jobs.Handler{MaxAttempts: maxTries})
	return h
}

// tenant makes a tenant that is told of everything.
func (h *house) tenant(t recaller.Tenant, r *webhooktest.Receiver) {
	h.Helper()
	t = h.MakeTenant(h.T, t)
	t.Webhook = recaller.Webhook{URL: r.URL + "/hook", Secret: secret, Events: recaller.EventTypes()}
	h.settings[t.ID] = t
}

// set changes the tenant's webhook.
func (h *house) set(change func(w *recaller.Webhook)) {
	t := h.settings[tenantID]
	change(&t.Webhook)
	h.settings[tenantID] = t
}

// serve makes the service and the runner anew, as a process does.
func (h *house) serve(handler jobs.Handler) {
	var log *slog.Logger
	h.logged, log = obstest.NewStream()
	registry := prometheus.NewRegistry()
	backlog := &notify.Backlog{Waiting: h.Place.Store.WaitingDispatches, Most: mostWaiting, Log: log, Now: h.Clock.Now}
	h.Place.Store.Announce(store.Herald{
		Audience: func(ctx context.Context, tenant recaller.TenantID) (store.Audience, error) {
			t, err := h.settings.Tenant(ctx, tenant)
			out := store.Audience{Webhook: t.Webhook.Wanted()}
			if backlog.Full(ctx, tenant) {
				out.Full = h.Clock.Now()
			}
			return out, err
		},
		Committed: func(recaller.TenantID, []recaller.Event, bool) {},
	})
	h.Service = notify.New(notify.Deps{
		Store: h.Place.Store, Tenants: h.settings, Summarised: h.Place.Store.Conversation,
		Sender: webhook.New(webhook.Options{Transport: &http.Transport{}}), Enqueued: func() {},
		Log: log, Metrics: notify.NewMetrics(registry), Now: h.Clock.Now, NewID: h.NewID,
	})
	handler.Run, handler.GiveUp = h.Send, h.GiveUp
	idle := jobs.Handler{Run: func(context.Context, recaller.Job) error { return nil }}
	h.runner = jobs.New(h.Place.Store, map[string]jobs.Handler{
		recaller.JobDispatch: handler, recaller.JobReindex: idle, recaller.JobWrapup: idle,
	}, jobs.Options{Workers: 6}, log, registry, h.Clock.Now)
}

func (h *house) ok(err error) {
	h.Helper()
	if err != nil {
		h.Fatal(err)
	}
}

// ring opens a conversation with a caller of a number.
func (h *house) ring(tenant recaller.TenantID, number string) recaller.Opened {
	h.Helper()
	h.Clock.Advance(time.Second)
	o := h.Opening(recaller.CallerID(h.NewID()), recaller.ConversationID(h.NewID()), recaller.Identity{Kind: recaller.IdentityPhone, Value: number})
	o.Conversation.ExternalID = "CA-" + number
	out, err := h.Place.Store.OpenConversation(h.Context(), tenant, o)
	h.ok(err)
	return out
}

// end ends a conversation.
func (h *house) end(o recaller.Opened, cut bool) recaller.Conversation {
	h.Helper()
	h.Clock.Advance(time.Minute)
	out, err := h.Place.Store.CloseConversation(h.Context(), tenantID, recaller.Closing{
		Conversation: o.Conversation.ID, Status: recaller.Completed, EndedAt: h.Clock.Now(), Duration: time.Minute, Cut: cut,
		Steps: []recaller.PlannedStep{{Step: recaller.StepSummarise, State: recaller.StepPending}},
	})
	h.ok(err)
	return out.Conversation
}

// writeUp puts a summary and labels on a conversation, and ends its wrap-up.
func (h *house) writeUp(c recaller.Conversation) {
	h.Helper()
	h.Clock.Advance(time.Second)
	_, err := h.Place.Store.WriteStep(h.Context(), tenantID, recaller.StepResult{
		Conversation: c.ID, Caller: c.Caller, Step: recaller.StepSummarise, State: recaller.StepDone, By: recaller.ByRules, At: h.Clock.Now(),
		Summary:  &recaller.Summary{Brief: "She keeps bees.", By: recaller.ByRules},
		Analysis: &recaller.Analysis{Intent: "enquiry", Sentiment: "positive", Outcome: "resolved", By: recaller.ByRules},
	})
	h.ok(err)
	h.ok(h.Place.Store.WrittenUp(h.Context(), tenantID, c, recaller.Job{}, h.Clock.Now()))
}

func (h *house) remember(tenant recaller.TenantID, caller recaller.CallerID, key, value string) recaller.Memory {
	h.Helper()
	h.Clock.Advance(time.Second)
	out, err := h.Place.Store.StoreMemory(h.Context(), tenant, recaller.Storing{Memory: h.Memory(caller, recaller.Fact, key, value)})
	h.ok(err)
	return out.Memory
}

// remind sets a reminder of a memory.
func (h *house) remind(m recaller.Memory) recaller.Reminder {
	h.Helper()
	h.Clock.Advance(time.Second)
	out, err := h.Place.Store.ChangeMemory(h.Context(), tenantID, recaller.Changing{
		ID: m.ID, Patch: recaller.MemoryPatch{At: h.Clock.Now()},
		Reminder: &recaller.Reminder{ID: recaller.ReminderID(h.NewID()), DueAt: h.Clock.Now().Add(time.Hour)},
	})
	h.ok(err)
	return *out.Reminder
}

func (h *house) forget(id recaller.MemoryID) {
	h.Helper()
	h.Clock.Advance(time.Second)
	_, err := h.Place.Store.ChangeMemory(h.Context(), tenantID, recaller.Changing{ID: id, Forget: true, Patch: recaller.MemoryPatch{At: h.Clock.Now()}})
	h.ok(err)
}

// pass lets time pass and runs what is due.
func (h *house) pass(d time.Duration) {
	h.Helper()
	h.Clock.Advance(d)
	_, err := h.runner.RunDue(h.Context())
	h.ok(err)
}

// list returns what the webhook has not taken.
func (h *house) list(status recaller.DispatchStatus) []recaller.Dispatch {
	h.Helper()
	list, _, err := h.List(h.Context(), tenantID, recaller.DispatchFilter{Status: status})
	h.ok(err)
	return list
}
