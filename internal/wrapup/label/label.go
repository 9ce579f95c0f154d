package label

import (
	"cmp"
	"math"
	"slices"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/speech"
)

// By is what an analysis of this package says it was made by.
const By = recaller.ByRules

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

// Analyse labels a conversation by the packs, the first of them having precedence; acts are what was agreed on in it
// about times; broke: the connection was lost. The intent is what the caller wants: what he asks for weighs more than
// what he tells, his words more than the agent's, early ones more than late ones, and what came of the call and his
// mood speak too; between intents that are as good as equal the packs' order decides. Sentiment (the caller's) and
// outcome go by what happened in the dialogue. It is the same for the same turns; no turns give the fallbacks.
func Analyse(turns []recaller.Turn, acts []recaller.Act, broke bool, packs []Pack) recaller.Analysis {
	ls := lines(turns)
	spoken := read(ls)
	ls = slices.DeleteFunc(ls, func(l line) bool { return l.weight < 1 })
	a := recaller.Analysis{By: By, Intent: GeneralInfo, Sentiment: mood(ls, packs), Outcome: outcome(spoken, ls, acts, broke, packs)}
	if len(packs) > 0 {
		a.Intent = packs[0].fallback
	}
	var signs []string // a sentence alone is read by its words
	switch {
	case a.Outcome != Booked && keepsCompany(ls):
		signs = []string{company}
	case a.Outcome == Answered: // who asks something may be in any mood
		signs = []string{Answered}
	case len(ls) > 1:
		signs = []string{a.Outcome, a.Sentiment}
	}
	a.Intent = cmp.Or(intent(spoken, signs, packs), a.Intent)
	a.Topics = topics(spoken, packs)
	return a
}

// lean is what a sign of the course of a call says of an intent: how the score of its words grows, and what is added to
// it where no intent that the sign favours has words.
type lean struct{ times, plus float64 }

// leans are by sign and intent.
var leans = map[[2]string]lean{
	{Booked, "appointment"}: {1.5, 1.8}, {Booked, "booking"}: {1.5, 0}, {Booked, "repair-visit"}: {1.5, 0},
	{Booked, "pricing"}: {0.6, 0}, {Booked, "hours"}: {0.6, 0}, {Cancelled, "cancellation"}: {1, 1.5},
	{Answered, "appointment"}: {0.5, 0}, {Answered, "booking"}: {0.5, 0}, {Answered, "repair-visit"}: {0.5, 0}, {Answered, "cancellation"}: {0.5, 0},
	{Negative, "complaint"}: {1, 0.9}, {Positive, GeneralInfo}: {1, 0.8}, {company, "companionship"}: {1, 1.5},
}

// leanOn lets a sign speak. What it adds is for an intent that nobody names: a visit that was asked for is no other
// appointment.
func leanOn(sign string, rules []rule, scores []float64) {
	named := 0.0 // the best score of the other intents that the sign favours
	for i, r := range rules {
		if l := leans[[2]string{sign, r.label}]; l.times > 1 && l.plus == 0 {
			named = max(named, scores[i])
		}
	}
	for i, r := range rules {
		if l, ok := leans[[2]string{sign, r.label}]; ok && named <= chance {
			scores[i] = scores[i]*l.times + l.plus
		} else if ok {
			scores[i] *= l.times
		}
	}
}

// company is the sign of a call in which the agent keeps somebody company: nothing else is to be read from its end.
const company = "company"

// said is one sentence as words.
type said struct {
	caller bool
	wants  bool // something is asked or wanted in it
	tokens []*token
	order  int // of its turn, among those of its speaker
	weight float64
}

func read(ls []line) []said {
	var out []said
	order := map[bool]int{}
	for _, l := range ls {
		for _, s := range l.said {
			out = append(out, said{l.caller, s.is(ask | want), s.tokens, order[l.caller], l.weight})
		}
		order[l.caller]++
	}
	return out
}

const (
	agentWeight = 0.5  // of the agent's words against the caller's
	greetWeight = 0.2  // of his first words: they tell the trade at most
	wantWeight  = 1.6  // of a sentence that asks or wants
	lateWeight  = 0.3  // of words late in a conversation against the first
	fade        = 8    // turns of a speaker over which words lose weight
	asGood      = 0.92 // of the best score: within it the packs' order decides
	chance      = 0.5  // a score of so much comes of any talk
)

func (s said) intentWeight() float64 {
	w := s.weight * max(lateWeight, 1-float64(s.order)/fade)
	switch {
	case !s.caller && s.order == 0:
		return w * greetWeight
	case !s.caller:
		w *= agentWeight
	case s.wants:
		w *= wantWeight
	}
	return w
}

func intent(spoken []said, signs []string, packs []Pack) string {
	rules := merged(packs, func(p Pack) []rule { return p.intents })
	scores := score(spoken, rules, said.intentWeight)
	for _, sign := range signs {
		leanOn(sign, rules, scores)
	}
	best := slices.Max(append([]float64{0}, scores...))
	for i, s := range scores {
		if best > chance && s >= best*asGood {
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

func loudness(p pattern) float64 { return []float64{0, 1, 1.7, 2.2}[min(p.words, 3)] }

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
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	var out []string
	for _, i := range order[:min(len(order), maxTopics)] {
		out = append(out, rules[i].label)
	}
	return out
}

// outcome is the first rule of the packs' own that the words support, else what the dialogue has by its shape, told by
// a label that the packs have.
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

type negation int

const (
	plain    negation = iota
	denied            // "not", "no", "never", "without" stands before it
	declined          // the speaker says he does not want it
)

var negators = speech.Set(`not no never without isn't wasn't aren't don't didn't doesn't haven't hasn't can't cannot
	won't nothing hardly nor`)

// negationReach is how many words after a negation still stand under it.
const negationReach = 4

// negated looks for a negation before a phrase and in its gaps, but for one that it has itself.
func negated(ts []*token, h hit) negation {
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
