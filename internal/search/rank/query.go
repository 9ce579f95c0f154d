package rank

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"github.com/recallerhq/recaller/internal/embed/static"
	"github.com/recallerhq/recaller/internal/recall/token"
)

// Query is what is searched for, without the words that only frame it: "callers who asked about weddings" asks for
// weddings.
type Query struct {
	words []word
	text  []string
}

// word is one telling word of a query.
type word struct {
	stem   string
	row    uint32
	vector []int8
	length float32
	weight float64
	known  bool // it has a vector
}

//go:embed frames.txt
var framing string

// frames are the words that frame a query.
var frames = sync.OnceValue(func() map[string]bool {
	out := map[string]bool{}
	for line := range strings.Lines(framing) {
		if !strings.HasPrefix(line, "#") {
			for _, w := range strings.Fields(line) {
				out[w] = true
			}
		}
	}
	return out
})

// maxWords is how many words of a query count.
const maxWords = 64

// Read reads a query. aside reports whether the word that begins at a byte stands for something other than the matter;
// such words count only if nothing else is left, and so do frames. A nil aside is true of none.
func Read(text string, aside func(at int) bool) Query {
	var all, unframed, telling Query
	var s token.Scanner
	for s.Reset(text); s.Next() && len(all.text) < maxWords; {
		tok := string(s.Bytes())
		all.add(tok)
		if frames()[tok] {
			continue
		}
		unframed.add(tok)
		if aside == nil || !aside(s.Start()) {
			telling.add(tok)
		}
	}
	for _, q := range []Query{telling, unframed} {
		if len(q.words) > 0 {
			return q
		}
	}
	return all
}

func (q *Query) add(tok string) {
	q.text = append(q.text, tok)
	stem := token.Term(tok)
	if stem == "" || slices.ContainsFunc(q.words, func(w word) bool { return w.stem == stem }) {
		return
	}
	w := word{stem: stem, weight: 1}
	for _, form := range forms(tok) {
		if w.row, w.vector, w.length, w.known = vectorOf([]byte(form)); w.known {
			w.weight = float64(static.Weight(w.row))
			break
		}
	}
	q.words = append(q.words, w)
}

// forms returns a word, and the words of which it may be an inflection, because the table does not hold every plural.
func forms(tok string) []string {
	out := []string{tok}
	for _, ending := range []string{"s", "es", "ed", "ing", "ers", "er"} {
		if stem, ok := strings.CutSuffix(tok, ending); ok && len(stem) > 3 {
			out = append(out, stem, stem+"e")
		}
	}
	return out
}

// Known reports whether the built-in table holds a word of the query. Otherwise its vector is made of pieces of words.
func (q Query) Known() bool {
	return slices.ContainsFunc(q.words, func(w word) bool { return w.known })
}

// Stems returns the stems of the words that count, in their order.
func (q Query) Stems() []string {
	out := make([]string, len(q.words))
	for i, w := range q.words {
		out[i] = w.stem
	}
	return out
}

// Text returns the query as it is embedded.
func (q Query) Text() string { return strings.Join(q.text, " ") }

// OnlyFrame reports whether a query has no telling word, apart from those at which aside is true.
func OnlyFrame(text string, aside func(at int) bool) bool {
	var s token.Scanner
	for s.Reset(text); s.Next(); {
		tok := string(s.Bytes())
		if token.Term(tok) != "" && !frames()[tok] && !aside(s.Start()) {
			return false
		}
	}
	return true
}
