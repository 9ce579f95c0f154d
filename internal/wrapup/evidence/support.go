package evidence

import (
	"slices"
	"strings"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/wrapup/answer"
)

// The shares of a value's words that must have been said. Of one or two words all must; pairs of characters say less
// than words do.
const (
	mostWords = 0.6
	mostPairs = 0.8
)

// span is how many turns of the caller, one after another, may carry a value together where the memory names none.
const span = 3

// Supports reports whether the words of the turns carry the value of m: those that it names, with the questions that
// they answer; else any up to three turns of the caller in a row. at are the numbers of the turns that do, ascending.
// They must say it of the same person: of the caller himself, or of whom the value or its key names. turns is what Own
// returned.
func Supports(m answer.Memory, turns []recaller.Turn) (at []int, ok bool) {
	claimed := claimedText(m)
	words := read(claimed)
	if len(words) == 0 || selfish(words[:1]) && !strings.Contains(claimed, "“") && !quotes(words, turns) {
		return nil, false
	}
	either, of := denying(m.Key), relation(read(spaced(m.Key)))
	if named := unitsNamed(m.Turns, turns); len(named) > 0 {
		if at, _, ok = carries(claimed, words, named, either, of); ok {
			return at, true
		}
	}
	return search(claimed, words, turns, either, of)
}

// quotes reports whether the words stand in one turn of the caller's: what begins as the caller speaks must be the
// caller's own words.
func quotes(words []word, turns []recaller.Turn) bool {
	want := " " + strings.Join(toks(words), " ") + " "
	return slices.ContainsFunc(turns, func(t recaller.Turn) bool {
		return t.Speaker == recaller.User && strings.Contains(" "+strings.Join(toks(read(t.Text)), " ")+" ", want)
	})
}

// claimedText is what must have been said: the value, or what the key says where the value only agrees to it.
func claimedText(m answer.Memory) string {
	switch m.Value {
	case "yes", "Yes", "true":
		return spaced(m.Key)
	case "no", "No", "false", "none", "None":
		return "no " + spaced(m.Key)
	}
	return m.Value
}

// unitsNamed returns the units of the turns with the numbers; a turn of the agent's stands for the answer to it.
func unitsNamed(numbers []int, turns []recaller.Turn) []unit {
	var out []unit
	for i, t := range turns {
		if t.Speaker != recaller.User {
			continue
		}
		asked := i > 0 && turns[i-1].Speaker != recaller.User && slices.Contains(numbers, turns[i-1].Number)
		if asked || slices.Contains(numbers, t.Number) {
			out = append(out, unitOf(turns, i))
		}
	}
	return out
}

// search looks for the turns that carry a value best: one alone before several together, the last of equals.
func search(claimed string, words []word, turns []recaller.Turn, either bool, of string) (at []int, ok bool) {
	var units []unit
	for i, t := range turns {
		if t.Speaker == recaller.User {
			units = append(units, unitOf(turns, i))
		}
	}
	for n := 1; n <= span && !ok; n++ {
		best := 0
		for i := 0; i+n <= len(units); i++ {
			found, matched, carried := carries(claimed, words, units[i:i+n], either, of)
			if carried && matched >= best {
				at, best, ok = found, matched, true
			}
		}
	}
	return at, ok
}

// denying reports whether a key says that the value is denied or disliked, so that the value alone does not tell how it
// was meant: "dislikes_screens: screens".
func denying(key string) bool {
	for _, w := range read(spaced(key)) {
		switch w.tok {
		case "no", "not", "without", "dislike", "dislikes", "hate", "hates", "avoid", "avoids", "stopped", "quit", "never":
			return true
		}
	}
	return false
}

// carries reports whether the units carry a value together, which turns do, and how many of its parts were found.
// either: it may have been affirmed or denied. of is whom it is about, where the value does not say.
func carries(claimed string, words []word, units []unit, either bool, of string) (at []int, matched int, ok bool) {
	p := pool{units: units, foreign: foreign(words)}
	for _, u := range units {
		p.foreign = p.foreign || foreign(u.own.words)
	}
	c := claimOf(words, coveredDates(claimed, words, units))
	if len(c.parts) == 0 {
		return nil, 0, false
	}
	p.weigh(c)
	pairs, found := 0, 0
	for i, part := range c.parts {
		m := p.matches[i]
		if part.kind != ordinary && (!m.found() || !either && p.opposed(part, m)) {
			return nil, 0, false
		}
		if part.pair {
			pairs++
		}
		if m.found() {
			found++
		}
	}
	if !enough(found, len(c.parts), pairs, mostWords) || !either && p.contradicts(c) || !p.about(words, c, of) {
		return nil, 0, false
	}
	return p.turns(), found, true
}

// enough reports whether so many of the parts of what is claimed say the same; share: of those that are words.
func enough(found, of, pairs int, share float64) bool {
	if of <= 2 || pairs == of && of <= 4 {
		return found == of
	}
	if pairs*2 > of {
		share = mostPairs
	}
	return float64(found) >= share*float64(of)
}
