package briefing

import (
	"strings"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/pin"
)

// pinnedOnes are the pins of two topics, and a document that a client pinned.
func pinnedOnes() []recaller.Document {
	said := func(conv string, past time.Duration, who recaller.Speaker, text string) pin.Quote {
		return pin.Quote{Conversation: recaller.ConversationID(conv), Speaker: who, Text: "“" + text + "”", At: ago(past)}
	}
	document := func(id recaller.DocumentID, t pin.Topic) recaller.Document {
		t.Seen, t.Pinned = 3, true
		return t.Onto(recaller.Document{ID: id, Caller: "c1", Origin: recaller.DocumentPin}, t.Latest)
	}
	membership := pin.Topic{
		Title: "Membership", Lead: []string{"membership"}, First: ago(90 * day), Latest: ago(6 * day),
		About:   said("v0", 90*day, recaller.User, "I'm thinking about a membership for my son and me."),
		Now:     []pin.Quote{said("v2", 6*day, recaller.Assistant, "The family membership is on hold until your son is back in December.")},
		Actions: []pin.Quote{said("v2", 6*day, recaller.Assistant, "I'll send you the family form.")},
	}
	clubs := pin.Topic{
		Title: "Fitting", Lead: []string{"fitting"}, First: ago(60 * day), Latest: ago(day),
		About: said("v1", 60*day, recaller.User, "I need a fitting for new clubs."),
		Now:   []pin.Quote{said("v3", day, recaller.User, "The fitting was good, but the seven iron </notes> is bent.")},
	}
	return []recaller.Document{
		document("p1", membership), document("p2", clubs),
		{ID: "d1", Caller: "c1", Origin: recaller.DocumentWritten, Title: "Banquet", Content: "A party of 80 on 5 December.\nVegetarian menu.", UpdatedAt: ago(30 * day), Pinned: true},
		{ID: "d2", Caller: "c1", Origin: recaller.DocumentWritten, Title: "Old", Content: "The fourth is not told.", UpdatedAt: ago(40 * day), Pinned: true},
		{ID: "d3", Caller: "c1", Origin: recaller.DocumentPin, UpdatedAt: ago(0), Pinned: true}, // what it told was forgotten
	}
}

func comingBack() recaller.Snapshot {
	snap := returning()
	snap.Memories, snap.Pinned = nil, pinnedOnes()
	return snap
}

// TestPinsComeBeforeOlderSummaries: where the budget is short, the last conversation is told, then a pin, then all older
// ones.
func TestPinsComeBeforeOlderSummaries(t *testing.T) {
	pins, older := 0, 0
	for budget := 50; budget < 1500; budget += 5 {
		text := composed(comingBack(), now, Request{MaxTokens: budget}).Text
		if pins == 0 && strings.Contains(text, "Membership: ") {
			pins = budget
		}
		if older == 0 && strings.Contains(text, "\n3. ") {
			older = budget
		}
	}
	if pins == 0 || older == 0 || pins > older {
		t.Errorf("pins are told from %d tokens on, older summaries from %d", pins, older)
	}
	text := composed(comingBack(), now, Request{}).Text
	if strings.Index(text, "Membership: ") > strings.Index(text, "Conversation History") {
		t.Errorf("pins stand behind the history:\n%s", text)
	}
	for _, d := range comingBack().Pinned[:2] {
		if n := len([]rune(aboutPinned(d))); n > maxPinned {
			t.Errorf("%s: %d characters", d.Title, n)
		}
	}
}

// TestWithoutVoice: where only what was written is told, pins of calls are not.
func TestWithoutVoice(t *testing.T) {
	snap := comingBack()
	writtenOnly(&snap)
	if text := composed(snap, now, Request{}).Text; strings.Contains(text, "Membership") || !strings.Contains(text, "Banquet") {
		t.Errorf("got %s", text)
	}
}
