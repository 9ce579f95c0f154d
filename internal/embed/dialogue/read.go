package dialogue

import (
	"math"
	"sync"

	"github.com/recallerhq/recaller/internal/vector"
)

// desk is the working memory of one reading. All products are of whole numbers (internal/vector): each token's numbers
// are scaled to whole ones, and so is each row of weights.
type desk struct {
	n       int // tokens
	x       []float32
	y       []float32
	wide    []float32
	whole   []int8
	scales  []float32
	q, k, v []float32
	heads   headDesk
}

// block is how many rows of a matrix stay in the nearest cache while all tokens are multiplied by them.
const block = 32

// read returns the mean of what the model makes of the tokens. Those from first on are the turn.
func (d *desk) read(m *model, ids []int32, first int) []int8 {
	ids = ids[:min(len(ids), positions)]
	d.n = len(ids)
	d.x = grow(d.x, d.n*hidden)
	for i, id := range ids {
		kind := 0
		if i >= first {
			kind = 1
		}
		row, scale := m.words.cells[int(id)*hidden:][:hidden], m.words.scales[id]
		place, of := m.place[i*hidden:][:hidden], m.kind[kind*hidden:][:hidden]
		out := d.x[i*hidden:][:hidden]
		for j := range out {
			out[j] = float32(row[j])*scale + place[j] + of[j]
		}
	}
	m.first.apply(d.x)
	for i := range m.layers {
		d.layer(&m.layers[i])
	}
	return d.mean()
}

// layer lets each token look at all others, and then think on its own.
func (d *desk) layer(l *layer) {
	d.round(d.x, hidden)
	d.q, d.k, d.v = d.times(d.q, &l.query), d.times(d.k, &l.key), d.times(d.v, &l.value)
	d.y = grow(d.y, d.n*hidden)
	for h := range heads {
		d.heads.attend(d, h)
	}
	d.round(d.y, hidden)
	d.y = d.times(d.y, &l.out)
	add(d.x, d.y)
	l.attended.apply(d.x)

	d.round(d.x, hidden)
	d.wide = d.times(d.wide, &l.wide)
	gelu(d.wide)
	d.round(d.wide, inner)
	d.y = d.times(d.y, &l.back)
	add(d.x, d.y)
	l.thought.apply(d.x)
}

// round scales the tokens' numbers to whole ones.
func (d *desk) round(x []float32, width int) {
	d.whole, d.scales = grow(d.whole, d.n*width), grow(d.scales, d.n)
	for t := range d.n {
		d.scales[t] = round(d.whole[t*width:][:width], x[t*width:][:width])
	}
}

// round writes x to dst in whole numbers, the largest of which is 127, and returns what 1 stands for.
func round(dst []int8, x []float32) float32 {
	const sign = 1 << 31
	var bits uint32 // of the numbers without sign, which sort as these do, and compare without a branch
	for _, v := range x {
		bits = max(bits, math.Float32bits(v)&^sign)
	}
	largest := math.Float32frombits(bits)
	if largest == 0 {
		clear(dst)
		return 0
	}
	dst, scale := dst[:len(x)], 127/largest
	for i, v := range x {
		dst[i] = int8(int32(v*scale+128.5) - 128) // above 0 cutting off rounds
	}
	return largest / 127
}

// times multiplies the rounded tokens by a matrix.
func (d *desk) times(out []float32, l *linear) []float32 {
	rows := len(l.scales)
	out = grow(out, d.n*rows)
	var product [block]int32
	for from := 0; from < rows; from += block {
		cells := l.cells[from*l.width:][:block*l.width]
		scales, bias := l.scales[from:][:block], l.bias[from:][:block]
		for t := range d.n {
			vector.Products(product[:], d.whole[t*l.width:][:l.width], cells)
			to, unit := out[t*rows+from:][:block], d.scales[t]
			for i, p := range product {
				to[i] = float32(p)*unit*scales[i] + bias[i]
			}
		}
	}
	return out
}

// mean is the mean of all tokens, in whole numbers.
func (d *desk) mean() []int8 {
	var sum [hidden]float32
	for t := range d.n {
		for j, v := range d.x[t*hidden:][:hidden] {
			sum[j] += v
		}
	}
	out := make([]int8, hidden)
	round(out, sum[:])
	return out
}

func (l *lnorm) apply(x []float32) {
	for ; len(x) > 0; x = x[hidden:] {
		row := x[:hidden]
		var sum, square float32
		for _, v := range row {
			sum += v
		}
		mean := sum / hidden
		for _, v := range row {
			square += (v - mean) * (v - mean)
		}
		by := 1 / float32(math.Sqrt(float64(square/hidden)+1e-12))
		for j, v := range row {
			row[j] = (v-mean)*by*l.gain[j] + l.offset[j]
		}
	}
}

func add(x, y []float32) {
	for i, v := range y {
		x[i] += v
	}
}

// grow returns a slice of n numbers of any value.
func grow[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, n+n/2)
	}
	return s[:n]
}

// The curve that lets numbers through (Hendrycks, Gimpel: Gaussian error linear units, 2016) is read from a table,
// because its values are rounded to 127 steps afterwards anyway.
const (
	geluReach = 8
	geluSteps = 256 // for each 1
)

var geluTable = sync.OnceValue(func() *[2*geluReach*geluSteps + 1]float32 {
	var t [2*geluReach*geluSteps + 1]float32
	for i := range t {
		x := float64(i)/geluSteps - geluReach
		t[i] = float32(0.5 * x * (1 + math.Erf(x/math.Sqrt2)))
	}
	return &t
})

func gelu(x []float32) {
	table := geluTable()
	for i, v := range x {
		switch {
		case v >= geluReach:
		case v <= -geluReach:
			x[i] = 0
		default:
			x[i] = table[int((v+geluReach)*geluSteps+0.5)]
		}
	}
}
