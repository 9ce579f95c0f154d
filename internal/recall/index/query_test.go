package index

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestDatesAreReadFromAQuery(t *testing.T) {
	t.Parallel()
	open := func(y, m, d int) date { return date{year: y, month: m, day: d, anyWeekday: true} }
	for _, c := range []struct {
		query string
		want  []date
	}{
		{"what was said on 2023-05-20", []date{open(2023, 5, 20)}},
		{"on 2023/5/2?", []date{open(2023, 5, 2)}},
		{"on May 20th, 2023", []date{open(2023, 5, 20)}},
		{"the 3rd of March", []date{open(0, 3, 3)}},
		{"5 April", []date{open(0, 4, 5)}},
		{"in may", []date{open(0, 5, 0)}},
		{"last May", []date{open(0, 5, 0)}},
		{"May I come? I may. We march on", nil},
		{"in January and March", []date{open(0, 1, 0), open(0, 3, 0)}},
		{"back in 2021", []date{open(2021, 0, 0)}},
		{"rooms 1850 and 215", nil},
		{"on Saturday", []date{{weekday: time.Saturday}}},
		{"2023-13-40", []date{open(2023, 0, 0)}},
		{"the garden", nil},
	} {
		got := dates(split(c.query))
		if diff := cmp.Diff(c.want, got, cmp.AllowUnexported(date{})); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.query, diff)
		}
	}
}

func TestAQueryMayAskForWhatTheAgentSaid(t *testing.T) {
	t.Parallel()
	for q, want := range map[string]bool{
		"What restaurant did you recommend?": true, "Remind me of the address": true, "the number you just gave me": true,
		"What did I say to you?": false, "Do you know my dog?": false, "": false,
	} {
		if got := asksAgent(split(q)); got != want {
			t.Errorf("%q: got %v, want %v", q, got, want)
		}
	}
}
