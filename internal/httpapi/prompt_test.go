package httpapi

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/prompt"
)

func containsAny(text string, parts ...string) bool {
	for _, part := range parts {
		if strings.Contains(text, part) {
			return true
		}
	}
	return false
}

func TestPromptsAreReadAndReplacedOneByOne(t *testing.T) {
	t.Parallel()
	h := setup(t, nil)
	ctx := context.Background()
	read := func() map[string]client.Prompt {
		t.Helper()
		all, err := h.withKey(t, recaller.ScopeRead).Prompts(ctx)
		if err != nil {
			t.Fatal(err)
		}
		out := map[string]client.Prompt{}
		for _, p := range all {
			out[p.Name] = p
		}
		return out
	}
	ours := read()
	if len(ours) != len(prompt.All()) {
		t.Fatalf("got %d prompts, want %d", len(ours), len(prompt.All()))
	}
	for name, p := range ours {
		if p.Text == "" || p.About == "" || p.Own || !strings.HasPrefix(p.Version, name+"/") || p.Version == name+"/own" {
			t.Errorf("got %+v, want our text with its version", p)
		}
	}
	set := func(body string) map[string]string {
		t.Helper()
		status, _, text := h.call(t, "PATCH", "/v1/tenant", body)
		if status != 200 {
			t.Fatalf("%s: got %d %s", body, status, text)
		}
		settings, err := h.admin.Tenant(ctx)
		if err != nil {
			t.Fatal(err)
		}
		return settings.Prompts
	}
	if diff := cmp.Diff(map[string]string{"summary": "Sum it up.", "extraction": "Find facts."}, set(`{"prompts":{"summary":"Sum it up.","extraction":"Find facts."}}`)); diff != "" {
		t.Error(diff)
	}
	if p := read()["summary"]; !p.Own || !strings.HasPrefix(p.Text, "Sum it up.") || p.Version != "summary/own" {
		t.Errorf("got %+v, want the tenant's own", p)
	}
	if diff := cmp.Diff(map[string]string{"summary": "Shorter.", "extraction": "Find facts."}, set(`{"prompts":{"summary":"Shorter."}}`)); diff != "" {
		t.Errorf("the one that was not named: %s", diff)
	}
	if diff := cmp.Diff(map[string]string{"extraction": "Find facts."}, set(`{"prompts":{"summary":null}}`)); diff != "" {
		t.Errorf("null: %s", diff)
	}
	if diff := cmp.Diff(map[string]string{}, set(`{"prompts":{"extraction":""},"name":"Lakeside"}`)); diff != "" {
		t.Errorf("an empty text: %s", diff)
	}
	if diff := cmp.Diff(ours, read()); diff != "" {
		t.Errorf("after all were taken away: %s", diff)
	}
	if p := h.refused(t, 422, "PATCH", "/v1/tenant", `{"prompts":{"nothing":"x"}}`); !strings.HasPrefix(p.Field, "prompts") {
		t.Errorf("got %+v, want prompts at fault", p)
	}
	if p := h.refused(t, 422, "PATCH", "/v1/tenant", `{"prompts":{"summary":"`+strings.Repeat("x", 8001)+`"}}`); !strings.HasPrefix(p.Field, "prompts") {
		t.Errorf("got %+v, want prompts at fault", p)
	}
}

// Settings are shared between requests: a change makes new ones.
func TestAChangeOfPromptsLeavesTheOldOnesAlone(t *testing.T) {
	t.Parallel()
	own, text := map[string]string{"summary": "a", "extraction": "b"}, "c"
	got := prompts(own, map[string]*string{"summary": &text, "extraction": nil})
	if diff := cmp.Diff(map[string]string{"summary": "c"}, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string]string{"summary": "a", "extraction": "b"}, own); diff != "" {
		t.Errorf("the old ones: %s", diff)
	}
}

func TestMaskingAndToolsAreSettings(t *testing.T) {
	t.Parallel()
	h := setup(t, nil)
	ctx := context.Background()
	if s, err := h.admin.Tenant(ctx); err != nil || s.Masking != recaller.MaskingOn || s.MemoryTools || s.Prompts == nil {
		t.Errorf("got %+v, %v; want masking on and no tools by default", s, err)
	}
	off, tools := recaller.MaskingOff, true
	set, err := h.admin.UpdateTenant(ctx, client.TenantPatch{TenantSettings: client.TenantSettings{Masking: &off, MemoryTools: &tools}})
	if err != nil || set.Masking != recaller.MaskingOff || !set.MemoryTools {
		t.Errorf("got %+v, %v", set, err)
	}
	if p := h.refused(t, 422, "PATCH", "/v1/tenant", `{"masking":"SECRET"}`); p.Field != "masking" {
		t.Errorf("got %+v", p)
	}
}
