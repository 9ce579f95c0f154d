package extract

import (
	"slices"
	"strings"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/when"
)

// present reads a statement in the present tense whose verb is at v. It reports whether the verb was one of its own.
func (x *extractor) present(s sentence, v int) bool {
	switch s.w(v) {
	case "live":
		x.live(s, v+1)
	case "come":
		if end := s.place(v + 2); s.is(v+1, "from") && end > 0 {
			x.add(draft{recaller.Fact, "hometown", "from " + title(s.value(v+2, end)), 0.9, nil, false})
		}
	case "work":
		x.work(s, v+1)
	case "study":
		x.studies(s, v+1)
	case "use", "wear":
		x.aid(s, v)
	case "drive", "own":
		x.drives(s, v)
	case "play":
		x.plays(s, v+1, "plays")
	case "speak":
		x.speaks(s, v+1)
	case "take":
		x.medicine(s, v+1)
		x.routine(s, v)
	case "suffer":
		if s.is(v+1, "from") || s.is(v+1, "with") {
			x.illness(s, v+2, "", "condition_")
		}
	case "smoke":
		x.smoke(s, v)
	case "drink":
		x.routine(s, v)
	case "feel":
		x.feeling(s, v+1, "feeling ")
	case "plan":
		if s.is(v+1, "to") {
			x.planTo(s, v+2)
		}
	case "go", "walk", "swim", "visit", "attend", "call", "cook", "teach", "babysit", "exercise", "jog", "cycle", "eat", "run", "practice", "meet":
		if s.is(v, "teach") && x.teaches(s, v) || s.is(v, "run") && x.runs(s, v) {
			return true
		}
		x.routine(s, v)
	default:
		if !s.in(v, hobbyVerbs) {
			return false
		}
		x.hobby(s, v)
	}
	return true
}

// live reads where and with whom one lives.
func (x *extractor) live(s sentence, v int) {
	for s.in(v, adverbs) || s.is(v, "right") {
		v++
	}
	switch {
	case s.is(v, "alone"), s.is(v, "by", "myself"), s.is(v, "on", "my", "own"):
		x.add(draft{recaller.Context, "living_situation", "lives alone", 0.95, nil, false})
	case s.is(v, "with"):
		end := s.object(v+1, 7, true)
		if s.clean(v+1, end) && s.livable(v+1, end) {
			x.add(draft{recaller.Context, "living_situation", "lives with " + s.value(v+1, end), 0.9, nil, false})
		}
	case s.is(v, "in") || s.is(v, "near") || s.is(v, "at") || s.is(v, "on"):
		x.liveIn(s, v)
	}
}

func (s sentence) livable(from, end int) bool {
	for i := from; i < end; i++ {
		if s.in(i, soleRelations) || s.in(i, manyRelations) || s.in(i, relationPlurals) || s.in(i, petNouns) || s.in(i, petPlurals) ||
			s.oneOf(i, `parents family friend friends people boyfriend girlfriend grandparents roommate flatmate someone others couple`) {
			return true
		}
	}
	return false
}

func (x *extractor) liveIn(s sentence, v int) {
	end := s.object(v+1, 8, false)
	if s.is(v, "at") || isNumber(s.w(v+1)) {
		if isNumber(s.w(v + 1)) {
			x.address(s, v+1)
		}
		return
	}
	for i := v + 1; i < end; i++ {
		if !s.in(i, dwellings) || s.words[v+1].text != s.w(v+1) {
			continue
		}
		if s.is(i+1, "of") || !s.clean(v+1, i+1) {
			return
		}
		stop := i + 1
		if (s.is(stop, "in") || s.is(stop, "near") || s.is(stop, "with")) && s.clean(stop, end) {
			stop = end
		}
		x.add(draft{recaller.Context, "home", "lives " + s.value(v, stop), 0.9, nil, false})
		return
	}
	if to := s.place(v + 1); to > 0 && !s.oneOf(v+1, `fear peace hope a the constant real modern society`) {
		x.add(draft{recaller.Fact, "residence", "lives " + s.w(v) + " " + title(s.value(v+1, to)), 0.9, nil, false})
	}
}

// work reads "work as a nurse", "work at a bank", "work from home", "work nights".
func (x *extractor) work(s sentence, v int) {
	for s.oneOf(v, `full-time part-time full part time mostly mainly currently`) && (s.is(v+1, "as") || s.is(v+1, "at") || s.is(v+1, "for") || s.is(v+1, "time")) {
		v++
	}
	switch {
	case s.is(v, "as"):
		n := s.article(v + 1)
		end := s.object(n, 8, false)
		if s.clean(n, end) && end > n && !s.is(n, "intended") {
			x.add(draft{recaller.Fact, "occupation", s.value(n, end), 0.9, nil, false})
		}
	case s.is(v, "from", "home"), s.is(v, "remotely"), s.is(v, "nights"), s.is(v, "part-time"), s.is(v, "full-time"), s.is(v, "night", "shifts"), s.is(v, "shifts"):
		x.add(draft{recaller.Context, "work_pattern", "works " + s.value(v, v+1+b2i(s.is(v, "from") || s.is(v, "night"))), 0.85, nil, false})
	case s.is(v, "at") || s.is(v, "for") || s.is(v, "in"):
		end := s.object(v+1, 7, false)
		if s.clean(v+1, end) && !isNumber(s.w(v+1)) && !s.oneOf(v+1, `as home about over long the_past progress my least all an_hour`) && !s.is(end-1, "hours") &&
			!s.oneOf(end-1, `hours years months week weeks day minutes environment team morning mornings evening bed gym pace`) {
			x.add(draft{recaller.Fact, "employer", "works " + s.value(v, end), 0.85, nil, false})
		}
	}
}

func (x *extractor) studies(s sentence, v int) {
	end := s.object(v, 6, false)
	if s.clean(v, end) && end > v && !s.is(v, "for") && !s.is(v, "in") && !s.is(v, "more") && !x.recurring(s.text(v, end)) {
		x.add(draft{recaller.Fact, "studies", "studies " + s.value(v, end), 0.85, nil, false})
	}
}

// aid keeps what one walks, sees or hears with.
func (x *extractor) aid(s sentence, v int) {
	for n := v + 1; n < v+5 && n < len(s.words); n++ {
		name := s.w(n)
		if pair := name + " " + s.w(n+1); aids[pair] {
			name = pair
		}
		if aids[name] {
			end := n + 1 + strings.Count(name, " ")
			if s.is(v+1, "my") && name == "stick" || s.is(end, "of") {
				return
			}
			x.add(draft{recaller.Context, "aid_" + slug(name), third(s.w(v)) + " " + s.value(v+1, end), 0.9, nil, false})
			return
		}
		if s.broken(n) {
			return
		}
	}
}

func (x *extractor) drives(s sentence, v int) {
	end := s.object(v+1, 6, false)
	n := s.article(v + 1)
	if n == v+1 || !s.clean(n, end) || end-n < 1 {
		return
	}
	if s.is(v, "own") {
		if !x.own(s, v+1) {
			x.add(draft{recaller.Fact, "has_" + slug(s.value(n, end)), "owns " + s.value(v+1, end), 0.85, nil, false})
		}
		return
	}
	for i := n; i < end; i++ {
		if s.in(i, makes) || s.oneOf(i, `truck van bus taxi cab car`) || s.in(i, belongings) {
			x.add(draft{recaller.Fact, "vehicle", "drives " + s.value(v+1, end), 0.9, nil, false})
			return
		}
	}
}

func (x *extractor) plays(s sentence, v int, verb string) {
	n := v
	if s.is(n, "the") {
		n++
	}
	for k := n; k < n+3; k++ {
		if s.in(k, instruments) || s.in(k, sports) || sports[s.w(k)+" "+s.w(k+1)] {
			end := k + 1 + b2i(sports[s.w(k)+" "+s.w(k+1)])
			stop := s.clauseEnd(end, 6)
			text := verb + " " + s.value(v, end)
			if s.words[end-1].after == 0 && stop > end && s.clean(end, stop) && (x.recurring(s.text(end, stop)) || s.is(end, "in") || s.is(end, "for")) {
				text += " " + s.value(end, stop)
			}
			text, _ = x.dated(text)
			x.add(draft{recaller.Preference, "plays_" + slug(s.value(k, end)), text, 0.9, nil, false})
			return
		}
		if s.broken(k) {
			return
		}
	}
}

func (x *extractor) speaks(s sentence, v int) {
	for k := v; k < v+3; k++ {
		if s.in(k, languages) {
			x.add(draft{recaller.Fact, "language_" + s.w(k), "speaks " + s.value(v, k+1), 0.9, nil, false})
			return
		}
		if !s.oneOf(k, `fluent some a little bit of both native`) {
			return
		}
	}
}

func (x *extractor) smoke(s sentence, v int) {
	end := s.object(v, 7, false)
	if s.broken(v) || s.clean(v+1, end) && (isNumber(s.w(v+1)) || s.is(v+1, "about") || x.recurring(s.text(v, end))) {
		x.add(draft{recaller.Context, "smoking", "smokes " + s.value(v+1, end), 0.9, nil, false})
	}
}

func (x *extractor) teaches(s sentence, v int) bool {
	end := s.object(v+1, 6, false)
	if !s.clean(v+1, end) {
		return false
	}
	return x.keep(draft{recaller.Fact, "occupation_teaching", "teaches " + s.value(v+1, end), 0.8, nil, false})
}

func (x *extractor) runs(s sentence, v int) bool {
	n := s.article(v + 1)
	end := s.object(v+1, 6, false)
	if n == v+1 || !s.clean(n, end) {
		return false
	}
	for i := n; i < end; i++ {
		if s.oneOf(i, `business shop store company bakery restaurant cafe salon practice farm firm agency studio charity nonprofit blog channel club`) {
			return x.keep(draft{recaller.Fact, "occupation", "runs " + s.value(v+1, end), 0.85, nil, false})
		}
	}
	return false
}

// routine keeps a habit that has its times.
func (x *extractor) routine(s sentence, v int) {
	end := s.clauseEnd(v, 12)
	found := when.Find(s.text(v, end), x.u.at)
	if !s.clean(v+1, end) || !slices.ContainsFunc(found, func(f when.Found) bool { return f.Recurring && f.Start > len(s.w(v))+1 }) {
		return
	}
	x.add(draft{recaller.Context, "routine_" + slug(s.text(v, end)), third(s.w(v)) + " " + s.value(v+1, end), 0.8, nil, false})
}

// hobby keeps what one does for pleasure.
func (x *extractor) hobby(s sentence, v int) {
	end := s.object(v+1, 5, true)
	if end > v+1 && !s.clean(v+1, end) || s.is(v+1, "the") || s.is(v, "collect") && end == v+1 {
		return
	}
	text := third(s.w(v)) + " " + s.value(v+1, end)
	x.add(draft{recaller.Preference, slug(text), text, 0.85, nil, false})
}
