package when

import (
	"strings"
	"time"
)

// festivals are the days that people name. Words of a name stand one after the other; possessives are cut.
var festivals = []struct {
	words []string
	alone bool // may stand without a leading preposition
	date  func(y int) (time.Month, int)
}{
	{[]string{"christmas", "eve"}, true, fixed(12, 24)},
	{[]string{"christmas", "day"}, true, fixed(12, 25)},
	{[]string{"christmas"}, false, fixed(12, 25)},
	{[]string{"xmas"}, false, fixed(12, 25)},
	{[]string{"boxing", "day"}, true, fixed(12, 26)},
	{[]string{"new", "year", "eve"}, true, fixed(12, 31)},
	{[]string{"new", "years", "eve"}, true, fixed(12, 31)},
	{[]string{"new", "year", "day"}, true, fixed(1, 1)},
	{[]string{"new", "years", "day"}, true, fixed(1, 1)},
	{[]string{"new", "years"}, false, fixed(1, 1)},
	{[]string{"new", "year"}, false, fixed(1, 1)},
	{[]string{"halloween"}, true, fixed(10, 31)},
	{[]string{"heiligabend"}, true, fixed(12, 24)},
	{[]string{"nochebuena"}, true, fixed(12, 24)},
	{[]string{"silvester"}, true, fixed(12, 31)},
	{[]string{"nochevieja"}, true, fixed(12, 31)},
	{[]string{"presidents", "day"}, true, nth(2, 1, 3)},
	{[]string{"president", "day"}, true, nth(2, 1, 3)},
	{[]string{"valentine", "day"}, true, fixed(2, 14)},
	{[]string{"valentines", "day"}, true, fixed(2, 14)},
	{[]string{"valentine"}, false, fixed(2, 14)},
	{[]string{"valentines"}, false, fixed(2, 14)},
	{[]string{"st", "patrick", "day"}, true, fixed(3, 17)},
	{[]string{"independence", "day"}, true, fixed(7, 4)},
	{[]string{"veterans", "day"}, true, fixed(11, 11)},
	{[]string{"canada", "day"}, true, fixed(7, 1)},
	{[]string{"thanksgiving", "day"}, true, nth(11, 4, 4)},
	{[]string{"thanksgiving"}, false, nth(11, 4, 4)},
	{[]string{"mother", "day"}, true, nth(5, 7, 2)},
	{[]string{"mothers", "day"}, true, nth(5, 7, 2)},
	{[]string{"father", "day"}, true, nth(6, 7, 3)},
	{[]string{"fathers", "day"}, true, nth(6, 7, 3)},
	{[]string{"memorial", "day"}, true, nth(5, 1, 5)},
	{[]string{"labor", "day"}, true, nth(9, 1, 1)},
	{[]string{"martin", "luther", "king", "day"}, true, nth(1, 1, 3)},
	{[]string{"shrove", "tuesday"}, true, afterEaster(-47)},
	{[]string{"ash", "wednesday"}, true, afterEaster(-46)},
	{[]string{"palm", "sunday"}, true, afterEaster(-7)},
	{[]string{"maundy", "thursday"}, true, afterEaster(-3)},
	{[]string{"thursday", "santo"}, true, afterEaster(-3)},
	{[]string{"gründonnerstag"}, true, afterEaster(-3)},
	{[]string{"good", "friday"}, true, afterEaster(-2)},
	{[]string{"friday", "santo"}, true, afterEaster(-2)},
	{[]string{"karfreitag"}, true, afterEaster(-2)},
	{[]string{"easter", "saturday"}, true, afterEaster(-1)},
	{[]string{"ostersonntag"}, true, afterEaster(0)},
	{[]string{"ostermontag"}, true, afterEaster(1)},
	{[]string{"easter", "tuesday"}, true, afterEaster(2)},
	{[]string{"himmelfahrt"}, true, afterEaster(39)},
	{[]string{"ascension", "day"}, true, afterEaster(39)},
	{[]string{"whit", "sunday"}, true, afterEaster(49)},
	{[]string{"whit", "monday"}, true, afterEaster(50)},
	{[]string{"pfingstsonntag"}, true, afterEaster(49)},
	{[]string{"pfingstmontag"}, true, afterEaster(50)},
	{[]string{"easter", "sunday"}, true, afterEaster(0)},
	{[]string{"easter", "monday"}, true, afterEaster(1)},
	{[]string{"easter"}, false, afterEaster(0)},
}

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
	k, n := p.festivalAt(i)
	if n == 0 || !festivals[k].alone && !p.any(i-1, "at", "on", "for", "by", "before", "after", "over", "since", "until", "around") {
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
		return p.festivalIn(k, y, n+yn)
	}
	s := p.festivalNear(k, i, n)
	s.loose = p.any(i-1, "before", "after", "over", "since", "until", "around", "by", "for")
	return s
}

// festivalNear returns the feast that a clause means, or else the nearest.
func (p *parser) festivalNear(k, i, n int) span {
	now, lean := p.day(0), p.mood(i, i+n)
	var next, last span
	for y := p.base.Year() - 1; y <= p.base.Year()+1; y++ {
		s := p.festivalIn(k, y, n)
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

func (p *parser) festivalIn(k, y, n int) span {
	m, d := p.feast(k)(y)
	loc := p.base.Location()
	return span{from: startOf(y, m, d, loc), to: startOf(y, m, d+1, loc), n: n, fixed: true}
}

func (p *parser) festivalAt(i int) (k, n int) {
	if !feasts[p.w(i)] {
		return 0, 0
	}
	for k, f := range festivals {
		if p.is(i, f.words...) {
			return k, len(f.words)
		}
	}
	return 0, 0
}

// feast returns the day of a festival by year, where the caller lives.
func (p *parser) feast(k int) func(int) (time.Month, int) {
	zone := p.base.Location().String()
	switch first := festivals[k].words[0]; {
	case first == "thanksgiving" && canada[zone]:
		return nth(10, 1, 2)
	case (first == "mother" || first == "mothers") && (zone == "Europe/London" || zone == "Europe/Dublin"):
		return afterEaster(-21)
	case (first == "father" || first == "fathers") && (strings.HasPrefix(zone, "Australia/") || zone == "Pacific/Auckland"):
		return nth(9, 7, 1)
	}
	return festivals[k].date
}

// canada are the zones of Canada.
var canada = func() map[string]bool {
	out := map[string]bool{}
	for _, city := range strings.Fields("Toronto Vancouver Montreal Halifax Winnipeg Edmonton Regina St_Johns Moncton Iqaluit Whitehorse Yellowknife") {
		out["America/"+city] = true
	}
	return out
}()

// feasts are the words that begin a festival's name.
var feasts = func() map[string]bool {
	out := map[string]bool{}
	for _, f := range festivals {
		out[f.words[0]] = true
	}
	return out
}()

// shiftedName returns the month, season or feast of "last March", "next summer", "this Christmas".
func (p *parser) shiftedName(j, k int) span {
	loc, y := p.base.Location(), p.base.Year()
	now := p.day(0)
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
		return pick(func(y int) span {
			return span{from: startOf(y, m, 1, loc), to: startOf(y, m+1, 1, loc), approx: true, n: 1}
		})
	}
	if m, ok := seasons[p.w(j)]; ok {
		return pick(func(y int) span { return p.seasonOf(y, m, 1) })
	}
	if f, n := p.festivalAt(j); n > 0 {
		return pick(func(y int) span { return p.festivalIn(f, y, n) })
	}
	return span{}
}
