package reminder_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/obs/obstest"
	"github.com/recallerhq/recaller/internal/repeat"
)

func TestAReminderFiresOnceAtItsTime(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	r := h.remind("dentist", "the dentist's visit <on> Tuesday & all", time.Hour)
	if n := h.pass(time.Hour - time.Second); n != 0 {
		t.Errorf("%d attempts before its time", n)
	}
	h.pass(time.Second)
	got := h.receiver.Take()
	if len(got) != 1 || got[0].ID != string(r.ID) {
		t.Fatalf("got %+v, want one request with the reminder's id", got)
	}
	var body bytes.Buffer
	h.ok(json.Indent(&body, []byte(got[0].Body), "", "  "))
	want := `{
  "type": "reminder.due",
  "timestamp": "2026-11-21T10:00:00Z",
  "data": {
    "reminder_id": "` + string(r.ID) + `",
    "due_at": "2026-11-21T10:00:00Z",
    "conversation_id": "c1",
    "text": "the dentist's visit \u003con\u003e Tuesday \u0026 all",
    "caller": {
      "id": "ann",
      "phone": "+12025550143",
      "external_id": "crm-77",
      "name": "Ann Archer"
    },
    "memory": {
      "id": "` + string(r.Memory) + `",
      "type": "follow_up",
      "key": "dentist",
      "value": "the dentist's visit \u003con\u003e Tuesday \u0026 all"
    }
  }
}`
	if diff := cmp.Diff(want, body.String()); diff != "" {
		t.Errorf("the body (-want +got):\n%s", diff)
	}
	h.is("sent", r.ID, recaller.ReminderDelivered, 0, "")
	due := recaller.Event{
		ID: recaller.EventID(r.ID), Type: recaller.EventReminderDue, Caller: "ann", Conversation: "c1", Memory: r.Memory, MemoryVersion: 1,
		Reminder: r.ID, At: r.DueAt,
	}
	if diff := cmp.Diff([]recaller.Event{due}, h.told); diff != "" {
		t.Errorf("who listens to the tenant (-want +got):\n%s", diff)
	}
	if n := h.pass(30 * 24 * time.Hour); n != 0 {
		t.Errorf("%d attempts after it was delivered", n)
	}
	h.nothing("later")
	if h.counted("delivered") != 1 || h.counted("failed") != 0 {
		t.Errorf("got %d delivered, %d failed, want one and none", h.counted("delivered"), h.counted("failed"))
	}
	obstest.WantNone(t, h.logged.String(), "dentist", "Tuesday", "Archer", "2025550143", "crm-77", h.receiver.URL, secret)
}

func TestRemindersOutliveRestarts(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	before, after := h.remind("a", "before", time.Hour), h.remind("b", "after", 3*time.Hour)
	h.pass(2 * time.Hour)
	if got := h.only("before the restart", before.ID); got != "before" {
		t.Errorf("got %q", got)
	}
	h.Restart(t)
	h.serve()
	h.pass(0)
	h.nothing("after the restart, before its time")
	h.pass(time.Hour)
	if got := h.only("after the restart", after.ID); got != "after" {
		t.Errorf("got %q", got)
	}
}

// The process dies, or the store is away, after the receiver took it and before that is written down: it is sent again,
// and the receiver can tell.
func TestARepeatHasTheSameID(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	r := h.remind("a", "milk", time.Minute)
	h.faults.Before("close", func() error { return recaller.Errorf(recaller.Unavailable, "the store is away") })
	h.pass(time.Minute)
	first := h.receiver.Take()
	h.is("not marked", r.ID, recaller.ReminderPending, 0, "")
	h.faults.Clear()
	h.pass(time.Minute)
	second := h.receiver.Take()
	if len(first) != 1 || first[0].ID != string(r.ID) {
		t.Fatalf("got %+v, want one request with the reminder's id", first)
	}
	if diff := cmp.Diff(first, second); diff != "" {
		t.Errorf("the repeat differs:\n%s", diff)
	}
	h.is("marked", r.ID, recaller.ReminderDelivered, 0, "")
	h.pass(time.Hour)
	h.nothing("when it is marked")
}

func TestAReminderIsTriedUntilTheReceiverTakesIt(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	hook := h.settings[tenantID].Webhook
	r := h.remind("a", "milk", time.Minute)
	h.pass(time.Minute)
	h.only("at once", r.ID)
	h.is("taken", r.ID, recaller.ReminderDelivered, 0, "")

	r = h.remind("b", "eggs", time.Minute)
	tries := 0
	for _, c := range []struct {
		what   string
		status int
		hook   recaller.Webhook
		reason string
		sent   int
	}{
		{"no webhook", 204, recaller.Webhook{}, "no webhook", 0},
		{"a fault of its own", 500, hook, "unreachable", 1},
		{"too much at once", 429, hook, "unreachable", 1},
		{"it refuses", 404, hook, "unreachable", 1},
		{"it is elsewhere", 307, hook, "unreachable", 1},
		{"nobody there", 204, recaller.Webhook{URL: "http://127.0.0.1:1/hook", Secret: secret}, "unreachable", 0},
		{"an address that is none", 204, recaller.Webhook{URL: "nowhere", Secret: secret}, "unreachable", 0},
	} {
		h.settings[tenantID] = recaller.Tenant{ID: tenantID, Webhook: c.hook}
		h.receiver.Answers(c.status, nil)
		if n := h.pass(time.Hour); n != 1 {
			t.Errorf("%s: %d attempts, want one", c.what, n)
		}
		tries++
		h.is(c.what, r.ID, recaller.ReminderPending, tries, c.reason)
		if got := len(h.receiver.Take()); got != c.sent {
			t.Errorf("%s: %d requests, want %d", c.what, got, c.sent)
		}
	}
	h.settings[tenantID] = recaller.Tenant{ID: tenantID, Webhook: hook}
	h.receiver.Answers(200, nil)
	h.pass(time.Hour)
	h.only("taken at last", r.ID)
	h.is("taken at last", r.ID, recaller.ReminderDelivered, tries, "unreachable")
	if got := h.counted("failed"); got != tries {
		t.Errorf("%d tries were counted as failed, want %d", got, tries)
	}
}

// slow is a receiver that does not answer in time.
type slow struct{}

func (slow) Send(context.Context, recaller.Webhook, string, time.Time, []byte) error {
	return recaller.Errorf(recaller.Timeout, "the webhook did not answer in time")
}

func TestAReceiverThatIsTooSlow(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	r := h.remind("a", "milk", time.Minute)
	h.Sender = slow{}
	h.pass(time.Minute)
	h.is("too slow", r.ID, recaller.ReminderPending, 1, "unreachable")
}

func TestAShutdownIsNoFailedTry(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	r := h.remind("a", "milk", time.Minute)
	h.Clock.Advance(time.Minute)
	ctx, cancel := context.WithCancel(t.Context())
	release := make(chan struct{})
	t.Cleanup(func() { close(release) })
	h.receiver.Answers(200, func() { cancel(); <-release })
	h.isKind("cut off", h.Fire(ctx, h.job(r, 1)), recaller.Timeout)
	h.is("cut off", r.ID, recaller.ReminderPending, 0, "")
}

// What the receiver took is written down even while the process stops.
func TestADeliveryIsMarkedThoughTheProcessStops(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	r := h.remind("a", "milk", time.Minute)
	h.Clock.Advance(time.Minute)
	ctx, cancel := context.WithCancel(t.Context())
	h.faults.Before("close", func() error { cancel(); return nil })
	h.ok(h.Fire(ctx, h.job(r, 1)))
	h.is("taken", r.ID, recaller.ReminderDelivered, 0, "")
}

func (h *house) job(r recaller.Reminder, attempts int) recaller.Job {
	return recaller.Job{ID: "j", Tenant: tenantID, Kind: recaller.JobReminder, Subject: string(r.ID), RunAt: r.DueAt, Attempts: attempts}
}

func TestTheNewestValueIsTold(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	r := h.remind("a", "milk", time.Hour)
	value := "oat milk"
	_, err := h.Place.Store.ChangeMemory(t.Context(), tenantID, recaller.Changing{ID: r.Memory, Patch: recaller.MemoryPatch{Value: &value, At: h.Clock.Now()}})
	h.ok(err)
	h.pass(time.Hour)
	if got := h.only("after an update", r.ID); got != value {
		t.Errorf("got %q, want %q", got, value)
	}
}

func TestAForgottenMemoryIsNotToldOf(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	forget := func(r recaller.Reminder) {
		_, err := h.Place.Store.ChangeMemory(t.Context(), tenantID, recaller.Changing{ID: r.Memory, Forget: true, Patch: recaller.MemoryPatch{At: h.Clock.Now()}})
		h.ok(err)
	}
	r := h.remind("a", "milk", time.Hour)
	forget(r)
	if n := h.pass(2 * time.Hour); n != 0 {
		t.Errorf("%d attempts, want its job gone", n)
	}
	h.nothing("forgotten before")
	h.is("forgotten before", r.ID, recaller.ReminderCancelled, 0, "")

	r = h.remind("b", "eggs", time.Hour)
	h.faults.After("read", func() error { forget(r); h.faults.Clear(); return nil })
	if n := h.pass(2 * time.Hour); n != 1 {
		t.Errorf("%d attempts, want one", n)
	}
	h.nothing("forgotten just now")
	h.is("forgotten just now", r.ID, recaller.ReminderCancelled, 0, "")

	r = h.remind("c", "tea", time.Hour)
	h.receiver.Answers(500, func() { forget(r) })
	if n := h.pass(time.Hour); n != 1 {
		t.Errorf("%d attempts, want one", n)
	}
	h.only("forgotten while it is sent", r.ID)
	h.is("forgotten while it is sent", r.ID, recaller.ReminderCancelled, 0, "")
	h.receiver.Answers(200, nil)
	h.pass(24 * time.Hour)
	h.nothing("forgotten while it was sent")
}

func TestAnErasedCallerIsNotToldOf(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	r := h.remind("a", "milk", time.Hour)
	_, err := h.Place.Store.EraseRows(t.Context(), tenantID, h.ann)
	h.ok(err)
	h.Clock.Advance(time.Hour)
	h.ok(h.Fire(t.Context(), h.job(r, 1)))
	h.ok(h.GiveUp(t.Context(), h.job(r, 1), nil))
	h.nothing("erased")
}

func TestAReminderIsMoved(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	old := h.remind("a", "milk", time.Hour)
	out, err := h.Place.Store.ChangeMemory(t.Context(), tenantID, recaller.Changing{
		ID: old.Memory, Patch: recaller.MemoryPatch{At: h.Clock.Now()},
		Reminder: &recaller.Reminder{ID: old.ID, DueAt: h.Clock.Now().Add(3 * time.Hour), CreatedAt: h.Clock.Now()},
	})
	h.ok(err)
	h.pass(2 * time.Hour)
	h.nothing("at the old time")
	h.pass(time.Hour)
	h.only("at the new time", out.Reminder.ID)
	h.nothing("once only")
}

// One that is moved while it is sent waits for its new time.
func TestAReminderIsMovedWhileItIsSent(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	r := h.remind("a", "milk", time.Hour)
	h.receiver.Answers(200, func() {
		_, err := h.Place.Store.ChangeMemory(t.Context(), tenantID, recaller.Changing{
			ID: r.Memory, Patch: recaller.MemoryPatch{At: h.Clock.Now()}, Reminder: &recaller.Reminder{ID: r.ID, DueAt: h.Clock.Now().Add(time.Hour)},
		})
		h.ok(err)
	})
	h.pass(time.Hour)
	h.only("at the old time", r.ID)
	h.is("moved", r.ID, recaller.ReminderPending, 0, "")
	h.receiver.Answers(200, nil)
	h.pass(time.Hour)
	h.only("at the new time", r.ID)
	h.is("sent", r.ID, recaller.ReminderDelivered, 0, "")
}

// A reminder that repeats fires at each of its times, each with an id of its own, across a restart, a time at which
// nobody was there, and one that was given up on; until it is cancelled.
func TestAReminderRepeats(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	old := h.remind("pills", "the pills", 24*time.Hour)
	rule, due, err := repeat.Read("every day", old.DueAt, h.Clock.Now())
	if err != nil || !due.Equal(old.DueAt) {
		t.Fatalf("got %v of %q", due, rule)
	}
	out, err := h.Place.Store.ChangeMemory(t.Context(), tenantID, recaller.Changing{
		ID: old.Memory, Patch: recaller.MemoryPatch{At: h.Clock.Now()}, Reminder: &recaller.Reminder{ID: old.ID, DueAt: due, Rule: rule, Text: "the blue ones"},
	})
	h.ok(err)
	r := *out.Reminder
	fires := func(what string, r recaller.Reminder) recaller.Reminder {
		t.Helper()
		h.only(what, r.Occurrence())
		next, err := h.Place.Store.Reminder(t.Context(), tenantID, r.ID)
		h.ok(err)
		return next
	}
	h.pass(24 * time.Hour)
	r = fires("the first day", r)
	h.Restart(t)
	h.serve()
	h.pass(0)
	h.nothing("after the restart")
	h.pass(24 * time.Hour)
	r = fires("the second day", r)
	h.pass(73 * time.Hour) // three times go by while nobody is there
	r = fires("after a while", r)
	h.nothing("what was missed is told once")
	if want := due.AddDate(0, 0, 5); !r.DueAt.Equal(want) {
		t.Errorf("got the next at %v, want %v", r.DueAt, want)
	}
	stale := recaller.Job{ID: string(old.ID), Tenant: tenantID, Kind: recaller.JobReminder, Subject: string(r.ID), RunAt: due, Attempts: 2}
	h.ok(h.Fire(t.Context(), stale)) // by one whose lease ran out
	h.ok(h.GiveUp(t.Context(), stale, nil))
	h.nothing("by an old job")
	j := recaller.Job{ID: string(r.Occurrence()), Tenant: tenantID, Subject: string(r.ID), RunAt: r.DueAt}
	h.ok(h.GiveUp(t.Context(), j, nil))
	h.is("given up on", r.Occurrence(), recaller.ReminderDead, 0, "")
	_, err = h.Retry(t.Context(), tenantID, r.Occurrence())
	h.ok(err)
	h.is("it goes on", r.ID, recaller.ReminderPending, 0, "")
	_, err = h.Cancel(t.Context(), tenantID, old.ID)
	h.ok(err)
	h.pass(24 * time.Hour)
	h.only("the one that was tried again", r.Occurrence())
	h.pass(30 * 24 * time.Hour)
	h.nothing("after it was cancelled")
}

// A rule that cannot be read ends no reminder in silence: this time is sent, and that no other comes stands on the list
// of the dead, in its words, and in the log.
func TestARuleThatCannotBeRead(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(h *house) {
		r := h.remind("pills", "the pills", time.Hour)
		_, err := h.Place.Store.ChangeMemory(h.Context(), tenantID, recaller.Changing{
			ID: r.Memory, Patch: recaller.MemoryPatch{At: h.Clock.Now()}, Reminder: &recaller.Reminder{ID: r.ID, DueAt: r.DueAt, Rule: "every moon"},
		})
		h.ok(err)
		h.pass(time.Hour)
		got := h.receiver.Take()
		if len(got) != 1 || got[0].ID != string(r.Occurrence()) || !strings.Contains(got[0].Body, `"repeats":"by a rule that cannot be read"`) {
			t.Errorf("got %+v, want this time, and what is the matter", got)
		}
		h.is("it ends", r.ID, recaller.ReminderDead, 0, "unreadable rule")
		if log := h.logged.String(); !strings.Contains(log, "repeats no more") || strings.Contains(log, "every moon") {
			t.Errorf("the log says %s", log)
		}
		if h.counted("dead") != 1 {
			t.Errorf("%d dead are counted, want it", h.counted("dead"))
		}
	})
}

// A job whose reminder was put off leaves the firing to the job of the new time.
func TestAJobOfAnEarlierTimeDoesNotFire(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	r := h.remind("a", "milk", 2*time.Hour)
	early := h.job(r, 1)
	early.RunAt = r.DueAt.Add(-time.Hour)
	h.Clock.Advance(time.Hour)
	h.ok(h.Fire(t.Context(), early))
	h.nothing("early")
	h.is("early", r.ID, recaller.ReminderPending, 0, "")
}

func TestAClockThatJumps(t *testing.T) {
	t.Parallel()
	h := newHouse(t)

	// Forward: what is late fires at once.
	one, two, future := h.remind("a", "one", time.Hour), h.remind("b", "two", 48*time.Hour), h.remind("c", "later", 60*24*time.Hour)
	h.pass(30 * 24 * time.Hour)
	if got := h.receiver.Take(); len(got) != 2 || got[0].ID != string(one.ID) || got[1].ID != string(two.ID) {
		t.Fatalf("after a jump forward: got %+v, want both that were due", got)
	}
	// And back again, and forward once more: nothing twice.
	h.pass(-30 * 24 * time.Hour)
	h.pass(30 * 24 * time.Hour)
	h.nothing("back and forward")
	h.is("still to come", future.ID, recaller.ReminderPending, 0, "")

	// Back between the claim of its job and its work.
	r := h.remind("d", "milk", time.Hour)
	h.faults.Before("read", func() error { h.Clock.Advance(-3 * time.Hour); h.faults.Clear(); return nil })
	h.pass(time.Hour)
	h.only("back as it fires", r.ID)

	// Back between two tries: the next runs when the backoff said, by a clock that is before the due time.
	r = h.remind("e", "eggs", time.Hour)
	h.receiver.Answers(http.StatusBadGateway, func() { h.Clock.Advance(-12 * time.Hour) })
	h.pass(time.Hour)
	h.only("the try before", r.ID)
	h.receiver.Answers(http.StatusOK, nil)
	h.pass(time.Minute)
	h.only("the try after", r.ID)
	h.is("taken", r.ID, recaller.ReminderDelivered, 1, "unreachable")
	h.pass(24 * time.Hour)
	h.nothing("after its due time")
}

func TestTheStoreIsAway(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	r := h.remind("a", "milk", time.Hour)
	away := func() error { return recaller.Errorf(recaller.Unavailable, "the store is away") }
	h.faults.Before("read", away)
	h.pass(time.Hour)
	h.nothing("it cannot be read")
	h.isKind("giving up", h.GiveUp(t.Context(), h.job(r, maxTries), nil), recaller.Unavailable)
	h.faults.Clear()
	h.receiver.Answers(500, nil)
	h.faults.Before("try", away)
	h.pass(time.Hour)
	h.only("the try cannot be counted", r.ID)
	h.faults.Clear()
	h.receiver.Answers(200, nil)
	h.pass(time.Hour)
	h.only("it is back", r.ID)
	h.is("it is back", r.ID, recaller.ReminderDelivered, 0, "")
}
