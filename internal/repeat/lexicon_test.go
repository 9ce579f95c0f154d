package repeat

import (
	"strings"
	"testing"
)

// A word that no text is read to have never says anything.
func TestEveryWordOfTheLexiconIsRead(t *testing.T) {
	for name, list := range map[string]map[string]string{
		"units": units, "parts of the day": dayPart, "ordinals": ordinals, "numbers": numbers, "months": monthNames, "named": named,
	} {
		for w := range list {
			if got := lex(w); len(got) != 1 || got[0].raw != w && named[w] == "" {
				t.Errorf("%s: %q is read as %v", name, w, got)
			}
		}
	}
	for _, p := range []particle{every, skips, and, filler, through, until, lasting, times, per, unclear, clockAt} {
		for w := range strings.FieldsSeq(string(p)) {
			if got := lex(w); len(got) != 1 || !got[0].is(p) {
				t.Errorf("%q is not one of %q", w, p)
			}
		}
	}
}
