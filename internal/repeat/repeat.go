// Package repeat is how a reminder comes again. It reads a rule of RFC 5545, or words ("every other Monday at 9",
// "jeden zweiten Montag", "cada quince días") in English, German and Spanish. It finds the next time, by the clocks of
// the zone in which the rule was set, and puts a rule into words. It refuses what it cannot read whole, in words that
// say how to put it: a wrong repetition rings for years.
//
// It does not read single times (when).
package repeat

import (
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/teambition/rrule-go"
)

// The bounds of a rule, so that finding its next time ends soon.
const (
	maxText     = 200
	maxInterval = 1000
)

// morning is the hour of a rule without one.
const morning = 9

// Read reads how something repeats: an RRULE, or words. first is the first time, if one was given, else zero. now is in
// the caller's zone. The returned rule has its first time and zone in it, as Next takes it; at is that first time,
// after now. An error says what the text must be. It is ErrNone if the text says nothing of a repetition.
func Read(text string, first, now time.Time) (rule string, at time.Time, err error) {
	if text = strings.TrimSpace(text); text == "" {
		return "", at, ErrNone
	}
	if len(text) > maxText {
		return "", at, errLong
	}
	r := &reading{}
	var o rrule.ROption
	if upper := strings.ToUpper(text); strings.Contains(upper, "FREQ=") {
		o, err = parts(strings.TrimPrefix(upper, "RRULE:"), now.Location())
	} else {
		if r, err = words(strings.ToLower(text), now); err == nil {
			o, err = r.whole()
		}
		if err != nil && !r.repeats && !tells(r.words) && !errors.Is(err, errTimes) {
			err = ErrNone
		}
	}
	if err != nil {
		return "", at, err
	}
	if at, err = begin(&o, first, now); err != nil {
		return "", at, err
	}
	if r.lasts != nil {
		o.Until = r.lasts.after(at).Add(-time.Second)
	}
	all, err := rrule.NewRRule(o)
	if err != nil {
		return "", at, errRule
	}
	return all.String(), at, nil
}

// begin finds the first time of a rule, and makes the rule begin there, because every other week counts from it.
func begin(o *rrule.ROption, first, now time.Time) (at time.Time, err error) {
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
		if o.Freq < rrule.HOURLY { // the rule's time of day may be earlier than that of the first time
			from = time.Date(from.Year(), from.Month(), from.Day(), o.Byhour[0], o.Byminute[0], 0, 0, from.Location())
		}
		if from.After(now) {
			after = from.Add(-time.Nanosecond)
		}
	}
	look := *o
	look.Dtstart, look.Count = from, 0
	if o.Freq < rrule.DAILY && len(o.Byweekday)+len(o.Bymonthday) > 0 { // "every other Monday" begins on the next one
		look.Interval = 1
	}
	r, err := rrule.NewRRule(look)
	if err != nil {
		return at, errRule
	}
	if at = r.After(after, false); at.IsZero() {
		return at, errOver
	}
	named := len(o.Byweekday)+len(o.Bymonthday) > 0
	switch {
	case o.Freq == rrule.MONTHLY && !named && at.Day() > 28:
		return at, errMonthEnd
	case o.Freq == rrule.YEARLY && !named && at.Month() == time.February && at.Day() == 29:
		return at, errLeap
	}
	o.Dtstart = at
	return at, nil
}

// after returns the time one cycle after t.
func (c cycle) after(t time.Time) time.Time {
	switch c.freq {
	case rrule.YEARLY:
		return t.AddDate(c.interval, 0, 0)
	case rrule.MONTHLY:
		return t.AddDate(0, c.interval, 0)
	case rrule.WEEKLY:
		return t.AddDate(0, 0, 7*c.interval)
	}
	return t.AddDate(0, 0, c.interval)
}

// Next returns the first time of a rule after a time. more is false if there is none. An error means that the rule
// cannot be read.
func Next(rule string, after time.Time) (at time.Time, more bool, err error) {
	if rule == "" {
		return at, false, nil
	}
	r, err := rrule.StrToRRule(rule)
	if err != nil {
		return at, false, errRule // err may quote the rule, although that holds no words
	}
	at = r.After(after, false)
	return at, !at.IsZero(), nil
}

// Same reports whether two rules give the same times, as far as anybody looks ahead.
func Same(a, b string) bool {
	const ahead = 12
	one, err := rrule.StrToRRule(a)
	two, err2 := rrule.StrToRRule(b)
	if err != nil || err2 != nil {
		return false
	}
	this, that := one.Iterator(), two.Iterator()
	for range ahead {
		t, more := this()
		u, more2 := that()
		if more != more2 || !t.Equal(u) {
			return false
		}
	}
	return true
}

// parts reads an RRULE. It takes only parts that a reminder needs and Words can say, so that no rule goes without a
// time for thousands of years.
func parts(text string, zone *time.Location) (rrule.ROption, error) {
	if strings.ContainsAny(text, "\r\n") || strings.Contains(text, "DTSTART") {
		return rrule.ROption{}, errRule
	}
	o, err := rrule.StrToROption(text)
	if err != nil || o.Freq > rrule.HOURLY || o.Interval > maxInterval || o.Interval < 0 || o.Count < 0 {
		return rrule.ROption{}, errRule
	}
	if !o.Until.IsZero() {
		o.Until = endOf(text, o.Until, zone)
	}
	if o.Freq == rrule.DAILY && len(o.Byweekday) > 0 && o.Interval <= 1 {
		o.Freq = rrule.WEEKLY
	}
	if !sayable(o) {
		return rrule.ROption{}, errRule
	}
	return *o, nil
}

// endOf returns the end of a rule. A day means its end, and a time without a zone is by the caller's clocks.
func endOf(text string, at time.Time, zone *time.Location) time.Time {
	_, told, _ := strings.Cut(text, "UNTIL=")
	told, _, _ = strings.Cut(told, ";")
	y, m, d := at.Date()
	switch {
	case !strings.Contains(told, "T"):
		return time.Date(y, m, d, 23, 59, 59, 0, zone)
	case !strings.HasSuffix(told, "Z"):
		return time.Date(y, m, d, at.Hour(), at.Minute(), at.Second(), 0, zone)
	}
	return at
}

// sayable reports whether the parts of a rule go together.
func sayable(o *rrule.ROption) bool {
	days, dates, pos := len(o.Byweekday), len(o.Bymonthday), len(o.Bysetpos)
	counted := slices.ContainsFunc(o.Byweekday, func(d rrule.Weekday) bool { return d.N() != 0 })
	plain := slices.ContainsFunc(o.Byweekday, func(d rrule.Weekday) bool { return d.N() == 0 })
	if len(o.Byweekno)+len(o.Byyearday)+len(o.Byeaster)+len(o.Bysecond) > 0 || len(o.Byhour) > 1 ||
		len(o.Byminute) > 1 || pos > 1 ||
		days > 0 && dates > 0 || o.Freq > rrule.YEARLY && len(o.Bymonth) > 0 ||
		len(o.Byminute) > len(o.Byhour) && o.Freq < rrule.HOURLY {
		return false
	}
	switch o.Freq {
	case rrule.YEARLY:
		return len(o.Bymonth) == 0 && days+dates+pos == 0 || len(o.Bymonth) == 1 && pos == 0 && days+dates > 0 && !plain
	case rrule.MONTHLY:
		return days == 0 && pos == 0 || !counted && pos == 1 && days > 0 || !plain && pos == 0
	case rrule.WEEKLY:
		return dates+pos == 0 && !counted
	case rrule.DAILY:
		return days+dates+pos == 0
	}
	return days+dates+pos+len(o.Byhour)+len(o.Byminute) == 0
}
