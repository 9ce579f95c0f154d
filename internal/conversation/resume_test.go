package conversation_test

import (
	"slices"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/conversation"
)

// takesUp wants a new process to take up so many conversations, and to close so many.
func (b *bench) takesUp(live, closed int) {
	b.Helper()
	l, c, err := b.TakeUp(b.Context())
	if err != nil || l != live || c != closed {
		b.Errorf("took up %d and closed %d, %v; want %d and %d", l, c, err, live, closed)
	}
}

// A process ends in the middle of three calls, and they go on with the next: the same turns are there once, the next
// ones have the next numbers, and nothing says that a call ended.
func TestCallsGoOnWithTheNextProcess(t *testing.T) {
	b := newBench(t)
	turn := said("user: my policy number is 12")
	var before []recaller.TurnID
	for _, tenant := range tenants {
		b.begin(tenant, conversation.Start{ExternalID: "CA1"})
		got, _, err := b.AddTurns(t.Context(), tenant, "CA1", recaller.Once{Token: "one", Request: "r"}, turn)
		b.ok(err)
		before = append(before, got[0].ID)
	}
	b.restart()
	b.Clock.Advance(10 * time.Minute)
	b.jobs = 0
	b.takesUp(3, 0)
	for i, tenant := range tenants {
		again, _, err := b.AddTurns(t.Context(), tenant, "CA1", recaller.Once{Token: "one", Request: "r"}, turn)
		if err != nil || again[0].ID != before[i] || again[0].Number != 0 {
			t.Errorf("%s: the same turn again: got %+v, %v; want its first answer", tenant, again, err)
		}
		if more := b.say(tenant, "CA1", "user: and my name is Ada"); more[0].Number != 1 {
			t.Errorf("%s: got number %d for the next turn, want 1", tenant, more[0].Number)
		}
		if got, err := b.Find(t.Context(), tenant, "CA1"); err != nil || got.Status != recaller.Active || got.Turns != 2 {
			t.Errorf("%s: got %+v, %v; want it active with two turns", tenant, got, err)
		}
	}
	b.wantHeard(keep, "CA1", "0 my policy number is 12", "1 and my name is Ada")
	b.wantHeard(archived, "CA1", "0 my policy number is 12", "1 and my name is Ada")
	b.wantHeard(ephemeral, "CA1", "1 and my name is Ada")
	if b.jobs != 0 {
		t.Errorf("%d jobs were left, want none", b.jobs)
	}
}

// What was asked before a restart decides how the answer after it is masked; and the moment is known.
func TestTheNextProcessKnowsWhatWasAskedLast(t *testing.T) {
	b := newBench(t)
	for _, tenant := range []recaller.TenantID{keep, archived} {
		b.begin(tenant, conversation.Start{ExternalID: "CA1"})
		b.say(tenant, "CA1", "assistant: What's your card number?", "user: It's four one one one", "assistant: mhm")
	}
	b.restart()
	b.takesUp(2, 0)
	for _, tenant := range []recaller.TenantID{keep, archived} {
		rec, err := b.Get(t.Context(), tenant, "CA1", false)
		b.ok(err)
		if rec.Live == nil || len(rec.Live.Turns) != 3 {
			t.Errorf("%s: got %+v, want the last turns at a glance", tenant, rec.Live)
		}
		if got := lines(b.say(tenant, "CA1", "user: one one one one")); !slices.Equal(got, []string{"3 [card number]"}) {
			t.Errorf("%s: got %q, want it masked", tenant, got)
		}
	}
}

// The idle clock runs from the last turn, restart or not. What nobody goes on with is closed as failed, and never said
// to be a crash; what went on and fell silent later ends as any idle call does.
func TestOnlyWhatStaysSilentAfterARestartHasFailed(t *testing.T) {
	b := newBench(t)
	for _, ref := range []string{"silent", "lively", "old"} {
		b.begin(keep, conversation.Start{ExternalID: ref})
		b.say(keep, ref, "user: hello")
		if ref == "old" {
			continue
		}
		b.Clock.Advance(time.Minute)
		b.say(keep, ref, "user: are you there?")
	}
	spoken := b.Clock.Now()
	old, err := b.Find(t.Context(), keep, "old")
	b.ok(err)
	b.say(keep, "silent", "user: anybody?")
	b.Clock.Advance(29 * time.Minute)
	b.restart()
	b.takesUp(3, 0)
	b.say(keep, "lively", "user: yes")
	wants := func(ref string, status recaller.Status, reason string, at time.Time) {
		t.Helper()
		got, err := b.Find(t.Context(), keep, ref)
		if err != nil || got.Status != status || got.EndReason != reason || !at.IsZero() && !got.EndedAt.Equal(at) {
			t.Errorf("got %+v, %v; want it %s for %q at %v", got, err, status, reason, at)
		}
	}
	closes := func(want int) {
		t.Helper()
		if closed, err := b.CloseIdle(t.Context()); err != nil || closed != want {
			t.Errorf("closed %d, %v; want %d", closed, err, want)
		}
	}
	closes(0)
	b.Clock.Advance(time.Minute)
	closes(2)
	wants("silent", recaller.Failed, conversation.ReasonSilent, spoken)
	wants("old", recaller.Failed, conversation.ReasonSilent, old.LastActivityAt)
	wants("lively", recaller.Active, "", time.Time{})
	b.Clock.Advance(time.Hour)
	closes(1)
	wants("lively", recaller.Completed, conversation.ReasonIdle, time.Time{})
}

// Where nobody served for longer than the idle limit, the next process closes what it finds.
func TestWhatWasSilentForTooLongIsClosedAtTheStart(t *testing.T) {
	b := newBench(t)
	for _, tenant := range tenants {
		b.begin(tenant, conversation.Start{ExternalID: "CA1"})
		b.say(tenant, "CA1", "user: hello")
	}
	b.restart()
	b.Clock.Advance(31 * time.Minute)
	settings := b.settings[archived]
	delete(b.settings, archived) // the trouble of one tenant is no other's
	live, closed, err := b.TakeUp(t.Context())
	if live != 0 || closed != 2 {
		t.Errorf("took up %d and closed %d, want 0 and 2", live, closed)
	}
	b.is(err, recaller.NotFound, "")
	b.settings[archived] = settings
	b.takesUp(0, 1)
}

// A call that was closed as silent goes on when it is started again: one conversation, counted once, written up once.
func TestAStartResumesWhatWasClosedAsSilent(t *testing.T) {
	for _, tenant := range tenants {
		t.Run(string(tenant), func(t *testing.T) {
			b := newBench(t)
			first := b.begin(tenant, conversation.Start{ExternalID: "CA1"})
			b.say(tenant, "CA1", "user: my policy number is 12")
			b.restart()
			b.Clock.Advance(time.Hour)
			b.takesUp(0, 1)
			_, _, err := b.AddTurns(t.Context(), tenant, "CA1", recaller.Once{}, said("user: hello?"))
			b.is(err, recaller.Conflict, "")

			again := b.begin(tenant, conversation.Start{ExternalID: "CA1"})
			if again.Conversation.ID != first.Conversation.ID || !again.Existing || again.Conversation.Status != recaller.Active {
				t.Errorf("got %+v, want the conversation that there is, active", again)
			}
			if n, err := b.Store.JobCount(t.Context()); err != nil || n != 0 {
				t.Errorf("got %d jobs, %v; want none: its wrap-up has not begun", n, err)
			}
			b.say(tenant, "CA1", "user: where were we")
			if closed, err := b.CloseIdle(t.Context()); err != nil || closed != 0 {
				t.Errorf("closed %d, %v; want the idle clock to run from the last turn", closed, err)
			}
			b.Clock.Advance(time.Minute)
			_, err = b.End(t.Context(), tenant, "CA1", conversation.End{Duration: time.Minute})
			b.ok(err)
			rec, err := b.Get(t.Context(), tenant, "CA1", false)
			if c := rec.Conversation; err != nil || c.Status != recaller.Completed || c.EndReason != "" || c.Turns != 2 {
				t.Errorf("got %+v, %v; want it completed with both turns", c, err)
			}
			caller, err := b.Store.Caller(t.Context(), tenant, first.Caller.ID)
			if err != nil || caller.Conversations != 1 || caller.TotalDuration != time.Minute {
				t.Errorf("got %+v, %v; want it counted once, with its own duration", caller, err)
			}
			_, err = b.Start(t.Context(), tenant, conversation.Start{Caller: conversation.CallerRef{Phone: phone}, ExternalID: "CA1"})
			b.is(err, recaller.Conflict, "")
		})
	}
}

// The start that resumes a call comes just after the store has closed it, and before the process knows: what is said
// next is taken all the same.
func TestAStartComesJustAfterTheCloseOfASilentCall(t *testing.T) {
	b := newBench(t)
	b.begin(keep, conversation.Start{ExternalID: "CA1"})
	b.say(keep, "CA1", "user: one")
	b.restart()
	b.takesUp(1, 0)
	b.Clock.Advance(time.Hour)
	resumed := false
	b.told = func(c recaller.Change) {
		if !resumed && c.Conversation != nil && c.Conversation.Status == recaller.Failed {
			resumed = true
			b.begin(keep, conversation.Start{ExternalID: "CA1"})
		}
	}
	if closed, err := b.CloseIdle(t.Context()); err != nil || closed != 1 || !resumed {
		t.Fatalf("closed %d, %v, resumed %v; want it closed and resumed", closed, err, resumed)
	}
	if got := b.say(keep, "CA1", "user: two"); got[0].Number != 1 {
		t.Errorf("got %+v, want the second turn", got)
	}
	b.wantHeard(keep, "CA1", "0 one", "1 two")
}

// The clock on the wall jumps a day ahead and two days back: what is spoken in goes on, and what is idle is closed when
// its time is over, not before.
func TestIdleLimitsOutliveAClockThatJumps(t *testing.T) {
	b := newBench(t)
	passed := time.Duration(0)
	b.Elapsed = func() time.Duration { return passed }
	b.Service = conversation.New(b.Deps)
	b.begin(keep, conversation.Start{ExternalID: "CA1"})
	b.say(keep, "CA1", "user: one")
	closes := func(when string, want int) {
		t.Helper()
		if closed, err := b.CloseIdle(t.Context()); err != nil || closed != want {
			t.Errorf("%s: closed %d, %v; want %d", when, closed, err, want)
		}
	}
	b.Clock.Advance(24 * time.Hour)
	passed += 10 * time.Minute
	closes("a day ahead", 0)
	b.say(keep, "CA1", "user: two")
	b.Clock.Advance(-48 * time.Hour)
	passed += 29 * time.Minute
	closes("a day behind", 0)
	passed += time.Minute
	closes("idle", 1)
}
