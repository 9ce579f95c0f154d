package e2e

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
)

// Issue 5, part 8: what is talked about now says what of earlier conversations the agent is told.
func TestTheBriefingFollowsWhatIsTalkedAbout(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, on backing) {
		s := house(t, on)
		p, from := phone{t, s.admin}, number()
		first := p.ring(from)
		p.say(first.Conversation.ID, user("Rain comes in above the pantry since the thunderstorm took two slates."), agent("Were they the grey ones?"), user("Yes, from Wales."))
		p.hangUp(first.Conversation.ID)
		for i := range 6 {
			c := p.ring(from)
			p.say(c.Conversation.ID, user(fmt.Sprintf("Please move delivery %d of my groceries.", i+1)), agent("It is moved."))
			p.hangUp(c.Conversation.ID)
		}

		now := p.ring(from)
		recalled(t, "when nothing was said yet", now.Briefing, nil)
		recalled(t, "and when it is asked for again", p.brief(now.Conversation.ID, client.BriefingQuery{}), nil)
		p.say(now.Conversation.ID, agent("Hello again."), user("The slates above the pantry are broken once more."))
		told := p.brief(now.Conversation.ID, client.BriefingQuery{})
		recalled(t, "after the first words", told, []string{`Caller: "Rain comes in above the pantry since the thunderstorm took two slates."`}, "once more")
		again := p.ring(from) // from a second phone, at the same time
		recalled(t, "in another call", again.Briefing, nil)
		prompt := p.brief(now.Conversation.ID, client.BriefingQuery{Style: recaller.StyleSystemPrompt})
		recalled(t, "in a system prompt", prompt, []string{"took two slates"}, "once more")
		recalled(t, "with a query of its own", p.brief(now.Conversation.ID, client.BriefingQuery{Query: "delivery of groceries"}), []string{"of my groceries."}, "slates")
		before, err := s.admin.CallerBriefing(context.Background(), now.Caller.ID, client.BriefingQuery{Query: "which slates were they?", MaxTokens: 700})
		if err != nil {
			t.Fatal(err)
		}
		recalled(t, "by the caller, with a budget", before, []string{"took two slates"})
		if before.Tokens > 700 {
			t.Errorf("%d tokens are more than 700", before.Tokens)
		}

		heard := listen(t, p.c, now.Conversation.ID, 0)
		storeMemory(t, p.c, now.Caller.ID, "roofer", "Ames and Sons")
		heard.next(t, client.EventMemoryStored)
		recalled(t, "in what listeners get", *heard.next(t, client.EventBriefingUpdated).Briefing, []string{"took two slates"}, "once more")
		p.hangUp(now.Conversation.ID)
		recalled(t, "after the end", p.brief(now.Conversation.ID, client.BriefingQuery{}), nil)
	})
}

// recalled holds a briefing's part of what was said before against what should be there, and should not; nil: there is
// no such part.
func recalled(t *testing.T, when string, b client.Briefing, want []string, not ...string) {
	t.Helper()
	text := ""
	for _, part := range b.Parts {
		if part.Name == "recalled" {
			text = part.Text
		}
	}
	if b.Degraded || text == "" != (want == nil) {
		t.Errorf("%s: degraded %v, recalled %q", when, b.Degraded, text)
	}
	for _, w := range want {
		if strings.Count(text, w) == 0 {
			t.Errorf("%s: %q is missing in %q", when, w, text)
		}
	}
	for _, n := range not {
		if strings.Contains(text, n) {
			t.Errorf("%s: %q is unwanted in %q", when, n, text)
		}
	}
}

// brief asks what the agent of a conversation should know now.
func (p phone) brief(conversation string, q client.BriefingQuery) client.Briefing {
	p.t.Helper()
	b, err := p.c.ConversationBriefing(context.Background(), conversation, q)
	if err != nil {
		p.t.Fatal(err)
	}
	return b
}
