package when

import (
	"strconv"
	"strings"

	"github.com/recallerhq/recaller/internal/speech"
)

// tongues are the languages beside English. They are not changed after they are made.
var tongues = map[language]*tongue{
	german:     newTongue("german", speech.German),
	spanish:    newTongue("spanish", speech.Spanish),
	portuguese: newTongue("portuguese", speech.Portuguese),
}

// tongue is how a language is read: its words are put into those of English that mean the same, and the matchers go on
// with them.
type tongue struct {
	numbers *speech.Language
	words   map[string]string // to English; numbers to digits, ordinals to digits and "th"
	small   map[string]bool   // words that tell the language and name no time
	behind  map[string]bool   // verbs that report
	torn    map[string]bool   // verbs of plans told in the past
	ahead   map[string]bool   // verbs of what is or will be
	helpers map[string]bool   // auxiliaries of the perfect
}

func newTongue(name string, numbers *speech.Language) *tongue {
	t := &tongue{
		numbers: numbers,
		words:   Pairs(list(name)),
		small:   set(name + " small"),
		behind:  set(name + " behind"),
		torn:    set(name + " torn"),
		ahead:   set(name + " ahead"),
		helpers: sets[name+" helpers"],
	}
	for end, said := range map[string]map[string]int{"": numbers.Cardinals, "th": numbers.Ordinals} {
		for w, v := range said {
			if v > 0 && t.words[w] == "" && !strings.Contains(w, " ") {
				t.words[w] = strconv.Itoa(v) + end
			}
		}
	}
	return t
}

// Pairs makes a table of the lines of a text, "meaning: word word": of each word its meaning.
func Pairs(lines string) map[string]string {
	out := map[string]string{}
	for line := range strings.Lines(lines) {
		to, from, _ := strings.Cut(strings.TrimSpace(line), ":")
		for _, w := range strings.Fields(from) {
			out[w] = to
		}
	}
	return out
}
