package briefing

import (
	"strings"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
)

// What the rules heard is due at its time, unless what was agreed on of that matter and time was moved or called off
// since; another matter of the same day stays, and so does another hour, and what somebody kept by hand.
func TestWhatWasCalledOffIsNotDue(t *testing.T) {
	for name, test := range map[string]struct {
		value  string
		day    int
		hour   int // 0: a day
		source recaller.MemorySource
		told   bool
	}{
		"moved":                {"The fitting of the clubs is on Monday.", 23, 0, recaller.SourceExtraction, false},
		"moved, with its hour": {"The fitting of my clubs is Monday at nine.", 23, 9, recaller.SourceExtraction, false},
		"another hour":         {"The fitting of my clubs is Monday at nine.", 23, 15, recaller.SourceExtraction, true},
		"another matter":       {"My sister's piano recital is on Monday.", 23, 0, recaller.SourceExtraction, true},
		"called off":           {"We have the tour of the hall on Saturday.", 28, 0, recaller.SourceExtraction, false},
		"beside the tour":      {"I'll ring about the invoice on Saturday.", 28, 0, recaller.SourceExtraction, true},
		"what it moved to":     {"The fitting of the clubs is on Tuesday.", 24, 0, recaller.SourceExtraction, true},
		"another day":          {"The fitting of the clubs is on Wednesday.", 25, 0, recaller.SourceExtraction, true},
		"by hand":              {"The fitting of the clubs is on Monday.", 23, 0, recaller.SourceConversation, true},
	} {
		t.Run(name, func(t *testing.T) {
			snap := agreedOn()
			at := time.Date(2026, 11, test.day, test.hour, 0, 0, 0, time.FixedZone("EST", -5*3600))
			snap.Memories = []recaller.Memory{{
				ID: "m", Version: 1, Status: recaller.MemoryActive, Type: recaller.FollowUp, Key: "follow_up", Value: test.value,
				Confidence: 1, Source: test.source, DueAt: &at, DueDay: test.hour == 0, CreatedAt: ago(6 * day), ConfirmedAt: ago(6 * day),
			}}
			got := compose(material{snap: snap}, now, Request{}, newZones()).Text
			if strings.Contains(got, test.value) != test.told {
				t.Errorf("told is %v, want %v\n%s", !test.told, test.told, got)
			}
		})
	}
}

// What is only held is told as that, until somebody confirms it or the time is past until which it was held.
func TestWhatIsHeldIsToldAsHeld(t *testing.T) {
	eastern := time.FixedZone("EST", -5*3600)
	held := recaller.Act{
		Kind: recaller.ActHeld, At: time.Date(2026, 11, 30, 14, 0, 0, 0, eastern), Conversation: "v2", SaidAt: ago(6 * day),
		Said: []recaller.Saying{{Speaker: recaller.Assistant, Text: "I'll hold the thirtieth at two."}},
	}
	confirmed := held
	confirmed.Kind, confirmed.Conversation, confirmed.SaidAt = recaller.ActSettled, "v3", ago(day)
	lapsed := held
	lapsed.Of = []recaller.Stretch{{From: now.Add(-time.Hour), To: now.Add(-time.Hour)}}
	for name, test := range map[string]struct {
		acts       []recaller.Act
		told, mark bool
	}{
		"held":      {[]recaller.Act{held}, true, true},
		"confirmed": {[]recaller.Act{held, confirmed}, true, false},
		"lapsed":    {[]recaller.Act{lapsed}, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			snap := returning()
			snap.Acts = test.acts
			got := compose(material{snap: snap}, now, Request{}, newZones()).Text
			if told := strings.Contains(got, "30 November 2026, 2:00 PM"); told != test.told {
				t.Errorf("told is %v, want %v\n%s", told, test.told, got)
			}
			if mark := strings.Contains(got, "(held, not confirmed)"); mark != test.mark {
				t.Errorf("marked as held is %v, want %v\n%s", mark, test.mark, got)
			}
		})
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
