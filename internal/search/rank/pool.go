package rank

import (
	"math"
	"slices"

	"github.com/recallerhq/recaller/internal/embed/static"
	"github.com/recallerhq/recaller/internal/recall/token"
)

// pool holds what the conversations say, each word once.
type pool struct {
	words map[string]int32 // folded word → its number in seen
	seen  []seen
	stems map[string]int32
	found []int // by stem: in how many conversations it occurs

	// Words that have a vector, by their number.
	vectors []int8
	lengths []float32
	rows    []uint32
	stemOf  []int32
	rarity  []float64

	docs []doc
	mean float64 // terms of a conversation
}

// seen is a word.
type seen struct {
	stem  int32 // -1: none
	known int32 // its number among those that have a vector; -1: none
}

// doc is one conversation.
type doc struct {
	stems  map[int32]int32 // with how often each is said
	known  []int32         // its words that have a vector
	counts []int32         // how often each of them is said
	length float64
}

// read reads what the conversations say.
func read(talks []Talk) *pool {
	p := &pool{words: map[string]int32{}, stems: map[string]int32{}, docs: make([]doc, len(talks))}
	var counts []int32
	var order []int32
	for i, t := range talks {
		d := &p.docs[i]
		d.stems = map[int32]int32{}
		for _, text := range slices.Concat(t.Said, t.Written) {
			var s token.Scanner
			for s.Reset(text); s.Next(); {
				w := p.word(s.Bytes())
				if p.seen[w].stem < 0 {
					continue
				}
				if counts = append(counts, make([]int32, len(p.seen)-len(counts))...); counts[w] == 0 {
					order = append(order, w)
				}
				counts[w]++
			}
		}
		for _, w := range order {
			n, known := counts[w], p.seen[w].known
			d.stems[p.seen[w].stem] += n
			d.length += float64(n)
			if known >= 0 {
				d.known, d.counts = append(d.known, known), append(d.counts, n)
			}
			counts[w] = 0
		}
		order = order[:0]
		for stem := range d.stems {
			p.found[stem]++
		}
		p.mean += d.length / float64(len(talks))
	}
	p.mean = max(1, p.mean)
	p.rarity = make([]float64, len(p.stemOf))
	for j, stem := range p.stemOf {
		p.rarity[j] = idf(len(p.docs), p.found[stem])
	}
	return p
}

// word returns a word's number.
func (p *pool) word(tok []byte) int32 {
	if n, ok := p.words[string(tok)]; ok {
		return n
	}
	w, n := string(tok), int32(len(p.seen))
	s := seen{stem: -1, known: -1}
	if term := token.Term(w); term != "" {
		stem, ok := p.stems[term]
		if !ok {
			stem = int32(len(p.found))
			p.stems[term], p.found = stem, append(p.found, 0)
		}
		s.stem = stem
		if row, vec, length, ok := vectorOf(tok); ok {
			s.known = int32(len(p.lengths))
			p.vectors, p.lengths = append(p.vectors, vec...), append(p.lengths, length)
			p.rows, p.stemOf = append(p.rows, row), append(p.stemOf, stem)
		}
	}
	p.words[w], p.seen = n, append(p.seen, s)
	return n
}

// vectorOf returns the vector of a word that the table holds whole.
func vectorOf(tok []byte) (row uint32, vec []int8, length float32, ok bool) {
	rows := static.Rows(tok, nil)
	if len(rows) != 1 {
		return 0, nil, 0, false
	}
	var sum static.Sum
	sum.Add(rows[0], 1)
	vec = make([]int8, static.Width)
	return rows[0], vec, sum.Int8(vec), true
}

// stem returns a stem's number; -1 for one that no conversation has.
func (p *pool) stem(s string) int32 {
	if n, ok := p.stems[s]; ok {
		return n
	}
	return -1
}

func (p *pool) idf(stem string) float64 {
	if n := p.stem(stem); n >= 0 {
		return idf(len(p.docs), p.found[n])
	}
	return idf(len(p.docs), 0)
}

// idf returns how much it tells that a conversation has what found of n have. It goes by their share, as if n were
// always the same, so that scores mean the same whatever n is.
func idf(n, found int) float64 {
	const always = 200
	have := always * float64(found) / float64(max(1, n))
	return math.Log(1 + (always-have+0.5)/(have+0.5))
}
