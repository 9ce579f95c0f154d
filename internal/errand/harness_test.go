package errand_test

import (
	"context"
	"fmt"
	"net/url"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/carrier"
	"github.com/recallerhq/recaller/internal/carrier/carriertest"
	"github.com/recallerhq/recaller/internal/errand"
	"github.com/recallerhq/recaller/internal/jobs"
	"github.com/recallerhq/recaller/internal/obs/obstest"
	"github.com/recallerhq/recaller/internal/reminder"
	"github.com/recallerhq/recaller/internal/store"
	"github.com/recallerhq/recaller/internal/usecasetest"
)

const (
	tenantID = "t1"
	ours     = "+12025550100"
	anns     = "+12125550143"
)

// house is the service on a real store, with the use cases of reminders before it, the runner that goes on with errands,
// and a fake carrier over real HTTP.
type house struct {
	*testing.T
	*usecasetest.Place
	*errand.Service
	carrier  *carriertest.Carrier
	settings usecasetest.Settings
	runner   *jobs.Runner
	logged   *obstest.Stream
	chats    *chats
	hooked   []string // what the webhook was sent
	refuses  error    // what the webhook says
	dies     string   // when the process dies: "before" the carrier is asked, or "after" it was
	told     []recaller.Event
	said     []string // in calls
	ann      recaller.CallerID
}

// chats keeps what is texted.
type chats struct {
	told    map[string]string // by its id
	stopped bool
	fails   error
}

func (c *chats) Tell(_ context.Context, _ recaller.TenantID, from, to, id, text string) (recaller.ConversationID, error) {
	if c.fails != nil {
		return "", c.fails
	}
	c.told[id] = fmt.Sprintf("%s to %s: %s", from, to, text)
	return "sms-1", nil
}

func (c *chats) OptedOut(context.Context, recaller.TenantID, string, string) (bool, error) {
	return c.stopped, nil
}

// onBothStores tells a story of each store.
func onBothStores(t *testing.T, story func(h *house)) {
	t.Helper()
	usecasetest.OnBothStores(t, furnish, story)
}

func furnish(t *testing.T, p *usecasetest.Place) *house {
	t.Helper()
	h := &house{T: t, Place: p, carrier: carriertest.New(t), chats: &chats{told: map[string]string{}}}
	h.carrier.Clock(h.Clock.Now)
	h.MakeTenant(t, recaller.Tenant{ID: tenantID, Name: "Lakeside Dental"})
	h.settings = usecasetest.Settings{tenantID: {ID: tenantID, Name: "Lakeside Dental", Numbers: []string{ours}}}
	h.reach(recaller.Reaching{Reminders: recaller.MeansRing})
	h.Place.Store.Announce(store.Herald{
		Audience: func(context.Context, recaller.TenantID) (store.Audience, error) {
			return store.Audience{Stream: true}, nil
		},
		Committed: func(_ recaller.TenantID, events []recaller.Event, _ bool) { h.told = append(h.told, events...) },
	})
	h.Clock.Advance(6 * time.Hour) // 10 in the morning in New York
	h.serve()
	h.ann = h.met("ann", anns)
	return h
}

// met has somebody new call, and hang up.
func (h *house) met(id recaller.CallerID, number string) recaller.CallerID {
	h.Helper()
	by := recaller.Identity{Kind: recaller.IdentityPhone, Value: number}
	if number[0] != '+' {
		by.Kind = recaller.IdentityExternal
	}
	opened, err := h.Place.Store.OpenConversation(h.Context(), tenantID, h.Opening(id, recaller.ConversationID("c-"+id), by))
	h.ok(err)
	h.hangsUp(recaller.ConversationID("c-" + id))
	return opened.Caller.ID
}

func (h *house) hangsUp(conv recaller.ConversationID) {
	h.Helper()
	_, err := h.Place.Store.CloseConversation(h.Context(), tenantID, recaller.Closing{Conversation: conv, Status: recaller.Completed, EndedAt: h.Clock.Now()})
	h.ok(err)
}

func (h *house) reach(r recaller.Reaching) {
	t := h.settings[tenantID]
	if r.From == "" {
		r.From = ours
	}
	t.Outbound = r
	h.settings[tenantID] = t
}

// serve makes the services and the runner anew, as a process does.
func (h *house) serve() {
	reg := prometheus.NewRegistry()
	logged, log := obstest.NewStream()
	h.logged = logged
	h.Service = errand.New(errand.Deps{
		Store: h.Place.Store, Tenants: h.settings, Carrier: mortal{carrier.New(h.carrier.Settings()), h}, Chats: h.chats,
		Heard: func(context.Context, recaller.TenantID, recaller.ConversationID) ([]string, error) { return nil, nil },
		Say: func(_ context.Context, _ recaller.TenantID, _ recaller.ConversationID, text string) error {
			h.said = append(h.said, text)
			return nil
		},
		Enqueued: func() {}, Voice: "https://calls.example.test/webhook/voice", Ended: "https://calls.example.test/webhook/call-ended",
		Log: log, Metrics: errand.NewMetrics(reg), Now: h.Clock.Now,
	})
	reminders := reminder.New(reminder.Deps{
		Errands: h.Service, Store: h.Place.Store, Tenants: h.settings, Sender: sender{h}, Enqueued: func() {},
		Told: func(recaller.TenantID, recaller.Event) {}, Log: log, Metrics: reminder.NewMetrics(reg), Now: h.Clock.Now, NewID: h.NewID,
	})
	h.runner = jobs.New(h.Place.Store, map[string]jobs.Handler{
		recaller.JobReindex:  {Run: func(context.Context, recaller.Job) error { return nil }},
		recaller.JobReminder: {Run: reminders.Fire, GiveUp: reminders.GiveUp, MaxAttempts: 3, Scheduled: true},
		recaller.JobErrand:   {Run: h.Service.Run, GiveUp: h.GiveUp, Scheduled: true},
	}, jobs.Options{}, log, reg, h.Clock.Now)
}

// mortal is the carrier of a process that may die beside it: what the job would have done next is not done.
type mortal struct {
	*carrier.Client
	h *house
}

func (m mortal) Ring(ctx context.Context, r recaller.PhoneRing) (string, error) {
	return m.asked(func() (string, error) { return m.Client.Ring(ctx, r) })
}

func (m mortal) Text(ctx context.Context, t recaller.PhoneText) (string, error) {
	return m.asked(func() (string, error) { return m.Client.Text(ctx, t) })
}

func (m mortal) asked(ask func() (string, error)) (string, error) {
	when := m.h.dies
	if when == "" {
		return ask()
	}
	if m.h.dies = ""; when == "after" {
		_, _ = ask()
	}
	panic("killed")
}

// sender is the tenant's webhook.
type sender struct{ h *house }

func (s sender) Send(_ context.Context, _ recaller.Webhook, id string, _ time.Time, _ []byte) error {
	if s.h.refuses != nil {
		return s.h.refuses
	}
	s.h.hooked = append(s.h.hooked, id)
	return nil
}

func (h *house) hook() {
	t := h.settings[tenantID]
	t.Webhook = recaller.Webhook{URL: "https://a.test/", Secret: "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="}
	h.settings[tenantID] = t
}

func (h *house) ok(err error) {
	h.Helper()
	if err != nil {
		h.Fatal(err)
	}
}

// remind stores a memory with a reminder of ann's that is due after a while.
func (h *house) remind(key, value string, in time.Duration, rule string) recaller.Reminder {
	h.Helper()
	return h.remindOf(h.ann, key, value, in, rule)
}

func (h *house) remindOf(who recaller.CallerID, key, value string, in time.Duration, rule string) recaller.Reminder {
	h.Helper()
	now := h.Clock.Now()
	if rule != "" {
		rule = "DTSTART:" + now.Add(in).Format("20060102T150405Z") + "\nRRULE:" + rule
	}
	out, err := h.Place.Store.StoreMemory(h.Context(), tenantID, recaller.Storing{
		Memory:   h.Memory(who, recaller.FollowUp, key, value),
		Reminder: &recaller.Reminder{ID: recaller.ReminderID(h.NewID()), DueAt: now.Add(in), Rule: rule, CreatedAt: now},
	})
	h.ok(err)
	return *out.Reminder
}

// pass lets time pass, in steps in which what is due is run.
func (h *house) pass(d time.Duration) {
	h.Helper()
	for step := 10 * time.Second; d > 0; d -= step {
		if d > 2*time.Hour {
			step = time.Minute
		}
		h.Clock.Advance(min(step, d))
		_, err := h.runner.RunDue(h.Context())
		h.ok(err)
	}
}

func (h *house) reminder(id recaller.ReminderID) recaller.Reminder {
	h.Helper()
	r, err := h.Place.Store.Reminder(h.Context(), tenantID, id)
	h.ok(err)
	return r
}

// is proves where a reminder and its errand stand, as "pending waiting quiet hours".
func (h *house) is(what string, id recaller.ReminderID, want string) recaller.Reminder {
	h.Helper()
	r := h.reminder(id)
	got := string(r.Status)
	if r.Errand != nil {
		got += " " + string(r.Errand.State)
		if r.Errand.Reason != "" {
			got += " " + r.Errand.Reason
		}
	}
	if got != want {
		h.Errorf("%s: got %q, want %q; %+v", what, got, want, r.Errand)
	}
	return r
}

// rings proves how often the carrier rang in all, and returns which ring the last one is.
func (h *house) rings(what string, n int) (errand.Ref, string) {
	h.Helper()
	rings := h.carrier.Rings()
	if len(rings) != n {
		h.Fatalf("%s: it rang %d times, want %d", what, len(rings), n)
	}
	if n == 0 {
		return errand.Ref{}, ""
	}
	last := rings[n-1]
	at, err := url.Parse(last.Form.Get("Url"))
	h.ok(err)
	f, ok := errand.ReadRef(at.Query())
	if !ok {
		h.Fatalf("%s: %s names no ring", what, at)
	}
	return f, last.ID
}

func (h *house) tenant() recaller.Tenant {
	h.Helper()
	t, err := h.settings.Tenant(h.Context(), tenantID)
	h.ok(err)
	return t
}

// answers has somebody pick up, and returns what is to be done.
func (h *house) answers(f errand.Ref, call, by string) errand.Answer {
	h.Helper()
	a, err := h.Answered(h.Context(), h.tenant(), f, call, by, false)
	h.ok(err)
	return a
}

// ends has the carrier tell how a call ended.
func (h *house) ends(f errand.Ref, call, status string) {
	h.Helper()
	h.carrier.Put(call, status)
	h.ok(h.Over(h.Context(), h.tenant(), f, call, status))
}

// events are the types of event about reminders that were told.
func (h *house) events() (out string) {
	for _, e := range h.told {
		if e.Reminder != "" {
			out += string(e.Type) + " "
		}
	}
	return out
}
