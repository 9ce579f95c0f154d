package briefing

import (
	"slices"
	"strings"
	"testing"

	"github.com/recallerhq/recaller"
)

// A number that several people use is told as such, with who was here most often, and what to do.
func TestSeveralPeopleUseANumber(t *testing.T) {
	t.Parallel()
	snap := returning()
	snap.Caller.Name, snap.Caller.Conversations = "Karl", 5
	snap.People = []recaller.Caller{{Name: "Anna", Conversations: 2}, {Conversations: 1}}
	part := partNamed(t, composed(snap, now, Request{}), "caller")
	for _, want := range []string{"Several people use this number: ", "Karl (most often), Anna, somebody whose name is not known", "ask before you tell"} {
		if !strings.Contains(part.Text, want) {
			t.Errorf("got %q, want %q in it", part.Text, want)
		}
	}
	if strings.Contains(part.Text, "someone_else") {
		t.Error("an agent without tools is told of one")
	}
	if text := partNamed(t, composed(withTools(snap), now, Request{}), "caller").Text; !strings.Contains(text, "call someone_else") {
		t.Errorf("got %q, want the tool named", text)
	}
	snap.People[0].Conversations = 9
	if text := partNamed(t, composed(snap, now, Request{}), "caller").Text; !strings.Contains(text, "Anna (most often), Karl") {
		t.Errorf("got %q, want Anna first", text)
	}
	snap.People = nil
	if text := composed(snap, now, Request{}).Text; strings.Contains(text, "Several people") {
		t.Error("one person is told as several")
	}
}

// An agent that is told in the style of a whole prompt knows of them, too, and welcomes none of them by name.
func TestSeveralPeopleInAWholePrompt(t *testing.T) {
	t.Parallel()
	snap := withTools(returning())
	snap.Caller.Name, snap.People = "Karl", []recaller.Caller{{Name: "Anna", Conversations: 2}}
	for _, own := range []string{"", "Golf Club, good day!"} {
		snap.Tenant.Profile.Greeting = own
		text := composed(snap, now, Request{Style: recaller.StyleSystemPrompt, MaxTokens: MaxTokens}).Text
		has(t, text, []string{"Several people use this number: Karl (most often), Anna", "call someone_else", "Welcome back!"}, []string{"Welcome back, Karl"})
	}
}

// Who comes to speak in the middle of a conversation is not welcomed to it, neither as a first-time caller nor as one who
// is back, in any style.
func TestWhoSpeaksAmidAConversationIsNotWelcomed(t *testing.T) {
	t.Parallel()
	fresh := recaller.Snapshot{Tenant: returning().Tenant, Caller: recaller.Caller{Name: "Anna", Identities: maria().Identities}}
	for name, snap := range map[string]recaller.Snapshot{"new": fresh, "back": returning()} {
		for _, style := range []recaller.BriefingStyle{recaller.StyleBriefing, recaller.StyleSystemPrompt} {
			for _, own := range []string{"", "Golf Club, good day!"} {
				snap.Tenant.Profile.Greeting = own
				amid := composed(snap, now, Request{Style: style, MaxTokens: MaxTokens, Amid: true}).Text
				has(t, amid, []string{"Somebody else spoke in this conversation before.", snap.Caller.Name},
					[]string{"greet them warmly", "Welcome", "first-time", "A returning caller", "GREETING", "Golf Club, good day!"})
				if name == "new" && style == recaller.StyleBriefing && !strings.Contains(amid, "Nothing is known of them yet.") {
					t.Errorf("got\n%s", amid)
				}
				if usual := composed(snap, now, Request{Style: style, MaxTokens: MaxTokens}).Text; strings.Contains(usual, "Somebody else spoke") {
					t.Errorf("nobody spoke before:\n%s", usual)
				}
			}
		}
	}
}

// In the chat of one person nobody else can come to speak: no tool is named that would be refused.
func TestNobodyElseSpeaksInAThread(t *testing.T) {
	t.Parallel()
	snap := withTools(returning())
	snap.People = []recaller.Caller{{Name: "Anna"}}
	alone := composed(snap, now, Request{Alone: true})
	has(t, alone.Text, []string{"Several people use this number"}, []string{"someone_else"})
	if with := composed(snap, now, Request{}); !slices.Contains(alone.Refused, recaller.ToolSomeoneElse) || slices.Contains(with.Refused, recaller.ToolSomeoneElse) {
		t.Errorf("refused are %v, and else %v", alone.Refused, with.Refused)
	}
}

// Whose number others use is not welcomed as somebody new: whoever rings may be one of those.
func TestANumberOfOthersIsNobodysFirst(t *testing.T) {
	t.Parallel()
	snap := recaller.Snapshot{Tenant: returning().Tenant, Caller: recaller.Caller{Name: "Karl", Identities: maria().Identities}, People: []recaller.Caller{{Name: "Eve", Conversations: 1}}}
	has(t, composed(snap, now, Request{}).Text, []string{"Nothing was said with them yet, but others use their number", "Eve (most often), Karl", "ask before you tell"}, []string{"first-time"})
	has(t, composed(snap, now, Request{Amid: true}).Text, []string{"Eve (most often), Karl", "Nothing is known of them yet."}, []string{"ask before you tell", "first-time"})
}
