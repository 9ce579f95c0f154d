package conversation_test

import (
	"context"
	"strings"
	"testing"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/conversation"
)

func parrot() error { panic("my parrot is called Kiki") }

// wantStack wants the log to say where it panicked, and not with what.
func (b *bench) wantStack() {
	b.Helper()
	b.locked(func() {
		if log := b.logged.String(); !strings.Contains(log, "panic in a conversation") || !strings.Contains(log, "panic_test.go") || strings.Contains(log, "Kiki") {
			b.Errorf("want the place of the panic and no words in the log:\n%s", log)
		}
	})
}

// A fault of ours in the middle of a write is answered as one, and the conversation goes on.
func TestPanicInAWriteEndsNothingElse(t *testing.T) {
	for _, tenant := range tenants {
		for _, set := range []func(*bench){
			func(b *bench) { b.faults.Before("append", parrot) },
			func(b *bench) { b.faults.After("append", parrot) },
			func(b *bench) { b.told = func(recaller.Change) { _ = parrot() } },
		} {
			b := newBench(t)
			id := string(b.begin(tenant, conversation.Start{}).Conversation.ID)
			b.say(tenant, id, "user: zero")
			set(b)
			once := recaller.Once{Token: "t", Request: "r"}
			_, _, err := b.AddTurns(t.Context(), tenant, id, once, said("user: one"))
			b.is(err, recaller.Internal, "")
			b.wantStack()
			b.faults.Clear()
			b.told = nil
			_, _, err = b.AddTurns(t.Context(), tenant, id, once, said("user: one")) // the client tries again
			b.ok(err)
			b.say(tenant, id, "user: two")
			if tenant == ephemeral {
				continue // whose words may have gone with it
			}
			b.wantHeard(tenant, id, "0 zero", "1 one", "2 two")
		}
	}
}

// A fault of ours where what was held is written: it waits, and is written when there is none.
func TestPanicWhereHeldTurnsAreWritten(t *testing.T) {
	b := newBench(t)
	b.storeIsAway()
	id := b.goesOn(keep, conversation.Start{})
	b.onHold = func(recaller.Change) { _ = parrot() }
	b.holds(keep, id, recaller.Once{}, 0, "user: one")
	for _, call := range []string{"open", "append"} {
		b.faults.Clear()
		b.faults.Before(call, parrot)
		if waiting := b.FlushHeld(t.Context()); waiting != 1 {
			t.Errorf("%s: %d wait, want 1", call, waiting)
		}
		b.wantStack()
	}
	b.holds(keep, id, recaller.Once{}, 1, "user: two") // of whom it is known now whose it is
	b.storeIsBack()
	b.wantHeard(keep, id, "0 one", "1 two")
}

// A fault of ours where a conversation is looked up.
func TestPanicInARead(t *testing.T) {
	b := newBench(t)
	b.faults.Before("find", parrot)
	b.faults.Before("open", parrot)
	_, _, err := b.AddTurns(context.Background(), keep, "CA1", recaller.Once{}, said("user: one"))
	b.is(err, recaller.Internal, "")
	_, err = b.Start(t.Context(), keep, conversation.Start{Caller: conversation.CallerRef{Phone: phone}})
	b.is(err, recaller.Internal, "")
	b.wantStack()
}
