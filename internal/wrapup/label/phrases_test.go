package label

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/recallerhq/recaller/internal/speech"
)

// deadWays returns the words of a phrase with which it never finds itself, whichever of its other words stand beside
// them.
func deadWays(phrase string, found func(said string) bool) []string {
	var places [][]string
	for f := range strings.FieldsSeq(strings.ReplaceAll(phrase, "* ", "")) {
		places = append(places, strings.Split(f, "|"))
	}
	alive := map[string]bool{}
	var say func(said []string)
	say = func(said []string) {
		if len(said) < len(places) {
			for _, way := range places[len(said)] {
				say(append(slices.Clone(said), way))
			}
			return
		}
		if found(strings.Join(said, " ")) {
			for _, way := range said {
				alive[way] = true
			}
		}
	}
	say(nil)
	return slices.DeleteFunc(slices.Concat(places...), func(way string) bool { return alive[way] })
}

func phrasesOf(t *testing.T, raw []byte) map[string][]string {
	t.Helper()
	var in map[string][]string
	if err := json.Unmarshal(raw, &in); err != nil {
		t.Fatal(err)
	}
	return in
}

// A phrase that does not find itself is dead: it was written for nothing.
func TestEveryPhraseOfADialogueMarksWhatItSays(t *testing.T) {
	tables := phrasesOf(t, dialogueTables)
	for rule, name := range markNames {
		for _, phrase := range tables[name] {
			if _, ok := newPattern(phrase); !ok {
				t.Errorf("%s: %q is no phrase", name, phrase)
			}
			for _, way := range deadWays(phrase, func(said string) bool { return readSentence(speech.Sentences(said)[0], stems{}).is(mark(1) << rule) }) {
				t.Errorf("%s: %q never finds itself by %q", name, phrase, way)
			}
		}
	}
}

func TestEveryPhraseOfAMoodShowsIt(t *testing.T) {
	tables := phrasesOf(t, moodTables)
	for f := range unjoy {
		name := signs[f].table
		for _, phrase := range tables[name] {
			if _, ok := newPattern(phrase); !ok {
				t.Errorf("%s: %q is no phrase", name, phrase)
			}
			shows := func(said string) bool {
				return slices.Contains(readSentence(speech.Sentences(said)[0], stems{}).feels(f < sorry), f)
			}
			for _, way := range deadWays(phrase, shows) {
				t.Errorf("%s: %q never shows itself by %q", name, phrase, way)
			}
		}
	}
}

func TestEveryPhraseOfAPackCountsForItsLabel(t *testing.T) {
	for _, name := range Builtin() {
		raw, _ := Source(name)
		var in packJSON
		if err := json.Unmarshal(raw, &in); err != nil {
			t.Fatal(err)
		}
		p, err := ParsePack(raw)
		if err != nil {
			t.Fatal(err)
		}
		for table, of := range map[string]struct {
			written []ruleJSON
			read    []rule
			denied  negation // what its hits must be below
		}{
			"intents": {in.Intents, p.intents, declined}, "topics": {in.Topics, p.topics, declined}, "outcomes": {in.Outcomes, p.outcomes, denied},
			"moods": {[]ruleJSON{{Phrases: in.Positive}, {Phrases: in.Negative}}, feelings([]Pack{p}), denied},
		} {
			b := newBook(of.read)
			for i, r := range of.written {
				for _, phrase := range r.Phrases {
					counts := func(said string) bool {
						ts := tokenise(said)
						return slices.ContainsFunc(b.find(ts), func(h hit) bool { return h.rule == i && negated(ts, h) < of.denied })
					}
					for _, way := range deadWays(phrase, counts) {
						t.Errorf("%s, %s, %s: %q never counts by %q", name, table, r.Label, phrase, way)
					}
				}
			}
		}
	}
}
