package wording

import (
	"testing"
	"time"

	"github.com/recallerhq/recaller"
)

func TestStanding(t *testing.T) {
	t.Parallel()
	in := func(state recaller.ErrandState, reason string, rings int, next time.Duration) recaller.Reminder {
		return recaller.Reminder{DueAt: nine, Errand: &recaller.Errand{Due: nine, State: state, Reason: reason, Rings: rings, Next: nine.Add(next)}}
	}
	past := in(recaller.ErrandReached, "", 1, 0)
	past.DueAt = nine.Add(24 * time.Hour) // its next time
	for _, c := range []struct {
		r     recaller.Reminder
		means recaller.Means
		want  string
	}{
		{recaller.Reminder{DueAt: nine}, recaller.MeansNone, ""},
		{recaller.Reminder{DueAt: nine}, recaller.MeansRing, "the caller will be rung"},
		{recaller.Reminder{DueAt: nine}, recaller.MeansText, "the caller will be texted"},
		{past, recaller.MeansRingThenText, "the caller will be rung, and texted if nobody answers"},
		{in(recaller.ErrandWaiting, "", 0, time.Minute), recaller.MeansRing, "it is due: it goes on today at 9:01 AM"},
		{in(recaller.ErrandWaiting, recaller.ErrandQuiet, 0, 12*time.Hour), recaller.MeansRing, "it is due: it waits (quiet hours) until today at 9:00 PM"},
		{in(recaller.ErrandWaiting, recaller.ErrandInCall, 1, time.Minute), recaller.MeansRing, "it is due: it waits until this call is over"},
		{in(recaller.ErrandWaiting, recaller.ErrandBusy, 1, 20*time.Minute), recaller.MeansRing, "rung once in vain (busy), goes on today at 9:20 AM"},
		{in(recaller.ErrandWaiting, recaller.ErrandNoAnswer, 2, 25*time.Hour), recaller.MeansRing, "rung twice in vain (no-answer), goes on tomorrow at 10:00 AM"},
		{in(recaller.ErrandWaiting, recaller.ErrandMachine, 5, time.Minute), recaller.MeansRing, "rung 5 times in vain (machine), goes on today at 9:01 AM"},
		{in(recaller.ErrandDialling, "", 1, 0), recaller.MeansRing, "it is due: the telephone rings now"},
		{in(recaller.ErrandTalking, "", 1, 0), recaller.MeansRing, "it is due: a call about it goes on"},
		{in(recaller.ErrandTexting, "", 1, 0), recaller.MeansRing, "it is due: a text goes out now"},
		{in(recaller.ErrandReached, "", 1, 0), recaller.MeansRing, "the caller was told"},
		{in(recaller.ErrandFailed, recaller.ErrandCountry, 0, 0), recaller.MeansRing, "the caller was not reached (country)"},
	} {
		if got := Standing(c.r, c.means, nine); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}
