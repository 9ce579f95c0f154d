package admission

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"testing"

	"github.com/recallerhq/recaller"
)

// One tenant takes all the streams that it can. It has three quarters; others still find their share each.
func TestATenantLeavesSlotsForOthers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ n, greedy, others, each int }{
		{1000, 750, 4, 62},
		{8, 6, 2, 1},
		{4, 3, 1, 1},
		{2, 1, 1, 1},
		{1, 1, 0, 0},
	} {
		s := Cap(c.n, "full")
		takes := func(tenant string) (n int) {
			for s.take(t.Context(), recaller.TenantID(tenant)) == nil {
				n++
			}
			return n
		}
		if got := takes("greedy"); got != c.greedy {
			t.Errorf("of %d: one tenant takes %d, want %d", c.n, got, c.greedy)
		}
		for i := range c.others {
			if got := takes(fmt.Sprint("other-", i)); got != c.each {
				t.Errorf("of %d: other %d takes %d, want %d", c.n, i, got, c.each)
			}
		}
		for range c.greedy {
			s.give("greedy")
		}
		for i := range c.others {
			for range c.each {
				s.give(recaller.TenantID(fmt.Sprint("other-", i)))
			}
		}
		if got := takes("greedy"); got != c.greedy || s.taken != c.greedy {
			t.Errorf("of %d: after all were given back it takes %d, want %d", c.n, got, c.greedy)
		}
	}
}

// Who waits is woken by each slot that is given back, until one is for him.
func TestWhoWaitsGetsTheSlotThatIsHis(t *testing.T) {
	t.Parallel()
	s := Queue(2, "full")
	for _, tenant := range []recaller.TenantID{"a", "b"} {
		if err := s.take(t.Context(), tenant); err != nil {
			t.Fatal(err)
		}
	}
	got := make(chan error, 1)
	go func() { got <- s.take(t.Context(), "a") }()
	s.give("b") // no use to a, which has its share
	s.give("a")
	if err := <-got; err != nil {
		t.Errorf("got %v, want the slot", err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.take(gone, "a"); !errors.Is(err, recaller.Unavailable) {
		t.Errorf("got %v, want Unavailable for who has no time left", err)
	}
}

// Bodies take what has come of them. One tenant's leave a quarter for others, and all give back what they took.
func TestBodiesShareABudget(t *testing.T) {
	t.Parallel()
	g, _ := gate(Options{})
	op := &Operation{Name: "import", Scope: recaller.ScopeRead, Bodies: Bytes(1000, "full")}
	open := func(secret string) *Exchange {
		x := g.Open("", netip.Addr{})
		if _, err := x.Admit(t.Context(), secret, op); err != nil {
			t.Fatal(err)
		}
		return &x
	}
	hundred := make([]byte, 100)
	big, other := open("reader"), open("operator")
	n := 0
	for big.Saw(hundred) {
		n++
	}
	if n != 7 || !errors.Is(big.Whole(), recaller.Exhausted) {
		t.Errorf("one tenant has %d of 10 parts and %v, want 7 and Exhausted", n, big.Whole())
	}
	for range 2 {
		if !other.Saw(hundred) || other.Whole() != nil {
			t.Errorf("another tenant finds no room")
		}
	}
	if big.Saw(hundred[:1]) {
		t.Error("a body goes on after a part that had no room")
	}
	big.Done(t.Context(), false)
	other.Done(t.Context(), false)
	if op.Bodies.Held() != 0 || len(op.Bodies.held) != 0 {
		t.Errorf("%d bytes are still held", op.Bodies.Held())
	}
}
