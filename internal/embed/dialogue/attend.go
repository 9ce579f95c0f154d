package dialogue

import (
	"math"
	"sync"

	"github.com/recallerhq/recaller/internal/vector"
)

// headDesk is the working memory of one head: what each token looks for (q), offers (k) and tells (v), in whole
// numbers.
type headDesk struct {
	q, k    []int8 // a row for each token
	v       []int8 // a row for each number of a head, over the tokens
	qs, ks  []float32
	vs      [headWidth]float32
	column  []float32
	product []int32
	looks   []float32
	share   []int8
}

// attend writes what each token takes from all tokens, by one head, to the desk's y.
func (h *headDesk) attend(d *desk, head int) {
	padded := (d.n + block - 1) / block * block
	h.q, h.k, h.v = grow(h.q, d.n*headWidth), grow(h.k, d.n*headWidth), grow(h.v, headWidth*padded)
	h.qs, h.ks, h.column = grow(h.qs, d.n), grow(h.ks, d.n), grow(h.column, padded)
	h.product, h.looks, h.share = grow(h.product, padded), grow(h.looks, padded), grow(h.share, padded)
	at := head * headWidth
	for t := range d.n {
		h.qs[t] = round(h.q[t*headWidth:][:headWidth], d.q[t*hidden+at:][:headWidth])
		h.ks[t] = round(h.k[t*headWidth:][:headWidth], d.k[t*hidden+at:][:headWidth])
	}
	clear(h.column)
	for j := range headWidth {
		for t := range d.n {
			h.column[t] = d.v[t*hidden+at+j]
		}
		h.vs[j] = round(h.v[j*padded:][:padded], h.column)
	}
	for t := range d.n {
		h.take(d.y[t*hidden+at:][:headWidth], t, d.n, padded)
	}
}

// take writes what one token takes.
func (h *headDesk) take(out []float32, t, n, padded int) {
	products := h.product[:n]
	vector.Products(products, h.q[t*headWidth:][:headWidth], h.k[:n*headWidth])
	looks := h.looks[:padded]
	unit := h.qs[t] / float32(math.Sqrt(headWidth))
	largest := float32(-math.MaxFloat32)
	for i, p := range products {
		looks[i] = float32(p) * unit * h.ks[i]
		largest = max(largest, looks[i])
	}
	sum := shares(looks[:n], largest)
	clear(looks[n:])
	scale := round(h.share, looks) / sum
	var product [headWidth]int32
	vector.Products(product[:], h.share, h.v)
	for j := range out {
		out[j] = float32(product[j]) * scale * h.vs[j]
	}
}

// Powers of e are read from a table, because they are rounded to 127 steps afterwards anyway.
const (
	expReach = 16
	expSteps = 256 // for each unit
)

var expTable = sync.OnceValue(func() *[expReach*expSteps + 1]float32 {
	var t [expReach*expSteps + 1]float32
	for i := range t {
		t[i] = float32(math.Exp(-float64(i) / expSteps))
	}
	return &t
})

// shares replaces each look by e to the power of it less the largest, and returns their sum.
func shares(looks []float32, largest float32) (sum float32) {
	table := expTable()
	for i, v := range looks {
		looks[i] = 0
		if v = largest - v; v < expReach {
			looks[i] = table[int(v*expSteps+0.5)]
		}
		sum += looks[i]
	}
	return sum
}
