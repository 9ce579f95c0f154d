package extract

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/recallerhq/recaller/internal/recall/token"
	"github.com/recallerhq/recaller/internal/speech"
)

// A word of a topic that no sentence is read to have would never be found.
func TestEveryWordOfATopicIsRead(t *testing.T) {
	for _, w := range slices.AppendSeq(slices.Collect(maps.Keys(topicOf)), maps.Keys(kin)) {
		if got := tongues[token.English].read(w); !slices.Equal(got, []string{w}) {
			t.Errorf("%s: got %q", w, got)
		}
	}
	for _, ways := range idioms {
		for _, idiom := range ways {
			if got := tongues[token.English].read(strings.Join(idiom, " ")); !slices.Equal(got, idiom) {
				t.Errorf("%q is read as %q", idiom, got)
			}
		}
	}
	for w := range contractions {
		if got := speech.Words(w); len(got) != 1 || got[0].Text != w {
			t.Errorf("%s: got %v", w, got)
		}
	}
}

func TestAGermanPrepositionIsNoContraction(t *testing.T) {
	if got := tongues[token.German].read("Der Schlüssel liegt im Schuppen."); slices.Contains(got, "am") {
		t.Errorf("got %q", got)
	}
	if got := tongues[token.English].read("im at the depot"); !slices.Equal(got[:2], []string{"i", "am"}) {
		t.Errorf("got %q", got)
	}
}
