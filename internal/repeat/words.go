package repeat

import (
	"slices"
	"strings"
	"time"

	"github.com/teambition/rrule-go"

	"github.com/recallerhq/recaller/internal/when"
)

// group is one repetition. "Every Monday and every other Thursday" has two.
type group struct {
	unit   *cycle // day, week, month, year or hour
	count  int    // every so many; 0: one
	days   []rrule.Weekday
	joined bool // "and" stands before its days
}

// reading is the words as far as they were read.
type reading struct {
	words     []word
	now       time.Time
	groups    []group
	repeats   bool
	pending   []int // ordinals that wait for what they count
	bare      bool  // one of them stands after "every" and is a word, not a number
	nths      []rrule.Weekday
	pos       int // which weekday of a month: the last, the first
	monthDays []int
	months    []time.Month
	without   []rrule.Weekday
	part      string
	until     time.Time // the last moment, if a day was given
	lasts     *cycle    // for so long
	skipped   []word    // fillers, until it is clear what they belong to
	rest      []string  // of the clock
}

// words reads a repetition from words. What it does not read of them must be one time of day.
func words(text string, now time.Time) (*reading, error) {
	r := &reading{words: lex(text), now: now}
	for i := 0; i < len(r.words); {
		n, err := r.step(i)
		if err != nil {
			return r, err
		}
		i += n
	}
	if n := len(r.rest); n > 0 && r.words[len(r.words)-1].raw != r.rest[n-1] {
		for _, w := range r.skipped {
			r.rest = append(r.rest, w.raw)
		}
	}
	return r, nil
}

// tells reports whether any word says that it repeats.
func tells(words []word) bool {
	return slices.ContainsFunc(words, func(w word) bool { return w.is(every) || w.is(unclear) || w.alone })
}

// at returns the word at a place; beyond the end the zero word.
func (r *reading) at(i int) word {
	if i < 0 || i >= len(r.words) {
		return word{}
	}
	return r.words[i]
}

// past returns the next place from i on that is no filler.
func (r *reading) past(i int) int {
	for i < len(r.words) && r.words[i].is(filler) {
		i++
	}
	return i
}

// step reads what begins at a word, and returns how many words that is.
func (r *reading) step(i int) (n int, err error) {
	w := r.at(i)
	switch next := r.at(i + 1); {
	case w.is(times) &&
		(tells(r.words) || r.at(r.past(i+1)).unit != nil || r.at(r.past(i+1)).is(per) && r.at(i+2).unit != nil):
		return 0, errTimes
	case w.is(unclear):
		return 0, errUnclear
	case w.is(every):
		return r.every(i)
	case w.is(through) && r.at(i-1).day() && r.at(r.past(i+1)).day():
		return r.span(i)
	case w.is(except) && r.at(r.past(i+1)).day():
		return r.except(i)
	case w.is(until):
		return r.ends(i)
	case w.is(lasting) && r.at(r.past(i+1)).n > 0 && r.at(r.past(i+1)+1).unit != nil:
		i0 := r.past(i + 1)
		return i0 + 2 - i, r.lastsFor(r.at(i0).n, *r.at(i0 + 1).unit)
	case w.n > 0 && w.nth == 0 && next.unit != nil && r.at(i+2).text == "lang":
		return 3, r.lastsFor(w.n, *next.unit)
	case w.month != 0:
		return r.date(i)
	case (w.n > 0 || w.nth > 0) && r.at(r.past(i+1)).month != 0:
		return r.date(i)
	case w.unit != nil && (w.text == "día" || w.text == "dia") && next.n > 0 && next.n < 32:
		r.monthDays = append(r.monthDays, next.n)
		return 2, r.known()
	case w.unit != nil:
		return 1, r.cycle(w, i)
	case w.nth != 0:
		r.pending = append(r.pending, w.nth)
		return 1, r.known()
	case w.written && w.n > 0 && w.n < 32 && r.at(i+1).is(filler) && r.monthAt(r.past(i+1)): // "cada 3 de mes"
		r.pending = append(r.pending, w.n)
		return 1, r.known()
	case w.raw == "noon" || w.raw == "midnight":
		r.rest = append(r.rest, w.raw)
		return 1, r.known()
	case w.part != "":
		if r.part != "" {
			return 0, errClocks
		}
		r.part, r.repeats = w.part, r.repeats || w.alone
		return 1, r.known()
	case w.is(skips) && len(r.groups) > 0 && len(r.groups[len(r.groups)-1].days) > 0:
		r.groups[len(r.groups)-1].count, r.repeats = 2, true
		return 1, r.known()
	case w.is(filler), w.is(and):
		r.skipped = append(r.skipped, w)
		return 1, nil
	}
	for _, f := range r.skipped {
		if !f.is(and) || len(r.rest) > 0 {
			r.rest = append(r.rest, f.raw)
		}
	}
	r.rest, r.skipped = append(r.rest, w.raw), nil
	return 1, nil
}

// known drops the fillers before a word that means something.
func (r *reading) known() error {
	r.skipped = nil
	return nil
}

// every reads "every", with what it counts: "every other week", "alle drei Tage", "every second Tuesday".
func (r *reading) every(i int) (int, error) {
	r.repeats, r.skipped = true, nil
	j := r.past(i + 1)
	if r.at(j).is(every) { // "immer jeden", "todos"
		return j - i, nil
	}
	w, next := r.at(j), r.at(j+1)
	switch {
	case w.text == "minute" || next.text == "minutes" || next.text == "minuten" || next.text == "minutos":
		return 0, errOften
	case w.is(skips) && next.unit != nil:
		r.groups = append(r.groups, group{count: 2})
		return j + 1 - i, nil
	case w.n > 0 && w.nth == 0 && next.unit != nil:
		if next.loose && w.n == 15 { // "cada quince días" is two weeks
			w.n, r.words[j+1].unit = 2, cycleOf("week")
		} else if next.loose && w.n == 8 {
			return 0, errEight
		}
		r.groups = append(r.groups, group{count: w.n})
		return j + 1 - i, nil
	case w.nth != 0 && next.unit != nil && !r.ofMonth(j):
		return r.counted(i, j)
	case w.nth != 0:
		r.bare = r.bare || w.nth > 0 && !w.written
		return j - i, nil
	}
	r.groups = append(r.groups, group{})
	return j - i, nil
}

// counted reads "every second Tuesday", which is every other one. "Every third Tuesday" may mean the third of the
// month.
func (r *reading) counted(i, j int) (int, error) {
	w, next := r.at(j), r.at(j+1)
	switch {
	case next.day() && (w.nth == 1 || w.nth < 0): // of the month, what else
		return j - i, nil
	case next.day() && w.nth > 2, w.nth < 2:
		return 0, errWhich
	}
	r.groups = append(r.groups, group{count: w.nth})
	return j + 1 - i, nil
}

// ofMonth reports whether what is counted from a place on is counted within its month.
func (r *reading) ofMonth(i int) bool {
	for ; i < len(r.words); i++ {
		if r.words[i].month != 0 || r.monthAt(i) {
			return true
		}
	}
	return false
}

// monthAt reports whether a word is a month as a unit.
func (r *reading) monthAt(i int) bool {
	u := r.at(i).unit
	return u != nil && u.freq == rrule.MONTHLY
}

// cycle takes a word that says how often.
func (r *reading) cycle(w word, i int) error {
	r.repeats = r.repeats || w.alone
	joined := len(r.skipped) > 0 && slices.ContainsFunc(r.skipped, func(f word) bool { return f.is(and) }) ||
		r.at(i-1).is(and)
	r.skipped = nil
	if len(r.groups) == 0 {
		r.groups = append(r.groups, group{})
	}
	g := &r.groups[len(r.groups)-1]
	c := *w.unit
	switch {
	case len(r.pending) > 0 && len(c.days) == 1:
		for _, n := range r.pending {
			if n > 5 {
				return errWhich
			}
			r.nths = append(r.nths, c.days[0].Nth(n))
		}
		r.pending, r.bare = nil, false
	case len(r.pending) == 1 && len(c.days) > 1:
		g.days, r.pos, r.pending, r.bare = append(g.days, c.days...), r.pending[0], nil, false
	case len(r.pending) > 0 && (c.freq == rrule.DAILY || c.freq == rrule.MONTHLY):
		r.monthDays, r.pending, r.bare = append(r.monthDays, r.pending...), nil, false
		if c.freq == rrule.MONTHLY {
			return g.take(c)
		}
	case len(r.pending) > 0:
		return errWhich
	case len(c.days) == 0:
		return g.take(c)
	case g.count > 1 && len(c.days) > 1 && c.days[0] == rrule.MO: // "every two weekdays"
		return errWhich
	case w.alone && joined && g.count > 1: // "every other Monday and Thursdays"
		return errTwo
	default:
		g.days, g.joined = append(g.days, c.days...), g.joined || joined && len(g.days) == 0
	}
	return nil
}

// take gives a group its unit.
func (g *group) take(c cycle) error {
	if g.unit != nil && g.unit.freq == c.freq && g.unit.interval == c.interval {
		return nil
	}
	if g.unit != nil || g.count > 1 && c.interval > 1 && c.freq == rrule.WEEKLY {
		return errTwo
	}
	g.unit = &c
	return nil
}

// span reads a range of weekdays, the first of which was read.
func (r *reading) span(i int) (int, error) {
	j := r.past(i + 1)
	if len(r.groups) == 0 {
		return 0, errTwo
	}
	g := &r.groups[len(r.groups)-1]
	from, to := slices.Index(allDays, r.at(i - 1).unit.days[0]), slices.Index(allDays, r.at(j).unit.days[0])
	if len(g.days) == 0 || to <= from {
		return 0, errRange
	}
	g.days, r.repeats = append(g.days, allDays[from+1:to+1]...), true
	return j + 1 - i, r.known()
}

// except reads the weekdays that are left out.
func (r *reading) except(i int) (int, error) {
	j := r.past(i + 1)
	for r.at(j).day() {
		r.without = append(r.without, r.at(j).unit.days[0])
		next := r.past(j + 1)
		if r.at(next).is(and) {
			next = r.past(next + 1)
		}
		if !r.at(next).day() {
			return j + 1 - i, r.known()
		}
		j = next
	}
	return 0, errTwo
}

// ends reads the last day: all that follows, up to a time of day.
func (r *reading) ends(i int) (int, error) {
	j, said := i+1, ""
	for ; j < len(r.words) && !(r.words[j].is(clockAt) && said != ""); j++ {
		if w := r.words[j]; w.text != "a" || !r.at(j+1).is(clockAt) { // "a las ocho"
			said += " " + w.raw
		}
	}
	for _, lead := range []string{r.at(i).raw, "until"} { // when reads a feast in English only
		found := when.FindWith(lead+said, r.now, when.Options{Lean: when.Ahead})
		if len(found) != 1 {
			continue
		}
		f := found[0]
		before := strings.Fields((lead + said)[len(lead):max(f.Start, len(lead))])
		if f.Known() && f.Day && f.End == len(lead+said) && !strings.Contains(said, "/") &&
			(!f.Approx || strings.Contains(said, "end of")) &&
			!slices.ContainsFunc(before, func(w string) bool { return !meaning(w).is(filler) }) {
			r.until = f.Until.Add(-time.Second)
			return j - i, r.known()
		}
	}
	return 0, errUntil
}

func (r *reading) lastsFor(n int, c cycle) error {
	if r.lasts != nil || len(c.days) > 0 || c.freq == rrule.HOURLY {
		return errUntil
	}
	c.interval *= n
	r.lasts = &c
	return r.known()
}

// date reads a day of the year: "5 January", "January 5th", "5 de enero".
func (r *reading) date(i int) (int, error) {
	r.skipped = nil
	day, j := r.at(i), r.past(i+1)
	m := r.at(j)
	if day.month != 0 {
		day, m = m, day
	}
	n := max(day.n, day.nth)
	if m.month == 0 || n < 1 || n > monthLength(m.month) || len(r.pending) > 0 {
		return 0, errDate
	}
	r.months, r.monthDays = append(r.months, m.month), append(r.monthDays, n)
	return j + 1 - i, nil
}

// monthLength returns how many days a month has in every year.
func monthLength(m time.Month) int { return time.Date(2025, m+1, 0, 0, 0, 0, 0, time.UTC).Day() }
