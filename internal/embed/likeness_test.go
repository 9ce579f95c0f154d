package embed_test

import (
	"math"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/embed"
	"github.com/recallerhq/recaller/internal/embed/embedtest"
	"github.com/recallerhq/recaller/internal/endpoint/endpointtest"
)

func likeness(t *testing.T, p *embedtest.Provider, s embed.Settings) *embed.Likeness {
	t.Helper()
	srv := httptest.NewServer(p)
	t.Cleanup(srv.Close)
	s.Provider, s.BaseURL, s.Model = embed.OpenAI, srv.URL, "m"
	c, err := embed.New(s)
	if err != nil {
		t.Fatal(err)
	}
	return embed.NewLikeness(c)
}

// cosine is how alike two vectors of whole numbers are.
func cosine(q recaller.QueryVector, v []int8) float64 {
	var product, a, b float64
	for i := range v {
		product += float64(q.Data[i]) * float64(v[i])
		a += float64(q.Data[i]) * float64(q.Data[i])
		b += float64(v[i]) * float64(v[i])
	}
	return float64(q.Gain) * (product/math.Sqrt(a*b) - float64(q.Base))
}

func TestTextsThatHaveNothingToDoWithEachOtherAreNotAlike(t *testing.T) {
	t.Parallel()
	l := likeness(t, embedtest.New(256), embed.Settings{})
	q, err := l.Query(t.Context(), "the boiler in the kitchen drips")
	if err != nil {
		t.Fatal(err)
	}
	rows, err := l.Passages(t.Context(), []recaller.Passage{{Text: "the boiler in the kitchen drips"}, {Text: "Mercury"}})
	if err != nil {
		t.Fatal(err)
	}
	same, other := cosine(q, rows[0]), cosine(q, rows[1])
	if same < 3*0.1 || other > 0.1 {
		t.Errorf("the same words are alike by %.2f, others by %.2f: want one high and the other near 0", same, other)
	}
	if q.Model != l.Model() || slices.Contains(q.Data, -128) {
		t.Errorf("got a vector of %q", q.Model)
	}
}

func TestQueriesAndPassagesHaveTheirPrefixes(t *testing.T) {
	t.Parallel()
	p := embedtest.New(64)
	l := likeness(t, p, embed.Settings{Query: "query: ", Passage: "passage:"})
	if _, err := l.Query(t.Context(), "what hurts"); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Passages(t.Context(), []recaller.Passage{{Before: "Hello.", Text: "my knee"}, {Text: " "}}); err != nil {
		t.Fatal(err)
	}
	var sent []string
	for _, r := range p.Requests() {
		sent = append(sent, r.Texts...)
	}
	for _, want := range []string{"query: what hurts", "passage: my knee", "Nothing was said."} {
		if !slices.Contains(sent, want) {
			t.Errorf("nothing like %q was sent", want)
		}
	}
	for _, text := range sent {
		if !strings.HasPrefix(text, "query: ") && !strings.HasPrefix(text, "passage: ") && text != "Nothing was said." {
			t.Errorf("%q has no prefix", text)
		}
	}
	if got, want := l.Model(), `m+"passage:"`; got != want {
		t.Errorf("got the model's name %q, want %q: its vectors are others than without", got, want)
	}
}

func TestHowTheModelIsToBeReadIsFoundOutOnce(t *testing.T) {
	t.Parallel()
	p := embedtest.New(64)
	l := likeness(t, p, embed.Settings{})
	p.Fail(endpointtest.Unauthorized())
	if _, err := l.Query(t.Context(), "what hurts"); recaller.KindOf(err) != recaller.Unauthenticated {
		t.Errorf("got %v, want the refusal of the key", err)
	}
	p.Heal()
	before := p.Count()
	for range 3 {
		if _, err := l.Query(t.Context(), "what hurts"); err != nil {
			t.Fatal(err)
		}
	}
	const once = 2 + 1 // 40 texts are two requests, and the questions one
	if got := p.Count() - before; got != once+3 {
		t.Errorf("%d requests were sent for three queries, want %d", got, once+3)
	}
}
