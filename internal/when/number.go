package when

import "github.com/recallerhq/recaller/internal/speech"

// The words of English, by what they say.
var cardinals, ordinals = speech.English.Cardinals, speech.English.Ordinals

// cardinal matches a number below 100 in words, or one in digits.
func (p *parser) cardinal(i int) (val, n int) {
	if i >= len(p.tok) {
		return 0, 0
	}
	if t := p.tok[i]; t.kind == number {
		if t.ordinal || t.decade || t.val < 0 {
			return 0, 0
		}
		return t.val, 1
	}
	if val, n = speech.English.Cardinal(p.w, i); val == 0 {
		return 0, 0
	}
	return val, n
}

// ordinal matches "3rd", "third" or "twenty-third".
func (p *parser) ordinal(i int) (val, n int) {
	if i >= len(p.tok) {
		return 0, 0
	}
	t := p.tok[i]
	if t.ordinal {
		return t.val, 1
	}
	if t.kind == number && (t.val == 20 || t.val == 30) { // a recogniser's "20 seventh"
		j := i + 1
		if p.w(j) == "-" {
			j++
		}
		if u := ordinals[p.w(j)]; u > 0 && u < 10 {
			return t.val + u, j + 1 - i
		}
	}
	return speech.English.Ordinal(p.w, i)
}

// afterOh returns the number below ten behind an "oh" at i: "nineteen oh five". 0 for none.
func (p *parser) afterOh(i int) int {
	if u := cardinals[p.w(i+1)]; u < 10 && p.any(i, "oh", "o") {
		return u
	}
	return 0
}

// spokenYear matches a year in words: "twenty nineteen", "nineteen fifty-nine", "two thousand and nine".
func (p *parser) spokenYear(i int) (y, n int) {
	switch {
	case p.is(i, "two", "thousand"):
		j := i + 2
		if p.w(j) == "and" {
			j++
		}
		if v, k := p.cardinal(j); k > 0 && v < 100 {
			return 2000 + v, j + k - i
		}
		return 2000, 2
	case p.w(i) == "nineteen", p.w(i) == "twenty" && p.w(i+1) != "-":
		century := 1900
		if p.w(i) == "twenty" {
			century = 2000
		}
		if u := p.afterOh(i + 1); u > 0 {
			return century + u, 3
		}
		if v, k := p.cardinal(i + 1); v >= 10 && v < 100 && p.tok[i+1].kind == word {
			return century + v, 1 + k
		}
	}
	return 0, 0
}

// dayNumber matches a day of the month, as an ordinal or in digits.
func (p *parser) dayNumber(i int) (val, n int) {
	val, n = p.ordinal(i)
	if n == 0 && i < len(p.tok) && p.tok[i].kind == number && p.tok[i].digits <= 2 && !p.tok[i].decade {
		val, n = p.tok[i].val, 1
	}
	if val < 1 || val > 31 {
		return 0, 0
	}
	return val, n
}

// amount matches how many of a unit: "three", "a", "a couple of", "a few", "two or three", "about ten".
func (p *parser) amount(i int) (val, n int, approx bool) {
	j := i
	if p.any(j, "about", "around", "roughly", "over", "almost", "nearly", "maybe", "like") {
		approx = true
		j++
	}
	switch {
	case p.is(j, "a", "couple", "of"), p.is(j, "a", "couple", "more"):
		return 2, j + 3 - i, true
	case p.is(j, "a", "couple"), p.is(j, "couple", "of"):
		return 2, j + 2 - i, true
	case p.is(j, "a", "few"), p.is(j, "a", "several"):
		return 3, j + 2 - i, true
	case p.is(j, "few"), p.is(j, "several"):
		return 3, j + 1 - i, true
	case p.is(j, "a"), p.is(j, "an"), p.is(j, "another"):
		return 1, j + 1 - i, approx
	}
	v, k := p.cardinal(j)
	if k == 0 || v > 1000 {
		return 0, 0, false
	}
	j += k
	if w, k2 := p.cardinal(j + 1); k2 > 0 && p.any(j, "or", "to") && w > v && w <= 1000 {
		return v, j + 1 + k2 - i, true
	}
	return v, j - i, approx
}
