package httpapi

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
)

// P3 over REST: wherever a briefing is given it can be a whole system prompt, and is one only where that was asked for.
func TestABriefingCanBeAWholeSystemPrompt(t *testing.T) {
	t.Parallel()
	h := setup(t, nil)
	ctx := context.Background()
	const whole = "You are an AI assistant"
	business := "Lakeside Dental"
	if _, err := h.admin.UpdateTenant(ctx, client.TenantPatch{
		TenantSettings: client.TenantSettings{Profile: &client.ProfilePatch{Business: &business}},
	}); err != nil {
		t.Fatal(err)
	}
	start := func(style recaller.BriefingStyle) client.StartResponse {
		got, err := h.admin.StartConversation(ctx, client.StartRequest{Caller: client.CallerRef{Phone: "+4930901820"}, BriefingStyle: style})
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	ids := start(recaller.StyleSystemPrompt)
	for style, want := range map[recaller.BriefingStyle]bool{"": false, recaller.StyleBriefing: false, recaller.StyleSystemPrompt: true} {
		q := client.BriefingQuery{Style: style}
		ofCaller, err := h.admin.CallerBriefing(ctx, ids.Caller.ID, q)
		if err != nil {
			t.Fatal(err)
		}
		ofConversation, err := h.admin.ConversationBriefing(ctx, ids.Conversation.ID, q)
		if err != nil {
			t.Fatal(err)
		}
		if style == "" { // as the conversation began
			ofConversation = ofCaller
			if b, err := h.admin.ConversationBriefing(ctx, ids.Conversation.ID, q); err != nil || !strings.HasPrefix(b.Text, whole) {
				t.Errorf("no style: got %q, %v; want the style that the conversation began with", b.Text, err)
			}
		}
		for where, b := range map[string]client.Briefing{"start": start(style).Briefing, "caller": ofCaller, "conversation": ofConversation} {
			if got := strings.HasPrefix(b.Text, whole+" for Lakeside Dental.\n"); got != want {
				t.Errorf("%s, style %q: a system prompt: %v, want %v:\n%s", where, style, got, want, b.Text)
			}
			if got := slices.ContainsFunc(b.Parts, func(p client.BriefingPart) bool { return p.Name == "instructions" }); got != want {
				t.Errorf("%s, style %q: a part named instructions: %v, want %v", where, style, got, want)
			}
		}
	}
}
