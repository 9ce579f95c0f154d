package summary

import (
	"slices"
	"strings"
)

// section is a part of a summary that is filled by choice among candidates.
type section int

const (
	inTopics section = iota
	inDecisions
	inActions
	inFacts
	sectionCount
)

// candidate is a line that could stand in a section.
type candidate struct {
	in     section
	text   string
	size   int // in words
	stems  []string
	bonus  float64 // times what its stems are worth
	plus   float64 // and more, for what is worth telling whatever its words
	turn   int
	joined bool // two clauses in one
}

// maxCandidates bounds the choice, so that a conversation of hours costs little more than reading it.
const maxCandidates = 240

// How much of a stem's worth is gone once it was told: a topic only names it, a line says what is with it.
const (
	toldByTopic = 0.2
	toldByLine  = 0.88
	toldBeside  = 0.5 // by a memory: the summary has to be whole without it
)

// limit is how much of the words and how many lines a section may take.
type limit struct {
	share float64
	lines int
}

var limits = [sectionCount]limit{
	inTopics:    {share: 0.12, lines: 8},
	inDecisions: {share: 0.3, lines: 3},
	inActions:   {share: 0.34, lines: 5},
	inFacts:     {share: 0.9, lines: 14},
}

// pick chooses the candidates that together tell most within the words, each section within its limit. It is the greedy
// choice of most new worth for a word, which is near the best there is for worths that shrink when they are repeated.
func (s *salience) pick(all []candidate, room int, told map[string]float64) [sectionCount][]candidate {
	var chosen [sectionCount][]candidate
	var used [sectionCount]int
	all = s.best(all)
	taken := make([]bool, len(all))
	for room > 0 {
		best, worth := -1, 0.0
		for i, c := range all {
			over := used[c.in]+c.size > int(limits[c.in].share*float64(room+sum(used))+0.5) || len(chosen[c.in]) >= limits[c.in].lines
			if taken[i] || c.size > room || over {
				continue
			}
			if w := s.worth(c, told) / (float64(c.size) + 1.5); w > worth {
				best, worth = i, w
			}
		}
		if best < 0 || worth < leastWorth {
			break
		}
		c := all[best]
		taken[best] = true
		if !repeats(chosen, c) {
			chosen[c.in] = append(chosen[c.in], c)
			used[c.in] += c.size
			room -= c.size
		}
		heard := toldByLine
		if c.in == inTopics {
			heard = toldByTopic
		}
		for _, stem := range c.stems {
			told[stem] = max(told[stem], heard)
		}
	}
	for i := range chosen {
		slices.SortStableFunc(chosen[i], func(a, b candidate) int { return a.turn - b.turn })
	}
	return chosen
}

// leastWorth is the worth for a word below which a line is left out though there is room.
const leastWorth = 0.02

func sum(used [sectionCount]int) int {
	n := 0
	for _, u := range used {
		n += u
	}
	return n
}

// best keeps the candidates that are worth most for their size.
func (s *salience) best(all []candidate) []candidate {
	if len(all) <= maxCandidates {
		return all
	}
	type ranked struct {
		candidate
		worth float64
	}
	r := make([]ranked, len(all))
	none := map[string]float64{}
	for i, c := range all {
		r[i] = ranked{c, s.worth(c, none) / (float64(c.size) + 1.5)}
	}
	slices.SortStableFunc(r, func(a, b ranked) int {
		switch {
		case a.worth > b.worth:
			return -1
		case a.worth < b.worth:
			return 1
		}
		return 0
	})
	out := make([]candidate, maxCandidates)
	for i := range out {
		out[i] = r[i].candidate
	}
	return out
}

func (s *salience) worth(c candidate, told map[string]float64) float64 {
	w := 0.0
	seen := map[string]bool{}
	for _, stem := range c.stems {
		if seen[stem] {
			continue
		}
		seen[stem] = true
		w += (1 - told[stem]) * s.weight[stem]
	}
	return w*c.bonus + c.plus
}

// repeats reports whether a line says nothing that the chosen lines do not say. A topic repeats another one that has half of
// its words; a line of the other sections repeats one that has four fifths.
func repeats(chosen [sectionCount][]candidate, c candidate) bool {
	for in, lines := range chosen {
		if (section(in) == inTopics) != (c.in == inTopics) {
			continue
		}
		for _, o := range lines {
			if strings.EqualFold(o.text, c.text) {
				return true
			}
			shared := 0
			for _, stem := range c.stems {
				if slices.Contains(o.stems, stem) || c.in == inTopics && slices.ContainsFunc(o.stems, func(other string) bool { return akin(stem, other) }) {
					shared++
				}
			}
			if shared > 0 && (shared*5 >= len(c.stems)*4 || c.in == inTopics && shared*2 >= min(len(c.stems), len(o.stems))) {
				return true
			}
		}
	}
	return false
}

// akin reports whether two stems are of one family: "itchi" and "itch", "diarrhoea" and "diarrhea".
func akin(a, b string) bool {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n >= 4 && max(len(a), len(b))-n <= 3
}

func texts(cs []candidate) []string {
	var out []string
	for _, c := range cs {
		out = append(out, c.text)
	}
	return out
}

func size(text string) int { return len(strings.Fields(text)) }
