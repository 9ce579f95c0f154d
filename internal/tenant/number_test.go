package tenant_test

import (
	"slices"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/tenant"
	"github.com/recallerhq/recaller/internal/usecasetest"
)

// Numbers of the tests' agents.
const (
	reception = "+4930901820"
	orders    = "+12025550143"
)

// reached wants a number to reach a tenant's agent.
func (b *bench) reached(s *tenant.Service, number string, want recaller.TenantID) {
	b.Helper()
	got, err := s.ByNumber(b.Context(), number)
	if err != nil || got.ID != want || got.HistoryLimit == 0 {
		b.Errorf("%s: got %+v, %v; want the settings of %s, defaults filled in", number, got, err, want)
	}
}

// with sets a tenant's numbers.
func with(numbers ...string) func(*recaller.Tenant) error {
	return func(t *recaller.Tenant) error { t.Numbers = numbers; return nil }
}

func TestACalledNumberLeadsToItsTenant(t *testing.T) {
	b := newBench(t)
	first, _, err := b.Create(t.Context(), recaller.Tenant{Name: "First", DefaultRegion: "DE", Numbers: []string{"030 901820"}})
	b.ok(err)
	second, _, err := b.Create(t.Context(), recaller.Tenant{Name: "Second", Environment: recaller.Demo, Numbers: []string{orders}})
	b.ok(err)
	for _, written := range []string{reception, "+49 (0)30 901820", "0049 30 901820", "sip:+4930901820@trunk.example.com"} {
		b.reached(b.Service, written, first.ID)
	}
	b.reached(b.Service, orders, second.ID)
	_, err = b.ByNumber(t.Context(), "+12025550199")
	b.is(err, recaller.NotFound, "")
	for _, none := range []string{"", "reception", "12", "anonymous"} {
		_, err = b.ByNumber(t.Context(), none)
		b.is(err, recaller.Invalid, "number")
	}
}

func TestANumberBelongsToOneTenant(t *testing.T) {
	b := newBench(t)
	first, _, err := b.Create(t.Context(), recaller.Tenant{Name: "First", Numbers: []string{orders, reception}})
	b.ok(err)
	_, key, err := b.Create(t.Context(), recaller.Tenant{Name: "Trial", Environment: recaller.Demo, Numbers: []string{"+12025550199", "202 555 0143"}})
	b.is(err, recaller.Conflict, "numbers[1]")
	if key != "" {
		t.Error("a key of a tenant that was not made is shown")
	}
	second, _ := b.made("Second")
	_, err = b.Update(t.Context(), second.ID, with(reception))
	b.is(err, recaller.Conflict, "numbers[0]")
	b.reached(b.Service, reception, first.ID)

	// It moves once it is given up; the process that moved it knows at once, another within ten seconds.
	elsewhere := b.serve()
	b.reached(elsewhere, reception, first.ID)
	_, err = b.Update(t.Context(), first.ID, with(orders))
	b.ok(err)
	_, err = b.ByNumber(t.Context(), reception)
	b.is(err, recaller.NotFound, "")
	_, err = b.Update(t.Context(), second.ID, with(reception))
	b.ok(err)
	b.reached(b.Service, reception, second.ID)
	b.reached(b.Service, orders, first.ID)
	b.Clock.Advance(10 * time.Second)
	b.reached(elsewhere, reception, second.ID)
}

// What another process knows of a number may be older than what it knows of the tenant: it looks again.
func TestANumberThatItsTenantDoesNotHaveIsLookedUpAgain(t *testing.T) {
	b := newBench(t)
	first, _, err := b.Create(t.Context(), recaller.Tenant{Name: "First", Numbers: []string{reception}})
	b.ok(err)
	elsewhere := b.serve()
	b.reached(elsewhere, reception, first.ID)
	second, _ := b.made("Second")
	_, err = b.Update(t.Context(), first.ID, with())
	b.ok(err)
	_, err = b.Update(t.Context(), second.ID, with(reception))
	b.ok(err)
	_, err = elsewhere.Update(t.Context(), first.ID, func(t *recaller.Tenant) error { t.Name = "Renamed"; return nil })
	b.ok(err)
	b.reached(elsewhere, reception, second.ID)
}

func TestNumbersAreKnownWhileTheStoreIsAway(t *testing.T) {
	b := newBench(t)
	first, _, err := b.Create(t.Context(), recaller.Tenant{Name: "First", Numbers: []string{reception, orders}})
	b.ok(err)
	for range 3 {
		b.reached(b.Service, reception, first.ID)
	}
	if seen := b.faults.Seen(); !slices.Equal(seen, []string{"number", "tenant"}) {
		t.Errorf("the store was asked %q, want once for each", seen)
	}
	b.faults.Before("number", usecasetest.Away)
	b.faults.Before("tenant", usecasetest.Away)
	b.Clock.Advance(time.Hour)
	b.reached(b.Service, reception, first.ID)
	_, err = b.ByNumber(t.Context(), orders)
	b.is(err, recaller.Unavailable, "")
}

func TestTrialsStayTrials(t *testing.T) {
	b := newBench(t)
	made, _ := b.made("First")
	to := func(environment string) error {
		_, err := b.Update(t.Context(), made.ID, func(t *recaller.Tenant) error { t.Environment = environment; return nil })
		return err
	}
	b.ok(to(recaller.Demo))
	_, err := b.Place.Store.OpenConversation(t.Context(), made.ID, recaller.Opening{
		Identities: []recaller.Identity{{Kind: recaller.IdentityPhone, Value: orders}}, NewCaller: "caller-1",
		Conversation: recaller.Conversation{ID: "conv-1", Channel: recaller.ChannelVoice, Direction: recaller.Inbound, Status: recaller.Active, StartedAt: b.Clock.Now()},
	})
	b.ok(err)
	b.is(to(recaller.Production), recaller.Conflict, "environment")
	b.ok(to(recaller.Demo))
	if got, err := b.serve().Tenant(t.Context(), made.ID); err != nil || got.Environment != recaller.Demo {
		t.Errorf("got %q, %v; want demo", got.Environment, err)
	}
}
