package label

import (
	"strings"
	"unicode"

	recall "github.com/recallerhq/recaller/internal/recall/token"
)

// pattern is a phrase to be found: a place after the other, each a set of stems; nil is a gap.
type pattern struct {
	places []map[string]bool
	words  int  // without gaps
	denies bool // a word of its own is a negation
}

// widestGap is how many words a gap may span.
const widestGap = 3

// newPattern reads a phrase; ok is false if it is not one.
func newPattern(phrase string) (p pattern, ok bool) {
	fields := strings.Fields(strings.ToLower(phrase))
	if len(fields) == 0 || len(fields) > maxPhraseWords {
		return pattern{}, false
	}
	for i, f := range fields {
		if f == "*" {
			if i == 0 || i == len(fields)-1 || fields[i-1] == "*" {
				return pattern{}, false
			}
			p.places = append(p.places, nil)
			continue
		}
		ways := map[string]bool{}
		for _, w := range strings.Split(f, "|") {
			tokens := tokenise(w)
			if len(tokens) != 1 {
				return pattern{}, false
			}
			ways[tokens[0].stem] = true
			p.denies = p.denies || negators[tokens[0].low]
		}
		if len(ways) > maxWays {
			return pattern{}, false
		}
		p.places = append(p.places, ways)
		p.words++
	}
	return p, true
}

// at returns the place after the pattern if it stands at i, 0 if it does not.
func (p pattern) at(ts []*token, i int) int { return matchPlaces(p.places, ts, i) }

func matchPlaces(places []map[string]bool, ts []*token, i int) int {
	for k, ways := range places {
		if ways == nil {
			for gap := 0; gap <= widestGap && i+gap < len(ts); gap++ {
				if end := matchPlaces(places[k+1:], ts, i+gap); end > 0 {
					return end
				}
			}
			return 0
		}
		if i >= len(ts) || !ways[ts[i].stem] {
			return 0
		}
		i++
	}
	return i
}

// token is a word as it was said, in small letters. A conversation holds each once, however often it is said.
type token struct {
	low  string
	stem string
}

// tokenise makes words of a text: letters and digits, with apostrophes and hyphens inside a word.
func tokenise(text string) []*token { return stems{}.tokenise(text) }

// stems are the words of one conversation.
type stems map[string]*token

func (s stems) of(low string) *token {
	known := s[low]
	if known == nil {
		low = strings.Clone(low) // not with the sentence that it is from
		known = &token{low: low, stem: stem(low)}
		s[low] = known
	}
	return known
}

func (s stems) tokenise(text string) []*token {
	fields := strings.FieldsFunc(strings.ToLower(strings.ReplaceAll(text, "’", "'")), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\'' && r != '-'
	})
	out := make([]*token, 0, len(fields))
	for _, f := range fields {
		f = strings.Trim(f, "'-")
		if f != "" {
			out = append(out, s.of(f))
		}
	}
	return out
}

func stem(low string) string {
	low = strings.TrimSuffix(low, "'s")
	for i := range len(low) {
		if c := low[i]; c < 'a' || c > 'z' {
			return low
		}
	}
	if low == "canceled" || low == "canceling" { // one l or two
		return "cancel"
	}
	return recall.EnglishStem(low)
}

// book finds the patterns of a table in one reading of the words.
type book struct {
	byStem map[string][]entry
}

type entry struct {
	pattern pattern
	rule    int
}

func newBook(rules []rule) book {
	b := book{byStem: map[string][]entry{}}
	for i, r := range rules {
		for _, p := range r.patterns {
			for s := range p.places[0] {
				b.byStem[s] = append(b.byStem[s], entry{p, i})
			}
		}
	}
	return b
}

// hit is a pattern found in words.
type hit struct {
	rule, at, end int
	pattern       pattern
}

// all returns the patterns that stand in the words, in order.
func (b book) all(ts []*token) []hit {
	var hits []hit
	for i := range ts {
		for _, e := range b.byStem[ts[i].stem] {
			if end := e.pattern.at(ts, i); end > 0 {
				hits = append(hits, hit{e.rule, i, end, e.pattern})
			}
		}
	}
	return hits
}

// find is all, but a phrase hides the shorter phrases of other rules that lie inside it: "check book" is nothing
// that is booked.
func (b book) find(ts []*token) []hit {
	hits := b.all(ts)
	widest := make([]hit, 0, len(hits))
	for i, h := range hits {
		hidden := false
		for k := max(0, i-nearHits); k < min(len(hits), i+nearHits) && !hidden; k++ {
			o := hits[k]
			hidden = o.rule != h.rule && o.pattern.words > h.pattern.words && o.at <= h.at && h.end <= o.end && !o.pattern.gapped()
		}
		if !hidden {
			widest = append(widest, h)
		}
	}
	return widest
}

// nearHits is how many hits around one are looked at for one that hides it.
const nearHits = 24

func (p pattern) gapped() bool { return p.words < len(p.places) }
