package briefing

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// testdata/tokens.json holds texts with what four published vocabularies count in them.
func TestTheTokenCountIsABoundAndNoWasteInEnglish(t *testing.T) {
	data, err := os.ReadFile("testdata/tokens.json")
	if err != nil {
		t.Fatal(err)
	}
	var texts []struct {
		Kind, Text string
		Counts     map[string]int
	}
	if err := json.Unmarshal(data, &texts); err != nil {
		t.Fatal(err)
	}
	ours, theirs := 0, map[string]int{}
	for _, text := range texts {
		got := Tokens(text.Text)
		for vocabulary, want := range text.Counts {
			if got < want {
				t.Errorf("%s: got %d, %s counts %d in %q", text.Kind, got, vocabulary, want, text.Text)
			}
			if text.Kind == "english" {
				theirs[vocabulary] += want
			}
		}
		if text.Kind == "english" {
			ours += got
		}
	}
	for vocabulary, n := range theirs {
		if ours*10 > n*15 {
			t.Errorf("in English: got %d tokens, more than one and a half times the %d of %s", ours, n, vocabulary)
		}
	}
}

func TestTokensAddUpOverLines(t *testing.T) {
	lines := []string{"- Name: Maria Lopez\n", "Caller: \"I've three grandchildren\"\n", "   Summary: …\n", "\n", "Größe 12\n"}
	sum := 0
	for _, line := range lines {
		sum += Tokens(line)
	}
	if got := Tokens(strings.Join(lines, "")); got != sum {
		t.Errorf("got %d for the whole, %d for the lines", got, sum)
	}
}

func FuzzTokensStayBetweenWordsAndBytes(f *testing.F) {
	f.Add("Hello, I'm José — 12 o'clock…")
	f.Add("\xff\xfe<notes>")
	f.Fuzz(func(t *testing.T, text string) {
		got := Tokens(text)
		if got > len(text) || got == 0 && text != "" {
			t.Errorf("got %d for %d bytes %q", got, len(text), text)
		}
	})
}
