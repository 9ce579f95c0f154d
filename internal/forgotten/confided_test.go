package forgotten_test

import (
	"encoding/json"
	"os"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/forgotten"
)

// confidence is something private, what tells it in the same or other words, also in another language, and what only has
// a word in common with it.
type confidence struct {
	Lang, Key, Value string
	Tells, Harmless  []string
}

func confidences(t *testing.T) map[string][]confidence {
	t.Helper()
	var out map[string][]confidence
	readJSON(t, "testdata/confided.json", &out)
	return out
}

func readJSON(t *testing.T, file string, into any) {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, into); err != nil {
		t.Fatal(err)
	}
}

// inOtherCalls returns what is said in calls of others, by language.
func inOtherCalls(t *testing.T) map[string][]string {
	t.Helper()
	out := map[string][]string{}
	for _, file := range []string{"short.json", "short-languages.json"} {
		var calls struct {
			People []struct {
				ID            string
				Conversations []struct{ Turns []struct{ Text string } }
			}
		}
		readJSON(t, "../eval/testdata/"+file, &calls)
		for _, p := range calls.People {
			lang := "en"
			if p.ID[2] == '-' {
				lang = p.ID[:2]
			}
			for _, c := range p.Conversations {
				for _, turn := range c.Turns {
					out[lang] = append(out[lang], turn.Text)
				}
			}
		}
	}
	return out
}

// share is how many of how many.
type share struct{ n, of int }

func (s *share) add(is bool) {
	s.of++
	if is {
		s.n++
	}
}

func (s share) over(most float64) bool { return float64(s.n) > most*float64(s.of) }

// Tune is what the rules were made with. No rule is of a miss of held, but its share was seen when thresholds were chosen.
func TestWhatTellsAConfidence(t *testing.T) {
	t.Parallel()
	others := inOtherCalls(t)
	for part, list := range confidences(t) {
		var told, near, far share
		for _, c := range list {
			v := forgotten.New(forgotten.AsIf([]recaller.Memory{confided(c.Key, c.Value)}))
			hides := func(text string) bool {
				return v.Hides("later", recaller.Turn{Number: 4, Speaker: recaller.User, Text: text, At: asked.Add(time.Hour)})
			}
			for _, text := range c.Tells {
				if told.add(!hides(text)); !hides(text) && part == "tune" {
					t.Logf("told of %q: %q", c.Value, text)
				}
			}
			for _, text := range c.Harmless {
				if near.add(hides(text)); hides(text) && part == "tune" {
					t.Logf("hidden for %q: %q", c.Value, text)
				}
			}
			for _, text := range others[c.Lang] {
				far.add(hides(text))
			}
		}
		t.Logf("%s: told %v, hidden with a word in common %v, hidden of other calls %v", part, told, near, far)
		if told.over(0.07) || near.over(0.15) || far.over(0.003) {
			t.Errorf("%s: told %v, hidden with a word in common %v, hidden of other calls %v", part, told, near, far)
		}
	}
}
