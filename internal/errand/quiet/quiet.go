// Package quiet says when nobody is to be rung or texted: hours of the day, by the clock of whoever would be.
//
// It is pure. It does not know whose clock counts (identity.ZoneOf), nor what is to be said (wording).
package quiet

import (
	"time"

	"github.com/recallerhq/recaller"
)

// Hours are a part of each day, from a minute of it to another. It may reach over midnight. The same minute twice is no
// part at all.
type Hours struct{ From, To int }

// Read reads hours as settings have them: "21:00" and "09:00". The field of an error is "from" or "to".
func Read(from, to string) (Hours, error) {
	f, ok := minute(from)
	if !ok {
		return Hours{}, recaller.InvalidField("from", "must be a time of day like 21:00")
	}
	t, ok := minute(to)
	if !ok {
		return Hours{}, recaller.InvalidField("to", "must be a time of day like 09:00")
	}
	return Hours{f, t}, nil
}

// minute reads a time of day as minutes from midnight.
func minute(s string) (int, bool) {
	t, err := time.Parse("15:04", s)
	if err != nil || len(s) != len("15:04") {
		return 0, false
	}
	return t.Hour()*60 + t.Minute(), true
}

// Until returns when the hours are over in which t lies; false: it lies in none. Where a clock is set forward over the
// end, they end at the first moment after it; where it is set back over the end, at the later of the two: whoever sleeps
// an hour more is not rung.
func (h Hours) Until(t time.Time, zone *time.Location) (end time.Time, quiet bool) {
	if h.From == h.To {
		return t, false
	}
	local := t.In(zone)
	if !h.has(local.Hour()*60 + local.Minute()) {
		return t, false
	}
	return h.end(local), true
}

// has reports whether a minute of the day lies in the hours.
func (h Hours) has(minute int) bool {
	if h.From < h.To {
		return h.From <= minute && minute < h.To
	}
	return minute >= h.From || minute < h.To
}

// end is the next time at which the clock shows the end.
func (h Hours) end(local time.Time) time.Time {
	day := local.Day()
	if local.Hour()*60+local.Minute() >= h.To {
		day++
	}
	end := time.Date(local.Year(), local.Month(), day, h.To/60, h.To%60, 0, 0, local.Location())
	if again := end.Add(time.Hour); minuteOf(again) == h.To { // the clock shows it twice
		return again
	}
	if minuteOf(end) == h.To {
		return end
	}
	for end = end.Add(-skipped); !h.has(minuteOf(end)); end = end.Add(time.Minute) { // before the clock is set forward
	}
	for h.has(minuteOf(end)) { // the clock never shows the end: what it shows first after it counts
		end = end.Add(time.Minute)
	}
	return end
}

// skipped is more than clocks are set forward by.
const skipped = 3 * time.Hour

func minuteOf(t time.Time) int { return t.Hour()*60 + t.Minute() }
