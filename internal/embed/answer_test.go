package embed

import (
	"errors"
	"math"
	"testing"

	"github.com/recallerhq/recaller/internal/endpoint"
)

// Whatever an endpoint answers is refused as a whole, or makes vectors of length 1 and of one width.
func FuzzAnswer(f *testing.F) {
	for _, seed := range []string{
		``, `{}`, `[]`, `{"data":[],"embeddings":[]}`, `{"embeddings":[[1,2],[0,-3e-5]]}`, `{"embeddings":[[1e-45],[1e38]]}`,
		`{"embeddings":[[null],[NaN]]}`, `{"embeddings":[[[1],2]]}`, `{"embeddings":["[1]",{}]}`, `{"embeddings":[[1,2,],[0x1p4,1_0]]}`,
		`{"data":[{"index":1,"embedding":[1,2]},{"index":0,"embedding":[ 3 , 4 ]}]}`, `{"data":[{"embedding":[1]},{"embedding":[1e99]}]}`,
		`{"data":[{"index":0,"embedding":[1]},{"index":0,"embedding":[1]}]}`, `{"data":[{"index":-1,"embedding":[1]},{"embedding":null}]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, w := range []wire{openAI{}, ollama{}} {
			for n := 1; n <= 2; n++ {
				vectors, err := w.vectors(body, n)
				if err == nil {
					err = (&remote{}).check(vectors)
				}
				if err != nil {
					if !errors.Is(err, endpoint.ErrBroken) {
						t.Errorf("%T fails with %v", w, err)
					}
					continue
				}
				if len(vectors) != n {
					t.Fatalf("%T made %d vectors for %d texts", w, len(vectors), n)
				}
				for _, v := range vectors {
					if len(v) == 0 || len(v) != len(vectors[0]) || !(math.Abs(length(v)-1) < 1e-3) {
						t.Errorf("%T made %v", w, vectors)
					}
				}
			}
		}
	})
}

func length(v []float32) float64 {
	var square float64
	for _, x := range v {
		square += float64(x) * float64(x)
	}
	return math.Sqrt(square)
}

// BenchmarkAnswer is what an answer costs to read, beside the hundreds of milliseconds that it takes to come.
func BenchmarkAnswer(b *testing.B) {
	body := []byte(`{"data":[{"index":0,"embedding":[`)
	for i := range defaultWidth {
		if i > 0 {
			body = append(body, ',')
		}
		body = append(body, "-0.0123456789"...)
	}
	body = append(body, `]}]}`...)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := (openAI{}).vectors(body, 1); err != nil {
			b.Fatal(err)
		}
	}
}
