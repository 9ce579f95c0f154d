package pin

import (
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/recallerhq/recaller/internal/embed/static"
)

// Words for things that people own, and for matters of a life; and for what is only spoken of in general. Of a word that
// is in neither list its vector tells which of them it is like.
const (
	things = `boiler car roof tooth dog garden passport laptop kitchen knee bike sofa window engine wedding mortgage surgery divorce house horse boat
		extension bathroom carpet fridge washing machine pension will visa school exam van shower radiator puppy driveway patio loft cottage funeral
		camper caravan guitar`
	generals = `focus impact effect skill feature benefit challenge role theme aspect resource opportunity insight sense tone discussion influence
		structure approach development principle concept strategy technique method tradition culture society environment nature content material
		design pattern factor element perspective context significance outcome potential trend engagement`
)

var (
	thingVector   = sync.OnceValue(func() []float32 { return sumOf(things) })
	generalVector = sync.OnceValue(func() []float32 { return sumOf(generals) })
)

func sumOf(words string) []float32 {
	out := make([]float32, static.Width)
	for w := range strings.FieldsSeq(words) {
		for i, x := range static.Vector(w) {
			out[i] += x
		}
	}
	return out
}

// thinglike is how much more an English word is like words for things than like general ones, from -1 to 1. A word that
// the table of vectors does not know as a whole is a rare one, and counts as a thing.
func thinglike(word string) float64 {
	if len(static.Rows([]byte(word), nil)) != 1 {
		return 1
	}
	v := static.Vector(word)
	return cosine(v, thingVector()) - cosine(v, generalVector())
}

// What is said around a topic in one conversation and another is alike. Of a few words that cannot be told.
const (
	coherent  = 0.3
	manyWords = 25
)

// scattered reports whether the caller says some terms of different things: the words around them in different
// conversations are many, and not alike.
func (r *reader) scattered(lead []string, in []int, talks []talk) bool {
	var vs [][]float32
	words := 0
	for _, i := range in {
		text := r.around(lead, talks[i])
		if text != "" {
			vs = append(vs, static.Vector(text))
		}
		words += strings.Count(text, " ")
	}
	sum, n := 0.0, 0
	for i, a := range vs {
		for _, b := range vs[i+1:] {
			sum, n = sum+cosine(a, b), n+1
		}
	}
	return words >= manyWords*len(in) && sum < coherent*float64(n)
}

// around returns what the caller says in the turns that have some terms, without these.
func (r *reader) around(lead []string, t talk) string {
	var b strings.Builder
	for _, at := range t.together(lead...) {
		for _, w := range r.words(t.Turns[at].Text, t.lang) {
			if w.term != "" && !slices.Contains(lead, w.term) {
				b.WriteString(w.Text)
				b.WriteByte(' ')
			}
		}
	}
	return b.String()
}

func cosine(a, b []float32) float64 {
	dot, x, y := 0.0, 0.0, 0.0
	for i := range a {
		dot, x, y = dot+float64(a[i]*b[i]), x+float64(a[i]*a[i]), y+float64(b[i]*b[i])
	}
	if x == 0 || y == 0 {
		return 0
	}
	return dot / math.Sqrt(x*y)
}
