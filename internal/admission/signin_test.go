package admission

import (
	"context"
	"fmt"
	"net/netip"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
)

// door is a gate whose keys count how often they are asked.
type door struct {
	t     *testing.T
	gate  *Gate
	now   time.Time
	asked int
	known map[string]recaller.APIKey
}

func (d *door) Authenticate(ctx context.Context, secret string) (recaller.APIKey, error) {
	d.asked++
	return keys(d.known).Authenticate(ctx, secret)
}

func newDoor(t *testing.T, failures int) *door {
	t.Helper()
	d := &door{t: t, now: time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)}
	d.known = map[string]recaller.APIKey{"good": {ID: "k", Tenant: "t", Scope: recaller.ScopeRead}, "late": {ID: "l", Tenant: "t", Scope: recaller.ScopeRead}}
	g, _ := gate(Options{Failures: failures, Now: func() time.Time { return d.now }})
	g.keys = d
	d.gate = g
	return d
}

// signIn returns what became of a request.
func (d *door) signIn(from, secret string) recaller.Kind {
	d.t.Helper()
	x := d.gate.Open("", netip.MustParseAddr(from))
	_, err := x.Admit(d.t.Context(), secret, &Operation{Scope: recaller.ScopeRead})
	x.Done(d.t.Context(), false)
	if err == nil {
		return ""
	}
	return KindOf(err)
}

func (d *door) is(what string, got, want recaller.Kind) {
	d.t.Helper()
	if got != want {
		d.t.Errorf("%s: got %q, want %q", what, got, want)
	}
}

func TestFailedSignInsFromOneAddressAreThrottled(t *testing.T) {
	t.Parallel()
	d := newDoor(t, 3)
	const here, there = "198.51.100.7", "198.51.100.8"
	d.is("a key that works", d.signIn(here, "good"), "")
	for i := range 3 {
		d.is("a guess", d.signIn(here, fmt.Sprint("guess", i)), recaller.Unauthenticated)
	}
	asked := d.asked
	d.is("one guess too many", d.signIn(here, "guess3"), recaller.Exhausted)
	d.is("the right guess, too late", d.signIn(here, "late"), recaller.Exhausted)
	d.is("the same as IPv6 writes it", d.signIn("::ffff:198.51.100.7", "guess4"), recaller.Exhausted)
	if d.asked != asked {
		t.Errorf("the keys were asked %d times more, want none", d.asked-asked)
	}
	d.is("the key that worked before", d.signIn(here, "good"), "")
	d.is("another address", d.signIn(there, "late"), "")
	d.now = d.now.Add(20 * time.Second)
	d.is("a while later", d.signIn(here, "guess5"), recaller.Unauthenticated)
	d.is("and again", d.signIn(here, "guess6"), recaller.Exhausted)
}

func TestAWrongKeyIsThrottledWhereverItComesFrom(t *testing.T) {
	t.Parallel()
	d := newDoor(t, 3)
	for i := range 3 {
		d.is("once more", d.signIn(fmt.Sprintf("198.51.100.%d", i), "wrong"), recaller.Unauthenticated)
	}
	d.is("too often", d.signIn("198.51.100.9", "wrong"), recaller.Exhausted)
	d.is("another key from there", d.signIn("198.51.100.9", "good"), "")
}

func TestAnAddressOfIPv6IsItsNetwork(t *testing.T) {
	t.Parallel()
	d := newDoor(t, 2)
	d.is("first", d.signIn("2001:db8:1:2::1", "a"), recaller.Unauthenticated)
	d.is("second", d.signIn("2001:db8:1:2:3::2", "b"), recaller.Unauthenticated)
	d.is("third", d.signIn("2001:db8:1:2:ffff::3", "c"), recaller.Exhausted)
	d.is("another network", d.signIn("2001:db8:1:3::1", "d"), recaller.Unauthenticated)
}

func TestAKeyThatWasEndedIsThrottledToo(t *testing.T) {
	t.Parallel()
	d := newDoor(t, 1)
	d.is("it works", d.signIn("198.51.100.7", "good"), "")
	delete(d.known, "good")
	d.is("it was ended", d.signIn("198.51.100.7", "good"), recaller.Unauthenticated)
	d.is("and is not looked at", d.signIn("198.51.100.7", "good"), recaller.Exhausted)
}

func TestFailuresWithoutALimit(t *testing.T) {
	t.Parallel()
	d := newDoor(t, -1)
	for range 100 {
		d.is("a guess", d.signIn("198.51.100.7", "wrong"), recaller.Unauthenticated)
	}
}

func TestWhatIsKnownOfSignInsIsBounded(t *testing.T) {
	t.Parallel()
	s, now := newAttempts(1), time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	for i := range 2*maxKeys + 10 {
		from := netip.AddrFrom4([4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)})
		sum := digest{byte(i), byte(i >> 8), byte(i >> 16)}
		s.note(from, sum, i%2 == 0, now)
	}
	if a, b, c := len(s.addresses.buckets), len(s.secrets.buckets), len(s.worked); max(a, b, c) > maxKeys {
		t.Errorf("got %d addresses, %d wrong keys, %d right ones; want at most %d", a, b, c, maxKeys)
	}
}
