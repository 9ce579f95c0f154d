package repeat_test

import (
	"strings"
	"testing"
	"time"

	"github.com/recallerhq/recaller/internal/repeat"
)

// It is a Wednesday, ten in the morning by the clocks of London, when these are said.
func TestWordsAndRules(t *testing.T) {
	t.Parallel()
	zone, err := time.LoadLocation("Europe/London")
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 10, 14, 10, 0, 0, 0, zone)
	const layout = "Mon 2 Jan 15:04"
	for text, want := range map[string][4]string{
		"every Monday at 9": {"Mon 19 Oct 09:00", "Mon 26 Oct 09:00", "Mon 2 Nov 09:00", "every Monday"},
		"every monday and thursday at half past six in the evening": {"Thu 15 Oct 18:30", "Mon 19 Oct 18:30", "Thu 22 Oct 18:30", "every Monday and Thursday"},
		"daily at 8":                            {"Thu 15 Oct 08:00", "Fri 16 Oct 08:00", "Sat 17 Oct 08:00", "every day"},
		"every day at 11:30":                    {"Wed 14 Oct 11:30", "Thu 15 Oct 11:30", "Fri 16 Oct 11:30", "every day"},
		"every morning":                         {"Thu 15 Oct 09:00", "Fri 16 Oct 09:00", "Sat 17 Oct 09:00", "every day"},
		"every evening at 8":                    {"Wed 14 Oct 20:00", "Thu 15 Oct 20:00", "Fri 16 Oct 20:00", "every day"},
		"every weekday at 7:30":                 {"Thu 15 Oct 07:30", "Fri 16 Oct 07:30", "Mon 19 Oct 07:30", "every weekday"},
		"on weekends at 10 am":                  {"Sat 17 Oct 10:00", "Sun 18 Oct 10:00", "Sat 24 Oct 10:00", "every Saturday and Sunday"},
		"Tuesdays at 3 pm":                      {"Tue 20 Oct 15:00", "Tue 27 Oct 15:00", "Tue 3 Nov 15:00", "every Tuesday"},
		"every other Friday at noon":            {"Fri 16 Oct 12:00", "Fri 30 Oct 12:00", "Fri 13 Nov 12:00", "every other Friday"},
		"every other week on Friday":            {"Fri 16 Oct 09:00", "Fri 30 Oct 09:00", "Fri 13 Nov 09:00", "every other Friday"},
		"every three days at 8":                 {"Sat 17 Oct 08:00", "Tue 20 Oct 08:00", "Fri 23 Oct 08:00", "every 3 days"},
		"fortnightly on Sundays":                {"Sun 18 Oct 09:00", "Sun 1 Nov 09:00", "Sun 15 Nov 09:00", "every other Sunday"},
		"monthly on the 3rd":                    {"Tue 3 Nov 09:00", "Thu 3 Dec 09:00", "Sun 3 Jan 09:00", "every month on the 3rd"},
		"every month on the last day at 5 pm":   {"Sat 31 Oct 17:00", "Mon 30 Nov 17:00", "Thu 31 Dec 17:00", "every month on the last day"},
		"the first Monday of every month at 10": {"Mon 2 Nov 10:00", "Mon 7 Dec 10:00", "Mon 4 Jan 10:00", "every month on the first Monday"},
		"every 3rd of the month":                {"Tue 3 Nov 09:00", "Thu 3 Dec 09:00", "Sun 3 Jan 09:00", "every month on the 3rd"},
		"FREQ=WEEKLY;BYDAY=MO,WE;BYHOUR=8":      {"Mon 19 Oct 08:00", "Wed 21 Oct 08:00", "Mon 26 Oct 08:00", "every Monday and Wednesday"},
		"RRULE:FREQ=DAILY;COUNT=2":              {"Thu 15 Oct 09:00", "Fri 16 Oct 09:00", "", "every day, 2 times in all"},
		"freq=monthly;bymonthday=-1":            {"Sat 31 Oct 09:00", "Mon 30 Nov 09:00", "Thu 31 Dec 09:00", "every month on the last day"},
	} {
		rule, at, err := repeat.Read(text, time.Time{}, now)
		if err != nil {
			t.Errorf("%q is not read: %v", text, err)
			continue
		}
		got := [4]string{at.Format(layout), "", "", repeat.Words(rule)}
		for i := 1; i < 3; i++ {
			var more bool
			if at, more, _ = repeat.Next(rule, at); more {
				got[i] = at.In(zone).Format(layout)
			}
		}
		if got != want {
			t.Errorf("%q: got %v, want %v", text, got, want)
		}
	}
}

func TestWhatIsNoRepetitionIsRefused(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 10, 14, 10, 0, 0, 0, time.UTC)
	for _, text := range []string{
		"", "Monday at 9", "tomorrow at nine", "every", "every Monday at 25:00", "twice a day", "every so often",
		"every blue moon", "every hour at 9", "FREQ=SECONDLY", "FREQ=MINUTELY", "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30",
		"FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30", "FREQ=DAILY;UNTIL=20200101T000000Z", "FREQ=DAILY;BYHOUR=8,20", "FREQ=NEVER", "FREQ=DAILY;INTERVAL=-1",
		"every Monday or Tuesday maybe", "the 3rd", "every morning and evening", "every Monday morning and Thursday evening",
	} {
		if rule, at, err := repeat.Read(text, time.Time{}, now); err == nil {
			t.Errorf("%q: got %q at %v, want it refused", text, rule, at)
		}
	}
}

// Nine is nine by the caller's clocks on both sides of the night in which they change, and an hour that this night has
// not moves no other day.
func TestClocksThatChange(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		zone, text, now string
		want            []string
	}{
		{"Europe/London", "every day at 9", "2026-10-23T12:00:00+01:00", []string{"2026-10-24T08:00:00Z", "2026-10-25T09:00:00Z", "2026-10-26T09:00:00Z"}},
		{"America/New_York", "every Sunday at 9", "2026-10-24T12:00:00-04:00", []string{"2026-10-25T13:00:00Z", "2026-11-01T14:00:00Z", "2026-11-08T14:00:00Z"}},
		{"Australia/Sydney", "every Saturday at 8", "2026-09-25T12:00:00+10:00", []string{"2026-09-25T22:00:00Z", "2026-10-02T22:00:00Z", "2026-10-09T21:00:00Z"}},
		{"America/New_York", "daily at 2:30 am", "2027-03-12T12:00:00-05:00", []string{"2027-03-13T07:30:00Z", "2027-03-14T06:30:00Z", "2027-03-15T06:30:00Z"}},
	} {
		zone, err := time.LoadLocation(c.zone)
		if err != nil {
			t.Fatal(err)
		}
		now, err := time.Parse(time.RFC3339, c.now)
		if err != nil {
			t.Fatal(err)
		}
		rule, at, err := repeat.Read(c.text, time.Time{}, now.In(zone))
		for i, want := range c.want {
			if got := at.UTC().Format(time.RFC3339); err != nil || got != want {
				t.Errorf("%s, %s, %d: got %s, want %s", c.zone, c.text, i, got, want)
			}
			at, _, _ = repeat.Next(rule, at)
		}
	}
}

// A first time that is told anchors the rule: every other week counts from it.
func TestFromAFirstTime(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 10, 14, 10, 0, 0, 0, time.UTC)
	first := time.Date(2026, 10, 22, 15, 30, 0, 0, time.UTC)
	rule, at, err := repeat.Read("every other week", first, now)
	if next, _, _ := repeat.Next(rule, at); err != nil || !at.Equal(first) || !next.Equal(first.AddDate(0, 0, 14)) {
		t.Errorf("got %v and then %v (%q), want %v and two weeks on", at, next, rule, first)
	}
	if _, at, err = repeat.Read("every Monday at 9", first, now); err != nil || at.Format("Mon 2 15:04") != "Mon 26 09:00" {
		t.Errorf("got %v, want the first Monday from then on", at)
	}
}

// A rule that was kept and cannot be read says so, wherever it is told.
func TestARuleThatCannotBeRead(t *testing.T) {
	t.Parallel()
	for _, rule := range []string{"every Monday", "DTSTART;TZID=Nowhere/Land:20261014T090000\nRRULE:FREQ=DAILY"} {
		if at, more, err := repeat.Next(rule, time.Time{}); err == nil || more || !at.IsZero() || strings.Contains(err.Error(), "Nowhere") {
			t.Errorf("%q: got %v, %v, %v; want an error that does not quote it", rule, at, more, err)
		}
		if got := repeat.Words(rule); got != "by a rule that cannot be read" {
			t.Errorf("%q: got %q", rule, got)
		}
	}
	if _, more, err := repeat.Next("", time.Time{}); more || err != nil {
		t.Errorf("one that does not repeat: got %v, %v", more, err)
	}
}

func TestSameTimes(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 10, 14, 10, 0, 0, 0, time.UTC)
	monday, at, err := repeat.Read("every Monday at 9", time.Time{}, now)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]bool{
		"weekly": true, "every Monday": true, "FREQ=WEEKLY": true, "every other week": false, "every Monday at 10": false, "monthly": false, "FREQ=WEEKLY;COUNT=3": false,
	} {
		rule, _, err := repeat.Read(text, at, now)
		if got := repeat.Same(monday, rule); err != nil || got != want {
			t.Errorf("%q: got %v, %v; want %v", text, got, err, want)
		}
	}
	if repeat.Same(monday, "every Monday") {
		t.Error("what cannot be read is like nothing")
	}
}

func FuzzRead(f *testing.F) {
	f.Add("every other monday at 9")
	f.Add("FREQ=MONTHLY;BYDAY=2TU;INTERVAL=3")
	f.Add("the last day of every month in the evening")
	f.Add("cada dos semanas los martes, hasta el 24 de diciembre!")
	now := time.Date(2026, 10, 14, 10, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, text string) {
		rule, at, err := repeat.Read(text, time.Time{}, now)
		if err != nil {
			return
		}
		if !at.After(now) {
			t.Errorf("%q: %v is past", text, at)
		}
		if next, more, _ := repeat.Next(rule, at); more && !next.After(at) {
			t.Errorf("%q: %v after %v", text, next, at)
		}
		if repeat.Words(rule) == "" {
			t.Errorf("%q: %q is not said", text, rule)
		}
	})
}
