package reminder_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/jobs"
	"github.com/recallerhq/recaller/internal/obs/obstest"
	"github.com/recallerhq/recaller/internal/reminder"
	"github.com/recallerhq/recaller/internal/usecasetest"
	"github.com/recallerhq/recaller/internal/webhook"
	"github.com/recallerhq/recaller/internal/webhook/webhooktest"
)

const (
	tenantID = "t1"
	maxTries = 12
	secret   = webhooktest.Secret
)

// house is the service on a real store, with the runner that fires reminders and a receiver that checks signatures.
type house struct {
	*testing.T
	*usecasetest.Place
	*reminder.Service
	receiver *webhooktest.Receiver
	settings usecasetest.Settings
	faults   *usecasetest.Faults
	runner   *jobs.Runner
	registry *prometheus.Registry
	logged   *obstest.Stream
	woken    int
	others   int // jobs that are not of reminders
	told     []recaller.Event
	ann      recaller.CallerID
}

func newHouse(t *testing.T) *house {
	t.Helper()
	return furnish(t, usecasetest.Open(t))
}

// onBothStores tells a story of each store.
func onBothStores(t *testing.T, story func(h *house)) {
	t.Helper()
	usecasetest.OnBothStores(t, furnish, story)
}

func furnish(t *testing.T, p *usecasetest.Place) *house {
	t.Helper()
	h := &house{T: t, Place: p, receiver: webhooktest.New(t), faults: &usecasetest.Faults{}}
	h.MakeTenant(t, recaller.Tenant{ID: tenantID, Name: "Lakeside Dental"})
	h.settings = usecasetest.Settings{tenantID: {ID: tenantID, Webhook: recaller.Webhook{URL: h.receiver.URL + "/hook", Secret: secret}}}
	h.serve()
	opened, err := h.Place.Store.OpenConversation(t.Context(), tenantID, h.Opening("ann", "c1",
		recaller.Identity{Kind: recaller.IdentityPhone, Value: "+12025550143"}, recaller.Identity{Kind: recaller.IdentityExternal, Value: "crm-77"}))
	h.ok(err)
	h.ann = opened.Caller.ID
	return h
}

// serve makes the service and the runner anew, as a process does.
func (h *house) serve() {
	var log *slog.Logger
	h.logged, log = obstest.NewStream()
	h.registry = prometheus.NewRegistry()
	h.Service = reminder.New(reminder.Deps{
		Store: faulty{h.Place.Store, h.faults}, Tenants: h.settings, Sender: webhook.New(webhook.Options{Transport: &http.Transport{}}),
		Enqueued: func() { h.woken++ }, Told: func(_ recaller.TenantID, e recaller.Event) { h.told = append(h.told, e) }, Log: log, Metrics: reminder.NewMetrics(h.registry), Now: h.Clock.Now, NewID: h.NewID,
	})
	h.runner = jobs.New(h.Place.Store, map[string]jobs.Handler{
		recaller.JobReindex:  {Run: func(context.Context, recaller.Job) error { h.others++; return nil }}, // follows a forgetting
		recaller.JobReminder: {Run: h.Fire, GiveUp: h.GiveUp, MaxAttempts: maxTries},
	}, jobs.Options{}, log, h.registry, h.Clock.Now)
}

// faulty is a store whose calls can be made to fail.
type faulty struct {
	reminder.Store
	f *usecasetest.Faults
}

func (s faulty) Reminder(ctx context.Context, tenant recaller.TenantID, id recaller.ReminderID) (out recaller.Reminder, err error) {
	err = s.f.Call("read", func() (err error) { out, err = s.Store.Reminder(ctx, tenant, id); return err })
	return out, err
}

func (s faulty) TryReminder(ctx context.Context, tenant recaller.TenantID, id recaller.ReminderID, reason string, at time.Time) error {
	return s.f.Call("try", func() error { return s.Store.TryReminder(ctx, tenant, id, reason, at) })
}

func (s faulty) CloseReminder(ctx context.Context, tenant recaller.TenantID, id recaller.ReminderID, status recaller.ReminderStatus, reason string, at time.Time) (out recaller.Reminder, err error) {
	err = s.f.Call("close", func() (err error) { out, err = s.Store.CloseReminder(ctx, tenant, id, status, reason, at); return err })
	return out, err
}

func (s faulty) AdvanceReminder(ctx context.Context, tenant recaller.TenantID, r recaller.Reminder, status recaller.ReminderStatus, next, at time.Time) error {
	return s.f.Call("close", func() error { return s.Store.AdvanceReminder(ctx, tenant, r, status, next, at) })
}

func (h *house) ok(err error) {
	h.Helper()
	if err != nil {
		h.Fatal(err)
	}
}

// remind stores a memory with a reminder that is due after a while.
func (h *house) remind(key, value string, in time.Duration) recaller.Reminder {
	h.Helper()
	now := h.Clock.Now()
	out, err := h.Place.Store.StoreMemory(h.Context(), tenantID, recaller.Storing{
		Memory:   h.Memory(h.ann, recaller.FollowUp, key, value),
		Reminder: &recaller.Reminder{ID: recaller.ReminderID(h.NewID()), Conversation: "c1", DueAt: now.Add(in), CreatedAt: now},
	})
	h.ok(err)
	return *out.Reminder
}

// pass lets time pass and runs what is due; it returns how many attempts that were.
func (h *house) pass(d time.Duration) int {
	h.Helper()
	h.Clock.Advance(d)
	h.others = 0
	n, err := h.runner.RunDue(h.Context())
	h.ok(err)
	return n - h.others
}

// is proves where a reminder stands: "pending 2 timeout".
func (h *house) is(what string, id recaller.ReminderID, status recaller.ReminderStatus, attempts int, reason string) {
	h.Helper()
	r, err := h.Place.Store.Reminder(h.Context(), tenantID, id)
	h.ok(err)
	if r.Status != status || r.Attempts != attempts || r.Reason != reason || r.ClosedAt.IsZero() != (status == recaller.ReminderPending) {
		h.Errorf("%s: got it %s after %d failed tries (%q), closed at %v; want %s after %d (%q)", what, r.Status, r.Attempts, r.Reason, r.ClosedAt, status, attempts, reason)
	}
}

// counted returns a counter of recaller_reminders_total.
func (h *house) counted(result string) int {
	h.Helper()
	families, err := h.registry.Gather()
	h.ok(err)
	for _, f := range families {
		for _, m := range f.GetMetric() {
			if f.GetName() == "recaller_reminders_total" && m.GetLabel()[0].GetValue() == result {
				return int(m.GetCounter().GetValue())
			}
		}
	}
	return 0
}

func (h *house) isKind(what string, err error, kind recaller.Kind) {
	h.Helper()
	if !errors.Is(err, kind) {
		h.Errorf("%s: got %v, want %s", what, err, kind)
	}
}

// only proves that one request was received since the last time, of the reminder, and returns the memory's value in it.
func (h *house) only(what string, id recaller.ReminderID) string {
	h.Helper()
	got := h.receiver.Take()
	if len(got) != 1 || got[0].ID != string(id) {
		h.Fatalf("%s: got %+v, want one request, with the reminder's id", what, got)
	}
	var body struct {
		Data struct{ Memory struct{ Value string } }
	}
	h.ok(json.Unmarshal([]byte(got[0].Body), &body))
	return body.Data.Memory.Value
}

func (h *house) nothing(what string) {
	h.Helper()
	if diff := cmp.Diff([]webhooktest.Request(nil), h.receiver.Take()); diff != "" {
		h.Errorf("%s: something was sent:\n%s", what, diff)
	}
}
