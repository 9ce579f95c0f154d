package summary

import (
	_ "embed"
	"math"
	"strconv"
	"strings"
	"sync"

	"github.com/recallerhq/recaller/internal/recall/token"
)

//go:embed common.txt
var commonText string

// commonBands is log2 of the count per million of common words in service talk and chat, by term; read once.
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
			if t := token.Term(w); band > bands[t] {
				bands[t] = band
			}
		}
	}
	return bands
})

const (
	rarestBand = 4  // the lowest band of the table, less a little: what is not listed
	stopBand   = 12 // at and above it a word says nothing by itself
)

// rarity is how much the mere use of a term says, from 0.15 (everyday) to 1 (not among the common words).
func rarity(term string) float64 {
	band, common := commonBands()[term]
	if !common {
		return 1
	}
	return max(1-float64(band-rarestBand+1)/float64(stopBand-rarestBand+1), 0.15)
}

// matterful is how much more a word weighs that names something that matters.
const matterful = 4.5

var matterTerms = sync.OnceValue(func() map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq(matters) {
		out[token.Term(w)] = true
	}
	return out
})

// weights say how much each term of a conversation is worth telling: a rare one, one that both sides come back to, and
// one that matters more than others.
func weights(turns [][]*unit) map[string]float64 {
	var said [2]map[string]float64
	for i := range said {
		said[i] = map[string]float64{}
	}
	out := map[string]float64{}
	for _, us := range turns {
		for _, u := range us {
			side, share := 0, 1.0
			if !u.caller {
				side = 1
			}
			if u.s.Question && !u.caller {
				share = 0.4
			}
			for _, t := range u.terms {
				said[side][t] += share
				out[t] = 0
			}
		}
	}
	short := shortened(turns)
	for t := range out {
		w := math.Log1p(said[0][t]) + 0.8*math.Log1p(said[1][t])
		if said[0][t] > 0.5 && said[1][t] > 0.5 {
			w *= 1.3
		}
		if matterTerms()[t] || short[t] {
			w *= matterful
		}
		out[t] = w * rarity(t)
	}
	return out
}

// shortened are the terms that are written in capitals, as names of things are that are known by their letters ("IBS",
// "CPVC").
func shortened(turns [][]*unit) map[string]bool {
	out := map[string]bool{}
	for _, us := range turns {
		for _, u := range us {
			for _, w := range u.words {
				raw := u.s.Text[w.Start:w.End]
				if len(u.words) > 2 && len(raw) > 1 && strings.ToUpper(raw) == raw && strings.ToLower(raw) != raw {
					out[token.Term(w.Text)] = true
				}
			}
		}
	}
	return out
}

// vocabulary makes terms of the words of one conversation, in its language.
type vocabulary struct {
	lang token.Language
	scan token.Scanner
}

// terms returns what of a text says something about the matter.
func (v *vocabulary) terms(text string) []string {
	var out []string
	for v.scan.Reset(text); v.scan.Next(); {
		if idleWords[string(v.scan.Bytes())] {
			continue
		}
		if t := v.lang.Term(string(v.scan.Word(v.lang))); t != "" {
			out = append(out, t)
		}
	}
	return out
}

// Commonness is log2 of how often a word is used in a million of service talk and chat in English, or 0 if it is not
// among the common ones.
func Commonness(word string) int { return commonBands()[token.Term(word)] }
