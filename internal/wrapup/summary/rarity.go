package summary

import (
	_ "embed"
	"strconv"
	"strings"
	"sync"

	"github.com/kljensen/snowball/english"
)

//go:embed common.txt
var commonText string

// commonBands is log2 of the count per million of common words in service talk and chat, by stem; read once.
var commonBands = sync.OnceValue(func() map[string]int {
	bands := map[string]int{}
	for line := range strings.Lines(commonText) {
		f := strings.Fields(line)
		if len(f) < 2 || f[0] == "#" {
			continue
		}
		band, err := strconv.Atoi(f[0])
		if err != nil {
			continue
		}
		for _, w := range f[1:] {
			if s := english.Stem(w, false); band > bands[s] {
				bands[s] = band
			}
		}
	}
	return bands
})

const (
	rarestBand = 4  // the lowest band of the table, less a little: what is not listed
	stopBand   = 12 // at and above it a word says nothing by itself
)

// rarity is how much the mere use of a stem says, from 0.15 (everyday) to 1 (not among the common words).
func rarity(stem string) float64 {
	band, common := commonBands()[stem]
	if !common {
		return 1
	}
	r := 1 - float64(band-rarestBand+1)/float64(stopBand-rarestBand+1)
	return max(r, 0.15)
}

// stemmer stems words and remembers what it stemmed; it belongs to one summary.
type stemmer map[string]string

func (s stemmer) stem(low string) string {
	if got, ok := s[low]; ok {
		return got
	}
	w := strings.TrimSuffix(low, "'s")
	stem := w
	if isASCIIWord(w) {
		stem = english.Stem(w, false)
	}
	s[low] = stem
	return stem
}

func isASCIIWord(w string) bool {
	for i := range len(w) {
		c := w[i]
		if (c < 'a' || c > 'z') && c != '\'' && c != '-' {
			return false
		}
	}
	return w != ""
}
