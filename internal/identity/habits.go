package identity

import (
	"time"

	"github.com/recallerhq/recaller"
)

// ZoneOf returns the time zone in which a caller's words are meant: his own, his number's region's, or the tenant's.
func ZoneOf(c recaller.Caller, t recaller.Tenant) *time.Location {
	names := []string{c.TimeZone, "", t.TimeZone}
	if z, ok := Zone(c.Phone()); ok {
		names[1] = z
	}
	for _, name := range names {
		if name == "" {
			continue
		}
		if z, err := time.LoadLocation(name); err == nil {
			return z
		}
	}
	return time.UTC
}

// ZoneIn is ZoneOf for the words of one conversation. If nothing is known but a tenant's UTC, the clock of the
// conversation's start says more.
func ZoneIn(c recaller.Conversation, by recaller.Caller, t recaller.Tenant) *time.Location {
	zone := ZoneOf(by, t)
	if zone == time.UTC && by.TimeZone == "" && c.Offset != 0 {
		return time.FixedZone("", int(c.Offset/time.Second))
	}
	return zone
}

// monthFirst are the regions where the month comes before the day in a date in numbers: the United States and their
// territories, countries that follow them, and those that begin with the year (Unicode CLDR). Elsewhere the day comes
// first.
var monthFirst = map[string]bool{
	"US": true, "AS": true, "GU": true, "MP": true, "PR": true, "UM": true, "VI": true, "MH": true,
	"CA": true, "PH": true, "PA": true,
	"CN": true, "JP": true, "KR": true, "KP": true, "TW": true, "MN": true, "HU": true, "LT": true,
}

// DayFirst reports whether a caller's "5/12" is the 5th of December: by his number's region, else by the tenant's,
// whose callers may ring from anywhere.
func DayFirst(c recaller.Caller, t recaller.Tenant) bool {
	region := Region(c.Phone())
	if region == "" {
		region = t.DefaultRegion
	}
	return !monthFirst[region]
}
