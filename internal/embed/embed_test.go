package embed_test

import (
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/embed"
	"github.com/recallerhq/recaller/internal/embed/embedtest"
	"github.com/recallerhq/recaller/internal/embed/static"
	"github.com/recallerhq/recaller/internal/endpoint/endpointtest"
)

// direction is what the provider makes of a text, of length 1.
func direction(text string, width int) []float32 {
	v := embedtest.Vector(text, width)
	var square float64
	for _, x := range v {
		square += float64(x) * float64(x)
	}
	for i := range v {
		v[i] = float32(float64(v[i]) / math.Sqrt(square))
	}
	return v
}

func near() cmp.Option { return cmpopts.EquateApprox(0, 1e-6) }

// numbered returns n texts, each with a vector of its own.
func numbered(n int) []string {
	texts := make([]string, n)
	for i := range texts {
		texts[i] = strings.Repeat("word ", i) + "of one"
	}
	return texts
}

func TestEachTextGetsItsVectorOfLengthOne(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, h *house) {
		texts := numbered(70)
		for _, fault := range []endpointtest.Fault{{}, embedtest.Reversed(), embedtest.Unnumbered()} {
			if fault.Name == "reversed" && h.settings.Provider == embed.Ollama {
				continue // its format has no index: nobody could tell
			}
			h.provider.Fail(fault)
			got, err := h.client.Embed(t.Context(), texts)
			if err != nil {
				t.Fatal(err)
			}
			for i, text := range texts {
				if diff := cmp.Diff(direction(text, width), got[i], near()); diff != "" {
					t.Fatalf("%s: text %d (-want +got):\n%s", fault.Name, i, diff)
				}
			}
		}
		var sizes []int
		for _, q := range h.provider.Requests()[:3] {
			sizes = append(sizes, len(q.Texts))
			if q.Model != "m" || q.Key != key || q.Width != 0 {
				t.Errorf("asked model %q with key %q for width %d", q.Model, q.Key, q.Width)
			}
		}
		if want := []int{32, 32, 6}; !slices.Equal(sizes, want) {
			t.Errorf("requests have %v texts, want %v", sizes, want)
		}
		if h.client.Model() != "m" || h.client.Width() != width {
			t.Errorf("model %q makes %d numbers, want m and %d", h.client.Model(), h.client.Width(), width)
		}
	})
}

func TestTheBuiltInEmbedderNeedsNothing(t *testing.T) {
	t.Parallel()
	c, err := embed.New(embed.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := c.Embed(t.Context(), []string{"a dentist", "", strings.Repeat("golf ", 3000) + "dentist"})
	if err != nil {
		t.Fatal(err)
	}
	want := [][]float32{static.Vector("a dentist"), static.Vector(""), static.Vector(strings.Repeat("golf ", 400))}
	if diff := cmp.Diff(want, got, near()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if c.Model() != "recaller-static/2" || c.Width() != 256 {
		t.Errorf("got model %q of width %d", c.Model(), c.Width())
	}
}

func TestATextIsCutBetweenCharacters(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, h *house) {
		if _, err := h.client.Embed(t.Context(), []string{strings.Repeat("約", 3000), strings.Repeat("a", embed.MaxRunes), strings.Repeat("\xff", 3000)}); err != nil {
			t.Fatal(err)
		}
		for i, text := range h.provider.Requests()[0].Texts {
			if n := utf8.RuneCountInString(text); n != embed.MaxRunes {
				t.Errorf("text %d has %d characters, want %d", i, n, embed.MaxRunes)
			}
		}
	})
}

func TestATextOfNothingSpoilsNoOther(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, h *house) {
		texts := []string{"", "dentist", " \n"}
		got, err := h.client.Embed(t.Context(), texts)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got[0], got[2]) || slices.Equal(got[0], got[1]) || texts[0] != "" {
			t.Errorf("got %v for %q", got, texts)
		}
		if got, err := h.client.Embed(t.Context(), nil); err != nil || len(got) != 0 || h.provider.Count() != 1 {
			t.Errorf("no texts: got %v, %v after %d requests", got, err, h.provider.Count())
		}
		if _, err := h.client.Embed(t.Context(), make([]string, embed.MaxTexts+1)); recaller.KindOf(err) != recaller.Invalid || h.provider.Count() != 1 {
			t.Errorf("too many texts: got %v after %d requests", err, h.provider.Count())
		}
	})
}

func TestTheWidthIsInsistedOn(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, h *house) {
		h.provider.FailNext(embedtest.WrongWidth(8))
		h.works(t, "the first answer", 1)
		if got := h.client.Width(); got != 8 {
			t.Errorf("after the first answer the width is %d, want 8", got)
		}
		h.fails(t, "another width than before", recaller.NotFound, 1)

		h.with(func(s *embed.Settings) { s.Width = 16 })
		if h.client.Width() != 16 || h.client.Model() != "m@16" {
			t.Errorf("model %q makes %d numbers, want m@16 and 16", h.client.Model(), h.client.Width())
		}
		h.works(t, "the configured width", 1)
		if q := h.provider.Requests()[2]; q.Width != 16 {
			t.Errorf("asked for width %d, want 16", q.Width)
		}
		h.provider.FailNext(embedtest.WrongWidth(width), embedtest.NoSuchWidth())
		h.fails(t, "not the configured width", recaller.NotFound, 1)
		h.fails(t, "a width that the model cannot make", recaller.NotFound, 1)
		h.works(t, "the configured width again", 1)
	})
}

func TestTheDefaultModelGoesByItsName(t *testing.T) {
	t.Parallel()
	for width, want := range map[int]string{0: "text-embedding-3-small", 1536: "text-embedding-3-small", 512: "text-embedding-3-small@512"} {
		provider := embedtest.New(1536)
		server := httptest.NewServer(provider)
		t.Cleanup(server.Close)
		c, err := embed.New(embed.Settings{Provider: embed.OpenAI, BaseURL: server.URL, Width: width})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Embed(t.Context(), []string{"dentist"}); err != nil {
			t.Fatal(err)
		}
		asked := width % 1536 // its own width is not asked for
		if q := provider.Requests()[0]; c.Model() != want || q.Model != "text-embedding-3-small" || q.Width != asked || q.Format != "float" || q.Key != "" {
			t.Errorf("width %d: model %q, want %q; asked %+v", width, c.Model(), want, q)
		}
	}
}

func TestAnAddressIsTakenAsPeopleWriteIt(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ provider, base, want string }{
		{embed.OpenAI, "http://h", "/v1/embeddings"},
		{embed.OpenAI, " http://h/ ", "/v1/embeddings"},
		{embed.OpenAI, "http://h/v1/", "/v1/embeddings"},
		{embed.OpenAI, "http://h/v1/embeddings?x=y", "/v1/embeddings"},
		{embed.OpenAI, "http://h/openai/v1", "/openai/v1/embeddings"},
		{embed.Ollama, "http://h", "/api/embed"},
		{embed.Ollama, "http://h/v1", "/api/embed"},
		{embed.Ollama, "http://h/api/", "/api/embed"},
		{embed.Ollama, "http://h/api/embed", "/api/embed"},
		{embed.Ollama, "http://h/models/", "/models/api/embed"},
	} {
		var got string
		client := &http.Client{Transport: trip(func(r *http.Request) (*http.Response, error) {
			got = r.URL.String()
			return nil, fmt.Errorf("%s", secret)
		})}
		c, err := embed.New(embed.Settings{Provider: test.provider, BaseURL: test.base, Model: "m", HTTP: client, Jitter: func() float64 { return 0 }})
		if err != nil {
			t.Fatal(err)
		}
		_, err = c.Embed(t.Context(), []string{"dentist"})
		keepsQuiet(t, err)
		if recaller.KindOf(err) != recaller.Unavailable || got != "http://h"+test.want {
			t.Errorf("%s at %q: posted to %q, want %q; %v", test.provider, test.base, got, test.want, err)
		}
	}
}

// trip is a transport.
type trip func(*http.Request) (*http.Response, error)

func (f trip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestSettingsThatCannotWorkAreRefused(t *testing.T) {
	t.Parallel()
	const at = "http://h"
	for field, list := range map[string][]embed.Settings{
		"provider": {{Provider: "fasttext"}},
		"model":    {{Provider: embed.Ollama, BaseURL: at}},
		"base_url": {{Provider: embed.OpenAI}, {Provider: embed.Ollama, Model: "m", BaseURL: "h:80"}, {Provider: embed.OpenAI, BaseURL: "ftp://h"}},
		"width": {
			{Width: 512}, {Provider: embed.OpenAI, BaseURL: at, Width: -1}, {Provider: embed.OpenAI, BaseURL: at, Width: embed.MaxWidth + 1},
		},
	} {
		for _, s := range list {
			c, err := embed.New(s)
			problem, ok := reflect.TypeAssert[*recaller.Error](reflect.ValueOf(err))
			if !ok || problem.Kind != recaller.Invalid || problem.Field != field || c != nil {
				t.Errorf("%+v: got %v, want an error about %s", s, err, field)
			}
		}
	}
}
