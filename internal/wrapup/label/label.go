package label

import (
	"math"
	"slices"

	"github.com/recallerhq/recaller"
)

// By is what an analysis of this package says it was made by.
const By = "rules"

// Labels that stand whatever the packs.
const (
	GeneralInfo = "general-info" // the intent where no table matches and the pack names no other
	Unresolved  = "unresolved"   // the outcome where no table matches
)

// Sentiments.
const (
	Positive = "positive"
	Neutral  = "neutral"
	Negative = "negative"
)

// maxTopics bounds the topics of one conversation.
const maxTopics = 8

// Analyse labels a conversation by the packs, the first of them having precedence; acts are what was agreed on in it about times;
// broke: the connection was lost. The intent is
// what the caller wants: his words weigh more than the agent's, and early ones more than late ones; between intents that are as
// good as equal the packs' order decides. Sentiment (the caller's) and outcome go by what happened in the dialogue. It is the
// same for the same turns; no turns give the fallbacks.
func Analyse(turns []recaller.Turn, acts []recaller.Act, broke bool, packs []Pack) recaller.Analysis {
	spoken, ls := read(turns), lines(turns)
	a := recaller.Analysis{By: By, Intent: GeneralInfo, Sentiment: mood(ls, packs), Outcome: outcome(spoken, ls, acts, broke, packs)}
	if len(packs) > 0 {
		a.Intent = packs[0].fallback
	}
	best := intent(spoken, packs)
	for i := 0; best == "" && i < len(packs); i++ {
		best = packs[i].byShape(a)
	}
	if best != "" {
		a.Intent = best
	}
	a.Topics = topics(spoken, packs)
	return a
}

// byShape is the intent that the outcome or the mood tells where no words do; empty if the pack has none such.
func (p Pack) byShape(a recaller.Analysis) string {
	want := ""
	switch {
	case a.Outcome == Booked:
		want = "appointment"
	case a.Outcome == Cancelled:
		want = "cancellation"
	case a.Sentiment == Negative:
		want = "complaint"
	}
	if !slices.Contains(labels(p.intents), want) {
		return ""
	}
	return want
}

// said is one turn as words.
type said struct {
	caller bool
	tokens []token
	order  int // among the turns of its speaker
	weight float64
}

func read(turns []recaller.Turn) []said {
	out := make([]said, 0, len(turns))
	order := map[recaller.Speaker]int{}
	for _, t := range turns {
		if !t.Speaker.Valid() {
			continue
		}
		s := said{caller: t.Speaker == recaller.User, tokens: tokenise(t.Text), order: order[t.Speaker], weight: 1}
		if len(s.tokens) == 0 {
			continue
		}
		if t.Interrupted || (t.Confidence > 0 && t.Confidence < 0.5) {
			s.weight = 0.4
		}
		order[t.Speaker]++
		out = append(out, s)
	}
	return out
}

const (
	agentWeight = 0.3  // of the agent's words against the caller's
	lateWeight  = 0.3  // of words late in a conversation against the first
	fade        = 8    // turns of a speaker over which words lose weight
	asGood      = 0.92 // of the best score: within it the packs' order decides
)

func (s said) intentWeight() float64 {
	w := s.weight * max(lateWeight, 1-float64(s.order)/fade)
	if !s.caller {
		w *= agentWeight
	}
	return w
}

func intent(spoken []said, packs []Pack) string {
	rules := merged(packs, func(p Pack) []rule { return p.intents })
	scores := score(spoken, rules, said.intentWeight)
	best := slices.Max(append([]float64{0}, scores...))
	if best <= 0 {
		return ""
	}
	for i, s := range scores {
		if s >= best*asGood {
			return rules[i].label
		}
	}
	return ""
}

// merged joins the tables of packs, in their order; rules of one label become one.
func merged(packs []Pack, table func(Pack) []rule) []rule {
	var out []rule
	at := map[string]int{}
	for _, p := range packs {
		for _, r := range table(p) {
			key := r.label + " " + string(r.by)
			if i, ok := at[key]; ok {
				out[i].patterns = append(slices.Clip(out[i].patterns), r.patterns...)
				continue
			}
			at[key] = len(out)
			out = append(out, r)
		}
	}
	return out
}

// score adds up what speaks for each rule: longer phrases speak louder, and saying the same again adds less and less.
func score(spoken []said, rules []rule, weight func(said) float64) []float64 {
	b := newBook(rules)
	total := make([]float64, len(rules))
	for _, s := range spoken {
		w := weight(s)
		turn := map[int]float64{}
		for _, h := range b.find(s.tokens) {
			if rules[h.rule].counts(s) && negated(s.tokens, h) != declined {
				turn[h.rule] = max(turn[h.rule], loudness(h.pattern))
			}
		}
		for r, l := range turn {
			total[r] += l * w
		}
	}
	for i := range total {
		total[i] = math.Sqrt(total[i]) * math.Sqrt(min(total[i], 3))
	}
	return total
}

// counts reports whether the rule takes notice of who said it.
func (r rule) counts(s said) bool { return r.by == "" || (r.by == recaller.User) == s.caller }

func loudness(p pattern) float64 { return []float64{0, 1, 1.9, 2.5}[min(p.words, 3)] }

func topics(spoken []said, packs []Pack) []string {
	rules := merged(packs, func(p Pack) []rule { return p.topics })
	scores := score(spoken, rules, func(s said) float64 {
		if s.caller {
			return s.weight
		}
		return s.weight * 0.5
	})
	order := make([]int, 0, len(rules))
	for i, s := range scores {
		if s > 0 {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case scores[a] > scores[b]:
			return -1
		case scores[a] < scores[b]:
			return 1
		}
		return 0
	})
	var out []string
	for _, i := range order[:min(len(order), maxTopics)] {
		out = append(out, rules[i].label)
	}
	return out
}

// outcome is the first rule of the packs' own that the words support, else what the dialogue has by its shape, told by a label
// that the packs have.
func outcome(spoken []said, ls []line, acts []recaller.Act, broke bool, packs []Pack) string {
	rules := merged(packs, func(p Pack) []rule { return p.outcomes })
	b := newBook(rules)
	best := len(rules)
	for _, s := range spoken {
		if s.weight < 1 {
			continue // nothing is taken for done that was cut off or hardly heard
		}
		for _, h := range b.find(s.tokens) {
			if h.rule < best && rules[h.rule].counts(s) && negated(s.tokens, h) == plain {
				best = h.rule
			}
		}
	}
	if best < len(rules) {
		return rules[best].label
	}
	found := shape(ls, acts, broke)
	for range len(instead) {
		if found == Unresolved || len(rules) == 0 || slices.Contains(labels(rules), found) {
			return found
		}
		found = instead[found]
	}
	return Unresolved
}

// feeling weighs a word of feeling: "not happy" is negative, "no problem" is nothing.
func feeling(positive bool, n negation) float64 {
	switch {
	case positive && n == plain:
		return 1
	case positive || n == plain:
		return -1
	}
	return 0
}

type negation int

const (
	plain    negation = iota
	denied            // "not", "no", "never", "without" stands before it
	declined          // the speaker says he does not want it
)

var negators = map[string]bool{
	"not": true, "no": true, "never": true, "without": true, "isn't": true, "wasn't": true, "aren't": true, "don't": true, "didn't": true,
	"doesn't": true, "haven't": true, "hasn't": true, "can't": true, "cannot": true, "won't": true, "nothing": true, "hardly": true, "nor": true,
}

// negationReach is how many words after a negation still stand under it.
const negationReach = 4

// negated looks for a negation before a phrase and in its gaps, but for one that it has itself.
func negated(ts []token, h hit) negation {
	for i := h.at; h.pattern.gapped() && !h.pattern.denies && i < h.end; i++ {
		if negators[ts[i].low] {
			return denied
		}
	}
	for i := h.at - 1; i >= max(0, h.at-negationReach); i-- {
		low := ts[i].low
		if !negators[low] {
			continue
		}
		if low == "no" && i == 0 && (h.at > 1 || ts[h.at].stem == "thank") {
			return plain // "no, thank you", "no I'm happy with that": an answer, then a statement
		}
		if i+1 < len(ts) && (low == "don't" || low == "not" || low == "didn't") {
			switch ts[i+1].low {
			case "want", "need", "wanting", "wanna", "calling":
				return declined
			}
		}
		return denied
	}
	return plain
}
