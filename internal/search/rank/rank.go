// Package rank orders conversations for a query by what was said in them. It is the second step of a search over a
// tenant's conversations, and reads the few that the first step found. A score is a sum of legs, like recall's: the
// words that both share, how alike their other words are, and how alike the conversation is as a whole (docs/adr/0019).
//
// It is pure. It does not choose what to rank (search), and does not rank a caller's turns (recall/index).
package rank

import (
	"cmp"
	"math"
	"slices"

	"github.com/recallerhq/recaller/internal/embed/static"
	"github.com/recallerhq/recaller/internal/vector"
)

// Talk is a conversation to rank, without what must not be found.
type Talk struct {
	Said    []string // its turns
	Written []string // its summary and labels
	Cosine  float64  // the embedder's cosine of query and conversation; 0: not known, or not alike
	By      Maker    // the embedder
}

// Maker is who embedded query and conversations.
type Maker uint8

// The makers.
const (
	Table      Maker = iota // the built-in table of words
	Both                    // the table, and the built-in model that reads dialogues
	Configured              // a configured model; the table's knowledge of meaning then counts half
)

// Leg is one of the sides from which a conversation is judged.
type Leg uint8

// The legs, in the order in which explanations list equal ones.
const (
	Words     Leg = iota // the shared words, by BM25, more the larger their share of the query
	Likeness             // how like the query's words are to the conversation's likest words
	Meaning              // how like the whole conversation is to the query, rare words counting more
	Embedding            // the cosine of the embedder
	legs
)

// String returns the leg's name in explanations.
func (l Leg) String() string {
	return [legs]string{"words", "likeness", "meaning", "embedding"}[l]
}

// weights are the weights of the legs for each Maker, found on tuning questions (docs/measurements/search.md).
var weights = [...][legs]float64{
	Table:      {Words: 0.3, Likeness: 0.7, Meaning: 5, Embedding: 9},
	Both:       {Words: 0.3, Likeness: 0.7, Meaning: 5, Embedding: 39},
	Configured: {Words: 0.3, Likeness: 0.35, Meaning: 2.5, Embedding: 9},
}

// floors are the least scores of a relevant conversation that shares no word with the query.
var floors = [...]float64{Table: 0.9, Both: 2.5, Configured: 0.9}

// Ranked is a conversation with its score.
type Ranked struct {
	Talk  int // its index among the talks given
	Score float64
	Legs  [legs]float64 // what each gave
	Terms []Term        // the stems of the query that it has, those that tell most first
	by    Maker
}

// Near reports whether anything in the query speaks for the conversation.
func (r Ranked) Near() bool { return r.Legs[Words] > 0 || r.Score >= floors[r.by] }

// Term is a stem that query and conversation share.
type Term struct {
	Stem   string
	Weight float64 // of Words
}

// The constants of BM25.
const (
	k1 = 1.2
	b  = 0.75
)

// whole is the value of the leg of words for a conversation that says all of the query. It outweighs meaning alone.
const whole = 10

// mostAlike is the most that the likeness of two words counts.
const mostAlike = 0.8

// byChance returns how like the likest of n words is to a word that has nothing to do with any of them. It was measured
// on 10 to 80 words, and rises by a constant each time that n doubles.
func byChance(n int) float64 { return max(0, 0.075*math.Log(float64(max(1, n)))-0.045) }

// Rank ranks conversations for a query, best first. Equal ones keep their order.
func (q Query) Rank(talks []Talk) []Ranked {
	r := ranking{query: q, pool: read(talks)}
	r.weigh()
	r.compare()
	out := make([]Ranked, len(talks))
	for i := range talks {
		out[i] = r.one(i, talks[i])
	}
	slices.SortStableFunc(out, func(a, b Ranked) int { return cmp.Compare(b.Score, a.Score) })
	return out
}

// ranking is a query in the course of Rank.
type ranking struct {
	query Query
	pool  *pool
	idf   []float64   // by query word
	like  [][]float32 // by query word and word of the pool: how alike; nil for one that has no vector
	sum   static.Sum
	own   [static.Width]int8
	asked [static.Width]int8 // the query's vector
	long  float32            // its length; 0: none
}

// weigh finds how rare the query's words are among the conversations, and makes its vector.
func (r *ranking) weigh() {
	r.idf = make([]float64, len(r.query.words))
	for i, w := range r.query.words {
		r.idf[i] = r.pool.idf(w.stem)
		if w.known {
			r.sum.Add(w.row, times(r.idf[i], 1))
		}
	}
	r.long = r.sum.Int8(r.asked[:])
}

// times returns how often a word counts in a vector. Whole numbers add up the same on every machine.
func times(idf float64, n int32) int { return max(1, int(8*idf*(1+math.Log(float64(n))))) }

// compare compares each word of the query with each of the conversations'.
func (r *ranking) compare() {
	r.like = make([][]float32, len(r.query.words))
	products := make([]int32, len(r.pool.lengths))
	for i, w := range r.query.words {
		if !w.known || len(products) == 0 {
			continue
		}
		vector.Products(products, w.vector, r.pool.vectors)
		r.like[i] = make([]float32, len(products))
		for j, p := range products {
			if all := w.length * r.pool.lengths[j]; all > 0 {
				r.like[i][j] = float32(p) / all
			}
		}
	}
}

// one scores a conversation by every leg.
func (r *ranking) one(i int, t Talk) Ranked {
	d := &r.pool.docs[i]
	out := Ranked{Talk: i, by: t.By}
	out.Legs[Embedding] = max(0, t.Cosine)
	out.Legs[Meaning] = r.meaning(d)
	chance := byChance(len(d.known))
	said, same, asked, met := 0.0, 0.0, 0.0, 0.0
	for k, w := range r.query.words {
		worth := w.weight * r.idf[k]
		asked += worth
		if n := d.stems[r.pool.stem(w.stem)]; n > 0 {
			met += worth
			same += worth * (mostAlike - chance)
			gives := r.idf[k] * saturated(float64(n), d.length/r.pool.mean)
			said += gives
			out.Terms = append(out.Terms, Term{w.stem, gives})
			continue
		}
		likest := float32(0)
		for _, j := range d.known {
			if r.like[k] != nil {
				likest = max(likest, r.like[k][j])
			}
		}
		out.Legs[Likeness] += worth * max(0, min(float64(likest), mostAlike)-chance)
	}
	share := 0.0 // one word of many may match by chance, all of them hardly
	if asked > 0 {
		share = met / asked
	}
	out.Legs[Words] = said * share
	if len(out.Terms) > 0 && len(out.Terms) == len(r.query.words) {
		out.Legs[Words] += whole
	}
	out.Legs[Likeness] += same * share * share
	for l := range out.Legs {
		out.Legs[l] *= weights[t.By][l]
		out.Score += out.Legs[l]
	}
	for k := range out.Terms {
		out.Terms[k].Weight *= share * weights[t.By][Words]
	}
	slices.SortStableFunc(out.Terms, func(a, b Term) int { return cmp.Compare(b.Weight, a.Weight) })
	return out
}

// saturated returns BM25's share of a word's weight, for how often it is said in a conversation of a relative length.
func saturated(n, length float64) float64 { return n * (k1 + 1) / (n + k1*(1-b+b*length)) }

// meaning returns the cosine of the query with all that a conversation says, each word once, rare ones counting more.
func (r *ranking) meaning(d *doc) float64 {
	if r.long == 0 {
		return 0
	}
	r.sum.Reset()
	for k, j := range d.known {
		r.sum.Add(r.pool.rows[j], times(r.pool.rarity[j], d.counts[k]))
	}
	length := r.sum.Int8(r.own[:])
	if length == 0 {
		return 0
	}
	var product [1]int32
	vector.Products(product[:], r.asked[:], r.own[:])
	return max(0, float64(product[0])/float64(length*r.long))
}
