package dialogue

import (
	"slices"
	"strings"
	"testing"
)

// The pieces are those of BERT's uncased tokenizer, by the model's own names.
func TestTextsAreCutAsTheModelWasTrained(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Brenda.":                "brenda .",
		"I've got a puffer":      "i ' ve got a puff ##er",
		"café CRÈME is naïve":    "cafe cr ##eme is naive",
		"  two\tlines\n here ":   "two lines here",
		"kirsty@example.com":     "ki ##rst ##y @ example . com",
		"##er":                   "# # er",
		"日本":                     "[UNK] [UNK]",
		strings.Repeat("a", 101): "[UNK]",
	} {
		var got []string
		m := shared().tokens
		for _, id := range m.cut(text) {
			got = append(got, m.names[id])
		}
		if !slices.Equal(got, strings.Fields(want)) {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestADamagedFileOfWeightsIsTold(t *testing.T) {
	t.Parallel()
	if _, err := open(weights); err != nil {
		t.Fatalf("the file itself: %v", err)
	}
	for name, text := range map[string]string{
		"empty": "", "another kind": "RCLSTAT1" + weights[8:], "cut off": weights[:len(weights)-1], "too long": weights + "x",
		"another shape": weights[:12] + "\xff" + weights[13:], "only a head": weights[:40],
	} {
		if _, err := open(text); err == nil {
			t.Errorf("%s: got no error", name)
		}
	}
}
