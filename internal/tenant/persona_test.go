package tenant_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/tenant"
	"github.com/recallerhq/recaller/internal/usecasetest"
)

// personality sets the personality in the settings.
func (b *bench) personality(id recaller.TenantID, text string) {
	b.Helper()
	_, err := b.Update(b.Context(), id, func(t *recaller.Tenant) error {
		t.Profile.Personality = text
		return nil
	})
	b.ok(err)
}

// told is the active version, as settings and personas tell it.
func (b *bench) told(id recaller.TenantID) string {
	b.Helper()
	p, err := b.Persona(b.Context(), id)
	b.ok(err)
	t, err := b.Tenant(b.Context(), id)
	b.ok(err)
	if t.Profile.Personality != p.Text || p.Active != (p.Version > 0) {
		b.Errorf("the settings say %q, and the persona is %+v", t.Profile.Personality, p)
	}
	return fmt.Sprint(p.Version, " ", p.Text)
}

// listed are all versions, newest first.
func (b *bench) listed(id recaller.TenantID) string {
	b.Helper()
	list, _, err := b.Personas(b.Context(), id, recaller.Page{})
	b.ok(err)
	var out []string
	for _, p := range list {
		out = append(out, fmt.Sprint(p.Version, " ", p.Text))
	}
	return strings.Join(out, ", ")
}

func (b *bench) eq(what, got, want string) {
	b.Helper()
	if got != want {
		b.Errorf("%s: got %q, want %q", what, got, want)
	}
}

func TestThePersonalityThatWasThereIsTheFirstVersion(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	none, _ := b.made("Silent")
	b.eq("no personality", b.told(none.ID)+"|"+b.listed(none.ID), "0 |")
	was, _, err := b.Create(t.Context(), recaller.Tenant{Name: "Lake", Profile: recaller.Profile{Personality: "warm"}})
	b.ok(err)
	old := recaller.Tenant{ID: "old", Name: "Old", CreatedAt: b.Clock.Now(), Profile: recaller.Profile{Personality: "warm"}}
	b.ok(b.Place.Store.CreateTenant(t.Context(), old, recaller.APIKey{ID: "k", Tenant: "old"}, []byte("h"))) // as an earlier version wrote it
	made := b.Clock.Now()
	b.Clock.Advance(time.Hour)
	for _, id := range []recaller.TenantID{was.ID, old.ID} {
		p, err := b.Persona(t.Context(), id)
		b.ok(err)
		if !p.CreatedAt.Equal(made) {
			t.Errorf("got %v, want when the tenant was made", p.CreatedAt)
		}
		b.eq("the first", b.told(id)+"|"+b.listed(id), "1 warm|1 warm")
		_, err = b.SetPersona(t.Context(), id, "  brief\n", " spring ")
		b.ok(err)
		b.eq("the second", b.told(id)+"|"+b.listed(id), "2 brief|2 brief, 1 warm")
	}
}

func TestEachChangeOfThePersonalityIsAVersion(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	of, _ := b.made("Lake")
	b.personality(of.ID, "warm")
	p, err := b.SetPersona(t.Context(), of.ID, "brief", "spring")
	b.ok(err)
	if p.Version != 2 || p.Label != "spring" || !p.Active || p.Text != "brief" || !p.CreatedAt.Equal(b.Clock.Now()) {
		t.Errorf("got %+v", p)
	}
	p, err = b.SetPersona(t.Context(), of.ID, "brief ", "again")
	b.ok(err)
	b.eq("the same text", fmt.Sprint(p.Version, p.Label), "2spring")
	b.personality(of.ID, "brief")
	_, err = b.Update(t.Context(), of.ID, func(t *recaller.Tenant) error { t.Name += "!"; return nil })
	b.ok(err)
	b.eq("what is no change", b.told(of.ID)+"|"+b.listed(of.ID), "2 brief|2 brief, 1 warm")

	p, err = b.ActivatePersona(t.Context(), of.ID, 1)
	b.ok(err)
	b.eq("an earlier one", fmt.Sprint(p.Version, p.Active, "|", b.told(of.ID), "|", b.listed(of.ID)), "1 true|1 warm|2 brief, 1 warm")
	b.personality(of.ID, "")
	b.eq("none", b.told(of.ID)+"|"+b.listed(of.ID), "0 |2 brief, 1 warm")
	b.personality(of.ID, "warm")
	b.eq("a text of before, written anew", b.told(of.ID), "3 warm")
	_, err = b.ActivatePersona(t.Context(), of.ID, 1)
	b.ok(err)
	b.eq("with a text of two", b.told(of.ID), "1 warm")

	_, err = b.ActivatePersona(t.Context(), of.ID, 4)
	b.is(err, recaller.NotFound, "")
	long := strings.Repeat("x", 4001)
	_, err = b.SetPersona(t.Context(), of.ID, " \n", "")
	b.is(err, recaller.Invalid, "text")
	_, err = b.SetPersona(t.Context(), of.ID, long, "")
	b.is(err, recaller.Invalid, "text")
	_, err = b.SetPersona(t.Context(), of.ID, "fine", long)
	b.is(err, recaller.Invalid, "label")
	_, err = tenant.PersonaText("mine", "")
	b.is(err, recaller.Invalid, "mine")
	b.eq("after what was refused", b.told(of.ID)+"|"+b.listed(of.ID), "1 warm|3 warm, 2 brief, 1 warm")
}

func TestAPersonaThatIsClearedFirstIsKept(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	of, _, err := b.Create(t.Context(), recaller.Tenant{Name: "Lake", Profile: recaller.Profile{Personality: "warm"}})
	b.ok(err)
	b.personality(of.ID, "")
	b.eq("cleared", b.told(of.ID)+"|"+b.listed(of.ID), "0 |1 warm")
	_, err = b.ActivatePersona(t.Context(), of.ID, 1)
	b.ok(err)
	b.eq("back", b.told(of.ID), "1 warm")
}

func TestAThreadHasAPersonaOfItsOwnOrTheTenants(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	of, _ := b.made("Lake")
	is := func(what string, version int, text, want string) {
		t.Helper()
		got, n, err := b.Resolve(t.Context(), of.ID, recaller.PersonaChoice{Version: version, Text: text})
		b.ok(err)
		b.eq(what, fmt.Sprint(n, " ", got), want)
	}
	is("nobody set one", 0, "", "0 ")
	b.personality(of.ID, "warm")
	b.personality(of.ID, "brief")
	is("the active one", 0, "", "2 brief")
	is("a version", 1, "", "1 warm")
	is("a text", 0, "dry", "0 dry")
	is("a text before a version", 1, "dry", "0 dry")
	_, _, err := b.Resolve(t.Context(), of.ID, recaller.PersonaChoice{Version: 3})
	b.is(err, recaller.NotFound, "")

	b.faults.Before("tenant", usecasetest.Away)
	b.faults.Before("persona", usecasetest.Away)
	b.Clock.Advance(time.Minute)
	is("the active one, while the store is away", 0, "", "2 brief")
	is("a version, while the store is away", 1, "", "1 warm")
	p, err := b.Persona(t.Context(), of.ID)
	b.ok(err)
	if p.Version != 2 || p.Text != "brief" || !p.Active || !p.CreatedAt.IsZero() {
		t.Errorf("got %+v, want what the settings know", p)
	}
}

func TestTwoServersMakeVersionsAtOnce(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	of, _ := b.made("Lake")
	const each = 5
	var wait sync.WaitGroup
	for _, server := range []*tenant.Service{b.serve(), b.serve()} {
		wait.Go(func() {
			for i := range each {
				if _, err := server.SetPersona(t.Context(), of.ID, fmt.Sprintf("%p %d", server, i), ""); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wait.Wait()
	list, _, err := b.Personas(t.Context(), of.ID, recaller.Page{})
	b.ok(err)
	texts := map[string]bool{}
	for i, p := range list {
		texts[p.Text] = true
		if p.Version != 2*each-i {
			t.Errorf("version %d is at place %d", p.Version, i)
		}
	}
	if active := slices.IndexFunc(list, func(p recaller.Persona) bool { return p.Active }); len(texts) != 2*each || active != 0 {
		t.Errorf("got %d texts, the active one at place %d", len(texts), active)
	}
}
