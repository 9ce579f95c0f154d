package wording

import (
	"strconv"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/when"
)

// Standing says in few English words, for an agent, how a caller is reached about a reminder that waits: by means, unless
// that has begun. now is in the caller's zone. It is empty where nobody is reached.
func Standing(r recaller.Reminder, means recaller.Means, now time.Time) string {
	e := r.Errand
	if e == nil || !e.Due.Equal(r.DueAt) {
		return map[recaller.Means]string{
			recaller.MeansRing: "the caller will be rung", recaller.MeansText: "the caller will be texted",
			recaller.MeansRingThenText: "the caller will be rung, and texted if nobody answers",
		}[means]
	}
	switch e.State {
	case recaller.ErrandDialling, recaller.ErrandRinging:
		return "it is due: the telephone rings now"
	case recaller.ErrandTalking:
		return "it is due: a call about it goes on"
	case recaller.ErrandTexting:
		return "it is due: a text goes out now"
	case recaller.ErrandReached:
		return "the caller was told"
	case recaller.ErrandFailed:
		return "the caller was not reached (" + e.Reason + ")"
	}
	next := when.Phrase(e.Next, now, false)
	switch {
	case e.Reason == recaller.ErrandInCall:
		return "it is due: it waits until this call is over"
	case e.Rings > 0:
		return "rung " + times(e.Rings) + " in vain (" + e.Reason + "), goes on " + next
	case e.Reason != "":
		return "it is due: it waits (" + e.Reason + ") until " + next
	}
	return "it is due: it goes on " + next
}

func times(n int) string {
	switch n {
	case 1:
		return "once"
	case 2:
		return "twice"
	}
	return strconv.Itoa(n) + " times"
}
