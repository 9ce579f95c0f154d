package vector

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestTheMachineCodeAndThePlainLoopsAgree(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	for _, width := range []int{0, 1, 31, 32, 64, 96, 256, 384} {
		for _, n := range []int{0, 1, 2, 7, 100} {
			q, rows := random(rng, width), random(rng, width*n)
			got, want := make([]int32, n), make([]int32, n)
			Products(got, q, rows)
			plainProducts(want, q, rows)
			if !slices.Equal(got, want) {
				t.Fatalf("products of width %d, %d rows: got %v, want %v", width, n, got, want)
			}
		}
		for _, times := range []int32{0, 1, -1, 4, 65535, math.MaxInt32, math.MinInt32} {
			row := random(rng, width)
			got := make([]int64, width)
			for i := range got {
				got[i] = rng.Int64N(1<<50) - 1<<49
			}
			want := slices.Clone(got)
			AddTimes(got, row, times)
			plainAddTimes(want, row, times)
			if !slices.Equal(got, want) {
				t.Fatalf("%d times width %d: got %v, want %v", times, width, got, want)
			}
		}
	}
}

func TestFineProductsAgreeWithThePlainLoop(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(3, 4))
	for _, width := range []int{0, 16, 32, 48, 256, 4000} {
		for _, n := range []int{0, 1, 3, 40} {
			q, rows := make([]int16, width), make([]uint64, n*width/8)
			for i := range q {
				q[i] = int16(rng.IntN(4095) - 2047)
			}
			for i := range rows {
				rows[i] = rng.Uint64()
			}
			got, want := make([]int32, n), make([]int32, n)
			FineProducts(got, q, rows)
			plainFineProducts(want, q, rows)
			if !slices.Equal(got, want) {
				t.Fatalf("width %d, %d rows: got %v, want %v", width, n, got, want)
			}
		}
	}
	for _, x := range []int16{2047, -2047} {
		got := make([]int32, 1)
		FineProducts(got, slices.Repeat([]int16{x}, 4000), slices.Repeat([]uint64{math.MaxUint64}, 500))
		if want := int32(x) * 255 * 4000; got[0] != want {
			t.Errorf("the largest numbers: got %d, want %d", got[0], want)
		}
	}
}

func TestTheLargestNumbersFit(t *testing.T) {
	t.Parallel()
	const width = 256
	for _, c := range []struct {
		q, row int8
		want   int32
	}{{127, 127, width * 127 * 127}, {-127, 127, -width * 127 * 127}, {127, -127, -width * 127 * 127}, {-127, -127, width * 127 * 127}, {0, 127, 0}} {
		got := make([]int32, 1)
		Products(got, slices.Repeat([]int8{c.q}, width), slices.Repeat([]int8{c.row}, width))
		if got[0] != c.want {
			t.Errorf("%d times %d: got %d, want %d", c.q, c.row, got[0], c.want)
		}
	}
}

func TestLengthsThatDoNotFitAreRefused(t *testing.T) {
	t.Parallel()
	refused := func(name string, f func()) {
		defer func() {
			if recover() == nil {
				t.Errorf("%s: got no panic", name)
			}
		}()
		f()
	}
	refused("two rows where there is room for one", func() { Products(make([]int32, 1), make([]int8, 32), make([]int8, 64)) })
	refused("two fine rows where there is room for one", func() { FineProducts(make([]int32, 1), make([]int16, 16), make([]uint64, 4)) })
	refused("a fine row that is not taken whole", func() { FineProducts(make([]int32, 1), make([]int16, 8), make([]uint64, 1)) })
	refused("a row longer than the sum", func() { AddTimes(make([]int64, 32), make([]int8, 64), 1) })
}

func random(rng *rand.Rand, n int) []int8 {
	v := make([]int8, n)
	for i := range v {
		v[i] = int8(rng.IntN(255) - 127)
	}
	return v
}

// What a search over 100,000 conversations multiplies, on one core.
func BenchmarkFineProducts(b *testing.B) {
	const width, n = 256, 100_000
	q, rows, out := make([]int16, width), make([]uint64, n*width/8), make([]int32, n)
	for b.Loop() {
		FineProducts(out, q, rows)
	}
}

// What one search of a caller with 10,000 turns multiplies.
func BenchmarkProducts(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	const width, n = 256, 10_000
	q, rows, out := random(rng, width), random(rng, width*n), make([]int32, n)
	for name, products := range map[string]func([]int32, []int8, []int8){"here": Products, "plain": plainProducts} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(width * n)
			for b.Loop() {
				products(out, q, rows)
			}
		})
	}
}

// What one word adds to its text's vector.
func BenchmarkAddTimes(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	const width = 256
	sum, row := make([]int64, width), random(rng, width)
	for name, add := range map[string]func([]int64, []int8, int32){"here": AddTimes, "plain": plainAddTimes} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				add(sum, row, 3)
			}
		})
	}
}
