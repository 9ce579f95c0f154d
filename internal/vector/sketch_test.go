package vector

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestASketchTellsHowAlikeVectorsAre(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(3, 4))
	const n = 2000
	q := random(rng, SketchWidth)
	query := NewQuery(q)
	var rows []byte
	var exact, scales []float32
	for i := range n {
		v := random(rng, SketchWidth)
		share := float32(i%10) / 10
		for j := range v {
			v[j] = int8(share*float32(q[j]) + (1-share)*float32(v[j]))
		}
		length := lengthOf(v)
		var scale float32
		rows, scale = Sketch(rows, v, length)
		scales = append(scales, scale)
		var product [1]int32
		Products(product[:], q, v)
		exact = append(exact, float32(product[0])/length/lengthOf(q))
	}
	out := make([]int32, n)
	query.Rough(out, rows)
	var square, bias float64
	for i := range out {
		off := float64(float32(out[i])*scales[i]*query.Scale()/lengthOf(q) - exact[i])
		square += off * off
		bias += off
	}
	if off := math.Sqrt(square / n); off > 0.025 {
		t.Errorf("got a cosine that is %.4f off in the mean, want at most 0.025", off)
	}
	if off := math.Abs(bias / n); off > 0.003 {
		t.Errorf("got cosines that are shifted by %.4f, want none", off)
	}
	if _, scale := Sketch(nil, make([]int8, SketchWidth), 0); scale != 0 {
		t.Errorf("a vector without direction: got the scale %v, want 0", scale)
	}
}

func TestTheMachineCodeAndThePlainLoopAgreeOnSketches(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(5, 6))
	for _, n := range []int{0, 1, 2, 100} {
		query := NewQuery(random(rng, SketchWidth))
		rows := make([]byte, n*SketchBytes)
		for i := range rows {
			rows[i] = byte(rng.Uint32())
		}
		got, want := make([]int32, n), make([]int32, n)
		query.Rough(got, rows)
		query.plain(want, rows)
		if !slices.Equal(got, want) {
			t.Fatalf("%d sketches: got %v, want %v", n, got, want)
		}
	}
}

func lengthOf(v []int8) float32 {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	return float32(math.Sqrt(sum))
}

func BenchmarkRough(b *testing.B) {
	rng := rand.New(rand.NewPCG(7, 8))
	const n = 100_000
	rows := make([]byte, n*SketchBytes)
	for i := range rows {
		rows[i] = byte(rng.Uint32())
	}
	out := make([]int32, n)
	query := NewQuery(random(rng, SketchWidth))
	for b.Loop() {
		query.Rough(out, rows)
	}
	b.ReportMetric(float64(b.Elapsed())/float64(b.N)/n, "ns/sketch")
}
