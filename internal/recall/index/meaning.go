package index

import (
	"github.com/recallerhq/recaller/internal/embed/static"
	"github.com/recallerhq/recaller/internal/recall/token"
	"github.com/recallerhq/recaller/internal/vector"
)

// This file is about likeness of meaning: each doc has a vector, the sum of its words' vectors, in whole numbers, and
// so has the query. Vectors find what is said in other words; they never decide alone (see Weights).

// vectorSum adds up the vectors of one doc's words.
type vectorSum struct {
	sum  static.Sum
	rows []uint32
}

// add adds a word's rows.
func (v *vectorSum) add(rows []uint32) {
	for _, r := range rows {
		v.sum.Add(r, 1)
	}
}

// take appends the vector, all zeros where no word has one, to vectors and its length to lengths, and begins anew.
func (v *vectorSum) take(vectors []int8, lengths []float32) ([]int8, []float32) {
	var own [static.Width]int8
	length := v.sum.Int8(own[:])
	v.sum.Reset()
	return append(vectors, own[:]...), append(lengths, length)
}

// vectorOf returns the vector of a query's words and its length; nil where no word has one.
func (ix *Index) vectorOf(text string, words []queryWord) ([]int8, float32) {
	var v vectorSum
	l := ix.languageOf(text, words)
	for _, w := range words {
		v.rows = rowsOf(l, []byte(w.in(l)), v.rows[:0])
		v.add(v.rows)
	}
	own := make([]int8, static.Width)
	length := v.sum.Int8(own)
	if length == 0 {
		return nil, 0
	}
	return own, length
}

// languageOf returns the language that a query is asked in. A few nouns tell none: they are taken for that of English
// and the caller's own which knows more of them.
func (ix *Index) languageOf(text string, words []queryWord) token.Language {
	var d token.Detector
	d.Add(text)
	l := d.Language()
	if l != token.English && l != token.Unknown || ix.main == token.English || !static.Knows(ix.main) {
		if l == token.Unknown {
			return token.English
		}
		return l
	}
	var known [2]int
	var rows []uint32
	for _, w := range words {
		for i, l := range [2]token.Language{token.English, ix.main} {
			if l.Stop(w.in(l)) || len(rowsOf(l, []byte(w.in(l)), rows[:0])) > 0 {
				known[i]++
			}
		}
	}
	if known[1] > known[0] || l == token.Unknown && known[1] == known[0] {
		return ix.main
	}
	return token.English
}

// scoreMeaning compares the query with every doc. A conversation is as like as its three likest turns are in the mean,
// or all of them where it has fewer.
func (s *search) scoreMeaning() {
	if s.weights.Meaning == 0 && s.weights.SessionMeaning == 0 {
		return
	}
	if s.lean != nil {
		s.scoreSketches()
		return
	}
	s.scoreByModel()
	if s.parsed.vector == nil && s.alike == nil {
		return
	}
	if s.parsed.vector != nil {
		vector.Products(s.products, s.parsed.vector, s.vectors)
	}
	for i := range s.docs {
		d := &s.docs[i]
		if s.alike == nil && s.products[i] <= 0 || !s.seen(d) {
			continue
		}
		own := s.cosine(i)
		if own <= 0 {
			continue
		}
		s.cosines[i] = own * s.side(d)
		if d.kind <= assistantTurn {
			s.likest[d.session].take(s.cosines[i])
		}
	}
}

// cosine is how alike a doc is to the query, whoever said it: by the model that made vectors of both, else by the
// built-in table.
func (s *search) cosine(i int) float32 {
	if r := s.modelRow(i); r >= 0 {
		return s.alike[r]
	}
	if s.parsed.vector == nil || s.vectorLengths[i] == 0 {
		return 0
	}
	return float32(s.products[i]) / (s.parsed.length * s.vectorLengths[i])
}

// row returns a doc's vector, which is only to be read.
func (ix *Index) row(i int) []int8 { return ix.vectors[i*static.Width : (i+1)*static.Width] }

// likest keeps the three greatest of the likenesses that it takes.
type likest struct {
	top [3]float32
	n   int8 // how many it took, at most 3
}

func (l *likest) take(v float32) {
	l.n = min(l.n+1, int8(len(l.top)))
	switch a, b, c := l.top[0], l.top[1], l.top[2]; {
	case v > a:
		l.top = [3]float32{v, a, b}
	case v > b:
		l.top = [3]float32{a, v, b}
	case v > c:
		l.top = [3]float32{a, b, v}
	}
}

func (l *likest) mean() float32 {
	if l.n == 0 {
		return 0
	}
	return (l.top[0] + l.top[1] + l.top[2]) / float32(l.n)
}
