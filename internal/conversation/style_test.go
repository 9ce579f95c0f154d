package conversation_test

import (
	"strings"
	"testing"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/briefing"
	"github.com/recallerhq/recaller/internal/conversation"
)

// An agent that is given a whole system prompt is given one too when the store is away: without it, it would have none.
func TestTheStyleOfABriefingHoldsWithAndWithoutTheStore(t *testing.T) {
	for _, storeAway := range []bool{false, true} {
		b := newBench(t)
		if storeAway {
			b.storeIsAway()
		}
		for style, want := range map[recaller.BriefingStyle]bool{"": false, recaller.StyleBriefing: false, recaller.StyleSystemPrompt: true} {
			got := b.begin(keep, conversation.Start{BriefingStyle: style})
			later, err := b.Briefing(t.Context(), keep, string(got.Conversation.ID), briefing.Request{Style: style})
			if err != nil {
				t.Fatal(err)
			}
			asItBegan, err := b.Briefing(t.Context(), keep, string(got.Conversation.ID), briefing.Request{})
			if err != nil {
				t.Fatal(err)
			}
			for _, told := range []recaller.Briefing{got.Briefing, later, asItBegan} {
				if whole := strings.HasPrefix(told.Text, "You are an AI assistant"); whole != want || told.Degraded != storeAway {
					t.Errorf("store away %v, style %q: got degraded %v and a system prompt: %v, want %v", storeAway, style, told.Degraded, whole, want)
				}
			}
		}
	}
}
