package llm_test

import (
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/endpoint/endpointtest"
	"github.com/recallerhq/recaller/internal/llm"
	"github.com/recallerhq/recaller/internal/llm/llmtest"
)

// secret is what people said; it must be seen nowhere but at the provider.
const secret = "xylophone"

// both runs a story against each provider's format, over real HTTP.
func both(t *testing.T, story func(t *testing.T, h *house)) {
	t.Helper()
	for _, provider := range []string{llm.OpenAI, llm.Anthropic} {
		t.Run(provider, func(t *testing.T) {
			t.Parallel()
			story(t, newHouse(t, provider, nil))
		})
	}
}

// inTime runs a story against each provider's format in a bubble, where waiting takes no time and the clock is exact.
func inTime(t *testing.T, story func(t *testing.T, h *house)) {
	t.Helper()
	for _, provider := range []string{llm.OpenAI, llm.Anthropic} {
		t.Run(provider, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				h := &house{t: t, provider: llmtest.New(nil)}
				client, stop := endpointtest.Pipe(h.provider)
				defer stop()
				h.settings = llm.Settings{
					Provider: provider, BaseURL: endpointtest.Address, APIKey: "key", Model: "m", HTTP: client, Jitter: func() float64 { return 0 },
				}
				h.client = llm.New(h.settings)
				story(t, h)
			})
		})
	}
}

// house is a provider and a client of it.
type house struct {
	t        *testing.T
	provider *llmtest.Provider
	settings llm.Settings
	client   *llm.Client
}

func newHouse(t *testing.T, provider string, answer func(llmtest.Request) string) *house {
	t.Helper()
	h := &house{t: t, provider: llmtest.New(answer)}
	server := httptest.NewServer(h.provider)
	t.Cleanup(server.Close)
	h.settings = llm.Settings{
		Provider: provider, BaseURL: server.URL, APIKey: "key", Model: "m", HTTP: server.Client(), Tries: 1,
		Timeout: time.Minute, Jitter: func() float64 { return 0 },
	}
	h.client = llm.New(h.settings)
	return h
}

// with makes the client anew with other settings.
func (h *house) with(change func(s *llm.Settings)) *llm.Client {
	change(&h.settings)
	h.client = llm.New(h.settings)
	return h.client
}

// schema is one that all endpoints take.
func schema() *recaller.Schema {
	return &recaller.Schema{Name: "memories", JSON: []byte(`{"type":"object","properties":{"memories":{"type":"array","items":{"type":"string"}}},"required":["memories"],"additionalProperties":false}`)}
}

func question() recaller.Ask {
	return recaller.Ask{System: "List memories.", Text: "[0] USER: My " + secret + " is red.", Schema: schema(), Temperature: 0.3}
}

// keepsQuiet fails if a failure holds what people said.
func keepsQuiet(t *testing.T, err error) {
	t.Helper()
	if err != nil && strings.Contains(strings.ToLower(err.Error()), secret) {
		t.Errorf("the error holds what was said: %v", err)
	}
}
