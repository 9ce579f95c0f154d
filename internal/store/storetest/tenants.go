package storetest

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/store"
)

// The numbers of the stories' agents.
const (
	reception = "+4930901820"
	orders    = "+12025550143"
	golf      = "+12025550144"
)

// change reads a tenant, changes it and writes it.
func (b *bench) change(id recaller.TenantID, change func(*recaller.Tenant)) error {
	b.Helper()
	t, err := b.Store.Tenant(b.ctx, id)
	b.ok(err)
	change(&t)
	return b.Store.UpdateTenant(b.ctx, t)
}

func (b *bench) numbers(id recaller.TenantID, numbers ...string) error {
	b.Helper()
	return b.change(id, func(t *recaller.Tenant) { t.Numbers = numbers })
}

// leads wants a number to lead to a tenant; "" to none.
func (b *bench) leads(number string, want recaller.TenantID) {
	b.Helper()
	got, err := b.Store.TenantByNumber(b.ctx, number)
	if want == "" {
		b.fails(err, recaller.NotFound)
		return
	}
	b.ok(err)
	eq(b, "the tenant of a number", got, want)
}

// conflicts wants a conflict about a field.
func (b *bench) conflicts(err error, field string) {
	b.Helper()
	var e *recaller.Error
	if !errors.As(err, &e) || e.Kind != recaller.Conflict || e.Field != field {
		b.Fatalf("got %v, want a conflict about %q", err, field)
	}
}

// tenantPages has tenants listed page by page, the oldest first, though two were made at one moment.
func tenantPages(b *bench) {
	for i := range 5 {
		b.createTenant(recaller.TenantID(fmt.Sprint("page-", i)), "P")
	}
	twin := recaller.Tenant{ID: "page-9", Name: "P", CreatedAt: b.now}.WithDefaults()
	b.ok(b.Store.CreateTenant(b.ctx, twin, recaller.APIKey{ID: "k-9", Tenant: twin.ID}, []byte("hash of 9")))
	want, err := b.Store.TenantIDs(b.ctx)
	b.ok(err)
	for _, limit := range []int{1, 2, 200} {
		var got []recaller.TenantID
		for page := (recaller.Page{Limit: limit}); ; {
			list, next, err := b.Store.Tenants(b.ctx, page)
			b.ok(err)
			for _, t := range list {
				got = append(got, t.ID)
			}
			if page.Cursor = next; next == "" {
				break
			}
		}
		eq(b, fmt.Sprint("by ", limit), fmt.Sprint(got), fmt.Sprint(want))
	}
	_, _, err = b.Store.Tenants(b.ctx, recaller.Page{Cursor: "nonsense"})
	b.fails(err, recaller.Invalid)
}

func numbersLead(b *bench) {
	b.leads(reception, "")
	b.ok(b.numbers("t1", reception, orders))
	b.ok(b.numbers("t2", golf))
	b.leads(reception, "t1")
	b.leads(orders, "t1")
	b.leads(golf, "t2")
	b.leads("+12025550999", "")
	b.leads("", "")

	// What leads to another tenant is refused, and nothing of the change is kept.
	b.conflicts(b.numbers("t1", orders, golf), "numbers[1]")
	taken := recaller.Tenant{ID: "t3", Name: "Third", Numbers: []string{"+12025550145", reception}}
	b.conflicts(b.Store.CreateTenant(b.ctx, taken, recaller.APIKey{ID: "key-t3", Tenant: "t3"}, []byte("hash of t3")), "numbers[1]")
	_, err := b.Store.Tenant(b.ctx, "t3")
	b.fails(err, recaller.NotFound)
	b.leads("+12025550145", "")
	b.leads(reception, "t1")
	t, err := b.Store.Tenant(b.ctx, "t1")
	b.ok(err)
	eq(b, "numbers", fmt.Sprint(t.Numbers), fmt.Sprint([]string{reception, orders}))

	// A number that is given up is free; one that stays, stays.
	b.ok(b.numbers("t1", orders, "+12025550146"))
	b.leads(reception, "")
	b.leads(orders, "t1")
	b.leads("+12025550146", "t1")
	taken.Numbers = []string{reception}
	b.ok(b.Store.CreateTenant(b.ctx, taken, recaller.APIKey{ID: "key-t3", Tenant: "t3"}, []byte("hash of t3")))
	b.leads(reception, "t3")
	b.ok(b.numbers("t1"))
	b.leads(orders, "")
	b.leads(golf, "t2")
}

// audiencesAreApart has no two tenants take tokens that are for the same of one issuer.
func audiencesAreApart(b *bench) {
	trust := func(id recaller.TenantID, issuer, audience string) error {
		return b.change(id, func(t *recaller.Tenant) { t.OAuth = recaller.OAuth{Issuer: issuer, Audience: audience} })
	}
	b.ok(b.numbers("t1", reception))
	b.ok(trust("t1", "https://login.example", "api"))
	b.conflicts(trust("t2", "https://login.example", "api"), "audience")
	b.ok(trust("t2", "https://other.example", "api"))
	b.ok(trust("t2", "https://login.example", "api2"))
	b.ok(trust("t1", "https://login.example", ""))
	b.ok(trust("t2", "https://login.example", "api")) // it was given up
	b.ok(b.numbers("t2", golf))
	b.conflicts(trust("t1", "https://login.example", "api"), "audience")
	b.leads(reception, "t1")
	b.leads(golf, "t2")
	t, err := b.Store.Tenant(b.ctx, "t2")
	b.ok(err)
	eq(b, "the audience", t.OAuth.Audience, "api")

	// Who has a token is named by what tells nothing, and the same each time; for each tenant another.
	alias := func(id recaller.TenantID, issuer, subject string) string {
		name, err := b.Store.Alias(b.ctx, id, issuer, subject)
		b.ok(err)
		return name
	}
	ann := alias("t1", "https://login.example", "ann")
	eq(b, "the same", alias("t1", "https://login.example", "ann"), ann)
	for _, other := range []string{
		alias("t2", "https://login.example", "ann"), alias("t1", "https://login.example", "bob"), alias("t1", "https://other.example", "ann"),
	} {
		if other == ann || len(ann) != 32 {
			b.Errorf("got %q beside %q", other, ann)
		}
	}
}

// takenAtOnce has two tenants take one number at the same moment, again and again.
func takenAtOnce(b *bench) {
	for i := range 10 {
		number := fmt.Sprintf("+1202555%04d", i)
		var wg sync.WaitGroup
		var errs [2]error
		for j, id := range []recaller.TenantID{"t1", "t2"} {
			wg.Go(func() {
				t, err := b.Store.Tenant(b.ctx, id)
				if err != nil {
					errs[j] = err
					return
				}
				t.Numbers = append(t.Numbers, number)
				errs[j] = b.Store.UpdateTenant(b.ctx, t)
			})
		}
		wg.Wait()
		if (errs[0] == nil) == (errs[1] == nil) {
			b.Fatalf("got %v and %v, want one of them to have it", errs[0], errs[1])
		}
		winner := recaller.TenantID("t1")
		if errs[1] == nil {
			winner = "t2"
		}
		b.leads(number, winner)
		b.fails(errors.Join(errs[0], errs[1]), recaller.Conflict)
	}
}

func noUpdateLost(b *bench) {
	one, err := b.Store.Tenant(b.ctx, "t1")
	b.ok(err)
	other := one
	one.Name, other.TimeZone = "Renamed", "Europe/Berlin"
	b.ok(b.Store.UpdateTenant(b.ctx, one))
	b.conflicts(b.Store.UpdateTenant(b.ctx, other), "") // it knows nothing of the new name
	b.conflicts(b.Store.PutPacks(b.ctx, other, map[string]json.RawMessage{"own": []byte(`{}`)}), "")
	got, err := b.Store.Tenant(b.ctx, "t1")
	b.ok(err)
	eq(b, "name", got.Name, "Renamed")
	eq(b, "zone", got.TimeZone, "UTC")
	got.TimeZone = "Europe/Berlin"
	b.ok(b.Store.UpdateTenant(b.ctx, got))
	b.fails(b.Store.UpdateTenant(b.ctx, recaller.Tenant{ID: "nobody", Name: "x"}), recaller.NotFound)

	var wg sync.WaitGroup
	var won sync.Map
	read, err := b.Store.Tenant(b.ctx, "t1")
	b.ok(err)
	for i := range 8 {
		wg.Go(func() {
			mine := read
			mine.Numbers = []string{fmt.Sprintf("+120255501%02d", i)}
			if b.Store.UpdateTenant(b.ctx, mine) == nil {
				won.Store(i, mine.Numbers[0])
			}
		})
	}
	wg.Wait()
	winners := 0
	won.Range(func(_, number any) bool {
		winners++
		b.leads(number.(string), "t1")
		return true
	})
	eq(b, "writers that came first", winners, 1)
}

func environments(b *bench) {
	demo := func(t *recaller.Tenant) { t.Environment = recaller.Demo }
	production := func(t *recaller.Tenant) { t.Environment = recaller.Production }
	b.ok(b.change("t1", demo))
	b.ok(b.change("t1", production))
	b.ok(b.change("t1", demo))
	b.open("t1", opening{})
	b.conflicts(b.change("t1", production), "environment")
	b.conflicts(b.change("t2", demo), "environment")
	b.ok(b.change("t1", func(t *recaller.Tenant) { t.Name = "Renamed" }))
	t, err := b.Store.Tenant(b.ctx, "t1")
	b.ok(err)
	eq(b, "environment", t.Environment, recaller.Demo)
	eq(b, "name", t.Name, "Renamed")
}

func ownPacks(b *bench) {
	packs, err := b.Store.Packs(b.ctx, "t1")
	b.ok(err)
	eq(b, "packs at first", len(packs), 0)
	t, err := b.Store.Tenant(b.ctx, "t1")
	b.ok(err)
	t.OwnPacks = []string{"clinic"}
	want := map[string]json.RawMessage{"clinic": []byte(`{"name":"clinic"}`)}
	b.ok(b.Store.PutPacks(b.ctx, t, want))
	for range 2 { // settings that change leave them alone
		packs, err = b.Store.Packs(b.ctx, "t1")
		b.ok(err)
		eq(b, "packs", string(packs["clinic"]), `{"name":"clinic"}`)
		b.ok(b.change("t1", func(t *recaller.Tenant) { t.Name += "!" }))
	}
	other, err := b.Store.Packs(b.ctx, "t2")
	b.ok(err)
	eq(b, "the second tenant's packs", len(other), 0)
	_, err = b.Store.Packs(b.ctx, "nobody")
	b.fails(err, recaller.NotFound)

	// Packs and settings are one commit.
	b.ok(b.numbers("t2", golf))
	t, err = b.Store.Tenant(b.ctx, "t1")
	b.ok(err)
	eq(b, "names", fmt.Sprint(t.OwnPacks), "[clinic]")
	t.Numbers = []string{golf}
	b.conflicts(b.Store.PutPacks(b.ctx, t, nil), "numbers[0]")
	packs, err = b.Store.Packs(b.ctx, "t1")
	b.ok(err)
	eq(b, "packs after what was refused", len(packs), 1)
}

// beforeNumbers makes tenants as they were left by a Recaller that had no index of numbers.
func (b *bench) beforeNumbers(id recaller.TenantID, numbers ...string) {
	b.Helper()
	b.createTenant(id, string(id))
	b.ok(b.numbers(id, numbers...))
	b.ok(b.Store.WithTenant(b.ctx, id, store.Writing, func(tx store.Tx) error {
		for _, statement := range []string{`UPDATE tenants SET version = -1 WHERE id = $1`, `DELETE FROM tenant_numbers WHERE tenant_id = $1`} {
			if _, err := tx.Exec(b.ctx, statement, id); err != nil {
				return err
			}
		}
		return nil
	}))
}

func numbersIndexed(b *bench) {
	b.beforeNumbers("old-1", reception, orders)
	b.beforeNumbers("old-2", orders, golf)
	b.beforeNumbers("old-3")
	b.leads(reception, "")
	takenOut, err := b.Store.IndexNumbers(b.ctx)
	b.ok(err)
	eq(b, "tenants that lost a number to an older one", fmt.Sprint(slices.Collect(maps.Keys(takenOut)), takenOut["old-2"]), "[old-2] 1")
	b.leads(reception, "old-1")
	b.leads(orders, "old-1")
	b.leads(golf, "old-2")
	t, err := b.Store.Tenant(b.ctx, "old-2")
	b.ok(err)
	eq(b, "numbers of the younger", fmt.Sprint(t.Numbers), fmt.Sprint([]string{golf}))
	takenOut, err = b.Store.IndexNumbers(b.ctx)
	b.ok(err)
	eq(b, "taken out by a second start", len(takenOut), 0)
	b.ok(b.numbers("old-2", golf, "+12025550147"))
	b.leads("+12025550147", "old-2")

	// A change that comes before the index counts as well.
	b.beforeNumbers("old-4", "+12025550148")
	b.ok(b.change("old-4", func(t *recaller.Tenant) { t.Name = "Renamed" }))
	b.leads("+12025550148", "old-4")
}
