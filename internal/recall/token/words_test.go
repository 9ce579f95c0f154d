package token

import (
	"strings"
	"testing"
)

// A word that the scanner would never yield can never be met.
func TestListedWordsAreAsTheScannerYieldsThem(t *testing.T) {
	t.Parallel()
	var sc Scanner
	for l := range languages {
		for _, list := range []string{stopWords(l), tellingWords(l), irregularForms(l)} {
			for _, w := range strings.Fields(list) {
				sc.Reset(w)
				if !sc.Next() || string(sc.Bytes()) != w {
					t.Errorf("%v: %q is listed, and the scanner yields %q", l, w, sc.Bytes())
				}
			}
		}
	}
}

func TestEnglishStopWordsTellEnglish(t *testing.T) {
	t.Parallel()
	for _, w := range strings.Fields(englishWords) {
		if !Stop(w) {
			t.Errorf("%q is listed as an English stop word and is none", w)
		}
	}
}
