package embed_test

import (
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/embed"
	"github.com/recallerhq/recaller/internal/embed/embedtest"
	"github.com/recallerhq/recaller/internal/endpoint/endpointtest"
)

const (
	// secret is what people said; it must be seen nowhere but at the provider.
	secret = "xylophone"
	key    = "not-for-logs"
	width  = 32
)

// house is a provider and a client of it.
type house struct {
	t        *testing.T
	provider *embedtest.Provider
	settings embed.Settings
	client   *embed.Client
}

// both runs a story against each provider's format, over real HTTP.
func both(t *testing.T, story func(t *testing.T, h *house)) {
	t.Helper()
	for _, provider := range []string{embed.OpenAI, embed.Ollama} {
		t.Run(provider, func(t *testing.T) {
			t.Parallel()
			h := &house{t: t, provider: embedtest.New(width)}
			server := httptest.NewServer(h.provider)
			t.Cleanup(server.Close)
			h.settings = embed.Settings{
				Provider: provider, BaseURL: server.URL, APIKey: key, Model: "m", HTTP: server.Client(),
				Timeout: 20 * time.Second, Jitter: func() float64 { return 0 },
			}
			h.with(func(*embed.Settings) {})
			story(t, h)
		})
	}
}

// inTime runs a story against each provider's format in a bubble, where waiting takes no time and the clock is exact.
func inTime(t *testing.T, story func(t *testing.T, h *house)) {
	t.Helper()
	for _, provider := range []string{embed.OpenAI, embed.Ollama} {
		t.Run(provider, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				h := &house{t: t, provider: embedtest.New(width)}
				client, stop := endpointtest.Pipe(h.provider)
				defer stop()
				h.settings = embed.Settings{
					Provider: provider, BaseURL: "http://model.test", APIKey: key, Model: "m", HTTP: client,
					Jitter: func() float64 { return 0 },
				}
				h.with(func(*embed.Settings) {})
				story(t, h)
			})
		})
	}
}

// with makes the client anew with other settings.
func (h *house) with(change func(s *embed.Settings)) {
	h.t.Helper()
	change(&h.settings)
	c, err := embed.New(h.settings)
	if err != nil {
		h.t.Fatal(err)
	}
	h.client = c
}

// ask embeds two texts, and tells of how many requests were sent, and of the failure.
func (h *house) ask(t *testing.T) (sent int, err error) {
	t.Helper()
	before := h.provider.Count()
	vectors, err := h.client.Embed(t.Context(), []string{"My " + secret + " is red.", "It is not blue."})
	keepsQuiet(t, err)
	if err == nil && len(vectors) != 2 {
		t.Errorf("got %d vectors, want 2", len(vectors))
	}
	return h.provider.Count() - before, err
}

// fails asks, and wants a failure of the kind after so many requests.
func (h *house) fails(t *testing.T, name string, want recaller.Kind, requests int) {
	t.Helper()
	sent, err := h.ask(t)
	if err == nil || recaller.KindOf(err) != want || sent != requests {
		t.Errorf("%s: got %v after %d requests; want %q after %d", name, err, sent, want, requests)
	}
}

// works asks, and wants an answer after so many requests.
func (h *house) works(t *testing.T, name string, requests int) {
	t.Helper()
	if sent, err := h.ask(t); err != nil || sent != requests {
		t.Errorf("%s: got %v after %d requests; want an answer after %d", name, err, sent, requests)
	}
}

// keepsQuiet fails if a failure holds what people said, or the key.
func keepsQuiet(t *testing.T, err error) {
	t.Helper()
	if err != nil && (strings.Contains(strings.ToLower(err.Error()), secret) || strings.Contains(err.Error(), key)) {
		t.Errorf("the error holds what was sent: %v", err)
	}
}

// counted returns the metrics that are not 0, by name and labels; of histograms, how many were observed.
func counted(t *testing.T, reg *prometheus.Registry) map[string]float64 {
	t.Helper()
	families, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]float64{}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			name := f.GetName()
			for _, l := range m.GetLabel() {
				name += " " + l.GetValue()
			}
			if v := m.GetCounter().GetValue() + m.GetGauge().GetValue() + float64(m.GetHistogram().GetSampleCount()); v != 0 {
				out[name] = v
			}
		}
	}
	return out
}
