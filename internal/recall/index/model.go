package index

import (
	"math"
	"slices"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/recall/token"
	"github.com/recallerhq/recaller/internal/vector"
)

// This file is about vectors that a configured model made of turns (docs/recall.md): where a turn has one and the query
// has one by the same model, they say how alike the two are, in every language that the model knows. What has none yet
// is compared by the built-in table.

// modelled are the vectors of one model.
type modelled struct {
	model   string
	width   int
	rows    []int8 // width numbers each
	lengths []float32
	of      []int32 // by doc: 1 and its row; 0, or beyond the end: it has none
}

// modelOverhead is what a row takes beside its numbers.
const modelOverhead = 12

// Attach takes vectors of turns by a model in, in place of all those of another model or width. Those of turns that
// cannot be found are left out.
func (ix *Index) Attach(vectors []recaller.TurnVectors) {
	by := make(map[int32][]recaller.TurnVectors, len(vectors))
	for _, v := range vectors {
		if si, ok := ix.byID[v.Conversation]; ok && v.Width > 0 && len(v.Data) == v.Width*len(v.Numbers) {
			ix.adopt(v.Model, v.Width)
			by[si] = append(by[si], v)
		}
	}
	if len(by) == 0 {
		return
	}
	ix.by.of = append(ix.by.of, make([]int32, len(ix.docs)-len(ix.by.of))...)
	for i := range ix.docs {
		d := &ix.docs[i]
		if d.kind > assistantTurn || ix.by.of[i] > 0 {
			continue
		}
		for _, v := range by[d.session] {
			at, ok := slices.BinarySearch(v.Numbers, ix.sessions[d.session].turns[d.place].Number)
			if ok && v.Model == ix.by.model && v.Width == ix.by.width {
				ix.give(i, v.Data[at*v.Width:(at+1)*v.Width])
			}
		}
	}
}

// adopt makes room for the vectors of a model, and lets those of another one go.
func (ix *Index) adopt(model string, width int) {
	if ix.by.model == model && ix.by.width == width {
		return
	}
	ix.bytes -= int64(len(ix.by.rows) + modelOverhead*len(ix.by.lengths))
	ix.by = modelled{model: model, width: width}
}

// give gives a doc its vector.
func (ix *Index) give(i int, row []int8) {
	ix.by.rows = append(ix.by.rows, row...)
	ix.by.lengths = append(ix.by.lengths, lengthOf(row))
	ix.by.of[i] = int32(len(ix.by.lengths))
	ix.bytes += int64(len(row)) + modelOverhead
}

func lengthOf(row []int8) float32 {
	var square int64
	for _, x := range row {
		square += int64(x) * int64(x)
	}
	return float32(math.Sqrt(float64(square)))
}

// Attached returns how many turns have a vector of a model's.
func (ix *Index) Attached() int { return len(ix.by.lengths) }

// Lack is a conversation's turns that have no vector by a model.
type Lack struct {
	Conversation recaller.ConversationID
	Numbers      []int // rising
	Texts        []string
	Before       []string // of each turn, the one that it answers; empty where it answers none
}

// Lacking returns turns that have no vector by the model, at most n of them, those of the latest conversation first. A
// model of dialogues reads conversations in English alone, or in no language that can be told; and of a long history
// what people say, not the agent.
func (ix *Index) Lacking(model string, n int, dialogue bool) []Lack {
	last := assistantTurn
	if dialogue && !ix.Short() {
		last = userTurn
	}
	by := make(map[int32]*Lack)
	var order []int32
	for i := len(ix.docs) - 1; i >= 0 && n > 0; i-- {
		d := &ix.docs[i]
		if d.kind > last || d.gone || ix.by.model == model && i < len(ix.by.of) && ix.by.of[i] > 0 {
			continue
		}
		s := &ix.sessions[d.session]
		if dialogue && s.told != token.English && s.told != token.Unknown {
			continue
		}
		l, ok := by[d.session]
		if !ok {
			l = &Lack{Conversation: s.id}
			by[d.session], order = l, append(order, d.session)
		}
		l.Numbers, l.Texts = append(l.Numbers, s.turns[d.place].Number), append(l.Texts, s.turns[d.place].Text)
		l.Before = append(l.Before, ix.answered(i))
		n--
	}
	out := make([]Lack, len(order))
	for i, si := range order {
		slices.Reverse(by[si].Numbers)
		slices.Reverse(by[si].Texts)
		slices.Reverse(by[si].Before)
		out[i] = *by[si]
	}
	return out
}

// scoreByModel compares the query's vector with those of the same model.
func (s *search) scoreByModel() {
	v := &s.q.Vector
	if v.Model == "" || v.Model != s.by.model || len(v.Data) != s.by.width || len(s.by.lengths) == 0 {
		return
	}
	products := make([]int32, len(s.by.lengths))
	vector.Products(products, v.Data, s.by.rows)
	length := lengthOf(v.Data)
	alike := make([]float32, len(products))
	for r, p := range products {
		if all := length * s.by.lengths[r]; all > 0 {
			alike[r] = v.Gain * (float32(p)/all - v.Base)
		}
	}
	if v.Dialogue {
		s.fits = alike
	} else {
		s.alike = alike
	}
}

// answered returns the text of the turn that a turn answers; empty where it answers none.
func (ix *Index) answered(i int) string {
	d := &ix.docs[i]
	if d.answers == 0 || ix.docs[i-int(d.answers)].gone {
		return ""
	}
	return ix.text(&ix.docs[i-int(d.answers)])
}

// fit is how well a turn answers the query by the model that read it in its dialogue; false where it read none.
func (s *search) fit(i int) (float32, bool) {
	if s.fits == nil || i >= len(s.by.of) || s.by.of[i] == 0 {
		return 0, false
	}
	return s.fits[s.by.of[i]-1], true
}

// modelRow is the row of a doc's vector that the query is compared with; -1: there is none.
func (s *search) modelRow(i int) int {
	if s.alike == nil || i >= len(s.by.of) {
		return -1
	}
	return int(s.by.of[i]) - 1
}

// between is how alike two rows are.
func (s *search) between(r, q int) float32 {
	var product [1]int32
	w := s.by.width
	vector.Products(product[:], s.by.rows[r*w:(r+1)*w], s.by.rows[q*w:(q+1)*w])
	if all := s.by.lengths[r] * s.by.lengths[q]; all > 0 {
		return s.q.Vector.Gain * (float32(product[0])/all - s.q.Vector.Base)
	}
	return 0
}
