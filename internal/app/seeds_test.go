package app

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
)

// V's manual test: a call about the Tesla service, its summary in the store of documents, and the call back. Its checks of
// a summary's quality are checks here: no fillers and no greetings, what the agent promised, and where the call left off.
func TestTheCallAboutTheTeslaService(t *testing.T) {
	t.Parallel()
	const asim = "+16479802995"
	h := build(t, t.TempDir(), Options{}).start()
	said := func(who recaller.Speaker, text string) client.TurnInput {
		return client.TurnInput{Speaker: who, Text: text}
	}
	call := h.ring(asim).Conversation.ID
	_, err := h.AddTurns(t.Context(), call,
		said(recaller.Assistant, "Hey, how are you?"),
		said(recaller.User, "Hey! I'm good, um, how are you doing?"),
		said(recaller.Assistant, "Great. What can I do for you?"),
		said(recaller.User, "So, um, uh, remind me about the Tesla service, you know, it is due before the trip to Ottawa."),
		said(recaller.Assistant, "I'll remind you about the Tesla service."),
		said(recaller.User, "And, uh, we still have to find out whether they lend us a car."),
		said(recaller.Assistant, "I'll ask the garage about a loan car and send you what they say."),
		said(recaller.User, "Perfect. Talk later, bye."),
	)
	if err != nil {
		t.Fatal(err)
	}
	hung := time.Now()
	h.hangUp(call)
	var found client.QueryResponse
	h.eventually("the summary is found", func() bool {
		found, err = h.Query(t.Context(), client.QueryRequest{Text: "voice call summary", Limit: 1})
		return err != nil || len(found.Results) == 1
	})
	if took := time.Since(hung); err != nil || took > 15*time.Second {
		t.Fatalf("found after %v, %v", took, err)
	}
	if !strings.HasPrefix(found.Results[0].Title, "Voice Call Summary — ") {
		t.Errorf("got %q", found.Results[0].Title)
	}
	h.writtenUp(call)
	d, err := h.Document(t.Context(), call)
	if err != nil {
		t.Fatal(err)
	}
	holds(t, "the summary", d.Content, "**Session:** voice-session:", "**Duration:** 2m 0s", "**Caller:** "+asim, "### Topics Discussed", "Tesla service",
		"loan car", "### Action Items\n",
		"- [ ] Agent: “I'll ask the garage about a loan car and send you what they say.”\n", "### Context for Next Call\n", "!how are you", "!Hey", "!um,", "!uh,", "!you know", "!bye")

	back := h.ring(asim)
	holds(t, "the call back", back.Briefing.Text, "Recent Voice Calls", "Tesla service")
	if n := strings.Count(back.Briefing.Text, "I'll ask the garage"); n != 1 {
		t.Errorf("the briefing tells what was promised %d times, want once:\n%s", n, back.Briefing.Text)
	}
	asked, err := h.CallerBriefing(t.Context(), back.Caller.ID, client.BriefingQuery{Query: "what did we just talk about?"})
	if err != nil {
		t.Fatal(err)
	}
	holds(t, "what did we just talk about?", asked.Text, "Tesla service")
}

// H's example of a flow with the memory: the call drops behind its first sentence, no tool was called, and the next one
// goes on from it.
func TestThePipeRepairGoesOn(t *testing.T) {
	t.Parallel()
	h := build(t, t.TempDir(), Options{}).start()
	const number = "+1-555-0199"
	call := h.ring("+15550199").Conversation.ID
	h.say(call, "I need to schedule a pipe repair at 742 Evergreen Terrace")
	if _, err := h.EndConversation(t.Context(), call, client.EndRequest{Status: recaller.Failed}); err != nil {
		t.Fatal(err)
	}
	h.writtenUp(call)
	a := h.connect(h.keyOf(recaller.ScopeAgent), nil)
	got := a.call("read_agent_memory", args{"phoneNumber": number})
	staging, _ := got["stagingData"].(map[string]any)
	if got["found"] != true || staging["address"] != "742 Evergreen Terrace" || !strings.Contains(got["summary"].(string), "pipe repair") {
		t.Errorf("got %v", got)
	}
	h.clock.turn(time.Hour)
	next := h.ring("+15550199")
	holds(t, "the greeting", next.Briefing.Text, "Welcome back. I see we were discussing", "pipe repair", "742 Evergreen Terrace")
	a.call("update_agent_memory", args{"phoneNumber": number, "summary": "Job created and assigned", "intent": "completed"})
	if got := a.call("read_agent_memory", args{"phoneNumber": number}); got["found"] != false {
		t.Errorf("after the job was created: got %v", got)
	}
}

// H's tools have its arguments and its prompting instructions, word for word: a model goes by them.
func TestToolsAreDescribedAsInH(t *testing.T) {
	t.Parallel()
	h := build(t, t.TempDir(), Options{})
	a := h.connect(h.keyOf(recaller.ScopeAgent), nil)
	for name, want := range map[string]struct{ says, required string }{
		"read_agent_memory":   {"Call this immediately at the start of a conversation to check for history", `"required":["phoneNumber"]`},
		"update_agent_memory": {"Call this after every significant information exchange to save progress", `"required":["phoneNumber","summary"]`},
	} {
		tool := a.tools[name]
		schema, err := json.Marshal(tool.InputSchema)
		if err != nil {
			t.Fatal(err)
		}
		holds(t, name, tool.Description, want.says)
		holds(t, name, string(schema), want.required)
		if name == "update_agent_memory" {
			holds(t, name, string(schema), `"intent"`, `"stagingData"`)
		}
	}
}
