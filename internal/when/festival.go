package when

import (
	"strings"
	"time"
)

// festival is a day that people name.
type festival struct {
	names string // words that stand one after the other, without their possessives; others after a "|"
	alone bool   // may stand without a leading preposition
	date  func(y int) (time.Month, int)
}

// festivals are by the first word of their name, the longer names first.
var festivals = func() map[string][]festival {
	out := map[string][]festival{}
	for _, f := range []festival{
		{"christmas eve|heiligabend|nochebuena", true, fixed(12, 24)},
		{"christmas day", true, fixed(12, 25)},
		{"boxing day", true, fixed(12, 26)},
		{"new year eve|new years eve|silvester|nochevieja", true, fixed(12, 31)},
		{"new year day|new years day", true, fixed(1, 1)},
		{"halloween", true, fixed(10, 31)},
		{"presidents day|president day", true, nth(2, 1, 3)},
		{"valentine day|valentines day", true, fixed(2, 14)},
		{"st patrick day", true, fixed(3, 17)},
		{"independence day", true, fixed(7, 4)},
		{"veterans day", true, fixed(11, 11)},
		{"canada day", true, fixed(7, 1)},
		{"thanksgiving day", true, nth(11, 4, 4)},
		{"mother day|mothers day", true, nth(5, 7, 2)},
		{"father day|fathers day", true, nth(6, 7, 3)},
		{"memorial day", true, nth(5, 1, 5)},
		{"labor day", true, nth(9, 1, 1)},
		{"martin luther king day", true, nth(1, 1, 3)},
		{"shrove tuesday", true, afterEaster(-47)},
		{"ash wednesday", true, afterEaster(-46)},
		{"palm sunday", true, afterEaster(-7)},
		{"maundy thursday|thursday santo|gründonnerstag", true, afterEaster(-3)},
		{"good friday|friday santo|karfreitag", true, afterEaster(-2)},
		{"easter saturday", true, afterEaster(-1)},
		{"ostersonntag|easter sunday", true, afterEaster(0)},
		{"ostermontag|easter monday", true, afterEaster(1)},
		{"easter tuesday", true, afterEaster(2)},
		{"himmelfahrt|ascension day", true, afterEaster(39)},
		{"whit sunday|pfingstsonntag", true, afterEaster(49)},
		{"whit monday|pfingstmontag", true, afterEaster(50)},
		{"christmas|xmas", false, fixed(12, 25)},
		{"new years|new year", false, fixed(1, 1)},
		{"valentine|valentines", false, fixed(2, 14)},
		{"thanksgiving", false, nth(11, 4, 4)},
		{"easter", false, afterEaster(0)},
	} {
		for name := range strings.SplitSeq(f.names, "|") {
			first, _, _ := strings.Cut(name, " ")
			out[first] = append(out[first], festival{name, f.alone, f.date})
		}
	}
	return out
}()

func fixed(m time.Month, d int) func(int) (time.Month, int) {
	return func(int) (time.Month, int) { return m, d }
}

func nth(m time.Month, wd, n int) func(int) (time.Month, int) {
	return func(y int) (time.Month, int) { return m, nthDay(y, m, wd, n) }
}

func afterEaster(days int) func(int) (time.Month, int) {
	return func(y int) (time.Month, int) {
		m, d := easter(y)
		t := time.Date(y, m, d+days, 0, 0, 0, 0, time.UTC)
		return t.Month(), t.Day()
	}
}

// easter returns Easter Sunday of the Gregorian calendar (the anonymous algorithm of 1876).
func easter(y int) (time.Month, int) {
	a, b, c := y%19, y/100, y%100
	h := (19*a + b - b/4 - (b-(b+8)/25+1)/3 + 15) % 30
	l := (32 + 2*(b%4) + 2*(c/4) - h - c%4) % 7
	m := (a + 11*h + 22*l) / 451
	n := h + l - 7*m + 114
	return time.Month(n / 31), n%31 + 1
}

// festival matches a feast day without a shift: the one ahead, or the one behind in a sentence that looks back.
func (p *parser) festival(i int) span {
	f, n := p.festivalAt(i)
	if n == 0 || !f.alone && !p.any(i-1, "at", "on", "for", "by", "before", "after", "over", "since", "until", "around") {
		return span{}
	}
	if i+n < len(p.tok) && p.tok[i+n].capital && p.tok[i].capital { // the name of something
		return span{}
	}
	if p.any(i+n, "tree", "trees", "gift", "gifts", "present", "presents", "card", "cards", "cookies", "resolution", "resolutions",
		"decorations", "weekend", "week", "season", "holiday", "holidays", "film", "bunny", "party", "shopping", "eggs", "music", "songs", "movie", "movies", "sale", "sales") {
		return span{}
	}
	if y, yn := p.year(i + n); yn > 0 {
		return p.festivalIn(f, y, n+yn)
	}
	s := p.festivalNear(f, i, n)
	s.loose = p.any(i-1, "before", "after", "over", "since", "until", "around", "by", "for")
	return s
}

// festivalNear returns the feast that a clause means, or else the nearest.
func (p *parser) festivalNear(f festival, i, n int) span {
	now, lean := p.day(0), p.mood(i, i+n)
	var next, last span
	for y := p.base.Year() - 1; y <= p.base.Year()+1; y++ {
		s := p.festivalIn(f, y, n)
		if s.from.Before(now) {
			last = s
		} else if next.n == 0 {
			next = s
		}
	}
	to, since := daysBetween(now, next.from), daysBetween(last.from, now)
	switch {
	case lean == ahead, lean != behind && to <= near && since >= 2*near, lean == open && to <= near:
		return next
	case lean == behind && (since < far || to > near/2):
		return last
	}
	return span{open: true, n: n}
}

func (p *parser) festivalIn(f festival, y, n int) span {
	m, d := p.feast(f)(y)
	return p.onDate(y, m, d, n)
}

func (p *parser) festivalAt(i int) (f festival, n int) {
	for _, f := range festivals[p.w(i)] {
		if words := strings.Fields(f.names); p.is(i, words...) {
			return f, len(words)
		}
	}
	return festival{}, 0
}

// feast returns the day of a festival by year, where the caller lives.
func (p *parser) feast(f festival) func(int) (time.Month, int) {
	zone := p.base.Location().String()
	switch first, _, _ := strings.Cut(f.names, " "); {
	case first == "thanksgiving" && canada[zone]:
		return nth(10, 1, 2)
	case (first == "mother" || first == "mothers") && (zone == "Europe/London" || zone == "Europe/Dublin"):
		return afterEaster(-21)
	case (first == "father" || first == "fathers") && (strings.HasPrefix(zone, "Australia/") || zone == "Pacific/Auckland"):
		return nth(9, 7, 1)
	}
	return f.date
}

// canada are the zones of Canada.
var canada = func() map[string]bool {
	out := map[string]bool{}
	for _, city := range strings.Fields("Toronto Vancouver Montreal Halifax Winnipeg Edmonton Regina St_Johns Moncton Iqaluit Whitehorse Yellowknife") {
		out["America/"+city] = true
	}
	return out
}()

// shiftedName returns the month, season or feast of "last March", "next summer", "this Christmas".
func (p *parser) shiftedName(j, k int) span {
	y, now := p.base.Year(), p.day(0)
	if m := p.month(j); m != 0 && p.any(j, "may", "march") && p.w(j-1) == "this" && !p.tok[j].capital {
		return span{}
	}
	pick := func(of func(y int) span) span {
		s := of(y - 1)
		switch {
		case k < 0: // the latest that is over
			for t := of(y); t.n > 0 && !t.to.After(now); t = of(t.from.Year() + 1) {
				s = t
			}
			if !s.to.After(now) {
				return s
			}
			return of(y - 2)
		case k > 0: // the first that has not begun
			for s = of(y); !s.from.After(now); {
				s = of(s.from.Year() + 1)
			}
			return s
		}
		if s.to.After(now) {
			return s
		}
		if s = of(y); s.to.After(now) || p.behind(j) {
			return s
		}
		return of(y + 1)
	}
	if m := p.month(j); m != 0 {
		return pick(func(y int) span { return p.wholeMonths(y, m, 1, 1) })
	}
	if m, ok := seasons[p.w(j)]; ok {
		return pick(func(y int) span { return p.wholeMonths(y, m, 3, 1) })
	}
	if f, n := p.festivalAt(j); n > 0 {
		return pick(func(y int) span { return p.festivalIn(f, y, n) })
	}
	return span{}
}
