package when

import "time"

// span is a stretch of whole days: from is its first instant, to the first instant after it.
type span struct {
	from, to time.Time
	approx   bool
	part     partOfDay // "tonight" names one with the day
	n        int       // tokens matched; 0: nothing
}

// single reports whether the span is one day for sure.
func (s span) single() bool { return s.n > 0 && !s.approx && s.to.Sub(s.from) <= 25*time.Hour }

// weekdays number the days from Monday, 1.
var weekdays = map[string]int{
	"monday": 1, "tuesday": 2, "wednesday": 3, "thursday": 4, "friday": 5, "saturday": 6, "sunday": 7,
}

var shortWeekdays = map[string]int{
	"mon": 1, "tue": 2, "tues": 2, "wed": 3, "weds": 3, "thu": 4, "thur": 4, "thurs": 4, "fri": 5, "sat": 6, "sun": 7,
}

// date matches a day or a stretch of days.
func (p *parser) date(i int) span {
	if i >= len(p.tok) || p.tok[i].kind == punct {
		return span{}
	}
	j := i
	if p.any(i, "on", "in", "over", "during", "at", "around", "for", "by", "since", "until", "till", "before", "after", "of") {
		j++
	}
	for _, match := range [...]func(int) span{p.relative, p.nthWeekday, p.shifted, p.weekday, p.calendar} {
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

func (p *parser) dayspan(offset, n int) span {
	return span{from: p.day(offset), to: p.day(offset + 1), n: n}
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
		s = p.dayspan(1, 1)
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
		return span{from: s.from.AddDate(0, 0, 7), to: s.to.AddDate(0, 0, 7), n: 2}
	}
	return s
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
	loc := p.base.Location()
	monday := 1 - isoWeekday(p.base) + 7*k
	switch name {
	case "week":
		return span{from: p.day(monday), to: p.day(monday + 7), approx: true, n: 1}
	case "weekend":
		return span{from: p.day(monday + 5), to: p.day(monday + 7), approx: true, n: 1}
	case "month":
		m += time.Month(k)
		return span{from: startOf(y, m, 1, loc), to: startOf(y, m+1, 1, loc), approx: true, n: 1}
	case "year":
		return span{from: startOf(y+k, 1, 1, loc), to: startOf(y+k+1, 1, 1, loc), approx: true, n: 1}
	}
	return span{}
}

func isoWeekday(t time.Time) int { return (int(t.Weekday())+6)%7 + 1 }

// shifted matches "next week", "last Monday", "this coming Friday", "the week after next", "last spring".
func (p *parser) shifted(i int) span {
	j := i
	if p.w(j) == "the" {
		j++
	}
	switch {
	case p.is(j+1, "after", "next") && j > i:
		return p.sized(p.unit(p.w(j), 2), j+3-i)
	case p.is(j+1, "before", "last") && j > i:
		return p.sized(p.unit(p.w(j), -2), j+3-i)
	case p.is(j, "weekend") && j > i:
		return p.sized(p.unit("weekend", 0), 2)
	}
	if s := p.rolling(i, j); s.n > 0 {
		return s
	}
	k, coming := 0, false
	switch p.w(j) {
	case "this":
		if p.any(j+1, "coming", "upcoming") {
			coming = true
			j++
		} else if p.any(j+1, "past", "last") {
			k = -1
			j++
		}
	case "coming", "upcoming":
		coming = true
	case "next":
		k = 1
	case "last", "past", "previous":
		k = -1
	default:
		return span{}
	}
	j++
	s := p.unit(p.w(j), k)
	if s.n > 0 && coming {
		s = p.unit(p.w(j), 1)
	}
	if s.n == 0 {
		s = p.shiftedDay(j, k)
	}
	if s.n == 0 {
		s = p.shiftedName(j, k)
	}
	return p.sized(s, j+s.n-i)
}

// rolling matches a stretch that ends today: "over the past month", "in the last three weeks". j is past "the".
func (p *parser) rolling(i, j int) span {
	if p.w(j) != "past" && (p.w(j) != "last" || j == i) {
		return span{}
	}
	v, unit, n, _ := p.days(j + 1)
	if n == 0 && p.any(j+1, "week", "month", "year") && (p.w(j) == "past" || p.any(i-1, "in", "over", "for", "during", "within")) {
		v, unit, n = 1, p.w(j+1), 1
	}
	if n == 0 {
		return span{}
	}
	y, m, d := p.base.Date()
	s := p.moved(y, m, d, -v, unit, true, j+1+n-i)
	s.to = p.day(1)
	return s
}

func (p *parser) sized(s span, n int) span {
	if s.n > 0 {
		s.n = n
	}
	return s
}

// shiftedDay returns the weekday of "next Tuesday", "this Tuesday" or "last Tuesday".
func (p *parser) shiftedDay(j, k int) span {
	wd := weekdays[p.w(j)]
	if wd == 0 {
		wd = shortWeekdays[p.w(j)]
	}
	if wd == 0 || p.any(j+1, "week") {
		return span{}
	}
	today := isoWeekday(p.base)
	switch {
	case k > 0:
		return p.dayspan(wd-today+7, 1)
	case k < 0:
		return p.dayspan(-((today-wd+6)%7 + 1), 1)
	}
	return p.dayspan((wd-today+6)%7+1, 1)
}

// weekday matches a bare weekday, with a date that says which if one follows: "Tuesday", "Tuesday, 24 November".
func (p *parser) weekday(i int) span {
	wd := weekdays[p.w(i)]
	if p.any(i-1, "a", "any", "black", "cyber", "palm", "ash", "maundy", "shrove", "holy", "giving", "super") { // any such day, or a name
		return span{}
	}
	if wd == 0 && i < len(p.tok) && (p.tok[i].capital || p.w(i-1) == "on") {
		wd = shortWeekdays[p.w(i)]
		if wd != 0 && p.any(i, "sun", "sat", "wed") && p.w(i-1) != "on" && p.w(i+1) != "," {
			wd = 0
		}
	}
	if wd == 0 {
		return span{}
	}
	j := i + 1
	for p.any(j, ",", ".", "the") {
		j++
	}
	if s := p.calendar(j); s.n > 0 && !s.approx && (isoWeekday(s.from) == wd || s.to.Sub(s.from) <= 25*time.Hour) { // of the two the date says more
		return p.sized(s, j+s.n-i)
	}
	if v, unit, n, approx := p.days(i + 1); n > 0 && p.any(i+1+n, "ago", "back") { // "the Wednesday two weeks ago"
		y, m, d := p.base.Date()
		s := p.moved(y, m, d, -v, unit, approx, n+1)
		y, m, d = s.from.Date()
		return p.moved(y, m, d, wd-isoWeekday(s.from), "day", s.approx, s.n+1)
	}
	today := isoWeekday(p.base)
	ahead := (wd-today+6)%7 + 1
	switch {
	case p.w(i+1) == "week" && !p.tok[i].owner:
		return p.dayspan(ahead+7, 2)
	case p.is(i+1, "after", "next"):
		return p.dayspan(wd-today+14, 3)
	case p.behind(i):
		return p.dayspan(-((today-wd+6)%7 + 1), 1)
	}
	return p.dayspan(ahead, 1)
}

// ahead matches an amount of days, weeks, months or years before or after a day: "in three days", "two weeks ago",
// "a week on Thursday", "two weeks from tomorrow".
func (p *parser) ahead(i int) span {
	j, in := i, p.any(i, "in", "within")
	if in {
		j++
	}
	v, unit, n, approx := p.days(j)
	if n == 0 {
		return span{}
	}
	end := j + n
	y, m, d := p.base.Date()
	switch {
	case p.any(end, "ago", "back") && in: // "I took part in a week ago": the "in" is another's
		return span{}
	case p.any(end, "ago", "back"):
		return p.moved(y, m, d, -v, unit, approx, end+1-i)
	case p.is(end, "from", "now"), p.is(end, "from", "today"):
		return p.moved(y, m, d, v, unit, approx, end+2-i)
	case in && p.any(end, "time"):
		return p.moved(y, m, d, v, unit, approx, end+1-i)
	case in:
		return p.moved(y, m, d, v, unit, approx, end-i)
	case p.any(end, "on", "from", "after", "today", "tomorrow"):
		if p.any(end, "on", "from", "after") {
			end++
		}
		s := p.relative(end)
		if s.n == 0 {
			s = p.weekday(end)
		}
		if s.n == 0 || unit != "week" && unit != "day" {
			return span{}
		}
		y, m, d = s.from.Date()
		return p.moved(y, m, d, v, unit, approx, end+s.n-i)
	}
	return span{}
}

// days matches an amount of a unit of days or more. A week or two and the like count as the first, approximately.
func (p *parser) days(j int) (v int, unit string, n int, approx bool) {
	v, k, approx := p.amount(j)
	if k == 0 {
		return 0, "", 0, false
	}
	if p.is(j+k, "and", "a", "half") {
		k, approx = k+3, true
	}
	switch p.w(j + k) {
	case "day", "days":
		unit = "day"
	case "week", "weeks":
		unit = "week"
	case "fortnight", "fortnights":
		v, unit = 2*v, "week"
	case "month", "months":
		unit, approx = "month", true
	case "year", "years":
		unit, approx = "year", true
	case "decade", "decades":
		v, unit, approx = 10*v, "year", true
	default:
		return 0, "", 0, false
	}
	k++
	if p.is(j+k, "or", "two") || p.is(j+k, "or", "so") {
		k, approx = k+2, true
	}
	if p.is(j+k, "and", "a", "half") {
		k, approx = k+3, true
	}
	return v, unit, k, approx
}

// moved returns the day that lies v units from another. Months that are too short end at their last day.
func (p *parser) moved(y int, m time.Month, d, v int, unit string, approx bool, n int) span {
	loc := p.base.Location()
	switch unit {
	case "day":
		d += v
	case "week":
		d += 7 * v
	case "month", "year":
		if unit == "year" {
			v *= 12
		}
		m += time.Month(v)
		d = min(d, daysIn(y, m))
	}
	return span{from: startOf(y, m, d, loc), to: startOf(y, m, d+1, loc), approx: approx, n: n}
}

func daysIn(y int, m time.Month) int { return time.Date(y, m+1, 0, 0, 0, 0, 0, time.UTC).Day() }
