package when

import (
	"time"

	"github.com/recallerhq/recaller/internal/speech"
)

// dayName is what a phrase says of its day: enough for an earlier or later mention to settle it.
type dayName struct {
	weekday int // from Monday, 1; 0 for none
	day     int // of the month
	month   time.Month
	back    string // "before", "after", "same": it counts from the day that was named last
	count   int    // so many days before or after it, where that is not one
	next    bool   // "next Thursday", where people mean different days
}

// weekday matches a weekday, with what says which one if that follows: "Tuesday", "Tuesday, 24 November", "Tuesday the
// tenth", "Thursday week", "Thursday of next week".
func (p *parser) weekday(i int) span {
	wd := p.weekdayAt(i)
	if wd == 0 {
		return span{}
	}
	for _, match := range [...]func(i, wd int) span{p.numbered, p.weekOff, p.equated} {
		if s := match(i, wd); s.n > 0 {
			return s
		}
	}
	return p.bareWeekday(i, wd)
}

// weekdayAt returns the weekday that the word at i names, 0 where it is a name of something else or any such day.
func (p *parser) weekdayAt(i int) int {
	wd := weekdays[p.w(i)]
	workdays := wd == 1 && p.any(i+1, "to", "through") && weekdays[p.w(i+2)] >= 5 || wd >= 5 && p.any(i-1, "to", "through") && p.w(i-2) == "monday"
	if workdays && !p.movesDay(i) || p.any(i-2, "a", "an") && kinds[p.w(i-1)] || ordinals[p.w(i-1)] > 0 && ordinals[p.w(i-1)] < 5 {
		return 0
	}
	if p.namesSomebody(i) || p.any(i-1, "some") || p.any(i+1, "santo") {
		return 0
	}
	if p.any(i-1, "a", "any", "black", "cyber", "palm", "ash", "maundy", "shrove", "holy", "giving", "super", "ruby", "man", "friend", "called",
		"most", "good", "god", "easter", "both") || p.any(i+1, "times", "roast", "roasts", "paper", "papers", "blues", "feeling", "league", "best", "addams") {
		return 0
	}
	if wd == 0 && i < len(p.tok) && (p.tok[i].capital || p.w(i-1) == "on") && p.lang == english {
		wd = shortWeekdays[p.w(i)]
		if wd != 0 && p.any(i, "sun", "sat", "wed") && p.w(i-1) != "on" && !(p.w(i+1) == "," && p.numberOrMonth(i+2)) {
			wd = 0
		}
	}
	return wd
}

// namesSomebody reports whether the weekday at i is somebody's name: "Mr Friday", "his name's Sunday".
func (p *parser) namesSomebody(i int) bool {
	doctor := p.any(i-1, "dr", "doctor") && p.tok[i-1].capital && p.clock(i+1).n == 0 && p.w(i+1) != "at"
	return doctor || p.any(i-1, "mr", "mrs", "ms", "herr", "frau", "señor", "señora", "name", "surname") || p.is(i-2, "mr", ".") ||
		p.w(i-1) == "is" && p.any(i-2, "name", "surname") || p.any(i+2, "apellido")
}

func (p *parser) numberOrMonth(i int) bool {
	return i < len(p.tok) && (p.tok[i].kind == number || p.tok[i].ordinal || ordinals[p.w(i)] > 0 || p.month(i) != 0)
}

// kinds are words of a day of some kind: "a busy Sunday".
var kinds = set("kinds")

// numbered matches a weekday with its date: of the month alone ("Tuesday the tenth") the nearest that is such a day.
func (p *parser) numbered(i, wd int) span {
	j := i + 1
	for p.any(j, ",", ".", "…", "the", "on", "uh", "um", "er") {
		j++
	}
	if s := p.dayOfMonth(j); s.n > 0 {
		return p.ofWeekday(s, wd, j, i)
	}
	if s := p.numeric(j); s.n > 0 && !s.open && isoWeekday(s.from) == wd {
		return p.sized(s, j+s.n-i)
	}
	d, n := p.ordinal(j)
	if n == 0 && p.lang == spanish && j == i+1 {
		d, n = p.cardinal(j)
	}
	if n == 0 || d < 1 || d > 31 || d <= 3 && p.w(j-1) != "the" || j > i+1 && p.w(j-1) != "the" && p.w(j-1) != "," {
		return span{}
	}
	return p.onWeekday(wd, d, p.mood(i, j+n), j+n-i)
}

// ofWeekday settles on a date that was said with its weekday: where they do not fit in a year near by, which was meant
// is not known.
func (p *parser) ofWeekday(s span, wd, j, i int) span {
	n := j + s.n - i
	if !s.open && isoWeekday(s.from) == wd {
		return p.sized(s, n)
	}
	m, d := s.name.month, s.name.day
	if !s.open {
		_, m, d = s.from.Date()
		if p.w(j+s.n-1) != "" && p.tok[j+s.n-1].digits == 4 {
			return span{open: true, n: n}
		}
	}
	for _, y := range [...]int{p.base.Year(), p.base.Year() + 1, p.base.Year() - 1} {
		at := time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
		if m > 0 && at.Day() == d && isoWeekday(at) == wd && abs(daysBetween(p.base, at)) <= 240 {
			return p.onDate(y, m, d, n)
		}
	}
	return span{open: true, n: n}
}

func abs(n int) int { return max(n, -n) }

func dayStart(t time.Time, loc *time.Location) time.Time {
	y, m, d := t.Date()
	return startOf(y, m, d, loc)
}

// nearest returns the day d of a month that is such a weekday and lies nearest, in the direction of the mood where that
// is not much farther.
func (p *parser) nearest(wd, d int, lean mood) (time.Time, bool) {
	y, m, _ := p.base.Date()
	var next, last time.Time
	for k := range 15 {
		if at := time.Date(y, m+time.Month(k), d, 0, 0, 0, 0, time.UTC); next.IsZero() && at.Day() == d && isoWeekday(at) == wd && daysBetween(p.base, at) >= 0 {
			next = at
		}
		if at := time.Date(y, m-time.Month(k), d, 0, 0, 0, 0, time.UTC); last.IsZero() && at.Day() == d && isoWeekday(at) == wd && daysBetween(p.base, at) <= 0 {
			last = at
		}
	}
	to, since := 999, 999
	if !next.IsZero() {
		to = daysBetween(p.base, next)
	}
	if !last.IsZero() {
		since = -daysBetween(p.base, last)
	}
	switch {
	case to <= near/2 && (since > near/2 || lean == ahead || since > 3*to && lean != behind):
		return next, true
	case since <= near/2 && (to > near/2 || lean == behind):
		return last, true
	case lean == ahead && to <= 2*near:
		return next, true
	}
	return next, false
}

// weekOff matches a weekday of another week: "Thursday week", "Thursday of next week", "Tuesday last week", "the
// Wednesday two weeks ago".
func (p *parser) weekOff(i, wd int) span {
	today := isoWeekday(p.base)
	coming := (wd-today+6)%7 + 1
	j := i + 1
	if p.any(j, "of", "in") {
		j++
	}
	switch {
	case p.is(i+1, "of", "the", "week", "last"): // Spanish
		return p.dayspan(wd-today-7, 5)
	case p.is(i+1, "of", "the", "week", "next"), p.is(i+1, "of", "the", "next", "week"):
		return p.dayspan(wd-today+7, 5)
	case p.is(i+1, "week", "ago"):
		return p.dayspan(coming-14, 3)
	case p.w(i+1) == "gone", p.is(i+1, "just", "gone"):
		n := 2
		if p.w(i+1) == "just" {
			n = 3
		}
		return p.dayspan(-((today-wd+6)%7 + 1), n)
	case p.w(i+1) == "week" && !p.tok[i].owner && wd != today:
		return p.dayspan(coming+7, 2)
	case p.is(i+1, "in", "a", "week"), p.is(i+1, "in", "1", "week"):
		return p.dayspan(coming+7, 4)
	case p.is(i+1, "after", "next"):
		return span{open: true, n: 3}
	case p.is(j, "next", "week"):
		return p.dayspan(wd-today+7, j+2-i)
	case p.is(j, "last", "week"), p.is(j, "last", "weekend") && wd > 5:
		return p.dayspan(wd-today-7, j+2-i)
	case p.any(i+1, "and", "or") && weekdays[p.w(i+2)] != 0 && p.is(i+3, "of", "next", "week"):
		return p.dayspan(wd-today+7, 1)
	case p.is(j, "this", "week"):
		return p.dayspan(wd-today, j+2-i)
	case p.is(i+1, "after", "that"), p.is(i+1, "before", "that"):
		return span{open: true, name: dayName{weekday: wd, back: p.w(i + 1)}, n: 3}
	case p.any(i+1, "before", "after") && p.festivalStands(i+2):
		return p.besideFestival(i, wd)
	case p.any(i+1, "before", "after") && p.w(i-1) == "the" && p.any(i+2, "the", "my", "our", "his", "her", "their", "your", "we", "i", "that"):
		return span{open: true, n: 2}
	case p.any(i+1, "before", "after") && p.w(i-1) == "the" && (p.ends(i+2) || boundaries[p.w(i+2)] || p.w(i+2) == "at" && p.clock(i+2).n > 0):
		return span{open: true, name: dayName{weekday: wd, back: p.w(i + 1)}, n: 2}
	}
	if v, unit, n, approx := p.days(i + 1); n > 0 && p.any(i+1+n, "ago", "back") {
		s := p.moved(p.base, -v, unit, approx, n+1)
		return p.moved(s.from, wd-isoWeekday(s.from), "day", s.approx, s.n+1)
	}
	return span{}
}

func (p *parser) festivalStands(i int) bool {
	_, n := p.festivalAt(i)
	return n > 0
}

// besideFestival matches "Tuesday before Thanksgiving", "Sunday after Christmas".
func (p *parser) besideFestival(i, wd int) span {
	k, n := p.festivalAt(i + 2)
	s := p.festivalNear(k, i+2, n)
	if s.open {
		return p.sized(s, 2+n)
	}
	day, step := s.from, 1
	if p.w(i+1) == "before" {
		step = -1
	}
	for range 7 {
		if day = day.AddDate(0, 0, step); isoWeekday(day) == wd {
			break
		}
	}
	return span{from: day, to: day.AddDate(0, 0, 1), n: 2 + n, fixed: true}
}

// equated matches "it's Wednesday", which names the present day, if it is one.
func (p *parser) equated(i, wd int) span {
	said := p.any(i-1, "it", "today") && p.tok[i-1].owner || p.w(i-1) == "its" || p.any(i-1, "is") && p.any(i-2, "today", "it") || p.is(i-2, "is", "now") ||
		i > 1 && p.lang != english && (equals[p.said[i-1]] && (p.w(i-2) == "today" || p.said[i-2] == "jetzt") || equals[p.said[i-2]] && p.w(i-1) == "today")
	if !said || p.clock(i+1).n > 0 {
		return span{}
	}
	if wd == isoWeekday(p.base) {
		return p.dayspan(0, 1)
	}
	return span{open: true, name: dayName{weekday: wd}, mood: torn, n: 1}
}

// equals says in German and Spanish that a day is one.
var equals = speech.Set(`ist es`)

// sameDay reports whether the weekday at i is the day that was named right before it: "yesterday, Friday".
func (p *parser) sameDay(i, wd int) bool {
	behind := p.lastEnd == i || p.lastEnd == i-1 && p.w(i-1) == ","
	return p.last.n > 0 && behind && p.last.fixed && p.last.single() && isoWeekday(p.last.from) == wd
}

// bareWeekday settles a weekday by its clause.
func (p *parser) bareWeekday(i, wd int) span {
	today := isoWeekday(p.base)
	s := span{open: true, name: dayName{weekday: wd}, n: 1}
	coming, past := (wd-today+6)%7+1, -((today-wd+6)%7 + 1)
	if p.sameDay(i, wd) {
		return span{from: p.last.from, to: p.last.to, n: 1, fixed: true}
	}
	if gap := i - p.lastEnd; p.last.n > 0 && gap < 3 && (gap == 0 || p.any(i-1, "on", ",") && (gap == 1 || p.any(i-2, ","))) && !p.last.open {
		if p.last.approx && isoWeekday(p.last.from) == 1 && daysBetween(p.last.from, p.last.to) == 7 { // "last week, on Tuesday"
			s = p.dayNamed(s, daysBetween(p.base, p.last.from)+wd-1)
			s.fixed = true
			return s
		}
		if p.last.approx || p.last.loose { // "two weeks ago on Sunday"
			s.mood = torn
			return s
		}
	}
	if p.w(i-1) == "following" {
		s.mood = torn
		return s
	}
	if p.w(i-1) == "that" && !p.tok[i-1].owner {
		s.name.back, s.mood = "same", torn
		return s
	}
	s.mood, s.weak = p.moodOf(i, i+1)
	if s.mood == behind && wd == today && !p.any(i-1, "on", "last") || s.mood != open && p.toldTo(i) { // today's, or the last one? "He told me Friday": on it, or of it?
		s.mood = torn
	}
	if p.any(i+1, "is", "are") && habits[p.w(i+2)] { // "Saturday is always busy"
		return span{open: true, n: 1}
	}
	if p.w(i-1) == "the" && p.lang == english && p.standsAlone(i+1) && s.mood != open || s.mood == behind && p.topic(i) { // "the Monday" counts from what was said before
		s.mood = torn
	}
	if !p.standsAlone(i+1) && p.lang == english && p.w(i-1) != "on" && (s.mood == behind && owners[p.w(i-1)] || !slot(p.w(i+1)) && !slot(p.w(i+2))) {
		s.mood = torn // "I missed my Tuesday class", "the Sunday paper": what belongs to such a day
	}
	to := p.weekdayAfter(i + 1)
	switch {
	case p.reaches(i) && p.last.name.weekday > 0 && !p.last.open && !p.movesDay(i):
		first := daysBetween(p.base, p.last.from)
		return p.dayNamed(s, first+(wd-p.last.name.weekday+6)%7+1)
	case s.mood == ahead:
		return p.dayNamed(s, coming)
	case s.mood == behind && to > 0 && !p.movesDay(i):
		last := -((today-to+6)%7 + 1)
		return p.dayNamed(s, last-((to-wd+6)%7+1))
	case s.mood == behind:
		return p.dayNamed(s, past)
	}
	return s
}

// toldTo reports whether somebody told somebody what begins with the weekday at i, or told it on that day.
func (p *parser) toldTo(i int) bool {
	return p.any(i-1, "me", "us", "him", "her", "them") && p.any(i-2, "tell", "tells", "told")
}

// topic reports whether a weekday at i is what a message was of: "she left a message about Thursday".
func (p *parser) topic(i int) bool {
	return p.any(i-1, "about", "regarding", "concerning", "re") || p.any(i-1, "the", "my", "our") && p.any(i-2, "about", "regarding", "concerning", "re")
}

var owners = speech.Set(`the my your our his her their`)

// slot reports whether a word is of what is held on one day: "the Tuesday slot".
func slot(w string) bool {
	return bookings[w] || slots[w]
}

var slots = set("slots")

// standsAlone reports whether what follows at j is no noun that a weekday could belong to.
func (p *parser) standsAlone(j int) bool {
	return p.ends(j) || boundaries[p.w(j)] || starters[p.w(j)] || subjectPronouns[p.w(j)] || fillers[p.w(j)] || parts[p.w(j)] || p.marks[j].mood != open
}

var parts = speech.Set(`morning afternoon evening night lunchtime mornin evenin arvo noon first last at around early late`)

var fillers = set("fillers")

// weekdayAfter returns the weekday up to which a range goes on at j, 0 for none.
func (p *parser) weekdayAfter(j int) int {
	if !p.any(j, rangeWords...) {
		return 0
	}
	j++
	if p.w(j) == "the" {
		j++
	}
	return weekdays[p.w(j)]
}

var rangeWords = []string{"to", "through", "thru", "until", "till", "til", "-"}

// reaches reports whether the word at i ends a range whose first day was found just before.
func (p *parser) reaches(i int) bool {
	return p.lastEnd > 0 && (p.lastEnd == i-1 || p.lastEnd == i-2 && p.w(i-1) == "the") && (p.any(p.lastEnd, rangeWords...) || p.w(p.lastEnd) == "and" && p.between)
}

// movesDay reports whether the clause moves something from one day to another, so that its days make no range.
func (p *parser) movesDay(i int) bool {
	for k := i - 1; k >= 0 && k > i-12 && !p.sentenceEnd(k); k-- {
		if p.any(k, "move", "moved", "moving", "push", "pushed", "change", "changed", "switch", "switched", "swap", "swapped", "shift", "shifted",
			"reschedule", "rescheduled", "bring", "bumped", "bump", "postpone", "postponed", "instead") {
			return true
		}
	}
	return false
}

// dayNamed settles an open span on the day that is so many from today.
func (p *parser) dayNamed(s span, offset int) span {
	s.open, s.from, s.to = false, p.day(offset), p.day(offset+1)
	return s
}
