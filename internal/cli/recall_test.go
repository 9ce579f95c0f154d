package cli

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/cli/term"
)

// B12, for a person to read: the parts with their places, the words, and the times.
func TestAResultIsShownWithItsReasons(t *testing.T) {
	t.Parallel()
	turn := 4
	day := func(month time.Month, d int) time.Time { return time.Date(2026, month, d, 0, 0, 0, 0, time.UTC) }
	hit := client.RecallResult{
		Kind: recaller.HitTurn, Turn: &turn, Speaker: recaller.User, Text: "They repaired the boiler.", ConversationExternalID: "CA1",
		At: time.Date(2026, time.October, 26, 9, 0, 0, 0, time.UTC), Score: 27.304,
		Why: &client.Why{
			Parts: []client.PartWhy{{Name: "bm25", Value: 17.2, Rank: 2}, {Name: "session_meaning", Value: 8.2, Rank: 1}, {Name: "time", Value: 3.104, Rank: 12}, {Name: "said_above", Value: -1.2}},
			Terms: []client.TermWhy{{Term: "boiler", Weight: 11.5}, {Term: "repair", Weight: 5.7}},
			Times: []client.TimeWhy{
				{Phrase: "three weeks ago", From: day(time.October, 28), Until: day(time.October, 29), Days: -2, Value: 3.104},
				{Phrase: "last spring", From: day(time.March, 1), Until: day(time.June, 1), Days: 148},
				{Phrase: "on Monday", From: day(time.October, 26), Until: day(time.October, 27), Value: 4.5},
				{Phrase: "on Sunday", From: day(time.October, 25), Until: day(time.October, 26), Days: 1, Value: 1},
			},
		},
	}
	var out bytes.Buffer
	writeHit(term.Out{Writer: &out, Width: 92}, 1, hit)
	want := strings.TrimPrefix(`
 1. 26 Oct 2026, the caller, turn 4 of CA1  27.30
    They repaired the boiler.
    why: bm25 +17.20 (#2), session meaning +8.20 (#1), time +3.10 (#12), said above -1.20
    words: boiler 11.50, repair 5.70
    time: three weeks ago: 28 October 2026, 2 days before, +3.10
    time: last spring: 1 March 2026 to 31 May 2026, 148 days after, +0.00
    time: on Monday: 26 October 2026, said then, +4.50
    time: on Sunday: 25 October 2026, 1 day after, +1.00
`, "\n")
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAResultMayShareNoWordWithTheQuestion(t *testing.T) {
	t.Parallel()
	lines := whyOf(client.Why{Parts: []client.PartWhy{{Name: "meaning", Value: 9, Rank: 1}}})
	if diff := cmp.Diff([]string{"why: meaning +9.00 (#1)", "words: none of the query's"}, lines); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The server leaves out a time that no calendar has (httpapi: TestTheEndOfTheCalendarIsLeftOut).
func TestATimeThatTheServerLeftOutIsNoYear(t *testing.T) {
	t.Parallel()
	first, last := time.Date(1, time.January, 2, 0, 0, 0, 0, time.UTC), time.Date(9999, time.December, 31, 0, 0, 0, 0, time.UTC)
	for _, test := range []struct {
		from, until time.Time
		want        string
	}{
		{last, time.Time{}, "from 31 December 9999"},
		{time.Time{}, first, "until 1 January 0001"},
		{time.Time{}, time.Time{}, "past all calendars"},
		{last.AddDate(0, 0, -1), last, "30 December 9999"},
	} {
		if got := daysOf(client.TimeWhy{From: test.from, Until: test.until}); got != test.want {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
}
