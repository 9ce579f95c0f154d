package when

import (
	"strings"
	"time"
)

// ahead matches an amount of days, weeks, months or years before or after a day: "in three days", "two weeks ago",
// "a week on Thursday", "two weeks from tomorrow".
func (p *parser) ahead(i int) span {
	j, in := i, p.any(i, "in", "within")
	if in {
		j++
	}
	if in && p.w(j) == "of" { // Spanish
		j++
	}
	if s := p.working(i, j); s.n > 0 {
		return s
	}
	if v, unit, n, approx := p.days(i + 1); n > 0 && p.w(i) == "ere" {
		s := p.moved(p.base, -v, unit, approx, n+1)
		s.loose = unit == "week"
		return s
	}
	v, unit, n, approx := p.days(j)
	if n == 0 {
		return span{}
	}
	end := j + n
	loosely := func(s span) span {
		s.loose = unit == "week" && !p.any(end-1, "fortnight", "fortnights")
		return s
	}
	switch {
	case p.any(end, "ago", "back") && in: // "I took part in a week ago": the "in" is another's
		return span{}
	case p.any(end, "ago", "back"):
		return loosely(p.moved(p.base, -v, unit, approx, end+1-i))
	case p.is(end, "from", "now"), p.is(end, "from", "today"):
		return p.moved(p.base, v, unit, approx, end+2-i)
	case in && p.any(end, "time"):
		return loosely(p.moved(p.base, v, unit, approx, end+1-i))
	case in && p.w(i) == "within":
		s := p.moved(p.base, v, unit, approx, end-i)
		s.loose = true
		return s
	case in && p.quoted(i):
		return span{open: true, n: end - i}
	case in:
		return loosely(p.moved(p.base, v, unit, approx, end-i))
	case unit == "week" || unit == "day":
		return p.fromDay(i, end, v, unit)
	}
	return span{}
}

// fromDay matches the day that so many units are counted from: "a week on Thursday", "two weeks from tomorrow". Of a
// weekday it is the coming one, also in a report.
func (p *parser) fromDay(i, end, v int, unit string) span {
	if !p.any(end, "on", "from", "after", "today", "tomorrow") && (weekdays[p.w(end)] == 0 || v > 2 || unit != "week") {
		return span{}
	}
	if p.any(end, "on", "from", "after") {
		end++
	}
	s, today := p.relative(end), isoWeekday(p.base)
	if wd := p.weekdayAt(end); s.n == 0 && wd != 0 && wd != today {
		s = p.dayspan((wd-today+6)%7+1, 1)
		if n := p.numbered(end, wd); n.n > 0 {
			s.n = n.n
		}
	}
	if s.n == 0 || s.open {
		return span{}
	}
	return p.moved(s.from, v, unit, s.approx, end+s.n-i)
}

// working matches "within five working days": the last of them, which fall on Monday to Friday.
func (p *parser) working(i, j int) span {
	v, n := p.cardinal(j)
	if n == 0 || v > 60 || p.w(i) != "within" || !p.any(j+n, "working", "business") || !p.any(j+n+1, "day", "days") {
		return span{}
	}
	offset := 0
	for v > 0 {
		offset++
		if isoWeekday(p.day(offset)) <= 5 {
			v--
		}
	}
	return p.dayspan(offset, j+n+2-i)
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
	switch unit = strings.TrimSuffix(p.w(j+k), "s"); unit {
	case "day", "week":
	case "fortnight":
		v, unit = 2*v, "week"
	case "month", "year":
		approx = true
	case "decade":
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
func (p *parser) moved(from time.Time, v int, unit string, approx bool, n int) span {
	y, m, d := from.Date()
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
	s := p.onDate(y, m, d, n)
	s.approx = approx
	return s
}
