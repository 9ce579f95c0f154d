package usecasetest

import (
	"context"
	"hash/fnv"
	"math"
	"sync"

	"github.com/recallerhq/recaller/internal/search/stems"
)

// Embedder is an embedder that knows which words mean the same, and nothing else. Calls of "Embed" can be made to fail.
// Safe for concurrent use.
type Embedder struct {
	Faults
	Alike map[string]string // from the stem of a word to the one whose direction it shares
	mu    sync.Mutex
	texts []string
}

// Model implements search.Embedder.
func (*Embedder) Model() string { return "alike/1" }

// Embed implements search.Embedder.
func (e *Embedder) Embed(ctx context.Context, texts []string) (vectors [][]float32, err error) {
	err = e.Call("Embed", func() error {
		e.mu.Lock()
		defer e.mu.Unlock()
		for _, text := range texts {
			e.texts = append(e.texts, text)
			vectors = append(vectors, e.vector(text))
		}
		return ctx.Err()
	})
	return vectors, err
}

// EmbedQueries implements search.Embedder: nothing tells what is searched for from what is searched.
func (e *Embedder) EmbedQueries(ctx context.Context, texts []string) ([][]float32, error) {
	return e.Embed(ctx, texts)
}

func (e *Embedder) vector(text string) []float32 {
	sums := make([]float64, 512)
	for stem, n := range stems.Count(text) {
		if as, ok := e.Alike[stem]; ok {
			stem = as
		}
		h := fnv.New64a()
		_, _ = h.Write([]byte(stem)) // which cannot fail
		sums[h.Sum64()%512] += float64(n)
	}
	square := 0.0
	for _, x := range sums {
		square += x * x
	}
	out := make([]float32, len(sums))
	if square == 0 { // a text without a word has a direction too
		out[0] = 1
		return out
	}
	for i, x := range sums {
		out[i] = float32(x / math.Sqrt(square))
	}
	return out
}

// Embedded returns the texts that were embedded since the last time, in order.
func (e *Embedder) Embedded() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	texts := e.texts
	e.texts = nil
	return texts
}
