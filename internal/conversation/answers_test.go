package conversation_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/conversation"
	"github.com/recallerhq/recaller/internal/usecasetest"
)

// events returns what those who listen to a conversation were told: its turns, and its end.
func (b *bench) events(id recaller.ConversationID) []string {
	var out []string
	for _, c := range b.changes.Take() {
		if c.Conversation == nil || c.Conversation.ID != id || c.Conversation.Caller != c.Caller {
			continue
		}
		out = append(out, lines(c.Turns)...)
		if c.Conversation.Status != recaller.Active {
			out = append(out, string(c.Conversation.Status))
		}
	}
	return out
}

func (b *bench) wantEvents(id recaller.ConversationID, want ...string) {
	b.Helper()
	if got := b.events(id); strings.Join(got, "; ") != strings.Join(want, "; ") {
		b.Errorf("told of %q, want %q", got, want)
	}
}

// The store carries writes out and its answers are lost: listeners are told of the turns and of the end all the same,
// once.
func TestWhatWasCommittedIsToldOfThoughTheAnswerIsLost(t *testing.T) {
	for _, tenant := range tenants {
		for name, lose := range map[string]func() error{"once": usecasetest.Once(usecasetest.Away()), "for a while": usecasetest.Away} {
			t.Run(string(tenant)+" "+name, func(t *testing.T) {
				b := newBench(t)
				id := b.begin(tenant, conversation.Start{}).Conversation.ID
				b.changes.Take()
				b.faults.After("append", lose)
				b.say(tenant, string(id), "user: one", "user: two")
				b.storeIsBack()
				b.wantEvents(id, "0 one", "1 two")
				b.faults.After("close", lose)
				_, err := b.End(t.Context(), tenant, string(id), conversation.End{Status: recaller.Failed})
				b.ok(err)
				b.storeIsBack()
				b.wantEvents(id, "failed")
				_, err = b.End(t.Context(), tenant, string(id), conversation.End{})
				b.ok(err)
				b.wantEvents(id)
			})
		}
	}
}

// The close of an idle call is carried out and its answer lost: the next pass, or the client that ends the call, has it
// told of.
func TestEndOfAnIdleCallIsToldOfThoughTheAnswerIsLost(t *testing.T) {
	for name, next := range map[string]func(*bench, string){
		"the next pass": func(b *bench, _ string) {
			if closed, err := b.CloseIdle(b.Context()); closed != 1 || err != nil {
				b.Errorf("closed %d, %v; want 1", closed, err)
			}
		},
		"the client": func(b *bench, id string) {
			if conv, err := b.End(b.Context(), keep, id, conversation.End{}); err != nil || conv.EndReason != conversation.ReasonIdle {
				b.Errorf("got %+v, %v; want it ended as idle", conv, err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			id := b.begin(keep, conversation.Start{}).Conversation.ID
			b.Clock.Advance(time.Hour)
			b.faults.After("close", usecasetest.Once(usecasetest.Away()))
			_, err := b.CloseIdle(t.Context())
			b.is(err, recaller.Unavailable, "")
			b.wantEvents(id)
			next(b, string(id))
			b.wantEvents(id, "completed")
			if n := conversation.Entries(b.Service); n != 0 {
				t.Errorf("%d entries are left", n)
			}
		})
	}
}

// A client repeats a request of long ago, and the store hiccups: what was told of long ago is not told of again.
func TestRepeatedRequestIsNotToldOfAgain(t *testing.T) {
	for _, tenant := range tenants {
		b := newBench(t)
		id := b.begin(tenant, conversation.Start{}).Conversation.ID
		for n := range 10 {
			_, _, err := b.AddTurns(t.Context(), tenant, string(id), recaller.Once{Token: fmt.Sprint(n), Request: "r"}, said(fmt.Sprint("user: ", n)))
			b.ok(err)
		}
		b.changes.Take()
		for _, set := range []func(string, func() error){b.faults.Before, b.faults.After} {
			set("append", usecasetest.Once(usecasetest.Away()))
			turns, _, err := b.AddTurns(t.Context(), tenant, string(id), recaller.Once{Token: "0", Request: "r"}, said("user: 0"))
			if err != nil || turns[0].Number != 0 {
				t.Errorf("%s: got %+v, %v; want the first answer", tenant, turns, err)
			}
			b.wantEvents(id)
		}
	}
}

// A call that was held turns out to have been opened by the try whose answer was lost: it is told whose it is.
func TestWhoseAHeldCallIsIsTold(t *testing.T) {
	for _, gone := range []func(*bench){(*bench).storeIsAway, (*bench).storeIsDeaf} {
		b := newBench(t)
		gone(b)
		id := b.goesOn(keep, conversation.Start{})
		b.changes.Take()
		b.storeIsBack()
		conv, err := b.Find(t.Context(), keep, id)
		b.ok(err)
		changes := b.changes.Take()
		if len(changes) != 1 || changes[0].Caller == "" || changes[0].Caller != conv.Caller || changes[0].Conversation == nil || string(changes[0].Conversation.ID) != id {
			t.Errorf("told of %+v, want the call with its caller", changes)
		}
	}
}

// A client sends a request again, and its first connection breaks while both wait behind a write that hangs: the turn
// is stored, and the second try answered.
func TestRequestOutlivesItsFirstTry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		id := string(b.begin(keep, conversation.Start{}).Conversation.ID)
		goOn := b.storeHangs()
		say := func(ctx context.Context, token, line string) <-chan error {
			answered := make(chan error, 1)
			go func() {
				_, durable, err := b.AddTurns(ctx, keep, id, recaller.Once{Token: token, Request: "r"}, said(line))
				if err == nil && !durable {
					err = errors.New("it is not durable")
				}
				answered <- err
			}()
			synctest.Wait()
			return answered
		}
		one := say(t.Context(), "one", "user: one")
		broken, cut := context.WithCancel(t.Context())
		first := say(broken, "two", "user: two")
		second := say(t.Context(), "two", "user: two")
		cut()
		isError(t, <-first, recaller.Timeout, "")
		goOn()
		b.ok(<-one)
		b.ok(<-second)
		b.wantHeard(keep, id, "0 one", "1 two")
	})
}

// The caller is erased while the store is at work on a turn, and then fails: who waits for the turn is told, at once.
func TestErasureWhileAWriteFails(t *testing.T) {
	for _, cause := range []error{usecasetest.Away(), recaller.Errorf(recaller.Timeout, "slow"), recaller.Errorf(recaller.Full, "full")} {
		synctest.Test(t, func(t *testing.T) {
			b := newBench(t)
			started := b.begin(keep, conversation.Start{})
			goOn := make(chan struct{})
			b.faults.Before("append", func() error { <-goOn; return cause })
			began := time.Now()
			answered := make(chan error, 1)
			go func() {
				_, _, err := b.AddTurns(context.Background(), keep, string(started.Conversation.ID), recaller.Once{}, said("user: one"))
				answered <- err
			}()
			synctest.Wait()
			go b.Forget(keep, started.Caller.ID)
			synctest.Wait()
			close(goOn)
			isError(t, <-answered, recaller.NotFound, "")
			if took := time.Since(began); took != 0 {
				t.Errorf("it took %v", took)
			}
			if n := conversation.Entries(b.Service); n != 0 {
				t.Errorf("%d entries are left", n)
			}
		})
	}
}

// patient is a store that hangs in a write until it is told to stop.
type patient struct{ conversation.Store }

func (patient) AppendTurns(ctx context.Context, _ recaller.TenantID, _ recaller.Appending) (recaller.Appended, error) {
	<-ctx.Done()
	return recaller.Appended{}, recaller.Wrap(recaller.Timeout, ctx.Err(), "the store did not answer in time")
}

// An erasure does not wait for a write that hangs, which is of no use any more.
func TestErasureEndsAWriteThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.serveOn(patient{b.Store})
		started := b.begin(keep, conversation.Start{})
		began := time.Now()
		go func() {
			_, _, err := b.AddTurns(context.Background(), keep, string(started.Conversation.ID), recaller.Once{}, said("user: one"))
			isError(t, err, recaller.NotFound, "")
		}()
		synctest.Wait()
		b.Forget(keep, started.Caller.ID)
		if took := time.Since(began); took != 0 {
			t.Errorf("it took %v", took)
		}
	})
}

// A client goes away while it is looked up how many turns there are: its turn was not answered, and is not stored.
func TestClientGoesAwayBeforeItsTurnIsSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		id := string(b.begin(archived, conversation.Start{}).Conversation.ID)
		b.faults.Before("append", func() error { return recaller.Errorf(recaller.Internal, "the store is broken") })
		_, _, err := b.AddTurns(t.Context(), archived, id, recaller.Once{}, said("user: one"))
		b.is(err, recaller.Internal, "")
		goOn := b.storeHangs()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, _, err = b.AddTurns(ctx, archived, id, recaller.Once{}, said("user: two"))
		b.is(err, recaller.Timeout, "")
		b.faults.Clear()
		goOn()
		synctest.Wait()
		b.say(archived, id, "user: three")
		b.wantHeard(archived, id, "0 three")
	})
}

// While the store is away, the name of one caller's call gives another nothing: neither her call, nor what is known of
// her.
func TestNameOfAnothersCallIsRefusedWhileTheStoreIsAway(t *testing.T) {
	ana := conversation.Start{Caller: conversation.CallerRef{Phone: phone, Name: "Ana"}, ExternalID: "CA1"}
	bob := conversation.Start{Caller: conversation.CallerRef{Phone: "+12025550199"}, ExternalID: "CA1"}
	for name, begin := range map[string]func(*bench) string{
		"held": func(b *bench) string { b.storeIsAway(); return b.goesOn(keep, ana) },
		"live": func(b *bench) string { id := b.begin(keep, ana).Conversation.ID; b.storeIsAway(); return string(id) },
		"live, with something held": func(b *bench) string {
			id := string(b.begin(keep, ana).Conversation.ID)
			b.storeIsAway()
			b.holds(keep, id, recaller.Once{}, 0, "user: one")
			return id
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			id := begin(b)
			_, err := b.Start(t.Context(), keep, bob)
			b.is(err, recaller.Invalid, "external_id")
			more := ana
			more.Caller.ExternalID = "ana-7"
			if again := b.begin(keep, more); string(again.Conversation.ID) != id || !again.Existing {
				t.Errorf("got %+v, want her own call", again.Conversation)
			}
			b.storeIsBack()
			_, err = b.Start(t.Context(), keep, bob)
			b.is(err, recaller.Invalid, "external_id")
		})
	}
}
