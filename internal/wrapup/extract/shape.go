package extract

import (
	"slices"
	"strings"

	"github.com/recallerhq/recaller/internal/recall/token"
	"github.com/recallerhq/recaller/internal/speech"
)

// shape weighs how words are put: what lasts is said in the plain present of the caller ("I haul steel", "my wife works
// nights", "I can't drive after"), as what there is, or as what the agent is to do or leave. own: they speak of the
// caller.
func (l *tongue) shape(w []string) (weight float64, own bool) {
	least := 0.0
	for i, v := range w {
		switch {
		case l.self[v]:
			c := l.clause(w, i+1)
			weight, least, own = max(weight, c), min(least, c), true
		case l.own[v] && i+1 < len(w):
			own = true
			weight = max(weight, l.theirs(w, i+1))
			if l.moment[w[i+1]] || w[i+1] == "name" || w[i+1] == "bad" || w[i+1] == "mistake" {
				weight -= 2
			}
		}
	}
	if weight == 0 {
		weight = least
	}
	if l.language != token.English {
		return max(weight, l.command(w)), own
	}
	if at := slices.Index(w, "there"); at >= 0 && at+1 < len(w) && (w[at+1] == "is" || w[at+1] == "are") {
		weight = max(weight, 1.5)
	}
	if c := l.command(w); c > 0 {
		weight = max(weight, c)
	}
	return weight, own
}

// theirs weighs what is said of "my …": what somebody does or is as a rule, over what he did once.
func (l *tongue) theirs(w []string, i int) float64 {
	for k := i; k < min(len(w), i+4); k++ {
		v := w[k]
		switch {
		case k > i && (v == "is" || v == "has" || v == "are" || v == "have"), strings.HasSuffix(v, "'s") && k < len(w)-1 && kin[strings.TrimSuffix(v, "'s")] != "":
			return 1
		case k > i && (v == "can" || v == "does" || v == "do" || v == "will") && at(w, k+1) == "not":
			return 1.5
		case k > i && kin[w[k-1]] != "" && kin[v] == "" && strings.HasSuffix(v, "s") && !strings.HasSuffix(v, "'s") && len(v) > 3:
			return 1.5
		}
	}
	return 0.5
}

var (
	adverbs = speech.Set(`really just also always usually never still actually only sort kind of even probably already normally generally often
		sometimes currently mostly ever not both all pretty quite very`)
	passing = speech.Set(`sorry sure fine good okay ok afraid happy glad ready here back done wondering calling looking trying asking hoping
		thinking talking going sorry just interested curious having getting considering struggling using excited thrilled so about seeing
		wanting ringing phoning worried concerned new open planning`)
	commands = speech.Set(`call text ring email mail send leave tell use put knock come park bring ask keep give write phone message post speak shout`)
	modals   = speech.Set("would will could might should may shall must")
)

// clause weighs what follows "I" or "we".
func (l *tongue) clause(w []string, i int) float64 {
	if l.language != token.English {
		if i < len(w) && l.verbs[w[i]] {
			return 0
		}
		return 1
	}
	never := false
	for i < len(w) && adverbs[w[i]] {
		never = never || w[i] == "never"
		i++
	}
	if i >= len(w) {
		return 0
	}
	v, next := w[i], at(w, i+1)
	for j := i + 1; adverbs[next] && next != "not" && next != "all"; j++ {
		next = at(w, j+1)
	}
	switch {
	case v == "am" || v == "are" || v == "was" || v == "were":
		return state(w, i+1)
	case v == "have" || v == "has" || v == "had" || v == "got":
		return having(w, i+1)
	case (v == "do" || v == "can" || v == "could" || v == "will") && next == "not":
		return l.denied(w, i+2, v)
	case v == "used" && next == "to":
		return 2
	case v == "would" && (next == "rather" || next == "prefer"), v == "prefer", v == "hate":
		return 2.5
	case v == "need" || v == "want":
		return -1
	case modals[v], v == "can", l.verbs[v], strings.HasSuffix(v, "ing"):
		return 0
	case l.existed[v], strings.HasSuffix(v, "ed"):
		return 0.75
	case never:
		return 2.5
	case l.prelude[v] || l.self[v] || l.own[v] || speech.IsNumber(v) || token.Stop(v):
		return 0
	}
	return 2
}

// denied weighs what follows "I do not" and "I can not".
func (l *tongue) denied(w []string, i int, aux string) float64 {
	for adverbs[at(w, i)] {
		i++
	}
	switch v := at(w, i); {
	case v == "want":
		return 1.5
	case v == "have":
		return -2 // what one has not is nothing to keep, unless it was asked about
	case v == "do" && aux != "will", v == "get" && aux != "will", v == "go", v == "come", v == "like", v == "love", v == "eat":
		return 2
	case l.verbs[v] || v == "" || v == "be" || v == "care" || v == "mind" || v == "find" || aux == "will":
		return 0
	}
	return 2
}

// state weighs what follows "I am".
func state(w []string, i int) float64 {
	for adverbs[at(w, i)] && at(w, i) != "not" {
		i++
	}
	v, next := at(w, i), at(w, i+1)
	switch {
	case v == "not":
		return 0.5
	case v == "no" && next == "good":
		return 2.25
	case passing[v], v == "":
		return -1
	case v == "a" || v == "an" || speech.IsNumber(v):
		return 2.5
	case v == "on" || v == "in" || v == "at" || v == "off" || v == "from" || v == "no" || v == "under" || v == "out":
		return 1.5
	case strings.HasSuffix(v, "ing"), next == "to":
		return 0.5
	}
	return 1
}

// having weighs what follows "I have".
func having(w []string, i int) float64 {
	for adverbs[at(w, i)] && at(w, i) != "not" || at(w, i) == "got" {
		i++
	}
	switch v := at(w, i); {
	case v == "to" || v == "":
		return 0.5
	case v == "been" && (passing[at(w, i+1)] || at(w, i+1) == "meaning"):
		return 0
	case v == "not", v == "no":
		return 1.5
	case slices.ContainsFunc(w[i:min(len(w), i+4)], func(s string) bool { return thin[s] }):
		return -0.5
	case v == "a" || v == "an" || v == "my" || v == "two" || v == "three" || speech.IsNumber(v):
		return 2
	}
	return 1
}

// thin are what everybody has in a call.
var thin = speech.Set(`question questions problem problems issue reservation appointment booking idea look copy couple feeling thought chance minute
	second time trouble doubt clue hear told said`)

// command weighs what the agent is told to do or to leave: "call the cell, not the house", "nothing over three sixty".
func (l *tongue) command(w []string) float64 {
	if l.language != token.English {
		return l.bidden(w)
	}
	i := 0
	for i < len(w)-1 && l.prelude[w[i]] && (w[i] != "no" || commands[w[i+1]]) {
		i++
	}
	v, next := w[i], at(w, i+1)
	about := topicOf[next]
	for _, s := range w {
		if t := topicOf[strings.TrimSuffix(s, "'s")]; t != nil && (about == nil || t.weight > about.weight) {
			about = t
		}
	}
	switch {
	case len(w)-i < 2 || v == "do" && (next == "not" && (at(w, i+2) == "worry" || at(w, i+2) == "know" || at(w, i+2) == "think" || at(w, i+2) == "hate")):
		return 0
	case v == "do" && next == "not" && about != nil, v == "never" && about != nil, limits(w):
		return 2.5
	case commands[v] && (about != nil || sides[at(w, i+3)]), v == "speak" && next == "up", has(w, lieber) && !slices.Contains(w, "or"):
		return 2
	case v == "nothing", near(w, func(i int) bool { return w[i] == "not" && at(w, i+1) == "to" }, beings, 1), v == "no" && len(w)-i > 2 && len(w)-i <= 8 && (has(w, ever) || strings.HasSuffix(next, "s") && !thin[next] && !token.Stop(next)):
		return 2
	case v == "not" && about != nil, v == "no" && about != nil && about.weight > 1 && len(w)-i <= 8:
		return 1.5
	}
	return 0
}

// limits reports whether words set a bound to what may be done: "not with a man", "nothing over forty", "by email, not
// to the school".
func limits(w []string) bool {
	for i, v := range w {
		next := at(w, i+1)
		if v == "nothing" && bounds[next] && next != "to" || v == "not" && !being[at(w, i-1)] && bounds[next] && (articles[at(w, i+2)] || skipped[at(w, i+2)]) {
			return true
		}
	}
	return false
}

// bidden is command of German and Spanish: "klingeln Sie", "no llame", "bitte nicht anrufen", "sin batería", "lieber".
func (l *tongue) bidden(w []string) float64 {
	for i, v := range w {
		t := topicOf[v]
		if has(w, lieber) || without[v] && len(l.content(w[i:])) > 0 && len(w) < 16 || bids[v] || t != nil &&
			(at(w, i+1) == "sie" && strings.HasSuffix(v, "en") || slices.Contains(w, "bitte") && has(w, l.denial) || at(w, i-1) == "no" && reaching(v)) {
			return 2
		}
	}
	return 0
}

var (
	bounds  = speech.Set("over under before after until with to by on from at")
	being   = speech.Set("am is are was were be do does did can will would have has been if")
	beings  = speech.Set("is are")
	ever    = speech.Set("ever please either online")
	lieber  = speech.Set("lieber prefiero preferiría rather prefer ungern")
	without = speech.Set("ohne sin")
	bids    = speech.Set("llámeme llámenos avíseme escríbame llame llamen toque toquen avise klingeln")
)

func at(w []string, i int) string {
	if i < 0 || i >= len(w) {
		return ""
	}
	return w[i]
}
