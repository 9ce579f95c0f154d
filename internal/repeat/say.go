package repeat

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/teambition/rrule-go"
)

// unread describes a rule that cannot be read.
const unread = "by a rule that cannot be read"

// Words says how a rule repeats; nothing for an empty rule: "every Monday and Thursday", "every other week on Friday
// until 24 December 2026", "every month on the 3rd, 10 times in all".
func Words(rule string) string {
	if rule == "" {
		return ""
	}
	r, err := rrule.StrToRRule(rule)
	if err != nil {
		return unread
	}
	o := r.OrigOptions
	said := weekly(o)
	switch o.Freq {
	case rrule.YEARLY:
		said = everyOf(o.Interval, "year") + " on " + yearly(o)
	case rrule.MONTHLY:
		said = everyOf(o.Interval, "month") + " on " + monthly(o)
	case rrule.DAILY:
		said = everyOf(o.Interval, "day")
	case rrule.HOURLY:
		said = everyOf(o.Interval, "hour")
	}
	if !o.Until.IsZero() {
		said += " until " + o.Until.In(o.Dtstart.Location()).Format("2 January 2006")
	}
	if o.Count > 0 {
		said += ", " + inAll(o.Count)
	}
	return said
}

func inAll(n int) string {
	if n == 1 {
		return "once only"
	}
	return strconv.Itoa(n) + " times in all"
}

func everyOf(interval int, unit string) string {
	switch {
	case interval == 2:
		return "every other " + unit
	case interval > 2:
		return "every " + strconv.Itoa(interval) + " " + unit + "s"
	}
	return "every " + unit
}

func weekly(o rrule.ROption) string {
	days := o.Byweekday
	if len(days) == 0 {
		days = []rrule.Weekday{allDays[(o.Dtstart.Weekday()+6)%7]}
	}
	said := namedDays(days)
	switch {
	case o.Interval <= 1 && len(days) == len(allDays):
		return "every day"
	case o.Interval <= 1 && len(days) == len(allDays)-1:
		return "every day but " +
			namedDays(slices.DeleteFunc(slices.Clone(allDays),
				func(d rrule.Weekday) bool { return slices.Contains(days, d) }))
	case o.Interval <= 1:
		return "every " + said
	case o.Interval == 2 && len(days) == 1:
		return "every other " + said
	}
	return everyOf(o.Interval, "week") + " on " + said
}

// namedDays says days of the week: "Monday and Thursday", "weekday".
func namedDays(days []rrule.Weekday) string {
	names := make([]string, len(days))
	workdays := len(days) == len(work)
	for i, d := range days {
		names[i] = time.Weekday((d.Day() + 1) % 7).String()
		workdays = workdays && d.Day() < len(work)
	}
	if workdays {
		return "weekday"
	}
	return list(names)
}

func list(names []string) string {
	if n := len(names) - 1; n > 0 {
		return strings.Join(names[:n], ", ") + " and " + names[n]
	}
	return names[0]
}

// monthly says the days of a month: "the 3rd", "the last Friday", "the first weekday".
func monthly(o rrule.ROption) string {
	var said []string
	late := false
	switch {
	case len(o.Bysetpos) > 0:
		return "the " + place(o.Bysetpos[0]) + " " + namedDays(o.Byweekday)
	case len(o.Byweekday) > 0:
		for _, d := range o.Byweekday {
			said = append(said, "the "+place(d.N())+" "+namedDays([]rrule.Weekday{d}))
		}
	case len(o.Bymonthday) == 0:
		return "the " + number(o.Dtstart.Day())
	}
	for _, d := range o.Bymonthday {
		late = late || d > 28
		if d < 0 {
			said = append(said, "the "+place(d)+" day")
			continue
		}
		said = append(said, "the "+number(d))
	}
	if late {
		return list(said) + " of those that have it"
	}
	return list(said)
}

// yearly says the day of a year: "5 January", "the fourth Thursday of November".
func yearly(o rrule.ROption) string {
	if len(o.Bymonth) == 0 {
		return o.Dtstart.Format("2 January")
	}
	m := time.Month(o.Bymonth[0]).String()
	if len(o.Bymonthday) == 1 && o.Bymonthday[0] > 0 {
		return strconv.Itoa(o.Bymonthday[0]) + " " + m
	}
	return monthly(o) + " of " + m
}

// place returns an ordinal in words: "first", "last".
func place(n int) string {
	switch {
	case n == -1:
		return "last"
	case n < 0:
		return number(-n) + " to last"
	}
	for i, word := range []string{"first", "second", "third", "fourth", "fifth"} {
		if i+1 == n {
			return word
		}
	}
	return number(n)
}

// number returns an ordinal in digits: "3rd".
func number(n int) string {
	end := "th"
	switch {
	case n%100 >= 11 && n%100 <= 13:
	case n%10 == 1:
		end = "st"
	case n%10 == 2:
		end = "nd"
	case n%10 == 3:
		end = "rd"
	}
	return strconv.Itoa(n) + end
}
