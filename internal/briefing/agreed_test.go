package briefing

import (
	"strings"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
)

// What the rules heard is due on its day, unless that day was moved or cancelled since; what somebody kept by hand stays.
func TestWhatWasCalledOffIsNotDue(t *testing.T) {
	snap := agreedOn()
	eastern := time.FixedZone("EST", -5*3600)
	due := func(key string, dayOf int, source recaller.MemorySource) recaller.Memory {
		at := time.Date(2026, 11, dayOf, 9, 0, 0, 0, eastern)
		return recaller.Memory{
			ID: recaller.MemoryID(key), Version: 1, Status: recaller.MemoryActive, Type: recaller.FollowUp, Key: key, Value: "the words of " + key,
			Confidence: 1, Source: source, DueAt: &at, DueDay: true, CreatedAt: ago(6 * day), ConfirmedAt: ago(6 * day),
		}
	}
	snap.Memories = []recaller.Memory{
		due("moved", 23, recaller.SourceExtraction), due("cancelled", 28, recaller.SourceExtraction), due("standing", 24, recaller.SourceExtraction),
		due("elsewhere", 25, recaller.SourceExtraction), due("by_hand", 23, recaller.SourceConversation),
	}
	got := compose(material{snap: snap}, now, Request{}, newZones()).Text
	for key, want := range map[string]bool{"moved": false, "cancelled": false, "standing": true, "elsewhere": true, "by_hand": true} {
		if strings.Contains(got, "the words of "+key) != want {
			t.Errorf("%s is told: %v, want %v\n%s", key, !want, want, got)
		}
	}
}

// A call that has no brief is written up all the same: its first line stands for it.
func TestACallWithoutABriefIsToldByItsFirstLine(t *testing.T) {
	snap := returning()
	snap.History = snap.History[:1]
	snap.History[0].Summary = &recaller.Summary{By: "rules", Decisions: []string{"Caller: “They're giving me a new hip.”"}}
	got := compose(material{snap: snap}, now, Request{}, newZones()).Text
	if strings.Count(got, "a new hip") != 1 || strings.Contains(got, "Not written up yet") {
		t.Errorf("got\n%s", got)
	}
}
