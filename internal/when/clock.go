package when

import (
	"slices"
	"time"
)

// partOfDay is "morning", "afternoon", "evening", "night" or "" for none.
type partOfDay string

func (q partOfDay) hour() int {
	switch q {
	case "morning":
		return 9
	case "afternoon":
		return 15
	case "evening":
		return 19
	case "lunchtime":
		return 12
	}
	return 20
}

// part matches a part of the day after a day or an hour: "morning", "in the evening", "at night".
func (p *parser) part(i int) (partOfDay, int) {
	j := i
	if p.any(j, "in", "at", "around", "during") || p.w(j) == "of" && p.lang == spanish {
		j++
	}
	if p.w(j) == "the" {
		j++
	}
	if p.any(j, "early", "late") {
		j++
	}
	if p.any(j, "morning", "afternoon", "evening", "night", "lunchtime") {
		return partOfDay(p.w(j)), j + 1 - i
	}
	if p.w(j) == "tonight" {
		return "night", j + 1 - i
	}
	return "", 0
}

// clock is a time of day.
type clock struct {
	hour, minute int
	half         byte // 'a' or 'p' where am or pm was said; 'x' where the hour is plain (noon, 15:00)
	approx       bool
	weak         bool // a mere number after "at": stands only beside a day, or at the end of a clause
	beside       bool // a weak one that was not led by "at": stands only beside a day
	evening      bool // they speak of an evening out: from six on it is one
	n            int
}

// hourWith returns the hour in 24 hours, with the help of the part of the day that was named.
func (c clock) hourWith(part partOfDay) int {
	h := c.hour
	switch {
	case c.half == 'x':
		return h
	case c.half == 'a':
		return h % 12
	case c.half == 'p':
		return h%12 + 12
	case part == "morning":
		return h % 12
	case part == "night" && (h == 12 || h < 5):
		return h % 12
	case part != "":
		return h%12 + 12
	case c.evening && h >= 6 && h < 12:
		return h + 12
	case h >= 7 && h <= 11:
		return h
	case h > 12:
		return h
	}
	return h%12 + 12
}

// clockStands reports whether a time of day may stand without a day.
func (p *parser) clockStands(c clock, part partOfDay, end int) bool {
	return c.n > 0 && (!c.weak || part != "" || !c.beside && p.ends(end))
}

// clock matches a time of day.
func (p *parser) clock(i int) clock {
	j := i
	said, approx := false, false
	if p.any(j, "at", "by", "until", "till", "til", "from", "before", "after", "between", "past") {
		said = true
		j++
		if p.lang == spanish && p.w(j) == "the" {
			j++
		}
	}
	if p.any(j, "about", "around", "exactly", "like") {
		approx = p.w(j) != "exactly"
		said = true
		j++
	}
	c := p.clockBody(j, said)
	if c.n == 0 {
		return clock{}
	}
	c = p.window(c, j, p.w(i) == "between")
	c.n, c.approx, c.beside, c.evening = c.n+j-i, approx, p.w(i) != "at", p.evening
	return c
}

// window takes the end of a stretch of hours along, and am or pm from it: "between nine and eleven", "nine to eleven a
// m".
func (p *parser) window(c clock, j int, between bool) clock {
	k := j + c.n
	if !p.any(k, "to", "until", "till", "-") && !(between && p.w(k) == "and") {
		return c
	}
	end := p.clockBody(k+1, true)
	if end.n == 0 {
		return c
	}
	if c.half == 0 && end.half != 'x' && c.hour%12 <= end.hour%12 {
		c.half = end.half
	}
	c.n, c.weak = c.n+1+end.n, c.weak && end.weak
	return c
}

func (p *parser) clockBody(j int, said bool) clock {
	switch p.w(j) {
	case "noon", "midday":
		return clock{hour: 12, half: 'x', n: 1}
	case "midnight":
		return clock{hour: 0, half: 'x', n: 1}
	case "half":
		if h, n := p.hour(j + 2); n > 0 && p.w(j+1) == "past" {
			return p.withHalf(clock{hour: h, minute: 30, n: 2 + n}, j)
		}
		if h, n := p.hour(j + 1); n > 0 && p.lang == english && !p.unitFollows(j+1+n) { // British
			return p.withHalf(clock{hour: h, minute: 30, n: 1 + n, weak: true}, j)
		}
		return clock{}
	case "halfto": // German: half of the hour that is coming
		if h, n := p.hour(j + 1); n > 0 {
			return clock{hour: (h+10)%12 + 1, minute: 30, n: 1 + n}
		}
		return clock{}
	case "quarter":
		return p.pastOrTo(15, j, 1)
	case "a":
		if p.w(j+1) == "quarter" {
			return p.pastOrTo(15, j, 2)
		}
		return clock{}
	}
	if v, n := p.cardinal(j); n > 0 && v > 0 && v < 60 {
		k := n
		if p.any(j+k, "minutes", "minute") {
			k++
		}
		if c := p.pastOrTo(v, j, k); c.n > 0 && (k > n || v%5 == 0) {
			return c
		}
	}
	return p.hourAndMinute(j, said)
}

// pastOrTo matches "past ten" or "to ten" after the minutes, which took n tokens.
func (p *parser) pastOrTo(minutes, j, n int) clock {
	h, k := p.hour(j + n + 1)
	if k == 0 {
		return clock{}
	}
	c := clock{hour: h, minute: minutes, n: n + 1 + k}
	switch p.w(j + n) {
	case "past", "after":
	case "to", "till", "ere", "of":
		if p.any(j+n+1+k, measures...) || p.any(j+n+2+k, measures...) && p.any(j+n+1+k, "working", "business") {
			return clock{} // "five to seven days"
		}
		c.hour, c.minute = (h+10)%12+1, 60-minutes
	default:
		return clock{}
	}
	return p.withHalf(c, j)
}

// measures are what a range of numbers counts.
var measures = []string{
	"day", "days", "week", "weeks", "month", "months", "year", "years", "hour", "hours", "minutes", "mins", "people",
	"persons", "guests", "players", "kids", "children", "dollars", "pounds", "euros", "percent", "%", "miles", "times",
}

func (p *parser) hour(j int) (h, n int) {
	h, n = p.cardinal(j)
	if h < 1 || h > 12 {
		return 0, 0
	}
	return h, n
}

// withHalf adds am, pm or "o'clock" if they follow.
func (p *parser) withHalf(c clock, i int) clock {
	j := i + c.n
	if p.w(j) == "o'clock" || p.is(j, "o", "clock") {
		c.weak = false
		c.n++
		if p.w(j) == "o" {
			c.n++
		}
		j = i + c.n
	}
	switch {
	case p.any(j, "am", "pm"):
		c.half, c.weak, c.n = p.w(j)[0], false, c.n+1
	case p.any(j, "a", "p") && p.is(j+1, ".", "m"):
		c.half, c.weak, c.n = p.w(j)[0], false, c.n+3
		if p.w(j+3) == "." && p.tok[j+3].glued {
			c.n++
		}
	case p.any(j, "a", "p") && p.w(j+1) == "m":
		c.half, c.weak, c.n = p.w(j)[0], false, c.n+2
	}
	return c
}

func (p *parser) hourAndMinute(j int, said bool) clock {
	h, n := p.cardinal(j)
	if n == 0 || h > 24 || p.any(j-1, "$", "£", "€", "#", "/") || p.glued(j) && p.w(j-1) == "." {
		return clock{}
	}
	c := clock{hour: h, n: n, weak: true}
	k := j + n
	if p.w(k) == ":" && p.glued(k) && p.glued(k+1) && p.tok[k+1].kind == number && p.tok[k+1].digits == 2 && p.tok[k+1].val < 60 {
		c.minute, c.n, c.weak = p.tok[k+1].val, n+2, false
		if p.w(k+2) == ":" || !said && h <= 12 {
			c.weak = true
		}
		if h > 12 || p.tok[j].digits == 2 && p.w(j)[0] == '0' {
			c.half = 'x'
		}
	} else if m, mn := p.cardinal(k); mn > 0 && m >= 10 && m < 60 && p.tok[j].kind == word {
		c.minute, c.n = m, n+mn
	} else if u := p.afterOh(k); u > 0 {
		c.minute, c.n = u, n+2
	} else if p.pointedDay(j) {
		return clock{}
	} else if m, mn := p.cardinal(k + 1); said && p.w(k) == "." && mn == 1 && p.glued(k) && p.glued(k+1) && p.tok[k+1].digits == 2 && m < 60 {
		c.minute, c.n = m, n+2
	}
	c = p.fraction(p.withHalf(c, j), j)
	if k = j + c.n; c.half == 0 && p.any(k, "-", "to") {
		if _, n := p.hour(k + 1); n > 0 { // "7-8 pm" begins at 7 pm
			if to := p.withHalf(clock{n: n}, k+1); to.half != 0 && to.half != 'x' {
				c.half, c.weak, c.n = to.half, false, c.n+1+to.n
			}
		}
	}
	if h == 0 && c.half != 'x' || h > 12 && c.half != 'x' && c.weak {
		return clock{}
	}
	if c.weak && (!said || p.unitFollows(j+c.n)) {
		return clock{}
	}
	return c
}

// fraction adds the minutes that German, Spanish and Portuguese say after the hour: "drei Uhr dreißig", "las cuatro y
// media", "las tres menos cuarto", "às oito e quarenta e cinco".
func (p *parser) fraction(c clock, j int) clock {
	k := j + c.n
	if m, n := p.cardinal(k); p.lang == german && n > 0 && m < 60 && p.w(k-1) == "o'clock" {
		c.minute, c.n = m, c.n+n
	}
	if p.lang != spanish && p.lang != portuguese || !p.any(k, "and", "less") {
		return c
	}
	m, n := p.cardinal(k + 1)
	switch {
	case p.w(k+1) == "half":
		m, n = 30, 1
	case p.w(k+1) == "quarter":
		m, n = 15, 1
	case n == 0 || m > 59 || m%5 != 0 || p.lang == spanish && m >= 30: // "at six, and two friends"
		return c
	}
	if p.w(k) == "less" {
		c.hour, m = (c.hour+10)%12+1, 60-m
	}
	c.minute, c.n, c.weak = m, c.n+1+n, false
	return c
}

func (p *parser) glued(i int) bool { return i > 0 && i < len(p.tok) && p.tok[i].glued }

// unitFollows reports whether what comes next makes a number something else than an hour: "at 3 dollars", "at 5%".
func (p *parser) unitFollows(i int) bool {
	if i >= len(p.tok) {
		return false
	}
	if p.tok[i].kind == punct {
		return !p.ends(i) || p.glued(i) && p.any(i, "-", ":") || p.any(i, ".", ",") && p.glued(i+1) && p.tok[i+1].kind == number
	}
	if p.lang == german && slices.Contains(separable, p.w(i)) && p.ends(i+1) { // "um neun vorbei."
		return false
	}
	return !p.any(i, "on", "in", "at", "today", "tomorrow", "tonight", "and", "or", "but", "so", "for", "this", "next", "with",
		"to", "because", "i", "please", "then", "is", "shall", "should", "can", "could", "do", "will", "would", "works", "or", "that", "when", "if", "he", "she", "they", "you", "it", "my", "no",
		"o'clock", "latest", "sharp", "until", "till", "til", "works", "was", "okay", "ok", "from", "of", "we", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "every")
}

// instant matches a stretch of hours or minutes from now: "in twenty minutes", "an hour ago".
func (p *parser) instant(i int) (Found, int) {
	j, ahead := i, p.any(i, "in", "within")
	if ahead {
		j++
	}
	d, n, approx := p.stretch(j)
	if n == 0 {
		return Found{}, 0
	}
	end := j + n
	switch {
	case p.w(end) == "ago" && !ahead:
		d, end = -d, end+1
	case p.is(end, "from", "now") && !ahead:
		end += 2
	case ahead && p.w(end) == "time":
		end++
	case !ahead:
		return Found{}, 0
	}
	t := p.base.Add(d).Truncate(time.Minute)
	return Found{At: t, Until: t, Approx: approx}, end - i
}

func (p *parser) stretch(j int) (d time.Duration, n int, approx bool) {
	if p.is(j, "half", "an", "hour") || p.is(j, "a", "half", "hour") {
		return 30 * time.Minute, 3, false
	}
	v, k, approx := p.amount(j)
	if k == 0 {
		return 0, 0, false
	}
	switch p.w(j + k) {
	case "hour", "hours", "hrs":
		d = time.Hour
	case "minute", "minutes", "mins", "min":
		d = time.Minute
	default:
		return 0, 0, false
	}
	return time.Duration(v) * d, k + 1, approx
}
