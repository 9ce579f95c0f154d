package httpapi

import (
	"context"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
)

func TestRemindersAreSetListedAndCancelled(t *testing.T) {
	t.Parallel()
	h := setup(t, nil)
	ctx := context.Background()
	agent := h.withKey(t, recaller.ScopeAgent)
	c, other := h.begun(t, "+4930901820").Caller.ID, h.begun(t, "+4930901821").Caller.ID
	due := time.Date(2031, 5, 1, 9, 0, 0, 0, time.UTC)
	var set []client.Reminder
	for i, caller := range []string{c, c, other} {
		key := []string{"dentist", "sister", "bank"}[i]
		m, err := agent.StoreMemory(ctx, caller, client.MemoryInput{Type: recaller.FollowUp, Key: key, Value: key + " on the first"})
		if err != nil {
			t.Fatal(err)
		}
		r, err := agent.SetReminder(ctx, m.Memory.ID, client.ReminderInput{DueAt: due.Add(time.Duration(i) * time.Hour)})
		if err != nil {
			t.Fatal(err)
		}
		if r.ID == "" || r.MemoryID != m.Memory.ID || r.CallerID != caller || r.Status != recaller.ReminderPending || !r.DueAt.Equal(due.Add(time.Duration(i)*time.Hour)) || r.CreatedAt.IsZero() {
			t.Errorf("got %+v", r)
		}
		set = append(set, r)
	}
	page, err := agent.Reminders(ctx, client.ReminderFilter{Page: client.Page{Limit: 2}})
	if err != nil || len(page.Reminders) != 2 || page.Reminders[0].ID != set[2].ID || page.NextCursor == "" {
		t.Fatalf("got %+v, %v; want the two latest and a cursor", page, err)
	}
	if page, err = agent.Reminders(ctx, client.ReminderFilter{Page: client.Page{Limit: 2, Cursor: page.NextCursor}}); err != nil || len(page.Reminders) != 1 || page.NextCursor != "" {
		t.Errorf("got %+v, %v; want the last one", page, err)
	}
	if page, err = agent.CallerReminders(ctx, c, client.ReminderFilter{Status: recaller.ReminderPending}); err != nil || len(page.Reminders) != 2 {
		t.Errorf("got %+v, %v; want the caller's two", page, err)
	}
	gone, err := agent.CancelReminder(ctx, set[0].ID)
	if err != nil || gone.Status != recaller.ReminderCancelled || gone.ClosedAt.IsZero() {
		t.Errorf("got %+v, %v", gone, err)
	}
	if page, err = agent.Reminders(ctx, client.ReminderFilter{CallerID: c, Status: recaller.ReminderPending}); err != nil || len(page.Reminders) != 1 {
		t.Errorf("got %+v, %v; want one left", page, err)
	}
	if _, err := agent.RetryReminder(ctx, set[1].ID); !client.IsConflict(err) {
		t.Errorf("got %v, want a conflict: it is not dead", err)
	}
	if _, err := agent.ForgetMemory(ctx, set[1].MemoryID); err != nil {
		t.Fatal(err)
	}
	if page, err = agent.CallerReminders(ctx, c, client.ReminderFilter{Status: recaller.ReminderCancelled}); err != nil || len(page.Reminders) != 2 {
		t.Errorf("got %+v, %v; want that forgetting cancelled the other", page, err)
	}
	if _, err := agent.SetReminder(ctx, set[1].MemoryID, client.ReminderInput{DueAt: due}); !client.IsConflict(err) {
		t.Errorf("got %v, want a conflict: the memory is forgotten", err)
	}
}

// One call stores what to remind of with its reminder; a memory has several, which repeat by the caller's clocks.
func TestACallerIsRemindedAgainAndAgain(t *testing.T) {
	t.Parallel()
	h := setup(t, nil)
	ctx := context.Background()
	c := h.begun(t, "+4930901820").Caller.ID
	due := time.Date(2031, 5, 1, 9, 0, 0, 0, time.UTC) // eleven in Berlin, a Thursday
	weekly, err := h.admin.RemindCaller(ctx, c, client.CallerReminderInput{Key: "pills", Value: "take the pills", DueAt: due, Repeat: "every Monday at 8"})
	if err != nil || weekly.Repeats != "every Monday" || !weekly.DueAt.Equal(time.Date(2031, 5, 5, 6, 0, 0, 0, time.UTC)) {
		t.Fatalf("got %+v, %v; want the first Monday from then on, at eight in Berlin", weekly, err)
	}
	once, err := h.admin.SetReminder(ctx, weekly.MemoryID, client.ReminderInput{DueAt: due, Text: "fetch new ones"})
	if err != nil || once.Text != "fetch new ones" || once.ID == weekly.ID || once.Repeats != "" {
		t.Errorf("got %+v, %v; want one beside it, with its words", once, err)
	}
	page, err := h.admin.CallerReminders(ctx, c, client.ReminderFilter{Status: recaller.ReminderPending})
	if err != nil || len(page.Reminders) != 2 {
		t.Errorf("got %+v, %v; want both", page, err)
	}
	_, err = h.admin.RemindCaller(ctx, c, client.CallerReminderInput{Key: "pills", Value: "take the pills", DueAt: due, Repeat: "now and then"})
	if err == nil || !strings.Contains(err.Error(), "repeat") {
		t.Errorf("got %v, want it refused", err)
	}
	if _, err = h.admin.RemindCaller(ctx, "nobody", client.CallerReminderInput{Key: "k", Value: "v", DueAt: due}); !client.IsNotFound(err) {
		t.Errorf("got %v, want no such caller", err)
	}
}

func TestRemindersThatAreNoneAreRefused(t *testing.T) {
	t.Parallel()
	h := setup(t, nil)
	c := h.begun(t, "+4930901820").Caller.ID
	m, err := h.admin.StoreMemory(context.Background(), c, client.MemoryInput{Type: recaller.FollowUp, Key: "k", Value: "v"})
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		method, path, body string
		status             int
		field              string
	}{
		{"POST", "/v1/memories/" + m.Memory.ID + "/reminder", `{}`, 422, "due_at"},
		{"POST", "/v1/memories/" + m.Memory.ID + "/reminder", `{"due_at":"SECRET"}`, 422, "due_at"},
		{"POST", "/v1/memories/" + m.Memory.ID + "/reminder", `{"due_at":"2001-01-01T00:00:00Z"}`, 422, "due_at"},
		{"POST", "/v1/memories/none/reminder", `{"due_at":"2031-01-01T00:00:00Z"}`, 404, ""},
		{"GET", "/v1/reminders?status=SECRET", "", 422, "status"},
		{"GET", "/v1/reminders?cursor=SECRET", "", 422, "cursor"},
		{"GET", "/v1/callers/nobody/reminders", "", 404, ""},
		{"DELETE", "/v1/reminders/none", "", 404, ""},
		{"POST", "/v1/reminders/none/retry", "", 404, ""},
	}
	for _, test := range tests {
		if p := h.refused(t, test.status, test.method, test.path, test.body); p.Field != test.field {
			t.Errorf("%s %s %s: got %+v, want the field %q", test.method, test.path, test.body, p, test.field)
		}
	}
}

func TestTheWebhookIsSetShownAndTakenAway(t *testing.T) {
	t.Parallel()
	h := setup(t, nil)
	ctx := context.Background()
	if _, err := h.admin.Webhook(ctx); !client.IsNotFound(err) {
		t.Errorf("got %v, want that there is none", err)
	}
	made, err := h.admin.SetWebhook(ctx, client.WebhookInput{URL: "https://agent.example.com/hook"})
	if err != nil || made.URL != "https://agent.example.com/hook" || len(made.Secret) < 30 || made.Secret[:6] != "whsec_" {
		t.Fatalf("got %+v, %v; want a secret of the form whsec_…", made, err)
	}
	moved, err := h.admin.SetWebhook(ctx, client.WebhookInput{URL: "https://agent.example.com/other"})
	if err != nil || moved.Secret != made.Secret {
		t.Errorf("got %+v, %v; want the secret to stay", moved, err)
	}
	if read, err := h.admin.Webhook(ctx); err != nil || !reflect.DeepEqual(read, moved) {
		t.Errorf("got %+v, %v; want %+v", read, err, moved)
	}
	_, _, settings := h.call(t, "GET", "/v1/tenant", "")
	if containsAny(settings, made.Secret, "whsec_") {
		t.Error("the tenant's settings, which every key may read, hold the secret")
	}
	for _, body := range []string{`{}`, `{"url":""}`, `{"url":"SECRET"}`, `{"url":"ftp://SECRET"}`} {
		if p := h.refused(t, 422, "PUT", "/v1/webhook", body); p.Field != "url" || containsAny(p.Detail, "SECRET") {
			t.Errorf("%s: got %+v, want the url at fault", body, p)
		}
	}
	if p := h.refused(t, 422, "PUT", "/v1/webhook", `{"url":"https://agent.example.com/","secret":"SECRET"}`); p.Field != "secret" {
		t.Errorf("got %+v, want the secret at fault", p)
	}
	if err := h.admin.DeleteWebhook(ctx); err != nil {
		t.Fatal(err)
	}
	if _, err := h.admin.Webhook(ctx); !client.IsNotFound(err) {
		t.Errorf("got %v, want that there is none any more", err)
	}
}
