package summary

import (
	"math"
	"strings"
)

// salience says how much each stem of a conversation is worth telling.
type salience struct {
	lx     *lexicon
	stems  stemmer
	weight map[string]float64
	names  map[string]bool // parts of the caller's name, which is no subject
}

// Weights of a mention, by who said it and how.
const (
	byCaller   = 1.0
	byAgent    = 0.6
	asRecap    = 1.6  // the agent sums up what the caller told
	asQuestion = 0.15 // asked by the agent, not confirmed
	confirmed  = 1.0  // asked by the agent, answered with yes
	negated    = 0.2
	hardly     = 0.2 // cut off or hardly heard
)

// weigh counts mentions of stems over the conversation, damps repetition, and multiplies by rarity.
func (lx *lexicon) weigh(us []*unit, answers []*answer) *salience {
	s := &salience{lx: lx, stems: stemmer{}, weight: map[string]float64{}, names: map[string]bool{}}
	polarity := map[*unit]int{}
	for _, a := range answers {
		if polarity[a.question] = a.polarity; a.polarity == 0 && len(a.words) > 0 {
			polarity[a.question] = 2
		}
	}
	caller, agent := map[string]float64{}, map[string]float64{}
	for _, u := range us {
		if u.idle {
			continue
		}
		f := s.factor(u, polarity[u])
		side := agent
		if u.caller() {
			side = caller
		}
		under := 0 // words that a negator still governs
		for _, w := range u.words {
			if lx.negator[w.low] {
				under = 4
				continue
			}
			if stem, ok := s.content(w); ok {
				g := f
				if under > 0 {
					g = min(g, negated)
				}
				side[stem] += g
			}
			if under--; w.comma {
				under = 0
			}
		}
	}
	for stem := range merged(caller, agent) {
		c, a := caller[stem], agent[stem]
		both := 1.0
		if c > 0.5 && a > 0.5 {
			both = 1.3
		}
		s.weight[stem] = both * (math.Log1p(c) + 0.8*math.Log1p(a)) * rarity(stem) * s.lx.matter(stem)
	}
	return s
}

func merged(a, b map[string]float64) map[string]bool {
	out := make(map[string]bool, len(a)+len(b))
	for k := range a {
		out[k] = true
	}
	for k := range b {
		out[k] = true
	}
	return out
}

func (s *salience) factor(u *unit, polarity int) float64 {
	switch {
	case u.weak:
		return hardly
	case u.caller() && u.ask:
		return byCaller * 0.8
	case u.caller():
		return byCaller
	case u.essay:
		return asQuestion
	case s.lx.recaps(u):
		return asRecap
	case u.ask && polarity == 1:
		return confirmed
	case u.ask && polarity == -1:
		return 0
	case u.ask && polarity == 2:
		return 0.4
	case u.ask:
		return asQuestion
	}
	return byAgent
}

var recapPhrase = phrases(`you mentioned|you said|you've said|you've mentioned|you were saying|you've told|you told|summarise|summarize|recap|you've been|you've had|you've got|just to confirm|to confirm|you're saying|you're having|you have been|you've noticed|let me read`)

// recaps reports whether the agent sums up what the caller told.
func (lx *lexicon) recaps(u *unit) bool {
	return !u.caller() && !u.ask && lx.hasPhrase(u.words, recapPhrase, 0)
}

// content returns the stem of a word that names something.
func (s *salience) content(w word) (string, bool) {
	if base, _, short := strings.Cut(w.low, "'"); short && (!strings.HasSuffix(w.low, "'s") || s.lx.stop[base]) {
		return "", false
	}
	if s.lx.stop[w.low] || s.lx.filler[w.low] || len(w.low) < 2 && !hasFigure([]word{w}) || s.lx.negator[w.low] {
		return "", false
	}
	return s.stems.stem(w.low), true
}

// of returns the content stems of words.
func (s *salience) of(ws []word) []string {
	var out []string
	for _, w := range ws {
		if stem, ok := s.content(w); ok {
			out = append(out, stem)
		}
	}
	return out
}

// toldBy gives the stems of texts that a reader has already, each told to the same share.
func (s *salience) toldBy(share float64, texts ...string) map[string]float64 {
	told := map[string]float64{}
	for _, t := range texts {
		for _, sentence := range sentences(t) {
			for _, stem := range s.of(sentence.words) {
				told[stem] = share
			}
		}
	}
	return told
}
