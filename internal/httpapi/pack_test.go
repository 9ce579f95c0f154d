package httpapi

import (
	"net/http"
	"slices"
	"testing"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
)

func TestPacksOfATenantsOwn(t *testing.T) {
	t.Parallel()
	h := setup(t, nil)
	ctx := t.Context()
	clinic := client.Pack{
		Name: "clinic", Intents: []client.PackRule{{Label: "vaccination", By: "user", Phrases: []string{"flu shot", "jab"}}},
		Topics: []client.PackRule{{Label: "flu", Phrases: []string{"flu"}}}, Positive: []string{"lovely"},
	}
	if _, err := h.admin.PutPack(ctx, clinic); err != nil {
		t.Fatal(err)
	}
	got, err := h.withKey(t, recaller.ScopeRead).Pack(ctx, "clinic")
	if err != nil || len(got.Intents) != 1 || got.Intents[0].By != "user" || !slices.Equal(got.Intents[0].Phrases, clinic.Intents[0].Phrases) || got.Positive[0] != "lovely" {
		t.Errorf("got %+v, %v; want it as it was set", got, err)
	}
	if ours, err := h.admin.Pack(ctx, "golf"); err != nil || ours.Name != "golf" || len(ours.Intents) < 3 {
		t.Errorf("got %+v, %v; want ours", ours, err)
	}
	packs := []string{"clinic", "service"}
	changed, err := h.admin.UpdateTenant(ctx, client.TenantPatch{TenantSettings: client.TenantSettings{Packs: &packs}})
	if err != nil || !slices.Equal(changed.Packs, packs) || !slices.Equal(changed.OwnPacks, []string{"clinic"}) {
		t.Errorf("got %q and %q of its own, %v", changed.Packs, changed.OwnPacks, err)
	}
	list, err := h.admin.Packs(ctx)
	want := []client.PackInfo{{Name: "service", InUse: true}, {Name: "golf"}, {Name: "clinic", Own: true, InUse: true}}
	if err != nil || !slices.Equal(list, want) {
		t.Errorf("got %+v, %v; want %+v", list, err, want)
	}
	h.refused(t, http.StatusConflict, "DELETE", "/v1/packs/clinic", "")
	h.refused(t, http.StatusNotFound, "DELETE", "/v1/packs/golf", "")
	h.refused(t, http.StatusNotFound, "GET", "/v1/packs/chess", "")
	for body, field := range map[string]string{
		`{"name":"other"}`: "name",
		`{"name":"clinic","intents":[{"label":"Not A Label","phrases":["x"]}]}`: "intents[0].label",
		`{"name":"clinic","intents":[{"label":"x","phrases":[]}]}`:              "intents[0].phrases",
	} {
		if p := h.refused(t, http.StatusUnprocessableEntity, "PUT", "/v1/packs/clinic", body); p.Field != field {
			t.Errorf("%s: got the field %q, want %q", body, p.Field, field)
		}
	}
}

func TestTenantsOfAnEnvironmentAndTheirNumbers(t *testing.T) {
	t.Parallel()
	h := setup(t, nil)
	demo, number := "demo", []string{"030 901820"}
	if _, err := h.admin.CreateTenant(t.Context(), client.NewTenant{Name: "Trial", TenantSettings: client.TenantSettings{Environment: &demo}}); err != nil {
		t.Fatal(err)
	}
	for environment, want := range map[string][]string{"": {"Lakeside Dental", "Trial"}, "demo": {"Trial"}, "production": {"Lakeside Dental"}} {
		list, err := h.admin.Tenants(t.Context(), environment)
		var names []string
		for _, t := range list {
			names = append(names, t.Name)
		}
		if err != nil || !slices.Equal(names, want) {
			t.Errorf("%q: got %q, %v; want %q", environment, names, err, want)
		}
	}
	h.refused(t, http.StatusUnprocessableEntity, "GET", "/v1/tenants?environment=test", "")
	if _, err := h.admin.UpdateTenant(t.Context(), client.TenantPatch{TenantSettings: client.TenantSettings{Numbers: &number}}); err != nil {
		t.Fatal(err)
	}
	p := h.refused(t, http.StatusConflict, "POST", "/v1/tenants", `{"name":"Other","numbers":["+12025550143","+49 30 901820"]}`)
	if p.Field != "numbers[1]" {
		t.Errorf("got the field %q, want numbers[1]", p.Field)
	}
	h.begun(t, "+4930901821")
	if p := h.refused(t, http.StatusConflict, "PATCH", "/v1/tenant", `{"environment":"demo"}`); p.Field != "environment" {
		t.Errorf("got the field %q, want environment", p.Field)
	}
}
