package e2e

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
)

// notice is a request that a webhook got.
type notice struct {
	ID   string
	Good bool // the signature fits
	Body struct {
		Type string `json:"type"`
		Data struct {
			ReminderID string    `json:"reminder_id"`
			DueAt      time.Time `json:"due_at"`
			Caller     struct {
				Phone string `json:"phone"`
			} `json:"caller"`
			Memory struct {
				Key   string `json:"key"`
				Value string `json:"value"`
			} `json:"memory"`
		} `json:"data"`
	}
}

// webhook is an application's endpoint, as Standard Webhooks describes it. It outlives servers that call it.
func webhook(t *testing.T, secret string) (url string, got <-chan notice) {
	t.Helper()
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil {
		t.Fatal(err)
	}
	notices := make(chan notice, 16)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		raw, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		id, at := r.Header.Get("webhook-id"), r.Header.Get("webhook-timestamp")
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(id + "." + at + "." + string(raw)))
		n := notice{ID: id, Good: r.Header.Get("webhook-signature") == "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil))}
		if err := json.Unmarshal(raw, &n.Body); err != nil {
			t.Error(err)
		}
		notices <- n
	}))
	t.Cleanup(receiver.Close)
	return receiver.URL, notices
}

const webhookSecret = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="

// A reminder comes once: at its time, or, if the server was dead then, when it is back; and never again (W3).
func TestARemindersWebhookSurvivesKillNine(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, on backing) {
		s := serveIn(t, on)
		p := phone{t, s.admin}
		url, got := webhook(t, webhookSecret)
		if hook, err := p.c.SetWebhook(t.Context(), client.WebhookInput{URL: url, Secret: webhookSecret}); err != nil || hook.Secret != webhookSecret {
			t.Fatalf("set the webhook: got %+v, %v", hook, err)
		}
		b := bridge{t, s, p.ring(number())}
		due := time.Now().Add(2500 * time.Millisecond).Truncate(time.Second)
		set := b.does("set_reminder", map[string]any{"key": "pills", "value": "Take the blue pills", "dueAt": due.Format(time.RFC3339Nano)})
		forgotten := b.does("set_reminder", map[string]any{"key": "bins", "value": "Put the bins out", "dueAt": due.Format(time.RFC3339Nano)})
		b.does("forget_memory", map[string]any{"key": "bins"})
		hourly := b.does("set_reminder", map[string]any{"key": "pills", "value": "Drink a glass of water", "dueAt": due.Format(time.RFC3339Nano), "repeat": "every hour"})
		s.kill()
		for time.Until(due) > 0 { // it comes due while nobody is there
			<-time.After(time.Until(due))
		}
		s.start()

		n, other := <-got, <-got
		if n.ID != set["reminderId"] {
			n, other = other, n
		}
		if !other.Good || other.Body.Data.ReminderID != hourly["reminderId"] || !strings.HasPrefix(other.ID, other.Body.Data.ReminderID+".") {
			t.Errorf("got %+v, want the reminder %v, at this time of its", other, hourly["reminderId"])
		}
		if !n.Good || n.ID != set["reminderId"] || n.Body.Type != "reminder.due" || n.Body.Data.ReminderID != n.ID {
			t.Errorf("got %+v, want the reminder %v, signed", n, set["reminderId"])
		}
		if d := n.Body.Data; d.Memory.Value != "Take the blue pills" || d.Memory.Key != "pills" || d.Caller.Phone != b.call.Caller.Phone || !d.DueAt.Equal(due) {
			t.Errorf("got %+v, want what to remind of, and whom", d)
		}
		p = phone{t, s.admin}
		status := func(id any) recaller.ReminderStatus {
			list, err := p.c.CallerReminders(t.Context(), b.call.Caller.ID, client.ReminderFilter{})
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range list.Reminders {
				if r.ID == id {
					return r.Status
				}
			}
			return ""
		}
		eventually(t, "the reminder is marked as delivered", func() bool { return status(set["reminderId"]) == recaller.ReminderDelivered })
		if got := status(forgotten["reminderId"]); got != recaller.ReminderCancelled {
			t.Errorf("the reminder of a forgotten memory is %q, want cancelled", got)
		}
		eventually(t, "what repeats waits for the next hour", func() bool {
			list, err := p.c.CallerReminders(t.Context(), b.call.Caller.ID, client.ReminderFilter{Status: recaller.ReminderPending})
			return err == nil && len(list.Reminders) == 1 && list.Reminders[0].ID == hourly["reminderId"] &&
				list.Reminders[0].DueAt.Equal(due.Add(time.Hour)) && list.Reminders[0].Repeats == "every hour"
		})
		s.restart()
		p.say(phone{t, s.admin}.ring(number()).Conversation.ID) // it serves, and its jobs have had their chance
		s.stop()
		select {
		case again := <-got:
			t.Errorf("got %+v as well, want it once", again)
		default:
		}
	})
}

// A reminder is set, moved and called off in one call. As of each moment an agent is told what waited then.
func TestRemindersAsOfATime(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, on backing) {
		s := house(t, on)
		b := bridge{t, s, phone{t, s.admin}.ring(number())}
		due := time.Now().UTC().AddDate(0, 0, 3).Truncate(time.Minute)
		b.does("store_memory", map[string]any{"memory_type": "fact", "key": "car", "value": "a blue van"})
		moments := []time.Time{time.Now()}
		set := b.does("set_reminder", map[string]any{"key": "car", "dueAt": due.Format(time.RFC3339), "repeat": "every other day"})
		moments = append(moments, time.Now())
		b.does("set_reminder", map[string]any{"reminderId": set["reminderId"], "dueAt": due.AddDate(0, 0, 1).Format(time.RFC3339)})
		moments = append(moments, time.Now())
		b.does("cancel_reminder", map[string]any{"reminderId": set["reminderId"]})
		moments = append(moments, time.Now())
		told := func(asOf time.Time) string {
			got, err := s.admin.CallerBriefing(t.Context(), b.call.Caller.ID, client.BriefingQuery{AsOf: asOf})
			if err != nil {
				t.Fatal(err)
			}
			_, line, _ := strings.Cut(got.Text, "- car: ")
			line, _, _ = strings.Cut(line, "\n")
			return line
		}
		for i, want := range []string{"", "in three days", "in four days", ""} {
			line := told(moments[i])
			if !strings.HasPrefix(line, "a blue van") || strings.Contains(line, "reminder") != (want != "") || !strings.Contains(line, want) ||
				strings.Contains(line, "every other day") != (i == 1) {
				t.Errorf("as of moment %d: got %q, want %q in it", i, line, want)
			}
		}
	})
}
