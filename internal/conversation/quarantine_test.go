package conversation_test

import (
	"strings"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/briefing"
	"github.com/recallerhq/recaller/internal/conversation"
)

// Calls of callers whose key is missing are held, and hold up nobody: not a call that waits for the store, nor the end
// of the process. After a day without a sign of the key, or of the caller, what is held is given up.
func TestCallsOfTheQuarantinedHoldUpNobody(t *testing.T) {
	b := newBench(t)
	b.faults.Before("open", func() error { return recaller.MissingKey(keep, "gone") })
	var ids []string
	for _, number := range []string{"+12025550151", "+12025550152", "+12025550153", "+12025550154"} {
		s := b.begin(keep, conversation.Start{Caller: conversation.CallerRef{Phone: number}})
		if !s.Briefing.Degraded || s.Briefing.Reason != briefing.ReasonKey {
			t.Errorf("got %+v, want a briefing without what cannot be read", s.Briefing)
		}
		ids = append(ids, string(s.Conversation.ID))
		b.holds(keep, ids[len(ids)-1], recaller.Once{}, 0, "user: hello")
	}
	b.faults.Clear()
	other := string(b.begin(keep, conversation.Start{}).Conversation.ID)
	b.storeIsAway()
	b.holds(keep, other, recaller.Once{}, 0, "user: one")
	b.faults.Clear()
	b.faults.Before("open", func() error { return recaller.MissingKey(keep, "gone") })
	if waiting := b.FlushHeld(t.Context()); waiting != 0 {
		t.Errorf("%d conversations wait for the store, want none", waiting)
	}
	b.wantHeard(keep, other, "0 one")
	if conversations, turns := b.Drain(t.Context()); conversations != 4 || turns != 4 { // at once
		t.Errorf("the process ends without %d turns of %d conversations, want it to say 4 of 4", turns, conversations)
	}
	b.Clock.Advance(25 * time.Hour)
	b.FlushHeld(t.Context())
	if conversations, _ := b.Waiting(); conversations != 0 || strings.Count(b.logged.String(), "which is dropped") != 4 {
		t.Errorf("%d conversations wait after a day, want none, and the log to say so", conversations)
	}
	_, err := b.Find(t.Context(), keep, ids[0])
	b.is(err, recaller.NotFound, "")
}
