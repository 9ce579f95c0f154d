package conversation_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/briefing"
	"github.com/recallerhq/recaller/internal/conversation"
	"github.com/recallerhq/recaller/internal/usecasetest"
)

// goesOn checks that a call that began without the store goes on, and returns its id.
func (b *bench) goesOn(tenant recaller.TenantID, in conversation.Start) string {
	b.Helper()
	got := b.begin(tenant, in)
	if !got.Briefing.Degraded || got.Briefing.Reason != briefing.ReasonStore || got.Briefing.Text == "" {
		b.Errorf("briefing: got %+v, want a degraded one with a reason", got.Briefing)
	}
	if got.Conversation.Status != recaller.Active || got.Caller.Phone() != phone {
		b.Errorf("got %+v with %+v, want an active call of the number", got.Conversation, got.Caller)
	}
	return string(got.Conversation.ID)
}

func TestCallGoesOnWhileTheStoreIsAway(t *testing.T) {
	for _, tenant := range tenants {
		t.Run(string(tenant), func(t *testing.T) {
			b := newBench(t)
			b.storeIsAway()
			id := b.goesOn(tenant, conversation.Start{ExternalID: "CA1"})
			for i, line := range []string{"user: one", "assistant: two"} {
				turns, durable, err := b.AddTurns(t.Context(), tenant, "CA1", recaller.Once{}, said(line))
				if err != nil || durable || turns[0].Number != i || turns[0].ID == "" {
					t.Errorf("got %+v, durable %v, %v; want a turn that is held", turns, durable, err)
				}
			}
			b.wantHeard(tenant, id, "0 one", "1 two")
			if conv, err := b.Find(t.Context(), tenant, "CA1"); err != nil || string(conv.ID) != id {
				t.Errorf("find: got %+v, %v", conv, err)
			}
			if told, err := b.Briefing(t.Context(), tenant, id, briefing.Request{}); err != nil || !told.Degraded {
				t.Errorf("briefing: got %+v, %v; want a degraded one", told, err)
			}
			if waiting := b.FlushHeld(t.Context()); waiting != 1 {
				t.Errorf("%d wait, want 1", waiting)
			}

			b.faults.Clear()
			if waiting := b.FlushHeld(t.Context()); waiting != 0 {
				t.Errorf("%d wait, want none", waiting)
			}
			b.wantVersions(1, 2)
			b.say(tenant, id, "user: three")
			b.wantHeard(tenant, "CA1", "0 one", "1 two", "2 three")
			if told, err := b.Briefing(t.Context(), tenant, id, briefing.Request{}); err != nil || told.Degraded {
				t.Errorf("briefing: got %+v, %v; want a whole one", told, err)
			}
			b.FlushHeld(t.Context())
			b.wantHeard(tenant, "CA1", "0 one", "1 two", "2 three")
		})
	}
}

func TestCallBeginsAndEndsWhileTheStoreIsAway(t *testing.T) {
	for _, tenant := range tenants {
		t.Run(string(tenant), func(t *testing.T) {
			b := newBench(t)
			start := b.Clock.Now()
			b.storeIsAway()
			id := b.goesOn(tenant, conversation.Start{})
			b.say(tenant, id, "user: one")
			b.Clock.Advance(time.Minute)
			for range 2 {
				got, err := b.End(t.Context(), tenant, id, conversation.End{Status: recaller.Failed, Reason: "dropped"})
				if err != nil || got.Status != recaller.Failed || got.Duration != time.Minute {
					t.Errorf("got %+v, %v; want it failed after a minute", got, err)
				}
				b.Clock.Advance(time.Minute)
			}
			_, _, err := b.AddTurns(t.Context(), tenant, id, recaller.Once{}, said("user: too late"))
			b.is(err, recaller.Conflict, "")
			b.faults.Clear()
			if waiting := b.FlushHeld(t.Context()); waiting != 0 {
				t.Errorf("%d wait, want none", waiting)
			}
			rec, err := b.Get(t.Context(), tenant, id, true)
			b.ok(err)
			c := rec.Conversation
			if c.Status != recaller.Failed || c.EndReason != "dropped" || !c.EndedAt.Equal(start.Add(time.Minute)) || len(rec.Steps) != planned || b.jobs == 0 {
				t.Errorf("got %+v with steps %v, want the end as it was told and a wrap-up", c, rec.Steps)
			}
			b.wantHeard(tenant, id, "0 one")
			b.wantVersions(1, 3)
			want := 0
			if tenant == ephemeral { // its words wait for the wrap-up
				want = 1
			}
			if n := conversation.Entries(b.Service); n != want {
				t.Errorf("%d entries are live, want %d", n, want)
			}
		})
	}
}

// Each call on the store fails, before or after it was carried out, on the way to writing what was held: the next pass
// goes on from there, and in the end everything is there once, in order.
func TestWritingWhatWasHeldCanBeInterruptedAnywhere(t *testing.T) {
	for _, tenant := range tenants {
		for _, call := range []string{"open", "append", "close", "archive"} {
			if call == "archive" && tenant != archived {
				continue
			}
			for _, when := range []string{"before", "after"} {
				t.Run(strings.Join([]string{string(tenant), when, call}, " "), func(t *testing.T) {
					b := newBench(t)
					b.storeIsAway()
					id := b.goesOn(tenant, conversation.Start{ExternalID: "CA1"})
					b.say(tenant, id, "user: one", "assistant: two")
					b.faults.Clear()
					set := b.faults.Before
					if when == "after" {
						set = b.faults.After
					}
					set(call, usecasetest.Once(usecasetest.Away()))
					want := 0
					if call != "close" {
						want = 1
					}
					if waiting := b.FlushHeld(t.Context()); waiting != want {
						t.Fatalf("%d wait, want %d", waiting, want)
					}
					b.say(tenant, id, "user: three", "user: four") // more is said between the tries
					_, err := b.End(t.Context(), tenant, id, conversation.End{})
					if err != nil {
						b.is(err, recaller.Unavailable, "")
						_, err = b.End(t.Context(), tenant, id, conversation.End{})
						b.ok(err)
					}
					if waiting := b.FlushHeld(t.Context()); waiting != 0 {
						t.Fatalf("%d wait, want none", waiting)
					}
					got, err := b.Find(t.Context(), tenant, "CA1")
					if err != nil || got.Status != recaller.Completed || string(got.ID) != id || got.Turns != 4 {
						t.Errorf("got %+v, %v; want it completed with 4 turns", got, err)
					}
					b.wantHeard(tenant, id, "0 one", "1 two", "2 three", "3 four")
					if tenant != ephemeral {
						b.restart()
						b.wantHeard(tenant, id, "0 one", "1 two", "2 three", "3 four")
					}
				})
			}
		}
	}
}

// The end was held too, and the close fails: nobody but the next pass can end the conversation.
func TestHeldEndThatFailsIsTriedAgain(t *testing.T) {
	b := newBench(t)
	b.storeIsAway()
	id := b.goesOn(keep, conversation.Start{})
	b.say(keep, id, "user: one")
	_, err := b.End(t.Context(), keep, id, conversation.End{})
	b.ok(err)
	b.faults.Clear()
	b.faults.Before("close", usecasetest.Once(usecasetest.Away()))
	if waiting := b.FlushHeld(t.Context()); waiting != 1 {
		t.Errorf("%d wait, want 1", waiting)
	}
	if waiting := b.FlushHeld(t.Context()); waiting != 0 {
		t.Errorf("%d wait, want none", waiting)
	}
	got, err := b.Find(t.Context(), keep, id)
	if err != nil || got.Status != recaller.Completed {
		t.Errorf("got %+v, %v; want it ended", got, err)
	}
	b.wantHeard(keep, id, "0 one")
}

// A store that neither answers nor heeds the context must not hold up a call.
func TestHangingStoreDoesNotHoldUpACall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		goOn := make(chan struct{})
		b.faults.Before("open", func() error { <-goOn; return nil })
		began := time.Now()
		id := b.goesOn(keep, conversation.Start{ExternalID: "CA1"})
		if took := time.Since(began); took != conversation.DefaultDeadline {
			t.Errorf("the start took %v, want %v", took, conversation.DefaultDeadline)
		}
		flushed := make(chan int)
		go func() { flushed <- b.FlushHeld(context.Background()) }()
		synctest.Wait()
		began = time.Now()
		b.say(keep, id, "user: one") // while a pass hangs as well
		b.wantHeard(keep, id, "0 one")
		if again := b.begin(keep, conversation.Start{ExternalID: "CA1"}); !again.Existing || string(again.Conversation.ID) != id {
			t.Errorf("started again: got %+v, want the one that is held", again.Conversation)
		}
		if took := time.Since(began); took != 0 {
			t.Errorf("turns and a second start took %v, want no wait", took)
		}
		b.faults.Clear()
		close(goOn) // both tries succeed, late
		if waiting := <-flushed; waiting != 0 {
			t.Errorf("%d wait, want none", waiting)
		}
		b.say(keep, id, "user: two")
		b.wantHeard(keep, "CA1", "0 one", "1 two")
		if list, _, err := b.List(t.Context(), keep, recaller.ConversationFilter{}); err != nil || len(list) != 1 {
			t.Errorf("got %d conversations, %v; want one", len(list), err)
		}
	})
}

func TestOneHiccupIsNotNoticed(t *testing.T) {
	b := newBench(t)
	b.faults.Before("open", usecasetest.Once(usecasetest.Away()))
	if got := b.begin(keep, conversation.Start{}); got.Briefing.Degraded {
		t.Errorf("got %+v, want a whole briefing", got.Briefing)
	}
}

// The client goes away in the middle of a start: nothing is held for nobody.
func TestClientGoesAwayInTheMiddleOfAStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		goOn := make(chan struct{})
		b.faults.Before("open", func() error { <-goOn; return usecasetest.Away() })
		ctx, cancel := context.WithTimeout(t.Context(), conversation.DefaultDeadline/2)
		defer cancel()
		_, err := b.Start(ctx, keep, conversation.Start{Caller: conversation.CallerRef{Phone: phone}, ExternalID: "CA1"})
		b.is(err, recaller.Timeout, "")
		_, _, err = b.AddTurns(t.Context(), keep, "CA1", recaller.Once{}, said("user: hello?"))
		b.is(err, recaller.NotFound, "")
		close(goOn)
		synctest.Wait()
	})
}

// The same webhook comes again, or the client repeats its request, while the store is away.
func TestRepeatedStartFindsWhatIsHeld(t *testing.T) {
	starts := map[string]conversation.Start{
		"by external id": {ExternalID: "CA1"},
		"by request":     {Once: recaller.Once{Token: "start 1", Request: "r"}},
	}
	for name, in := range starts {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.storeIsAway()
			id := b.goesOn(keep, in)
			b.say(keep, id, "user: one")
			if again := b.begin(keep, in); !again.Existing || string(again.Conversation.ID) != id {
				t.Errorf("while away: got %+v, want the one that is held", again.Conversation)
			}
			b.faults.Clear() // the store is back, but nothing is written yet
			if again := b.begin(keep, in); !again.Existing || string(again.Conversation.ID) != id {
				t.Errorf("just before it is written: got %+v, want the one that is held", again.Conversation)
			}
			b.FlushHeld(t.Context())
			if again := b.begin(keep, in); !again.Existing || string(again.Conversation.ID) != id || again.Briefing.Degraded {
				t.Errorf("afterwards: got %+v, want the one that was held", again)
			}
			if list, _, err := b.List(t.Context(), keep, recaller.ConversationFilter{}); err != nil || len(list) != 1 {
				t.Errorf("got %d conversations, %v; want one", len(list), err)
			}
		})
	}
	b := newBench(t)
	b.storeIsAway()
	b.goesOn(keep, starts["by request"])
	_, err := b.Start(t.Context(), keep, conversation.Start{Caller: conversation.CallerRef{Phone: phone}, Once: recaller.Once{Token: "start 1", Request: "another"}})
	b.is(err, recaller.Conflict, "")
	ext := b.goesOn(keep, starts["by external id"])
	_, err = b.End(t.Context(), keep, ext, conversation.End{})
	b.ok(err)
	_, err = b.Start(t.Context(), keep, conversation.Start{Caller: conversation.CallerRef{Phone: phone}, ExternalID: "CA1"})
	b.is(err, recaller.Conflict, "")
}

// A call is under way when the store goes away, and the platform sends its webhook again.
func TestRepeatedStartOfALiveCallWhileTheStoreIsAway(t *testing.T) {
	b := newBench(t)
	id := b.begin(keep, conversation.Start{ExternalID: "CA1"}).Conversation.ID
	b.storeIsAway()
	again := b.begin(keep, conversation.Start{ExternalID: "CA1"})
	if again.Conversation.ID != id || !again.Existing || !again.Briefing.Degraded {
		t.Errorf("got %+v, want the call that is live, briefed without memory", again)
	}
	b.faults.Clear()
	b.say(keep, "CA1", "user: one")
	b.wantHeard(keep, string(id), "0 one")
}

// What the store refuses to write as it was asked for is kept all the same: the call was held, and its words count.
func TestWordsOfAHeldCallAreKeptThoughItsNameIsTaken(t *testing.T) {
	b := newBench(t)
	b.storeIsAway()
	ids := []string{
		b.goesOn(keep, conversation.Start{ExternalID: "CA1"}),
		b.goesOn(keep, conversation.Start{Once: recaller.Once{Token: "start 1", Request: "r"}}),
		b.goesOn(keep, conversation.Start{ExternalID: "CA2"}),
		b.goesOn(keep, conversation.Start{ExternalID: "CA3"}),
	}
	for _, id := range ids {
		b.say(keep, id, "user: one")
	}
	b.faults.Clear()
	here := b.Service
	b.serve() // another process takes the names meanwhile
	other := conversation.CallerRef{Phone: "+12025550199"}
	b.begin(keep, conversation.Start{Caller: other, ExternalID: "CA1"})
	b.begin(keep, conversation.Start{Caller: other, Once: recaller.Once{Token: "start 1", Request: "another"}})
	b.begin(keep, conversation.Start{ExternalID: "CA3"})
	b.begin(keep, conversation.Start{ExternalID: "CA2"})
	_, err := b.End(t.Context(), keep, "CA2", conversation.End{})
	b.ok(err)
	b.Service = here
	if waiting := b.FlushHeld(t.Context()); waiting != 0 {
		t.Errorf("%d wait, want none", waiting)
	}
	for _, id := range ids {
		b.say(keep, id, "user: two")
		b.wantHeard(keep, id, "0 one", "1 two")
	}
}

func TestWhatIsHeldIsBounded(t *testing.T) {
	b := newBench(t)
	b.storeIsAway()
	id := b.goesOn(keep, conversation.Start{})
	for range 2 {
		_, _, err := b.AddTurns(t.Context(), keep, id, recaller.Once{}, slices.Repeat(said("user: word"), conversation.MaxBatch))
		b.ok(err)
	}
	_, _, err := b.AddTurns(t.Context(), keep, id, recaller.Once{}, said("user: one too many"))
	b.is(err, recaller.Unavailable, "")
	long := slices.Repeat(said("user: "+strings.Repeat("x", recaller.MaxTurnBytes)), 600)
	other := b.goesOn(keep, conversation.Start{})
	_, _, err = b.AddTurns(t.Context(), keep, other, recaller.Once{}, long)
	b.ok(err)
	_, _, err = b.AddTurns(t.Context(), keep, other, recaller.Once{}, long)
	b.is(err, recaller.Unavailable, "")
	for err = nil; err == nil; {
		_, err = b.Start(t.Context(), keep, conversation.Start{Caller: conversation.CallerRef{Phone: phone}})
	}
	b.is(err, recaller.Unavailable, "")

	b.faults.Clear()
	if waiting := b.FlushHeld(t.Context()); waiting != 0 {
		t.Fatalf("%d wait, want none", waiting)
	}
	if got := b.heard(keep, id); len(got) != 2*conversation.MaxBatch || got[1999] != "1999 word" {
		t.Errorf("heard %d turns, want all that were held", len(got))
	}
	b.storeIsAway()
	b.goesOn(keep, conversation.Start{}) // there is room again
	b.say(keep, other, "user: x")
}

// Turns come while what was held is being written: none is lost, none comes twice, and the order stays.
func TestTurnsArriveWhileWhatWasHeldIsWritten(t *testing.T) {
	for _, tenant := range tenants {
		t.Run(string(tenant), func(t *testing.T) {
			b := newBench(t)
			b.storeIsAway()
			id := b.goesOn(tenant, conversation.Start{})
			b.say(tenant, id, "user: 0")
			b.faults.Clear()
			var wg sync.WaitGroup
			wg.Go(func() {
				for n := 1; n < 60; n++ {
					if n == 5 {
						wg.Go(func() { b.FlushHeld(context.Background()) })
						wg.Go(func() { b.FlushHeld(context.Background()) })
					}
					turns, _, err := b.AddTurns(context.Background(), tenant, id, recaller.Once{}, said(fmt.Sprintf("user: %d", n)))
					if err != nil || turns[0].Number != n {
						t.Errorf("turn %d: got %+v, %v", n, turns, err)
					}
				}
			})
			wg.Wait()
			b.FlushHeld(t.Context())
			want := make([]string, 60)
			for n := range want {
				want[n] = fmt.Sprintf("%d %d", n, n)
			}
			b.wantHeard(tenant, id, want...)
		})
	}
}

// The caller is erased by another process while the call is held here, or his tenant is gone: there is nothing to keep.
func TestHeldCallThatTheStoreWillNeverTakeIsDropped(t *testing.T) {
	b := newBench(t)
	b.storeIsAway()
	id := b.goesOn(keep, conversation.Start{})
	b.say(keep, id, "user: one")
	b.faults.Clear()
	b.faults.Before("append", func() error { return recaller.Errorf(recaller.NotFound, "there is no such conversation") })
	if waiting := b.FlushHeld(t.Context()); waiting != 0 {
		t.Errorf("%d wait, want none", waiting)
	}
	b.faults.Clear()
	if waiting := b.FlushHeld(t.Context()); waiting != 0 {
		t.Errorf("%d wait, want none", waiting)
	}
	b.wantHeard(keep, id)
}

// What was held is written just after a reader saw the conversation as it was before: he is told of it as it is.
func TestWhatIsWrittenWhileACallIsReadIsRead(t *testing.T) {
	for _, tenant := range tenants {
		t.Run(string(tenant), func(t *testing.T) {
			b := newBench(t)
			id := string(b.begin(tenant, conversation.Start{}).Conversation.ID)
			b.say(tenant, id, "user: one")
			b.storeIsAway()
			b.say(tenant, id, "user: two")
			_, err := b.End(t.Context(), tenant, id, conversation.End{})
			b.ok(err)
			b.faults.Clear()
			var written atomic.Bool
			b.faults.After("find", func() error {
				if written.CompareAndSwap(false, true) {
					b.FlushHeld(t.Context())
				}
				return nil
			})
			rec, err := b.Get(t.Context(), tenant, id, true)
			b.ok(err)
			if conv := rec.Conversation; conv.Status != recaller.Completed || conv.Turns != 2 || len(rec.Turns) != 2 {
				t.Errorf("it is %s, counts %d turns, and has %d", conv.Status, conv.Turns, len(rec.Turns))
			}
		})
	}
}
