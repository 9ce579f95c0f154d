package repeat

import (
	"slices"
	"strings"
	"time"

	"github.com/teambition/rrule-go"

	"github.com/recallerhq/recaller/internal/when"
)

// whole makes one rule of what was read, with at most one time of day.
func (r *reading) whole() (o rrule.ROption, err error) {
	if len(r.pending) > 0 {
		if r.bare && !r.ofMonth(0) {
			return o, errWhich
		}
		r.monthDays = append(r.monthDays, r.pending...)
	}
	g, err := r.merged()
	if err != nil {
		return o, err
	}
	if g.unit == nil && len(g.days) == 0 && len(r.monthDays)+len(r.nths) == 0 {
		if r.part == "" && (len(r.rest) != 1 || !r.repeats || r.rest[0] != "noon" && r.rest[0] != "midnight") {
			return o, ErrNone
		}
		g.unit = cycleOf("day")
	}
	if !r.repeats {
		return o, ErrNone
	}
	if o, err = r.rule(g); err != nil {
		return o, err
	}
	if slices.ContainsFunc(r.monthDays, func(d int) bool { return d > 28 && len(r.months) == 0 }) {
		return o, errMonthEnd
	}
	o.Until = r.until
	return o, r.clock(&o, len(g.days)+len(r.nths) > 0)
}

// merged makes one repetition of those that were read; an error if they are really several.
func (r *reading) merged() (group, error) {
	var out group
	for i, g := range r.groups {
		counted := max(g.count, 1)
		if g.unit == nil && len(g.days) == 0 {
			if counted > 1 {
				return out, errWhich
			}
			continue // "every" of an ordinal
		}
		switch {
		case i == 0 || out.unit == nil && len(out.days) == 0:
			g.count = counted
			out = g
			continue
		case out.unit == nil && g.unit == nil && out.count == 1 && counted == 1: // "every Monday and every Thursday"
			out.days = append(out.days, g.days...)
			continue
		}
		return out, errTwo
	}
	return out, nil
}

// rule returns what a repetition says, without its time of day.
func (r *reading) rule(g group) (o rrule.ROption, err error) {
	o.Interval = max(g.count, 1)
	ofMonth := len(r.monthDays) + len(r.nths)
	if g.unit != nil {
		o.Freq, o.Interval = g.unit.freq, o.Interval*g.unit.interval
	}
	switch {
	case len(r.months) > 0:
		return o, r.yearly(g, &o)
	case r.pos != 0:
		if g.unit != nil && g.unit.freq != rrule.MONTHLY || ofMonth > 0 || len(r.without) > 0 {
			return o, errTwo
		}
		o.Freq, o.Byweekday, o.Bysetpos = rrule.MONTHLY, g.days, []int{r.pos}
		return o, nil
	case ofMonth > 0:
		if g.unit != nil && g.unit.freq != rrule.MONTHLY || len(g.days) > 0 ||
			len(r.monthDays) > 0 && len(r.nths) > 0 || len(r.without) > 0 {
			return o, errTwo
		}
		o.Freq, o.Byweekday, o.Bymonthday = rrule.MONTHLY, r.nths, r.monthDays
		return o, nil
	case g.unit == nil:
		o.Freq = rrule.WEEKLY
	}
	return o, r.weekly(g, &o)
}

// yearly makes a rule of days of the year.
func (r *reading) yearly(g group, o *rrule.ROption) error {
	if g.unit != nil && g.unit.freq != rrule.YEARLY || len(g.days)+len(r.nths)+len(r.without) > 0 ||
		len(r.months) != 1 || len(r.monthDays) != 1 {
		return errTwo
	}
	o.Freq, o.Bymonth, o.Bymonthday = rrule.YEARLY, []int{int(r.months[0])}, r.monthDays
	return nil
}

// weekly makes a rule of days of the week, if there are some.
func (r *reading) weekly(g group, o *rrule.ROption) error {
	days := g.days
	if len(r.without) > 0 && len(days) == 0 && o.Freq == rrule.DAILY && o.Interval == 1 {
		days = allDays
	}
	days = slices.DeleteFunc(slices.Clone(days), func(d rrule.Weekday) bool { return slices.Contains(r.without, d) })
	switch {
	case len(days) == 0 && len(g.days) > 0:
		return errNever
	case len(days) == 0 && len(r.without) > 0:
		return errTwo
	case len(days) == 0 || o.Freq == rrule.WEEKLY:
	case o.Freq == rrule.MONTHLY:
		return errWhich
	// "daily on weekdays"
	case o.Freq == rrule.DAILY && o.Interval == 1 && !g.joined && (len(g.days) > 1 || len(r.without) > 0):
		o.Freq = rrule.WEEKLY
	case o.Freq == rrule.DAILY && o.Interval%7 == 0:
		o.Freq, o.Interval = rrule.WEEKLY, o.Interval/7
	default:
		return errTwo
	}
	slices.SortFunc(days, func(a, b rrule.Weekday) int { return a.Day() - b.Day() })
	o.Byweekday = slices.Compact(days)
	return nil
}

// clock reads the time of day, if there is one.
func (r *reading) clock(o *rrule.ROption, named bool) error {
	if len(r.rest) == 0 && r.part == "" {
		return nil
	}
	if o.Freq == rrule.HOURLY {
		return errHours
	}
	if len(r.rest) == 0 {
		o.Byhour, o.Byminute = []int{dayParts[r.part]}, []int{0}
		return nil
	}
	text := strings.Join(r.rest, " ")
	if digit(text[0]) || numbers[r.rest[0]] != "" || r.rest[0] == "noon" || r.rest[0] == "midnight" ||
		r.rest[0] == "half" {
		text = "at " + text
	}
	midnight := time.Date(r.now.Year(), r.now.Month(), r.now.Day(), 0, 0, 0, 0, r.now.Location())
	found := when.FindWith(text, midnight, when.Options{Lean: when.Ahead})
	if len(found) > 1 || several(r.rest) {
		return errClocks
	}
	if len(found) != 1 || !found[0].Known() || found[0].Day || !found[0].Clock || found[0].Start > 0 ||
		found[0].End != len(text) {
		return errClock
	}
	hour, ok := inPart(found[0].At.Hour(), r.part, exact(r.rest))
	if !ok {
		return errClock
	}
	if named && (r.part == "night" && hour < 6 || hour == 0 && found[0].At.Minute() == 0) {
		return errMidnight
	}
	o.Byhour, o.Byminute = []int{hour}, []int{found[0].At.Minute()}
	return nil
}

// several reports whether the words of a clock give two times. "Y media" belongs to one.
func several(rest []string) bool {
	clocks := 0
	for _, w := range rest {
		m := meaning(w)
		if m.is(clockAt) {
			clocks++
		}
		if m.is(and) && w != "y" || clocks > 1 {
			return true
		}
	}
	return false
}

// exact reports whether the words of a clock leave no doubt which half of the day they mean.
func exact(rest []string) bool {
	for _, w := range rest {
		head, _, _ := strings.Cut(w, ":")
		if w == "am" || w == "pm" || strings.HasPrefix(w, "a.m") || strings.HasPrefix(w, "p.m") || w == "noon" ||
			w == "midnight" ||
			len(head) == 2 && digit(head[0]) && (head[0] == '0' || head > "12") {
			return true
		}
	}
	return false
}

// inPart puts an hour into the given part of the day; not ok if it lies in another.
func inPart(hour int, part string, exact bool) (int, bool) {
	within := map[string]func(h int) bool{
		"":          func(int) bool { return true },
		"morning":   func(h int) bool { return h < 12 },
		"afternoon": func(h int) bool { return h >= 12 && h < 21 },
		"evening":   func(h int) bool { return h >= 16 },
		"night":     func(h int) bool { return h >= 18 || h < 6 },
	}[part]
	if within(hour) {
		return hour, true
	}
	other := (hour + 12) % 24
	return other, !exact && within(other)
}
