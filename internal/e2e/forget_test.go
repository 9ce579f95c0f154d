package e2e

import (
	"net/http"
	"strings"
	"testing"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
)

// What a caller wants forgotten is told nowhere: he is greeted without the name, the history does not tell it, recall does not
// find the turns, and the words of the call do not bring it back. An admin sees it, an undo brings it back, and so does saying
// it again.
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
