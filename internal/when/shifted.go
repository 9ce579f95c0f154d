package when

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
		if k := p.shiftedDay(j+1, 0); k.n > 0 {
			return p.sized(k, j+1+k.n-i)
		}
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
	case "past":
		if weekdays[p.w(j+1)] != 0 && j == i { // "I can't keep it past Sunday"
			return span{}
		}
		k = -1
	case "last", "previous":
		k = -1
	default:
		return span{}
	}
	j++
	s := p.unit(p.w(j), k)
	if wd := weekdays[p.w(j)]; coming && wd != 0 {
		s = p.dayspan((wd-isoWeekday(p.base)+6)%7+1, 1)
	}
	if s.n > 0 && coming && weekdays[p.w(j)] == 0 {
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
	s := p.moved(p.base, -v, unit, true, j+1+n-i)
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
	s := span{open: true, name: dayName{weekday: wd, next: k > 0}, n: 1}
	if p.weekOff(j, wd).n > 1 {
		return p.weekOff(j, wd)
	}
	coming, past := (wd-today+6)%7+1, -((today-wd+6)%7 + 1)
	lean := p.opts.Lean.mood()
	switch {
	case k > 0 && (wd > today || today == 7 && wd != 7 || coming <= 2):
	case k > 0:
		return p.dayspan(wd-today+7, 1)
	case k < 0 && (wd >= today || lean == behind):
		return p.dayspan(past, 1)
	case k < 0:
	case wd > today:
		return p.dayspan(coming, 1)
	case wd < today && p.mood(j, j+1) == ahead:
		return p.dayspan(coming, 1)
	case wd < today && p.mood(j, j+1) == behind:
		return p.dayspan(past, 1)
	}
	return s
}
