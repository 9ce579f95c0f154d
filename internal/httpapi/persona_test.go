package httpapi

import (
	"net/http"
	"strings"
	"testing"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
)

func TestPersonasAreSetTriedOutAndGoneBackTo(t *testing.T) {
	t.Parallel()
	h := setup(t, nil)
	ctx, reader := t.Context(), h.withKey(t, recaller.ScopeRead)
	is := func(what string, p client.Persona, err error, version int, text string) {
		t.Helper()
		if err != nil || p.Version != version || p.Text != text || p.Active != (version > 0) || (p.CreatedAt == nil) != (version == 0) {
			t.Errorf("%s: got %+v, %v; want version %d, %q", what, p, err, version, text)
		}
	}
	p, err := reader.Persona(ctx)
	is("at first", p, err, 0, "")

	personality := "warm"
	settings := client.TenantPatch{TenantSettings: client.TenantSettings{Profile: &client.ProfilePatch{Personality: &personality}}}
	if _, err := h.admin.UpdateTenant(ctx, settings); err != nil {
		t.Fatal(err)
	}
	p, err = reader.Persona(ctx)
	is("by the profile", p, err, 1, "warm")
	p, err = h.admin.SetPersona(ctx, client.PersonaInput{Text: "brief", Label: "spring"})
	is("set", p, err, 2, "brief")
	if mine, err := reader.Tenant(ctx); err != nil || mine.Profile.Personality != "brief" {
		t.Errorf("got %+v, %v; want the profile to say it", mine.Profile, err)
	}
	if _, err := reader.SetPersona(ctx, client.PersonaInput{Text: "mine"}); err == nil {
		t.Error("a read key set a persona")
	}

	caller := h.begun(t, "+4930901820").Caller.ID
	text, first := "dry", 1
	for what, c := range map[string]struct {
		in   client.PersonaPreview
		want string
	}{
		"the active one":     {client.PersonaPreview{}, "PERSONALITY: Brief\n"},
		"a text":             {client.PersonaPreview{Text: &text}, "PERSONALITY: Dry\n"},
		"a version":          {client.PersonaPreview{Version: &first, CallerID: caller}, "PERSONALITY: Warm\n"},
		"notes, of a caller": {client.PersonaPreview{Text: &text, CallerID: caller, Style: recaller.StyleBriefing}, "Personality: dry\n"},
	} {
		if b, err := reader.PreviewPersona(ctx, c.in); err != nil || b.Degraded || !strings.Contains(b.Text, c.want) {
			t.Errorf("%s: got %v, want %q in\n%s", what, err, c.want, b.Text)
		}
	}
	p, err = h.admin.ActivatePersona(ctx, 1)
	is("back", p, err, 1, "warm")
	list, err := reader.PersonaVersions(ctx, client.Page{Limit: 1})
	if err != nil || len(list.Versions) != 1 || list.Versions[0].Version != 2 || list.Versions[0].Active || list.Versions[0].Label != "spring" {
		t.Errorf("got %+v, %v; want the newest one", list, err)
	}
	list, err = reader.PersonaVersions(ctx, client.Page{Cursor: list.NextCursor})
	if err != nil || len(list.Versions) != 1 || !list.Versions[0].Active || list.NextCursor != "" {
		t.Errorf("got %+v, %v; want the first one", list, err)
	}
}

func TestWhatIsWrongWithAPersonaIsNamed(t *testing.T) {
	t.Parallel()
	h := setup(t, nil)
	for _, c := range []struct {
		status                    int
		method, path, body, field string
	}{
		{422, "PUT", "", `{"text":" "}`, "text"},
		{422, "PUT", "", `{"text":"` + strings.Repeat("x", 4001) + `"}`, "text"},
		{422, "PUT", "", `{"text":"a","label":"` + strings.Repeat("x", 201) + `"}`, "label"},
		{422, "PUT", "", `{"label":"a"}`, "text"},
		{422, "POST", "/activate", `{"version":0}`, "version"},
		{404, "POST", "/activate", `{"version":1}`, ""},
		{404, "POST", "/preview", `{"version":1}`, ""},
		{404, "POST", "/preview", `{"caller_id":"nobody"}`, ""},
		{422, "POST", "/preview", `{"text":"","caller_id":"nobody"}`, "text"},
		{422, "POST", "/preview", `{"text":"a","version":1}`, "version"},
		{422, "POST", "/preview", `{"style":"poem"}`, "style"},
		{404, "POST", "/preview", `{"thread_id":"nobody's"}`, ""},
		{404, "POST", "/preview", `{"version":7,"thread_id":"nobody's"}`, ""},
		{422, "POST", "/preview", `{"thread_id":"a","caller_id":"b"}`, "thread_id"},
		{422, "POST", "/preview", `{"thread_id":"a","style":"briefing"}`, "style"},
		{422, "GET", "/versions?cursor=x", "", "cursor"},
	} {
		p := h.refused(t, c.status, c.method, "/v1/persona"+c.path, c.body)
		if c.field != "" && (len(p.Errors) == 0 || p.Errors[0].Location != c.field) {
			t.Errorf("%s %s: got %+v, want the field %q", c.method, c.path, p, c.field)
		}
	}
	if status, _, body := h.call(t, http.MethodGet, "/v1/persona", ""); status != 200 || !strings.Contains(body, `"version":0`) {
		t.Errorf("got %d %s", status, body)
	}
}
