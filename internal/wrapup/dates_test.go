package wrapup

import (
	"testing"
	"time"

	"github.com/recallerhq/recaller"
)

func TestRelativeDatesAreMadeAbsolute(t *testing.T) {
	saturday := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	tests := []struct{ text, want string }{
		{"They have an appointment tomorrow.", "They have an appointment tomorrow (22 November 2026)."},
		{"Caller wants to book on Tuesday at 3pm, for four.", "Caller wants to book on Tuesday at 3pm (24 November 2026 at 3:00 PM), for four."},
		{"It began two days ago and again yesterday", "It began two days ago (19 November 2026) and again yesterday (20 November 2026)"},
		{"Their daughter visits on Sundays", "Their daughter visits on Sundays"},
		{"The appointment is on 24 November 2026", "The appointment is on 24 November 2026"},
		{"It stood so yesterday (20 November 2026)", "It stood so yesterday (20 November 2026)"},
		{"They rise at 6 am", "They rise at 6 am"},
		{"Nothing was said", "Nothing was said"},
		{"", ""},
	}
	for _, tt := range tests {
		if got := dated(tt.text, saturday, false); got != tt.want {
			t.Errorf("got  %q\nwant %q", got, tt.want)
		}
	}
}

func TestEverySectionIsDated(t *testing.T) {
	s := recaller.Summary{Brief: "tomorrow", Next: "tomorrow", Decisions: []string{"tomorrow"}, Actions: []string{"tomorrow"}, Facts: []string{"tomorrow"}}
	date(&s, time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC), false)
	for _, got := range []string{s.Brief, s.Next, s.Decisions[0], s.Actions[0], s.Facts[0]} {
		if got != "tomorrow (22 November 2026)" {
			t.Errorf("got %q", got)
		}
	}
}
