package extract

import (
	"strings"

	"github.com/recallerhq/recaller"
)

// my reads a statement about what is the caller's: name, relatives, pets, address, birthday, favourites.
func (x *extractor) my(s sentence, i int) {
	n := i + 1
	for k := 0; k < 3 && s.in(n, kinAdjectives); k++ {
		n++
	}
	noun := strings.TrimSuffix(s.w(n), "'s")
	owner := noun != s.w(n)
	switch {
	case soleRelations[noun], manyRelations[noun], petNouns[noun]:
		x.kin(s, i, n, noun, owner)
	case s.is(n, "favorite"), s.is(n, "favourite"):
		x.favorite(s, n+1)
	case s.is(n, "name"):
	default:
		x.mine(s, i, n)
	}
}

var kinAdjectives = set(`older younger elder eldest oldest youngest late dear little big baby beloved old new other lovely first middle great
	adopted furry golden german cocker yorkshire border`)

// mine reads single things: "my address is …", "my birthday is …", "my appointment is on …".
func (x *extractor) mine(s sentence, i, n int) {
	is := n + 1
	for is < n+4 && !s.is(is, "is") && !s.is(is, "are") {
		is++
	}
	if !s.is(is, "is") && !s.is(is, "are") || s.is(is+1, "not") {
		return
	}
	v := is + 1
	switch noun := s.w(is - 1); noun {
	case "address":
		if is-n <= 3 && !s.is(n, "email") && !s.is(n, "e-mail") && !s.is(n, "old") {
			x.address(s, v)
		}
		if s.is(n, "email") {
			x.email(s, v)
		}
	case "email":
		x.email(s, v)
	case "birthday":
		end := s.clauseEnd(v, 7)
		text, f := x.dated(s.text(v, end))
		if f != nil && is == n+1 {
			text = strings.TrimPrefix(strings.TrimPrefix(text, "on "), "in ")
			if len(f.Phrase) > 0 && strings.ContainsAny(f.Phrase, "0123456789") || monthIn(f.Phrase) {
				text = strings.TrimPrefix(f.Phrase, "on ")
			}
			x.add(draft{recaller.Fact, "birthday", text, 0.9, nil, false})
		}
	case "job", "occupation", "profession":
		k := s.article(v)
		x.occupation(s, k, recaller.Fact, "occupation", "")
	case "hobby", "hobbies":
		x.tastes(s, v, "likes_", 0.9)
	case "handicap":
		if end := s.object(v, 3, false); s.clean(v, end) {
			x.add(draft{recaller.Fact, "handicap", s.value(v, end), 0.85, nil, false})
		}
	case "car", "truck":
		if k := s.article(v); k > v {
			end := s.object(k, 5, false)
			for j := k; j < end; j++ {
				if s.in(j, makes) && s.clean(k, end) {
					x.add(draft{recaller.Fact, "vehicle", "drives a " + s.value(k, end), 0.9, nil, false})
					return
				}
			}
		}
	default:
		if events[noun] && is-n <= 3 {
			x.mineWhen(s, n, is)
		}
	}
}

// monthless reports whether a phrase is a mere day ("on the 15th") while the words before n name a month that it may belong to.
func (s sentence) monthless(phrase string, n int) bool {
	if !strings.HasPrefix(phrase, "on the ") || monthIn(phrase) {
		return false
	}
	for i := range n {
		if s.in(i, monthNames) {
			return true
		}
	}
	return false
}

func monthIn(phrase string) bool {
	for _, w := range strings.Fields(strings.ToLower(phrase)) {
		if monthNames[w] {
			return true
		}
	}
	return false
}

// mineWhen keeps "my appointment is on Friday at ten".
func (x *extractor) mineWhen(s sentence, n, is int) {
	end := s.clauseEnd(is, 9)
	text, f := x.dated(s.text(is+1, end))
	if f == nil || !x.upcoming(f) || x.recurring(text) || !s.clean(is+1, end) {
		return
	}
	d := draft{kind: recaller.FollowUp, key: slug(s.text(n, is)), value: s.value(n, is) + " " + text, sure: 0.9}
	d.due, d.day = x.due(f)
	x.add(d)
}

func (x *extractor) address(s sentence, v int) {
	end := v
	for end < len(s.words) && end-v < 12 && !stops[s.w(end)] && !s.is(end, "and") {
		end++
	}
	end = s.trim(v, end)
	if end-v < 2 || s.has(v, end, "zip") || s.has(v, end, "sorry") || !isNumber(s.w(v)) && !s.has(v, end, "street") && !s.has(v, end, "road") && !s.has(v, end, "avenue") {
		return
	}
	x.add(draft{recaller.Fact, "address", title(s.value(v, end)), 0.9, nil, false})
}

func (x *extractor) email(s sentence, v int) {
	if strings.Contains(s.w(v), "@") {
		x.add(draft{recaller.Fact, "email", s.words[v].text, 0.9, nil, false})
	}
}

// favorite reads "color is blue" after "my favorite".
func (x *extractor) favorite(s sentence, n int) {
	is := n
	for is < n+4 && !s.is(is, "is") && !s.is(is, "are") {
		if s.oneOf(is, `part thing parts things moment so`) || stops[s.w(is)] {
			return
		}
		is++
	}
	end := s.object(is+1, 8, true)
	if is == n || !(s.is(is, "is") || s.is(is, "are")) || !s.clean(is+1, end) || s.is(is+1, "when") || s.has(is+1, end, "probably") && end-is < 3 {
		return
	}
	what := s.text(n, is)
	x.add(draft{recaller.Preference, "favorite_" + slug(what), s.value(is+1, end), 0.9, nil, false})
}

// kin reads what is told of a relative or pet whose noun is at n.
func (x *extractor) kin(s sentence, i, n int, noun string, owner bool) {
	if s.is(n+1, "friend") || s.oneOf(n+1, `food friend's bed toys`) {
		return
	}
	key, name, next := slug(noun), "", n+1
	if owner {
		x.kinsThing(s, n, noun)
		return
	}
	if who, end := s.namedAt(n + 1); who != "" && s.words[end-1].after != '"' {
		name, next = who, end
	} else if s.is(n+1, "is", "named") || s.is(n+1, "is", "called") {
		name, next = s.nameFrom(n + 3)
	}
	who := s.value(i, n+1)
	if name != "" {
		if !soleRelations[noun] {
			key += "_" + slug(name)
		}
		x.add(draft{recaller.Fact, key, called(who, noun, name), 0.9, nil, false})
	}
	if owned(s.w(next - 1)) {
		return
	}
	subject := who
	if name != "" {
		subject = who + " " + name
	}
	x.kinDoes(s, next, key, subject)
}

// called says how somebody is called, who being the relation with what was said of it: a husband is "Arjun", a late one "late
// husband Arjun", and of sisters there may be several: "a younger sister called Emily".
func called(who, noun, name string) string {
	switch {
	case soleRelations[noun] && who == noun:
		return name
	case soleRelations[noun]:
		return who + " " + name
	}
	return indefinite(who) + " called " + name
}

// indefinite puts the article before a noun.
func indefinite(noun string) string {
	if strings.ContainsAny(noun[:1], "aeiouAEIOU") {
		return "an " + noun
	}
	return "a " + noun
}

func owned(w string) bool { return strings.HasSuffix(w, "'s") }

func (s sentence) nameFrom(v int) (string, int) {
	if v >= len(s.words) || !letters(s.w(v)) || stops[s.w(v)] || vague[s.w(v)] || s.words[v].text == s.w(v) && !s.plain {
		return "", v
	}
	return title(s.words[v].text), v + 1
}

// kinsThing reads "my wife's name is Anna", "my grandson's birthday is next week".
func (x *extractor) kinsThing(s sentence, n int, noun string) {
	is := n + 2
	switch {
	case s.is(n+1, "name", "is"):
		if name, _ := s.nameFrom(n + 3); name != "" {
			key := slug(noun)
			if !soleRelations[noun] {
				key += "_" + slug(name)
			}
			x.add(draft{recaller.Fact, key, called(noun, noun, name), 0.95, nil, false})
		}
	case s.in(n+1, events) || s.is(n+1, "birthday") || s.is(n+1, "graduation"):
		from := is
		if s.is(is, "party") {
			from++
		}
		if s.is(from, "is") {
			from++
		} else if s.is(from, "was") {
			return
		}
		end := s.clauseEnd(from, 8)
		text, f := x.dated(s.text(from, end))
		if f == nil || !x.upcoming(f) || !s.clean(from, end) || x.recurring(text) || s.monthless(f.Phrase, n) {
			return
		}
		d := draft{kind: recaller.FollowUp, key: slug(noun) + "_" + slug(s.w(n+1)), value: noun + "'s " + s.w(n+1) + " " + text, sure: 0.9}
		d.due, d.day = x.due(f)
		x.add(d)
	}
}

// kinDoes reads the verb of a relative: visits, residence, work, age, health, death, plans.
func (x *extractor) kinDoes(s sentence, v int, key, who string) {
	for s.in(v, adverbs) || s.is(v, "who") && s.words[v-1].after == 0 {
		v++
	}
	end := s.clauseEnd(v, 12)
	if end <= v {
		return
	}
	say := func(kind recaller.MemoryType, suffix, text string, sure float64) {
		x.add(draft{kind, key + suffix, who + " " + text, sure, nil, false})
	}
	switch {
	case s.oneOf(v, `visits comes calls helps brings drops cooks cleans checks takes stays looks`):
		if s.has(v, end, "me") || s.clean(v, end) {
			if text := strings.ReplaceAll(s.value(v, end), " me", ""); x.recurring(text) || s.is(v, "visits") || s.is(v, "helps") {
				say(recaller.Context, "_"+s.w(v), text, 0.85)
			}
		}
	case s.is(v, "lives") || s.is(v, "live"):
		if s.is(v+1, "with", "me") || s.is(v+1, "with", "us") {
			say(recaller.Context, "_residence", "lives with the caller", 0.9)
		} else if s.clean(v, end) && end-v >= 2 && end-v < 9 {
			say(recaller.Fact, "_residence", s.value(v, end), 0.9)
		}
	case s.is(v, "works"):
		if s.clean(v, end) && (s.is(v+1, "as") || s.is(v+1, "at") || s.is(v+1, "for") || s.is(v+1, "in")) {
			say(recaller.Fact, "_occupation", s.value(v, end), 0.85)
		}
	case s.is(v, "passed", "away"), s.is(v, "died"):
		text, _ := x.dated(s.value(v, end))
		if s.clean(v, end) {
			say(recaller.History, "_death", text, 0.9)
		}
	case s.is(v, "has"), s.is(v, "had") && key != "":
		x.illness(s, v+1, who, "family_health_"+key+"_")
	case s.is(v, "is") || s.is(v, "was"):
		x.kinIs(s, v, end, key, who)
	}
}

// kinIs reads what a relative is, or is about to do.
func (x *extractor) kinIs(s sentence, v, end int, key, who string) {
	w := v + 1
	for s.in(w, adverbs) {
		w++
	}
	n := s.article(w)
	if s.oneOf(n, `excellent good great amazing talented terrible huge big wonderful better keen`) {
		return
	}
	switch {
	case isNumber(s.w(w)) && (s.is(w+1, "years", "old") || s.broken(w) || s.is(w+1, "and")) && s.is(v, "is"):
		x.add(draft{recaller.Fact, key + "_age", who + " is " + s.value(w, w+1) + " years old", 0.85, nil, false})
	case n > w && s.is(v, "is") && occupation(s.w(n)) && (s.broken(n) || s.in(n+1, workFollows)),
		n > w && s.is(v, "is") && occupation(s.w(n+1)) && (s.broken(n+1) || s.in(n+2, workFollows)):
		stop := n + 1 + b2i(!occupation(s.w(n)))
		x.add(draft{recaller.Fact, key + "_occupation", who + " is " + s.value(w, stop), 0.85, nil, false})
	case conditionAdjectives[s.w(n)] != "" && s.is(v, "is") && (s.broken(n) || s.oneOf(n+1, `so and but`)):
		x.add(draft{recaller.Fact, "family_health_" + key + "_" + conditionAdjectives[s.w(n)], who + " is " + s.w(n), 0.85, nil, false})
	case s.is(w, "allergic", "to") && s.is(v, "is"):
		if stop := s.object(w+2, 4, false); s.clean(w+2, stop) {
			x.add(draft{recaller.Fact, key + "_allergy", who + " is allergic to " + s.value(w+2, stop), 0.9, nil, false})
		}
	case strings.HasSuffix(s.w(w), "ing") && s.is(v, "is"):
		text, f := x.dated(strings.ReplaceAll(s.value(v, end), " me", ""))
		if f == nil || !x.upcoming(f) || x.vagueDate(f) || x.recurring(text) || !s.clean(w, end) && !s.has(w, end, "me") {
			return
		}
		verb := map[string]string{"visiting": "visit", "coming": "visit", "getting": "wedding", "graduating": "graduation"}[s.w(w)]
		if verb == "" || verb == "wedding" && !s.is(w+1, "married") {
			verb = s.w(w)
		}
		d := draft{kind: recaller.FollowUp, key: key + "_" + verb, value: who + " " + text, sure: 0.85}
		d.due, d.day = x.due(f)
		x.add(d)
	}
}
