package forgotten

import (
	"math"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/recallerhq/recaller/internal/embed/static"
	"github.com/recallerhq/recaller/internal/memory/likeness"
	"github.com/recallerhq/recaller/internal/recall/token"
	"github.com/recallerhq/recaller/internal/speech"
	"github.com/recallerhq/recaller/internal/wrapup/name"
)

// This file says what tells a private value: a name, a rare word or a large amount that it has, or half of it. A word counts
// by how rare it is in its language, so that what everybody says tells nothing. Forms of a word are one, and so are words
// that mean the same, also in another language, as far as the built-in vectors know them.

// secret is what a private value is known by.
type secret struct {
	lang    token.Language
	words   []clue // of the value, and then of its key
	total   float64
	amounts []string
}

// clue is a word of a private value.
type clue struct {
	term   string
	weight float64 // how much of the value it says; 0: a word of the key, which says nothing of it
	alone  bool    // it tells the value by itself
	common bool    // a number, or a day, which is like any other
	sense  []float32
}

// How rare a word is, by its rank among those of its language.
const (
	rare       = 600   // it tells by itself
	rareGerman = 4000  // the ranks of German are guessed, and its verbs' are too high
	unlisted   = 15000 // of a word that is not listed
	ordinary   = 50    // the rank from which on a word says something
	leastRare  = 3     // letters of a word that tells by itself
	calendrial = 1.0   // what a weekday or a short number weighs
)

// How much of a value tells it, and how near two words point that mean the same: translations mostly are, other words of the same
// matter hardly ever.
const (
	enough = 0.45
	alike  = 0.68
)

// secretOf returns what the value under a key is known by.
func secretOf(key, value string) *secret {
	s := &secret{lang: static.LanguageOf(value)}
	said := words(value)
	for _, sentence := range said.sentences {
		for i, w := range sentence {
			s.add(w, true, i > 0 && sentence[i-1].capital)
		}
	}
	for _, sentence := range words(strings.ReplaceAll(likeness.NormalKey(key), "_", " ")).sentences {
		for _, w := range sentence {
			if !fillers[w.stem] && !common[w.stem] {
				s.add(w, false, false)
			}
		}
	}
	s.amounts = amounts(said)
	return s
}

// add takes in a word of the value, or of its key. beside says that one with a capital stands before it: in German that makes
// a name of a noun.
func (s *secret) add(w word, value, beside bool) {
	term := s.lang.Term(w.text)
	if term == "" || w.stem == "" || slices.ContainsFunc(s.words, func(c clue) bool { return c.term == term }) {
		return
	}
	rank := rank(s.lang, w.text)
	c := clue{term: term, sense: sense(s.lang, w.text)}
	c.common = figures(w.text) || calendar[strings.TrimSuffix(w.text, "s")] || speech.IsNumber(w.text)
	if value {
		c.weight = math.Log1p(float64(rank) / ordinary)
		if c.common {
			c.weight = min(c.weight, calendrial)
		}
		s.total += c.weight
	}
	least := rare
	if s.lang == token.German {
		least = rareGerman
	}
	named := value && (w.loud || w.capital && !w.first && (s.lang != token.German || beside || name.Given(w.text))) && !greetings[w.text]
	c.alone = !c.common && (named || rank >= least && utf8.RuneCountInString(w.text) >= leastRare)
	s.words = append(s.words, c)
}

// rank returns how common a word is in a language. One that says nothing in any language is as common as can be: a few words
// do not tell theirs for sure.
func rank(l token.Language, w string) int {
	for any := token.English; any <= token.Italian; any++ {
		if any.Stop(w) {
			return 0
		}
	}
	if r, listed := static.Rank(l, []byte(w)); listed {
		return r
	}
	return unlisted
}

// sense is where a word points, at length 1; nil for one that the vectors do not know as a whole.
func sense(l token.Language, w string) []float32 {
	var sum static.Sum
	rows := static.RowsIn(l, []byte(w), nil)
	if len(rows) != 1 {
		return nil
	}
	sum.Add(rows[0], 1)
	v := make([]float32, static.Width)
	sum.Unit(v)
	return v
}

// like returns the words of the value that a word of a text in language l is like, by their places.
func (s *secret) like(l token.Language, w string) []int {
	var out []int
	term := s.lang.Term(w)
	var points []float32
	for i, c := range s.words {
		switch {
		case term != "" && akin(c.term, term):
			out = append(out, i)
			continue
		case c.sense == nil || c.common:
			continue
		case points == nil:
			if points = sense(l, w); points == nil {
				points = []float32{}
			}
		}
		if cosine(c.sense, points) >= alike {
			out = append(out, i)
		}
	}
	return out
}

func cosine(a, b []float32) (x float64) {
	for i := range b {
		x += float64(a[i]) * float64(b[i])
	}
	return x
}

// How much two words share at their beginnings that are forms of one: "insolvent" and "Insolvenz".
const (
	leastAkin = 6
	mostAkin  = 0.75
)

// akin reports whether two terms are one word, or forms of one.
func akin(a, b string) bool {
	if a == b {
		return true
	}
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n >= leastAkin && float64(n) > mostAkin*float64(min(len(a), len(b)))
}

// in reports whether a text tells the value.
func (s *secret) in(said text) bool {
	l := said.language()
	return s.told(said, func(w string) []int { return s.like(l, w) })
}

// told is in, given what returns the words of the value that a word is like.
func (s *secret) told(said text, like func(string) []int) bool {
	if len(s.amounts) > 0 && slices.ContainsFunc(amounts(said), func(n string) bool { return slices.Contains(s.amounts, n) }) {
		return true
	}
	got, sum := make([]bool, len(s.words)), 0.0
	for _, sentence := range said.sentences {
		for _, w := range sentence {
			if w.stem == "" {
				continue
			}
			for _, i := range like(w.text) {
				if s.words[i].alone {
					return true
				}
				if !got[i] {
					got[i] = true
					sum += s.words[i].weight
				}
			}
		}
	}
	return sum > 0 && sum >= enough*s.total
}

// leastAmount is how much an amount is at least that tells by itself.
const leastAmount = 4 // digits

// amounts returns the large numbers of a text, in digits, whether they were said in words or in figures. Years are none.
func amounts(said text) []string {
	var out []string
	for _, sentence := range said.sentences {
		ws := make([]string, len(sentence))
		for i, w := range sentence {
			ws[i] = w.text
		}
		for _, n := range speech.Numbers(ws) {
			for _, v := range n.Values() {
				year := len(v) == leastAmount && (strings.HasPrefix(v, "19") || strings.HasPrefix(v, "20"))
				if len(v) >= leastAmount && !year {
					out = append(out, v)
				}
			}
		}
	}
	return out
}

// memo remembers what the words of texts are like. Safe for concurrent use.
type memo struct {
	mu   sync.Mutex
	like map[asked][][]int // by the value
}

type asked struct {
	lang token.Language
	word string
}

// most words that are remembered
const mostWords = 10000

func (m *memo) of(secrets []*secret, l token.Language, w string) [][]int {
	m.mu.Lock()
	defer m.mu.Unlock()
	if known, ok := m.like[asked{l, w}]; ok {
		return known
	}
	out := make([][]int, len(secrets))
	for i, s := range secrets {
		out[i] = s.like(l, w)
	}
	if len(m.like) < mostWords {
		m.like[asked{l, w}] = out
	}
	return out
}
