package app

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
)

// H6, to the letter: no wrap-up has run, for nothing in this house runs jobs, and the next call picks up all the same.
func TestTheNextCallNeedsNoWrapUp(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	h := build(t, dir, Options{})
	call := h.ring("+14155550199").Conversation.ID
	h.say(call, "Hi, I need a repair at 742 Evergreen Terrace.")
	h.clock.turn(time.Second)
	if _, err := h.EndConversation(t.Context(), call, client.EndRequest{Status: recaller.Failed}); err != nil {
		t.Fatal(err)
	}
	again := h.ring("+14155550199")
	holds(t, "the briefing", again.Briefing.Text, "broke off", "742 Evergreen Terrace")
	if rec := h.read(call); rec.Wrapup.Done || rec.Conversation.Summary != nil {
		t.Errorf("got %+v: a wrap-up has run", rec.Wrapup)
	}
}

// A call that nobody ends is closed at the tenant's limit, not before, as of its last turn; and not while it goes on.
func TestIdleCallsAreClosed(t *testing.T) {
	t.Parallel()
	h := build(t, t.TempDir(), Options{})
	limit := 600.0
	if _, err := h.UpdateTenant(t.Context(), client.TenantPatch{TenantSettings: client.TenantSettings{IdleLimitSeconds: &limit}}); err != nil {
		t.Fatal(err)
	}
	silent, lively := h.ring("+14155550101").Conversation.ID, h.ring("+14155550102").Conversation.ID
	h.say(silent, "I need a repair.")
	last := h.clock.Now()
	h.clock.turn(9 * time.Minute)
	h.say(lively, "Still here.")
	h.wantClosed(0)
	h.clock.turn(2 * time.Minute)
	h.wantClosed(1)
	rec := h.read(silent)
	if c := rec.Conversation; c.Status != recaller.Completed || c.EndReason != "idle" || c.EndedAt.Sub(last).Abs() > time.Millisecond {
		t.Errorf("got %+v, want it completed for being idle, as of its last turn", c)
	}
	if c := h.read(lively).Conversation; c.Status != recaller.Active {
		t.Errorf("got status %s of the lively call, want active", c.Status)
	}
	h.start().writtenUp(silent)
}

// The clock goes back while calls go on: whoever does not tell when his call ended can end it, in no time; who tells a time
// before its start cannot.
func TestACallEndsThoughTheClockWentBack(t *testing.T) {
	t.Parallel()
	h := build(t, t.TempDir(), Options{})
	call := h.ring("+14155550101").Conversation
	h.clock.turn(-11 * time.Hour)
	_, err := h.EndConversation(t.Context(), call.ID, client.EndRequest{EndedAt: call.StartedAt.Add(-time.Hour)})
	wantStatus(t, err, http.StatusUnprocessableEntity)
	ended, err := h.EndConversation(t.Context(), call.ID, client.EndRequest{})
	if err != nil || ended.Status != recaller.Completed || !ended.EndedAt.Equal(call.StartedAt) || ended.DurationSeconds != 0 {
		t.Errorf("got %+v, %v; want it to end when it began, %v", ended, err, call.StartedAt)
	}
}

func (h *house) wantClosed(want int) {
	h.t.Helper()
	if closed, err := h.app.conversations.CloseIdle(h.t.Context()); err != nil || closed != want {
		h.t.Errorf("closed %d idle conversations, %v; want %d", closed, err, want)
	}
}

// H3: a checkpoint and a call that broke off can be resumed for 72 hours, and not after; reading deletes nothing.
func TestTheWindowOfSeventyTwoHours(t *testing.T) {
	t.Parallel()
	h := build(t, t.TempDir(), Options{}).start()
	call := h.ring("+14155550100")
	h.say(call.Conversation.ID, "The pipes are leaking under the sink.")
	if _, err := h.EndConversation(t.Context(), call.Conversation.ID, client.EndRequest{Status: recaller.Failed}); err != nil {
		t.Fatal(err)
	}
	if _, err := h.PutCheckpoint(t.Context(), call.Caller.ID, client.CheckpointInput{Intent: "job_creation", Summary: "Leak at 742 Evergreen Terrace", StagingData: json.RawMessage(`{"issue":"leak"}`)}); err != nil {
		t.Fatal(err)
	}
	h.writtenUp(call.Conversation.ID)
	briefing := func() string {
		t.Helper()
		b, err := h.CallerBriefing(t.Context(), call.Caller.ID, client.BriefingQuery{})
		if err != nil {
			t.Fatal(err)
		}
		return b.Text
	}
	h.clock.turn(72*time.Hour - time.Second)
	holds(t, "the briefing inside the window", briefing(), "broke off", "742 Evergreen Terrace", "leaking under the sink")
	if _, err := h.Checkpoint(t.Context(), call.Caller.ID); err != nil {
		t.Errorf("inside the window: got %v, want the checkpoint", err)
	}
	h.clock.turn(2 * time.Second)
	holds(t, "the briefing after the window", briefing(), "!742 Evergreen Terrace", "!Pick up here")
	_, err := h.Checkpoint(t.Context(), call.Caller.ID)
	wantStatus(t, err, http.StatusNotFound)

	longer := (100 * time.Hour).Seconds()
	if _, err := h.UpdateTenant(t.Context(), client.TenantPatch{TenantSettings: client.TenantSettings{ResumeWindowSeconds: &longer}}); err != nil {
		t.Fatal(err)
	}
	if c, err := h.Checkpoint(t.Context(), call.Caller.ID); err != nil || c.Summary != "Leak at 742 Evergreen Terrace" {
		t.Errorf("in a longer window: got %+v, %v; want it back: reading deletes nothing", c, err)
	}
}

// Spec 2.1: the files of an archive go when their days are over; the summary stays.
func TestArchivedWordsGoWhenTheirDaysAreOver(t *testing.T) {
	t.Parallel()
	h := build(t, t.TempDir(), Options{}, "RECALLER_RETENTION=archive").start()
	call := h.ring("+14155550100")
	h.say(call.Conversation.ID, "I need a repair of the fence.")
	h.hangUp(call.Conversation.ID)
	h.writtenUp(call.Conversation.ID)
	expire := func(want int) {
		t.Helper()
		if files, err := h.app.privacy.Expire(t.Context()); err != nil || files != want {
			t.Errorf("deleted %d files, %v; want %d", files, err, want)
		}
		found, err := filepath.Glob(filepath.Join(h.dir, "archive", "*", "*", "*"))
		if err != nil || len(found) != 1-want {
			t.Errorf("got %d archive files, %v; want %d", len(found), err, 1-want)
		}
	}
	h.clock.turn(6 * 24 * time.Hour)
	expire(0)
	if rec := h.read(call.Conversation.ID); len(rec.Turns) != 1 {
		t.Errorf("within its days: got %d turns, want 1", len(rec.Turns))
	}
	h.clock.turn(25 * time.Hour)
	expire(1)
	rec := h.read(call.Conversation.ID)
	if len(rec.Turns) != 0 || rec.Conversation.Summary == nil {
		t.Errorf("after its days: got %d turns and summary %v, want the summary alone", len(rec.Turns), rec.Conversation.Summary)
	}
	holds(t, "the briefing", h.ring("+14155550100").Briefing.Text, "fence")
}

// B8: a follow-up for tomorrow is told as such today, and as due when the day has come, by the caller's own calendar.
func TestAFollowUpComesDue(t *testing.T) {
	t.Parallel()
	h := build(t, t.TempDir(), Options{})
	h.clock.now = time.Date(2026, 3, 2, 20, 0, 0, 0, time.UTC) // nine in the evening in Berlin, a Monday
	h.start()
	call := h.ring("+4930901820")
	h.say(call.Conversation.ID, "I have a doctor's appointment tomorrow at 3 pm.")
	h.hangUp(call.Conversation.ID)
	h.writtenUp(call.Conversation.ID)
	due := func() string {
		t.Helper()
		b, err := h.CallerBriefing(t.Context(), call.Caller.ID, client.BriefingQuery{})
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range b.Parts {
			if part.Name == "due" {
				return part.Text
			}
		}
		return ""
	}
	holds(t, "what is due on Monday", due(), "3 March 2026", "- tomorrow at 3:00 PM")
	h.clock.turn(4 * time.Hour) // one in the morning in Berlin, while it is Tuesday in UTC as well
	holds(t, "what is due on Tuesday", due(), "- today at 3:00 PM")
	h.clock.turn(24 * time.Hour)
	holds(t, "what is due on Wednesday", due(), "- yesterday")
}

// What one process has, another leaves alone; what it leaves, the next takes up.
func TestOneProcessAFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	h := build(t, dir, Options{})
	call := h.ring("+14155550100").Conversation.ID
	if _, err := New(t.Context(), h.app.cfg, Options{Log: h.app.log}); recaller.KindOf(err) != recaller.Conflict {
		t.Errorf("a second process: got %v, want a conflict", err)
	}
	if err := h.app.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	next := build(t, dir, Options{})
	if rec := next.read(call); rec.Conversation.Status != recaller.Active {
		t.Errorf("got status %s, want active: the call goes on", rec.Conversation.Status)
	}
	if info, err := os.Stat(filepath.Join(dir, keysDir, apiKeyFile)); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the key file: got %v, %v; want it for the owner only", info.Mode(), err)
	}
}

// The clock is twenty minutes ahead when the first attempt to write a call up fails. Once the clock is right, the call is
// written up: not when the clock has got there again, which it never does in this house.
func TestACallIsWrittenUpThoughTheClockWasAheadWhenThatFailed(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, env ...string) {
		h := build(t, t.TempDir(), Options{}, append(env, "RECALLER_RETENTION=ephemeral")...)
		call := h.ring("+14155550101").Conversation.ID
		h.say(call, "I need a repair of the fence at 4 Elm Road.")
		h.hangUp(call)
		h.clock.turn(20 * time.Minute)
		h.store.is(torn)
		h.work()
		h.store.is(well)
		if rec := h.read(call); rec.Wrapup.Done {
			t.Fatal("the first attempt did not fail")
		}
		h.clock.turn(-20 * time.Minute)
		h.start()
		if rec := h.writtenUp(call); rec.Conversation.Summary == nil {
			t.Error("got no summary")
		}
	})
}

// A clock that is two days ahead for a while deletes nothing: a request that is repeated then is still known. Once it has
// gone evenly for an hour, it is believed.
func TestAClockThatJumpsDeletesNothing(t *testing.T) {
	t.Parallel()
	h := build(t, t.TempDir(), Options{})
	var ran time.Duration
	pass := func(d time.Duration) { ran += d; h.clock.turn(d) }
	clock := paceOf(h.clock.Now, func() time.Duration { return ran })
	ring := func() string {
		h.t.Helper()
		started, err := h.StartConversation(client.WithIdempotencyKey(t.Context(), "the-first-ring"), client.StartRequest{
			Caller: client.CallerRef{Phone: "+14155550100"}, Channel: "voice", Direction: "inbound",
		})
		if err != nil {
			t.Fatal(err)
		}
		return started.Conversation.ID
	}
	first := ring()
	prune := func() {
		t.Helper()
		if err := h.app.prune(t.Context(), clock); err != nil {
			t.Fatal(err)
		}
	}
	pass(pruneEvery)
	h.clock.turn(48 * time.Hour)
	prune()
	if again := ring(); again != first {
		t.Error("a request that was repeated while the clock was ahead is taken for another")
	}
	pass(pruneEvery)
	prune()
	if later := ring(); later == first {
		t.Error("two days later, by a clock that goes evenly, the request is still taken for the first")
	}
}
