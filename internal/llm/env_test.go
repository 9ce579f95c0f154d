package llm_test

import (
	"testing"

	"github.com/recallerhq/recaller/internal/llm"
)

// The providers' libraries read variables of their own where they are let; what was configured holds.
func TestTheEnvironmentChangesNothing(t *testing.T) {
	for _, name := range []string{
		"OPENAI_BASE_URL", "OPENAI_API_KEY", "OPENAI_ADMIN_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_CUSTOM_HEADERS",
		"ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_PROFILE", "ANTHROPIC_CUSTOM_HEADERS",
		"ANTHROPIC_OPEN_TELEMETRY_TRACES_CONTENT_MODE",
	} {
		t.Setenv(name, "http://127.0.0.1:1/environment")
	}
	for _, provider := range []string{llm.OpenAI, llm.Anthropic} {
		for _, key := range []string{"key", ""} {
			h := newHouse(t, provider, nil)
			h.with(func(s *llm.Settings) { s.APIKey = key })
			if _, err := h.client.Ask(t.Context(), question()); err != nil {
				t.Fatal(err)
			}
			if q := h.provider.Requests()[0]; q.Key != key || q.Model != "m" {
				t.Errorf("%s: asked %q with key %q, want %q", provider, q.Model, q.Key, key)
			}
			if err := h.client.Check(t.Context()); err != nil {
				t.Error(err)
			}
		}
	}
}
