package e2e

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
)

// What a caller wants forgotten is told nowhere: he is greeted without the name, the history does not tell it, recall
// does not find the turns, and the words of the call do not bring it back. An admin sees it, an undo brings it back,
// and so does saying it again.
func TestForgettingIsForgetting(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, on backing) {
		s := house(t, on)
		p := phone{t, s.admin}
		first := p.ring(number())
		who := first.Caller.ID
		b := bridge{t, s, first}
		p.say(first.Conversation.ID, agent("Hello, who is this?"), user("My name is Philippa Thorne, and I need a plumber for the kitchen tap."))
		b.does("store_memory", map[string]any{"memoryType": "fact", "key": "caller_name", "value": "Philippa Thorne"})
		p.say(first.Conversation.ID, agent("Welcome, Philippa."), user("I owe my brother nine thousand pounds from the casino."))
		stored := b.does("store_memory", map[string]any{"memoryType": "fact", "key": "debt", "value": "owes her brother nine thousand pounds from the casino"})
		p.say(first.Conversation.ID, agent("I see. The plumber comes on Friday."), user("Thank you, bye."))
		p.end(first.Conversation.ID, client.EndRequest{DurationSeconds: 120})
		p.writtenUp(first.Conversation.ID)
		holds(t, "before", p.briefing(who), "Philippa", "casino")

		second := p.ring(first.Caller.Phone)
		b = bridge{t, s, second}
		p.say(second.Conversation.ID, agent("Hello Philippa!"), user("That money business with the casino, please forget it. And take my name out."))
		b.does("forget_memory", map[string]any{"key": "what she said about the debt and the casino"})
		b.does("forget_memory", map[string]any{"key": "my name"})
		p.say(second.Conversation.ID, agent("I'll take out what you told me about the casino."), user("Good. The tap still drips, can someone come on Monday?"))
		p.end(second.Conversation.ID, client.EndRequest{DurationSeconds: 120})
		p.writtenUp(second.Conversation.ID)

		third := p.ring(first.Caller.Phone)
		for what, text := range map[string]string{
			"the next call's briefing": third.Briefing.Text, "the caller's briefing": p.briefing(who), "his name": third.Caller.Name,
		} {
			for _, word := range []string{"Philippa", "Thorne", "casino", "brother"} {
				if strings.Contains(text, word) {
					t.Errorf("%s tells %q:\n%s", what, word, text)
				}
			}
		}
		for _, query := range []string{"the casino debt", "what is her name", "Philippa Thorne"} {
			for _, hit := range p.recall(who, query) {
				if strings.Contains(hit.Text, "casino") || strings.Contains(hit.Text, "Philippa") {
					t.Errorf("%q finds the %s %q", query, hit.Kind, hit.Text)
				}
			}
		}
		if !recalls(p.recall(who, "when does the plumber come"), "plumber comes on Friday") {
			t.Error("what was not forgotten is not found")
		}
		for _, m := range p.memories(who) {
			if strings.Contains(m.Value, "casino") || strings.Contains(m.Value, "Philippa") {
				t.Errorf("it is back as %q", m.Key)
			}
		}

		all, err := p.c.Recall(t.Context(), who, client.RecallRequest{Query: "the casino debt", IncludeForgotten: true})
		if err != nil || !recalls(all.Results, "casino") {
			t.Errorf("for an admin: got %+v, %v; want what was forgotten", all.Results, err)
		}
		key, err := p.c.CreateKey(t.Context(), client.KeyInput{Scope: recaller.ScopeAgent, Label: "an agent's"})
		if err != nil {
			t.Fatal(err)
		}
		other := s.client(t, key.APIKey)
		_, err = other.Recall(t.Context(), who, client.RecallRequest{Query: "the casino debt", IncludeForgotten: true})
		refused(t, err, http.StatusForbidden)

		id, _ := stored["memoryId"].(string)
		if _, err := p.c.UndoMemory(t.Context(), id, 0); err != nil {
			t.Fatal(err)
		}
		holds(t, "after an undo", p.briefing(who), "casino")
		if !recalls(p.recall(who, "the casino debt"), "nine thousand pounds from the casino") {
			t.Error("an undo did not bring the words back")
		}
		p.say(third.Conversation.ID, agent("Who is calling?"), user("My name is Philippa Thorne."))
		p.end(third.Conversation.ID, client.EndRequest{DurationSeconds: 60})
		p.writtenUp(third.Conversation.ID)
		if again := p.ring(first.Caller.Phone); !strings.Contains(again.Caller.Name, "Philippa") {
			t.Errorf("said again, the caller is called %q", again.Caller.Name)
		}
	})
}

// A tool takes what the model sees: keys as they stand in the briefing, or words; what is not clear is asked back.
func TestToolsTakeWhatTheModelSees(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, on backing) {
		s := house(t, on)
		p := phone{t, s.admin}
		b := bridge{t, s, p.ring(number())}
		for key, value := range map[string]string{"dog_name": "Max", "dog_breed": "a collie", "work_phone": "020 7946 0000"} {
			b.does("store_memory", map[string]any{"memoryType": "fact", "key": key, "value": value})
		}
		holds(t, "the briefing", p.briefing(b.call.Caller.ID), "- dog_name: Max", "- dog_breed: a collie")
		status, out := b.post("forget_memory", map[string]any{"key": "the dog"})
		candidates, _ := out["candidates"].([]any)
		if status != http.StatusConflict || out["success"] != false || out["error"] == "" || len(candidates) != 2 {
			t.Errorf("got %d %v, want both to be asked about", status, out)
		}
		if n := len(p.memories(b.call.Caller.ID)); n != 3 {
			t.Errorf("%d memories are left, want 3", n)
		}
		b.does("mark_private", map[string]any{"key": "the phone at work"})
		b.does("forget_memory", map[string]any{"key": "the breed of the dog"})
		if got := b.does("update_memory", map[string]any{"existingKey": "phone", "newValue": "07700 900123"}); got["action"] != "created" {
			t.Errorf("another phone: got %v, want it created", got)
		}
	})
}

// Whoever reads a conversation, a list, a search, a history or a stream reads nothing of what was forgotten: not the
// agents, not the people, and an admin only where he asks for it. The export has it all.
func TestWhatWasForgottenIsReadNowhere(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, on backing) {
		s := house(t, on)
		p := phone{t, s.admin}
		call := p.ring(number())
		who, conv := call.Caller.ID, call.Conversation.ID
		b := bridge{t, s, call}
		p.say(conv, user("I'd like to book the garden hut for Saturday."), agent("Gladly. Anything that we should know?"),
			user("My husband Leopold is in prison for arson, so I come alone."), agent("I see. The hut is yours for Saturday at three."))
		stored := b.does("store_memory", map[string]any{"memoryType": "fact", "key": "husband", "value": "husband Leopold in prison for arson"})
		id, _ := stored["memoryId"].(string)
		b.does("set_reminder", map[string]any{"memoryId": id, "dueAt": "tomorrow at 9", "value": "ask about the arson"})
		p.hangUp(conv)
		p.writtenUp(conv)
		checkpoint := client.CheckpointInput{Intent: "book", Summary: "Wants the hut. Her husband Leopold is in prison for arson."}
		if _, err := p.c.PutCheckpoint(t.Context(), who, checkpoint); err != nil {
			t.Fatal(err)
		}
		said := "prison for arson"
		holds(t, "before", everyReader(p, who, conv, id), said, "garden hut")

		second := p.ring(call.Caller.Phone)
		heard := listen(t, p.c, second.Conversation.ID, 0)
		p.say(second.Conversation.ID, user("What I said of my husband's arson and prison, forget that please."))
		bridge{t, s, second}.does("forget_memory", map[string]any{"key": "husband"})
		if gone := heard.next(t, client.EventMemoryForgotten); gone.Memory.ID == "" || gone.Memory.Value != "" {
			t.Errorf("listeners are told %+v, want that it is gone, and not what it was", gone.Memory)
		}
		holds(t, "after", everyReader(p, who, conv, id), "garden hut", "!arson", "!prison", "!Leopold")
		if found := p.search("the garden hut for Saturday"); !slices.ContainsFunc(found, func(f client.SearchResult) bool { return f.ConversationID == conv }) {
			t.Errorf("a search for what was not forgotten finds %+v", found)
		}
		for what, read := range map[string]func(*client.Client) (string, error){
			"the conversation": func(c *client.Client) (string, error) {
				rec, err := c.ConversationWithForgotten(t.Context(), conv)
				return shown(rec.Turns) + shown(rec.Conversation.Summary), err
			},
			"the list": func(c *client.Client) (string, error) {
				list, err := c.Conversations(t.Context(), client.ConversationFilter{CallerID: who, IncludeForgotten: true})
				return shown(list), err
			},
			"the history": func(c *client.Client) (string, error) {
				versions, err := c.MemoryHistoryWithForgotten(t.Context(), id)
				return shown(versions), err
			},
			"the memories": func(c *client.Client) (string, error) {
				list, err := c.Memories(t.Context(), who, client.MemoryFilter{IncludeForgotten: true})
				return shown(list), err
			},
		} {
			all, err := read(p.c)
			if err != nil {
				t.Fatal(err)
			}
			holds(t, what+" for an admin", all, said)
			_, err = read(agentOf(t, s, p))
			refused(t, err, http.StatusForbidden)
		}
		export, err := p.c.ExportCaller(t.Context(), who)
		if err != nil {
			t.Fatal(err)
		}
		holds(t, "the export", shown(export), said)
	})
}

// A search finds a conversation by nothing that was forgotten: no better than one in which it was never said. An undo
// has it found by that again.
func TestASearchFindsNothingByWhatWasForgotten(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, on backing) {
		p := tenantWith(t, house(t, on), recaller.Keep)
		words := []client.TurnInput{user("I'd like to book the garden hut for Saturday."), agent("Gladly. Anything that we should know?")}
		other := p.call(number(), words...)
		call := p.call(number(), append(words, user("My husband Leopold is in prison for arson."))...)
		score := func(query, conv string) float64 {
			for _, f := range p.search(query) {
				if f.ConversationID == conv {
					return f.Score
				}
			}
			return 0
		}
		for _, query := range []string{"Leopold", "prison for arson", "a husband who is in jail"} {
			if of, than := score(query, call.Conversation.ID), score(query, other.Conversation.ID); of <= than {
				t.Errorf("before, %q: got %v, want more than %v", query, of, than)
			}
		}
		m, err := p.c.StoreMemory(t.Context(), call.Caller.ID, client.MemoryInput{
			Type: recaller.Fact, Key: "husband", Value: "husband Leopold in prison for arson",
			Provenance: &client.Provenance{ConversationID: call.Conversation.ID, Turns: []int{2}},
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.c.ForgetMemory(t.Context(), m.Memory.ID); err != nil {
			t.Fatal(err)
		}
		for _, query := range []string{"Leopold", "prison for arson", "a husband who is in jail"} {
			eventually(t, query+" finds it no better than where it was never said", func() bool {
				return score(query, call.Conversation.ID) == score(query, other.Conversation.ID)
			})
		}
		if _, err := p.c.UndoMemory(t.Context(), m.Memory.ID, 0); err != nil {
			t.Fatal(err)
		}
		eventually(t, "an undo has it found again", func() bool { return score("Leopold", call.Conversation.ID) > 0 })
	})
}

// agentOf is a client with an agent's key.
func agentOf(t *testing.T, s *server, p phone) *client.Client {
	t.Helper()
	key, err := p.c.CreateKey(t.Context(), client.KeyInput{Scope: recaller.ScopeAgent, Label: "an agent's"})
	if err != nil {
		t.Fatal(err)
	}
	return s.client(t, key.APIKey)
}

func shown(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(raw)
}

// everyReader is what all who read of a caller are shown: one of his conversations, the lists, what is recalled and
// why, the history of a memory, his checkpoint, reminders, agreements, and what his agent is told.
func everyReader(p phone, who, conv, memory string) string {
	p.t.Helper()
	ctx := p.t.Context()
	var out strings.Builder
	add := func(v any, err error) {
		p.t.Helper()
		if err != nil {
			p.t.Fatal(err)
		}
		out.WriteString(shown(v))
	}
	rec := p.read(conv)
	add(rec, nil)
	list, err := p.c.Conversations(ctx, client.ConversationFilter{CallerID: who})
	add(list, err)
	list, err = p.c.CallerConversations(ctx, who, client.ConversationFilter{})
	add(list, err)
	memories, err := p.c.Memories(ctx, who, client.MemoryFilter{Statuses: []recaller.MemoryStatus{recaller.MemoryActive, recaller.MemorySuperseded}})
	add(memories, err)
	versions, err := p.c.MemoryHistory(ctx, memory)
	add(versions, err)
	checkpoint, err := p.c.Checkpoint(ctx, who)
	add(checkpoint, err)
	reminders, err := p.c.CallerReminders(ctx, who, client.ReminderFilter{})
	add(reminders, err)
	agreements, err := p.c.CallerAgreements(ctx, who, time.Time{})
	add(agreements, err)
	for _, query := range []string{"husband", "garden hut", "jail"} {
		found, err := p.c.Recall(ctx, who, client.RecallRequest{Query: query, Explain: true})
		for i := range found.Results {
			found.Results[i].Score = 0
		}
		add(found, err)
	}
	out.WriteString(p.briefing(who))
	return out.String()
}

// What was said before a caller asked to have it forgotten is forgotten, whenever it becomes known: here by an import
// of the call in which it was said. What he says after that is new.
func TestWhatBecomesKnownLaterIsForgottenToo(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, on backing) {
		p := tenantWith(t, house(t, on), recaller.Keep)
		from := number()
		call := p.call(from, agent("How can I help?"), user("What I told you about Callum, please forget that. Don't write it down."), agent("I'll take it out."))
		who := call.Caller.ID
		imported := func(id string, began time.Time, turns ...client.TurnInput) {
			t.Helper()
			in := client.ImportRequest{
				Caller: client.CallerRef{Phone: from}, ExternalID: id, StartedAt: began, EndedAt: began.Add(5 * time.Minute), Turns: turns,
			}
			done, err := p.c.ImportConversation(t.Context(), in)
			if err != nil {
				t.Fatal(err)
			}
			p.writtenUp(done.Conversation.ID)
		}
		imported("before", time.Now().Add(-time.Hour), agent("Tell me of your family."), user("My nephew Callum lost his job at the garage. He lives with me."),
			agent("And do you have any pets?"), user("I have a dog called Tinker."))
		told := func() string {
			t.Helper()
			list, err := p.c.CallerConversations(t.Context(), who, client.ConversationFilter{})
			if err != nil {
				t.Fatal(err)
			}
			return p.briefing(who) + shown(list) + shown(p.memories(who)) + shown(p.recall(who, "the nephew who lost his job, Callum"))
		}
		holds(t, "what was said before", told(), "!Callum", "!nephew", "Tinker")
		imported("after", time.Now().Add(time.Hour), agent("Hello again."), user("My nephew Callum has a new job at the bakery."))
		holds(t, "what was said after", told(), "Callum", "bakery", "!garage")
	})
}

// A caller who asks in words to have his name forgotten is greeted by it no more, whoever told it, and the words of the
// same call do not bring it back.
func TestANameIsForgottenInWords(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, on backing) {
		s := house(t, on)
		p := phone{t, s.admin}
		for what, turns := range map[string][]client.TurnInput{
			"English": {agent("Hello, who is this?"), user("My name is Ottilie Brandauer."), agent("Hello Ottilie."), user("Actually, please forget my name."), agent("Of course.")},
			"German":  {agent("Guten Tag, wie heißen Sie?"), user("Ich heiße Ottilie Brandauer."), agent("Guten Tag, Frau Brandauer."), user("Vergessen Sie bitte meinen Namen."), agent("Gern.")},
			"Spanish": {agent("¿Cómo se llama?"), user("Me llamo Ottilie Brandauer."), agent("Hola, Ottilie."), user("Olvide mi nombre, por favor."), agent("De acuerdo.")},
		} {
			for _, given := range []string{"", "Ottilie Brandauer"} {
				from := number()
				call := p.start(client.StartRequest{Caller: client.CallerRef{Phone: from, Name: given}})
				p.say(call.Conversation.ID, turns...)
				p.hangUp(call.Conversation.ID)
				p.writtenUp(call.Conversation.ID)
				again := p.ring(from)
				if again.Caller.Name != "" {
					t.Errorf("%s, given as %q: the caller is called %q", what, given, again.Caller.Name)
				}
				holds(t, what, again.Briefing.Text+shown(p.memories(call.Caller.ID))+shown(p.read(call.Conversation.ID)), "!Ottilie", "!Brandauer")
			}
		}
	})
}

// What no memory holds, but the caller said, is forgotten by the words that name it; where turns of several matters may
// be meant, nothing is, and the answer tells them; of what was never said it says so.
func TestWhatWasOnlySaidIsForgottenByATool(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, on backing) {
		s := house(t, on)
		p := phone{t, s.admin}
		first := p.call(number(), agent("What is your door code?"), user("It's 4711, then a hash."), agent("Thank you."),
			user("My son is in hospital in Leeds."), agent("I'm sorry. And the parcel?"), user("Leave it with my son, he plays the tuba."))
		who, conv := first.Caller.ID, first.Conversation.ID
		second := p.ring(first.Caller.Phone)
		b := bridge{t, s, second}
		p.say(second.Conversation.ID, user("Please forget that I told you my door code."))
		shows := func() string {
			return p.briefing(who) + shown(p.read(conv)) + shown(p.recall(who, "door code 4711, the son"))
		}
		holds(t, "before", shows(), "4711", "tuba", "Leeds")
		if status, out := b.post("forget_memory", map[string]any{"key": "my shoe size"}); status != http.StatusNotFound || out["error"] == "" {
			t.Errorf("what was never said: got %d %v, want a 404", status, out)
		}
		out := b.does("forget_memory", map[string]any{"key": "that I told you my door code"})
		holds(t, "the code is gone", shows(), "!4711", "tuba", "Leeds")
		id, _ := out["memoryId"].(string)
		if _, err := p.c.UndoMemory(t.Context(), id, 0); err != nil {
			t.Fatal(err)
		}
		holds(t, "after an undo", shows(), "4711")
	})
}

// Words that may mean several things that were only said are asked back about, and a candidate's key singles one out.
func TestWhatWasOnlySaidOfSeveralMattersIsAskedBack(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, on backing) {
		s := house(t, on)
		p := phone{t, s.admin}
		b := bridge{t, s, p.ring(number())}
		conv := b.call.Conversation.ID
		p.say(conv, user("Ludmila was sent away from the choir."), agent("Oh."), user("The piano goes to Ludmila on Friday."), agent("Very well."), user("Forget that about Ludmila."))
		status, out := b.post("forget_memory", map[string]any{"key": "Ludmila"})
		candidates, _ := out["candidates"].([]any)
		if status != http.StatusConflict || out["error"] == "" || len(candidates) != 2 {
			t.Fatalf("got %d %v, want both turns to be asked about", status, out)
		}
		holds(t, "nothing is changed", shown(p.read(conv)), "choir", "piano")
		for _, c := range candidates {
			if key, _ := c.(map[string]any)["key"].(string); strings.Contains(key, "choir") {
				b.does("forget_memory", map[string]any{"key": key})
			}
		}
		holds(t, "one is gone", shown(p.read(conv)), "!choir", "piano")
		p.hangUp(conv)
		p.writtenUp(conv)
		holds(t, "the other stays when the call is over", shown(p.read(conv)), "!choir", "piano")
	})
}
