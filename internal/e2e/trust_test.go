package e2e

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
)

// desk calls the tools of a conversation, of any tenant.
type desk struct {
	phone
	call client.StartResponse
}

// post calls a tool, and returns the status and the answer.
func (d desk) post(name string, args map[string]any) (int, client.ToolAnswer, string) {
	d.t.Helper()
	raw, err := json.Marshal(args)
	if err != nil {
		d.t.Fatal(err)
	}
	out, err := d.c.CallTool(d.t.Context(), client.ToolCall{CallSessionID: d.call.Conversation.ID, Name: recaller.Tool(name), Arguments: raw})
	var p *client.Problem
	switch {
	case errors.As(err, &p):
		return p.Status, out, shown(p) + p.Detail
	case err != nil:
		d.t.Fatal(err)
	}
	return http.StatusOK, out, shown(out)
}

// does calls a tool that works.
func (d desk) does(name string, args map[string]any) client.ToolAnswer {
	d.t.Helper()
	status, out, text := d.post(name, args)
	if status != http.StatusOK {
		d.t.Fatalf("%s: got %d %s", name, status, text)
	}
	return out
}

// secretive is a caller whose husband is in prison, which is to stay between the two: it was said, stored, marked, and
// stands in a checkpoint, a reminder, a follow-up and a pinned document beside what anybody may know.
func secretive(t *testing.T, p phone) (first client.StartResponse, memory string) {
	t.Helper()
	first = p.ring(number())
	b := desk{p, first}
	conv := first.Conversation.ID
	p.say(conv, user("I'd like to book the garden hut for Saturday."), agent("Gladly. Anything that we should know?"),
		user("My husband Leopold is in prison for arson, so I come alone. Keep that between us. I am allergic to penicillin."), agent("I will. The hut is yours for Saturday at three."))
	stored := b.does("store_memory", map[string]any{"memoryType": "fact", "key": "husband", "value": "husband Leopold in prison for arson"})
	memory = stored.MemoryID
	b.does("store_memory", map[string]any{"memoryType": "preference", "key": "drink", "value": "likes elderflower tea"})
	b.does("set_reminder", map[string]any{"memoryId": memory, "dueAt": "tomorrow at 9", "value": "ask about the arson"})
	b.does("set_reminder", map[string]any{"key": "tea", "value": "buy elderflower tea", "dueAt": "tomorrow at 10"})
	b.does("mark_private", map[string]any{"key": "husband"})
	b.does("mark_private", map[string]any{"key": "husband"}) // again changes nothing
	p.end(conv, client.EndRequest{DurationSeconds: 100})
	p.writtenUp(conv)
	if _, err := p.c.PutCheckpoint(t.Context(), first.Caller.ID, client.CheckpointInput{
		Intent: "book", Summary: "Wants the hut. Her husband Leopold is in prison for arson.", StagingData: json.RawMessage(`{"note":"husband Leopold in prison","hut":"garden hut"}`),
	}); err != nil {
		t.Fatal(err)
	}
	return first, memory
}

// agentsDoors is what an agent is told of a caller in a conversation, by every door.
func agentsDoors(t *testing.T, p phone, call client.StartResponse) string {
	t.Helper()
	var out strings.Builder
	add := func(v any, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		out.WriteString(shown(v) + "\n")
	}
	add(call.Briefing, nil)
	for _, q := range []client.BriefingQuery{{}, {Query: "where is the husband Leopold, in prison?"}, {Style: recaller.StyleSystemPrompt}, {Query: "the garden hut"}} {
		b, err := p.c.ConversationBriefing(t.Context(), call.Conversation.ID, q)
		add(b, err)
	}
	b := desk{p, call}
	for _, query := range []string{"husband", "garden hut Saturday", "who is in jail", "Leopold", "what should we know"} {
		_, _, found := b.post("recall", map[string]any{"query": query})
		add(found, nil)
	}
	for name, args := range map[string]map[string]any{
		"read_checkpoint": {}, "list_reminders": {}, "forget_memory": {"key": "what she said of the husband"},
	} {
		if name == "forget_memory" && call.Conversation.Trust == recaller.TrustVerified {
			continue // it would
		}
		_, _, got := b.post(name, args)
		add(got, nil)
	}
	return out.String()
}

// What a caller asked to keep between the two is told by no door to whoever only shows her number: neither the memory, nor
// the words that said it, nor that there is any. Once it is known that it is she, it is.
func TestWhatIsPrivateIsToldToNobodyWhoOnlyShowsANumber(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, on backing) {
		p := tenantWith(t, house(t, on), recaller.Keep)
		on1 := true
		if _, err := p.c.UpdateTenant(t.Context(), client.TenantPatch{TenantSettings: client.TenantSettings{MemoryTools: &on1}}); err != nil {
			t.Fatal(err)
		}
		first, id := secretive(t, p)
		who := first.Caller.ID

		call := p.ring(first.Caller.Phone)
		told := agentsDoors(t, p, call)
		holds(t, "to who shows the number", told, "elderflower", "garden hut", "has not been verified", "!Leopold", "!arson", "!prison", "!penicillin")
		holds(t, "by key, too", byKey(t, p, who, ""), "elderflower", "garden hut", "!Leopold", "!arson", "!prison", "!penicillin")
		holds(t, "and to nobody who is sure", byKey(t, p, who, recaller.TrustVerified), "Leopold", "prison")

		b := desk{p, call}
		for what, c := range map[string]struct {
			tool string
			args map[string]any
		}{
			"forgets it by its key":       {"forget_memory", map[string]any{"key": "husband"}},
			"forgets it by its id":        {"forget_memory", map[string]any{"key": id}},
			"is reminded of it by id":     {"set_reminder", map[string]any{"memoryId": id, "dueAt": "tomorrow at 7"}},
			"cancels its reminder":        {"cancel_reminder", map[string]any{"key": "husband"}},
			"lists its reminders":         {"list_reminders", map[string]any{"key": "husband"}},
			"marks it again, from afar":   {"mark_private", map[string]any{"key": "husband"}},
			"forgets what was never said": {"forget_memory", map[string]any{"key": "unicorn"}},
		} {
			if status, _, text := b.post(c.tool, c.args); status != http.StatusNotFound {
				t.Errorf("who %s gets %d %s, want 404 as for what is not there", what, status, text)
			}
		}
		told1 := b.does("update_memory", map[string]any{"existingKey": "husband", "newValue": "husband Bertram is a baker"})
		if told1.Action != recaller.MemoryCreated {
			t.Errorf("what is told under its key: got %v, want what a new key gets", told1)
		}
		b.does("store_memory", map[string]any{"memoryType": "fact", "key": "husband", "value": "husband Bertram sells bread"})
		b.does("set_reminder", map[string]any{"key": "husband", "value": "ring the baker", "dueAt": "tomorrow at 8"})
		holds(t, "it stands as it was", shown(p.memories(who)), "husband Leopold in prison for arson")

		chat, err := p.c.OpenThread(t.Context(), client.ThreadRequest{Caller: client.CallerRef{Phone: first.Caller.Phone}, ExternalID: "chat-1"})
		if err != nil {
			t.Fatal(err)
		}
		prompt, err := p.c.ThreadPrompt(t.Context(), chat.Thread.ID, client.PromptRequest{ThreadMessage: client.ThreadMessage{Message: "What of Leopold and the garden hut?"}})
		if err != nil {
			t.Fatal(err)
		}
		system, _, _ := strings.Cut(prompt.Prompt, "User: What of")
		holds(t, "in a chat", system, "elderflower", "!Leopold", "!arson", "!prison", "!penicillin")

		heard := listen(t, p.c, call.Conversation.ID, 0)
		verified, err := p.c.VerifyConversation(t.Context(), call.Conversation.ID)
		if err != nil || verified.Trust != recaller.TrustVerified {
			t.Fatalf("got %q, %v, want verified", verified.Trust, err)
		}
		if e := heard.next(t, client.EventTrustRaised); e.Trust != recaller.TrustVerified {
			t.Errorf("got %+v", e)
		}
		holds(t, "the briefing that follows", heard.next(t, client.EventBriefingUpdated).Briefing.Text, "Leopold", "!has not been verified")
		call.Conversation.Trust = recaller.TrustVerified
		holds(t, "to herself", agentsDoors(t, p, call), "Leopold", "arson", "Bertram")
		b.does("forget_memory", map[string]any{"key": "husband"})
	})
}

// byKey is what is told of a caller where no conversation says who asks.
func byKey(t *testing.T, p phone, who string, trust recaller.Trust) string {
	t.Helper()
	var out strings.Builder
	b, err := p.c.CallerBriefing(t.Context(), who, client.BriefingQuery{Trust: trust, Query: "the husband and the garden hut"})
	if err != nil {
		t.Fatal(err)
	}
	out.WriteString(b.Text)
	for _, query := range []string{"husband", "garden hut", "jail"} {
		found, err := p.c.Recall(t.Context(), who, client.RecallRequest{Query: query, Explain: true, Trust: trust})
		if err != nil {
			t.Fatal(err)
		}
		for i := range found.Results {
			found.Results[i].Why = nil
		}
		out.WriteString(shown(found))
	}
	past, err := p.c.CallerBriefing(t.Context(), who, client.BriefingQuery{Trust: trust, AsOf: time.Now().Add(-time.Millisecond)})
	if err != nil {
		t.Fatal(err)
	}
	out.WriteString(past.Text)
	c, err := p.c.CheckpointAs(t.Context(), who, trust)
	if err != nil {
		t.Fatal(err)
	}
	return out.String() + shown(c)
}

// A tenant sets what each tier is told, and what its tools may do.
func TestATenantSetsWhatATierIsTold(t *testing.T) {
	t.Parallel()
	p := tenantWith(t, house(t, onSQLite), recaller.Keep)
	first, _ := secretive(t, p)
	set := func(tell recaller.Telling, tools recaller.Allowing) {
		t.Helper()
		on := true
		_, err := p.c.UpdateTenant(t.Context(), client.TenantPatch{TenantSettings: client.TenantSettings{
			MemoryTools: &on, Trust: &client.TrustPatch{Claimed: &client.RightsPatch{Tell: &tell, Tools: &tools}},
		}})
		if err != nil {
			t.Fatal(err)
		}
	}
	set(recaller.TellNothing, recaller.AllowAll)
	call := p.ring(first.Caller.Phone)
	holds(t, "nothing", agentsDoors(t, p, call), "nothing that is known may be told", "!elderflower", "!garden hut", "!Leopold", "!"+first.Caller.Phone, "!first-time")
	set(recaller.TellName, recaller.AllowWrite)
	call = p.ring(first.Caller.Phone)
	holds(t, "the number", agentsDoors(t, p, call), first.Caller.Phone, "!elderflower", "!garden hut", "!Leopold", "!first-time")
	b := desk{p, call}
	if status, _, text := b.post("forget_memory", map[string]any{"key": "drink"}); status != http.StatusForbidden {
		t.Errorf("forgetting: got %d %s, want it forbidden", status, text)
	}
	b.does("store_memory", map[string]any{"memoryType": "fact", "key": "drink", "value": "wants beer now"})
	b.does("store_memory", map[string]any{"memoryType": "fact", "key": "car", "value": "drives a van"})
	b.does("update_memory", map[string]any{"existingKey": "car", "newValue": "drives a lorry"}) // of this very call
	set(recaller.TellAll, recaller.AllowNone)
	call = p.ring(first.Caller.Phone)
	holds(t, "all", call.Briefing.Text, "Leopold", "elderflower", "lorry", "!store_memory")
	for _, name := range []string{"store_memory", "recall", "list_reminders", "mark_private"} {
		if status, _, _ := (desk{p, call}).post(name, map[string]any{"key": "x", "value": "y", "memoryType": "fact", "query": "z"}); status == http.StatusOK {
			t.Errorf("%s is carried out", name)
		}
	}
}

// A model that speaks MCP is told no more than whoever only shows a number.
func TestWhatIsPrivateIsNotToldOverMCP(t *testing.T) {
	t.Parallel()
	s := house(t, onSQLite)
	p := phone{t, s.admin}
	first, _ := secretive(t, p)
	m := connected(t, &mcp.StreamableClientTransport{Endpoint: s.url + "/mcp", HTTPClient: &http.Client{Transport: bearer(s.key)}, DisableStandaloneSSE: true})
	who := first.Caller.Phone
	var told strings.Builder
	for _, c := range []struct {
		tool string
		args map[string]any
	}{
		{"get_briefing", map[string]any{"phoneNumber": who, "query": "Leopold and the garden hut"}},
		{"recall", map[string]any{"phoneNumber": who, "query": "the husband"}},
		{"recall", map[string]any{"phoneNumber": who, "query": "garden hut"}},
		{"read_agent_memory", map[string]any{"phoneNumber": who}},
		{"search_documents", map[string]any{"phoneNumber": who, "query": "husband prison garden hut"}},
	} {
		told.WriteString(m.call(c.tool, c.args))
	}
	for _, view := range []string{"briefing", "timeline"} {
		read, err := m.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "recaller://callers/" + who + "/" + view})
		if err != nil {
			t.Fatal(err)
		}
		told.WriteString(read.Contents[0].Text)
	}
	holds(t, "over MCP", told.String(), "elderflower", "garden hut", "!Leopold", "!arson", "!prison", "!penicillin")
}
