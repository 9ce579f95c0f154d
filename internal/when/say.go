package when

import (
	"strconv"
	"time"

	"github.com/recallerhq/recaller/internal/speech"
)

// Phrase says when t is, as one would say it at now in now's Location. With day set, t names a day and no time of day
// is told. The wording is coarse on purpose, so that it changes seldom:
//
//	past     just now · N minutes ago (by fives from 20 on) · an hour ago · two hours ago · earlier today · yesterday ·
//	         last Tuesday (2 to 6 days) · on 3 March · on 3 March 2025 (another year)
//	day      today · tomorrow · in two days (Tuesday 24 November) up to 13 days · on Thursday 3 December · … 2027
//	time     today at 3:00 PM · tomorrow at 3:00 PM · in two days (Tuesday 24 November at 3:00 PM) ·
//	         on Thursday 3 December at 3:00 PM
//
// A zero t gives "".
func Phrase(t, now time.Time, day bool) string {
	if t.IsZero() {
		return ""
	}
	t = t.In(now.Location())
	days := daysBetween(now, t)
	if day && days >= 0 || !day && t.After(now) {
		return coming(t, now, days, day)
	}
	if !day {
		if s := ago(now.Sub(t), days); s != "" {
			return s
		}
	}
	switch {
	case days == -1:
		return "yesterday"
	case days > -7:
		return "last " + t.Weekday().String()
	}
	return "on " + calendarDay(t, now)
}

// ago says how long before now something was, for a stretch of under four hours or within the same day; "" if it is
// longer ago than that. days is how many calendar days lie between, 0 or below.
func ago(d time.Duration, days int) string {
	m := int(d / time.Minute)
	switch {
	case m < 1:
		return "just now"
	case m == 1:
		return "a minute ago"
	case m < 20:
		return strconv.Itoa(m) + " minutes ago"
	case m < 55:
		return strconv.Itoa(m/5*5) + " minutes ago"
	case m < 90:
		return "an hour ago"
	case m < 150:
		return "two hours ago"
	case m < 210:
		return "three hours ago"
	case days == 0:
		return "earlier today"
	}
	return ""
}

func coming(t, now time.Time, days int, day bool) string {
	at := ""
	if !day {
		at = " at " + t.Format("3:04 PM")
	}
	switch {
	case days == 0:
		return "today" + at
	case days == 1:
		return "tomorrow" + at
	case days <= 13:
		return "in " + speech.English.Small[days] + " days (" + t.Weekday().String() + " " + calendarDay(t, now) + at + ")"
	}
	return "on " + t.Weekday().String() + " " + calendarDay(t, now) + at
}

// Day writes a day in full: "24 November 2026".
func Day(t time.Time) string { return t.Format("2 January 2006") }

// String says f in absolute words, as exactly as it was meant: "Tuesday 24 November 2026 at 3:00 PM", "24 November
// 2026", "November 2026", "2026", "around 5 December 2026". It is "" where no time is known.
func (f Found) String() string {
	if !f.Known() {
		return ""
	}
	if !f.Day {
		if f.Approx {
			return Day(f.At)
		}
		return Day(f.At) + " at " + f.At.Format("3:04 PM")
	}
	days := int(f.Until.Sub(f.At).Hours()/24 + 0.5)
	y, m, d := f.At.Date()
	switch {
	case days > 3000:
		return "the " + strconv.Itoa(y) + "s"
	case days >= 365 && m == 1 && d == 1:
		return strconv.Itoa(y)
	case days >= 89 && d == 1:
		return seasonName(m) + " " + strconv.Itoa(y)
	case days >= 28 && d == 1:
		return f.At.Format("January 2006")
	case days == 7:
		return "week of " + Day(f.At)
	case f.Approx:
		return "around " + Day(f.At)
	}
	return Day(f.At)
}

func seasonName(m time.Month) string {
	switch m {
	case time.March:
		return "spring"
	case time.June:
		return "summer"
	case time.September:
		return "fall"
	}
	return "winter"
}

func calendarDay(t, now time.Time) string {
	if t.Year() == now.Year() {
		return t.Format("2 January")
	}
	return Day(t)
}

// daysBetween counts calendar days from a to b, both in the same Location.
func daysBetween(a, b time.Time) int {
	ay, am, ad := a.Date()
	by, bm, bd := b.Date()
	return int(time.Date(by, bm, bd, 0, 0, 0, 0, time.UTC).Sub(time.Date(ay, am, ad, 0, 0, 0, 0, time.UTC)).Hours()) / 24
}
