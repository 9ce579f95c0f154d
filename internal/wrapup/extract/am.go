package extract

import (
	"strings"

	"github.com/recallerhq/recaller"
)

// am reads what follows "I am".
func (x *extractor) am(s sentence, v int) {
	if s.is(v, "not") {
		x.amNot(s, v+1)
		return
	}
	for s.in(v, adverbs) || s.in(v, degrees) && !s.is(v, "a") {
		if s.in(v, unsure) || s.is(v, "only") && s.is(v+1, "a") {
			return
		}
		v++
	}
	switch {
	case x.age(s, v), x.feeling(s, v, "feeling "), x.doing(s, v):
	case s.is(v, "from"), s.is(v, "originally", "from"):
		v += 1 + b2i(s.is(v, "originally"))
		if end := s.place(v); end > 0 {
			x.add(draft{recaller.Fact, "hometown", "from " + title(s.value(v, end)), 0.9, nil, false})
		}
	case s.is(v, "allergic", "to"), s.is(v, "severely", "allergic"):
		x.allergicTo(s, v+2+b2i(s.is(v, "severely")))
	case s.is(v, "into") || s.is(v, "fond", "of") || s.is(v, "passionate", "about"):
		x.tastes(s, v+1+b2i(!s.is(v, "into")), "likes_", 0.85)
	case s.is(v, "afraid", "of") || s.is(v, "scared", "of") || s.is(v, "terrified", "of"):
		end := s.object(v+2, 4, false)
		if s.clean(v+2, end) && end-v <= 4 && !strings.HasSuffix(s.w(v+2), "ing") {
			x.add(draft{recaller.Preference, "fear_" + slug(s.value(v+2, end)), "afraid of " + s.value(v+2, end), 0.8, nil, false})
		}
	case s.is(v, "on") || s.is(v, "taking"):
		x.medicine(s, v+1)
	default:
		x.beingA(s, v)
	}
}

var degrees = set(`very so pretty quite rather a bit more extremely incredibly feeling`)

// beingA reads states, diets, conditions and lines of work: "a vegetarian", "retired", "a nurse at …".
func (x *extractor) beingA(s sentence, v int) {
	w := s.w(v)
	n := s.article(v)
	two := s.w(n) + " " + s.w(n+1)
	switch {
	case s.in(n, diets) || diets[two]:
		end := n + 1 + b2i(diets[two])
		x.add(draft{recaller.Preference, "diet", s.value(n, end), 0.95, nil, false})
	case conditionAdjectives[s.w(n)] != "" && s.broken(n), conditionAdjectives[w] != "" && !s.is(v+1, "friendly"):
		x.add(draft{recaller.Fact, "condition_" + conditionAdjectives[s.w(n)], s.w(n), 0.9, nil, false})
	case states[w] != "" && (s.broken(v) || s.oneOf(v+1, `and now with but so for from since to`)):
		x.add(draft{recaller.Fact, states[w], w, 0.85, nil, false})
	case s.is(n, "fan", "of"), s.oneOf(n, `big huge avid massive`) && s.is(n+1, "fan", "of"):
		x.tastes(s, n+2+b2i(!s.is(n, "fan")), "likes_", 0.85)
	case s.is(n, "member", "of"):
		end := s.object(n+2, 7, false)
		if s.clean(n+2, end) && n > v {
			x.add(draft{recaller.Fact, "member_" + slug(s.value(n+2, end)), "member of " + s.value(n+2, end), 0.85, nil, false})
		}
	case s.is(n, "widow") || s.is(n, "widower"):
		x.add(draft{recaller.Fact, "marital_status", s.w(n), 0.95, nil, false})
	case n > v:
		x.occupation(s, n, recaller.Fact, "occupation", "")
	}
}

// occupation keeps a line of work that begins at n, with where it is done.
func (x *extractor) occupation(s sentence, n int, kind recaller.MemoryType, key, prefix string) bool {
	if s.is(n, "former") || s.is(n, "retired") {
		x.retired(s, n)
		return true
	}
	for end := n + 1; end <= n+4 && end <= len(s.words); end++ {
		if stops[s.w(end-1)] || s.is(end-1, "of") || s.is(end-1, "with") || s.is(end-1, "to") {
			return false
		}
		if !occupation(s.w(end - 1)) {
			if s.broken(end - 1) {
				return false
			}
			continue
		}
		if occupation(s.w(end)) && s.words[end-1].after == 0 {
			continue
		}
		if !s.broken(end-1) && !s.in(end, workFollows) {
			return false
		}
		stop := end
		if s.oneOf(end, `at for in`) && s.words[end-1].after == 0 {
			if e := s.object(end+1, 6, false); s.clean(end+1, e) {
				stop = e
			}
		}
		text, _ := x.dated(prefix + s.value(n, stop))
		x.add(draft{kind, key, text, 0.85, nil, false})
		return true
	}
	return false
}

var workFollows = set(`at for in and so but by who with from here now working on`)

func (x *extractor) retired(s sentence, n int) {
	end := s.object(n, 4, false)
	if end-n >= 2 && occupation(s.w(end-1)) {
		x.add(draft{recaller.History, "former_occupation", "retired " + s.value(n+1, end), 0.9, nil, false})
	}
}

func (x *extractor) amNot(s sentence, v int) {
	for s.in(v, adverbs) || s.is(v, "a") || s.is(v, "big") || s.is(v, "much") || s.is(v, "huge") {
		v++
	}
	switch {
	case s.is(v, "fan", "of"):
		x.tastes(s, v+2, "dislikes_", 0.8)
	case s.is(v, "married") && s.broken(v):
		x.add(draft{recaller.Fact, "marital_status", "not married", 0.85, nil, false})
	}
}

// age reads "31", "thirty one years old", "in my sixties".
func (x *extractor) age(s sentence, v int) bool {
	if !isNumber(s.w(v)) {
		return false
	}
	end := v + 1
	if isNumber(s.w(end)) && numberWords[s.w(v)] {
		end++
	}
	num := s.value(v, end)
	plain := s.broken(end-1) || s.is(end, "and") || s.is(end, "now") || s.is(end, "so")
	switch {
	case s.is(end, "years", "old"), s.is(end, "years", "of"), s.is(end, "year", "old"):
	case plain && len(num) >= 2 && num > "1" && !strings.ContainsAny(num, "%$:./") && years(num):
	default:
		return s.is(end, "weeks", "pregnant") && x.keep(draft{recaller.Fact, "pregnancy", num + " weeks pregnant", 0.9, nil, false})
	}
	return x.keep(draft{recaller.Fact, "age", num + " years old", 0.9, nil, false})
}

// years reports whether a number may be somebody's age: two digits, or words.
func years(num string) bool {
	if digit(num[0]) {
		return len(num) == 2 && num >= "16"
	}
	return strings.Contains(num, "ty") || strings.Contains(num, "teen")
}

func (x *extractor) keep(d draft) bool {
	x.add(d)
	return true
}

// place returns the end of a place's name at v, 0 if there is none.
func (s sentence) place(v int) int {
	end := s.object(v, 5, false)
	if !s.clean(v, end) || end == v {
		return 0
	}
	for i := v; i < end; i++ {
		if s.oneOf(i, `for since now with at about until to on`) {
			end = i
			break
		}
	}
	if end == v || s.is(v, "home") || s.is(v, "a") || s.is(v, "an") || s.is(v, "my") || s.is(v, "time") || digit(s.w(v)[0]) {
		return 0
	}
	if !s.plain && s.words[s.article(v)].text == s.w(s.article(v)) {
		return 0
	}
	if s.plain && end-v > 3 {
		return 0
	}
	for i := v; i < end; i++ {
		if isNumber(s.w(i)) || dwellings[strings.TrimSuffix(s.w(i), "s")] {
			return 0
		}
	}
	return end
}

func (x *extractor) allergicTo(s sentence, v int) {
	end := s.object(v, 6, true)
	if !s.clean(v, end) {
		return
	}
	for _, p := range s.items(v, end) {
		what := s.value(p[0], p[1])
		x.add(draft{recaller.Fact, "allergy_" + slug(what), "allergic to " + what, 0.95, nil, false})
	}
}

// medicine reads what is taken regularly: only from the list of medicines.
func (x *extractor) medicine(s sentence, v int) {
	for n := 3; n >= 1; n-- {
		if v+n > len(s.words) {
			continue
		}
		if name := strings.ToLower(s.text(v, v+n)); medications[name] {
			end := s.object(v, 7, false)
			x.add(draft{recaller.Fact, "medication_" + slug(name), "takes " + s.value(v, max(end, v+n)), 0.9, nil, false})
			return
		}
	}
}
