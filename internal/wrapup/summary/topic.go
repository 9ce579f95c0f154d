package summary

import (
	"slices"
	"strings"
)

// phrase is a name of something that was spoken of.
type phrase struct {
	words []word
	stems []string
	score float64
	count float64
	part  bool // a longer phrase is its whole name
}

// longestPhrase is how many words name a topic at most.
const longestPhrase = 3

// wholeName is the share of a word's mentions that a longer phrase must have for the phrase to be its whole name.
const wholeName = 0.6

// topics finds the phrases that name what a conversation was about, best first.
func (s *salience) topics(us []*unit, answers []*answer) []*phrase {
	noun := s.nouns(us)
	found := map[string]*phrase{}
	denied := map[*unit]bool{}
	for _, a := range answers {
		denied[a.question] = a.polarity < 0
	}
	for _, u := range us {
		if u.idle || u.weak || denied[u] || u.identity || s.lx.ownName(u.words) != "" {
			continue
		}
		f := 1.0
		if u.ask && !u.caller() {
			f = 0.4
		}
		for _, run := range s.runs(u.words) {
			s.collect(found, run, f, noun)
		}
	}
	out := make([]*phrase, 0, len(found))
	for _, p := range found {
		p.score = s.phraseScore(p)
		out = append(out, p)
	}
	for _, p := range out {
		if len(p.stems) == 1 {
			continue
		}
		for _, stem := range p.stems {
			if q := found[stem]; q != nil && p.count >= wholeName*q.count {
				q.part = true
			}
		}
	}
	slices.SortFunc(out, func(a, b *phrase) int {
		switch {
		case a.score != b.score && a.score > b.score:
			return -1
		case a.score != b.score:
			return 1
		}
		return strings.Compare(render(a.words), render(b.words))
	})
	return out
}

// runs are the stretches of words between words that name nothing.
func (s *salience) runs(ws []word) [][]word {
	var out [][]word
	start := -1
	under := 0
	for i, w := range ws {
		_, ok := s.content(w)
		if s.lx.negator[w.low] {
			under = 4
		}
		ok = ok && under <= 0 && !s.names[w.low] && !strings.HasSuffix(w.low, "'s") && !hasFigure(ws[i:i+1]) && !isNumberish(w)
		under--
		if ok && start < 0 {
			start = i
		}
		if start >= 0 && !ok {
			out = append(out, ws[start:i])
			start = -1
		}
		if start >= 0 && w.comma {
			out = append(out, ws[start:i+1])
			start = -1
		}
	}
	if start >= 0 {
		out = append(out, ws[start:])
	}
	return out
}

func (s *salience) collect(found map[string]*phrase, run []word, f float64, noun map[string]int) {
	for i := range run {
		for n := 1; n <= longestPhrase && i+n <= len(run); n++ {
			ws := run[i : i+n]
			last := ws[n-1]
			if s.lx.vague[last.low] && n == 1 || adjectival(last.low) || noun[s.stems.stem(last.low)] < nounAtLeast(n) {
				continue
			}
			if n > 1 && (noun[s.stems.stem(ws[0].low)] < 0 || s.lx.intensifier[ws[0].low]) {
				continue
			}
			stems := s.of(ws)
			key := strings.Join(stems, " ")
			p := found[key]
			if p == nil {
				p = &phrase{words: slices.Clone(ws), stems: stems}
				p.words[n-1].comma = false
				found[key] = p
			}
			p.count += f
		}
	}
}

// nounAtLeast is how surely a word must be a noun to name a topic, by itself or at the end of n words.
func nounAtLeast(n int) int {
	if n > 1 {
		return 1
	}
	return 2
}

func adjectival(low string) bool {
	for _, suffix := range []string{"ly", "ful", "ous", "ive", "able", "ible", "less"} {
		if strings.HasSuffix(low, suffix) && len(low) > len(suffix)+2 {
			return true
		}
	}
	return false
}

func (s *salience) phraseScore(p *phrase) float64 {
	sum := 0.0
	for _, stem := range p.stems {
		sum += s.weight[stem]
	}
	return sum * (0.6 + 0.4*min(p.count, 3)) / (0.7 + 0.5*float64(len(p.stems)))
}

// nouns counts for each stem how much more often it stands where a noun does than where a verb does.
func (s *salience) nouns(us []*unit) map[string]int {
	out := map[string]int{}
	for _, u := range us {
		for i, w := range u.words {
			stem, ok := s.content(w)
			if !ok {
				continue
			}
			prev := ""
			if i > 0 && !u.words[i-1].comma {
				prev = u.words[i-1].low
			}
			out[stem] += s.nounish(prev, w.low)
		}
	}
	return out
}

func (s *salience) nounish(prev, low string) int {
	switch prev {
	case "a", "an", "the", "my", "your", "his", "her", "their", "our", "any", "some", "of", "no", "this", "with", "for", "regular", "other", "more", "into", "from", "have", "had", "has", "new", "in":
		if strings.HasSuffix(low, "ed") && prev != "a" && prev != "the" && prev != "my" {
			return 0
		}
		return 2
	case "to", "i", "you", "we", "they", "he", "she", "it", "will", "can", "could", "would", "should", "i'll", "we'll", "don't", "didn't", "not", "don", "i've", "you've", "it's", "been", "being", "was", "is", "are", "were", "very", "really", "bit", "so", "feel", "feeling", "i'm", "you're", "doesn't", "and", "gets", "that's":
		if strings.HasSuffix(low, "ing") || strings.HasSuffix(low, "ed") {
			return -1
		}
		if prev == "and" || prev == "very" || prev == "really" || prev == "is" || prev == "it's" || prev == "feel" || prev == "feeling" || prev == "was" || prev == "are" || prev == "to" && strings.HasSuffix(low, "s") {
			return 0
		}
		return -2
	}
	if strings.HasSuffix(low, "ed") || strings.HasSuffix(low, "ing") {
		return 0
	}
	return 1
}
