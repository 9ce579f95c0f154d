package conversation_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/conversation"
	"github.com/recallerhq/recaller/internal/usecasetest"
)

// call is one conversation as its platform sees it: what was acknowledged, in order.
type call struct {
	tenant recaller.TenantID
	ref    string
	said   []string // "number text", as it was answered
	ended  bool
}

func (c *call) take(turns []recaller.Turn) {
	c.said = append(c.said, lines(turns)...)
}

// check wants all that was acknowledged to be in the store once, in order, under the numbers that were told.
func (c *call) check(b *bench) {
	b.Helper()
	rec, err := b.Get(b.Context(), c.tenant, c.ref, true)
	b.ok(err)
	if got := lines(rec.Turns); !slices.Equal(got, c.said) {
		b.Errorf("%s %s: got %q, want %q", c.tenant, c.ref, got, c.said)
	}
	if (rec.Conversation.Status != recaller.Active) != c.ended || rec.Conversation.Turns != len(c.said) {
		b.Errorf("%s %s: got %+v, want %d turns, ended %v", c.tenant, c.ref, rec.Conversation, len(c.said), c.ended)
	}
}

// Whatever the store does, and whenever, each turn that was acknowledged is stored once, in order, under its number.
func TestEveryAcknowledgedTurnIsStoredOnceWhateverTheStoreDoes(t *testing.T) {
	t.Parallel()
	for seed := range uint64(10) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			random := rand.New(rand.NewPCG(seed, 4))
			var calls []*call
			for step := range 150 {
				switch n := random.IntN(20); {
				case n < 3 || len(calls) == 0:
					c := &call{tenant: tenants[random.IntN(3)], ref: fmt.Sprint("CA", step)}
					b.begin(c.tenant, conversation.Start{ExternalID: c.ref, Once: name(random, "start", step)})
					calls = append(calls, c)
				case n < 6:
					b.faults.Clear()
					somehow(b, random)
				case n < 8:
					b.FlushHeld(t.Context())
				case n < 9:
					c := calls[random.IntN(len(calls))]
					if _, err := b.End(t.Context(), c.tenant, c.ref, conversation.End{}); !c.ended || !errors.Is(err, recaller.Unavailable) {
						b.ok(err) // one that has ended is the store's to tell of
					}
					c.ended = true
				default:
					speak(b, random, calls[random.IntN(len(calls))], step)
				}
			}
			b.storeIsBack()
			for _, c := range calls {
				c.check(b)
			}
			b.restart()
			for _, c := range calls {
				if c.tenant != ephemeral {
					c.check(b)
				}
			}
		})
	}
}

// somehow puts the store into some state: well, away, deaf, or failing some calls for a while.
func somehow(b *bench, random *rand.Rand) {
	calls := slices.Concat(writes, reads, []string{"archive"})
	switch random.IntN(5) {
	case 0:
		b.storeIsAway()
	case 1:
		b.storeIsDeaf()
	case 2:
		b.faults.Before(calls[random.IntN(len(calls))], usecasetest.Away)
	case 3:
		b.faults.After(calls[random.IntN(len(calls))], usecasetest.Once(usecasetest.Away()))
	}
}

// name gives a request a token, or not.
func name(random *rand.Rand, what string, step int) recaller.Once {
	if random.IntN(2) == 0 {
		return recaller.Once{}
	}
	return recaller.Once{Token: fmt.Sprint(what, step), Request: "r"}
}

// speak says one to three turns in a call, and repeats the request if it has a name.
func speak(b *bench, random *rand.Rand, c *call, step int) {
	b.Helper()
	var in []conversation.TurnInput
	for i := range 1 + random.IntN(3) {
		in = append(in, conversation.TurnInput{Speaker: recaller.User, Text: fmt.Sprintf("%d.%d", step, i)})
	}
	once := name(random, "turn", step)
	turns, _, err := b.AddTurns(b.Context(), c.tenant, c.ref, once, in)
	if c.ended {
		if kind := recaller.KindOf(err); kind != recaller.Conflict && kind != recaller.Unavailable {
			b.Errorf("after the end: got %+v, %v", turns, err)
		}
		return
	}
	b.ok(err)
	c.take(turns)
	if once.Token == "" || random.IntN(2) == 0 {
		return
	}
	again, _, err := b.AddTurns(b.Context(), c.tenant, c.ref, once, in)
	b.ok(err)
	if !slices.Equal(lines(again), lines(turns)) || again[0].ID != turns[0].ID {
		b.Errorf("repeated: got %q, want %q", lines(again), lines(turns))
	}
}

// Fifty calls at once, and a store that goes away, hangs, and loses its answers in the middle of them.
func TestFiftyCallsWhileTheStoreComesAndGoes(t *testing.T) {
	const turns = 24
	b := newBench(t)
	b.patience = time.Millisecond
	b.serve()
	calls := make([]*call, 50)
	spoken := make(chan struct{}, len(calls)*turns)
	over, looped := make(chan struct{}), make(chan struct{})
	go func() { // the housekeeping
		defer close(looped)
		for {
			select {
			case <-over:
				return
			case <-time.After(2 * time.Millisecond):
				b.FlushHeld(context.Background())
			}
		}
	}()
	var wg sync.WaitGroup
	for i := range calls {
		c := &call{tenant: tenants[i%3], ref: fmt.Sprint("CA", i)}
		calls[i] = c
		wg.Go(func() {
			if err := c.lead(b, turns, i%5 != 0, spoken); err != nil {
				t.Errorf("%s: %v", c.ref, err)
			}
		})
	}
	wg.Go(func() { b.comeAndGo(spoken) })
	wg.Wait()
	close(over)
	<-looped
	b.Patience = conversation.DefaultPatience
	b.storeIsBack()
	for _, c := range calls {
		c.check(b)
	}
}

// lead begins a call, speaks, and ends it if it is to.
func (c *call) lead(b *bench, turns int, end bool, spoken chan<- struct{}) error {
	ctx := context.Background()
	_, err := b.Start(ctx, c.tenant, conversation.Start{Caller: conversation.CallerRef{ExternalID: c.ref}, ExternalID: c.ref})
	for n := range turns {
		var once recaller.Once
		if n%2 == 0 {
			once = recaller.Once{Token: fmt.Sprint(c.ref, " ", n), Request: "r"}
		}
		if err == nil {
			var added []recaller.Turn
			added, _, err = b.AddTurns(ctx, c.tenant, c.ref, once, said(fmt.Sprintf("user: %s says %d", c.ref, n)))
			c.take(added)
		}
		spoken <- struct{}{}
	}
	if err == nil && end {
		c.ended = true
		_, err = b.End(ctx, c.tenant, c.ref, conversation.End{})
	}
	return err
}

// comeAndGo changes the state of the store as the talk goes on, until as many turns were spoken as there is room for.
func (b *bench) comeAndGo(spoken <-chan struct{}) {
	goOn := func() {}
	states := []func(){
		func() {}, b.storeIsAway, b.storeIsDeaf, func() { goOn = b.storeHangs() }, func() {}, b.storeIsAway, func() { goOn = b.storeHangs() },
	}
	for i := range cap(spoken) {
		if at := i * len(states); at%cap(spoken) < len(states) {
			goOn()
			goOn = func() {}
			b.faults.Clear()
			states[at/cap(spoken)]()
		}
		<-spoken
	}
	goOn()
	b.faults.Clear()
}

// The words of what is refused are in no error.
func TestErrorsOfAnOutageHoldNoWords(t *testing.T) {
	b := newBench(t)
	b.storeIsAway()
	id := b.goesOn(keep, conversation.Start{})
	for range 3 {
		_, _, err := b.AddTurns(t.Context(), keep, id, recaller.Once{}, slices.Repeat(said("user: secret"), conversation.MaxBatch))
		if err == nil {
			continue
		}
		var e *recaller.Error
		if !errors.As(err, &e) || e.Kind != recaller.Unavailable || fmt.Sprint(err) != "the store is away and this conversation holds its limit of 2000 turns" {
			t.Errorf("got %v", err)
		}
		return
	}
	t.Error("three thousand turns were held")
}
