package when

import (
	"strings"
	"time"

	"github.com/recallerhq/recaller/internal/speech"
)

// span is a stretch of whole days: from is its first instant, to the first instant after it.
type span struct {
	from, to time.Time
	approx   bool
	loose    bool      // it may be meant of the days around: "in two weeks", "before Christmas"
	open     bool      // which day is meant is not known: from and to are zero
	fixed    bool      // the words settle the day by themselves, whatever the clause
	name     dayName   // of a day that its clause settles, or that is open
	mood     mood      // of that clause
	weak     bool      // the mood is told outside of the clause only
	part     partOfDay // "tonight" names one with the day
	n        int       // tokens matched; 0: nothing
}

// single reports whether the span is one day for sure.
func (s span) single() bool {
	return s.n > 0 && !s.approx && !s.loose && !s.open && s.to.Sub(s.from) <= 25*time.Hour
}

// weekdays number the days from Monday, 1.
var weekdays = map[string]int{
	"monday": 1, "tuesday": 2, "wednesday": 3, "thursday": 4, "friday": 5, "saturday": 6, "sunday": 7,
}

// Weekday is the day of the week that a word names in full, also in the plural.
func Weekday(w string) (day time.Weekday, ok bool) {
	n := weekdays[strings.TrimSuffix(w, "s")]
	return time.Weekday(n % 7), n > 0
}

var shortWeekdays = map[string]int{
	"mon": 1, "tue": 2, "tues": 2, "wed": 3, "weds": 3, "thu": 4, "thur": 4, "thurs": 4, "fri": 5, "sat": 6, "sun": 7,
}

// date matches a day or a stretch of days.
func (p *parser) date(i int) span {
	if i >= len(p.tok) || p.tok[i].kind == punct {
		return span{}
	}
	if p.is(i, "of", "today", "in", "8") { // Spanish: a week from today
		return p.dayspan(7, 4)
	}
	j := i
	if p.any(i, "on", "in", "over", "during", "at", "around", "for", "by", "since", "until", "till", "before", "after", "of") {
		j++
		if p.any(j, "the", "last") && weekdays[p.w(j+1)] != 0 && p.w(j) == "the" {
			j++
		}
	}
	for _, match := range [...]func(int) span{p.relative, p.nthWeekday, p.shifted, p.weekday, p.calendar, p.backward} {
		if s := match(j); s.n > 0 {
			if !p.any(i, "on", "in", "over", "at") { // other leading words are no part of the phrase
				if j > i {
					return span{}
				}
			}
			s.n += j - i
			return s
		}
	}
	return p.ahead(i)
}

// onDate is a day of the calendar that n tokens name.
func (p *parser) onDate(y int, m time.Month, d, n int) span {
	loc := p.base.Location()
	return span{from: startOf(y, m, d, loc), to: startOf(y, m, d+1, loc), n: n, fixed: true}
}

// wholeMonths are so many months from the beginning of one.
func (p *parser) wholeMonths(y int, m time.Month, months, n int) span {
	loc := p.base.Location()
	return span{from: startOf(y, m, 1, loc), to: startOf(y, m+time.Month(months), 1, loc), approx: true, n: n}
}

func (p *parser) dayspan(offset, n int) span {
	return span{from: p.day(offset), to: p.day(offset + 1), n: n, fixed: true}
}

// relative matches words that count from today.
func (p *parser) relative(i int) span {
	j := i
	if p.w(i) == "the" {
		j++
	}
	var s span
	switch {
	case p.is(j, "day", "after", "tomorrow"):
		s = p.dayspan(2, j+3-i)
	case p.is(j, "day", "before", "yesterday"):
		s = p.dayspan(-2, j+3-i)
	case p.is(i, "overmorrow", "tomorrow"): // Spanish says it in two words
		s = p.dayspan(2, 2)
	case p.w(i) == "overmorrow":
		s = p.dayspan(2, 1)
	case p.w(i) == "ereyesterday":
		s = p.dayspan(-2, 1)
	case p.is(j, "day", "after") && j > i || p.is(j, "day", "before") && j > i:
		return p.beside(i, j)
	case p.is(j, "other", "day") && j > i:
		s = p.dayspan(-3, j+2-i)
		s.approx = true
	case j > i:
		return p.edge(i)
	case p.any(i, "later", "earlier") && p.w(i+1) == "today":
		s = p.dayspan(0, 2)
	case p.w(i) == "today":
		s = p.dayspan(0, 1)
	case p.any(i, "tomorrow", "tmrw"):
		if s = p.dayspan(1, 1); p.quoted(i) || p.lang == spanish && p.w(i-1) == "of" && shifts[p.said[max(0, i-2)]] { // "trabajo de mañana"
			s = span{open: true, n: 1}
		}
	case p.w(i) == "yesterday":
		s = p.dayspan(-1, 1)
	case p.w(i) == "tonight":
		s = p.dayspan(0, 1)
		s.part = "night"
	case p.is(i, "last", "night"):
		s = p.dayspan(-1, 2)
		s.part = "night"
	case p.w(i) == "this" && p.any(i+1, "morning", "afternoon", "evening"):
		s = p.dayspan(0, 2)
		s.part = partOfDay(p.w(i + 1))
	default:
		return p.edge(i)
	}
	if s.n == 1 && p.w(i+1) == "week" && s.part == "" { // British: "tomorrow week"
		return span{from: s.from.AddDate(0, 0, 7), to: s.to.AddDate(0, 0, 7), n: 2, fixed: true}
	}
	return s
}

// shifts are words of Spanish for what is done in the morning.
var shifts = speech.Set(`trabajo trabaja trabajamos turno turnos estoy voy clase clases horario`)

// quoted reports whether "tomorrow" or "in two days" at i is in what somebody said before: "they said come back
// tomorrow".
func (p *parser) quoted(i int) bool {
	p.mood(i, i+1)
	for k := i - 1; k >= 0 && k > i-12 && !p.sentenceEnd(k); k-- {
		if p.any(k, "said", "told") || p.lang != english && p.marks[k].mood == torn {
			return true
		}
		if m := p.marks[k]; m.mood == ahead && !p.plainForm(k) && !p.any(k-1, "if") && !p.any(k, "if") {
			return false
		}
	}
	return false
}

// beside matches "the day after Valentine's". j is past "the".
func (p *parser) beside(i, j int) span {
	step := 1
	if p.w(j+1) == "before" {
		step = -1
	}
	if k, n := p.festivalAt(j + 2); n > 0 {
		s := p.festivalNear(k, j+2, n)
		if s.open {
			return p.sized(s, j+2+s.n-i)
		}
		return span{from: s.from.AddDate(0, 0, step), to: s.to.AddDate(0, 0, step), n: j + 2 + s.n - i, fixed: true}
	}
	return p.backward(i)
}

// backward matches what counts from the day that was named last: "the day before", "the evening before", "that same
// night", "two days before". Which day it is only the conversation tells.
func (p *parser) backward(i int) span {
	if v, unit, n, approx := p.days(i); n > 0 && !approx && p.ends(i+n+1) {
		if unit == "week" {
			v *= 7
		}
		if back := countedBack[p.w(i+n)]; back != "" {
			return span{open: true, n: n + 1, name: dayName{back: back, count: v}}
		}
	}
	j := i + 1
	if p.w(j) == "same" && p.w(i) == "that" {
		j++
	}
	s := span{open: true, n: j + 1 - i, name: dayName{back: "same"}}
	switch {
	case p.any(j, "morning", "afternoon", "evening", "night"):
		s.part = partOfDay(p.w(j))
	case p.w(j) != "day":
		return span{}
	}
	switch {
	case p.w(i) == "that":
		return s
	case p.w(i) != "the" || !p.any(j+1, "before", "after") || weekdays[p.w(j+2)] != 0 || p.w(j+2) == "the":
		return span{}
	}
	s.name.back = p.w(j + 1)
	s.n++
	return s
}

// countedBack are the words behind a number of days from the day that was named last: "two days before".
var countedBack = map[string]string{
	"before": "before", "vorher": "before", "davor": "before", "antes": "before",
	"after": "after", "danach": "after", "después": "after",
}

// edge matches "the end of the month", "early next week", "mid-March", "the first week of June".
func (p *parser) edge(i int) span {
	j := i
	if p.w(j) == "the" {
		j++
	}
	third := -1
	switch p.w(j) {
	case "beginning", "start", "early":
		third = 0
	case "middle", "mid":
		third = 1
	case "end", "late":
		third = 2
	}
	if third < 0 {
		return span{}
	}
	adverb := p.any(j, "early", "late", "mid")
	j++
	switch {
	case p.w(j) == "of" && !adverb:
		j++
	case p.any(j, "-", "in") && adverb:
		j++
	case !adverb:
		return span{}
	}
	whole := p.shifted(j)
	if whole.n == 0 {
		whole = p.theUnit(j)
	}
	if whole.n == 0 {
		whole = p.monthOrSeason(j, true)
	}
	if whole.n == 0 || whole.to.Sub(whole.from) < 5*24*time.Hour {
		return span{}
	}
	return thirdOf(whole, third, j+whole.n-i)
}

// thirdOf returns the first, middle or last third of a stretch, in whole days.
func thirdOf(s span, third, n int) span {
	days := int(s.to.Sub(s.from).Hours()/24 + 0.5)
	y, m, d := s.from.Date()
	loc := s.from.Location()
	from := startOf(y, m, d+days*third/3, loc)
	to := startOf(y, m, d+days*(third+1)/3, loc)
	return span{from: from, to: to, approx: true, n: n}
}

// theUnit matches "the week", "the month", "the year": the present one.
func (p *parser) theUnit(i int) span {
	if p.w(i) != "the" {
		return span{}
	}
	if s := p.unit(p.w(i+1), 0); s.n > 0 {
		s.n = 2
		return s
	}
	return span{}
}

// unit returns the calendar week, weekend, month or year that is k away from the present one.
func (p *parser) unit(name string, k int) span {
	y, m, _ := p.base.Date()
	monday := 1 - isoWeekday(p.base) + 7*k
	switch name {
	case "week":
		return span{from: p.day(monday), to: p.day(monday + 7), approx: true, n: 1}
	case "weekend":
		return span{from: p.day(monday + 5), to: p.day(monday + 7), approx: true, n: 1}
	case "month":
		return p.wholeMonths(y, m+time.Month(k), 1, 1)
	case "year":
		return p.wholeMonths(y+k, 1, 12, 1)
	}
	return span{}
}

func isoWeekday(t time.Time) int { return (int(t.Weekday())+6)%7 + 1 }

func daysIn(y int, m time.Month) int { return time.Date(y, m+1, 0, 0, 0, 0, 0, time.UTC).Day() }
