package static

import (
	_ "embed"
	"strings"
	"sync"

	"github.com/recallerhq/recaller/internal/recall/token"
)

// english has the English terms that are said most, the most common first. The rows of the English table have no such
// order; those of each language of the foreign one have.
//
//go:embed english.txt
var english string

var ranks = sync.OnceValue(func() map[string]int {
	m := make(map[string]int)
	for term := range strings.FieldsSeq(english) {
		m[term] = len(m)
	}
	return m
})

// tongues is how many languages the foreign table has, each with as many rows.
const tongues = 5

// Rank returns how many words of a language are said more than a token, as token.Scanner's Word cuts it: 0 is the most
// common one. It is false for a token that is not among the most common thousands, or says nothing.
func Rank(l token.Language, tok []byte) (int, bool) {
	term := l.Term(string(tok))
	if term == "" {
		return 0, false
	}
	if l == token.English {
		rank, ok := ranks()[term]
		return rank, ok
	}
	of := initial(l)
	if of == 0 {
		return 0, false
	}
	t := others()
	row, ok := t.named(of, term)
	return int(row % (t.count / tongues)), ok
}
