// Package repeat is how a reminder comes again: it reads a rule of RFC 5545 or words ("every other Monday at 9"), and tells when
// the next time is, by the clocks of the zone in which it was set, and how the rule is said.
//
// It is not for single times (when).
package repeat

import (
	"strings"
	"time"

	"github.com/teambition/rrule-go"
)

// The bounds of a rule, so that looking for its next time ends soon.
const (
	maxText     = 200
	maxInterval = 1000
)

// morning is the hour of a rule that tells none.
const morning = 9

// Read reads how something repeats: an RRULE, or words. first is the first time where one was told, else zero; now is in the
// caller's zone. The rule that it returns has its first time and zone in it, as Next takes it; at is that first time, after now.
func Read(text string, first, now time.Time) (rule string, at time.Time, ok bool) {
	if text = strings.TrimSpace(text); text == "" || len(text) > maxText {
		return "", at, false
	}
	o, ok := parts(strings.TrimPrefix(strings.ToUpper(text), "RRULE:"))
	if !ok {
		if o, ok = words(strings.ToLower(text), now); !ok {
			return "", at, false
		}
	}
	from := first
	if from.IsZero() {
		from = time.Date(now.Year(), now.Month(), now.Day(), morning, 0, 0, 0, now.Location())
	}
	from = from.In(now.Location())
	if o.Freq < rrule.HOURLY {
		if len(o.Byhour) == 0 {
			o.Byhour = []int{from.Hour()}
			o.Byminute = []int{from.Minute()}
		} else if len(o.Byminute) == 0 {
			o.Byminute = []int{0}
		}
		o.Bysecond = []int{0}
	}
	after := now
	if first.After(now) {
		from = from.Truncate(time.Second)
		if o.Freq < rrule.HOURLY { // the clock that the rule tells may be before that of the first time
			from = time.Date(from.Year(), from.Month(), from.Day(), o.Byhour[0], o.Byminute[0], 0, 0, from.Location())
		}
		if from.After(now) {
			after = from.Add(-time.Nanosecond)
		}
	}
	o.Dtstart = from
	r, err := rrule.NewRRule(o)
	if err != nil {
		return "", at, false
	}
	if at = r.After(after, false); at.IsZero() {
		return "", at, false
	}
	o.Dtstart = at // every other week counts from here
	if r, err = rrule.NewRRule(o); err != nil {
		return "", at, false
	}
	return r.String(), at, true
}

// Next is the first time of a rule after a time; not ok where there is none any more.
func Next(rule string, after time.Time) (at time.Time, ok bool) {
	r, err := rrule.StrToRRule(rule)
	if err != nil || rule == "" {
		return at, false
	}
	at = r.After(after, false)
	return at, !at.IsZero()
}

// parts reads an RRULE. Of its parts those are taken that a reminder needs, so that no rule is without a time for thousands of
// years.
func parts(text string) (rrule.ROption, bool) {
	if !strings.Contains(text, "FREQ=") || strings.ContainsAny(text, "\r\n") || strings.Contains(text, "DTSTART") {
		return rrule.ROption{}, false
	}
	o, err := rrule.StrToROption(text)
	if err != nil || o.Freq > rrule.HOURLY || o.Interval > maxInterval || o.Interval < 0 || o.Count < 0 {
		return rrule.ROption{}, false
	}
	days, monthly := len(o.Byweekday) > 0, len(o.Bymonthday)+len(o.Bysetpos) > 0
	switch {
	case len(o.Byweekno)+len(o.Byyearday)+len(o.Byeaster)+len(o.Bysecond) > 0, len(o.Byhour) > 1 || len(o.Byminute) > 1,
		o.Freq == rrule.HOURLY && (days || len(o.Byhour)+len(o.Byminute) > 0),
		o.Freq > rrule.MONTHLY && monthly, o.Freq > rrule.YEARLY && len(o.Bymonth) > 0:
		return rrule.ROption{}, false
	}
	return *o, true
}

// Words says how a rule repeats, nothing of the empty one: "every Monday and Thursday", "every other week", "every month".
func Words(rule string) string {
	if rule == "" {
		return ""
	}
	r, err := rrule.StrToRRule(rule)
	if err != nil {
		return ""
	}
	o := r.OrigOptions
	unit := map[rrule.Frequency]string{rrule.YEARLY: "year", rrule.MONTHLY: "month", rrule.WEEKLY: "week", rrule.DAILY: "day", rrule.HOURLY: "hour"}[o.Freq]
	every := "every " + unit
	switch {
	case o.Interval == 2:
		every = "every other " + unit
	case o.Interval > 2:
		every = "every " + itoa(o.Interval) + " " + unit + "s"
	case o.Freq == rrule.WEEKLY && len(o.Byweekday) == 5 && !has(o.Byweekday, rrule.SA) && !has(o.Byweekday, rrule.SU):
		return "every weekday"
	}
	if o.Freq != rrule.WEEKLY {
		return every
	}
	names := []string{o.Dtstart.Weekday().String()}
	if len(o.Byweekday) > 0 {
		names = nil
	}
	for _, d := range o.Byweekday {
		names = append(names, time.Weekday((d.Day()+1)%7).String())
	}
	said := names[0]
	if n := len(names) - 1; n > 0 {
		said = strings.Join(names[:n], ", ") + " and " + names[n]
	}
	switch {
	case o.Interval <= 1:
		return "every " + said
	case o.Interval == 2 && len(names) == 1:
		return "every other " + said
	}
	return every + " on " + said
}
