package reminder_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/recallerhq/recaller"
)

// dead has a reminder tried until it is given up on.
func (h *house) dead(key string) recaller.Reminder {
	h.Helper()
	r := h.remind(key, "milk", time.Minute)
	h.receiver.Answers(503, nil)
	n := 0
	for range maxTries + 5 {
		n += h.pass(2 * time.Hour)
	}
	if n != maxTries || len(h.receiver.Take()) != maxTries {
		h.Errorf("%d attempts, want %d", n, maxTries)
	}
	h.receiver.Answers(200, nil)
	h.is("given up on", r.ID, recaller.ReminderDead, maxTries, "unreachable")
	return r
}

func TestAReminderThatIsGivenUpOnCanBeTriedAgain(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	r := h.dead("a")
	list, _, err := h.List(t.Context(), tenantID, recaller.ReminderFilter{Status: recaller.ReminderDead})
	if h.ok(err); len(list) != 1 || list[0].ID != r.ID {
		t.Errorf("the dead ones: got %+v, want it", list)
	}
	again, err := h.Retry(t.Context(), tenantID, r.ID)
	if h.ok(err); again.Status != recaller.ReminderPending || h.woken != 1 {
		t.Errorf("got %+v, the runner was woken %d times; want it pending, and once", again, h.woken)
	}
	_, err = h.Retry(t.Context(), tenantID, r.ID)
	h.isKind("one that is pending", err, recaller.Conflict)
	h.pass(0)
	h.only("tried again", r.ID)
	_, err = h.Retry(t.Context(), tenantID, r.ID)
	h.isKind("one that was delivered", err, recaller.Conflict)
	_, err = h.Retry(t.Context(), tenantID, "nobody's")
	h.isKind("one that is not there", err, recaller.NotFound)
	_, err = h.Retry(t.Context(), "t2", r.ID)
	h.isKind("another tenant's", err, recaller.NotFound)
	if h.woken != 1 || h.counted("dead") != 1 || h.counted("delivered") != 1 {
		t.Errorf("woken %d times, %d dead, %d delivered; want one of each", h.woken, h.counted("dead"), h.counted("delivered"))
	}
}

// The last time of one that repeats is tried again as any other: it is sent, or given up on once more, and never waits
// for a job that there is not.
func TestTheLastTimeOfOneThatRepeatsIsTriedAgain(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(h *house) {
		old := h.remind("pills", "the pills", 24*time.Hour)
		out, err := h.Place.Store.ChangeMemory(h.Context(), tenantID, recaller.Changing{
			ID: old.Memory, Patch: recaller.MemoryPatch{At: h.Clock.Now()},
			Reminder: &recaller.Reminder{ID: old.ID, DueAt: old.DueAt, Rule: "DTSTART:" + old.DueAt.Format("20060102T150405Z") + "\nRRULE:FREQ=DAILY;COUNT=1"},
		})
		h.ok(err)
		r := *out.Reminder
		givenUp := func() {
			for range maxTries + 1 {
				h.pass(2 * time.Hour)
			}
			if got := h.receiver.Take(); len(got) != maxTries || got[0].ID != string(r.Occurrence()) {
				h.Errorf("got %d requests, want every try, all of one id", len(got))
			}
		}
		again := func() {
			h.Helper()
			_, err := h.Retry(h.Context(), tenantID, r.ID)
			h.ok(err)
		}
		h.receiver.Answers(503, nil)
		h.pass(24*time.Hour - 2*time.Hour)
		givenUp()
		h.is("given up on", r.ID, recaller.ReminderDead, maxTries, "unreachable")
		again()
		h.pass(-2 * time.Hour)
		givenUp()
		h.is("and once more", r.ID, recaller.ReminderDead, 2*maxTries, "unreachable")
		again()
		h.receiver.Answers(200, nil)
		h.pass(0)
		h.only("taken at last", r.Occurrence())
		h.is("taken at last", r.ID, recaller.ReminderDelivered, 2*maxTries, "unreachable")
	})
}

// Whatever became of reminders, none waits without a job: those that were given up on and tried again come to an end,
// with each of their times.
func TestNothingWaitsForEver(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(h *house) {
		for i, rule := range []string{"", "\nRRULE:FREQ=DAILY;COUNT=1", "\nRRULE:FREQ=HOURLY;INTERVAL=50;COUNT=3", "\nRRULE:FREQ=MOONLY"} {
			r := h.remind(string(rune('a'+i)), "milk", time.Hour)
			if rule != "" {
				rule = "DTSTART:" + r.DueAt.Format("20060102T150405Z") + rule
			}
			_, err := h.Place.Store.ChangeMemory(h.Context(), tenantID, recaller.Changing{
				ID: r.Memory, Patch: recaller.MemoryPatch{At: h.Clock.Now()}, Reminder: &recaller.Reminder{ID: r.ID, DueAt: r.DueAt, Rule: rule},
			})
			h.ok(err)
		}
		list := func(status recaller.ReminderStatus) []recaller.Reminder {
			h.Helper()
			found, _, err := h.List(h.Context(), tenantID, recaller.ReminderFilter{Status: status})
			h.ok(err)
			return found
		}
		for _, answer := range []int{503, 503, 200} {
			h.receiver.Answers(answer, nil)
			for range 200 {
				h.pass(time.Hour)
			}
			if left := list(recaller.ReminderPending); len(left) != 0 {
				t.Fatalf("at %d: %+v still wait", answer, left)
			}
			if answer == 503 {
				for _, r := range list(recaller.ReminderDead) {
					_, err := h.Retry(h.Context(), tenantID, r.ID)
					h.ok(err)
				}
			}
		}
		if dead := list(recaller.ReminderDead); len(dead) != 1 || dead[0].Reason != "unreadable rule" {
			t.Errorf("got %+v, want only the one whose rule cannot be read", dead)
		}
		if done := list(recaller.ReminderDelivered); len(done) != 5 {
			t.Errorf("%d were delivered, want each time of the others", len(done))
		}
	})
}

// The clock was set right, an hour back: what is tried again is not lost, but waits until it is due.
func TestARetryBeforeTheDueTimeWaits(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	r := h.dead("a")
	h.Clock.Advance(-h.Clock.Now().Sub(r.DueAt) - time.Hour)
	_, err := h.Retry(t.Context(), tenantID, r.ID)
	h.ok(err)
	h.pass(30 * time.Minute)
	h.nothing("before")
	h.pass(30 * time.Minute)
	h.only("at its time", r.ID)
}

// A reminder that is tried again while the runner is still about to put its old job away keeps the new one.
func TestARetryWhileItIsGivenUp(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	r := h.remind("a", "milk", time.Minute)
	h.receiver.Answers(503, nil)
	for range maxTries - 1 {
		h.pass(2 * time.Hour)
	}
	h.faults.After("close", func() error {
		h.faults.Clear()
		_, err := h.Retry(t.Context(), tenantID, r.ID)
		return err
	})
	h.receiver.Take()
	h.pass(2 * time.Hour)
	if got := len(h.receiver.Take()); got != 2 {
		t.Errorf("got %d requests, want the last try and the one after it", got)
	}
	h.receiver.Answers(200, nil)
	h.pass(2 * time.Hour)
	h.only("tried again", r.ID)
}

func TestAPendingReminderCanBeCancelled(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	r := h.remind("a", "milk", time.Hour)
	got, err := h.Cancel(t.Context(), tenantID, r.ID)
	if h.ok(err); got.Status != recaller.ReminderCancelled || !got.ClosedAt.Equal(h.Clock.Now()) {
		t.Errorf("got %+v, want it cancelled now", got)
	}
	if n := h.pass(2 * time.Hour); n != 0 {
		t.Errorf("%d attempts, want its job gone", n)
	}
	h.nothing("cancelled")
	h.ok(h.Fire(t.Context(), h.job(r, 1))) // its job was claimed already
	h.nothing("cancelled, and claimed before")
	for what, id := range map[string]recaller.ReminderID{"again": r.ID, "dead": h.dead("b").ID} {
		_, err = h.Cancel(t.Context(), tenantID, id)
		h.isKind(what, err, recaller.Conflict)
	}
	_, err = h.Cancel(t.Context(), "t2", r.ID)
	h.isKind("another tenant's", err, recaller.NotFound)
	if got := h.counted("cancelled"); got != 1 {
		t.Errorf("%d were counted, want one", got)
	}
}

func TestCancelWhileItIsSent(t *testing.T) {
	t.Parallel()
	for _, status := range []int{200, 500} {
		h := newHouse(t)
		r := h.remind("a", "milk", time.Hour)
		h.receiver.Answers(status, func() {
			_, err := h.Cancel(t.Context(), tenantID, r.ID)
			h.ok(err)
		})
		if n := h.pass(time.Hour); n != 1 {
			t.Errorf("%d attempts, want one", n)
		}
		h.is("cancelled", r.ID, recaller.ReminderCancelled, 0, "")
		h.receiver.Take()
		h.pass(24 * time.Hour)
		h.nothing("cancelled")
	}
}

func TestRemindersAreListedByDueTime(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	var want []recaller.ReminderID
	for i := range 5 {
		r := h.remind(string(rune('a'+i)), "milk", time.Duration(i+1)*time.Hour)
		want = append([]recaller.ReminderID{r.ID}, want...)
	}
	h.pass(time.Hour)
	var got []recaller.ReminderID
	f := recaller.ReminderFilter{Caller: h.ann, Status: recaller.ReminderPending, Page: recaller.Page{Limit: 3}}
	for pages := 0; ; pages++ {
		list, next, err := h.List(t.Context(), tenantID, f)
		h.ok(err)
		for _, r := range list {
			got = append(got, r.ID)
		}
		if f.Page.Cursor = next; next == "" || pages > 3 {
			break
		}
	}
	if diff := cmp.Diff(want[:4], got); diff != "" {
		t.Errorf("pending ones (-want +got):\n%s", diff)
	}
	if list, _, err := h.List(t.Context(), tenantID, recaller.ReminderFilter{Caller: "bob"}); err != nil || len(list) != 0 {
		t.Errorf("another caller's: got %+v, %v", list, err)
	}
	_, _, err := h.List(t.Context(), tenantID, recaller.ReminderFilter{Status: "lost"})
	h.isKind("no such status", err, recaller.Invalid)
}

// What was forgotten is not listed in the words of a reminder either, whatever memory that is of and wherever it
// stands.
func TestAListTellsNothingForgotten(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(h *house) {
		debt := h.remind("debt", "he owes his brother four thousand euros", time.Hour)
		other := h.remind("brother", "call his brother", 2*time.Hour)
		for i, text := range []string{"ask about the four thousand euros he owes his brother", "ask how the garden is"} {
			_, err := h.Place.Store.ChangeMemory(h.Context(), tenantID, recaller.Changing{
				ID: other.Memory, Patch: recaller.MemoryPatch{At: h.Clock.Now()},
				Reminder: &recaller.Reminder{ID: recaller.ReminderID(h.NewID()), DueAt: other.DueAt.Add(time.Duration(i+1) * time.Hour), Text: text, CreatedAt: h.Clock.Now()},
			})
			h.ok(err)
		}
		h.Clock.Advance(time.Minute)
		_, err := h.Place.Store.ChangeMemory(h.Context(), tenantID, recaller.Changing{ID: debt.Memory, Forget: true, Patch: recaller.MemoryPatch{At: h.Clock.Now()}})
		h.ok(err)
		list, _, err := h.List(h.Context(), tenantID, recaller.ReminderFilter{})
		h.ok(err)
		var texts []string
		for _, r := range list {
			texts = append(texts, string(r.Status)+" "+r.Text)
		}
		if diff := cmp.Diff([]string{"pending ask how the garden is", "pending ", "pending ", "cancelled "}, texts); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}
