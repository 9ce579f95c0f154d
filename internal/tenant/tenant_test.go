package tenant_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/prompt"
	"github.com/recallerhq/recaller/internal/tenant"
	"github.com/recallerhq/recaller/internal/usecasetest"
)

type bench struct {
	*testing.T
	*usecasetest.Place
	*tenant.Service
	faults *usecasetest.Faults
}

func newBench(t *testing.T) *bench {
	t.Helper()
	b := &bench{T: t, Place: usecasetest.Open(t), faults: &usecasetest.Faults{}}
	b.Service = b.serve()
	return b
}

// serve makes another process on the same data.
func (b *bench) serve() *tenant.Service {
	return tenant.New(tenant.Deps{Store: faulty{b.Place.Store, b.faults}, Now: b.Clock.Now, NewID: b.NewID})
}

func (b *bench) ok(err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

func (b *bench) is(err error, kind recaller.Kind, field string) {
	b.Helper()
	isError(b.T, err, kind, field)
}

func isError(t *testing.T, err error, kind recaller.Kind, field string) {
	t.Helper()
	var e *recaller.Error
	if !errors.As(err, &e) || e.Kind != kind || e.Field != field {
		t.Errorf("got error %v, want kind %q, field %q", err, kind, field)
	}
}

// made creates a tenant and returns it with its first key.
func (b *bench) made(name string) (recaller.Tenant, string) {
	b.Helper()
	t, key, err := b.Create(b.Context(), recaller.Tenant{Name: name})
	b.ok(err)
	return t, key
}

// faulty is a store whose calls can be made to fail.
type faulty struct {
	tenant.Store
	f *usecasetest.Faults
}

func (s faulty) Tenant(ctx context.Context, id recaller.TenantID) (out recaller.Tenant, err error) {
	err = s.f.Call("tenant", func() (err error) { out, err = s.Store.Tenant(ctx, id); return err })
	return out, err
}

func (s faulty) Persona(ctx context.Context, id recaller.TenantID, version int) (out recaller.Persona, err error) {
	err = s.f.Call("persona", func() (err error) { out, err = s.Store.Persona(ctx, id, version); return err })
	return out, err
}

func (s faulty) TenantByNumber(ctx context.Context, number string) (id recaller.TenantID, err error) {
	err = s.f.Call("number", func() (err error) { id, err = s.Store.TenantByNumber(ctx, number); return err })
	return id, err
}

func (s faulty) UpdateTenant(ctx context.Context, t recaller.Tenant, made ...recaller.Persona) error {
	return s.f.Call("update", func() error { return s.Store.UpdateTenant(ctx, t, made...) })
}

func (s faulty) KeyByHash(ctx context.Context, id recaller.TenantID, hash []byte) (out recaller.APIKey, err error) {
	err = s.f.Call("key", func() (err error) { out, err = s.Store.KeyByHash(ctx, id, hash); return err })
	return out, err
}

func (s faulty) DeleteKey(ctx context.Context, id recaller.TenantID, key recaller.KeyID) error {
	return s.f.Call("delete", func() error { return s.Store.DeleteKey(ctx, id, key) })
}

func TestTenantIsMadeWithAKeyOfItsOwn(t *testing.T) {
	b := newBench(t)
	made, key, err := b.Create(t.Context(), recaller.Tenant{Name: "Lakeside Dental", DefaultRegion: "DE", Numbers: []string{"030 901820", "+12025550143"}})
	b.ok(err)
	if made.Retention != recaller.Keep || made.TimeZone != "UTC" || made.HistoryLimit != 3 || !slices.Equal(made.Numbers, []string{"+4930901820", "+12025550143"}) {
		t.Errorf("got %+v, want the defaults filled in and numbers in E.164", made)
	}
	got, err := b.Authenticate(t.Context(), key)
	if err != nil || got.Tenant != made.ID || got.Scope != recaller.ScopeAdmin {
		t.Errorf("its key: got %+v, %v; want an admin key of the tenant", got, err)
	}
	stored, err := b.serve().Tenant(t.Context(), made.ID)
	if err != nil || stored.Name != "Lakeside Dental" || !slices.Equal(stored.Numbers, made.Numbers) {
		t.Errorf("stored: got %+v, %v", stored, err)
	}
	other, otherKey := b.made("Second")
	list, next, err := b.List(t.Context(), "", recaller.Page{})
	if err != nil || next != "" || len(list) != 2 || list[0].ID != made.ID || list[1].ID != other.ID || list[1].ArchiveDays != 7 {
		t.Errorf("list: got %+v, %v; want both by age, defaults filled in", list, err)
	}
	if keys, err := b.Keys(t.Context(), made.ID); err != nil || len(keys) != 1 || keys[0].ID != got.ID {
		t.Errorf("keys: got %+v, %v; want its own only", keys, err)
	}
	if otherKey == key {
		t.Error("two tenants have one key")
	}
}

func TestKeysThatDoNotBelong(t *testing.T) {
	b := newBench(t)
	one, key := b.made("First")
	two, _ := b.made("Second")
	b.ok(b.Ensure(t.Context(), recaller.Tenant{Name: "default"}, "operators-own-secret"))
	swapped := strings.Replace(key, string(one.ID), string(two.ID), 1)
	bare := strings.TrimPrefix(key, "rk_"+string(one.ID)+"_")
	for name, secret := range map[string]string{
		"none": "", "unknown": "nothing", "malformed": "rk_", "half": "rk_" + string(one.ID), "no tenant": "rk__" + bare,
		"another tenant's": swapped, "of no tenant": "rk_nobody_" + bare, "without its tenant": bare, "longer": key + "x",
		"shorter": key[:len(key)-1], "in capitals": strings.ToUpper(key), "the default tenant's": "rk_default_" + bare,
		"the operator's under a name": "rk_default_operators-own-secret", "space": " " + key,
	} {
		if got, err := b.Authenticate(t.Context(), secret); !errors.Is(err, recaller.Unauthenticated) {
			t.Errorf("%s: got %+v, %v; want it refused", name, got, err)
		} else if secret != "" && strings.Contains(err.Error(), bare) {
			t.Errorf("%s: the error tells the secret", name)
		}
	}
}

func TestScopesAndLabelsOfKeys(t *testing.T) {
	b := newBench(t)
	made, _ := b.made("First")
	for _, scope := range []recaller.Scope{recaller.ScopeAdmin, recaller.ScopeAgent, recaller.ScopeRead} {
		key, secret, err := b.CreateKey(t.Context(), made.ID, scope, "for "+string(scope))
		b.ok(err)
		got, err := b.Authenticate(t.Context(), secret)
		if err != nil || got.ID != key.ID || got.Scope != scope || got.Label != "for "+string(scope) {
			t.Errorf("%s: got %+v, %v", scope, got, err)
		}
	}
	if keys, err := b.Keys(t.Context(), made.ID); err != nil || len(keys) != 4 {
		t.Errorf("got %d keys, %v; want 4", len(keys), err)
	}
	_, _, err := b.CreateKey(t.Context(), made.ID, "owner", "")
	b.is(err, recaller.Invalid, "scope")
	for _, label := range []string{strings.Repeat("x", 201), "two\nlines", "\xff"} {
		_, secret, err := b.CreateKey(t.Context(), made.ID, recaller.ScopeRead, label)
		b.is(err, recaller.Invalid, "label")
		if secret != "" {
			t.Error("a key that was not made is shown")
		}
	}
}

func TestDeletedKeyIsRefusedAtOnce(t *testing.T) {
	b := newBench(t)
	made, first := b.made("First")
	key, secret, err := b.CreateKey(t.Context(), made.ID, recaller.ScopeRead, "")
	b.ok(err)
	elsewhere := b.serve()
	for _, s := range []*tenant.Service{b.Service, elsewhere} {
		_, err := s.Authenticate(t.Context(), secret)
		b.ok(err)
	}
	other, _ := b.made("Second")
	b.is(b.DeleteKey(t.Context(), other.ID, key.ID), recaller.NotFound, "")
	_, err = b.Authenticate(t.Context(), secret)
	b.ok(err)
	b.ok(b.DeleteKey(t.Context(), made.ID, key.ID))
	_, err = b.Authenticate(t.Context(), secret)
	b.is(err, recaller.Unauthenticated, "")
	_, err = b.Authenticate(t.Context(), first)
	b.ok(err)
	if _, err := elsewhere.Authenticate(t.Context(), secret); err != nil {
		t.Errorf("another process, within ten seconds: %v", err)
	}
	b.Clock.Advance(10 * time.Second)
	_, err = elsewhere.Authenticate(t.Context(), secret)
	b.is(err, recaller.Unauthenticated, "")
	b.is(b.DeleteKey(t.Context(), made.ID, key.ID), recaller.NotFound, "")
}

func TestTheLastAdminKeyIsNotDeleted(t *testing.T) {
	b := newBench(t)
	made, secret := b.made("First")
	first := firstKey(b, made.ID)
	for _, scope := range []recaller.Scope{recaller.ScopeAgent, recaller.ScopeRead} {
		_, _, err := b.CreateKey(t.Context(), made.ID, scope, "")
		b.ok(err)
	}
	b.is(b.DeleteKey(t.Context(), made.ID, first), recaller.Conflict, "")
	_, err := b.Authenticate(t.Context(), secret)
	b.ok(err)
	second, _, err := b.CreateKey(t.Context(), made.ID, recaller.ScopeAdmin, "")
	b.ok(err)

	// Two that end each other at once: one of them stays.
	var wg sync.WaitGroup
	var refused atomic.Int32
	for _, id := range []recaller.KeyID{first, second.ID} {
		wg.Go(func() {
			if err := b.DeleteKey(context.Background(), made.ID, id); errors.Is(err, recaller.Conflict) {
				refused.Add(1)
			}
		})
	}
	wg.Wait()
	if keys, err := b.Keys(t.Context(), made.ID); err != nil || len(keys) != 3 || refused.Load() != 1 {
		t.Errorf("got %d keys, %v, %d refused; want three and one", len(keys), err, refused.Load())
	}
}

// A key is deleted while a request that uses it is being looked up: the look-up must not bring it back.
func TestDeletedKeyDoesNotComeBackByALateRead(t *testing.T) {
	b := newBench(t)
	made, _ := b.made("First")
	key, secret, err := b.CreateKey(t.Context(), made.ID, recaller.ScopeRead, "")
	b.ok(err)
	reading, goOn := make(chan struct{}), make(chan struct{})
	b.faults.After("key", func() error { close(reading); <-goOn; return nil })
	var wg sync.WaitGroup
	wg.Go(func() { _, _ = b.Authenticate(context.Background(), secret) })
	<-reading
	b.faults.Clear()
	b.ok(b.DeleteKey(t.Context(), made.ID, key.ID))
	close(goOn)
	wg.Wait()
	_, err = b.Authenticate(t.Context(), secret)
	b.is(err, recaller.Unauthenticated, "")
}

func TestDeletionWhoseAnswerWasLostCountsAsOne(t *testing.T) {
	b := newBench(t)
	made, _ := b.made("First")
	key, secret, err := b.CreateKey(t.Context(), made.ID, recaller.ScopeRead, "")
	b.ok(err)
	_, err = b.Authenticate(t.Context(), secret)
	b.ok(err)
	b.faults.After("delete", usecasetest.Away)
	b.is(b.DeleteKey(t.Context(), made.ID, key.ID), recaller.Unavailable, "")
	_, err = b.Authenticate(t.Context(), secret)
	b.is(err, recaller.Unauthenticated, "")
}

func TestWhatIsKnownIsReadAgainAfterAMoment(t *testing.T) {
	b := newBench(t)
	made, secret := b.made("First")
	for range 3 {
		_, err := b.Authenticate(t.Context(), secret)
		b.ok(err)
		_, err = b.Tenant(t.Context(), made.ID)
		b.ok(err)
		b.Clock.Advance(3 * time.Second)
	}
	if seen := b.faults.Seen(); !slices.Equal(seen, []string{"key", "tenant"}) {
		t.Errorf("within ten seconds the store was asked %q, want once for each", seen)
	}
	_, err := b.serve().Update(t.Context(), made.ID, func(t *recaller.Tenant) error { t.Name = "Renamed"; return nil })
	b.ok(err)
	b.Clock.Advance(time.Second)
	if got, err := b.Tenant(t.Context(), made.ID); err != nil || got.Name != "Renamed" {
		t.Errorf("after ten seconds: got %q, %v; want what another process set", got.Name, err)
	}
	_, err = b.Tenant(t.Context(), "nobody")
	b.is(err, recaller.NotFound, "")
	if _, known := b.Known("nobody"); known {
		t.Error("a tenant that does not exist is known")
	}
}

func TestStoreAwayLetsKnownKeysAndSettingsGoOn(t *testing.T) {
	b := newBench(t)
	made, secret := b.made("First")
	_, stranger := b.made("Second")
	_, err := b.Authenticate(t.Context(), secret)
	b.ok(err)
	_, err = b.Tenant(t.Context(), made.ID)
	b.ok(err)
	for _, call := range []string{"key", "tenant"} {
		b.faults.Before(call, usecasetest.Away)
	}
	b.Clock.Advance(time.Hour)
	for range 5 {
		if k, err := b.Authenticate(t.Context(), secret); err != nil || k.Tenant != made.ID {
			t.Errorf("known key: got %+v, %v", k, err)
		}
		if got, err := b.Tenant(t.Context(), made.ID); err != nil || got.Name != "First" {
			t.Errorf("known settings: got %+v, %v", got, err)
		}
	}
	if got, known := b.Known(made.ID); !known || got.Name != "First" {
		t.Errorf("known: got %+v, %v", got, known)
	}
	_, err = b.Authenticate(t.Context(), stranger)
	b.is(err, recaller.Unavailable, "")
	_, err = b.Tenant(t.Context(), "default")
	b.is(err, recaller.Unavailable, "")
	if asked := len(b.faults.Seen()); asked > 10 {
		t.Errorf("the store was asked %d times while it was away", asked)
	}
	b.faults.Clear()
	b.Clock.Advance(time.Second)
	_, _, err = b.CreateKey(t.Context(), made.ID, recaller.ScopeAdmin, "")
	b.ok(err)
	b.ok(b.serve().DeleteKey(t.Context(), made.ID, firstKey(b, made.ID)))
	_, err = b.Authenticate(t.Context(), secret)
	b.is(err, recaller.Unauthenticated, "")
}

func firstKey(b *bench, id recaller.TenantID) recaller.KeyID {
	b.Helper()
	keys, err := b.Keys(b.Context(), id)
	b.ok(err)
	return keys[0].ID
}

// A store that neither answers nor fails: what is known waits for it only so long, and only once in a while.
func TestHangingStoreDoesNotHoldUpWhatIsKnown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		made, secret := b.made("First")
		_, err := b.Authenticate(t.Context(), secret)
		b.ok(err)
		_, err = b.Tenant(t.Context(), made.ID)
		b.ok(err)
		goOn := make(chan struct{})
		hang := func() error { <-goOn; return nil }
		b.faults.Before("key", hang)
		b.faults.Before("tenant", hang)
		b.Clock.Advance(time.Minute)
		began := time.Now()
		for range 50 {
			_, err := b.Authenticate(t.Context(), secret)
			b.ok(err)
			_, err = b.Tenant(t.Context(), made.ID)
			b.ok(err)
		}
		if took := time.Since(began); took > 250*time.Millisecond {
			t.Errorf("fifty requests took %v, want a moment", took)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		b.Clock.Advance(time.Minute)
		if _, err := b.Authenticate(ctx, secret); err != nil {
			t.Error(err)
		}
		close(goOn)
		synctest.Wait()
	})
}

func TestBootstrapKey(t *testing.T) {
	b := newBench(t)
	const first, second = "the-first-operators-key", "the-second-operators-key"
	admits := func(secret string, want bool) {
		t.Helper()
		k, err := b.Authenticate(t.Context(), secret)
		if want && (err != nil || k.Tenant != recaller.DefaultTenant || k.Scope != recaller.ScopeAdmin) {
			t.Errorf("%s: got %+v, %v; want an admin key of the tenant default", secret, k, err)
		}
		if !want && !errors.Is(err, recaller.Unauthenticated) {
			t.Errorf("%s: got %+v, %v; want it refused", secret, k, err)
		}
	}
	for range 3 { // every start
		b.ok(b.Ensure(t.Context(), recaller.Tenant{Name: "default", DefaultRegion: "DE"}, first))
	}
	admits(first, true)
	if keys, err := b.Keys(t.Context(), recaller.DefaultTenant); err != nil || len(keys) != 1 {
		t.Errorf("got %+v, %v; want one key", keys, err)
	}
	admin, made, err := b.CreateKey(t.Context(), recaller.DefaultTenant, recaller.ScopeAdmin, "console")
	b.ok(err)
	_, agent, err := b.CreateKey(t.Context(), recaller.DefaultTenant, recaller.ScopeAgent, "phone")
	b.ok(err)

	// The operator changes it: whoever has the old one is shut out, keys made over the API stay.
	b.Clock.Advance(time.Minute)
	b.ok(b.Ensure(t.Context(), recaller.Tenant{Name: "default"}, second))
	admits(first, false)
	admits(second, true)
	admits(made, true)
	got, err := b.Tenant(t.Context(), recaller.DefaultTenant)
	if err != nil || got.DefaultRegion != "DE" {
		t.Errorf("got %+v, %v; want the settings as they were made", got, err)
	}

	// Deleted over the API it stays so, whatever is configured at later starts.
	b.ok(b.DeleteKey(t.Context(), recaller.DefaultTenant, tenant.BootstrapKey))
	for range 2 {
		admits(second, false)
		b.is(b.Ensure(t.Context(), recaller.Tenant{Name: "default"}, second), recaller.Forbidden, "")
	}
	admits(second, false)
	if keys, err := b.Keys(t.Context(), recaller.DefaultTenant); err != nil || len(keys) != 2 {
		t.Errorf("got %+v, %v; want the two made over the API", keys, err)
	}
	b.Clock.Advance(time.Minute)
	b.ok(b.Ensure(t.Context(), recaller.Tenant{Name: "default"}, first)) // another is configured
	admits(first, true)
	b.is(b.Ensure(t.Context(), recaller.Tenant{Name: "default"}, second), recaller.Forbidden, "")

	// An admin key made over the API may be configured; a weaker one would not be what it says.
	b.ok(b.Ensure(t.Context(), recaller.Tenant{Name: "default"}, made))
	admits(second, false)
	admits(made, true)
	if keys, err := b.Keys(t.Context(), recaller.DefaultTenant); err != nil || len(keys) != 2 || keys[0].ID != admin.ID {
		t.Errorf("got %+v, %v; want the two made over the API", keys, err)
	}
	b.is(b.Ensure(t.Context(), recaller.Tenant{Name: "default"}, agent), recaller.Conflict, "")
	b.is(b.Ensure(t.Context(), recaller.Tenant{Name: "default"}, "rk_other_secret"), recaller.Invalid, "RECALLER_API_KEY")
	admits(made, true)
}

func TestSettingsChange(t *testing.T) {
	b := newBench(t)
	made, _ := b.made("First")
	_, err := b.Tenant(t.Context(), made.ID)
	b.ok(err)
	got, err := b.Update(t.Context(), made.ID, func(t *recaller.Tenant) error {
		t.ID, t.CreatedAt = "another", time.Time{} // is not for a change to say
		t.Retention, t.ArchiveDays, t.Packs = recaller.Archive, 30, []string{"golf", "service"}
		t.Profile = recaller.Profile{Business: "Pine Hills", Hours: []recaller.Line{{Label: "Monday", Value: "7am"}}}
		return nil
	})
	b.ok(err)
	if got.ID != made.ID || !got.CreatedAt.Equal(made.CreatedAt) {
		t.Errorf("got %+v, want id and age to stay", got)
	}
	for name, s := range map[string]*tenant.Service{"here": b.Service, "elsewhere": b.serve()} {
		got, err := s.Tenant(t.Context(), made.ID)
		if err != nil || got.Retention != recaller.Archive || got.ArchiveDays != 30 || got.Profile.Business != "Pine Hills" || got.Name != "First" {
			t.Errorf("%s: got %+v, %v; want the new settings at once", name, got, err)
		}
	}
	_, err = b.Update(t.Context(), made.ID, func(*recaller.Tenant) error { return recaller.Errorf(recaller.Forbidden, "no") })
	b.is(err, recaller.Forbidden, "")
	_, err = b.Update(t.Context(), "nobody", func(*recaller.Tenant) error { return nil })
	b.is(err, recaller.NotFound, "")

	b.faults.After("update", usecasetest.Once(usecasetest.Away()))
	_, err = b.Update(t.Context(), made.ID, func(t *recaller.Tenant) error { t.Name = "Renamed"; return nil })
	b.is(err, recaller.Unavailable, "")
	if got, err := b.Tenant(t.Context(), made.ID); err != nil || got.Name != "Renamed" {
		t.Errorf("got %q, %v; want what the store has, although its answer was lost", got.Name, err)
	}
}

// Ten processes on one store, each with its own idea of what the settings are.
func TestChangesAtOnceAreAllKept(t *testing.T) {
	b := newBench(t)
	made, _ := b.made("First")
	var wg sync.WaitGroup
	for i := range 10 {
		process := b.serve()
		_, err := process.Tenant(t.Context(), made.ID)
		b.ok(err)
		wg.Go(func() {
			_, err := process.Update(context.Background(), made.ID, func(t *recaller.Tenant) error {
				t.Numbers = append(t.Numbers, fmt.Sprintf("+1202555010%d", i))
				return nil
			})
			if err != nil {
				t.Error(err)
			}
			_, _ = process.Tenant(context.Background(), made.ID)
		})
	}
	wg.Wait()
	if got, err := b.Tenant(t.Context(), made.ID); err != nil || len(got.Numbers) != 10 {
		t.Errorf("got %d numbers, %v; want all 10", len(got.Numbers), err)
	}
}

// An update that others always come before ends with a conflict, and keeps nothing.
func TestAnUpdateThatNeverComesFirstGivesUp(t *testing.T) {
	b := newBench(t)
	made, _ := b.made("First")
	n := 0
	b.faults.Before("update", func() error {
		n++
		other, err := b.Store.Tenant(t.Context(), made.ID)
		b.ok(err)
		other.Name = fmt.Sprint("Renamed ", n)
		return b.Store.UpdateTenant(t.Context(), other)
	})
	_, err := b.Update(t.Context(), made.ID, func(t *recaller.Tenant) error { t.TimeZone = "Europe/Berlin"; return nil })
	b.is(err, recaller.Conflict, "")
	b.faults.Clear()
	got, err := b.Tenant(t.Context(), made.ID)
	if err != nil || got.Name != fmt.Sprint("Renamed ", n) || got.TimeZone != "UTC" || n < 3 {
		t.Errorf("after %d tries: got %q in %q, %v; want what the other wrote", n, got.Name, got.TimeZone, err)
	}
}

func TestSettingsNameTheFieldAtFault(t *testing.T) {
	b := newBench(t)
	made, _ := b.made("First")
	long := strings.Repeat("x", 4001)
	many := func(n int) []string { return slices.Repeat([]string{"x"}, n) }
	lines := func(n int, v string) []recaller.Line { return slices.Repeat([]recaller.Line{{Label: v}}, n) }
	tests := []struct {
		name   string
		change func(*recaller.Tenant)
		field  string
	}{
		{"no name", func(t *recaller.Tenant) { t.Name = " " }, "name"},
		{"a name too long", func(t *recaller.Tenant) { t.Name = long }, "name"},
		{"another environment", func(t *recaller.Tenant) { t.Environment = "test" }, "environment"},
		{"no region", func(t *recaller.Tenant) { t.DefaultRegion = "Germany" }, "default_region"},
		{"no zone", func(t *recaller.Tenant) { t.TimeZone = "Berlin" }, "time_zone"},
		{"the server's zone", func(t *recaller.Tenant) { t.TimeZone = "Local" }, "time_zone"},
		{"a zone outside", func(t *recaller.Tenant) { t.TimeZone = "../etc/passwd" }, "time_zone"},
		{"another retention", func(t *recaller.Tenant) { t.Retention = "forever" }, "retention"},
		{"an unknown pack", func(t *recaller.Tenant) { t.Packs = []string{"service", "chess"} }, "packs[1]"},
		{"a pack twice", func(t *recaller.Tenant) { t.Packs = []string{"golf", "service", "golf"} }, "packs[2]"},
		{"a number that is none", func(t *recaller.Tenant) { t.Numbers = []string{"+12025550143", "12"} }, "numbers[1]"},
		{"a number twice", func(t *recaller.Tenant) { t.Numbers = []string{"+12025550143", "202 555 0143"} }, "numbers[1]"},
		{"too many numbers", func(t *recaller.Tenant) { t.Numbers = many(1001) }, "numbers"},
		{"no days", func(t *recaller.Tenant) { t.ArchiveDays = 0 }, "archive_days"},
		{"too many days", func(t *recaller.Tenant) { t.ArchiveDays = 3651 }, "archive_days"},
		{"no resume window", func(t *recaller.Tenant) { t.ResumeWindow = time.Second }, "resume_window_seconds"},
		{"a resume window without end", func(t *recaller.Tenant) { t.ResumeWindow = 3651 * 24 * time.Hour }, "resume_window_seconds"},
		{"no idle limit", func(t *recaller.Tenant) { t.IdleLimit = 0 }, "idle_limit_seconds"},
		{"an idle limit too long", func(t *recaller.Tenant) { t.IdleLimit = 8 * 24 * time.Hour }, "idle_limit_seconds"},
		{"pins too late", func(t *recaller.Tenant) { t.PinAfter = 17 }, "pin_after"},
		{"pins before the first", func(t *recaller.Tenant) { t.PinAfter = -2 }, "pin_after"},
		{"no history", func(t *recaller.Tenant) { t.HistoryLimit = -1 }, "history_limit"},
		{"too much history", func(t *recaller.Tenant) { t.HistoryLimit = 21 }, "history_limit"},
		{"a greeting too long", func(t *recaller.Tenant) { t.Profile.Greeting = long }, "profile.greeting"},
		{"a business name too long", func(t *recaller.Tenant) { t.Profile.Business = long }, "profile.business"},
		{"a description too long", func(t *recaller.Tenant) { t.Profile.Description = long }, "profile.description"},
		{"a location too long", func(t *recaller.Tenant) { t.Profile.Location = long }, "profile.location"},
		{"a phone too long", func(t *recaller.Tenant) { t.Profile.Phone = long }, "profile.phone"},
		{"a personality too long", func(t *recaller.Tenant) { t.Profile.Personality = long }, "profile.personality"},
		{"too many services", func(t *recaller.Tenant) { t.Profile.Services = many(101) }, "profile.services"},
		{"instructions too long", func(t *recaller.Tenant) { t.Profile.Instructions = []string{long} }, "profile.instructions"},
		{"too many hours", func(t *recaller.Tenant) { t.Profile.Hours = lines(101, "x") }, "profile.hours"},
		{"pricing too long", func(t *recaller.Tenant) { t.Profile.Pricing = lines(1, long) }, "profile.pricing"},
		{"masking by halves", func(t *recaller.Tenant) { t.Masking = "some" }, "masking"},
		{"an unknown prompt", func(t *recaller.Tenant) { t.Prompts = map[string]string{"greeting": "x"} }, "prompts"},
		{"an empty prompt", func(t *recaller.Tenant) { t.Prompts = map[string]string{prompt.Memory: ""} }, "prompts.memory"},
		{"a prompt too long", func(t *recaller.Tenant) { t.Prompts = map[string]string{prompt.Summary: long + long + "x"} }, "prompts.summary"},
		{"a prompt of no text", func(t *recaller.Tenant) { t.Prompts = map[string]string{prompt.Extraction: "\xff"} }, "prompts.extraction"},
		{"a webhook without a URL", func(t *recaller.Tenant) { t.Webhook.Secret = "whsec_" + strings.Repeat("A", 32) }, "webhook.url"},
		{"a webhook without a secret", func(t *recaller.Tenant) { t.Webhook.URL = "https://example.com" }, "webhook.secret"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := b.Update(t.Context(), made.ID, func(s *recaller.Tenant) error { test.change(s); return nil })
			isError(t, err, recaller.Invalid, test.field)
		})
	}
	if got, err := b.serve().Tenant(t.Context(), made.ID); err != nil || got.Name != "First" || got.ArchiveDays != 7 {
		t.Errorf("a change that was refused was stored: %+v, %v", got, err)
	}
	_, key, err := b.Create(t.Context(), recaller.Tenant{Name: "x", TimeZone: "Berlin"})
	b.is(err, recaller.Invalid, "time_zone")
	if key != "" {
		t.Error("a key of a tenant that was not made is shown")
	}
}
