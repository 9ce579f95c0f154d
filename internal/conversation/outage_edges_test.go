package conversation_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/conversation"
	"github.com/recallerhq/recaller/internal/usecasetest"
)

// A live call holds no more than its limit; what is refused is not stored later, and what was held is.
func TestWhatALiveCallHoldsIsBounded(t *testing.T) {
	b := newBench(t)
	id := string(b.begin(keep, conversation.Start{}).Conversation.ID)
	b.say(keep, id, "user: zero")
	b.storeIsAway()
	for i := range 2 {
		b.holds(keep, id, recaller.Once{}, 1+i*conversation.MaxBatch, slices.Repeat([]string{"user: word"}, conversation.MaxBatch)...)
	}
	_, _, err := b.AddTurns(t.Context(), keep, id, recaller.Once{}, said("user: one too many"))
	b.is(err, recaller.Unavailable, "")
	b.storeIsBack()
	b.say(keep, id, "user: last")
	if got := b.heard(keep, id); len(got) != 2002 || got[2000] != "2000 word" || got[2001] != "2001 last" {
		t.Errorf("heard %d turns, want all that were held", len(got))
	}
}

// Somebody speaks just while his call is closed as idle, and the store hangs in that: he is told that it did not work,
// for what would be held could never be stored.
func TestTurnWhileAnIdleCallIsBeingClosedIsNotTakenOnTrust(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		id := string(b.begin(keep, conversation.Start{}).Conversation.ID)
		b.Clock.Advance(time.Hour)
		goOn := make(chan struct{})
		b.faults.Before("close", func() error { <-goOn; return nil })
		closed := make(chan int)
		go func() {
			n, err := b.CloseIdle(context.Background())
			if err != nil {
				t.Error(err)
			}
			closed <- n
		}()
		synctest.Wait()
		_, _, err := b.AddTurns(t.Context(), keep, id, recaller.Once{}, said("user: still here"))
		b.is(err, recaller.Unavailable, "")
		close(goOn)
		if n := <-closed; n != 1 {
			t.Errorf("closed %d, want 1", n)
		}
		_, _, err = b.AddTurns(t.Context(), keep, id, recaller.Once{}, said("user: still here"))
		b.is(err, recaller.Conflict, "")
		b.wantHeard(keep, id)
	})
}

// The close of an idle call fails: somebody who speaks meanwhile is heard.
func TestTurnWhileTheClosingOfAnIdleCallFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		id := string(b.begin(keep, conversation.Start{}).Conversation.ID)
		b.Clock.Advance(time.Hour)
		goOn := make(chan struct{})
		b.faults.Before("close", func() error { <-goOn; return usecasetest.Away() })
		go func() {
			if _, err := b.CloseIdle(context.Background()); recaller.KindOf(err) != recaller.Unavailable {
				t.Errorf("got %v, want the store's trouble", err)
			}
		}()
		synctest.Wait()
		go func() {
			if _, durable, err := b.AddTurns(context.Background(), keep, id, recaller.Once{}, said("user: still here")); !durable || err != nil {
				t.Errorf("got durable %v, %v", durable, err)
			}
		}()
		synctest.Wait()
		close(goOn)
		synctest.Wait()
		b.faults.Clear()
		b.wantHeard(keep, id, "0 still here")
	})
}

// What is held of a call counts as its activity: the call is not idle when the store is back.
func TestHeldTurnsKeepACallFromBeingIdle(t *testing.T) {
	b := newBench(t)
	id := string(b.begin(keep, conversation.Start{}).Conversation.ID)
	b.storeIsAway()
	b.Clock.Advance(29 * time.Minute)
	b.holds(keep, id, recaller.Once{}, 0, "user: one")
	said := b.Clock.Now()
	b.Clock.Advance(29 * time.Minute)
	if closed, err := b.CloseIdle(t.Context()); closed != 0 || err != nil {
		t.Errorf("closed %d, %v; want none", closed, err)
	}
	b.storeIsBack()
	if closed, err := b.CloseIdle(t.Context()); closed != 0 || err != nil {
		t.Errorf("closed %d, %v; want none: it was heard of 29 minutes ago", closed, err)
	}
	stored, err := b.Store.Conversation(t.Context(), keep, id)
	if err != nil || !stored.LastActivityAt.Equal(said) {
		t.Errorf("got %v, %v; want the time when it was said, %v", stored.LastActivityAt, err, said)
	}
	b.Clock.Advance(time.Minute)
	if closed, err := b.CloseIdle(t.Context()); closed != 1 || err != nil {
		t.Errorf("closed %d, %v; want 1", closed, err)
	}
}

// The call was ended past this process while it held words of it: they are given up, and the log says how many, not
// which.
func TestHeldWordsThatTheStoreWillNeverTakeAreLogged(t *testing.T) {
	b := newBench(t)
	started := b.begin(keep, conversation.Start{})
	id := string(started.Conversation.ID)
	b.storeIsAway()
	b.holds(keep, id, recaller.Once{Token: "t", Request: "r"}, 0, "user: my parrot is called Kiki", "user: and he bites")
	b.faults.Clear()
	here := b.Service
	b.serve()
	_, err := b.End(t.Context(), keep, id, conversation.End{})
	b.ok(err)
	b.Service = here
	if waiting := b.FlushHeld(t.Context()); waiting != 0 {
		t.Errorf("%d wait, want none", waiting)
	}
	if log := b.logged.String(); !strings.Contains(log, "turns=2") || strings.Contains(log, "parrot") {
		t.Errorf("want the count and no words in the log:\n%s", log)
	}
	if n := conversation.Entries(b.Service); n != 0 {
		t.Errorf("%d entries are left", n)
	}
	if !slices.Equal(b.stale, []recaller.CallerID{started.Caller.ID}) {
		t.Errorf("got %q, want who indexed the words to be told that they are gone", b.stale)
	}
}

// A request came during the outage under a name that another one had before: it was answered, so its words are kept.
func TestHeldWordsAreKeptThoughTheirRequestsNameIsTaken(t *testing.T) {
	for _, tenant := range tenants {
		b := newBench(t)
		once := recaller.Once{Token: "t", Request: "r"}
		other := string(b.begin(tenant, conversation.Start{}).Conversation.ID)
		_, _, err := b.AddTurns(t.Context(), tenant, other, once, said("user: another call"))
		b.ok(err)
		id := string(b.begin(tenant, conversation.Start{}).Conversation.ID)
		b.storeIsAway()
		once.Request = "another"
		b.holds(tenant, id, once, 0, "user: one")
		b.holds(tenant, id, recaller.Once{}, 1, "user: two")
		b.storeIsBack()
		b.wantHeard(tenant, id, "0 one", "1 two")
	}
}

// The disk fills up after the store came back: what was answered waits until there is room.
func TestHeldWordsWaitForRoom(t *testing.T) {
	for _, call := range []string{"append", "archive"} {
		b := newBench(t)
		id := string(b.begin(archived, conversation.Start{}).Conversation.ID)
		b.storeIsAway()
		b.holds(archived, id, recaller.Once{}, 0, "user: one")
		b.holds(archived, id, recaller.Once{}, 1, "user: two")
		b.faults.Clear()
		b.faults.Before(call, func() error { return recaller.Errorf(recaller.Full, "the disk is full") })
		if waiting := b.FlushHeld(t.Context()); waiting != 1 {
			t.Errorf("%s: %d wait, want 1", call, waiting)
		}
		b.holds(archived, id, recaller.Once{}, 2, "user: three")
		b.storeIsBack()
		b.wantHeard(archived, id, "0 one", "1 two", "2 three")
	}
}

// While the store is away again and again, an archive's file does not grow by what is tried again.
func TestTryingAgainDoesNotGrowTheArchive(t *testing.T) {
	b := newBench(t)
	id := string(b.begin(archived, conversation.Start{}).Conversation.ID)
	b.faults.Seen()
	b.storeIsAway()
	b.holds(archived, id, recaller.Once{}, 0, "user: one")
	b.faults.Clear()
	b.faults.Before("append", usecasetest.Away)
	for range 5 {
		if waiting := b.FlushHeld(t.Context()); waiting != 1 {
			t.Fatalf("%d wait, want 1", waiting)
		}
	}
	written := slices.DeleteFunc(b.faults.Seen(), func(call string) bool { return call != "archive" })
	if len(written) != 1 {
		t.Errorf("the file was written %d times, want once", len(written))
	}
	b.storeIsBack()
	b.wantHeard(archived, id, "0 one")
}

// A client goes away while its turn waits behind one that hangs: it was not answered, and is not stored. The one that
// the store is at work on is.
func TestClientGoesAwayWhileItsTurnWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		id := string(b.begin(keep, conversation.Start{}).Conversation.ID)
		goOn := b.storeHangs()
		for _, line := range []string{"user: one", "user: two"} {
			ctx, cancel := context.WithTimeout(context.Background(), time.Second)
			defer cancel()
			go func() {
				_, _, err := b.AddTurns(ctx, keep, id, recaller.Once{}, said(line))
				isError(t, err, recaller.Timeout, "")
			}()
			synctest.Wait()
		}
		time.Sleep(time.Second) // of the bubble: nobody waits
		b.holds(keep, id, recaller.Once{}, 1, "user: three")
		goOn()
		synctest.Wait()
		b.wantHeard(keep, id, "0 one", "1 three")
	})
}

// A process that is to end writes what it holds, trying until the store is back or its time is over; then it says what
// is lost.
func TestDrainingWaitsForTheStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		id := string(b.begin(keep, conversation.Start{}).Conversation.ID)
		b.storeIsAway()
		b.holds(keep, id, recaller.Once{}, 0, "user: one", "user: two")
		b.goesOn(keep, conversation.Start{})
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		if conversations, turns := b.Drain(ctx); conversations != 2 || turns != 2 {
			t.Errorf("got %d turns of %d conversations, want 2 of 2", turns, conversations)
		}
		go func() {
			time.Sleep(time.Second) // of the bubble
			b.faults.Clear()
		}()
		ctx, cancel = context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		if conversations, turns := b.Drain(ctx); conversations+turns != 0 {
			t.Errorf("got %d turns of %d conversations, want none", turns, conversations)
		}
		b.wantHeard(keep, id, "0 one", "1 two")
	})
}

// A lasting outage is logged when it begins and when it ends, not twice a second.
func TestAnOutageIsLoggedSparingly(t *testing.T) {
	b := newBench(t)
	id := string(b.begin(keep, conversation.Start{}).Conversation.ID)
	b.storeIsAway()
	for i := range 20 {
		b.holds(keep, id, recaller.Once{}, i, "user: word")
		b.FlushHeld(t.Context())
	}
	b.storeIsBack()
	if log := b.logged.String(); strings.Count(log, "\n") != 3 || strings.Contains(log, "word") {
		t.Errorf("want three lines without words:\n%s", log)
	}
}

// The caller is erased while words of his are held: they go too.
func TestErasureDropsWhatIsHeld(t *testing.T) {
	for _, tenant := range tenants {
		b := newBench(t)
		started := b.begin(tenant, conversation.Start{})
		b.storeIsAway()
		b.holds(tenant, string(started.Conversation.ID), recaller.Once{}, 0, "user: one")
		b.Forget(tenant, started.Caller.ID)
		if n := conversation.Entries(b.Service); n != 0 || len(b.HeldTurns(tenant, started.Caller.ID)) != 0 {
			t.Errorf("%s: %d entries are left", tenant, n)
		}
		b.storeIsBack()
		b.wantHeard(tenant, string(started.Conversation.ID))
	}
}

// The process is told to stop while it writes what it held: nothing that was answered is given up for it.
func TestAFlushThatIsCutShortLosesNothing(t *testing.T) {
	b := newBench(t)
	id := string(b.begin(keep, conversation.Start{}).Conversation.ID)
	b.storeIsAway()
	b.holds(keep, id, recaller.Once{}, 0, "user: one")
	b.faults.Clear()
	ctx, stop := context.WithCancel(t.Context())
	b.faults.Before("append", func() error {
		stop()
		return recaller.Wrap(recaller.Timeout, ctx.Err(), "the store did not answer in time")
	})
	if n := b.FlushHeld(ctx); n != 1 {
		t.Errorf("got %d conversations that wait, want the one", n)
	}
	b.faults.Clear()
	if n := b.FlushHeld(t.Context()); n != 0 {
		t.Errorf("got %d conversations that wait, want none", n)
	}
	b.wantHeard(keep, id, "0 one")
}
