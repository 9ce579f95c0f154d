package when

import (
	"strings"

	"github.com/recallerhq/recaller/internal/speech"
)

// verbs marks the verbs of the text.
func (p *parser) verbs() {
	if p.lang != english {
		p.foreignVerbs()
		return
	}
	helper, condition, polite := none, false, false // the clause is one of "if"; a wish is told politely
	done := 0                                       // up to this token a participle belongs to what stands before it
	for i, t := range p.tok {
		switch {
		case p.sentenceEnd(i):
			helper, condition, polite, done = none, false, false, 0
			continue
		case t.kind != word:
			continue
		case p.any(i, "and", "or") && helper == spent && p.plainForm(i+1):
			helper = waits
		case p.any(i, "if", "wish", "rather", "unless"):
			condition, helper = true, none
		case boundaries[t.w]:
			condition, helper, done = false, none, 0
		case t.w == "to" && p.plainForm(i+1):
			helper = waits
			continue
		}
		m, helps := p.verb(i, helper == waits)
		if m.mood != open && m.mood != ahead && (i < done && p.past(i) && !onlyPast[t.w] && (!subjectPronouns[p.w(i-1)] || haves[p.w(i-2)] || presents[p.w(i-2)]) || polite) {
			continue
		}
		if m.mood != behind && m.mood != open && takesParticiple(t) {
			done = i + 7
			if presents[t.w] && p.w(i-1) != "there" && i > 0 && p.tok[i-1].kind == word && !boundaries[p.w(i-1)] {
				done = i + 3
			}
		}
		if participled[t.w] || t.w == "be" {
			done = i + 7
		}
		polite = polite || m.mood == ahead && pastBe[t.w]
		switch {
		case helps:
			helper = waits
		case helper == waits && p.plainForm(i):
			helper = spent
		}
		if condition && m.mood == behind {
			m = mark{mood: torn}
		}
		p.marks[i] = m
	}
}

// Whether an auxiliary, or "to", waits for its plain verb, or has had it.
const (
	none = iota
	waits
	spent
)

// takesParticiple reports whether a participle that follows is of the word: "is closed", "'ve got", "gets married",
// "want it done".
func takesParticiple(t token) bool {
	return presents[t.w] || t.w == "am" || haves[t.w] || t.owner || strings.Contains(t.w, "'") || participled[t.w]
}

// verb reads one English word. aux says that a helper waits for its plain verb; helps that the word is such a helper.
func (p *parser) verb(i int, aux bool) (m mark, helps bool) {
	w := p.w(i)
	switch {
	case p.w(i-1) == "please" && p.plainForm(i):
		return mark{mood: ahead}, false
	case w == "see" && p.entered(i+1):
		return mark{mood: behind}, false
	case pastHelpers[w]:
		return p.did(i), true
	case pastBe[w]:
		return p.was(i), true
	case aux && w == "have":
		return m, true
	case haves[w], strings.HasSuffix(w, "'ve"), p.tok[i].owner && p.any(i+1, "been", "had", "already", "never"):
		return p.have(i), true
	case hads[w], shortWould[w] && p.plainForm(i+1):
		return p.had(i)
	case w == "going" && (pastBe[p.w(i-1)] || pastBe[p.w(i-2)]):
		return m, false
	case samePast[w] && p.singularBefore(i):
		return mark{mood: behind}, false
	case modals[w]:
		return p.modal(i), true
	case strings.HasSuffix(w, "'ll"), shortWill[w] && p.plainForm(i+1):
		return mark{mood: ahead}, true
	case presents[w], w == "am" && (p.w(i-1) == "i" || p.w(i+1) == "i"), strings.HasSuffix(w, "'re"), p.tok[i].owner && (isSubject[w] || weekdays[w] != 0 && predicates[p.w(i+1)]),
		p.tok[i].owner && (strings.HasSuffix(p.w(i+1), "ing") && !(determiners[p.w(i-1)] && occasions[p.w(i+1)]) || p.any(i+1, "got", "gonna", "on", "due", "at", "closed", "booked", "here")):
		return mark{mood: ahead}, false
	case p.past(i):
		return p.told(i), false
	case !aux && p.present(i):
		return mark{mood: ahead}, false
	}
	return m, false
}

// occasions end like what somebody is doing: "my sister's wedding".
var occasions = speech.Set(`wedding meeting hearing christening viewing fitting reading outing evening morning sitting opening`)

// singularBefore reports whether one thing or person stands before the word at i, which then would end in -s in the
// present.
func (p *parser) singularBefore(i int) bool {
	w := p.w(i - 1)
	return isSingular[w] || i > 1 && p.tok[i-1].kind == word && determiners[p.w(i-2)] && !strings.HasSuffix(w, "s") && !openers[w] && !determiners[w]
}

// did reads "did": a report, or a question for what somebody wants ("Did you want Friday?") or means.
func (p *parser) did(i int) mark {
	switch j := p.skip(i + 1); {
	case p.any(j, "want", "need", "fancy", "prefer"):
		return mark{mood: ahead}
	case p.any(j, "say", "mean", "think", "wonder", "consider"):
		return mark{mood: torn}
	}
	return mark{mood: behind}
}

// was reads "was" and "were": a report, a wish told politely ("I was hoping for Friday"), or a plan.
func (p *parser) was(i int) mark {
	j := p.skip(i + 1)
	switch {
	case p.any(j, "hoping", "wondering", "thinking", "looking", "after", "wanting"):
		return mark{mood: ahead}
	case p.any(j, "supposed", "meant", "due", "gonna", "to", "expecting", "expected", "promised", "planning", "intending"), p.is(j, "going", "to"), schedules[p.w(j)]:
		return mark{mood: torn, plan: true}
	}
	return mark{mood: behind}
}

// have reads "have" and "has": "I've booked you in" holds, "has been leaking" leaves open when.
func (p *parser) have(i int) mark {
	j := p.skip(i + 1)
	for k := 0; k < 3 && !p.past(j) && !boundaries[p.w(j)] && p.w(j) != "to" && p.w(j) != "the"; k++ { // "has anybody been"
		j++
	}
	been := p.w(j) == "been"
	if been {
		j = p.skip(j + 1)
	}
	if p.past(j) && !schedules[p.w(j)] && !p.any(j, "got", "put", "cut", "set", "made") || been && !schedules[p.w(j)] {
		return mark{mood: torn}
	}
	return mark{mood: ahead}
}

// had reads "had" and "would", which are one word when they are short.
func (p *parser) had(i int) (mark, bool) {
	j := p.skip(i + 1)
	switch {
	case p.any(j, "better", "rather", "like", "love", "prefer"):
		return mark{mood: ahead}, true
	case !hads[p.w(i)] || strings.HasSuffix(p.w(i), "'d") && p.plainForm(j):
		return p.would(i), true
	case p.any(j, "to", "been"):
		return mark{mood: behind}, true
	}
	for k := j; k < j+5; k++ {
		if bookings[p.w(k)] || schedules[p.w(k)] || p.any(k, "down", "for") {
			return mark{mood: torn, plan: true}, false
		}
	}
	return mark{mood: behind}, false
}

// would reads "would" where it tells what somebody said would be: a plan of then. Else it is a wish of now.
func (p *parser) would(i int) mark {
	for k := i - 1; k >= 0 && k > i-8 && !p.sentenceEnd(k); k-- {
		if reports[p.w(k)] {
			return mark{mood: torn, plan: true}
		}
	}
	return mark{mood: ahead}
}

// nounAt reports whether the word at j looks like a thing without an article.
func (p *parser) nounAt(j int) bool {
	w := p.w(j)
	return j < len(p.tok) && p.tok[j].kind == word && !determiners[w] && !goes[w] && !subjectPronouns[w] && !boundaries[w] && !p.past(j) && weekdays[w] == 0 && !starters[w]
}

func (p *parser) modal(i int) mark {
	w := p.w(i)
	j := p.skip(i + 1)
	switch {
	case p.any(j, "have", "of", "'ve", "a", "have") && p.past(j+1) && !p.any(i, "will", "can", "may"), strings.HasSuffix(w, "'ve"):
		return mark{mood: behind}
	case p.any(i, "couldn't", "couldnt", "wouldn't", "wouldnt") && !p.any(i+1, "you", "we", "it"):
		return mark{mood: torn}
	case p.any(i, "would", "might", "could", "should"):
		return p.would(i)
	}
	return mark{mood: ahead}
}

// told reads a word in the past tense: a report, a wish told politely, or a plan that was made.
func (p *parser) told(i int) mark {
	w := p.w(i)
	j := i + 1
	for p.any(j, "me", "us", "you", "him", "her", "them", "it", "that") {
		j++
	}
	switch {
	case w == "got" && j == i+1 && p.nounAt(j): // "he got exam on Wednesday": he has one
		return mark{mood: torn}
	case p.any(i, "wanted", "hoped", "needed", "fancied") && p.any(i-1, "i", "we", "just") && !p.contradicted(i):
		return mark{mood: ahead}
	case p.any(i, "wanted", "hoped", "needed", "fancied", "wished"), w == "got" && p.tok[max(i-1, 0)].owner:
		return mark{mood: torn}
	case w == "got" && isPlural[p.w(i-1)] && !goes[p.w(j)] && !p.past(j): // "I got a lesson on Friday": they have it
		return mark{mood: torn}
	case w == "meant", acknowledged[w] && (i == 0 || p.tok[i-1].kind == punct), (schedules[w] || w == "closed" || w == "shut") && (i == 0 || p.tok[i-1].kind == punct): // nobody does it: a state
		return mark{}
	case settles[w]:
		return mark{mood: torn, plan: true}
	case (reports[w] || schedules[w] || plans[w]) && (p.any(j, "to", "for", "by") || p.toDay(j)):
		return mark{mood: torn, plan: true}
	}
	return mark{mood: behind}
}

// toDay reports whether a day follows without "on": what was said is the day, not when it was said.
func (p *parser) toDay(j int) bool {
	for p.any(j, "it", "would", "be", "i", "you", "was", "about", "at", "me", "next", "this") {
		j++
	}
	return weekdays[p.w(j)] != 0 || p.w(j) == "the" && (ordinals[p.w(j+1)] != 0 || j+1 < len(p.tok) && p.tok[j+1].ordinal)
}

// contradicted reports whether a "but" follows in the sentence.
func (p *parser) contradicted(i int) bool {
	for k := i; k < len(p.tok) && k < i+25 && !p.sentenceEnd(k); k++ {
		if p.w(k) == "but" {
			return true
		}
	}
	return false
}

// skip passes over what may stand between an auxiliary and its verb.
func (p *parser) skip(i int) int {
	for p.any(i, "i", "we", "you", "he", "she", "it", "they", "just", "really", "not", "also", "only", "already", "never", "always", "still",
		"actually", "kind", "sort", "of", "all", "since", "probably", "ever", "now") {
		i++
	}
	return i
}

// past reports whether the word is a verb in the past tense, or a participle.
func (p *parser) past(i int) bool {
	w := p.w(i)
	if i < 0 || i >= len(p.tok) || p.tok[i].kind != word {
		return false
	}
	if preterites[w] {
		return !p.any(i, "left", "felt", "found", "saw", "lost", "met", "broke") || !p.any(i-1, "the", "my", "a", "your", "is", "one", "on")
	}
	stem, ok := strings.CutSuffix(w, "ed")
	name := p.tok[i].capital && i > 0 && p.tok[i-1].kind == word
	return ok && len(stem) > 2 && !name && !likePast[w] && !determiners[p.w(i-1)]
}

// plainForm reports whether the word is the plain form of a verb that people use of their days.
func (p *parser) plainForm(i int) bool { return plain[p.w(i)] || plainNouns[p.w(i)] }

// present reports whether the word is a verb in the present tense, a request ("call me Tuesday") or a word that asks.
func (p *parser) present(i int) bool {
	w, before := p.w(i), p.w(i-1)
	if asking[w] || w == "please" || p.is(i, "how", "about") || p.is(i, "what", "about") || p.is(i, "any", "chance") {
		return true
	}
	if (w == "think" || w == "guess" || w == "reckon" || w == "suppose" || w == "mean" || w == "believe") && before == "i" {
		return false
	}
	if before == "to" || before == "not" || w == "see" && before == "i" && p.w(i+1) != "you" {
		return false
	}
	first := i == 0 || p.tok[i-1].kind == punct || openers[before] || boundaries[before] || before == "don't" || before == "dont"
	subject := isPlural[before] || p.any(i-1, "just", "really", "only", "still", "always", "also", "usually")
	switch {
	case samePast[w]:
		return first
	case w == "like":
		return subject
	case plain[w]:
		return first || subject || !determiners[before] && !isSingular[before] && strings.HasSuffix(before, "s")
	case plainNouns[w]:
		return first || subject
	case strings.HasSuffix(w, "ing") && len(w) > 4:
		return subject || first && p.any(i, "coming", "arriving", "leaving", "calling", "flying", "starting", "moving", "going")
	}
	stem, ok := strings.CutSuffix(w, "s")
	if es, has := strings.CutSuffix(w, "es"); has && !plain[stem] && !plainNouns[stem] {
		stem = es
	}
	if !ok || !plain[stem] && !plainNouns[stem] {
		return false
	}
	return isSingular[before] || !determiners[before] && i > 0 && p.tok[i-1].kind == word && (!first || plain[stem] && boundaries[before])
}

// Words of verbs. The lists are closed: a verb that is in none of them tells nothing, and the day beside it is left
// open.
var (
	pastHelpers     = set("pastHelpers")
	pastBe          = set("pastBe")
	haves           = set("haves")
	hads            = set("hads")
	shortWould      = set("shortWould")
	shortWill       = set("shortWill")
	modals          = set("modals")
	presents        = set("presents")
	isSubject       = set("isSubject")
	isPlural        = set("isPlural")
	isSingular      = set("isSingular")
	predicates      = set("predicates")
	openers         = set("openers")
	subjectPronouns = set("subjectPronouns")
	goes            = set("goes")
	acknowledged    = set("acknowledged")
	participled     = set("participled")
	asking          = set("asking")
	determiners     = set("determiners")
	reports         = set("reports")
	settles         = set("settles")
	plans           = set("plans")
	schedules       = set("schedules")
	bookings        = set("bookings")
	likePast        = set("likePast")
	preterites      = set("preterites")
	onlyPast        = set("onlyPast")
	samePast        = set("samePast")
	habits          = set("habits")
	plain           = set("plain")
	plainNouns      = set("plainNouns")
)

// entered reports whether what is seen, from token i on, stands in the books, and so has happened: "I see two
// payments".
func (p *parser) entered(i int) bool {
	for k := i; k < i+4; k++ {
		if p.any(k, "payment", "payments", "charge", "charges", "transaction", "transactions", "purchase", "purchases", "withdrawal", "debit", "debits") {
			return true
		}
	}
	return false
}
