package sqlite

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// direction is a random vector of length 1; some are lopsided, as embeddings are.
func direction(rng *rand.Rand, width int) []float32 {
	v := make([]float32, width)
	var square float64
	for i := range v {
		x := rng.NormFloat64()
		if rng.IntN(50) == 0 {
			x *= 8
		}
		v[i] = float32(x)
		square += x * x
	}
	for i := range v {
		v[i] = float32(float64(v[i]) / math.Sqrt(square))
	}
	return v
}

func dot(a, b []float32) (sum float64) {
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

func stored(t testing.TB, v []float32) row {
	t.Helper()
	r, ok := decode(encode(v), make([]uint64, words(len(v))))
	if !ok {
		t.Fatal("what was stored cannot be read")
	}
	return r
}

// TestCosineOfStoredVectors holds the arithmetic against that of floats, at widths that fill their words and that do
// not.
func TestCosineOfStoredVectors(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	for _, width := range []int{1, 2, 7, 8, 9, 256, 384, 1000, 1536, 3072, 4000} {
		worst := 0.0
		for range 200 {
			a, b := direction(rng, width), direction(rng, width)
			if rng.IntN(2) == 0 { // near ones
				for i := range a {
					b[i] = a[i] + b[i]*float32(rng.Float64())
				}
				length := math.Sqrt(dot(b, b))
				for i := range b {
					b[i] = float32(float64(b[i]) / length)
				}
			}
			q := newQuery(a)
			got, want := float64(q.cosine(stored(t, b))), dot(a, b)
			worst = max(worst, math.Abs(got-want))
			if self := float64(q.cosine(stored(t, a))); math.Abs(self-1) > 0.003 {
				t.Errorf("width %d: a vector's cosine with itself is %v", width, self)
			}
		}
		t.Logf("width %d: off by at most %.5f", width, worst)
		if worst > 0.006 {
			t.Errorf("width %d: the cosine is off by %v, want at most 0.006", width, worst)
		}
	}
}

// TestCosineIsExactOverStoredNumbers holds two numbers at a time against one number at a time, at the extremes too.
func TestCosineIsExactOverStoredNumbers(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(3, 4))
	extremes := []float32{-1, 1, 0, 1, -1}
	for i := range 500 {
		width := 1 + rng.IntN(70)
		if i == 0 {
			width = 4000
		}
		a, b := make([]float32, width), make([]float32, width)
		for i := range a {
			a[i], b[i] = extremes[rng.IntN(5)], extremes[rng.IntN(5)]
			if width < 4000 && rng.IntN(3) == 0 {
				a[i], b[i] = float32(rng.Float64()*2-1), float32(rng.Float64()*2-1)
			}
		}
		a[0], b[0] = 1, -1
		var want, sum int64
		for i := range a {
			x, y := int64(math.Round(float64(b[i])*127)), int64(math.Round(float64(a[i])*(middle-1)))
			want += x * y
			sum += x
		}
		q, r := newQuery(a), stored(t, b)
		plain := q
		plain.fine = nil // as where there is no machine code
		if q.cosine(r) != plain.cosine(r) {
			t.Fatalf("width %d: machine code has %v, two numbers at a time %v", width, q.cosine(r), plain.cosine(r))
		}
		if got := int64(math.Round(float64(q.cosine(r)) / float64(q.scale) / float64(r.scale))); math.Abs(float64(got-want)) > 4 || int64(r.sum) != sum {
			t.Fatalf("width %d: got %d, want %d", width, got, want)
		}
	}
}

// TestCosineDoesNotOverflow has the largest numbers at the largest width.
func TestCosineDoesNotOverflow(t *testing.T) {
	t.Parallel()
	for _, sign := range []float32{1, -1} {
		a, b := make([]float32, 4000), make([]float32, 4000)
		for i := range a {
			a[i], b[i] = 1, sign
		}
		q := newQuery(a)
		if got := q.cosine(stored(t, b)); math.Abs(float64(got-sign)) > 1e-4 {
			t.Errorf("got %v, want %v", got, sign)
		}
	}
}

func TestOnlyVectorsOfTheirWidthAreRead(t *testing.T) {
	t.Parallel()
	raw := encode([]float32{1, 0, 0})
	for _, bad := range [][]byte{nil, raw[:len(raw)-1], append(raw, 0), raw[:vectorHead]} {
		if _, ok := decode(bad, make([]uint64, 1)); ok {
			t.Errorf("%d bytes were read as a vector", len(bad))
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(encode([]float32{1, 0, 0}), 3)
	f.Add([]byte{1}, 9)
	f.Fuzz(func(t *testing.T, raw []byte, width int) {
		width = max(1, width%4000)
		if r, ok := decode(raw, make([]uint64, words(width))); ok {
			q := newQuery(direction(rand.New(rand.NewPCG(1, 1)), width))
			_ = q.cosine(r) // whatever was stored, it does not fall over
		}
	})
}

func BenchmarkCosine(b *testing.B) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, width := range []int{256, 1536} {
		q, r := newQuery(direction(rng, width)), stored(b, direction(rng, width))
		b.Run(fmt.Sprint(width), func(b *testing.B) {
			var sum float32
			for range b.N {
				sum += q.cosine(r)
			}
			if sum == 1 {
				b.Fatal("impossible")
			}
		})
	}
}
