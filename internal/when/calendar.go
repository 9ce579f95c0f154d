package when

import (
	"slices"
	"time"

	"github.com/recallerhq/recaller/internal/speech"
)

var months = map[string]time.Month{
	"january": 1, "february": 2, "march": 3, "april": 4, "may": 5, "june": 6, "july": 7, "august": 8, "september": 9,
	"october": 10, "november": 11, "december": 12,
}

var shortMonths = map[string]time.Month{
	"jan": 1, "feb": 2, "mar": 3, "apr": 4, "jun": 6, "jul": 7, "aug": 8, "sep": 9, "sept": 9, "oct": 10, "nov": 11, "dec": 12,
}

// seasons begin with these months.
var seasons = map[string]time.Month{"spring": 3, "summer": 6, "fall": 9, "autumn": 9, "winter": 12}

func (p *parser) month(i int) time.Month { return Month(p.w(i)) }

// Month is the month that a word names, also in short; 0 for none.
func Month(w string) time.Month {
	if m := months[w]; m != 0 {
		return m
	}
	return shortMonths[w]
}

// calendar matches a date of the calendar: "March 3rd", "3 March 2027", "the 5th", "5/12", "2026-11-24", "in March",
// "in 2019", "at Christmas".
func (p *parser) calendar(i int) span {
	for _, match := range [...]func(int) span{p.dayOfMonth, p.numeric, p.bareDay, p.festival} {
		if s := match(i); s.n > 0 {
			return s
		}
	}
	if s := p.monthOrSeason(i, false); s.n > 0 {
		return s
	}
	return p.years(i)
}

// year matches a year that belongs to the date before it.
func (p *parser) year(i int) (y, n int) {
	j := i
	if p.any(j, ",", "of", "in") {
		j++
	}
	if y, n := p.spokenYear(j); n > 0 {
		return y, j + n - i
	}
	if j < len(p.tok) && p.tok[j].digits == 4 && !p.tok[j].decade && p.tok[j].val >= 1900 && p.tok[j].val < 2100 {
		return p.tok[j].val, j + 1 - i
	}
	return 0, 0
}

// dayOfMonth matches a day and a month in either order, with or without a year.
func (p *parser) dayOfMonth(i int) span {
	j := i
	if m := p.month(j); m != 0 {
		j++
		if p.w(j) == "." {
			j++
		}
		if p.w(j) == "the" {
			j++
		}
		d, n := p.dayNumber(j)
		if n == 0 || d > daysIn(2000, m) || p.w(j+n) == ":" || p.w(j+n) == "%" {
			return span{}
		}
		return p.dated(m, d, j+n, i)
	}
	if p.w(j) == "the" {
		j++
	}
	d, n := p.dayNumber(j)
	if n == 0 {
		return span{}
	}
	j += n
	if m, ok := p.monthOfRange(j); ok && d <= daysIn(2000, m) {
		s := p.dated(m, d, j, i)
		return p.sized(s, j-i)
	}
	if p.w(j) == "of" {
		j++
	}
	m := p.month(j)
	if m == 0 || d > daysIn(2000, m) || m == 5 && p.w(j) == "may" && !p.tok[j].capital && p.w(j-1) != "of" && !p.tok[j-1].ordinal {
		return span{}
	}
	return p.dated(m, d, j+1, i)
}

// monthOfRange returns the month that follows the second of two days: "20 to 23 October".
func (p *parser) monthOfRange(j int) (time.Month, bool) {
	if !p.any(j, rangeWords...) && p.w(j) != "and" {
		return 0, false
	}
	j++
	if p.w(j) == "the" {
		j++
	}
	_, n := p.dayNumber(j)
	if j += n; p.w(j) == "of" {
		j++
	}
	m := p.month(j)
	return m, n > 0 && m != 0
}

// dated returns the day of the month whose tokens end at j, looking there for the year.
func (p *parser) dated(m time.Month, d, j, i int) span {
	last := d
	if j+1 < len(p.tok) && p.w(j) == "-" && p.tok[j+1].kind == number && p.tok[j+1].val > d && p.tok[j+1].val <= daysIn(2000, m) && p.glued(j+1) {
		last, j = p.tok[j+1].val, j+2 // May 14-15
	}
	y, n := p.year(j)
	if n == 0 && p.ofBirth(i) {
		return span{open: true, n: j - i}
	}
	if n == 0 {
		if y = p.nearYear(m, d, p.mood(i, j)); y == 0 {
			return span{open: true, name: dayName{month: m, day: d}, n: j - i}
		}
	}
	if d > daysIn(y, m) {
		return span{}
	}
	s := p.onDate(y, m, d, j+n-i)
	s.to = p.onDate(y, m, last, 1).to
	return s
}

// births are words of somebody's birth, whose year is another.
var births = speech.Set("born birth dob geboren geburtsdatum nací nació nacido nacida nacimiento")

// ofBirth reports whether the sentence so far tells of a birth: "born in ninety one, the seventeenth of November".
func (p *parser) ofBirth(i int) bool {
	const within = 12
	for k := i - 1; k >= max(0, i-within) && !p.sentenceEnd(k); k-- {
		if births[p.w(k)] {
			return true
		}
	}
	return false
}

// Days between which a date without its year is known by its nearness.
const (
	near = 120 // it lies at most so far ahead
	far  = 300 // and the other reading at least so far off
)

// nearYear returns the year of a date that was said without one, 0 where it is not sure.
func (p *parser) nearYear(m time.Month, d int, lean mood) int {
	by, bm, bd := p.base.Date()
	next, last := by, by
	for m < bm && next == by || m == bm && d < bd && next == by || d > daysIn(next, m) {
		next++
	}
	for m > bm && last == by || m == bm && d > bd && last == by || d > daysIn(last, m) {
		last--
	}
	now := time.Date(by, bm, bd, 0, 0, 0, 0, time.UTC)
	to := int(time.Date(next, m, d, 0, 0, 0, 0, time.UTC).Sub(now).Hours()) / 24
	since := int(now.Sub(time.Date(last, m, d, 0, 0, 0, 0, time.UTC)).Hours()) / 24
	switch {
	case lean == ahead && (since > near/2 || to < far):
		return next
	case lean == behind && (to > near/2 || since < far):
		return last
	case lean != behind && to <= near && since >= 2*near:
		return next
	case lean == torn && since <= near/2 && to >= far:
		return last
	}
	return 0
}

// yearOf returns the year of a month or season that was said without one.
func (p *parser) yearOf(i int, m time.Month, d int) int {
	by, bm, bd := p.base.Date()
	before := m < bm || m == bm && d < bd
	after := m > bm || m == bm && d > bd
	step := 0
	switch {
	case p.behind(i) && after:
		step = -1
	case !p.behind(i) && before:
		step = 1
	}
	return by + step
}

// bareDay matches "the 5th": the next such day, or the one before if the sentence looks back.
func (p *parser) bareDay(i int) span {
	at := i
	if p.w(i) == "the" {
		at++
	} else if p.w(i-1) != "on" || p.lang == english {
		return span{}
	}
	d, n := p.ordinal(at)
	if n == 0 && at > i && (p.lang == spanish && p.said[i] == "el" || p.lang == portuguese && p.said[i] == "dia") {
		d, n = p.dayNumber(at)
	}
	if n == 0 || d < 1 || d > 31 {
		return span{}
	}
	j := at + n
	y, m, bd := p.base.Date()
	if k := slices.Index([]string{"last", "this", "next"}, p.w(j+1)) - 1; p.w(j) == "of" && p.w(j+2) == "month" && k > -2 {
		m += time.Month(k)
		return p.onDate(y, m, min(d, daysIn(y, m)), j+3-i)
	}
	switch {
	case d <= 3 && !p.any(i-1, "on", "until", "by", "till", "til", "from", "through", "since", "before", "after") && !(p.w(i-1) == "there" && p.ends(j)):
		return span{}
	case !p.ends(j) && !dayFollows[p.w(j)] && p.clock(j).n == 0 && !p.tok[j-1].owner:
		return span{}
	}
	if wd := p.saidWith(i, j); wd > 0 {
		return p.onWeekday(wd, d, p.mood(i, j), j-i)
	}
	if m := p.monthBefore(i); m != 0 && d <= daysIn(2000, m) {
		return p.dated(m, d, j, i)
	}
	step, lean := time.Month(1), p.mood(i, j)
	if lean == open && p.tok[j-1].owner && p.any(j, "no", "not", "out", "bad") { // "the ninth's no good"
		lean = ahead
	}
	switch lean {
	case behind:
		step = -1
	case ahead:
	default:
		return span{open: true, name: dayName{day: d}, mood: lean, n: j - i}
	}
	if step > 0 && d < bd || step < 0 && d > bd {
		m += step
	}
	for d > daysIn(y, m) {
		m += step
	}
	s := p.onDate(y, m, d, j-i)
	s.fixed, s.name, s.mood = false, dayName{day: d}, lean
	return s
}

// saidWith returns the weekday that the sentence gives a day of the month in tokens [i, j), before or after it. 0 for
// none.
func (p *parser) saidWith(i, j int) int {
	if wd := p.saidToBe(j); wd > 0 {
		return wd
	}
	return p.saidBefore(i)
}

// saidToBe returns the weekday that the sentence goes on to give the day before token j: "the twenty-sixth, but that's
// a Friday". 0 for none.
func (p *parser) saidToBe(j int) int {
	for k := j; k < j+5 && k < len(p.tok) && !p.sentenceEnd(k); k++ {
		if p.any(k, "that", "which", "it") && (p.w(k+1) == "is" || p.tok[k].owner) || p.any(k, "that's", "thats", "being", "falls") || k == j && p.w(k) == "is" {
			for k++; p.any(k, "is", "a", "on", "the"); k++ {
			}
			return weekdays[p.w(k)]
		}
	}
	return 0
}

// saidBefore returns the weekday that stands before a day of the month at i and is the same day: "on Sunday, the
// twelfth". 0 for none.
func (p *parser) saidBefore(i int) int {
	for k := i - 1; k > i-6; k-- {
		if wd := weekdays[p.w(k)]; wd > 0 {
			return wd
		}
		if !p.any(k, ",", "…", "the", "on", "before", "after", "davor", "danach", "um", "uh", "er") {
			return 0
		}
	}
	return 0
}

// onWeekday settles a day of the month that was said with its weekday.
func (p *parser) onWeekday(wd, d int, lean mood, n int) span {
	s := span{open: true, n: n}
	if day, ok := p.nearest(wd, d, lean); ok {
		s = p.onDate(day.Year(), day.Month(), d, n)
	}
	s.name, s.mood = dayName{weekday: wd, day: d}, lean
	return s
}

// dayFollows are words that may follow a day of the month which stands by its number alone.
var dayFollows = set("dayFollows")

// monthBefore returns the month that was named shortly before token i in the same sentence, 0 if none was: "in March,
// on the 15th".
func (p *parser) monthBefore(i int) time.Month {
	for j := i - 1; j >= 0 && j > i-13 && !p.sentenceEnd(j); j-- {
		if m := months[p.w(j)]; m != 0 && (p.tok[j].capital || m != 3 && m != 5) {
			return m
		}
	}
	return 0
}

// nthWeekday matches "the first Monday of December" and "the last Friday in March".
func (p *parser) nthWeekday(i int) span {
	j := i
	if p.w(j) == "the" {
		j++
	}
	nth, n := p.ordinal(j)
	if p.w(j) == "last" {
		nth, n = 5, 1
	}
	wd := weekdays[p.w(j+n)]
	if n == 0 || wd == 0 || nth > 5 || !p.any(j+n+1, "of", "in") {
		return span{}
	}
	j += n + 2
	m, y, used := p.month(j), 0, 1
	if m == 0 {
		s := p.shifted(j)
		if s.n == 0 || s.from.Day() != 1 || s.to.Sub(s.from) < 27*24*time.Hour || s.to.Sub(s.from) > 32*24*time.Hour {
			return span{}
		}
		m, y, used = s.from.Month(), s.from.Year(), s.n
	} else if ry, rn := p.year(j + 1); rn > 0 {
		y, used = ry, 1+rn
	}
	if y == 0 {
		y = p.yearOf(i, m, min(nth*7, 28))
	}
	return p.onDate(y, m, nthDay(y, m, wd, nth), j+used-i)
}

// nthDay returns the day of the month of its nth weekday; the fifth is the last.
func nthDay(y int, m time.Month, wd, nth int) int {
	first := isoWeekday(time.Date(y, m, 1, 0, 0, 0, 0, time.UTC))
	d := 1 + (wd-first+7)%7 + 7*(nth-1)
	for d > daysIn(y, m) {
		d -= 7
	}
	return d
}

// monthOrSeason matches a whole month or season: "in March", "March 2027", "summer of 2022". A bare one must be led
// by a word that takes a date, unless led is already known.
func (p *parser) monthOrSeason(i int, led bool) span {
	m := p.month(i)
	if s, ok := seasons[p.w(i)]; ok || p.w(i) == "the" {
		j := i
		if !ok {
			j++
			s, ok = seasons[p.w(j)]
		}
		if !ok {
			return span{}
		}
		return p.season(j, s, j+1-i, led)
	}
	if m == 0 {
		return span{}
	}
	y, n := p.year(i + 1)
	if n == 0 {
		if !led && !p.any(i-1, "in", "since", "until", "during", "by", "for", "around") || shortMonths[p.w(i)] != 0 && !led && p.w(i-1) != "in" {
			return span{}
		}
		y = p.yearOf(i, m, p.base.Day())
	}
	return p.wholeMonths(y, m, 1, 1+n)
}

func (p *parser) season(j int, m time.Month, n int, led bool) span {
	y, k := p.year(j + 1)
	if k == 0 && p.tok[j].capital && j+1 < len(p.tok) && p.tok[j+1].capital { // the name of something
		return span{}
	}
	if k == 0 {
		if !led && !p.any(j-1, "in", "since", "this") && !(p.w(j-1) == "the" && p.any(j-2, "in", "over", "during")) {
			return span{}
		}
		y = p.yearOf(j, m+2, 28)
		if m == 12 {
			y = p.yearOf(j, 2, 28) - 1
		}
	}
	return p.wholeMonths(y, m, 3, n+k)
}

// years matches "in 2019", "since 1986", "in the 1960s".
func (p *parser) years(i int) span {
	j := i
	if p.w(j) == "the" {
		j++
	}
	if y, n := p.spokenYear(j); n > 0 && p.any(i-1, "in", "since", "during", "until", "till", "around") {
		return p.wholeMonths(y, 1, 12, j+n-i)
	}
	if j >= len(p.tok) || p.tok[j].digits != 4 || p.tok[j].val < 1900 || p.tok[j].val >= 2100 {
		return span{}
	}
	lead := i - 1
	if !p.any(lead, "in", "since", "during", "until", "of", "around") {
		return span{}
	}
	y := p.tok[j].val
	if p.tok[j].decade {
		return p.wholeMonths(y-y%10, 1, 120, j+1-i)
	}
	if j > i {
		return span{}
	}
	return p.wholeMonths(y, 1, 12, 1)
}
