package e2e

import (
	"net/http"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
)

// returning is a caller who rings back, with the model of an agent that asks what he left unfinished.
type returning struct {
	phone
	model
	from string
}

func (r returning) handshake() string {
	return r.model.call("read_agent_memory", map[string]any{"phoneNumber": r.from})
}

func comesBack(t *testing.T, s *server) returning {
	t.Helper()
	return returning{phone{t, s.admin}, connected(t, &mcp.StreamableClientTransport{
		Endpoint: s.url + "/mcp", HTTPClient: &http.Client{Transport: bearer(s.key)}, DisableStandaloneSSE: true,
	}), number()}
}

// H6 with an agent that never heard of H: it calls no tool. The process is killed one second after the caller said where
// he lives, and what he said is there when he rings back.
func TestTheDisconnectionWithoutATool(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, on backing) {
		s := serveIn(t, on)
		r := comesBack(t, s)
		first := r.ring(r.from)
		r.say(first.Conversation.ID, user("Hi, I need a repair at 742 Evergreen Terrace."))
		s.restart()
		r = returning{phone{t, s.admin}, comesBack(t, s).model, r.from}

		want := []string{`"found":true`, `"address":"742 Evergreen Terrace"`, "I need a repair", `"source":"automatic"`}
		holds(t, "before he is heard of again", r.handshake(), want...)
		again := r.ring(r.from)
		holds(t, "the return", r.handshake(), want...)
		holds(t, "the greeting", again.Briefing.Text, "742 Evergreen Terrace", "you were cut off")
		r.say(again.Conversation.ID, user("We were cut off. The pipes under the sink leak."), agent("I can send somebody on Tuesday at nine."),
			user("Tuesday at nine is good."), agent("You're booked for Tuesday at nine. Goodbye!"))
		r.hangUp(again.Conversation.ID)
		r.writtenUp(again.Conversation.ID)
		r.end(first.Conversation.ID, client.EndRequest{Status: recaller.Failed})
		r.writtenUp(first.Conversation.ID)
		holds(t, "after it was booked", r.handshake(), `"found":false`)
	})
}

// What a call leaves is found before its wrap-up has run and afterwards, in the same words, whatever the door; an agent
// or an application has the last word.
func TestACheckpointThatNobodySaved(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, on backing) {
		r := comesBack(t, house(t, on))
		drop := func(turns ...client.TurnInput) client.StartResponse {
			call := r.ring(r.from)
			r.say(call.Conversation.ID, turns...)
			r.end(call.Conversation.ID, client.EndRequest{Status: recaller.Failed, DurationSeconds: 20})
			return call
		}
		call := drop(user("My order never arrived."), agent("What's the order number?"), user("Four four seven one two."))
		at := func(what string) client.Checkpoint {
			c, err := r.c.Checkpoint(t.Context(), r.from)
			if err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			if c.Source != recaller.CheckpointFound || c.ConversationID != call.Conversation.ID {
				t.Errorf("%s: got %+v, want what was found in the call", what, c)
			}
			holds(t, what, c.Summary+string(c.StagingData), "My order never arrived.", `"order_number":"44712"`)
			return c
		}
		before := at("at once")
		r.writtenUp(call.Conversation.ID)
		if after := at("after the wrap-up"); after.ID != before.ID || after.Summary != before.Summary || !after.LastActivityAt.Equal(before.LastActivityAt) {
			t.Errorf("got %+v, want what was found at once, %+v", after, before)
		}
		holds(t, "over MCP", r.handshake(), `"order_number":"44712"`)
		holds(t, "the briefing", r.briefing(call.Caller.ID), "Pick up here", "Order number: 44712")

		if err := r.c.DeleteCheckpoint(t.Context(), r.from); err != nil {
			t.Fatal(err)
		}
		holds(t, "deleted", r.handshake(), `"found":false`)

		call = r.ring(r.from)
		r.say(call.Conversation.ID, user("I need a new key for 9 Mill Lane."))
		if _, err := r.c.PutCheckpoint(t.Context(), r.from, client.CheckpointInput{Summary: "Key for 9 Mill Lane, brass", Intent: "order"}); err != nil {
			t.Fatal(err)
		}
		r.end(call.Conversation.ID, client.EndRequest{Status: recaller.Failed})
		r.writtenUp(call.Conversation.ID)
		holds(t, "the agent's own", r.handshake(), "brass", "!automatic")

		call = drop(user("I'm locked out at 3 Dock Road."))
		if _, err := r.c.PutCheckpoint(t.Context(), r.from, client.CheckpointInput{Intent: "completed"}); err != nil {
			t.Fatal(err)
		}
		r.writtenUp(call.Conversation.ID)
		holds(t, "completed", r.handshake(), `"found":false`)
	})
}

// A call that goes on is nothing to come back to, and one that ended well leaves nothing.
func TestWhatIsNoUnfinishedMatter(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, on backing) {
		r := comesBack(t, house(t, on))
		call := r.ring(r.from)
		r.say(call.Conversation.ID, user("I need a repair at 742 Evergreen Terrace."))
		holds(t, "while they talk", r.handshake(), `"found":false`)
		tool, err := r.c.ReadCheckpointTool(t.Context(), client.ReadCheckpointCall{ToolContext: client.ToolContext{CallSessionID: call.Conversation.ID, LineID: call.Caller.ID, AccountID: "default"}})
		if err != nil || *tool.Found {
			t.Errorf("the live tool: got %+v, %v; want nothing found", tool, err)
		}
		r.say(call.Conversation.ID, agent("Is Tuesday at nine alright?"), user("Yes."), agent("You're all set for Tuesday at nine."), user("Thank you, bye."))
		r.hangUp(call.Conversation.ID)
		holds(t, "before the wrap-up", r.handshake(), `"found":false`)
		r.writtenUp(call.Conversation.ID)
		holds(t, "after it", r.handshake(), `"found":false`)
	})
}

// Of words that are not kept nothing is left when the call is over, and what was forgotten is in no checkpoint.
func TestWhatACheckpointMustNotKeep(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, on backing) {
		s := house(t, on)
		p := tenantWith(t, s, recaller.Ephemeral)
		from := number()
		call := p.ring(from)
		p.say(call.Conversation.ID, user("I need a repair at 742 Evergreen Terrace."))
		next := p.ring(from)
		c, err := p.c.Checkpoint(t.Context(), from)
		if err != nil || string(c.StagingData) != `{"address":"742 Evergreen Terrace","issue":"I need a repair at 742 Evergreen Terrace."}` {
			t.Errorf("while the words are there: got %+v, %v", c, err)
		}
		p.end(call.Conversation.ID, client.EndRequest{Status: recaller.Failed})
		p.writtenUp(call.Conversation.ID)
		if c, err = p.c.Checkpoint(t.Context(), from); !client.IsNotFound(err) {
			t.Errorf("when they are gone: got %+v, %v; want none", c, err)
		}
		p.hangUp(next.Conversation.ID)

		r := comesBack(t, s)
		call = r.ring(r.from)
		r.say(call.Conversation.ID, user("I need a repair at 742 Evergreen Terrace. My dog Rufus bites."))
		r.end(call.Conversation.ID, client.EndRequest{Status: recaller.Failed})
		r.writtenUp(call.Conversation.ID)
		kept, err := r.c.StoreMemory(t.Context(), call.Caller.ID, client.MemoryInput{Type: recaller.Context, Key: "address", Value: "742 Evergreen Terrace"})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := r.c.ForgetMemory(t.Context(), kept.Memory.ID); err != nil {
			t.Fatal(err)
		}
		holds(t, "forgotten", r.handshake(), "!Evergreen")
	})
}
