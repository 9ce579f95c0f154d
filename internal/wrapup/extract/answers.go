package extract

import (
	"strings"

	"github.com/recallerhq/recaller"
)

// slot is what a question asks for.
type slot int

const (
	slotNone slot = iota
	slotName
	slotAllergies
	slotAddress
	slotSmoke
	slotDrink
	slotHome
	slotWork
	slotAge
	slotConditions
	slotChildren
	slotEmail
	slotMedication
	slotBirthday
	slotMarried
	slotKinName
	slotDiabetes
)

// asks says by which words a question is known. Where it asks for two things at once it is not answered by a yes or no.
var asks = []struct {
	slot slot
	all  []string // one of each must be there, alternatives cut by |
}{
	{slotName, []string{" your name | your full name | your first and last name |your name please | who am i speaking| am i speaking with | am i talking to "}},
	{slotAllergies, []string{" allerg"}},
	{slotEmail, []string{"email|e-mail", " your | an "}},
	{slotAddress, []string{" address ", " your "}},
	{slotSmoke, []string{" smoke | smoker | smoking ", " you | you're | your "}},
	{slotDrink, []string{" drink | alcohol ", " you | your "}},
	{slotHome, []string{" who do you live| live with | live alone| at home with | lives with you| living situation| who's at home"}},
	{slotWork, []string{" you do for work| you do for a living| your job| your occupation| do you work| line of work"}},
	{slotAge, []string{" how old are you | your age "}},
	{slotBirthday, []string{" your date of birth| your birthday| were you born"}},
	{slotMedication, []string{" medication| medicines| tablets", " take | taking | on any | regular"}},
	{slotConditions, []string{" medical problems| medical conditions| health conditions| medical history| health problems"}},
	{slotChildren, []string{" have any children | have children | have kids | have any kids "}},
	{slotMarried, []string{" are you married "}},
	{slotKinName, []string{"called | name ", " your wife | your husband | your partner | your son | your daughter | your brother | your sister | your mother | your father | your dog | your cat | your grandson | your granddaughter "}},
	{slotDiabetes, []string{" type one | type 1 ", " type two | type 2 "}},
}

// slot returns what the question asks for; slotNone if it is not known, or asks for several things at once.
func (q *question) slot() slot {
	found := slotNone
	if !strings.Contains(q.text, "you") && !strings.Contains(q.text, " any ") && !strings.Contains(q.text, "who's at home") && !strings.Contains(q.text, "am i ") && !strings.Contains(q.text, " type ") {
		return slotNone
	}
	for _, a := range asks {
		if !q.has(a.all) {
			continue
		}
		if found != slotNone && found != a.slot {
			return slotNone
		}
		found = a.slot
	}
	return found
}

// asksName reports whether the question asks for the name, whatever else it asks for in the same breath.
func (q *question) asksName() bool {
	for _, a := range asks {
		if a.slot == slotName && q.has(a.all) {
			return true
		}
	}
	return false
}

func (q *question) has(all []string) bool {
	for _, alternatives := range all {
		hit := false
		for _, w := range strings.Split(alternatives, "|") {
			if strings.Contains(q.text, w) {
				hit = true
				break
			}
		}
		if !hit {
			return false
		}
	}
	return true
}

var (
	yesWords = set(`yes yeah yep yup sure certainly absolutely correct right definitely indeed`)
	noWords  = set(`no nope nah never none not`)
	fluff    = set(`so well ok okay sure it is actually of course just currently probably allergies`)
)

// answer reads the utterance as the answer to the assistant's question. It returns how many of its sentences hold nothing
// more, so that the ordinary rules need not look at them.
func (x *extractor) answer() int {
	what := x.u.question.slot()
	if what == slotNone {
		return 0
	}
	turns := x.u.turns
	x.u.turns = append([]int{x.u.question.turn}, turns...)
	defer func() { x.u.turns = turns }()
	s := x.u.sentences[0]
	if s.ask == 0 || s.unreal() {
		return 0
	}
	used, v, yes, no := 1, 0, false, false
	for v < len(s.words) && (s.in(v, yesWords) || s.in(v, noWords) || s.in(v, fluff) && !s.is(v, "i", "am")) {
		yes, no = yes || s.in(v, yesWords), no || s.in(v, noWords)
		v++
	}
	if v == len(s.words) && len(x.u.sentences) > 1 && yes && !no {
		s, v, used = x.u.sentences[1], 0, 2
	}
	if yes && no || no && x.u.question.further() && what != slotConditions {
		return 0
	}
	if what == slotConditions && no && len(x.u.sentences) > 1 {
		return 0
	}
	if !x.fill(what, s, v, yes, no) {
		return 0
	}
	return used
}

// further reports whether a question asks for more of something, so that a "no" does not mean none at all.
func (q *question) further() bool {
	for _, w := range []string{" other ", " else ", " apart from", " besides", " food ", " pets", " dogs", " cats", " another "} {
		if strings.Contains(q.text, w) {
			return true
		}
	}
	return false
}

// howOften returns the word by which a question asked for more than whether: a "no" denies no more than that.
func (q *question) howOften() string {
	for _, w := range []string{" regularly", " heavily", " excessively", " often", " a lot", " much"} {
		if strings.Contains(q.text, w+" ") {
			return w
		}
	}
	return ""
}

// noAllergies says what a "no" denies: all allergies, or those that were asked for.
func (q *question) noAllergies() string {
	for _, w := range []string{" medication", " medicine", " drug", " antibiotic"} {
		if strings.Contains(q.text, w) && !strings.Contains(q.text, "in general") {
			return "no known drug allergies"
		}
	}
	return "no known allergies"
}

// fill keeps the answer for a slot. s from v on is what was said beside yes or no.
func (x *extractor) fill(what slot, s sentence, v int, yes, no bool) bool {
	bare := v >= len(s.words)
	say := func(kind recaller.MemoryType, key, value string) bool {
		return x.keep(draft{kind, key, value, 0.9, nil, false})
	}
	end := s.object(v, 8, true)
	whole := !bare && s.clean(v, end) && end >= len(s.words)-1
	switch what {
	case slotAllergies:
		return x.fillAllergies(s, v, end, no, bare)
	case slotSmoke:
		if no && (bare || !s.is(v, "i")) {
			return say(recaller.Context, "smoking", "does not smoke")
		}
		return yes && bare && say(recaller.Context, "smoking", "smokes")
	case slotDrink:
		if no && bare {
			return say(recaller.Context, "alcohol", "does not drink alcohol"+x.u.question.howOften())
		}
		if !no && !bare && (s.is(v, "occasionally") || s.is(v, "socially") || s.is(v, "rarely")) {
			return say(recaller.Context, "alcohol", "drinks "+s.w(v))
		}
	case slotAddress:
		if isNumber(s.w(v)) {
			x.address(s, v)
			return true
		}
	case slotEmail:
		x.email(s, v)
	case slotHome:
		if s.is(v, "alone") || s.is(v, "just", "me") || s.is(v, "by", "myself") || s.is(v, "on", "my", "own") {
			return say(recaller.Context, "living_situation", "lives alone")
		}
		v += b2i(s.is(v, "with"))
		if whole && s.livable(v, end) && !s.is(v, "i") {
			return say(recaller.Context, "living_situation", "lives with "+s.value(v, end))
		}
	default:
		return x.fillMore(what, s, v, yes, no)
	}
	return false
}

// fillMore keeps the answer for the slots whose answers are a number, a date, a word of a list, or yes or no.
func (x *extractor) fillMore(what slot, s sentence, v int, yes, no bool) bool {
	bare := v >= len(s.words)
	say := func(key, value string) bool {
		return x.keep(draft{recaller.Fact, key, value, 0.9, nil, false})
	}
	switch what {
	case slotAge:
		return isNumber(s.w(v)) && x.age(s, v)
	case slotBirthday:
		if text, f := x.dated(s.text(v, s.clauseEnd(v, 7))); f != nil && f.At.Before(x.u.at) && strings.ContainsAny(text, "0123456789") {
			return say("birth_date", f.Phrase)
		}
	case slotWork:
		if n := s.article(v); n > v {
			return x.occupation(s, n, recaller.Fact, "occupation", "")
		}
	case slotMedication:
		if no && bare {
			return say("medications", "no regular medication")
		}
	case slotConditions:
		if !no {
			return x.illness(s, v, "", "condition_")
		}
		if bare {
			return say("conditions", "no other medical conditions")
		}
	case slotChildren:
		if no && bare {
			return say("children", "no children")
		}
		return x.own(s, v)
	case slotKinName:
		return x.kinName(s, v)
	case slotDiabetes:
		return x.diabetesType(s, v)
	case slotMarried:
		if bare && (yes || no) {
			return say("marital_status", map[bool]string{true: "married", false: "not married"}[yes])
		}
	}
	return false
}

// kinName keeps the answer to "your daughter, what is she called?".
func (x *extractor) kinName(s sentence, v int) bool {
	for s.oneOf(v, `she he it they is are name her his called`) {
		v++
	}
	name, end := s.nameFrom(v)
	if name == "" || !s.broken(end-1) || !s.nameWord(v) {
		return false
	}
	noun := ""
	for _, w := range strings.Fields(x.u.question.text) {
		if w = strings.Trim(w, ".,"); soleRelations[w] || manyRelations[w] || petNouns[w] {
			noun = w
		}
	}
	key := slug(noun)
	if !soleRelations[noun] {
		key += "_" + slug(name)
	}
	x.add(draft{recaller.Fact, key, called(noun, noun, name), 0.9, nil, false})
	return false // what else is said may be worth keeping too
}

// diabetesType completes what was said of diabetes by the answer to "type one or type two?".
func (x *extractor) diabetesType(s sentence, v int) bool {
	if _, known := x.at["condition_diabetes"]; !known {
		return false
	}
	v += b2i(s.is(v, "type"))
	kind := map[string]string{"one": "1", "1": "1", "two": "2", "2": "2"}[s.w(v)]
	return kind != "" && x.keep(draft{recaller.Fact, "condition_diabetes", "has type " + kind + " diabetes", 0.9, nil, false})
}

func (x *extractor) fillAllergies(s sentence, v, end int, no, bare bool) bool {
	switch {
	case no && x.hasPrefix("allergy_"):
		return true
	case no && (bare || s.is(v, "allergies") || s.is(v, "that") || s.is(v, "known") || s.is(v, "at", "all")):
		return x.keep(draft{recaller.Fact, "allergies", x.u.question.noAllergies(), 0.9, nil, false})
	case no || bare || s.is(v, "i") || s.is(v, "my"):
		return false
	}
	v += b2i(s.is(v, "to"))
	v += 2 * b2i(s.is(v, "allergic", "to"))
	if !s.clean(v, end) || end-v > 4 || end < len(s.words) && !s.broken(end-1) {
		return false
	}
	for _, p := range s.items(v, end) {
		what := s.value(p[0], p[1])
		x.add(draft{recaller.Fact, "allergy_" + slug(what), "allergic to " + what, 0.85, nil, false})
	}
	return true
}
