package worktest

import (
	"slices"
	"strings"
	"testing"
)

// failed is a test that notes that it failed.
type failed struct {
	testing.TB
	is bool
}

func (f *failed) Helper() {}

func (f *failed) Errorf(string, ...any) { f.is = true }

func TestAReaderThatLooksToTheEndAtEachWordIsFound(t *testing.T) {
	var found bool
	for name, c := range map[string]struct {
		read func(string)
		want bool
	}{
		"each word once": {func(s string) { strings.Fields(s) }, false},
		"each word with all behind it": {func(s string) {
			words := strings.Fields(s)
			for i := range words {
				found = found || slices.Contains(words[i:], "missing")
			}
		}, true},
	} {
		f := &failed{TB: t}
		if Check(f, "no ", c.read); f.is != c.want {
			t.Errorf("%s: failed is %v, want %v", name, f.is, c.want)
		}
	}
	if found {
		t.Error("what is missing was found")
	}
}

func TestTheWordsOfAPackageAreThoseOfItsLiterals(t *testing.T) {
	words := known(t, []string{"."})
	for _, want := range []string{"RECALLER_WORK", "over", ";"} {
		if !slices.Contains(words, want) {
			t.Errorf("%q is not among the words", want)
		}
	}
	if slices.Contains(words, "strings") {
		t.Error("what is imported is among the words")
	}
}
