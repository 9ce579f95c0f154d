package when

import "time"

// ranges takes the days of a stretch of weekdays for unknown: "Monday to Wednesday" are somebody's shifts or opening
// hours as often as the days of one week, and the words do not tell which.
func (p *parser) ranges(found []Found) {
	for k := 0; k+1 < len(found); k++ {
		f, g := &found[k], &found[k+1]
		if f.day.bare() && g.day.bare() && !f.Clock && p.joins(f.after, g.token) && !p.movesDay(g.token) {
			f.forget()
			g.forget()
		}
	}
}

// bare reports whether a span is a weekday by its name alone.
func (s span) bare() bool {
	return s.name == dayName{weekday: s.name.weekday} && s.name.weekday != 0 && !s.fixed
}

// joins reports whether only a word between two days makes a stretch of them. Spanish and Portuguese "a" begins the
// second one.
func (p *parser) joins(from, to int) bool {
	switch to - from {
	case 0:
		return p.said != nil && p.said[to] == "a"
	case 1:
		return p.any(from, rangeWords...)
	}
	return false
}

// forget leaves the phrase as one whose day is not known.
func (f *Found) forget() {
	f.At, f.Until, f.exact = time.Time{}, time.Time{}, false
	f.day = span{open: true, n: f.day.n}
}
