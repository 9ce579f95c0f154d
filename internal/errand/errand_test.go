package errand_test

import (
	"strings"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
)

// A reminder comes due: the telephone rings, somebody picks up, and is told. That is the reminder delivered.
func TestAReminderRings(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(h *house) {
		r := h.remind("pills", "Take the blue pills", time.Hour, "")
		h.pass(time.Hour - time.Minute)
		h.rings("before its time", 0)
		h.pass(2 * time.Minute)
		f, call := h.rings("at its time", 1)
		form := h.carrier.Rings()[0].Form
		if form.Get("From") != ours || form.Get("To") != anns || form.Get("MachineDetection") != "Enable" || !strings.HasPrefix(form.Get("StatusCallback"), "https://calls.example.test/webhook/call-ended?") {
			t.Errorf("got %v", form)
		}
		h.is("it rings", r.ID, "pending ringing")
		a := h.answers(f, call, "human")
		if a.Text != "Hello, this is Lakeside Dental. Reminder for Ann Archer: Take the blue pills. Goodbye." || a.HangUp || a.Language != "en-US" {
			t.Errorf("got %+v", a)
		}
		if again := h.answers(f, call, "human"); again != a {
			t.Errorf("the same webhook again: got %+v", again)
		}
		h.ok(h.Begun(t.Context(), tenantID, f, "c-out", a.Text))
		if len(h.said) != 1 || h.said[0] != a.Text {
			t.Errorf("kept of it: %q", h.said)
		}
		h.ends(f, call, "completed")
		got := h.is("they talked", r.ID, "delivered reached")
		if got.Errand.By != recaller.MeansRing || got.ReachedIn != "c-out" || got.Errand.Rings != 1 {
			t.Errorf("got %+v", got.Errand)
		}
		h.pass(25 * time.Hour)
		h.rings("a day later", 1)
		if h.events() != "reminder.delivered " {
			t.Errorf("told of %s", h.events())
		}
		snap, err := h.Place.Store.Snapshot(t.Context(), tenantID, h.ann)
		if h.ok(err); len(snap.Reached) != 1 || snap.Reached[0].ID != r.ID {
			t.Errorf("got %+v, want what the conversation is about", snap.Reached)
		}
		for _, said := range []string{"+1", "blue", "Ann"} {
			if strings.Contains(h.logged.String(), said) {
				t.Errorf("the log has %q", said)
			}
		}
	})
}

func TestNobodyPicksUp(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(h *house) {
		h.reach(recaller.Reaching{Reminders: recaller.MeansRingThenText, Tries: 3, Pause: 10 * time.Minute})
		r := h.remind("pills", "Take the blue pills", time.Minute, "")
		for i, status := range []string{"busy", "no-answer", "failed"} {
			h.pass(time.Minute)
			f, call := h.rings(status, i+1)
			h.ends(f, call, status)
			h.ends(f, call, status) // the callback comes twice
			h.pass(8 * time.Minute)
			if i < 2 {
				h.rings("amid the pause", i+1)
				h.is(status, r.ID, "pending waiting "+status)
				h.pass(time.Minute + 30*time.Second)
			}
		}
		h.rings("no more", 3)
		texts := h.carrier.WaitTexts(t, 1)
		if texts[0].Words != "Reminder from Lakeside Dental for Ann Archer: Take the blue pills. Reply STOP for no more texts." || texts[0].From != ours || texts[0].To != anns {
			t.Errorf("got %+v", texts[0])
		}
		got := h.is("texted", r.ID, "delivered reached")
		if got.Errand.By != recaller.MeansText || got.ReachedIn != "sms-1" || h.chats.told[string(r.Occurrence())] == "" {
			t.Errorf("got %+v, %v", got.Errand, h.chats.told)
		}
		h.reach(recaller.Reaching{Reminders: recaller.MeansRing, Tries: 1})
		r = h.remind("bins", "Put the bins out", time.Minute, "")
		h.pass(time.Minute)
		f, call := h.rings("another", 4)
		h.ends(f, call, "no-answer")
		if got := h.is("without texts", r.ID, "dead failed no-answer"); got.Reason != "no-answer" {
			t.Errorf("got %+v", got)
		}
		if h.events() != "reminder.delivered reminder.failed " {
			t.Errorf("told of %s", h.events())
		}
	})
}

// At night nobody is rung: it is put off until the morning of whoever would be, and until then can be called off,
// forgotten, or moved.
func TestQuietHoursPutOff(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(h *house) {
		until := 14 * time.Hour // midnight in New York
		rings := h.remind("rings", "Take the blue pills", until, "")
		off := h.remind("off", "Call the bank", until, "")
		forgotten := h.remind("forgotten", "Call the doctor", until, "")
		moved := h.remind("moved", "Feed the cat", until, "")
		h.pass(until + time.Minute)
		for _, r := range []recaller.Reminder{rings, off, forgotten, moved} {
			h.is("at night", r.ID, "pending waiting quiet hours")
		}
		_, err := h.Place.Store.CloseReminder(t.Context(), tenantID, off.ID, recaller.ReminderCancelled, "", h.Clock.Now())
		h.ok(err)
		_, err = h.Place.Store.ChangeMemory(t.Context(), tenantID, recaller.Changing{ID: forgotten.Memory, Forget: true, Patch: recaller.MemoryPatch{At: h.Clock.Now()}})
		h.ok(err)
		_, err = h.Place.Store.ChangeMemory(t.Context(), tenantID, recaller.Changing{
			ID: moved.Memory, Patch: recaller.MemoryPatch{At: h.Clock.Now()}, Reminder: &recaller.Reminder{ID: moved.ID, DueAt: h.Clock.Now().Add(12 * time.Hour)},
		})
		h.ok(err)
		if got := h.reminder(moved.ID); got.Errand != nil {
			t.Errorf("moved: got %+v, want no errand before its new time", got.Errand)
		}
		h.pass(8*time.Hour + 50*time.Minute)
		h.rings("before nine", 0)
		h.pass(10 * time.Minute)
		f, call := h.rings("at nine", 1)
		if f.Reminder != rings.ID {
			t.Errorf("it rang for %s", f.Reminder)
		}
		if a := h.answers(f, call, "human"); !strings.HasSuffix(a.Text, "Take the blue pills. It was due on Sunday at 12:00 AM. Goodbye.") {
			t.Errorf("got %+v", a)
		}
		h.ends(f, call, "completed")
		h.pass(2 * time.Hour)
		h.rings("no other", 1)
		h.is("called off", off.ID, "cancelled waiting quiet hours")
		h.pass(2 * time.Hour)
		if f, _ := h.rings("moved", 2); f.Reminder != moved.ID {
			t.Errorf("it rang for %s", f.Reminder)
		}
	})
}

// One that repeats every hour is put off for the night, and rings once in the morning; a webhook is told of each time.
func TestWhatRepeatsIsNotRungTwice(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(h *house) {
		h.hook()
		r := h.remind("water", "Drink a glass of water", 10*time.Hour, "FREQ=HOURLY") // from eight in the evening
		h.pass(10*time.Hour + time.Minute)
		f, call := h.rings("at eight", 1)
		h.answers(f, call, "human")
		h.ends(f, call, "completed")
		h.pass(12 * time.Hour)
		h.rings("all night", 1)
		if got := len(h.hooked); got != 13 {
			t.Errorf("the webhook was told %d times by eight in the morning, want each hour: 13", got)
		}
		h.pass(time.Hour)
		f, call = h.rings("at nine", 2)
		h.answers(f, call, "human")
		h.ends(f, call, "completed")
		h.pass(30 * time.Minute)
		h.rings("half past", 2)
		if got := h.reminder(r.ID); got.Status != recaller.ReminderPending || got.Errand != nil || !got.DueAt.Equal(r.DueAt.Add(14*time.Hour)) {
			t.Errorf("got %+v, want it to wait for ten", got)
		}
		h.pass(30 * time.Minute)
		h.reach(recaller.Reaching{Reminders: recaller.MeansRing, Tries: 6, Pause: 25 * time.Minute})
		for n := range 3 { // he talks to somebody all morning
			f, call = h.rings("at ten", 3+n)
			h.ends(f, call, "busy")
			h.pass(25*time.Minute + 10*time.Second)
		}
		if f, _ = h.rings("past eleven", 6); !f.Due.Equal(r.DueAt.Add(15 * time.Hour)) {
			t.Errorf("it rang for %v, want the time that has come meanwhile", f.Due)
		}
	})
}

// A webhook and a telephone go on beside each other; the reminder waits for both.
func TestAWebhookAndARing(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(h *house) {
		h.hook()
		r := h.remind("pills", "Take the blue pills", time.Minute, "")
		h.pass(time.Minute)
		f, call := h.rings("both", 1)
		if len(h.hooked) != 1 || h.hooked[0] != string(r.ID) {
			t.Errorf("the webhook was sent %v", h.hooked)
		}
		h.is("told, and ringing", r.ID, "pending ringing")
		h.answers(f, call, "human")
		h.ends(f, call, "completed")
		h.is("both", r.ID, "delivered reached")

		visitor := h.remindOf(h.met("web", "visitor-7"), "mail", "Answer the mail", time.Minute, "")
		h.pass(time.Minute)
		if got := h.reminder(visitor.ID); got.Status != recaller.ReminderDelivered || got.Errand != nil || len(h.hooked) != 2 {
			t.Errorf("who has no number is the webhook's alone: got %+v", got)
		}
		h.hooked = h.hooked[:1]
		h.refuses = recaller.Errorf(recaller.Unavailable, "away")
		r = h.remind("bins", "Put the bins out", time.Minute, "")
		h.pass(time.Minute)
		f, call = h.rings("a webhook that is away", 2)
		h.answers(f, call, "human")
		h.ends(f, call, "completed")
		h.is("the webhook is tried", r.ID, "pending reached")
		h.pass(time.Minute)
		h.is("and given up", r.ID, "delivered reached")
		h.rings("and never again", 2)
		if len(h.hooked) != 1 {
			t.Errorf("the webhook was sent %v", h.hooked)
		}
	})
}

func TestMachines(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(h *house) {
		ring := func(key string) (recaller.Reminder, func(by string) string) {
			r := h.remind(key, "Take the blue pills "+key, time.Minute, "")
			n := len(h.carrier.Rings())
			h.pass(time.Minute)
			f, call := h.rings(key, n+1)
			return r, func(by string) string {
				a := h.answers(f, call, by)
				h.ends(f, call, "completed")
				if a.HangUp {
					return "hang up"
				}
				return a.Text
			}
		}
		const neutral = "Hello, this is Lakeside Dental. I am calling about a reminder. Please call us back on this number. Goodbye."
		h.reach(recaller.Reaching{Reminders: recaller.MeansRing, Tries: 1})
		r, says := ring("one")
		if got := says("machine_start"); got != "hang up" {
			t.Errorf("got %q", got)
		}
		h.is("a machine", r.ID, "dead failed machine")
		h.reach(recaller.Reaching{Reminders: recaller.MeansRing, Voicemail: recaller.VoicemailMessage, Tries: 3})
		r, says = ring("two")
		if got := says("machine_end_beep"); got != neutral {
			t.Errorf("got %q", got)
		}
		h.is("a message", r.ID, "dead failed voicemail")
		r, says = ring("three")
		if got := says("unknown"); got != neutral {
			t.Errorf("somebody, or something: got %q", got)
		}
		h.is("somebody, or something", r.ID, "delivered reached")
		h.reach(recaller.Reaching{Reminders: recaller.MeansRing, Voicemail: recaller.VoicemailIgnore})
		_, says = ring("four")
		if got := says(""); !strings.Contains(got, "blue pills") {
			t.Errorf("where nobody asks: got %q", got)
		}
		var asked []string
		for _, r := range h.carrier.Rings() {
			asked = append(asked, r.Form.Get("MachineDetection"))
		}
		if strings.Join(asked, ",") != "Enable,DetectMessageEnd,DetectMessageEnd," {
			t.Errorf("the carrier was asked %q", asked)
		}
	})
}
