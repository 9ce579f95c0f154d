package forgotten

import (
	"maps"
	"slices"
	"testing"
)

// Verbs and stems are compared with words as they are read: folded, and without what an apostrophe ties to them.
func TestEveryWordThatAsksIsRead(t *testing.T) {
	for _, w := range slices.AppendSeq(slices.Collect(maps.Keys(verbs)), maps.Keys(phrasals)) {
		if got := flat(w); len(got) != 2 || got[0].text != w {
			t.Errorf("%q is read as %v", w, got)
		}
	}
	for name, list := range map[string]string{"let us": "Let's forget what I told you about the loan.", "lets": "lets forget what I told you about the loan"} {
		if !flat(list).asking() {
			t.Errorf("%s: %q asks nothing", name, list)
		}
	}
	for _, said := range []string{"Let's remove the old sink.", "Let's scratch that itch and go to Rome."} {
		if flat(said).asking() {
			t.Errorf("%q asks to forget", said)
		}
	}
}
