package conversation_test

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/conversation"
	"github.com/recallerhq/recaller/internal/usecasetest"
)

// What happens to a conversation while something else happens to it. More of it is in numbers_test.go (a hold beside a
// write), outage_test.go (a write that hangs) and sweep_test.go (a turn beside the closing of an idle call).

// Whoever reads while held turns are told of, written and told of again finds each once. Nothing that a reader needs is
// locked meanwhile.
func TestAReaderFindsEachTurnOnceAtAnyMoment(t *testing.T) {
	for _, tenant := range tenants {
		t.Run(string(tenant), func(t *testing.T) {
			b := newBench(t)
			words := &conversation.Words{Ledger: b.Ledger, Store: b.Store, Archive: b.Archive, Tenants: b.settings}
			call := b.begin(tenant, conversation.Start{})
			id := call.Conversation.ID
			b.say(tenant, string(id), "user: zero")
			want, read := []string{"0 zero", "1 one"}, 0
			look := func(when string) {
				read++
				conv, err := b.Store.Conversation(b.Context(), tenant, string(id))
				b.ok(err)
				turns, err := b.Turns(b.Context(), tenant, conv)
				b.ok(err)
				corpus, err := words.Corpus(b.Context(), tenant, call.Caller.ID)
				b.ok(err)
				for _, got := range [][]string{lines(turns), lines(corpus.Turns[id])} {
					if tenant == ephemeral && len(got) < len(want) { // Turns reads what only this process has
						continue
					}
					if !slices.Equal(got, want) {
						t.Errorf("%s: got %q, want %q", when, got, want)
					}
				}
			}
			b.onHold = func(recaller.Change) { look("told of as held") }
			b.storeIsAway()
			for _, call := range reads {
				b.faults.Before(call, nil)
			}
			b.holds(tenant, string(id), recaller.Once{}, 1, "user: one")
			want = append(want, "2 two")
			b.holds(tenant, string(id), recaller.Once{}, 2, "user: two")
			b.faults.Clear()
			b.faults.Before("append", func() error { look("before it is stored"); return nil })
			b.faults.After("append", func() error { look("stored"); return nil })
			b.told = func(recaller.Change) { look("told of as stored") }
			if waiting := b.FlushHeld(t.Context()); waiting != 0 {
				t.Errorf("%d wait, want none", waiting)
			}
			if read < 5 {
				t.Errorf("read %d times, want it at every moment", read)
			}
		})
	}
}

// A client goes away just when the store has its turn and the feed is told of it: the turn is there once, and the next
// one has the next number.
func TestClientGoesAwayWhileItsTurnIsToldOf(t *testing.T) {
	for _, tenant := range tenants {
		b := newBench(t)
		id := b.begin(tenant, conversation.Start{}).Conversation.ID
		b.changes.Take()
		ctx, cut := context.WithCancel(t.Context())
		gone := make(chan struct{})
		b.told = func(recaller.Change) { cut(); <-gone }
		_, _, err := b.AddTurns(ctx, tenant, string(id), recaller.Once{}, said("user: one"))
		b.is(err, recaller.Timeout, "")
		close(gone)
		b.say(tenant, string(id), "user: two")
		b.wantHeard(tenant, string(id), "0 one", "1 two")
		b.wantEvents(id, "0 one", "1 two")
	}
}

// The store says that it is away at the very moment when a request's patience is over: the turn is held once, and told
// of once.
func TestPatienceEndsAsTheStoreAnswers(t *testing.T) {
	for _, tenant := range []recaller.TenantID{keep, archived} {
		synctest.Test(t, func(t *testing.T) {
			b := newBench(t)
			id := string(b.begin(tenant, conversation.Start{}).Conversation.ID)
			b.faults.Before("append", func() error {
				time.Sleep(conversation.DefaultPatience) // of the bubble
				return usecasetest.Away()
			})
			b.holds(tenant, id, recaller.Once{}, 0, "user: one")
			synctest.Wait()
			time.Sleep(conversation.DefaultPatience) // of the bubble: the second try is over
			synctest.Wait()
			if len(b.held) != 1 || !slices.Equal(lines(b.held[0].Turns), []string{"0 one"}) {
				t.Errorf("told of %+v as held, want the turn once", b.held)
			}
			b.faults.Clear()
			if waiting := b.FlushHeld(t.Context()); waiting != 0 {
				t.Errorf("%d wait, want none", waiting)
			}
			b.wantHeard(tenant, id, "0 one")
		})
	}
}

// A call ends while the feed is told of a turn that is held: the end is answered behind it, and counts it.
func TestEndWhileAHeldTurnIsToldOf(t *testing.T) {
	b := newBench(t)
	id := b.begin(keep, conversation.Start{}).Conversation.ID
	b.changes.Take()
	b.storeIsAway()
	ended := make(chan recaller.Conversation, 1)
	b.onHold = func(recaller.Change) {
		go func() {
			conv, err := b.End(context.Background(), keep, string(id), conversation.End{})
			if err != nil {
				t.Error(err)
			}
			ended <- conv
		}()
		select {
		case conv := <-ended:
			t.Errorf("it ended with %d turns before its turn was told of", conv.Turns)
			ended <- conv
		case <-time.After(meanwhile):
		}
	}
	b.holds(keep, string(id), recaller.Once{}, 0, "user: one")
	if conv := <-ended; conv.Turns != 1 || conv.Status != recaller.Completed {
		t.Errorf("got %+v, want it ended with its turn", conv)
	}
	b.storeIsBack()
	b.wantEvents(id, "0 one", "completed", "completed") // the turn is told of with the end that is known by then
}

// The store hangs in the end of a call, and somebody speaks behind it: the end is held, and the turn is refused.
func TestTurnBehindAnEndThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		id := string(b.begin(keep, conversation.Start{}).Conversation.ID)
		goOn := b.storeHangs()
		go func() {
			conv, err := b.End(context.Background(), keep, id, conversation.End{Status: recaller.Failed})
			if err != nil || conv.Status != recaller.Failed || conv.Turns != 0 {
				t.Errorf("got %+v, %v; want it failed", conv, err)
			}
		}()
		synctest.Wait()
		_, _, err := b.AddTurns(t.Context(), keep, id, recaller.Once{}, said("user: too late"))
		b.is(err, recaller.Conflict, "")
		goOn()
		synctest.Wait()
		if n := conversation.Entries(b.Service); n != 0 {
			t.Errorf("%d entries are left", n)
		}
		b.wantHeard(keep, id)
	})
}

// A caller is erased while the store is at work for a conversation of his: whoever waits is answered at once, and
// nothing is left.
func TestErasureBesideWhateverIsUnderWay(t *testing.T) {
	turn := func(b *bench, id string) error {
		_, _, err := b.AddTurns(context.Background(), keep, id, recaller.Once{}, said("user: one"))
		return err
	}
	end := func(b *bench, id string) error {
		_, err := b.End(context.Background(), keep, id, conversation.End{})
		return err
	}
	idle := func(b *bench, _ string) error { _, err := b.CloseIdle(context.Background()); return err }
	for name, test := range map[string]struct {
		call string
		do   func(*bench, string) error
		want recaller.Kind // empty: it succeeds
	}{
		"a turn that is stored":                {"append", turn, ""},
		"a turn, while turns are counted":      {"find", turn, recaller.NotFound},
		"an end":                               {"close", end, ""},
		"the end of an idle call":              {"close", idle, ""},
		"an end, of which the answer is lost":  {"close lost", end, recaller.NotFound},
		"an idle call, and the answer is lost": {"close lost", idle, recaller.Unavailable},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t)
				call := b.begin(keep, conversation.Start{})
				b.Clock.Advance(time.Hour)
				goOn := make(chan struct{})
				switch test.call {
				case "close lost":
					b.faults.After("close", func() error { <-goOn; return usecasetest.Away() })
				case "find":
					b.faults.Before("append", usecasetest.Once(usecasetest.Away()))
					fallthrough
				default:
					b.faults.After(test.call, func() error { <-goOn; return nil })
				}
				began := time.Now()
				answered := make(chan error, 1)
				go func() { answered <- test.do(b, string(call.Conversation.ID)) }()
				synctest.Wait()
				forgotten := make(chan struct{})
				go func() { b.Forget(keep, call.Caller.ID); close(forgotten) }()
				synctest.Wait()
				select {
				case <-forgotten:
					t.Error("he was forgotten before the store had done")
				default:
				}
				close(goOn)
				if err := <-answered; recaller.KindOf(err) != test.want && !(err == nil && test.want == "") {
					t.Errorf("got %v, want %q", err, test.want)
				}
				<-forgotten
				if took := time.Since(began); took != 0 {
					t.Errorf("it took %v", took)
				}
				if n := conversation.Entries(b.Service); n != 0 {
					t.Errorf("%d entries are left", n)
				}
			})
		})
	}
}

// Forget returns only when the feed is told no more of what a caller of the past said.
func TestForgetWaitsForWhatIsToldOfAHeldTurn(t *testing.T) {
	b := newBench(t)
	call := b.begin(keep, conversation.Start{})
	b.storeIsAway()
	b.holds(keep, string(call.Conversation.ID), recaller.Once{}, 0, "user: one")
	forgotten := make(chan struct{})
	b.onHold = func(recaller.Change) {
		go func() { b.Forget(keep, call.Caller.ID); close(forgotten) }()
		select {
		case <-forgotten:
			t.Error("he was forgotten while the feed was told of his words")
		case <-time.After(meanwhile):
		}
	}
	_, _, err := b.AddTurns(t.Context(), keep, string(call.Conversation.ID), recaller.Once{}, said("user: two"))
	b.is(err, recaller.NotFound, "")
	<-forgotten
	if n := conversation.Entries(b.Service); n != 0 {
		t.Errorf("%d entries are left", n)
	}
}
