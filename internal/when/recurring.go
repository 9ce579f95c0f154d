package when

var manyDays, adverbs, stretches, gatherings = set("manyDays"), set("adverbs"), set("stretches"), set("gatherings")

// recurring matches a phrase that names no single date: "on Sundays", "every other week", "twice a month", "daily".
func (p *parser) recurring(i int) int {
	w := p.w(i)
	if n := p.listed(i); n > 0 {
		return n
	}
	switch {
	case w == "every" || w == "each":
		return p.every(i)
	case adverbs[w]:
		return 1
	case w == "on" || w == "most" || w == "in" || w == "during":
		return p.onMany(i, 1)
	case w == "monday" && p.any(i+1, "to", "through") && weekdays[p.w(i+2)] >= 5 && !p.movesDay(i):
		return 3
	case weekdays[w] != 0 && p.any(i+1, "to", "through") && weekdays[p.w(i+2)] != 0 && p.any(i-1, "do", "does", "work", "works") &&
		p.any(i-2, "i", "we", "he", "she", "they", "usually", "only", "always"): // "I do Tuesday to Thursday at the depot"
		return 3
	case manyDays[w]:
		return p.onMany(i, 0)
	case weekdays[w] != 0 && p.any(i+1, "mornings", "afternoons", "evenings", "nights"):
		return 2
	}
	if n := p.habitual(i); n > 0 {
		return n
	}
	return p.timesA(i)
}

// habitual matches the day of what somebody does each week: "my Saturday morning cycling group", "your Tuesday lessons".
func (p *parser) habitual(i int) int {
	if weekdays[p.w(i)] == 0 || !p.any(i-1, "my", "our", "your", "his", "her", "their", "usual", "regular", "weekly") {
		return 0
	}
	n := 1
	if p.any(i+1, "morning", "afternoon", "evening", "night") {
		n = 2
	}
	for k := i + n; k <= i+n+1; k++ {
		if gatherings[p.w(k)] {
			return n
		}
	}
	return 0
}

// listed matches three weekdays or more that somebody counts up as his: "I'm on dialysis Monday, Wednesday, Friday".
func (p *parser) listed(i int) int {
	if weekdays[p.w(i)] == 0 || !p.any(i-2, "on", "at", "in", "work", "works") && !p.any(i-1, "work", "works", "closed", "there") {
		return 0
	}
	n, k := 1, i+1
	for p.any(k, ",", "and") {
		for p.any(k, ",", "and") {
			k++
		}
		if weekdays[p.w(k)] == 0 {
			break
		}
		n, k = n+1, k+1
	}
	if n < 3 || p.any(k, "or") {
		return 0
	}
	return k - i
}

// every matches after "every" or "each".
func (p *parser) every(i int) int {
	j := i + 1
	if p.any(j, "single", "other", "second", "few") {
		j++
	}
	if _, n := p.cardinal(j); n > 0 {
		j += n
	}
	if weekdays[p.w(j)] == 0 && months[p.w(j)] == 0 && !stretches[p.w(j)] {
		return 0
	}
	j++
	if p.any(j, "morning", "afternoon", "evening", "night") {
		j++
	}
	for p.any(j, "and", ",", "to", "through") && (weekdays[p.w(j+1)] != 0 || months[p.w(j+1)] != 0) {
		j += 2
	}
	if c := p.clock(j); c.n > 0 && !c.weak {
		j += c.n
	}
	return j - i
}

// onMany matches days in the plural after skip leading words: "on Sundays and Mondays", "in the evenings".
func (p *parser) onMany(i, skip int) int {
	j := i + skip
	if p.any(j, "most") {
		j++
	}
	if p.w(j) == "the" && p.any(j+1, "mornings", "afternoons", "evenings", "weekends") {
		return j + 2 - i
	}
	if weekdays[p.w(j)] != 0 && p.any(j+1, "mornings", "afternoons", "evenings", "nights") {
		return j + 2 - i
	}
	if !manyDays[p.w(j)] {
		return 0
	}
	j++
	for p.any(j, "and", ",", "or") && manyDays[p.w(j+1)] {
		j += 2
	}
	if c := p.clock(j); c.n > 0 {
		j += c.n
	}
	return j - i
}

// timesA matches "once a week", "three times per month".
func (p *parser) timesA(i int) int {
	j := i
	switch {
	case p.any(i, "once", "twice"):
		j++
	default:
		_, n, _ := p.amount(i)
		if n == 0 || !p.any(i+n, "times", "days", "nights", "hours") {
			return 0
		}
		j += n + 1
	}
	if p.any(j, "a", "per", "every", "each") && p.any(j+1, "day", "week", "month", "year", "fortnight") {
		return j + 2 - i
	}
	return 0
}
