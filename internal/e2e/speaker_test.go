package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
)

// Somebody else speaks in the middle of a call: it goes on as theirs under the same ids, with nothing of the one before;
// what that one said is a conversation of their own. The next time they are found by their name, and so is the first.
func TestSomebodyElseSpeaks(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, on backing) {
		for _, retention := range []string{"keep", "archive", "ephemeral"} {
			t.Run(retention, func(t *testing.T) {
				t.Parallel()
				s := serveIn(t, on, "RECALLER_RETENTION="+retention)
				p := phone{t, s.admin}
				from := number()
				karl := p.start(client.StartRequest{Caller: client.CallerRef{Phone: from, Name: "Karl"}, ExternalID: "CA-1"})
				p.say("CA-1", user("I am calling because my boiler, a Vaillant, has been leaking since Monday."), agent("We will come on Friday."))
				remembers := func(line, key, value string) {
					t.Helper()
					in := client.StoreMemoryCall{ToolContext: client.ToolContext{CallSessionID: "CA-1", LineID: line, AccountID: "default"}, MemoryType: recaller.Fact, Key: key, Value: value}
					if _, err := s.admin.StoreMemoryTool(t.Context(), in); err != nil {
						t.Error(err)
					}
				}
				remembers(karl.Caller.ID, "boiler", "Vaillant")
				p.say("CA-1", agent("Anything else?"), user("Wait, here is Anna, she has a question."))
				out, err := s.admin.SomeoneElseTool(t.Context(), client.SomeoneElseCall{ToolContext: client.ToolContext{CallSessionID: "CA-1", LineID: karl.Caller.ID, AccountID: "default"}, Name: "Anna"})
				if err != nil || !out.Success {
					t.Fatalf("got %+v, %v", out, err)
				}
				rec := p.read("CA-1")
				anna := rec.Conversation.CallerID
				if anna == karl.Caller.ID || rec.Conversation.ID != karl.Conversation.ID || rec.Conversation.BegunAs != karl.Caller.ID || rec.Conversation.TurnCount != 1 {
					t.Fatalf("got %+v; want the call as Anna's, with her words", rec.Conversation)
				}
				brief, err := s.admin.ConversationBriefing(t.Context(), "CA-1", client.BriefingQuery{})
				if err != nil {
					t.Fatal(err)
				}
				holds(t, "her briefing", brief.Text, "!Vaillant", "!boiler", "!Friday")
				p.say("CA-1", agent("Hello Anna."), user("I keep a parrot called Otto, do you sell bird food?"))
				remembers(karl.Caller.ID, "parrot", "Otto") // the agent still names him
				before := p.read(rec.Conversation.Continues).Conversation
				if before.CallerID != karl.Caller.ID || before.EndReason != "someone else" || before.TurnCount != 3 || before.Status != recaller.Completed {
					t.Errorf("got %+v; want what Karl said, ended", before)
				}
				p.hangUp("CA-1")
				p.writtenUp("CA-1")
				p.writtenUp(before.ID)
				s.restart()
				p.c = s.admin
				his, hers := fmt.Sprint(p.memories(karl.Caller.ID)), fmt.Sprint(p.memories(anna))
				holds(t, "his", his, "Vaillant", "!Otto")
				holds(t, "hers", hers, "Otto", "!Vaillant")
				if retention != "ephemeral" {
					if !recalls(p.recall(anna, "parrot"), "Otto") || recalls(p.recall(anna, "boiler"), "Vaillant") || !recalls(p.recall(karl.Caller.ID, "boiler"), "Vaillant") {
						t.Error("the words are not with whom they are")
					}
				}

				again := p.start(client.StartRequest{Caller: client.CallerRef{Phone: from}, ExternalID: "CA-2"})
				if again.Caller.ID != karl.Caller.ID {
					t.Error("a ring is not taken for the one whose the number is")
				}
				holds(t, "the briefing", again.Briefing.Text, "Several people use this number", "Anna")
				p.say("CA-2", agent("Hello Karl!"), user("No, Anna here."))
				back, err := s.admin.SomeoneElse(t.Context(), "CA-2", client.SpeakerRequest{Name: "Anna"})
				if err != nil || back.Caller.ID != anna || back.Conversation.Continues != "" || back.Conversation.TurnCount != 2 {
					t.Fatalf("got %+v, %v; want Anna again, and the greeting hers", back, err)
				}
				holds(t, "her briefing", back.Briefing.Text, "parrot", "!boiler")
				back, err = s.admin.SomeoneElse(t.Context(), "CA-2", client.SpeakerRequest{Name: "karl"})
				if err != nil || back.Caller.ID != karl.Caller.ID {
					t.Fatalf("got %+v, %v; want Karl again", back, err)
				}
				if back.Conversation.BegunAs != "" {
					t.Errorf("got %q; want nobody else named, for it was begun as his", back.Conversation.BegunAs)
				}
			})
		}
	})
}

// The number has a new owner: it leaves the one whose it was.
func TestANumberIsSomebodyElsesNow(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, on backing) {
		s := serveIn(t, on)
		p := phone{t, s.admin}
		from := number()
		was := p.call(from, user("My boiler is a Vaillant, it leaks.")).Caller.ID
		ring := p.ring(from)
		p.say(ring.Conversation.ID, agent("Hello Karl!"), user("There is no Karl here."))
		out, err := s.admin.SomeoneElse(t.Context(), ring.Conversation.ID, client.SpeakerRequest{Recycled: true})
		if err != nil || out.Caller.ID == was || out.Caller.Phone == "" {
			t.Fatalf("got %+v, %v", out, err)
		}
		holds(t, "the briefing", out.Briefing.Text, "!boiler", "!Several people")
		c, err := s.admin.Caller(t.Context(), was)
		if err != nil || c.Phone != "" {
			t.Errorf("got %+v, %v; want the number gone from him", c, err)
		}
		found, err := s.admin.CallersByPhone(t.Context(), from)
		if err != nil || len(found) != 1 || found[0].ID != out.Caller.ID {
			t.Errorf("got %+v, %v; want the new owner", found, err)
		}
	})
}

// Who listens to the call is told what is known of who speaks now, and nothing more of the one before, also where he
// comes back.
func TestListenersHearWhoSpeaksNow(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, on backing) {
		p := phone{t, house(t, on).admin}
		from := number()
		first := p.call(from, user("My boiler is a Vaillant, it leaks.")).Caller.ID
		ring := p.ring(from)
		heard := listen(t, p.c, ring.Conversation.ID, 0)
		storeMemory(t, p.c, first, "dog", "A dog called Rex")
		heard.next(t, client.EventMemoryStored)
		last := heard.next(t, client.EventBriefingUpdated)
		holds(t, "his briefing", last.Briefing.Text, "Rex", "boiler")
		out, err := p.c.SomeoneElse(t.Context(), ring.Conversation.ID, client.SpeakerRequest{Name: "Anna"})
		if err != nil {
			t.Fatal(err)
		}
		holds(t, "her briefing", heard.next(t, client.EventBriefingUpdated).Briefing.Text, "!Rex", "!boiler", "Anna")
		storeMemory(t, p.c, first, "cat", "A cat called Miso") // of him, while she speaks
		storeMemory(t, p.c, out.Caller.ID, "bird", "A parrot called Otto")
		if e := heard.next(t, client.EventMemoryStored); e.Memory.Key != "bird" {
			t.Errorf("got %+v, want what is hers", e.Memory)
		}
		heard.hangUp()
		again := listen(t, p.c, ring.Conversation.ID, last.ID)
		if e := <-again.events; e.Memory != nil && e.Memory.Key != "bird" || e.Briefing != nil && strings.Contains(e.Briefing.Text, "Rex") {
			t.Errorf("got %+v on coming back, want nothing of his", e)
		}
	})
}

// What somebody is called is bounded and a line, whoever says it: a model by the tool, or the application.
func TestTheNameOfWhoSpeaksIsBounded(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, on backing) {
		p := phone{t, house(t, on).admin}
		ring := p.ring(number())
		in := client.ToolContext{CallSessionID: ring.Conversation.ID, LineID: ring.Caller.ID, AccountID: "default"}
		for name, want := range map[string]string{
			strings.Repeat("y", 201): "name: must be at most 200 bytes",
			"Anna\x07Becker":         "name: must not contain control characters",
		} {
			if _, err := p.c.SomeoneElseTool(t.Context(), client.SomeoneElseCall{ToolContext: in, Name: name}); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("the tool: got %v, want %q", err, want)
			}
			if _, err := p.c.SomeoneElse(t.Context(), ring.Conversation.ID, client.SpeakerRequest{Name: name}); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("got %v, want %q", err, want)
			}
		}
		if c := p.read(ring.Conversation.ID).Conversation; c.CallerID != ring.Caller.ID {
			t.Errorf("got %+v; want it with the one before", c)
		}
		out, err := p.c.SomeoneElseTool(t.Context(), client.SomeoneElseCall{ToolContext: in, Name: strings.Repeat("y", 200)})
		if err != nil || !out.Success {
			t.Errorf("got %+v, %v; want 200 bytes taken", out, err)
		}
	})
}
