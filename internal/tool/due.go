package tool

import (
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/memory"
	"github.com/recallerhq/recaller/internal/when"
)

// morning is the hour of a day that is given without a time of day.
const morning = 9

// season is the longest stretch that counts as a time, by its beginning. "In 2028" says too little.
const season = 100 * 24 * time.Hour

// maxDue bounds the text of a time.
const maxDue = 200

// dueTime reads the one time in a text, in the caller's zone, which is now's Location. The text is RFC 3339, with or
// without a zone, or words. A day means its morning, and a time of day the next one to come. ok is false if there is no
// time, if there are several, and if it recurs. The time may be past.
func dueTime(text string, now time.Time, dayFirst bool) (at time.Time, ok bool) {
	text = strings.TrimSpace(text)
	if text == "" || len(text) > maxDue {
		return at, false
	}
	if at, ok := stamp(strings.ToUpper(text), now.Location()); ok {
		return at, true
	}
	if noClock(text) {
		return at, false
	}
	for _, lead := range []string{"", "at ", "in ", "on "} { // "9:30", "two hours", as one says them after "remind me"
		found := when.FindWith(lead+text, now, when.Options{DayFirst: dayFirst, Lean: when.Ahead})
		if len(found) == 0 {
			continue
		}
		f := found[0]
		if len(found) > 1 || !f.Known() || f.Until.Sub(f.At) > season {
			return at, false
		}
		if f.Day {
			return onMorning(f.At), true
		}
		return f.At, true
	}
	return at, false
}

// noClock reports whether a text has a time of day that no clock shows, such as 25:00. Otherwise a day beside it would
// stand alone.
func noClock(text string) bool {
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r != ':' && !unicode.IsDigit(r) }) {
		hour, rest, ok := strings.Cut(word, ":")
		minute, _, _ := strings.Cut(rest, ":")
		h, herr := strconv.Atoi(hour)
		m, merr := strconv.Atoi(minute)
		if ok && herr == nil && merr == nil && (h > 24 || m > 59 || h == 24 && m > 0) {
			return true
		}
	}
	return false
}

// stamp reads a time in the forms of RFC 3339, with or without zone, seconds or time of day.
func stamp(text string, zone *time.Location) (at time.Time, ok bool) {
	for _, layout := range []string{
		time.RFC3339Nano, "2006-01-02T15:04Z07:00", "2006-01-02 15:04:05Z07:00", "2006-01-02 15:04Z07:00",
	} {
		if at, err := time.Parse(layout, text); err == nil {
			return at, true
		}
	}
	for _, layout := range []string{
		"2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02 15:04:05", "2006-01-02 15:04",
	} {
		if at, err := time.ParseInLocation(layout, text, zone); err == nil {
			return at, true
		}
	}
	day, err := time.ParseInLocation("2006-01-02", text, zone)
	return onMorning(day), err == nil
}

// onMorning returns nine o'clock on a day, by the clocks of its Location.
func onMorning(day time.Time) time.Time {
	y, m, d := day.Date()
	return time.Date(y, m, d, morning, 0, 0, 0, day.Location())
}

// dated is a text to store, with its dates made absolute, and when it comes due.
type dated struct {
	text string
	due  *time.Time
	day  bool // due names a day
}

// dated reads the dates in a value (B8), and when a follow-up comes due. The days in a preference ("loves Sunday
// roasts") are no dates.
func (x exchange) dated(kind recaller.MemoryType, value string) dated {
	d := dated{text: value}
	if kind == recaller.Preference {
		return d
	}
	found := when.FindWith(value, x.said, when.Options{DayFirst: x.dayFirst, Lean: lean(kind)})
	if kind == recaller.FollowUp {
		d.due, d.day = due(found, x.said)
	}
	if text := when.Absolute(value, found, kind == recaller.FollowUp); len(text) <= memory.MaxValue {
		d.text = text
	}
	return d
}

// lean returns which way a bare day in a memory of this type lies. For a follow-up it lies ahead.
func lean(kind recaller.MemoryType) when.Lean {
	if kind == recaller.FollowUp {
		return when.Ahead
	}
	return when.Unsure
}

// due picks the date on which something comes due: the first that lies ahead, exact ones before vague ones. A stretch
// that has begun comes due on the day it was said. One longer than a season does not count.
func due(found []when.Found, said time.Time) (*time.Time, bool) {
	best := -1
	for i, f := range found {
		switch {
		case !f.Known(), f.Day && !f.Until.After(said), !f.Day && !f.At.After(said), f.Until.Sub(f.At) > season:
		case best < 0, found[best].Approx && !f.Approx:
			best = i
		}
	}
	if best < 0 {
		return nil, false
	}
	at := found[best].At
	if found[best].Day && at.Before(said) {
		y, m, d := said.Date()
		at = time.Date(y, m, d, 0, 0, 0, 0, said.Location())
	}
	return &at, found[best].Day
}
