package quiet

import (
	"testing"
	"time"
)

func zone(t *testing.T, name string) *time.Location {
	t.Helper()
	z, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

func TestQuietHours(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, from, to, zone, at, end string }{
		{"in the evening, over midnight", "21:00", "09:00", "Europe/Berlin", "2026-03-10T21:00:00+01:00", "2026-03-11T09:00:00+01:00"},
		{"after midnight", "21:00", "09:00", "Europe/Berlin", "2026-03-11T00:00:00+01:00", "2026-03-11T09:00:00+01:00"},
		{"the last moment", "21:00", "09:00", "Europe/Berlin", "2026-03-11T08:59:59+01:00", "2026-03-11T09:00:00+01:00"},
		{"the end itself", "21:00", "09:00", "Europe/Berlin", "2026-03-11T09:00:00+01:00", ""},
		{"a minute before", "21:00", "09:00", "Europe/Berlin", "2026-03-10T20:59:59+01:00", ""},
		{"new year", "21:00", "09:00", "Europe/Berlin", "2026-12-31T23:30:00+01:00", "2027-01-01T09:00:00+01:00"},
		{"by day: a nap", "13:00", "15:30", "Europe/Madrid", "2026-06-01T14:10:00+02:00", "2026-06-01T15:30:00+02:00"},
		{"beside the nap", "13:00", "15:30", "Europe/Madrid", "2026-06-01T15:30:00+02:00", ""},
		{"none at all", "09:00", "09:00", "Europe/Berlin", "2026-03-10T09:00:00+01:00", ""},
		{"nearly all day", "09:01", "09:00", "Europe/Berlin", "2026-03-10T09:01:00+01:00", "2026-03-11T09:00:00+01:00"},
		{"told in another zone", "21:00", "09:00", "America/Los_Angeles", "2026-03-11T05:30:00Z", "2026-03-11T09:00:00-07:00"},
		{"until midnight", "20:00", "00:00", "Asia/Tokyo", "2026-03-10T20:30:00+09:00", "2026-03-11T00:00:00+09:00"},
		{"a quarter of an hour off", "21:00", "09:15", "Asia/Kathmandu", "2026-03-10T22:00:00+05:45", "2026-03-11T09:15:00+05:45"},
		// Clocks go forward on 29 March 2026 at 2:00 in Berlin, and back on 25 October at 3:00.
		{"a night with an hour less", "21:00", "09:00", "Europe/Berlin", "2026-03-28T23:00:00+01:00", "2026-03-29T09:00:00+02:00"},
		{"a night with an hour more", "21:00", "09:00", "Europe/Berlin", "2026-10-24T23:00:00+02:00", "2026-10-25T09:00:00+01:00"},
		{"an end that never comes", "21:00", "02:30", "Europe/Berlin", "2026-03-29T00:30:00+01:00", "2026-03-29T03:00:00+02:00"},
		{"a beginning that never comes", "02:30", "06:00", "Europe/Berlin", "2026-03-29T03:10:00+02:00", "2026-03-29T06:00:00+02:00"},
		{"an end that comes twice", "21:00", "02:30", "Europe/Berlin", "2026-10-25T01:00:00+02:00", "2026-10-25T02:30:00+01:00"},
		{"amid the hour that comes twice", "21:00", "02:30", "Europe/Berlin", "2026-10-25T02:10:00+01:00", "2026-10-25T02:30:00+01:00"},
		{"clocks that go forward at midnight", "22:00", "00:30", "Africa/Cairo", "2026-04-23T23:10:00+02:00", "2026-04-24T01:00:00+03:00"},
		{"half an hour less, at Lord Howe", "21:00", "02:15", "Australia/Lord_Howe", "2026-10-04T01:00:00+10:30", "2026-10-04T02:30:00+11:00"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			h, err := Read(c.from, c.to)
			if err != nil {
				t.Fatal(err)
			}
			at, err := time.Parse(time.RFC3339, c.at)
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			if end, quiet := h.Until(at, zone(t, c.zone)); quiet {
				got = end.Format(time.RFC3339)
			}
			if got != c.end {
				t.Errorf("got %q, want %q", got, c.end)
			}
		})
	}
}

// Whatever the hours, the zone and the moment: they end within a day and an hour or three, and what they end at is not quiet.
func TestQuietHoursEnd(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata", "Africa/Cairo", "UTC", "America/Santiago"} {
		z := zone(t, name)
		for from := 0; from < 24*60; from += 95 {
			for to := 0; to < 24*60; to += 65 {
				h := Hours{from, to}
				for at := time.Date(2026, 3, 27, 0, 0, 0, 0, time.UTC); at.Day() < 31; at = at.Add(37 * time.Minute) {
					end, quiet := h.Until(at, z)
					if !quiet {
						continue
					}
					if _, still := h.Until(end, z); still || !end.After(at) || end.Sub(at) > 28*time.Hour {
						t.Fatalf("%v in %s at %v: they end at %v, quiet then: %t", h, name, at, end, still)
					}
				}
			}
		}
	}
}

func TestQuietHoursAreTimesOfDay(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"", "9:00", "24:00", "21", "21:60", "9pm", "21:00:00", "-1:00"} {
		if _, err := Read(s, "09:00"); err == nil {
			t.Errorf("%q was taken for a time of day", s)
		}
		if _, err := Read("21:00", s); err == nil {
			t.Errorf("%q was taken for a time of day", s)
		}
	}
}
