package repeat

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/teambition/rrule-go"

	"github.com/recallerhq/recaller/internal/when"
)

func itoa(n int) string { return strconv.Itoa(n) }

func has(days []rrule.Weekday, day rrule.Weekday) bool { return slices.Contains(days, day) }

// cycle is what a word says of how often.
type cycle struct {
	freq     rrule.Frequency
	interval int
	days     []rrule.Weekday
	alone    bool // the word says by itself that it repeats
}

func cycles() map[string]cycle {
	work := []rrule.Weekday{rrule.MO, rrule.TU, rrule.WE, rrule.TH, rrule.FR}
	out := map[string]cycle{
		"day": {freq: rrule.DAILY}, "daily": {freq: rrule.DAILY, alone: true}, "week": {freq: rrule.WEEKLY}, "weekly": {freq: rrule.WEEKLY, alone: true},
		"month": {freq: rrule.MONTHLY}, "monthly": {freq: rrule.MONTHLY, alone: true}, "year": {freq: rrule.YEARLY},
		"yearly": {freq: rrule.YEARLY, alone: true}, "annually": {freq: rrule.YEARLY, alone: true}, "hour": {freq: rrule.HOURLY},
		"hourly": {freq: rrule.HOURLY, alone: true}, "fortnight": {freq: rrule.WEEKLY, interval: 2},
		"fortnightly": {freq: rrule.WEEKLY, interval: 2, alone: true}, "biweekly": {freq: rrule.WEEKLY, interval: 2, alone: true},
		"weekday": {freq: rrule.WEEKLY, days: work}, "weekend": {freq: rrule.WEEKLY, days: []rrule.Weekday{rrule.SA, rrule.SU}},
	}
	for i, day := range append(work, rrule.SA, rrule.SU) {
		name := strings.ToLower(time.Weekday((i + 1) % 7).String())
		out[name] = cycle{freq: rrule.WEEKLY, days: []rrule.Weekday{day}}
	}
	for _, name := range []string{"weekday", "weekend", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"} {
		c := out[name]
		c.alone = true
		out[name+"s"] = c
	}
	for _, name := range []string{"day", "week", "month", "year", "hour"} {
		out[name+"s"] = out[name]
	}
	return out
}

// counts are the numbers that stand before a unit, and dayParts the hours of a part of the day that tells no clock.
var (
	counts = map[string]int{
		"other": 2, "second": 2, "two": 2, "three": 3, "third": 3, "four": 4, "fourth": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "ten": 10, "twelve": 12,
	}
	ordinals = map[string]int{
		"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9, "tenth": 10,
		"eleventh": 11, "twelfth": 12, "fifteenth": 15, "twentieth": 20, "last": -1,
	}
	dayParts = map[string]int{"morning": morning, "afternoon": 15, "evening": 18, "night": 20}
)

// reading is words as far as they were read.
type reading struct {
	o       rrule.ROption
	set     bool   // a frequency was told
	repeats bool   // and that it repeats
	nth     int    // an ordinal that waits for what it counts
	part    string // of the day
	rest    []string
}

// words reads how something repeats from words. What is not read of them must be one time of day.
func words(text string, now time.Time) (rrule.ROption, bool) {
	r, table := reading{}, cycles()
	said := strings.FieldsFunc(text, func(c rune) bool { return strings.ContainsRune(" \t\n,;&", c) })
	for i := 0; i < len(said); i++ {
		w := strings.Trim(said[i], ".!")
		switch c, known := table[w]; {
		case w == "every" || w == "each":
			r.repeats = true
			if n := count(said, i+1, table); n > 0 {
				r.o.Interval = n
				i++
			}
		case known:
			if !r.cycle(c) {
				return r.o, false
			}
		case dayPart(w) != "" && r.part == "": // "every morning and evening" is two times
			r.part = dayPart(w)
		case ordinal(w) != 0 && r.nth == 0:
			r.nth = ordinal(w)
		case w == "the" || w == "of" || w == "and" || w == "on" || w == "a" || w == "in" || w == "":
		default:
			r.rest = append(r.rest, w)
		}
	}
	return r.whole(now)
}

// count reads the number before a unit, as in "every other week", "every 3 days".
func count(said []string, i int, table map[string]cycle) int {
	if i+1 >= len(said) {
		return 0
	}
	if _, unit := table[strings.Trim(said[i+1], ".!")]; !unit {
		return 0
	}
	n, err := strconv.Atoi(said[i])
	if err != nil {
		n = counts[said[i]]
	}
	if n < 1 || n > maxInterval {
		return 0
	}
	return n
}

func ordinal(w string) int {
	if n := ordinals[w]; n != 0 {
		return n
	}
	for _, end := range []string{"st", "nd", "rd", "th"} {
		if head, ok := strings.CutSuffix(w, end); ok {
			if n, err := strconv.Atoi(head); err == nil && n >= 1 && n <= 31 {
				return n
			}
		}
	}
	return 0
}

func dayPart(w string) string {
	w = strings.TrimSuffix(w, "s")
	if _, ok := dayParts[w]; ok {
		return w
	}
	return ""
}

// cycle takes a word that says how often. An ordinal before a weekday counts it in its month, one before "day" is of the month.
func (r *reading) cycle(c cycle) bool {
	r.repeats = r.repeats || c.alone
	switch {
	case r.nth != 0 && len(c.days) == 1:
		if r.nth > 5 {
			return false
		}
		r.o.Byweekday = append(r.o.Byweekday, c.days[0].Nth(r.nth))
		r.o.Freq, r.set, r.nth = rrule.MONTHLY, true, 0
		return true
	case r.nth != 0 && c.freq == rrule.DAILY:
		r.o.Freq, r.set = rrule.MONTHLY, true
		return true
	case r.set && r.o.Freq == rrule.MONTHLY && c.freq == rrule.MONTHLY: // "the first Monday of each month"
		return true
	case r.set && r.o.Freq != c.freq:
		return false
	}
	r.o.Freq, r.set = c.freq, true
	r.o.Byweekday = append(r.o.Byweekday, c.days...)
	if c.interval > 0 {
		if r.o.Interval > 1 {
			return false
		}
		r.o.Interval = c.interval
	}
	return true
}

// whole puts together what was read.
func (r *reading) whole(now time.Time) (rrule.ROption, bool) {
	if r.nth != 0 {
		if r.set && r.o.Freq != rrule.MONTHLY {
			return r.o, false
		}
		r.o.Freq, r.set = rrule.MONTHLY, true
		r.o.Bymonthday = []int{r.nth}
	}
	if !r.set && r.part != "" {
		r.o.Freq, r.set = rrule.DAILY, true
	}
	if !r.set || !r.repeats {
		return r.o, false
	}
	if len(r.rest) == 0 {
		if r.part != "" {
			r.o.Byhour = []int{dayParts[r.part]}
		}
		return r.o, r.o.Freq != rrule.HOURLY || r.part == ""
	}
	at, ok := clock(strings.Join(r.rest, " "), r.part, now)
	if !ok || r.o.Freq == rrule.HOURLY {
		return r.o, false
	}
	r.o.Byhour, r.o.Byminute = []int{at.Hour()}, []int{at.Minute()}
	return r.o, true
}

// clock reads a text that is one time of day, and nothing else.
func clock(text, part string, now time.Time) (at time.Time, ok bool) {
	if !strings.HasPrefix(text, "at ") {
		text = "at " + text
	}
	if part == "night" {
		text += " at night"
	} else if part != "" {
		text += " in the " + part
	}
	midnight := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location())
	found := when.FindWith(text, midnight, when.Options{Lean: when.Ahead})
	if len(found) != 1 || !found[0].Known() || found[0].Day || found[0].Start > 0 && text[:found[0].Start] != "at " || found[0].End != len(text) {
		return at, false
	}
	return found[0].At, true
}
