package embed

import (
	"context"
	_ "embed"
	"math"
	"strings"
	"sync"

	"github.com/recallerhq/recaller"
)

// Likeness makes vectors of turns, and of questions about them, in whole numbers. It also scales the model's cosines,
// because each model gives unrelated texts another one. It is safe for concurrent use.
type Likeness struct {
	client *Client

	mu    sync.Mutex // guards what follows; held while the references are embedded
	known bool
	base  float32
	gain  float32
}

// NewLikeness returns a Likeness by an embedder.
func NewLikeness(c *Client) *Likeness { return &Likeness{client: c} }

// Model is the client's Model.
func (l *Likeness) Model() string { return l.client.Model() }

// Passages returns a vector of each turn, in order, all of one width. What a turn answers does not count. Errors are
// those of Client.Embed.
func (l *Likeness) Passages(ctx context.Context, turns []recaller.Passage) ([][]int8, error) {
	texts := make([]string, len(turns))
	for i, t := range turns {
		texts[i] = t.Text
	}
	vectors, err := l.client.Embed(ctx, texts)
	if err != nil {
		return nil, err
	}
	out := make([][]int8, len(vectors))
	for i, v := range vectors {
		out[i] = whole(v)
	}
	return out, nil
}

// Query returns the vector of a question, to compare with those of Passages. The first call takes two more requests.
func (l *Likeness) Query(ctx context.Context, text string) (recaller.QueryVector, error) {
	base, gain, err := l.scale(ctx)
	if err != nil {
		return recaller.QueryVector{}, err
	}
	vectors, err := l.client.EmbedQueries(ctx, []string{text})
	if err != nil {
		return recaller.QueryVector{}, err
	}
	return recaller.QueryVector{Model: l.Model(), Data: whole(vectors[0]), Base: base, Gain: gain}, nil
}

// spread is the standard deviation to which cosines of unrelated texts are scaled. The built-in table's is 0.1. A
// model's tell more, and count half as much again: from 0.1 to 0.2 recall finds about as much (docs/recall.md).
const spread = 0.15

//go:embed references.txt
var references string

// scale returns how to read the model's cosines, by those that it gives to unrelated texts.
func (l *Likeness) scale(ctx context.Context) (base, gain float32, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.known {
		return l.base, l.gain, nil
	}
	said, asked := readReferences(references)
	passages, err := l.client.Embed(ctx, said)
	if err != nil {
		return 0, 0, err
	}
	queries, err := l.client.EmbedQueries(ctx, asked)
	if err != nil {
		return 0, 0, err
	}
	mean, deviation := moments(queries, passages)
	if deviation < 1e-6 {
		return 0, 0, recaller.Errorf(recaller.NotFound, "the embedding model makes the same vector of every text")
	}
	l.base, l.gain, l.known = float32(mean), float32(spread/deviation), true
	return l.base, l.gain, nil
}

// readReferences returns the reference texts that are said, and those that are asked.
func readReferences(text string) (said, asked []string) {
	var into *[]string
	for line := range strings.Lines(text) {
		switch line = strings.TrimSpace(line); {
		case line == "## said":
			into = &said
		case line == "## asked":
			into = &asked
		case line != "" && line[0] != '#':
			*into = append(*into, line)
		}
	}
	return said, asked
}

// moments returns the mean and the standard deviation of the cosines of each of a with each of b, all of length 1.
func moments(a, b [][]float32) (mean, deviation float64) {
	var sum, square float64
	for _, x := range a {
		for _, y := range b {
			var cosine float64
			for i := range x {
				cosine += float64(x[i]) * float64(y[i])
			}
			sum += cosine
			square += cosine * cosine
		}
	}
	n := float64(len(a) * len(b))
	mean = sum / n
	return mean, math.Sqrt(max(0, square/n-mean*mean))
}

// whole returns a vector's direction in whole numbers, the largest of which is 127.
func whole(v []float32) []int8 {
	var largest float64
	for _, x := range v {
		largest = max(largest, math.Abs(float64(x)))
	}
	out := make([]int8, len(v))
	if largest == 0 {
		return out
	}
	for i, x := range v {
		out[i] = int8(math.Round(float64(x) / largest * math.MaxInt8))
	}
	return out
}
