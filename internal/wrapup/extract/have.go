package extract

import (
	"strings"

	"github.com/recallerhq/recaller"
)

// have reads what follows "I have": relatives, pets, conditions, appointments, belongings.
func (x *extractor) have(s sentence, v int) {
	for s.in(v, adverbs) {
		v++
	}
	if s.is(v, "no") {
		x.lacking(s, v+1)
		return
	}
	if x.event(s, v) || x.own(s, v) || x.illness(s, v, "", "condition_") {
		return
	}
	switch {
	case s.is(v, "trouble") || s.is(v, "difficulty"):
		x.trouble(s, v+1)
	case s.is(v, "a", "degree", "in"), s.is(v, "a", "phd", "in"), s.is(v, "a", "master's", "in"), s.is(v, "a", "bachelor's", "in"):
		end := s.object(v+3, 6, false)
		if s.clean(v+3, end) {
			x.add(draft{recaller.Fact, "education_" + slug(s.value(v+3, end)), s.value(v+1, end), 0.9, nil, false})
		}
	default:
		x.allergyNoun(s, v)
	}
}

// own reads relatives, pets and belongings, as "we have" tells them too.
func (x *extractor) own(s sentence, v int) bool {
	n := v
	many := isNumber(s.w(n)) || s.is(n, "a", "couple", "of")
	switch {
	case s.is(n, "a", "couple", "of"):
		n += 3
	case many:
		n++
	case s.is(n, "a") || s.is(n, "an") || s.is(n, "my"):
		n++
	default:
		return false
	}
	for k := 0; k < 4 && n < len(s.words); k, n = k+1, n+1 {
		switch {
		case many && (s.in(n, relationPlurals) || s.in(n, petPlurals)):
			return x.counted(s, v, n)
		case !many && (s.in(n, manyRelations) || s.in(n, soleRelations)), !many && s.in(n, petNouns) && !s.oneOf(n+1, `food bed hair park show lover sitter person owner allergy house`):
			return x.relative(s, v, n)
		case !many && (s.in(n, belongings) || s.in(n, makes)):
			return x.belonging(s, v, n)
		}
		if s.broken(n) || stops[s.w(n)] || s.oneOf(n, `of in for to with and`) {
			return false
		}
	}
	return false
}

// counted keeps "three grandchildren".
func (x *extractor) counted(s sentence, v, n int) bool {
	key := s.w(n)
	switch key {
	case "kids":
		key = "children"
	case "grandkids":
		key = "grandchildren"
	}
	end := n + 1
	if s.is(end, "who") || s.is(end, "that") {
		end = n + 1
	} else if s.is(end, "and") && isNumber(s.w(end+1)) && s.in(end+2, relationPlurals) {
		x.add(draft{recaller.Fact, slug(s.w(end + 2)), s.value(end+1, end+3), 0.9, nil, false})
	}
	return x.keep(draft{recaller.Fact, slug(key), s.value(v, end) + s.theirNames(v, end), 0.9, nil, false})
}

// theirNames reads the names that follow a number of relatives: "three grandchildren, Tom, Sophie and Max".
func (s sentence) theirNames(v, i int) string {
	if s.plain || s.words[i-1].after != ',' && s.words[i-1].after != ':' {
		return ""
	}
	var names []string
	for i < len(s.words) && len(names) < 8 {
		i += b2i(s.is(i, "and"))
		if i >= len(s.words) || s.words[i].text == s.w(i) || !properName(s.w(i)) || !letters(s.w(i)) || dayNames[s.w(i)] || stops[s.w(i)] {
			break
		}
		names = append(names, s.words[i].text)
		if i++; s.words[i-1].after == 0 && !s.is(i, "and") {
			break
		}
	}
	switch n := len(names); {
	case n == 0:
		return ""
	case n == 1:
		return ", one called " + names[0]
	case n == count(s.w(v)):
		return ": " + strings.Join(names[:n-1], ", ") + " and " + names[n-1]
	default:
		return ", among them " + strings.Join(names[:n-1], ", ") + " and " + names[n-1]
	}
}

// count is a small number in words or figures; 0 for others.
func count(w string) int {
	for i, name := range []string{"zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"} {
		if w == name || len(w) == 1 && int(w[0]-'0') == i {
			return i
		}
	}
	return 0
}

// relative keeps "a younger brother named Mike", "a dog".
func (x *extractor) relative(s sentence, v, n int) bool {
	if s.words[n].after == 0 && s.oneOf(n+1, `in-law friend who's toy party problem issue appointment breed owners food`) {
		return true
	}
	noun, end := s.w(n), n+1
	key := slug(noun)
	from := v + b2i(s.is(v, "a") || s.is(v, "an") || s.is(v, "my"))
	text := "has " + indefinite(s.value(from, end))
	if name, to := s.namedAt(end); name != "" {
		end = to
		text = called(s.value(from, n+1), noun, name)
		if !soleRelations[noun] {
			key += "_" + slug(name)
		}
	}
	if s.oneOf(end, `in who with`) && s.words[end-1].after == 0 && s.is(end, "in") {
		if e := s.place(end + 1); e > 0 {
			text += " in " + title(s.value(end+1, e))
		}
	}
	return x.keep(draft{recaller.Fact, key, text, 0.85, nil, false})
}

// namedAt reads a name after a relation: "named Mike", "called Max", ", Sarah,", "Sarah".
func (s sentence) namedAt(i int) (name string, end int) {
	said := false
	if (s.is(i, "named") || s.is(i, "called")) && !s.broken(i) {
		i, said = i+1, true
	}
	if i >= len(s.words) {
		return "", i
	}
	t := s.words[i]
	capital := t.text != t.low && !s.plain && strings.ToUpper(t.text) != t.text
	if !(capital && !dayNames[t.low] && !monthNames[t.low] && !languages[t.low] && properName(t.low) || s.plain && (said || firstNames[t.low])) || !letters(t.low) {
		return "", i
	}
	return title(strings.TrimSuffix(t.text, "'s")), i + 1
}

// properName reports whether a capitalised word after a relation can be a name.
func properName(w string) bool {
	return !listed(w, `i christmas easter thanksgiving i'm ok`) && !strings.HasSuffix(w, "'s") && len(w) > 1
}

func letters(w string) bool {
	for i := 0; i < len(w); i++ {
		if digit(w[i]) || w[i] == '/' || w[i] == '@' || w[i] == '$' {
			return false
		}
	}
	return true
}

// belonging keeps a thing of the list that one owns.
func (x *extractor) belonging(s sentence, v, n int) bool {
	end := s.object(v, 7, false)
	if end <= n {
		return false
	}
	for i := n + 1; i < end; i++ { // "a Honda Civic for my commute", "a car rental"
		if s.oneOf(i, `rental insurance loan accident payment appointment shop issue problem with for and to on tour`) || s.words[i-1].after != 0 {
			if !s.oneOf(i, `with for and to on`) {
				return true
			}
			end = i
			break
		}
	}
	if !s.clean(v, end) {
		return true
	}
	text := s.value(s.article(v), end)
	if s.in(n, makes) || s.is(n, "car") || s.is(n, "truck") {
		return x.keep(draft{recaller.Fact, "vehicle_" + slug(trimNumbers(text)), "has a " + text, 0.85, nil, false})
	}
	return x.keep(draft{recaller.Fact, "has_" + slug(text), "has " + withArticle(s, v) + text, 0.8, nil, false})
}

func withArticle(s sentence, v int) string {
	if s.is(v, "a") || s.is(v, "an") {
		return s.w(v) + " "
	}
	return ""
}

func trimNumbers(s string) string { return strings.TrimLeft(s, "0123456789 ") }

// illness reads a condition of the list that begins at v.
func (x *extractor) illness(s sentence, v int, of, key string) bool {
	from := v
	for s.oneOf(from, `a an bad severe mild chronic really type-2 type-1 my slight little some bit of like`) && !conditions[strings.ToLower(s.text(from, from+2))] &&
		!conditions[strings.ToLower(s.text(from, from+3))] {
		from++
	}
	for n := 3; n >= 1; n-- {
		if from+n > len(s.words) {
			continue
		}
		name := strings.ToLower(s.text(from, from+n))
		if conditions[name] && s.is(from+n, "in", "the", "family") {
			return true
		}
		if !conditions[name] || s.oneOf(from+n, `medication tablets attack attacks symptoms friendly research patients about specialist`) {
			continue
		}
		has := s.hasOrHad(v, from+n)
		x.add(draft{recaller.Fact, key + conditionKey(name), strings.TrimSpace(of + strings.Replace(has, "%", s.text(from, from+n), 1)), 0.9, nil, false})
		for s.is(from+n, "and") && conditions[s.w(from+n+1)] {
			x.add(draft{recaller.Fact, key + slug(s.w(from+n+1)), strings.TrimSpace(of + strings.Replace(has, "%", s.w(from+n+1), 1)), 0.9, nil, false})
			n += 2
		}
		return true
	}
	return false
}

// conditionKey names a condition for a key: its type is part of the value.
func conditionKey(name string) string {
	for _, kind := range []string{"a ", "an ", "type 1 ", "type 2 ", "type one ", "type two "} {
		name = strings.TrimPrefix(name, kind)
	}
	return slug(name)
}

// hasOrHad tells whether a condition that ends at end is one of the past, with a mark where its name goes.
func (s sentence) hasOrHad(v, end int) string {
	if s.pastMark(v) && end > v {
		return " had % in the past"
	}
	return " has %"
}

// pastMark reports whether a condition that follows "had" at v is said to be one of the past: "had asthma as a child".
func (s sentence) pastMark(v int) bool {
	if !s.is(v-1, "had") {
		return false
	}
	for i := v; i < v+6; i++ {
		if s.is(i, "in", "the", "past") || s.is(i, "before") || s.is(i, "as", "a", "child") || s.is(i, "when", "i", "was") || s.is(i, "years", "ago") {
			return true
		}
	}
	return s.is(v-4, "the", "past") || s.is(v-5, "the", "past")
}

// allergyNoun reads "an allergy to nuts", "a nut allergy".
func (x *extractor) allergyNoun(s sentence, v int) {
	n := s.article(v)
	switch {
	case s.is(n, "allergy", "to"), s.is(n, "allergies", "to"), s.is(n+1, "allergy", "to"):
		x.allergicTo(s, n+2+b2i(s.is(n+1, "allergy")))
	case n > v && s.is(n+1, "allergy"), s.is(n+1, "allergies") && !s.is(n, "any") && !s.is(n, "no"), s.is(n+2, "allergy") && n > v && s.oneOf(n, `severe bad mild`):
		if s.oneOf(n, `severe bad mild`) {
			n++
		}
		x.add(draft{recaller.Fact, "allergy_" + slug(s.w(n)), s.w(n) + " allergy", 0.9, nil, false})
	}
}

func (x *extractor) trouble(s sentence, v int) {
	switch {
	case s.is(v, "sleeping"):
		x.add(draft{recaller.Wellbeing, "sleep_quality", "trouble sleeping", 0.85, nil, false})
	case s.is(v, "walking"), s.is(v, "hearing"), s.is(v, "seeing"), s.is(v, "breathing"):
		if s.broken(v) || !s.in(v+1, vague) {
			x.add(draft{
				recaller.Context, map[string]string{"walking": "mobility", "hearing": "hearing", "seeing": "vision", "breathing": "breathing"}[s.w(v)],
				"trouble " + s.w(v), 0.8, nil, false,
			})
		}
	}
}
