package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
)

// confidence is what a caller wants kept between him and the agent: how he said it, what the agent answered, how he comes
// back to it without saying that it is private, the memory that was made of it, and words that give it away.
type confidence struct {
	name, said, answer, again, key, value string
	asks                                  []string
	away                                  []string
}

var confidences = []confidence{
	{
		"a medicine", "I should tell you I was diagnosed with bipolar disorder last spring and I take lithium every night. Please keep that between us.",
		"Of course, that stays between us. I hope the lithium helps.", "The lithium makes my hands shake, so call me slowly.",
		"health condition", "has bipolar disorder and takes lithium",
		[]string{"what illness", "medication lithium"},
		[]string{"bipolar", "lithium"},
	},
	{
		"debts", "Between you and me, I'm forty thousand pounds in debt and the bailiffs come on Tuesday.",
		"I understand. I'll keep the debt to myself.", "I gambled away forty thousand, that is why.",
		"debt", "owes forty thousand pounds and the bailiffs are coming",
		[]string{"money debt", "bailiffs"},
		[]string{"forty thousand", "bailiff", "debt"},
	},
	{
		"a crime, and he rambles",
		"Right, so, where was I, the thing is, and this is not for anyone else's ears, our Danny, well, he got nicked on Sunday for the copper cabling, up at the railway, and Mum's in bits.",
		"I'm sorry to hear about Danny.", "And the solicitor rang about the cabling, the hearing is on the ninth.",
		"son", "son Danny was arrested for stealing copper cabling from the railway",
		[]string{"Danny", "cabling hearing"},
		[]string{"Danny", "cabling", "nicked"},
	},
	{
		"an illness, in German", "Ich bin HIV-positiv und nehme jeden Morgen Tabletten, das bleibt bitte unter uns.",
		"Natürlich, das bleibt unter uns.", "Die Tabletten gegen HIV muss ich um acht nehmen, also bitte erst um neun anrufen.",
		"gesundheit", "ist HIV-positiv und nimmt Tabletten",
		[]string{"Krankheit", "Tabletten"},
		[]string{"HIV", "Tabletten"},
	},
	{
		"a pregnancy, in Spanish, of which the memory is in English", "Estoy embarazada de tres meses y no lo sabe nadie, que quede entre nosotros.",
		"Queda entre nosotros, felicidades por el embarazo.", "Por el embarazo no puedo tomar vino, así que sin vino.",
		"pregnancy", "is three months pregnant",
		[]string{"embarazo", "salud"},
		[]string{"embaraz", "pregnan"},
	},
	{
		"a name", "My real name is Benedikta Osei, but never use it on the phone.",
		"I won't, Benedikta.", "Write the invoice to B. Osei though.",
		"caller name", "Benedikta Osei",
		[]string{"what is the name", "Osei"},
		[]string{"Benedikta", "Osei"},
	},
	{
		"an address, in French", "J'habite chez ma mère, 5 rue des Tanneurs à Colmar, mais ne le dites pas.",
		"5 rue des Tanneurs, bien noté.", "Livrez rue des Tanneurs, s'il vous plaît.",
		"adresse", "habite 5 rue des Tanneurs, Colmar",
		[]string{"adresse", "Tanneurs"},
		[]string{"Tanneurs", "Colmar"},
	},
}

// A stranger who shows the number goes through all doors of agents, and asks for what was confided. It was said, answered,
// spoken of again in three calls, stored, and stands in a follow-up, reminders and a checkpoint.
func TestAStrangerLearnsNoConfidence(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, on backing) {
		s := house(t, on)
		yes := true
		for _, c := range confidences {
			t.Run(c.name, func(t *testing.T) {
				t.Parallel()
				p := tenantWith(t, s, recaller.Keep)
				if _, err := p.c.UpdateTenant(t.Context(), client.TenantPatch{TenantSettings: client.TenantSettings{MemoryTools: &yes}}); err != nil {
					t.Fatal(err)
				}
				first, memory := c.confide(t, p)
				stranger := stranger{t: t, phone: p, c: c, first: first, memory: memory, call: p.ring(first.Caller.Phone)}
				stranger.asks()
				stranger.usesTools()
				stranger.chats()
				stranger.asksOverMCP(s.url)
			})
		}
	})
}

func (c confidence) confide(t *testing.T, p phone) (first client.StartResponse, memory string) {
	t.Helper()
	first = p.ring(number())
	b, conv := desk{p, first}, first.Conversation.ID
	p.say(conv, user("Hello, I'd like to book the pottery course for Saturday."), agent("Gladly. Anything we should know?"), user(c.said), agent(c.answer),
		user(c.again), agent("I'll call you back on Thursday about the pottery course."), user("Yes, please. "+c.again))
	memory = b.does("store_memory", map[string]any{"memoryType": "fact", "key": c.key, "value": c.value}).MemoryID
	b.does("store_memory", map[string]any{"memoryType": "preference", "key": "drink", "value": "likes elderflower tea"})
	b.post("store_memory", map[string]any{"memoryType": "follow_up", "key": "follow up", "value": "ask again: " + c.again, "dueAt": "tomorrow at 3"})
	b.does("set_reminder", map[string]any{"memoryId": memory, "dueAt": "tomorrow at 9", "value": c.again})
	b.post("set_reminder", map[string]any{"key": "note", "value": "check: " + c.value, "dueAt": "tomorrow at 10"})
	b.does("mark_private", map[string]any{"memoryId": memory, "key": c.key})
	p.end(conv, client.EndRequest{DurationSeconds: 100})
	p.writtenUp(conv)
	if _, err := p.c.PutCheckpoint(t.Context(), first.Caller.ID, client.CheckpointInput{Intent: "book", Summary: "Wants the pottery course. " + c.again}); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		call := p.ring(first.Caller.Phone)
		p.say(call.Conversation.ID, user(c.again), agent("Thank you."), user("Has the pottery course been moved? "+c.again))
		p.end(call.Conversation.ID, client.EndRequest{DurationSeconds: 100})
		p.writtenUp(call.Conversation.ID)
	}
	return first, memory
}

// stranger is somebody who shows the number of who confided something.
type stranger struct {
	phone
	t           *testing.T
	c           confidence
	first, call client.StartResponse
	memory      string
}

// hears fails the test if what is told by a door gives the confidence away.
func (s *stranger) hears(door string, told any, err error) {
	s.t.Helper()
	text, plain := told.(string)
	if !plain {
		text = shown(told)
	}
	if err != nil {
		text += err.Error()
	}
	for _, words := range s.c.away {
		if i := strings.Index(strings.ToLower(text), strings.ToLower(words)); i >= 0 {
			s.t.Errorf("%s tells %q: …%s…", door, words, text[max(0, i-80):min(len(text), i+80)])
			return
		}
	}
}

func (s *stranger) questions() []string {
	return append([]string{"pottery course", "what did I tell you last time"}, s.c.asks...)
}

func (s *stranger) asks() {
	ctx, id, who := s.t.Context(), s.call.Conversation.ID, s.first.Caller.ID
	s.hears("the start", s.call, nil)
	if text := s.call.Briefing.Text; !strings.Contains(text, "elderflower") || !strings.Contains(text, "pottery") || strings.Contains(text, "Not written up") {
		s.t.Errorf("the briefing lacks what is not private, or says what is not so:\n%s", text)
	}
	for _, q := range s.questions() {
		b, err := s.phone.c.ConversationBriefing(ctx, id, client.BriefingQuery{Query: q})
		s.hears("a briefing of "+q, b.Text, err)
		found, err := s.phone.c.Recall(ctx, who, client.RecallRequest{Query: q})
		s.hears("recall of "+q, found, err)
	}
	b, err := s.phone.c.ConversationBriefing(ctx, id, client.BriefingQuery{Style: recaller.StyleSystemPrompt})
	s.hears("a system prompt", b.Text, err)
	b, err = s.phone.c.CallerBriefing(ctx, who, client.BriefingQuery{Query: s.c.asks[0]})
	s.hears("the caller's briefing", b.Text, err)
	checkpoint, err := s.phone.c.Checkpoint(ctx, who)
	s.hears("the checkpoint", checkpoint, err)
}

func (s *stranger) usesTools() {
	d := desk{s.phone, s.call}
	uses := []struct {
		tool string
		args map[string]any
	}{
		{"list_reminders", map[string]any{}},
		{"list_reminders", map[string]any{"key": s.c.key}},
		{"read_checkpoint", map[string]any{}},
		{"forget_memory", map[string]any{"key": s.c.key}},
		{"set_reminder", map[string]any{"key": s.c.key, "dueAt": "tomorrow at 9"}},
		{"set_reminder", map[string]any{"memoryId": s.memory, "dueAt": "tomorrow at 9"}},
		{"cancel_reminder", map[string]any{"key": s.c.key}},
		{"mark_private", map[string]any{"key": s.c.key}},
		{"update_memory", map[string]any{"existingKey": s.c.key, "newValue": "something quite different"}},
		{"store_memory", map[string]any{"memoryType": "fact", "key": s.c.key, "value": "yet another thing"}},
	}
	for _, q := range s.questions() {
		uses = append(uses, struct {
			tool string
			args map[string]any
		}{"recall", map[string]any{"query": q}})
	}
	for _, use := range uses {
		_, _, text := d.post(use.tool, use.args)
		for _, q := range append(s.questions(), s.c.key) { // what it asks with
			text = strings.ReplaceAll(text, q, "")
		}
		s.hears(use.tool, text, nil)
	}
}

func (s *stranger) chats() {
	chat, err := s.phone.c.OpenThread(s.t.Context(), client.ThreadRequest{Caller: client.CallerRef{Phone: s.first.Caller.Phone}, ExternalID: "chat"})
	if err != nil { // the record that it answers with is the application's
		s.t.Fatal(err)
	}
	for _, q := range append(s.questions(), "what do you know of me?") {
		prompt, err := s.phone.c.ThreadPrompt(s.t.Context(), chat.Thread.ID, client.PromptRequest{ThreadMessage: client.ThreadMessage{Message: q}})
		s.hears("a thread's prompt", strings.ReplaceAll(prompt.Prompt, q, ""), err)
	}
}

func (s *stranger) asksOverMCP(url string) {
	t, from := s.t, s.first.Caller.Phone
	key, err := s.phone.c.CreateKey(t.Context(), client.KeyInput{Scope: recaller.ScopeAgent})
	if err != nil {
		t.Fatal(err)
	}
	m := connected(t, &mcp.StreamableClientTransport{Endpoint: url + "/mcp", HTTPClient: &http.Client{Transport: bearer(key.APIKey)}, DisableStandaloneSSE: true})
	for _, q := range s.questions() {
		s.hears("MCP: recall", m.call("recall", map[string]any{"phoneNumber": from, "query": q}), nil)
		s.hears("MCP: search_documents", m.call("search_documents", map[string]any{"phoneNumber": from, "query": q}), nil)
		s.hears("MCP: get_briefing", m.call("get_briefing", map[string]any{"phoneNumber": from, "query": q}), nil)
	}
	s.hears("MCP: read_agent_memory", m.call("read_agent_memory", map[string]any{"phoneNumber": from}), nil)
	for _, view := range []string{"briefing", "timeline"} {
		read, err := m.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "recaller://callers/" + from + "/" + view})
		if err != nil {
			t.Fatal(err)
		}
		s.hears("MCP: "+view, read.Contents[0].Text, nil)
	}
	prompts, err := m.ListPrompts(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, pr := range prompts.Prompts {
		args := map[string]string{}
		for _, a := range pr.Arguments {
			args[a.Name] = from
		}
		got, err := m.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: pr.Name, Arguments: args})
		s.hears("MCP: prompt "+pr.Name, fmt.Sprint(shown(got)), err)
	}
}
