package speech_test

import (
	"strings"
	"testing"

	"github.com/recallerhq/recaller/internal/speech"
)

// reader is Cardinal or Ordinal of a language.
type reader = func(word func(int) string, i int) (value, n int)

func TestNumbersBelowAHundredAreReadInEachLanguage(t *testing.T) {
	for _, language := range []struct {
		read reader
		said map[string][2]int // what is read of it: the number, and how many words it takes
	}{
		{speech.English.Cardinal, map[string][2]int{
			"oh five": {0, 1}, "nineteen": {19, 1}, "forty two": {42, 2}, "forty - two": {42, 3}, "twenty third": {20, 1}, "ninety ninety": {90, 1}, "third": {},
		}},
		{speech.English.Ordinal, map[string][2]int{
			"third": {3, 1}, "twenty - third": {23, 3}, "twenty first of": {21, 2}, "thirtieth": {30, 1}, "twenty": {}, "twenty three": {},
		}},
		{speech.German.Cardinal, map[string][2]int{
			"eins": {1, 1}, "siebzehn": {17, 1}, "einundzwanzig": {21, 1}, "drei und zwanzig": {23, 3}, "dreissig": {30, 1}, "funf": {5, 1}, "zwolf": {12, 1},
		}},
		{speech.German.Ordinal, map[string][2]int{"ersten": {1, 1}, "dritter": {3, 1}, "siebzehnte": {17, 1}, "einunddreissigsten": {31, 1}, "vier": {}}},
		{speech.Spanish.Cardinal, map[string][2]int{"veintiséis": {26, 1}, "treinta y un": {31, 3}, "treinta y": {30, 1}, "noventa": {90, 1}, "veinte y uno": {20, 1}}},
		{speech.French.Cardinal, map[string][2]int{
			"dix - sept": {17, 3}, "vingt et un": {21, 3}, "quarante un": {40, 1}, "soixante et onze": {71, 3}, "soixante dix neuf": {79, 3},
			"quatre vingt un": {81, 3}, "quatre - vingt - dix - huit": {98, 7}, "quatre vingts trois": {80, 2},
		}},
		{speech.Portuguese.Cardinal, map[string][2]int{"vinte e cinco": {25, 3}, "três": {3, 1}, "dezessete": {17, 1}, "trinta e duas": {32, 3}, "meia": {6, 1}}},
		{speech.Italian.Cardinal, map[string][2]int{"ventuno": {21, 1}, "ventotto": {28, 1}, "trentatre": {33, 1}, "novanta": {90, 1}}},
	} {
		for said, want := range language.said {
			words := strings.Fields(said)
			value, n := language.read(func(i int) string {
				if i < len(words) {
					return words[i]
				}
				return ""
			}, 0)
			if got := [2]int{value, n}; got != want {
				t.Errorf("%q: got %d in %d words, want %d in %d", said, value, n, want[0], want[1])
			}
		}
	}
}
