package app

import (
	"strings"
	"testing"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/relay/relaytest"
	"github.com/recallerhq/recaller/internal/webchat"
)

// confides makes all that is remembered of a caller private, and gives him the PIN 4711.
func (e *exchange) confides(caller string) {
	e.t.Helper()
	list, err := e.Memories(e.t.Context(), caller, client.MemoryFilter{})
	if err != nil || len(list.Memories) == 0 {
		e.t.Fatalf("got %d memories, %v", len(list.Memories), err)
	}
	private := recaller.Private
	for _, m := range list.Memories {
		if _, err := e.UpdateMemory(e.t.Context(), m.ID, client.MemoryPatch{PrivacyScope: &private}); err != nil {
			e.t.Fatal(err)
		}
	}
	if _, err := e.SetCallerPIN(e.t.Context(), caller, "4711"); err != nil {
		e.t.Fatal(err)
	}
}

// proven fails the test unless a conversation is verified, and nothing that is kept of it has what was told of the PIN.
func (e *exchange) proven(ref string) {
	e.t.Helper()
	rec := e.read(ref)
	if rec.Conversation.Trust != recaller.TrustVerified {
		e.t.Errorf("the conversation is %s", rec.Conversation.Trust)
	}
	for _, t := range rec.Turns {
		if strings.Contains(t.Text, "4719") || strings.Contains(t.Text, "seven one one") {
			e.t.Errorf("kept: %q", t.Text)
		}
	}
}

// what is said before and after the caller tells his PIN, and the answers. The agent reads what is kept, so it has the mask.
var provingWhoItIs = [][2]string{
	{"What am I allergic to?", "I do not know of any allergy."},
	{"Well, my PIN is 4719.", "That is not right."},
	{"What am I allergic to?", "I do not know of any allergy."},
	{"Oh, my PIN is four seven one one.", "Thank you, now I am sure."},
	{"So what am I allergic to?", "You are allergic to penicillin, as you told me before."},
}

func TestAPINOverARelay(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, env ...string) {
		d := answering(t, atOnce, env...)
		d.set(client.TenantSettings{MemoryTools: ptr(true)})
		s := d.open(relaytest.Twilio("CA1", d.token("CA1", marta)))
		d.says(s, "Please remember: penicillin.", "One moment. I have noted that.")
		if err := s.HangUp(); err != nil {
			t.Error(err)
		}
		d.over("CA1", recaller.Completed)
		d.confides(d.read("CA1").Conversation.CallerID)
		s = d.open(relaytest.Twilio("CA2", d.token("CA2", marta)))
		for _, said := range provingWhoItIs {
			d.says(s, said[0], said[1])
		}
		if err := s.HangUp(); err != nil {
			t.Error(err)
		}
		d.over("CA2", recaller.Completed)
		d.proven("CA2")
	})
}

func TestAPINInAWebChat(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, env ...string) {
		c := reception(t, webchat.Options{}, env...)
		c.set(client.TenantSettings{MemoryTools: ptr(true)})
		c.opens(client.WebChatPatch{})
		anna := c.visitor()
		page := c.connects(anna, false)
		c.asks(page, "m1", "Please remember that I am allergic to penicillin", "One moment. I have noted that.")
		first := c.only()
		if err := page.Send(t.Context(), map[string]string{"type": "end"}); err != nil {
			t.Fatal(err)
		}
		if _, _, err := page.Until(t.Context(), "ended"); err != nil {
			t.Fatal(err)
		}
		c.confides(first.CallerID)
		anna.Last = ""
		page = c.connects(anna, false)
		for i, said := range provingWhoItIs {
			c.asks(page, "again"+string(rune('a'+i)), said[0], said[1])
		}
		now, err := c.Conversations(t.Context(), client.ConversationFilter{Status: recaller.Active})
		if err != nil || len(now.Conversations) != 1 {
			t.Fatalf("got %d, %v", len(now.Conversations), err)
		}
		c.proven(now.Conversations[0].ID)
	})
}
