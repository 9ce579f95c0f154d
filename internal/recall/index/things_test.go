package index

import (
	"strings"
	"testing"

	"github.com/recallerhq/recaller/internal/recall/token"
)

func TestQuestionsAskForThings(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]things{
		"who is her dentist":              person,
		"what's the dog called":           person,
		"what is his name":                person,
		"how much was the call-out":       money | number,
		"how many children does she have": number,
		"Wann kommt der Monteur?":         hour,
		"¿por qué llamó?":                 reason,
		"où faut-il se garer":             place,
		"which day is she in":             hour,
		"the boiler":                      0,
	} {
		if got := askedFor(split(query)); got != want {
			t.Errorf("%q: got %b, want %b", query, got, want)
		}
	}
}

func TestTurnsHoldThings(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text     string
		language token.Language
		want     things
	}{
		{"Ninety pounds.", token.English, money | number},
		{"On Thursday.", token.English, hour},
		{"That's 80 €.", token.English, money | number},
		{"It was Imran who came.", token.English, person},
		{"Der Schlüssel hängt im Schuppen.", token.German, 0},
		{"I think I'll do it.", token.English, 0},
		{"Fine. Grand. Lovely.", token.English, 0},
		{"Porque está enfermo.", token.Spanish, reason},
		{"round by the side gate", token.English, place},
		{"", token.English, 0},
	} {
		if got := held(tt.text, tt.language); got != tt.want {
			t.Errorf("%q: got %b, want %b", tt.text, got, tt.want)
		}
	}
}

// Every word of the table can be met, and every line is read.
func TestTheTableOfThings(t *testing.T) {
	t.Parallel()
	lines := 0
	for line := range strings.Lines(thingWords) {
		head, words, ok := strings.Cut(line, ":")
		if !ok || strings.TrimSpace(words) == "" {
			t.Errorf("%q is no line of the table", line)
		}
		lines++
		for _, w := range strings.Fields(words) {
			w = strings.ReplaceAll(w, "_", " ")
			for part := range strings.FieldsSeq(w) {
				if got := split(part); len(got) != 1 || got[0].folded != part {
					t.Errorf("%s: %q is not folded", head, w)
				}
			}
			if strings.HasPrefix(head, "holds") && strings.Contains(w, " ") || strings.Count(w, " ") > 1 {
				t.Errorf("%s: %q is never looked for", head, w)
			}
		}
	}
	if lines != 2*len(kinds) {
		t.Errorf("got %d lines, want one of asking and one of holding for each of %d kinds", lines, len(kinds))
	}
}
