package guard

import (
	"testing"
)

// What a word list holds is compared with tokens, in which an apostrophe begins a word of its own and accents are gone.
// Those of stops are also compared with what stands in quotes.
func TestEveryWordOfAListIsAToken(t *testing.T) {
	for name, list := range map[string]map[string]bool{
		"cues": cues, "readOut": readOut, "demands": demands, "troubles": troubles, "nods": nods, "months": months, "links": links, "verbs": verbs,
		"purposes": purposes, "counted": counted, "places": places, "techWords": techWords, "signNames": signNames, "clauses": clauses,
		"leadIns": leadIns, "afters": afters, "fillers": fillers, "currencies": currencies,
	} {
		for w := range list {
			said := w
			if w[0] == '\'' {
				said = "it" + w
			}
			toks := tokenize(said)
			if got := toks[len(toks)-1].s; got != w || len(toks) > 1 && w[0] != '\'' {
				t.Errorf("%s: %q is read as %d tokens, the last %q", name, w, len(toks), got)
			}
		}
	}
}
