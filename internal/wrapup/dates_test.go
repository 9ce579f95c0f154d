package wrapup

import (
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/wrapup/reading"
)

// read reads what a caller said on Saturday 21 November 2026.
func read(said ...string) reading.Reading {
	saturday := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	var turns []recaller.Turn
	for i, text := range said {
		turns = append(turns, recaller.Turn{Number: i, Speaker: recaller.User, Text: text, Confidence: 1, At: saturday})
	}
	return reading.Of(turns, saturday, false)
}

func TestADayOfAModelsTextIsTheOneThatWasSaid(t *testing.T) {
	tests := []struct{ said, text, want string }{
		{"I have an appointment tomorrow.", "They have an appointment tomorrow.", "They have an appointment tomorrow (22 November 2026)."},
		{"I want to book on Tuesday at 3pm.", "Caller wanted to book on Tuesday at 3pm, for four.", "Caller wanted to book on Tuesday at 3pm (24 November 2026 at 3:00 PM), for four."},
		{"He came on Tuesday and broke it.", "He came on Tuesday", "He came on Tuesday (17 November 2026)"},
		{"He came on Tuesday. Can you come on Tuesday?", "Coming on Tuesday", "Coming on Tuesday"}, // either may be meant
		{"My sister visits soon.", "Sister visits tomorrow", "Sister visits tomorrow"},             // nobody said so
		{"It is on 24 November 2026.", "The appointment is on 24 November 2026", "The appointment is on 24 November 2026"},
		{"I rise at 6 am.", "They rise at 6 am", "They rise at 6 am"},
		{"", "", ""},
	}
	for _, tt := range tests {
		r := read(tt.said)
		if got := dated(tt.text, r.Base, r.Turns); got != tt.want {
			t.Errorf("got  %q\nwant %q", got, tt.want)
		}
	}
}

func TestEverySectionIsDated(t *testing.T) {
	s := recaller.Summary{Brief: "tomorrow", Next: "tomorrow", Decisions: []string{"tomorrow"}, Actions: []string{"tomorrow"}, Facts: []string{"tomorrow"}}
	date(&s, read("I will come tomorrow."))
	for _, got := range []string{s.Brief, s.Next, s.Decisions[0], s.Actions[0], s.Facts[0]} {
		if got != "tomorrow (22 November 2026)" {
			t.Errorf("got %q", got)
		}
	}
}
