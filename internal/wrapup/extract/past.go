package extract

import (
	"strings"

	"github.com/recallerhq/recaller"
)

// haveBeen reads what follows "I have" where it is an auxiliary. It reports whether it was.
func (x *extractor) haveBeen(s sentence, v int) bool {
	for s.in(v, adverbs) && !s.is(v, "always", "wanted") {
		if s.in(v, unsure) {
			return true
		}
		v++
	}
	switch {
	case s.is(v, "lived") || s.is(v, "worked") || s.is(v, "moved") || s.is(v, "retired") || s.is(v, "quit") || s.is(v, "stopped") || s.is(v, "adopted"):
		x.past(s, v)
		return true
	case s.is(v, "always", "loved") || s.is(v, "always", "enjoyed"), s.is(v, "loved") && s.is(v-1, "always"):
		v += b2i(s.is(v, "always"))
		x.tastes(s, v+1, "likes_", 0.8)
		return true
	case s.is(v, "had") && x.illness(s, v+1, "", "condition_"):
		return true
	case !s.is(v, "been"):
		return strings.HasSuffix(s.w(v), "ed") && !s.is(v, "red") || s.oneOf(v, `taken seen done gone had made found read heard bought known given run
			written lost met spent won built grown left kept felt thought come become eaten driven flown begun tried gotten put set sold told`)
	}
	v++
	for s.in(v, adverbs) || s.in(v, degrees) && !s.is(v, "feeling") {
		v++
	}
	switch {
	case s.is(v, "diagnosed", "with"):
		x.illness(s, v+2, "", "condition_")
	case s.is(v, "feeling"), s.is(v, "sleeping"):
		x.feeling(s, v, "feeling ")
	case s.is(v, "married"):
		end := s.clauseEnd(v, 8)
		x.add(draft{recaller.Fact, "marital_status", s.value(v, end), 0.9, nil, false})
	case s.is(v, "living"):
		x.live(s, v+1)
	case s.is(v, "working"):
		x.work(s, v+1)
	case s.is(v, "vegan"), s.is(v, "vegetarian"), s.is(v, "a"), s.is(v, "allergic"):
		if end := s.clauseEnd(v, 6); s.is(v, "a") || s.is(v, "allergic") {
			x.am(s, v)
		} else {
			x.add(draft{recaller.Preference, "diet", s.value(v, end), 0.9, nil, false})
		}
	case s.is(v, "playing") && x.lasting(s, v):
		x.plays(s, v+1, "plays")
	case s.is(v, "collecting"), s.is(v, "practicing"), s.is(v, "learning"):
		x.lately(s, v)
	case s.is(v, "on") || s.is(v, "taking"):
		x.medicine(s, v+1)
	case s.is(v, "to"):
		x.beenTo(s, v+1)
	default:
		x.feeling(s, v, "feeling ")
	}
	return true
}

// lasting reports whether the clause tells since when, or how often.
func (x *extractor) lasting(s sentence, v int) bool {
	for i := v; i < v+10 && i < len(s.words); i++ {
		if s.is(i, "for") || s.is(i, "since") {
			return true
		}
		if s.broken(i) {
			break
		}
	}
	return x.recurring(s.text(v, s.clauseEnd(v, 12)))
}

// lately keeps a pastime that is told as going on: "collecting stamps since 1990", "learning Spanish".
func (x *extractor) lately(s sentence, v int) {
	n := v + 1
	if stops[s.w(n)] || prepositions[s.w(n)] || strings.HasSuffix(s.w(n), "ly") || s.is(n, "the") || s.is(n, "about") || s.is(n, "how") || s.is(n, "more") || s.is(n, "a", "lot") {
		return
	}
	end := s.object(n, 4, false)
	if !s.clean(n, end) {
		return
	}
	for i := n; i < end; i++ {
		if s.oneOf(i, `for since with on at in`) {
			end = i
			break
		}
	}
	what := s.value(n, end)
	stop := s.clauseEnd(v, 12)
	if !s.clean(v, stop) {
		stop = end
	}
	text, _ := x.dated(s.value(v, stop))
	x.add(draft{recaller.Preference, slug(s.w(v) + " " + what), text, 0.8, nil, false})
}

func (x *extractor) beenTo(s sentence, v int) {
	if end := s.place(v); end > 0 && !s.plain {
		stop := s.clauseEnd(v, 7)
		if !s.clean(v, stop) {
			stop = end
		}
		text, _ := x.dated("has been to " + s.value(v, stop))
		x.add(draft{recaller.History, "visited_" + slug(s.value(v, end)), text, 0.85, nil, false})
	}
}

// usedTo reads what follows "I used to".
func (x *extractor) usedTo(s sentence, v int) {
	if s.is(v, "be") {
		n := s.article(v + 1)
		if n > v+1 && x.occupation(s, n, recaller.History, "former_occupation", "former ") {
			return
		}
	}
	end := s.clauseEnd(v, 10)
	if !s.clean(v, end) || end-v < 2 && !s.is(v, "smoke") && !s.is(v, "swim") && !s.is(v, "paint") && !s.is(v, "drink") || s.is(v, "be") && vagueBeing(s, v) || s.in(v, thinks) || s.in(end, vague) && s.words[end-1].after == 0 {
		return
	}
	switch {
	case s.is(v, "work"):
		x.add(draft{recaller.History, "former_occupation", "used to " + s.value(v, end), 0.9, nil, false})
	case s.is(v, "smoke"):
		x.add(draft{recaller.Context, "smoking", "used to smoke", 0.85, nil, false})
	default:
		x.add(draft{recaller.History, "used_to_" + slug(s.text(v, end)), "used to " + s.value(v, end), 0.85, nil, false})
	}
}

func vagueBeing(s sentence, v int) bool { return s.in(v+1, degrees) || s.is(v+1, "able") }

var thinks = set(`think believe know wonder see hear have get feel do want`)

// was reads what follows "I was".
func (x *extractor) was(s sentence, v int) {
	for s.in(v, adverbs) && !s.in(v, unsure) {
		v++
	}
	switch {
	case s.is(v, "born"):
		end := s.clauseEnd(v, 9)
		if end-v >= 3 && s.clean(v, end) {
			key := "birthplace"
			if text := s.text(v+2, end); isNumber(s.w(v+2)) || s.in(v+2, monthNames) || s.is(v+1, "on") || x.recurring(text) {
				key = "birth_date"
			}
			if s.is(v+1, "in") || s.is(v+1, "on") {
				x.add(draft{recaller.Fact, key, titleAfter(s.value(v, end)), 0.9, nil, false})
			}
		}
	case s.is(v, "raised", "in"):
		if end := s.place(v + 2); end > 0 {
			x.add(draft{recaller.History, "grew_up", "raised in " + title(s.value(v+2, end)), 0.9, nil, false})
		}
	case s.is(v, "diagnosed", "with"):
		x.illness(s, v+2, "", "condition_")
	case s.is(v, "in", "the", "army"), s.is(v, "in", "the", "navy"), s.is(v, "in", "the", "military"), s.is(v, "in", "the", "marines"), s.is(v, "in", "the", "air"):
		x.add(draft{recaller.History, "military_service", "was " + s.value(v, s.clauseEnd(v, 8)), 0.9, nil, false})
	case s.is(v, "a"), s.is(v, "an"):
		x.wasA(s, v+1)
	}
}

// wasA reads "a teacher for 30 years".
func (x *extractor) wasA(s sentence, n int) {
	end := s.clauseEnd(n, 8)
	for i := n + 1; i < end && i < n+4; i++ {
		if !occupation(s.w(i - 1)) {
			continue
		}
		if s.is(i, "for") || s.is(i, "in") || s.is(i, "at") || s.is(i, "until") {
			if !s.clean(n, end) {
				end = i
			}
			text, _ := x.dated("was a " + s.value(n, end))
			x.add(draft{recaller.History, "former_occupation", text, 0.85, nil, false})
		}
		return
	}
	if occupation(s.w(end-1)) && end-n <= 3 && end == len(s.words) && !s.is(end-1, "student") {
		x.add(draft{recaller.History, "former_occupation", "was a " + s.value(n, end), 0.8, nil, false})
	}
}

func titleAfter(text string) string {
	head, tail, ok := strings.Cut(text, " in ")
	if !ok || tail != strings.ToLower(tail) {
		return text
	}
	return head + " in " + title(tail)
}

// pastVerbs tells what a past tense makes of itself: a key that stands for itself ("grew_up"), or one that is made of
// the words. need is what has to be there for it to be worth keeping.
var pastVerbs = map[string]struct {
	key  string
	need byte // 0 nothing, 'd' a date
	size int  // least number of words with the verb
}{
	"met": {"met", 0, 3}, "retired": {"retired", 0, 1}, "graduated": {"graduated", 0, 3}, "married": {"married", 0, 2},
	"adopted": {"adopted", 0, 3}, "moved": {"moved", 0, 3}, "served": {"served", 0, 4}, "divorced": {"divorced", 'd', 2},
	"attended": {"event", 'd', 3}, "visited": {"event", 'd', 3}, "went": {"event", 'd', 4}, "traveled": {"event", 'd', 4}, "travelled": {"event", 'd', 4},
	"flew": {"event", 'd', 4}, "started": {"event", 'd', 3}, "joined": {"event", 'd', 3}, "finished": {"event", 'd', 3}, "completed": {"event", 'd', 3},
	"ran": {"event", 'd', 3}, "won": {"event", 'd', 3}, "bought": {"event", 'd', 3}, "purchased": {"event", 'd', 3}, "got": {"event", 'd', 4}, "hosted": {"event", 'd', 3},
	"volunteered": {"event", 'd', 3}, "participated": {"event", 'd', 4}, "launched": {"event", 'd', 3}, "fell": {"event", 'd', 3}, "broke": {"event", 'd', 3},
	"saw": {"event", 'd', 3}, "took": {"event", 'd', 4}, "planted": {"event", 'd', 3}, "built": {"event", 'd', 3}, "sold": {"event", 'd', 3},
	"published": {"event", 'd', 3}, "hiked": {"event", 'd', 3}, "ordered": {"event", 'd', 3}, "received": {"event", 'd', 3}, "quit": {"quit", 0, 3},
	"celebrated": {"event", 'd', 3}, "signed": {"event", 'd', 4}, "passed": {"event", 'd', 3}, "turned": {"turned", 'd', 3},
	"grew": {"grew_up", 0, 4}, "lived": {"lived", 'd', 4}, "worked": {"worked", 'd', 4}, "lost": {"lost", 0, 3}, "stopped": {"quit", 0, 2},
	"studied": {"studied", 'd', 4}, "had": {"event", 'd', 3}, "recovered": {"event", 'd', 4}, "injured": {"event", 'd', 3}, "spent": {"event", 'd', 4},
}

// past reads a statement in the past tense whose verb is at v.
func (x *extractor) past(s sentence, v int) bool {
	rule, ok := pastVerbs[s.w(v)]
	if !ok {
		return false
	}
	if s.is(v, "got", "married") || s.is(v, "got", "divorced") || s.is(v, "got", "engaged") {
		v++
		rule.key, rule.need, rule.size = map[string]string{"married": "married", "divorced": "divorced", "engaged": "engaged"}[s.w(v)], 'd', 2
	}
	end := s.clauseEnd(v, 16)
	if end-v < rule.size || !s.clean(v+1, end) || s.oneOf(v+1, `to rid into away better worse lost home used ready started back the_chance an_idea around done bored sick out up off`) &&
		!s.is(v, "moved") && !s.is(v, "went") && !s.is(v, "grew") && !s.is(v, "flew") && !s.is(v, "traveled") && !s.is(v, "travelled") {
		return true
	}
	text, f := x.dated(s.value(v, end))
	lasting := s.has(v, end, "for") && s.has(v, end, "years") || s.has(v, end, "when")
	if rule.need == 'd' && (f == nil || x.upcoming(f)) && !(lasting && (rule.key == "lived" || rule.key == "worked" || rule.key == "married")) {
		return true
	}
	if f != nil && len(strings.Fields(s.value(v, end))) < len(strings.Fields(f.Phrase))+2 && rule.key == "event" {
		return true // "went on October 15th" says nothing
	}
	x.happened(s, v, end, rule.key, text)
	return true
}

// happened keeps a past event under the key that suits it.
func (x *extractor) happened(s sentence, v, end int, key, text string) {
	kind, sure := recaller.History, 0.8
	switch key {
	case "met":
		if !s.is(v+1, "my") || !(s.in(v+2, soleRelations) || s.is(v+2, "best", "friend")) {
			return
		}
		key = "met_" + slug(s.w(v+2))
	case "moved":
		x.moved(s, v, end)
		return
	case "quit":
		if s.is(v+1, "smoking") || s.is(v+1, "drinking") {
			key, kind = map[string]string{"smoking": "smoking", "drinking": "alcohol"}[s.w(v+1)], recaller.Context
		} else if s.is(v+1, "my", "job") || s.is(v+1, "working") {
			key = "quit_job"
		} else {
			return
		}
	case "lost":
		if !s.is(v+1, "my") || !(s.in(v+2, soleRelations) || s.in(v+2, manyRelations) || s.in(v+2, petNouns) || s.is(v+2, "job")) {
			return
		}
		key = "lost_" + slug(s.w(v+2))
	case "turned":
		if !isNumber(s.w(v + 1)) {
			return
		}
		x.add(draft{recaller.Fact, "age", text, 0.9, nil, false})
		return
	case "married":
		x.add(draft{recaller.History, "married", text, 0.85, nil, false})
		return
	case "grew_up":
		if !s.is(v+1, "up") || !(s.is(v+2, "in") || s.is(v+2, "on") || s.is(v+2, "near")) {
			return
		}
	case "graduated", "adopted", "served", "studied", "worked", "lived":
		key += "_" + slug(s.text(v+1, end))
	case "event":
		if !x.eventful(s, v, end) {
			return
		}
		key = slug(s.text(v, end))
		if s.oneOf(v, `went took had got saw spent`) {
			key = slug(s.text(v+1, end))
		}
	}
	x.add(draft{kind, key, strings.ToLower(text[:1]) + text[1:], sure, nil, false})
}

// eventful reports whether an event is more than an errand of the conversation.
func (x *extractor) eventful(s sentence, v, end int) bool {
	if s.has(v, end, "email") || s.has(v, end, "call") || s.has(v, end, "message") || s.has(v, end, "order") && !s.is(v, "order") {
		return false
	}
	switch s.w(v) {
	case "bought", "purchased", "ordered", "received", "sold", "got":
		return s.weighty(v)
	case "had":
		return s.hasAny(v, end, `surgery operation stroke fall accident replacement miscarriage transplant wedding son daughter twins`) ||
			s.is(v+1, "a", "baby") || s.is(v+1, "our") || s.is(v+1, "a", "heart", "attack")
	case "took", "saw":
		return s.oneOf(v+1, `a an my two three some`) && !s.is(v+1, "a", "lot") && !s.is(v+1, "a", "look") && !s.is(v+1, "a", "chance") && !s.is(v+1, "a", "few") && !s.oneOf(v+2, `ad picture photo post video sign commercial advertisement`)
	case "spent":
		return (isNumber(s.w(v+1)) || s.is(v+1, "a")) && !s.hasAny(v+1, v+5, `hours hour minutes lot fortune`)
	case "went":
		return s.is(v+1, "to") && !s.oneOf(v+3, `mall store shop supermarket bathroom kitchen`) || s.is(v+1, "on") || strings.HasSuffix(s.w(v+1), "ing")
	case "passed", "ran", "started", "finished", "completed":
		return s.oneOf(v+1, `a an my the working taking learning volunteering playing`) && !s.oneOf(v+2, `book show series`) || s.words[v+1].text != s.w(v+1)
	}
	return true
}

// weighty reports whether what was bought or received at v is more than an errand: a house, a dog, a degree.
func (s sentence) weighty(v int) bool {
	if s.oneOf(v+1, `my our his her`) { // "got my car detailed"
		return false
	}
	for i := v + 1; i < v+5; i++ {
		if s.oneOf(i, `house home apartment flat condo car truck motorcycle boat dog puppy cat kitten horse piano ring degree diploma promotion job raise offer
			scholarship award medal grant visa passport citizenship license licence diagnosis divorce transplant letter`) {
			return !strings.HasSuffix(s.w(i+1), "ed") && !s.oneOf(i+1, `accessories case cover insurance loan food toys parts seat`) && !s.is(i, "ring", "light")
		}
		if s.broken(i) {
			break
		}
	}
	return false
}

func (s sentence) hasAny(from, to int, words string) bool {
	for i := from; i < to; i++ {
		if s.oneOf(i, words) {
			return true
		}
	}
	return false
}

func (s sentence) has(from, to int, w string) bool {
	for i := from; i < to; i++ {
		if s.is(i, w) {
			return true
		}
	}
	return false
}

// moved keeps a new home.
func (x *extractor) moved(s sentence, v, end int) {
	if !s.is(v+1, "to") && !s.is(v+1, "into") && !s.is(v+1, "here") && !s.is(v+1, "in", "with") && !s.is(v+1, "from") {
		return
	}
	text, _ := x.dated(s.value(v, end))
	for i := v + 2; i < end; i++ {
		if s.in(i, dwellings) {
			x.add(draft{recaller.Context, "home", text, 0.85, nil, false})
			return
		}
	}
	if s.is(v+1, "to") && s.place(v+2) > 0 && !s.oneOf(v+2, `the using working doing`) && !strings.HasSuffix(s.w(v+2), "ing") {
		x.add(draft{recaller.Fact, "residence", text, 0.85, nil, false})
	}
}
