package tool

import (
	"strings"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
)

func zone(t testing.TB, name string) *time.Location {
	t.Helper()
	loc, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return loc
}

func TestTimeOfAReminderIsTheCallersOwn(t *testing.T) {
	t.Parallel()
	ny := zone(t, "America/New_York")
	now := time.Date(2026, 11, 21, 10, 30, 0, 0, ny) // a Saturday
	tests := []struct{ text, want string }{
		{"2026-11-24T15:00:00Z", "2026-11-24T10:00:00-05:00"},
		{"2026-11-24t15:00:00z", "2026-11-24T10:00:00-05:00"},
		{"2026-11-24T15:00:00.5+01:00", "2026-11-24T09:00:00-05:00"},
		{"2026-11-24T15:00Z", "2026-11-24T10:00:00-05:00"},
		{"2026-11-24 15:00:00+01:00", "2026-11-24T09:00:00-05:00"},
		{"2026-11-24T15:00:00", "2026-11-24T15:00:00-05:00"},
		{"2026-11-24T15:00", "2026-11-24T15:00:00-05:00"},
		{"2026-11-24 15:00", "2026-11-24T15:00:00-05:00"},
		{"2026-11-24", "2026-11-24T09:00:00-05:00"},
		{"tomorrow at 9", "2026-11-22T09:00:00-05:00"},
		{"tomorrow at nine", "2026-11-22T09:00:00-05:00"},
		{"remind me tomorrow at 9 please", "2026-11-22T09:00:00-05:00"},
		{"tomorrow", "2026-11-22T09:00:00-05:00"},
		{"Tomorrow morning", "2026-11-22T09:00:00-05:00"},
		{"tomorrow evening", "2026-11-22T19:00:00-05:00"},
		{"in two hours", "2026-11-21T12:30:00-05:00"},
		{"two hours", "2026-11-21T12:30:00-05:00"},
		{"in one minute", "2026-11-21T10:31:00-05:00"},
		{"in a minute", "2026-11-21T10:31:00-05:00"},
		{"25:00", ""},
		{"tomorrow at 25:00", ""},
		{"at 12:75", ""},
		{"in 20 minutes", "2026-11-21T10:50:00-05:00"},
		{"next Tuesday", "2026-11-24T09:00:00-05:00"},
		{"Tuesday at 3pm", "2026-11-24T15:00:00-05:00"},
		{"on Tuesday at three", "2026-11-24T15:00:00-05:00"},
		{"next week", "2026-11-23T09:00:00-05:00"},
		{"in three days", "2026-11-24T09:00:00-05:00"},
		{"12/5", "2026-12-05T09:00:00-05:00"},
		{"at 11", "2026-11-21T11:00:00-05:00"},
		{"9am", "2026-11-22T09:00:00-05:00"}, // today's is over
		{"9:30", "2026-11-22T09:30:00-05:00"},
		{"15:30", "2026-11-21T15:30:00-05:00"},
		{"noon", "2026-11-21T12:00:00-05:00"},
		{"24 December 2026", "2026-12-24T09:00:00-05:00"},
		{"in two weeks", "2026-12-05T09:00:00-05:00"},
		{"", ""},
		{"soon", ""},
		{"when it suits", ""},
		{"every Monday at 9", ""},
		{"on Sundays", ""},
		{"Monday or Tuesday", ""},
		{"2027-13-45T99:00:00Z", ""},
		{"2027-13-45 99:00", ""},
		{"in 2028", ""},
		{"next year", ""},
		{strings.Repeat("tomorrow ", 40), ""},
	}
	for _, tt := range tests {
		got, ok := dueTime(tt.text, now, false)
		told := ""
		if ok {
			told = got.In(ny).Truncate(time.Second).Format(time.RFC3339)
		}
		if told != tt.want {
			t.Errorf("%q: got %q, want %q", tt.text, told, tt.want)
		}
	}
	if got, _ := dueTime("12/5/2027", now, true); got.Format(time.DateOnly) != "2027-05-12" {
		t.Errorf("where the day comes first: got %s, want 12 May", got.Format(time.DateOnly))
	}
}

// Nine o'clock stays nine o'clock when the clocks change.
func TestClocksChange(t *testing.T) {
	t.Parallel()
	tests := []struct{ zone, now, text, want string }{
		{"America/New_York", "2026-03-07T12:00:00", "tomorrow at 9", "2026-03-08T09:00:00-04:00"},
		{"America/New_York", "2026-03-07T12:00:00", "tomorrow", "2026-03-08T09:00:00-04:00"},
		{"America/New_York", "2026-10-31T12:00:00", "tomorrow", "2026-11-01T09:00:00-05:00"},
		{"America/New_York", "2026-10-31T12:00:00", "2026-11-02T09:00", "2026-11-02T09:00:00-05:00"},
		{"Europe/Berlin", "2026-03-28T12:00:00", "tomorrow at half past two in the morning", "2026-03-29T03:30:00+02:00"}, // there is no 2:30
		{"Europe/Berlin", "2026-03-28T23:30:00", "in three hours", "2026-03-29T03:30:00+02:00"},                           // hours that pass
		{"Asia/Kolkata", "2026-03-28T12:00:00", "tomorrow at 9", "2026-03-29T09:00:00+05:30"},
	}
	for _, tt := range tests {
		now, err := time.ParseInLocation("2006-01-02T15:04:05", tt.now, zone(t, tt.zone))
		if err != nil {
			t.Fatal(err)
		}
		got, ok := dueTime(tt.text, now, false)
		if told := got.In(now.Location()).Format(time.RFC3339); !ok || told != tt.want {
			t.Errorf("%s, %q: got %s, %v; want %s", tt.zone, tt.text, told, ok, tt.want)
		}
	}
}

func TestDatesOfWhatIsStored(t *testing.T) {
	t.Parallel()
	x := exchange{said: time.Date(2026, 11, 21, 10, 30, 0, 0, zone(t, "America/New_York"))}
	tests := []struct {
		kind             recaller.MemoryType
		value, want, due string
	}{
		{recaller.FollowUp, "doctor Tuesday at 3", "doctor Tuesday at 3 (24 November 2026 at 3:00 PM)", "2026-11-24T15:00:00-05:00"},
		{recaller.FollowUp, "Doctor appointment next Tuesday", "Doctor appointment next Tuesday (24 November 2026)", "2026-11-24 day"},
		{recaller.FollowUp, "grandson's birthday next week", "grandson's birthday next week (week of 23 November 2026)", "2026-11-23 day"},
		{recaller.FollowUp, "call back about the visit last Monday, tomorrow", "call back about the visit last Monday, tomorrow (22 November 2026)", "2026-11-22 day"},
		{recaller.FollowUp, "in a few weeks, exactly on 10 December 2026", "in a few weeks (around 12 December 2026), exactly on 10 December 2026", "2026-12-10 day"},
		{recaller.FollowUp, "how was this weekend", "how was this weekend (around 21 November 2026)", "2026-11-21 day"},
		{recaller.FollowUp, "ask about the garden", "ask about the garden", ""},
		{recaller.FollowUp, "the visit yesterday", "the visit yesterday (20 November 2026)", ""},
		{recaller.FollowUp, "daughter visits on Sundays", "daughter visits on Sundays", ""},
		{recaller.FollowUp, "wants to travel in 2028", "wants to travel in 2028", ""},
		{recaller.FollowUp, "surgery tomorrow (22 November 2026)", "surgery tomorrow (22 November 2026)", "2026-11-22 day"},
		{recaller.Wellbeing, "slept badly yesterday", "slept badly yesterday (20 November 2026)", ""},
		{recaller.Fact, "moved here two days ago", "moved here two days ago (19 November 2026)", ""},
		{recaller.Context, "daughter comes on Sunday", "daughter comes on Sunday", ""},
		{recaller.Preference, "loves Sunday roast and tomorrow's paper", "loves Sunday roast and tomorrow's paper", ""},
		{recaller.FollowUp, strings.Repeat("x", 1990) + " tomorrow", strings.Repeat("x", 1990) + " tomorrow", "2026-11-22 day"},
	}
	for _, tt := range tests {
		got := x.dated(tt.kind, tt.value)
		due := ""
		if got.due != nil {
			due = got.due.Format(time.RFC3339)
			if got.day {
				due = got.due.Format(time.DateOnly) + " day"
			}
		}
		if got.text != tt.want || due != tt.due {
			t.Errorf("%s %q:\ngot  %q, due %q\nwant %q, due %q", tt.kind, tt.value, got.text, due, tt.want, tt.due)
		}
	}
}

func FuzzDueTime(f *testing.F) {
	for _, s := range []string{"tomorrow at 9", "2026-11-24T15:00:00Z", "in two hours", "", "\xff", "at at at", "9999-12-31"} {
		f.Add(s)
	}
	now := time.Date(2026, 3, 8, 1, 30, 0, 0, zone(f, "America/New_York"))
	f.Fuzz(func(t *testing.T, text string) {
		if at, ok := dueTime(text, now, false); ok && at.IsZero() && !strings.HasPrefix(strings.TrimSpace(text), "0001") {
			t.Errorf("%q: got no time, and that it is one", text)
		}
		x := exchange{said: now}
		if d := x.dated(recaller.FollowUp, text); d.due == nil && d.day {
			t.Errorf("%q: got a day without one", text)
		}
	})
}
