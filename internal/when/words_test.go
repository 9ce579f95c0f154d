package when

import (
	"testing"
)

// A word that no token is never matches.
func TestEveryWordOfAListIsAToken(t *testing.T) {
	check := func(list, w string) {
		toks := tokenize(w)
		if len(toks) != 1 || toks[0].w != w || toks[0].kind != word {
			t.Errorf("%s: %q is read as %v", list, w, toks)
		}
	}
	for name, list := range sets {
		for w := range list {
			check(name, w)
		}
	}
	for l, o := range tongues {
		for w := range o.words {
			check(string('0'+rune(l)), w)
		}
	}
}
