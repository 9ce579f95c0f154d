package errand_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/errand"
)

// Whenever the process dies around a ring, it rings once, and is never lost.
func TestAProcessDiesAroundARing(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(h *house) {
		rung := 0
		for when, meanwhile := range map[string]func(call string){
			"before":         nil,
			"after":          nil,
			"after, ringing": func(call string) { h.carrier.Put(call, "ringing") },
			"after, busy":    func(call string) { h.carrier.Put(call, "busy") },
		} {
			r := h.remind(when, "Take the blue pills "+when, time.Minute, "")
			h.dies = when[:min(len(when), 6)]
			if when[:5] == "after" {
				h.dies = "after"
			}
			h.pass(time.Minute)
			h.is("killed "+when, r.ID, "pending dialling")
			n := len(h.carrier.Rings()) - rung
			if meanwhile != nil {
				meanwhile(h.carrier.Rings()[rung].ID)
			}
			h.serve() // another process
			h.pass(3 * time.Minute)
			rings := h.carrier.Rings()
			if got := len(rings) - rung; got != 1 || when != "before" && n != 1 {
				t.Fatalf("killed %s: it rang %d times, %d before", when, got, n)
			}
			rung = len(rings)
			want := "pending ringing"
			if when == "after, busy" {
				want = "pending waiting busy"
			}
			got := h.is("found "+when, r.ID, want)
			if got.Errand.Rings != 1 {
				t.Errorf("killed %s: %d rings are counted", when, got.Errand.Rings)
			}
			_, err := h.Place.Store.CloseReminder(t.Context(), tenantID, r.ID, recaller.ReminderCancelled, "", h.Clock.Now())
			h.ok(err)
		}
	})
}

// For a moment two processes may go on with the same errands: one has not noticed yet that the other took the database, or
// that its lease of a job is over. However they meet, a telephone rings once.
func TestTwoProcessesRingOnce(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(h *house) {
		h.reach(recaller.Reaching{Reminders: recaller.MeansRing, AtOnce: 100})
		one := h.Service
		h.serve()
		var both sync.WaitGroup
		for i := range 12 {
			number := fmt.Sprintf("+121255502%02d", i)
			r := h.remindOf(h.met(recaller.CallerID("of "+number), number), "pills", "Take the pills of "+number, time.Minute, "")
			r, err := h.Begin(t.Context(), h.tenant(), r)
			h.ok(err)
			for _, process := range []*errand.Service{one, h.Service} {
				both.Go(func() {
					if err := process.Run(t.Context(), recaller.Job{ID: r.ErrandJob().ID, Tenant: tenantID, Subject: string(r.ID)}); err != nil {
						t.Error(err)
					}
				})
			}
		}
		both.Wait()
		rung := map[string]int{}
		for _, r := range h.carrier.Rings() {
			rung[r.Form.Get("To")]++
		}
		for number, n := range rung {
			if n != 1 {
				t.Errorf("%s rang %d times", number, n)
			}
		}
		if len(rung) != 12 {
			t.Errorf("%d telephones rang, want all 12", len(rung))
		}
	})
}

// The carrier carries a ring out, and its answer is lost; or nothing of it arrives at all.
func TestACarrierWhoseAnswerIsLost(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(h *house) {
		r := h.remind("pills", "Take the blue pills", time.Minute, "")
		h.carrier.BreakOff()
		h.pass(time.Minute)
		f, call := h.rings("nobody knows", 1)
		h.is("nobody knows", r.ID, "pending dialling")
		if a := h.answers(f, call, "human"); a.Text == "" { // it is asked what to do before we know the call
			t.Errorf("got %+v", a)
		}
		h.pass(time.Minute)
		h.is("it is known by who asks", r.ID, "pending talking")
		h.ends(f, call, "completed")
		h.is("they talked", r.ID, "delivered reached")

		r = h.remind("text", "Call the bank", time.Minute, "")
		h.reach(recaller.Reaching{Reminders: recaller.MeansText})
		h.carrier.BreakOff()
		h.pass(time.Minute)
		h.is("a text of which nobody knows", r.ID, "pending texting")
		h.pass(time.Minute)
		h.is("is found", r.ID, "delivered reached")
		h.dies = "before"
		r = h.remind("text2", "Call the plumber", time.Minute, "")
		h.pass(4 * time.Minute)
		h.is("one that never went out does", r.ID, "delivered reached")
		if n := len(h.carrier.Texts()); n != 2 || len(h.chats.told) != 2 {
			t.Errorf("%d texts, %d kept; want each once", n, len(h.chats.told))
		}
	})
}

func TestACarrierThatRefuses(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(h *house) {
		h.reach(recaller.Reaching{Reminders: recaller.MeansRing})
		r := h.remind("a", "Take the blue pills", time.Minute, "")
		h.carrier.Fail(1, http.StatusBadRequest, 21217)
		h.pass(time.Minute)
		h.is("a number that it does not dial", r.ID, "dead failed bad number")

		h.reach(recaller.Reaching{Reminders: recaller.MeansRingThenText})
		r = h.remind("b", "Take the red pills", time.Minute, "")
		h.carrier.Fail(1, http.StatusBadRequest, 21215)
		h.pass(time.Minute + 10*time.Second)
		if got := h.is("where it may text", r.ID, "delivered reached"); got.Errand.By != recaller.MeansText {
			t.Errorf("got %+v", got.Errand)
		}
		h.reach(recaller.Reaching{Reminders: recaller.MeansRing})
		r = h.remind("c", "Take the white pills", time.Minute, "")
		h.carrier.Fail(3, http.StatusTooManyRequests, 20429)
		h.pass(time.Minute)
		h.is("too many at once", r.ID, "pending waiting carrier away")
		h.pass(3 * time.Minute)
		if _, _ = h.rings("later", 1); h.is("later", r.ID, "pending ringing").Errand.Rings != 1 {
			t.Error("tries that never came about are counted")
		}
		h.reach(recaller.Reaching{Reminders: recaller.MeansText})
		h.carrier.Stop(anns)
		r = h.remind("d", "Take the black pills", time.Minute, "")
		h.pass(time.Minute)
		h.is("who told the carrier to stop", r.ID, "dead failed opted out")
		h.chats.stopped = true
		n := h.carrier.Asked()
		r = h.remind("e", "Take the grey pills", time.Minute, "")
		h.pass(time.Minute)
		if h.is("who told us to stop", r.ID, "dead failed opted out"); h.carrier.Asked() != n {
			t.Error("the carrier was asked to text somebody who told us to stop")
		}
		h.chats.stopped = false
		h.reach(recaller.Reaching{Reminders: recaller.MeansRing})
		h.carrier.Fail(200, http.StatusUnauthorized, 20003)
		r = h.remind("f", "Take the pink pills", time.Minute, "")
		h.pass(11 * time.Hour)
		h.is("a key that is not taken", r.ID, "pending waiting quiet hours")
		h.pass(24 * time.Hour)
		h.is("for a day", r.ID, "dead failed too late")
	})
}

func TestWhoIsNotReached(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(h *house) {
		for number, want := range map[string]string{"+19005550143": "country", "+4915112345678": "country", "+12423221234": "country"} {
			who := h.met(recaller.CallerID("of "+number), number)
			r := h.remindOf(who, "a", "Take the pills of "+number, time.Minute, "")
			h.pass(time.Minute)
			h.is(number, r.ID, "dead failed "+want)
		}
		r := h.remind("a", "Take the blue pills", time.Minute, "")
		conv := recaller.ConversationID("c-live")
		_, err := h.Place.Store.OpenConversation(t.Context(), tenantID, h.Opening("", conv, recaller.Identity{Kind: recaller.IdentityPhone, Value: anns}))
		h.ok(err)
		h.pass(5 * time.Minute)
		h.is("while she talks to the agent", r.ID, "pending waiting in a call")
		h.hangsUp(conv)
		h.pass(3 * time.Minute)
		f, call := h.rings("then it rings", 1)
		h.ends(f, call, "busy")
		h.reach(recaller.Reaching{Reminders: recaller.MeansNone})
		h.pass(time.Hour)
		h.is("turned off meanwhile", r.ID, "dead failed turned off")
		h.rings("turned off meanwhile", 1)
		r = h.remind("b", "Take the red pills", time.Minute, "")
		h.pass(time.Minute)
		if got := h.reminder(r.ID); got.Errand != nil || got.Status != recaller.ReminderPending || got.Reason != "no webhook" {
			t.Errorf("without outbound: got %+v, want it as ever", got)
		}
	})
}

// A flood of reminders rings no more telephones at once than the tenant says, and nobody is rung all day.
func TestAFlood(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(h *house) {
		h.reach(recaller.Reaching{Reminders: recaller.MeansRing, AtOnce: 3, Tries: 1})
		for i := range 8 {
			who := h.met(recaller.CallerID(fmt.Sprint("x", i)), fmt.Sprintf("+1212555%04d", 100+i))
			h.remindOf(who, "a", fmt.Sprint("Take the pills ", i), time.Minute, "")
		}
		h.pass(2 * time.Minute)
		h.rings("three at once", 3)
		ended := 0
		for range 10 {
			for _, r := range h.carrier.Rings()[ended:] {
				at, err := http.NewRequest(http.MethodPost, r.Form.Get("Url"), nil)
				h.ok(err)
				f, _ := errand.ReadRef(at.URL.Query())
				h.ends(f, r.ID, "busy")
				ended++
			}
			h.pass(time.Minute)
			if open := len(h.carrier.Rings()) - ended; open > 3 {
				t.Fatalf("%d ring at once", open)
			}
		}
		h.rings("all of them", 8)

		h.reach(recaller.Reaching{Reminders: recaller.MeansRing, Tries: 1})
		for i := range 12 {
			r := h.remind(fmt.Sprint("n", i), fmt.Sprint("Call somebody else ", i), time.Minute, "")
			h.pass(time.Minute)
			if i >= 10 {
				h.is("an eleventh time in a day", r.ID, "dead failed too often")
				continue
			}
			f, call := h.rings("one after the other", 9+i)
			h.ends(f, call, "busy")
		}
		h.rings("in all", 18)
	})
}

// What comes of a ring after its reminder is off is let be: who picks up hears nothing.
func TestARingThatIsOff(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(h *house) {
		r := h.remind("a", "Take the blue pills", time.Minute, "")
		h.pass(time.Minute)
		f, call := h.rings("it rings", 1)
		_, err := h.Place.Store.ChangeMemory(t.Context(), tenantID, recaller.Changing{ID: r.Memory, Forget: true, Patch: recaller.MemoryPatch{At: h.Clock.Now()}})
		h.ok(err)
		if a := h.answers(f, call, "human"); !a.HangUp {
			t.Errorf("forgotten while it rang: got %+v", a)
		}
		h.ends(f, call, "completed")
		h.is("forgotten while it rang", r.ID, "cancelled ringing")
		for what, f := range map[string]errand.Ref{
			"no such reminder": {Reminder: "nobody's", Due: f.Due, Ring: 1}, "another time": {Reminder: r.ID, Due: f.Due.Add(time.Hour), Ring: 1},
		} {
			if a := h.answers(f, "CA1", "human"); !a.HangUp {
				t.Errorf("%s: got %+v", what, a)
			}
		}
		r = h.remind("b", "Take the red pills", time.Minute, "")
		h.pass(time.Minute)
		f, call = h.rings("another", 2)
		h.ends(f, call, "busy")
		if a := h.answers(f, call, "human"); !a.HangUp {
			t.Errorf("after its end: got %+v", a)
		}
		h.is("after its end", r.ID, "pending waiting busy")
		h.pass(21 * time.Minute)
		f2, call2 := h.rings("again", 3)
		h.ends(f, call, "completed") // of the first ring, and late
		h.is("an end of an earlier ring", r.ID, "pending ringing")
		h.carrier.Put(call2, "no-answer") // and of this one nothing is told
		h.pass(6 * time.Minute)
		h.is("an end that is not told is asked for", r.ID, "pending waiting no-answer")
		_ = f2
	})
}

// What is private is told to nobody of whom it is not known who he is: not to whoever picks up, nor by a text.
func TestWhatIsPrivateIsNotSaid(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(h *house) {
		secret := recaller.Private
		hide := func(r recaller.Reminder) {
			_, err := h.Place.Store.ChangeMemory(t.Context(), tenantID, recaller.Changing{ID: r.Memory, Patch: recaller.MemoryPatch{At: h.Clock.Now(), PrivacyScope: &secret}})
			h.ok(err)
		}
		r := h.remind("clinic", "Call the fertility clinic about the results", time.Minute, "")
		hide(r)
		h.pass(time.Minute)
		f, call := h.rings("private", 1)
		if a := h.answers(f, call, "human"); a.Text != "Hello, this is Lakeside Dental. I am calling about a reminder. Please call us back on this number. Goodbye." {
			t.Errorf("said: %q", a.Text)
		}
		h.ends(f, call, "completed")
		h.reach(recaller.Reaching{Reminders: recaller.MeansText})
		r = h.remind("again", "Call them back", time.Minute, "")
		_, err := h.Place.Store.ChangeMemory(t.Context(), tenantID, recaller.Changing{
			ID: r.Memory, Patch: recaller.MemoryPatch{At: h.Clock.Now()},
			Reminder: &recaller.Reminder{ID: r.ID, DueAt: r.DueAt, Text: "Call the fertility clinic about the results"},
		})
		h.ok(err)
		h.pass(time.Minute)
		texts := h.carrier.WaitTexts(t, 1)
		if want := "Reminder from Lakeside Dental for Ann Archer: Please call us back on this number. Reply STOP for no more texts."; texts[0].Words != want {
			t.Errorf("words of its own that say it: got %q, want %q", texts[0].Words, want)
		}
		settings := h.settings[tenantID]
		settings.Trust = map[recaller.Trust]recaller.Rights{recaller.TrustClaimed: {Tell: recaller.TellName}}
		h.settings[tenantID] = settings
		h.remind("milk", "Buy milk", time.Minute, "")
		h.pass(time.Minute)
		if got := h.carrier.WaitTexts(t, 2)[1].Words; strings.Contains(got, "milk") {
			t.Errorf("where a number is told nothing: got %q", got)
		}
	})
}

// A rule that cannot be read any more ends its reminder, though this time of it came about.
func TestARuleThatCannotBeRead(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(h *house) {
		r := h.remind("a", "Take the blue pills", time.Minute, "FREQ=MOONLY")
		h.pass(time.Minute)
		f, call := h.rings("once", 1)
		h.answers(f, call, "human")
		h.ends(f, call, "completed")
		if got := h.is("once", r.ID, "dead reached"); got.Reason != "unreadable rule" {
			t.Errorf("got %+v", got)
		}
	})
}
