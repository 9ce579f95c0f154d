package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/store"
	"github.com/recallerhq/recaller/internal/store/sqlite"
)

// Spec section 5: the store is away, or hangs, when a call starts. The call goes on without memory, and says why; what
// is said meanwhile is written when the store is back, once and in order.
func TestTheStoreIsAwayAtCallStart(t *testing.T) {
	t.Parallel()
	for name, state := range map[string]state{"away": away, "hangs": hangs, "deaf": deaf} {
		for _, retention := range []string{"keep", "archive", "ephemeral"} {
			t.Run(name+"/"+retention, func(t *testing.T) {
				t.Parallel()
				h := build(t, t.TempDir(), Options{}, "RECALLER_RETENTION="+retention)
				known := h.ring("+14155550100") // the tenant, its key and the caller are known
				h.say(known.Conversation.ID, "I need a repair.")
				h.hangUp(known.Conversation.ID)

				h.store.is(state)
				began := time.Now()
				call := h.ring("+14155550100")
				if took := time.Since(began); took > 5*time.Second {
					t.Errorf("the call waited %v for the store", took)
				}
				if b := call.Briefing; !b.Degraded || b.Reason == "" || b.Text == "" {
					t.Errorf("got briefing %+v, want a degraded one with its reason", b)
				}
				const turns = 25
				for i := range turns {
					if out := h.say(call.Conversation.ID, fmt.Sprintf("Sentence %d.", i)); out.Durable || out.Turns[0].Number != i {
						t.Errorf("got %+v, want turn %d, not durable", out, i)
					}
				}
				if rec := h.read(call.Conversation.ID); len(rec.Turns) != turns {
					t.Errorf("while the store is away: got %d turns, want %d", len(rec.Turns), turns)
				}
				if waiting := h.flush(state); waiting != 1 {
					t.Errorf("got %d conversations that wait, want 1", waiting)
				}
				h.hangUp(call.Conversation.ID)

				h.store.is(well)
				if waiting := h.app.conversations.FlushHeld(t.Context()); waiting != 0 {
					t.Fatalf("the store is back: got %d conversations that wait, want none", waiting)
				}
				h.wantWritten(call.Conversation.ID, known.Caller.ID, turns, retention != "ephemeral")
			})
		}
	}
}

// flush tries to write what is held while the store is not well. One that hangs is not asked: the try would hang with
// it.
func (h *house) flush(state state) (waiting int) {
	if state == hangs {
		return 1
	}
	return h.app.conversations.FlushHeld(h.t.Context())
}

// wantWritten wants the held call to be in the store now, as if it had been there all the time.
func (h *house) wantWritten(call, caller string, turns int, kept bool) {
	h.t.Helper()
	rec := h.read(call)
	if rec.Conversation.Status != recaller.Completed || rec.Conversation.CallerID != caller || rec.Conversation.TurnCount != turns || rec.Conversation.DurationSeconds != 120 {
		h.t.Errorf("got %+v, want a completed call of the known caller with %d turns", rec.Conversation, turns)
	}
	if len(rec.Turns) != turns { // ephemeral ones are there until they are written up
		h.t.Fatalf("got %d turns, want %d", len(rec.Turns), turns)
	}
	for i, turn := range rec.Turns {
		if turn.Number != i || turn.Text != fmt.Sprintf("Sentence %d.", i) {
			h.t.Errorf("got %+v in place %d: words are out of order", turn, i)
		}
	}
	list, err := h.CallerConversations(h.t.Context(), caller, client.ConversationFilter{})
	if err != nil || len(list.Conversations) != 2 {
		h.t.Errorf("got %d conversations, %v; want 2: the held one was written once", len(list.Conversations), err)
	}
	h.start()
	if rec := h.writtenUp(call); rec.Conversation.Summary == nil || (kept && len(rec.Turns) != turns) {
		h.t.Errorf("written up: got %d turns and summary %v", len(rec.Turns), rec.Conversation.Summary)
	}
	if !kept {
		h.eventually("the ephemeral words are gone", func() bool { return len(h.read(call).Turns) == 0 })
	}
}

// The store goes away, hangs, or loses its answers in the middle of a call: the call goes on, what is said is found,
// and it is written when the store is back, once and in order.
func TestTheStoreGoesAwayDuringACall(t *testing.T) {
	t.Parallel()
	for name, state := range map[string]state{"away": away, "hangs": hangs, "deaf": deaf} {
		for _, retention := range []string{"keep", "archive", "ephemeral"} {
			t.Run(name+"/"+retention, func(t *testing.T) {
				t.Parallel()
				h := build(t, t.TempDir(), Options{}, "RECALLER_RETENTION="+retention)
				started := h.ring("+14155550100")
				call := started.Conversation.ID
				h.say(call, "My parrot is called Kiki.")
				found := func() int {
					res, err := h.Recall(t.Context(), started.Caller.ID, client.RecallRequest{Query: "parrot Kiki"})
					if err != nil {
						t.Error(err)
					}
					return len(res.Results)
				}
				if n := found(); n != 1 {
					t.Errorf("before: recalled %d turns, want 1", n)
				}
				h.store.is(state)
				once := client.WithIdempotencyKey(t.Context(), "turn two")
				two := client.TurnInput{Speaker: recaller.User, Text: "The parrot Kiki bites."}
				first, err := h.AddTurns(once, call, two)
				stored := state == deaf && retention != "ephemeral" // that is found out, if the machine is not slow
				if err != nil || first.Durable && !stored || first.Turns[0].Number != 1 {
					t.Fatalf("got %+v, %v; want turn 1, durable only if it is stored", first, err)
				}
				if again, err := h.AddTurns(once, call, two); err != nil || again.Turns[0].ID != first.Turns[0].ID {
					t.Errorf("repeated: got %+v, %v; want %+v", again, err, first)
				}
				h.say(call, "And the parrot Kiki sings.")
				if state != hangs { // what waits for a test's store waits for ever
					if n := found(); n != 3 {
						t.Errorf("while the store is away: recalled %d turns, want 3", n)
					}
				}
				if b, err := h.ConversationBriefing(t.Context(), call, client.BriefingQuery{}); err != nil || b.Degraded != (state != deaf) {
					t.Errorf("got %+v, %v; want a degraded briefing", b, err)
				}
				if rec, err := h.ConversationWithoutTurns(t.Context(), call); err != nil || rec.Conversation.TurnCount != 3 {
					t.Errorf("got %+v, %v; want the call with its three turns", rec.Conversation, err)
				}
				if state == away && h.Ready(t.Context()) == nil {
					t.Error("readyz says ready")
				}
				h.store.is(well)
				h.eventually("what was held is written", func() bool { return h.app.conversations.FlushHeld(t.Context()) == 0 })
				h.say(call, "That is all about the parrot Kiki.")
				rec := h.read(call)
				if len(rec.Turns) != 4 || rec.Turns[1].ID != first.Turns[0].ID || rec.Turns[3].Number != 3 {
					t.Errorf("got %+v, want four turns in order", rec.Turns)
				}
				if n := found(); n != 4 {
					t.Errorf("afterwards: recalled %d turns, want 4", n)
				}
			})
		}
	}
}

// The end of a call does not get lost with its answer: it is noted, and carried out once.
func TestAnEndWhoseAnswerIsLost(t *testing.T) {
	t.Parallel()
	h := build(t, t.TempDir(), Options{})
	call := h.ring("+14155550100").Conversation.ID
	h.say(call, "I need a repair of the fence.")
	h.store.is(deaf)
	if _, err := h.EndConversation(t.Context(), call, client.EndRequest{Status: recaller.Failed, DurationSeconds: 60}); err != nil {
		t.Fatal(err)
	}
	h.store.is(well)
	h.hangUp(call)
	if rec := h.start().writtenUp(call); rec.Conversation.Status != recaller.Failed || rec.Conversation.DurationSeconds != 60 {
		t.Errorf("got %+v, want the first end", rec.Conversation)
	}
}

// A store with no room left: what is said is held, a known caller is known, other writes are refused with the reason,
// and so is the question whether it is ready. (The built binary on a real full disk is in package e2e.)
func TestTheStoreIsFull(t *testing.T) {
	t.Parallel()
	h := build(t, t.TempDir(), Options{Store: sqlite.Options{MaxPages: 160}})
	known := h.ring("+14155550101")
	call := h.ring("+14155550100")
	said, stored := 0, 0
	for said == stored && said < 1000 {
		out := h.say(call.Conversation.ID, fmt.Sprintf("%05d %4000s", said, "!"))
		if said++; out.Durable {
			stored++
		}
	}
	if rec := h.read(call.Conversation.ID); len(rec.Turns) != said || said < 5 {
		t.Errorf("got %d turns, want the %d that were acknowledged", len(rec.Turns), said)
	}
	if found, err := h.Recall(t.Context(), call.Caller.ID, client.RecallRequest{Query: "00003"}); err != nil || len(found.Results) == 0 {
		t.Errorf("recall: got %+v, %v; want the turn", found, err)
	}
	again := h.ring("+14155550101")
	for i := 0; !again.Briefing.Degraded && i < 1000; i++ { // there was a little room left
		again = h.ring("+14155550101")
	}
	if b := again.Briefing; again.Caller.ID != known.Caller.ID || b.Reason != "storage full" {
		t.Errorf("got caller %q and the reason %q, want %q known for a full storage", again.Caller.ID, b.Reason, known.Caller.ID)
	}
	var err error
	for i := 0; err == nil && i < 100; i++ { // here too
		_, err = h.StoreMemory(t.Context(), known.Caller.ID, client.MemoryInput{Type: recaller.Fact, Key: fmt.Sprint("pet ", i), Value: strings.Repeat("cat ", 400)})
	}
	wantStatus(t, err, http.StatusServiceUnavailable)
	holds(t, "the refusal", err.Error(), "the disk is full")
	err = h.Ready(t.Context())
	wantStatus(t, err, http.StatusServiceUnavailable)
	holds(t, "readyz", err.Error(), "the disk is full")
}

// A turn whose answer was lost with its process is asked for again where there is no room: it is known to be stored, and
// is not held a second time.
func TestARepeatIsKnownOnAFullDisk(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	h := build(t, dir, Options{})
	call := h.ring("+14155550102").Conversation.ID
	once := client.WithIdempotencyKey(t.Context(), "one")
	said := client.TurnInput{Speaker: recaller.User, Text: "I need a repair at 742 Evergreen Terrace."}
	first, err := h.AddTurns(once, call, said)
	if err != nil {
		t.Fatal(err)
	}
	if err := h.app.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	h = build(t, dir, Options{})
	h.store.is(full)
	again, err := h.AddTurns(once, call, said)
	if err != nil || !again.Durable || again.Turns[0].ID != first.Turns[0].ID || again.Turns[0].Number != 0 {
		t.Errorf("got %+v, %v, want %+v again", again, err, first)
	}
	if held := h.say(call, "Are you there?"); held.Durable || held.Turns[0].Number != 1 {
		t.Errorf("got %+v, want the next turn held", held)
	}
	if rec := h.read(call); len(rec.Turns) != 2 {
		t.Errorf("%d turns are told, want 2", len(rec.Turns))
	}
}

// Somebody rings while the store is away, and is erased as soon as it is back, before what he said then is written: it is
// erased too, and makes nobody new of his number.
func TestAnErasureTakesWhatIsHeldOfAnUnknownCall(t *testing.T) {
	t.Parallel()
	h := build(t, t.TempDir(), Options{})
	const from = "+14155550103"
	him := h.ring(from).Caller.ID
	for _, state := range []state{away, full} {
		h.store.is(state)
		if held := h.say(h.ring(from).Conversation.ID, "I need a repair at 742 Evergreen Terrace."); held.Durable {
			t.Fatal("it is stored, want it held")
		}
	}
	_, err := h.EraseCaller(t.Context(), him)
	wantStatus(t, err, http.StatusServiceUnavailable)
	h.store.is(well)
	receipt, err := h.EraseCaller(t.Context(), him)
	if err != nil || receipt.Erased["turns"] != 2 {
		t.Errorf("got %+v and %v, want two turns erased", receipt.Erased, err)
	}
	if n := h.flush(well); n != 0 {
		t.Errorf("%d conversations are still held", n)
	}
	if list, err := h.CallersByPhone(t.Context(), from); err != nil || len(list) != 0 {
		t.Errorf("got %d callers with the number and %v, want nobody", len(list), err)
	}
}

// A start that found no room to end the leases of the last process ends them once there is room: what that process was
// writing up does not wait until they are over, which takes most of an hour.
func TestAStartOnAFullDiskReleasesJobsLater(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	h := build(t, dir, Options{})
	call := h.ring("+14155550101").Conversation.ID
	h.say(call, "I need a repair at 742 Evergreen Terrace.")
	h.hangUp(call)
	due, err := h.app.store.DueJobs(t.Context(), h.clock.Now(), "", 1)
	if err != nil || len(due) != 1 {
		t.Fatalf("got %d jobs, %v; want the wrap-up", len(due), err)
	}
	if _, ok, err := h.app.store.LeaseJob(t.Context(), due[0], h.clock.Now().Add(time.Hour)); err != nil || !ok {
		t.Fatalf("lease the job: %v, %v", ok, err)
	}
	if err := h.app.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	disk := &faulty{state: full}
	a, err := New(t.Context(), settings(t, dir), Options{
		Log: slog.New(slog.DiscardHandler), Wrap: func(e store.Engine) store.Engine { disk.Engine = e; return disk },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = a.Close(context.Background()) }) // nobody looks at it any more
	if err := a.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	disk.is(well)
	h.eventually("the wrap-up is done", func() bool {
		n, err := a.store.JobCount(t.Context())
		return err == nil && n == 0
	})
}

func wantStatus(t *testing.T, err error, status int) {
	t.Helper()
	var p *client.Problem
	if !errors.As(err, &p) || p.Status != status || p.Detail == "" {
		t.Fatalf("got %v, want a problem with status %d", err, status)
	}
}
