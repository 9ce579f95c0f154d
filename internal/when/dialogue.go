package when

import (
	"slices"
	"strings"
	"time"

	"github.com/recallerhq/recaller/internal/speech"
)

// Said is one turn of a conversation.
type Said struct {
	Text   string
	At     time.Time // when it was said; its Location is the caller's zone
	Caller bool      // the caller said it, not the agent
}

// Dialogue returns the dates of each turn as FindWith does, read with the help of the turns before it: a day that was
// named settles later bare mentions of it ("the Tuesday slot is released"), "the evening before" and "that Monday"
// count from it, and an answer lies where its question asks. A time of day alone is put on the day that was named last;
// it stays without an exact day.
func Dialogue(turns []Said, opts Options) [][]Found { return dates(turns, opts, heldWords) }

// dates is Dialogue, with at most so many words held between the reading for the language and that for the dates.
func dates(turns []Said, opts Options, most int) [][]Found {
	var counted tally
	parsers := make([]*parser, 0, len(turns))
	words := 0
	for _, t := range turns {
		p := newParser(t.Text, t.At, opts)
		counted.add(p.tok)
		if words += len(p.tok); words <= most {
			parsers = append(parsers, p)
		}
	}
	c := talk{lang: counted.language()}
	out := make([][]Found, len(turns))
	for i, t := range turns {
		var p *parser
		if i < len(parsers) {
			p, parsers[i] = parsers[i], nil
		} else {
			p = newParser(t.Text, t.At, opts)
		}
		p.lang = c.lang
		c.evening = c.evening || p.speaksOf(evenings)
		p.evening = c.evening
		out[i] = slices.Clone(p.find()) // no larger than it is
		c.turn, c.caller = i, turns[i].Caller
		c.open(p)
		for k := range out[i] {
			c.settle(p, &out[i][k])
		}
		c.close(p)
	}
	return out
}

// heldWords is how many words of a conversation are held between its two readings, for its language and for its dates.
// More are read twice.
const heldWords = 20_000

// talk is what the turns so far have told.
type talk struct {
	turn    int
	caller  bool // the caller speaks
	lang    language
	evening bool
	named   []namedDay
	week    namedDay // a week that was spoken of; its Monday
	mood    mood     // in which the turn before ended
	asks    bool     // it asked for a time
	happens bool     // it spoke of what happened
	several bool     // it asked which days
	habit   bool     // it asked for days of a kind: "Saturdays or weekdays?"
	skipped [8]int   // by weekday: after which turn it was left without a day since a later one was named before it, from 1
	unclear [8]int   // by weekday: after which turn it was named last without a day, from 1
}

// namedDay is a day that was named in a turn.
type namedDay struct {
	day   time.Time
	turn  int
	token int // where it was named in its turn
	after int // the token after it
	fixed bool
	said  bool // by its weekday
	weeks bool // by its weekday and weeks: "a fortnight on Tuesday"
}

// Over so many turns what was named is still spoken of, and so many days are looked through.
const (
	lasting = 5
	kept    = 100
)

// settle settles a find by what was named before it, and remembers its day.
func (c *talk) settle(p *parser, f *Found) {
	switch {
	case f.Recurring:
		return
	case f.day.n == 0:
		if last, ok := c.last(lasting); ok && f.at.n > 0 && !p.behind(f.token) && !last.Before(p.day(0)) {
			f.on(last)
		}
		return
	case f.day.name.back != "":
		c.counted(p, f)
	case f.day.open && f.day.name.weekday > 0 && f.day.name.day > 0:
		n := f.day.name
		if m, ok := c.match(func(d namedDay) bool { return d.day.Day() == n.day && isoWeekday(d.day) == n.weekday }); ok {
			f.put(m.day)
		} else if day, ok := p.nearest(n.weekday, n.day, c.lean(p, f)); ok && !c.misread(p, n, day) {
			f.put(dayStart(day, p.base.Location()))
		}
	case f.day.fixed && f.day.name.weekday > 0 && f.day.name.day > 0:
		if c.misread(p, f.day.name, f.At) {
			f.unsettle()
			return
		}
		c.sameMonth(f)
	case f.day.name.weekday > 0 && f.day.name.day == 0 && !f.day.fixed:
		c.weekday(p, f)
	case f.day.name.day > 0 && f.day.name.month == 0 && f.day.name.weekday == 0 && !f.day.fixed:
		c.dayOfMonth(p, f)
	case f.Known() && !f.exact:
		if monday := f.At; f.Day && monday.Weekday() == time.Monday && daysBetween(monday, f.Until) == 7 {
			c.week = namedDay{day: monday, turn: c.turn}
		}
		return
	}
	if wd := f.day.name.weekday; wd > 0 && f.day.open {
		c.unclear[wd] = c.turn + 1
	}
	if f.Exact() && !f.Retracted {
		day := dayStart(f.At, p.base.Location())
		said := f.day.name.weekday > 0 || p.namesWeekday(f.token, f.after)
		weeks := said && p.namesWeek(f.token, f.after)
		c.named = append(c.named, namedDay{day: day, turn: c.turn, token: f.token, after: f.after, fixed: f.day.fixed, said: said, weeks: weeks})
		if p.is(f.token-2, "week", "of") || said && (p.w(f.token) == "next" || p.w(f.token+1) == "next") {
			c.week = namedDay{day: startOf(day.Year(), day.Month(), day.Day()+1-isoWeekday(day), day.Location()), turn: c.turn}
		}
	}
}

// put settles f on a day.
func (f *Found) put(day time.Time) {
	f.day.open, f.exact = false, true
	f.on(day)
}

// unsettle takes the day from f.
func (f *Found) unsettle() {
	f.At, f.Until, f.Day, f.exact, f.day.open = time.Time{}, time.Time{}, false, false, true
}

// last returns the day that was named last, in this turn or the n before.
func (c *talk) last(n int) (time.Time, bool) {
	if len(c.named) == 0 || c.named[len(c.named)-1].turn < c.turn-n {
		return time.Time{}, false
	}
	return c.named[len(c.named)-1].day, true
}

// match returns the day named last that fits.
func (c *talk) match(fits func(namedDay) bool) (namedDay, bool) {
	for k := len(c.named) - 1; k >= 0 && k > len(c.named)-kept; k-- {
		if fits(c.named[k]) {
			return c.named[k], true
		}
	}
	return namedDay{}, false
}

func (p *parser) namesWeekday(i, j int) bool {
	for ; i < j; i++ {
		if weekdays[p.w(i)] != 0 {
			return true
		}
	}
	return false
}

func (p *parser) namesWeek(i, j int) bool {
	for ; i < j; i++ {
		if p.any(i, "week", "weeks", "fortnight") {
			return true
		}
	}
	return false
}

// counted settles what counts from the day that was named last: "the evening before", "the Friday before", "that
// Monday".
func (c *talk) counted(p *parser, f *Found) {
	wd := f.day.name.weekday
	if wd > 0 && f.day.name.back == "same" {
		if m, ok := c.match(func(d namedDay) bool { return isoWeekday(d.day) == wd }); ok && c.unclear[wd] <= m.turn {
			f.put(m.day)
		}
		return
	}
	turns := 0 // "that day" is one of the same turn
	if wd > 0 {
		turns = 1
	}
	last, ok := c.last(turns)
	if !ok {
		return
	}
	step := map[string]int{"before": -1, "after": 1}[f.day.name.back] * max(1, f.day.name.count)
	if wd > 0 {
		for range 7 {
			if last = dayStart(last.AddDate(0, 0, step), last.Location()); isoWeekday(last) == wd {
				break
			}
		}
		step = 0
	}
	f.put(dayStart(last.AddDate(0, 0, step), last.Location()))
}

// misread reports whether a weekday and a number that do not fit near by are a slip of the tongue: near by a day of
// that number, or of that weekday, was named.
func (c *talk) misread(p *parser, n dayName, day time.Time) bool {
	today := p.day(0)
	if abs(daysBetween(today, day)) <= slip {
		return false
	}
	_, near := c.match(func(d namedDay) bool {
		return abs(daysBetween(today, d.day)) <= slip && (d.day.Day() == n.day || d.said && isoWeekday(d.day) == n.weekday)
	})
	return near
}

// slip is how many days away a day lies that may be a slip of the tongue.
const slip = 45

// sameMonth puts a weekday with its number into the month that was spoken of just before, if it fits there too.
func (c *talk) sameMonth(f *Found) {
	last, ok := c.last(2)
	if !ok || !last.After(f.At) {
		return
	}
	day := startOf(last.Year(), last.Month(), f.day.name.day, last.Location())
	switch {
	case isoWeekday(day) != f.day.name.weekday || day.Month() != last.Month() || day.Equal(f.At):
	case f.At.Before(day) && daysBetween(f.At, day) <= slip && day.After(last): // either may be meant
		f.unsettle()
	default:
		f.put(day)
	}
}

// weekday settles a bare weekday.
func (c *talk) weekday(p *parser, f *Found) {
	wd, today := f.day.name.weekday, p.day(0)
	lean := c.lean(p, f)
	m, ok := c.match(func(d namedDay) bool { return isoWeekday(d.day) == wd && d.said })
	coming := p.day((wd-isoWeekday(today)+6)%7 + 1)
	the := p.any(f.token, "the") || p.any(f.token-1, "the") || p.is(f.token, "on", "the") // the one that is spoken of
	if ago := c.turn - m.turn; ok && lean == ahead && m.day.After(coming) && !the && (ago > 1 || ago == 1 && c.caller && f.token > 4) {
		if ok = false; ago <= lasting {
			f.unsettle() // that one, or the coming one
			return
		}
	}
	switch {
	case (lean == ahead || the) && (!ok || m.day.Before(today)) && c.joined(p, f.token): // "Wednesday the twenty-first or Thursday"
		last, _ := c.last(0)
		f.put(dayStart(last.AddDate(0, 0, (wd-isoWeekday(last)+6)%7+1), last.Location()))
	case ok && (c.unclear[wd] > m.turn+1 || m.weeks && !the || the && m.day.After(today) && p.behind(f.token)):
		f.unsettle()
	case the && ok && c.turn-m.turn <= 2*lasting && (lean != ahead || !m.day.Before(today)):
		f.put(m.day)
	case c.habit && f.token < 3 && !ok, c.several && f.token < 3 && (p.any(f.token+1, "and") || p.any(f.token-1, "and")):
		f.unsettle()
	case f.day.name.next:
		if n := daysBetween(today, m.day); ok && n >= 7 && n < 14 && m.fixed {
			f.put(m.day)
		}
	case ok && lean == behind && m.day.After(today) && p.is(f.after, "got", "it"): // said back
		f.put(m.day)
	case ok && lean == behind && m.day.After(today) && c.turn-m.turn <= 2*lasting: // the last one, or the one that is spoken of
		f.unsettle()
	case ok && (lean != behind || !m.day.After(today)) && (lean != ahead || !m.day.Before(today)):
		f.put(m.day)
	case lean == ahead && c.week.turn >= c.turn-3 && !c.week.day.IsZero():
		if day := dayStart(c.week.day.AddDate(0, 0, wd-1), today.Location()); day.After(today) {
			f.put(day)
		} else {
			f.unsettle()
		}
	case lean == ahead && !ok && (c.passed(p, f.token, coming) || c.skipped[wd] > 0 && c.turn-c.skipped[wd] < lasting):
		c.skipped[wd] = c.turn + 1
		f.unsettle()
	case lean == ahead && c.farOff(today) && !p.any(f.token-1, "by", "bis"): // what is due by Friday is due before that day
		f.unsettle()
	case !f.day.open && lean == f.day.mood:
	case lean == ahead:
		f.put(coming)
	case lean == behind:
		f.put(p.day(-((isoWeekday(today)-wd+6)%7 + 1)))
	default:
		f.unsettle()
	}
}

// joined reports whether the day at token i follows the one that was named last as another of the same list.
func (c *talk) joined(p *parser, i int) bool {
	if last, ok := c.last(0); !ok || last.Before(p.day(1)) || !c.named[len(c.named)-1].said {
		return false
	}
	listed := false
	for k := c.named[len(c.named)-1].after; k < i; k++ {
		or := p.any(k, "or", "and", "oder", "und", "o", "y")
		if !or && !p.any(k, ",", "on", "the", "maybe", "even") {
			return false
		}
		listed = listed || or
	}
	return listed
}

// passed reports whether this sentence named a later day before token i: what follows may be the first such day after
// it.
func (c *talk) passed(p *parser, i int, coming time.Time) bool {
	last, ok := c.last(0)
	if !ok || !last.After(coming) || p.any(i-1, "not", "than", "of") {
		return false
	}
	for k := i - 1; k > c.named[len(c.named)-1].token; k-- {
		if p.sentenceEnd(k) {
			return false
		}
	}
	return true
}

// farOff reports whether a day of another week than this and the coming seven days was spoken of just now: a bare
// weekday may be meant of its week.
func (c *talk) farOff(today time.Time) bool {
	last, ok := c.last(2)
	return ok && daysBetween(today, last) > 7
}

// beside is how many days from the day that was named just before a number is surely of the same month.
const beside = 9

// dayOfMonth settles a day of the month that stands by its number: one like it that was named, or one beside the day
// that was named just before; where that lies in another month than the number by itself, and not beside it, it is not
// sure.
func (c *talk) dayOfMonth(p *parser, f *Found) {
	d, today := f.day.name.day, p.day(0)
	lean := c.lean(p, f)
	if m, ok := c.match(func(n namedDay) bool { return n.day.Day() == d }); ok &&
		(lean != behind || !m.day.After(today) || c.turn-m.turn <= lasting) && (lean != ahead || !m.day.Before(today)) {
		f.put(m.day)
		return
	}
	if p.any(f.token-1, "from") && !p.any(f.after, rangeWords...) { // "your bond from the eleventh"
		f.unsettle()
		return
	}
	if last, ok := c.last(2); ok && lean == ahead && daysBetween(today, last) > 0 && d <= daysIn(last.Year(), last.Month()) {
		day := startOf(last.Year(), last.Month(), d, last.Location())
		if own, n := f.At, daysBetween(last, day); f.day.open || !own.Equal(day) {
			if f.unsettle(); abs(n) <= beside {
				f.put(day)
			}
			return
		}
	}
	if !f.day.open || lean != ahead && lean != behind {
		return
	}
	step := 1
	if lean == behind {
		step = -1
	}
	for day, k := today, 0; k < 62; day, k = dayStart(day.AddDate(0, 0, step), today.Location()), k+1 {
		if day.Day() == d {
			f.put(day)
			return
		}
	}
}

// lean returns where a day lies: as its own clause tells, or what was said before it.
func (c *talk) lean(p *parser, f *Found) mood {
	own := f.day.mood
	switch {
	case own == ahead && f.token < 3 && c.asks && c.mood == behind:
		if f.day.weak {
			return behind
		}
		return torn
	case own != open || f.day.name.next:
		return own
	}
	p.mood(f.token, f.after)
	for k := f.token - 1; k >= 0 && k > f.token-4*reach; k-- {
		if m := p.marks[k].mood; m == ahead {
			return m
		} else if m != open {
			return torn
		}
	}
	switch {
	case c.mood == behind && c.asks && c.caller, c.mood == ahead && !c.happens:
		return c.mood
	}
	return open
}

// open looks for "that week", which is the one of the day that was named last.
func (c *talk) open(p *parser) {
	last, ok := c.last(1)
	for i := 0; ok && i < len(p.tok); i++ {
		if p.is(i, "that", "week") || p.is(i, "same", "week") {
			c.week = namedDay{day: startOf(last.Year(), last.Month(), last.Day()+1-isoWeekday(last), last.Location()), turn: c.turn}
		}
	}
}

// close remembers how a turn ended.
func (c *talk) close(p *parser) {
	p.mood(0, 0)
	if c.mood != ahead {
		c.mood = open
	}
	for k := len(p.tok) - 1; k >= 0; k-- {
		if m := p.marks[k].mood; m != open {
			c.mood = m
			break
		}
	}
	text := " " + strings.ToLower(p.text) + " "
	c.asks = strings.Contains(text, "?") || p.speaksOf(times)
	c.happens = p.speaksOf(events)
	c.habit = c.asks && p.speaksOf(manyDays)
	c.several = slices.ContainsFunc(whichDays, func(ask string) bool { return strings.Contains(text, ask) })
}

// whichDays ask for days of every week as much as for those of one.
var whichDays = []string{"what days", "which days", "welche tage", "welchen tagen", "qué días", "que dias", "quais dias"}

var (
	times  = speech.Set(`when since wann cuándo`)
	events = set("events")
)
