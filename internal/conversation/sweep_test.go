package conversation_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/conversation"
)

func TestConversationThatNobodyEndsIsClosed(t *testing.T) {
	for _, tenant := range tenants {
		t.Run(string(tenant), func(t *testing.T) {
			b := newBench(t)
			idle := string(b.begin(tenant, conversation.Start{}).Conversation.ID)
			busy := string(b.begin(tenant, conversation.Start{}).Conversation.ID)
			b.say(tenant, idle, "user: one")
			last := b.Clock.Now()
			b.Clock.Advance(20 * time.Minute)
			b.say(tenant, busy, "user: one")
			b.Clock.Advance(10 * time.Minute)
			closed, err := b.CloseIdle(t.Context())
			if err != nil || closed != 1 {
				t.Fatalf("closed %d, %v; want 1", closed, err)
			}
			got, err := b.Find(t.Context(), tenant, idle)
			if err != nil || got.Status != recaller.Completed || got.EndReason != conversation.ReasonIdle || !got.EndedAt.Equal(last) {
				t.Errorf("got %+v, %v; want it completed at its last words", got, err)
			}
			_, _, err = b.AddTurns(t.Context(), tenant, idle, recaller.Once{}, said("user: still there?"))
			b.is(err, recaller.Conflict, "")
			b.say(tenant, busy, "user: two")
			b.wantHeard(tenant, busy, "0 one", "1 two")
			if closed, err := b.CloseIdle(t.Context()); err != nil || closed != 0 {
				t.Errorf("again: closed %d, %v; want none", closed, err)
			}
		})
	}
}

// A call that nobody went on with after a restart was cut off. What is typed falls silent, whoever is restarted.
func TestIdleConversationOfAnotherProcessIsClosed(t *testing.T) {
	for _, channel := range recaller.Channels() {
		b := newBench(t)
		id := string(b.begin(keep, conversation.Start{Channel: channel}).Conversation.ID)
		b.serve()
		b.Clock.Advance(time.Hour)
		if closed, err := b.CloseIdle(t.Context()); err != nil || closed != 1 {
			t.Errorf("%s: closed %d, %v; want 1", channel, closed, err)
		}
		status, reason := recaller.Completed, conversation.ReasonIdle
		if channel == recaller.ChannelVoice {
			status, reason = recaller.Failed, conversation.ReasonSilent
		}
		if got, err := b.Find(t.Context(), keep, id); err != nil || got.Status != status || got.EndReason != reason {
			t.Errorf("%s: got %+v, %v; want it %s, %s", channel, got, err, status, reason)
		}
	}
}

// A turn arrives just when its conversation is found to be idle: it is the turn that counts.
func TestTurnJustInTimeKeepsAConversationOpen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		id := string(b.begin(keep, conversation.Start{}).Conversation.ID)
		b.Clock.Advance(time.Hour)
		goOn := make(chan struct{})
		b.faults.Before("append", func() error { <-goOn; return nil })
		var wg sync.WaitGroup
		wg.Go(func() {
			if _, _, err := b.AddTurns(context.Background(), keep, id, recaller.Once{}, said("user: here I am")); err != nil {
				t.Error(err)
			}
		})
		synctest.Wait()
		wg.Go(func() {
			if closed, err := b.CloseIdle(context.Background()); closed != 0 || err != nil {
				t.Errorf("closed %d, %v; want none", closed, err)
			}
		})
		synctest.Wait()
		close(goOn)
		wg.Wait()
		b.wantHeard(keep, id, "0 here I am")
		b.say(keep, id, "user: and go on")
	})
}

// While the store is away nothing is idle: nobody knows.
func TestHeldConversationIsNotClosedAsIdle(t *testing.T) {
	b := newBench(t)
	b.storeIsAway()
	id := b.goesOn(keep, conversation.Start{})
	b.say(keep, id, "user: one")
	b.Clock.Advance(24 * time.Hour)
	if closed, err := b.CloseIdle(t.Context()); err != nil || closed != 0 {
		t.Errorf("closed %d, %v; want none", closed, err)
	}
	b.faults.Clear()
	b.FlushHeld(t.Context())
	b.wantHeard(keep, id, "0 one")
	b.say(keep, id, "user: two")
}

// Live state does not grow with conversations that ended past this process, nor with words that nobody writes up.
func TestLiveStateIsLetGoOf(t *testing.T) {
	b := newBench(t)
	for i := range 5 {
		id := string(b.begin(keep, conversation.Start{ExternalID: fmt.Sprint("CA", i)}).Conversation.ID)
		here := b.Service
		b.serve()
		_, err := b.End(t.Context(), keep, id, conversation.End{})
		b.ok(err)
		b.Service = here
		b.begin(ephemeral, conversation.Start{ExternalID: fmt.Sprint("CA", i)})
		b.say(ephemeral, fmt.Sprint("CA", i), "user: one")
		_, err = b.End(t.Context(), ephemeral, fmt.Sprint("CA", i), conversation.End{})
		b.ok(err)
	}
	if n := conversation.Entries(b.Service); n != 10 {
		t.Fatalf("%d conversations are live, want 10", n)
	}
	b.Clock.Advance(time.Hour)
	closed, err := b.CloseIdle(t.Context())
	if n := conversation.Entries(b.Service); err != nil || closed != 0 || n != 5 {
		t.Errorf("closed %d, %v, and %d are live; want the ephemeral words of 5", closed, err, n)
	}
	b.Clock.Advance(24 * time.Hour)
	_, err = b.CloseIdle(t.Context())
	if n := conversation.Entries(b.Service); err != nil || n != 0 {
		t.Errorf("%d are live, %v; want none", n, err)
	}
}

// Everything that a conversation can go through leaves nothing behind.
func TestEndedConversationsLeaveNoLiveState(t *testing.T) {
	b := newBench(t)
	for _, tenant := range tenants {
		for i := range 10 {
			ref := fmt.Sprint("CA", i)
			if i%2 == 0 {
				b.storeIsAway()
			}
			b.begin(tenant, conversation.Start{ExternalID: ref, Once: recaller.Once{Token: ref, Request: "r"}})
			b.faults.Clear()
			b.say(tenant, ref, "user: one")
			if i%4 == 0 {
				b.FlushHeld(t.Context())
			}
			_, err := b.End(t.Context(), tenant, ref, conversation.End{})
			b.ok(err)
			b.FlushHeld(t.Context())
			conv, err := b.Find(t.Context(), tenant, ref)
			b.ok(err)
			b.Discard(tenant, conv)
			imported, err := b.Import(t.Context(), tenant, past(b, "past "+ref, "user: one"))
			b.ok(err)
			b.Discard(tenant, imported.Conversation)
		}
	}
	if n := conversation.Entries(b.Service); n != 0 {
		t.Errorf("%d entries are left", n)
	}
}

func TestErasedCallerHasNoLiveState(t *testing.T) {
	for _, tenant := range tenants {
		t.Run(string(tenant), func(t *testing.T) {
			b := newBench(t)
			started := b.begin(tenant, conversation.Start{ExternalID: "CA1"})
			other := b.begin(tenant, conversation.Start{Caller: conversation.CallerRef{Phone: "+12025550199"}, ExternalID: "CA2"})
			b.say(tenant, "CA1", "user: one")
			b.Forget(tenant, started.Caller.ID)
			if n := conversation.Entries(b.Service); n != 1 || len(b.LiveTurns(tenant, started.Caller.ID)) != 0 {
				t.Errorf("%d entries are left, want that of the other caller", n)
			}
			b.say(tenant, string(other.Conversation.ID), "user: not me")
		})
	}
}

// noting is a store that notes when a write of turns is over, whatever became of it.
type noting struct {
	conversation.Store
	over func()
}

func (s noting) AppendTurns(ctx context.Context, tenant recaller.TenantID, in recaller.Appending) (recaller.Appended, error) {
	defer s.over()
	return s.Store.AppendTurns(ctx, tenant, in)
}

// Forget returns only when no turn of the caller is on its way to the disk any more. The one that is may be refused.
func TestForgetWaitsForTheTurnUnderWay(t *testing.T) {
	b := newBench(t)
	var mu sync.Mutex
	var order []string
	note := func(what string) { mu.Lock(); order = append(order, what); mu.Unlock() }
	b.serveOn(noting{faulty{b.Store, b.faults}, func() { note("over") }})
	started := b.begin(archived, conversation.Start{})
	writing, goOn := make(chan struct{}), make(chan struct{})
	b.faults.Before("append", func() error { close(writing); <-goOn; return nil })
	var wg sync.WaitGroup
	wg.Go(func() {
		_, _, err := b.AddTurns(context.Background(), archived, string(started.Conversation.ID), recaller.Once{}, said("user: one"))
		if err != nil && !errors.Is(err, recaller.NotFound) {
			t.Error(err)
		}
	})
	<-writing
	wg.Go(func() { b.Forget(archived, started.Caller.ID); note("forgotten") })
	close(goOn)
	wg.Wait()
	if !slices.Equal(order, []string{"over", "forgotten"}) {
		t.Errorf("got %v, want the write to be over before the caller is forgotten", order)
	}
	_, _, err := b.AddTurns(t.Context(), archived, "nothing", recaller.Once{}, said("user: two"))
	b.is(err, recaller.NotFound, "")
}
