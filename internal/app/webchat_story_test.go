package app

import (
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/webchat"
	"github.com/recallerhq/recaller/internal/webchat/webchattest"
)

// A visitor asks, is answered piece by piece, loads the page again, goes on, and leaves. What he said is one conversation of a
// caller whom only his token knows, and he is known when he comes back.
func TestAVisitorChats(t *testing.T) {
	t.Parallel()
	for kind, stream := range map[string]bool{"over a socket": false, "over a stream": true} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			onBoth(t, func(t *testing.T, env ...string) { chats(t, stream, env...) })
		})
	}
}

func chats(t *testing.T, stream bool, env ...string) {
	t.Helper()
	c := reception(t, webchat.Options{}, env...)
	greeting := "Hello! How can we help?"
	c.opens(client.WebChatPatch{Greeting: &greeting})
	anna := c.visitor()
	page := c.connects(anna, stream)
	if s := page.Session; s.V != 1 || s.Token == "" || s.Greeting != greeting || len(s.Messages) > 0 || s.Conversation != "" || !s.Answers {
		t.Fatalf("got %+v", s)
	}
	if page, err := c.Conversations(t.Context(), client.ConversationFilter{}); err != nil || len(page.Conversations) > 0 {
		t.Fatalf("whoever only looks began %d conversations, %v", len(page.Conversations), err)
	}
	c.asks(page, "m1", "Please remember that I am allergic to penicillin", "One moment. I have noted that.")
	page.Drop()

	last := anna.Last
	anna.Last = ""
	again := c.connects(anna, stream)
	told := []string{
		"agent: " + greeting, "visitor: Please remember that I am allergic to penicillin", "agent: One moment. I have noted that.",
	}
	c.same("the page loaded again", words(again.Session.Messages), told)
	anna.Last = last
	resumed := c.connects(anna, !stream)
	if s := resumed.Session; !s.Resumed || len(s.Messages) > 0 || s.Token != "" {
		t.Fatalf("a connection that broke off is told %+v", s)
	}
	c.asks(resumed, "m2", "Are you there?", "Yes, I am here.")
	f, _, err := again.Until(t.Context(), "done")
	if err != nil || f.Text != "Yes, I am here." {
		t.Fatalf("the other page is told %+v, %v", f, err)
	}
	conv := c.only()
	if conv.Channel != recaller.ChannelWebChat || conv.Trust != recaller.TrustClaimed || conv.Status != recaller.Active {
		t.Errorf("got %+v", conv)
	}
	who, err := c.Caller(t.Context(), conv.CallerID)
	if err != nil || !strings.HasPrefix(who.ExternalID, recaller.VisitorPrefix) || strings.Contains(anna.Token, strings.TrimPrefix(who.ExternalID, recaller.VisitorPrefix)) {
		t.Errorf("the caller is %+v, %v", who, err)
	}
	if stream {
		if err := anna.End(t.Context()); err != nil {
			t.Fatal(err)
		}
	} else if err := again.Send(t.Context(), map[string]string{"type": "end"}); err != nil {
		t.Fatal(err)
	}
	if f, _, err := resumed.Until(t.Context(), "ended"); err != nil || f.Conversation != conv.ID || f.Reason != "visitor_left" {
		t.Fatalf("the end is told as %+v, %v", f, err)
	}
	c.eventually("the chat is written up", func() bool {
		rec, err := c.Conversation(t.Context(), conv.ID)
		return err == nil && rec.Conversation.Status == recaller.Completed && rec.Conversation.Summary != nil
	})
	anna.Last = ""
	next := c.connects(anna, stream)
	if len(next.Session.Messages) > 0 || next.Session.Conversation != "" {
		t.Errorf("the next chat begins with %+v", next.Session)
	}
	c.asks(next, "m3", "What am I allergic to?", "You are allergic to penicillin, as you told me before.")
}

// A message that is sent twice is kept once: on the same connection, on another, after a restart of the talk, and after the
// conversation has ended.
func TestAMessageSentTwiceIsKeptOnce(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, env ...string) {
		c := reception(t, webchat.Options{Linger: time.Millisecond}, env...)
		none := recaller.WebChatNone
		c.opens(client.WebChatPatch{Reply: &none})
		bob := c.visitor()
		page := c.connects(bob, false)
		var ids []string
		send := func(on *webchattest.Connection, ref, text string) {
			t.Helper()
			if err := on.Say(t.Context(), ref, text); err != nil {
				t.Fatal(err)
			}
			f, _, err := on.Until(t.Context(), "message")
			for err == nil && f.Ref != ref {
				f, _, err = on.Until(t.Context(), "message")
			}
			if err != nil {
				t.Fatal(err)
			}
			ids = append(ids, f.ID)
		}
		send(page, "a", "the first")
		send(page, "a", "the first")
		send(page, "b", "the second")
		conv := c.only()
		page.Drop()
		c.eventually("the talk is forgotten", c.forgotten)
		back := c.connects(bob, false)
		send(back, "b", "the second")
		send(back, "a", "the first")
		c.same("ids", ids, []string{conv.ID + ":1", conv.ID + ":1", conv.ID + ":2", conv.ID + ":2", conv.ID + ":1"})
		if err := bob.End(t.Context()); err != nil {
			t.Fatal(err)
		}
		back.Drop()
		c.eventually("the talk is forgotten", c.forgotten)
		late := c.connects(bob, false)
		late.Session.Conversation = conv.ID // the page was asleep, and takes it to go on
		send(late, "b", "the second")
		late.Session.Conversation = ""
		send(late, "a", "the first")
		if got := c.only(); got.ID != conv.ID || len(c.read(conv.ID).Turns) != 2 {
			t.Errorf("got %+v, want one conversation of two turns", got)
		}
	})
}

// Two tabs of a visitor write first at the same moment: they are one conversation.
func TestTwoTabsBeginOneConversation(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, env ...string) {
		c := reception(t, webchat.Options{HelloRate: -1, AddressRate: -1}, env...)
		reply := recaller.WebChatNone
		c.opens(client.WebChatPatch{Reply: &reply})
		const visitors = 20
		var together sync.WaitGroup
		for range visitors {
			v := c.visitor()
			c.connects(v, true).Drop()
			for _, ref := range []string{"m1", "m2"} {
				tab := *v
				together.Go(func() {
					if _, err := tab.Post(t.Context(), ref, "Are you there?"); err != nil {
						t.Error(err)
					}
				})
			}
		}
		together.Wait()
		page, err := c.Conversations(t.Context(), client.ConversationFilter{Page: client.Page{Limit: 100}})
		if err != nil || len(page.Conversations) != visitors {
			t.Errorf("got %d conversations of %d visitors, %v", len(page.Conversations), visitors, err)
		}
	})
}

// What the application answers over the API reaches the visitor, and so does an end by the application.
func TestTheApplicationAnswers(t *testing.T) {
	t.Parallel()
	c := reception(t, webchat.Options{})
	none := recaller.WebChatNone
	c.opens(client.WebChatPatch{Reply: &none})
	v := c.visitor()
	page, stream := c.connects(v, false), c.connects(v, true)
	if page.Session.Answers {
		t.Error("the page is told that somebody answers")
	}
	if err := page.Say(t.Context(), "a", "Is the blue one in stock?"); err != nil {
		t.Fatal(err)
	}
	if _, _, err := page.Until(t.Context(), "message"); err != nil {
		t.Fatal(err)
	}
	conv := c.only()
	if _, err := c.AddTurns(t.Context(), conv.ID, client.TurnInput{Speaker: recaller.Assistant, Text: "Yes, two are left."}); err != nil {
		t.Fatal(err)
	}
	for _, on := range []*webchattest.Connection{page, stream} {
		f, _, err := on.Until(t.Context(), "message")
		for err == nil && f.From == "visitor" {
			f, _, err = on.Until(t.Context(), "message")
		}
		if err != nil || f.Text != "Yes, two are left." || f.ID != conv.ID+":2" {
			t.Fatalf("got %+v, %v", f, err)
		}
	}
	if _, err := c.EndConversation(t.Context(), conv.ID, client.EndRequest{}); err != nil {
		t.Fatal(err)
	}
	if f, _, err := stream.Until(t.Context(), "ended"); err != nil || f.Conversation != conv.ID {
		t.Fatalf("got %+v, %v", f, err)
	}
}

// Whom the application signed in is the caller that it says, verified, and has the memory of his telephone calls.
func TestASignedInVisitorIsTheApplicationsCustomer(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, env ...string) {
		c := reception(t, webchat.Options{}, env...)
		c.opens(client.WebChatPatch{})
		started, err := c.StartConversation(t.Context(), client.StartRequest{Caller: client.CallerRef{ExternalID: "customer-7", Name: "Anna Weber"}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.StoreMemory(t.Context(), started.Caller.ID, client.MemoryInput{Type: "fact", Key: "allergy", Value: "Allergic to penicillin"}); err != nil {
			t.Fatal(err)
		}
		token, err := c.WebChatToken(t.Context(), client.NewWebChatToken{ExternalID: "customer-7", Name: "Anna Weber"})
		if err != nil || token.ExpiresAt.Sub(c.clock.Now()) > 15*time.Minute {
			t.Fatalf("got %+v, %v", token, err)
		}
		v := c.visitor()
		v.Token = token.Token
		page := c.connects(v, false)
		if page.Session.Token != "" {
			t.Error("a signed-in visitor is given another token")
		}
		c.asks(page, "a", "What am I allergic to?", "You are allergic to penicillin, as you told me before.")
		page2, err := c.Conversations(t.Context(), client.ConversationFilter{})
		if err != nil || len(page2.Conversations) != 2 || page2.Conversations[0].CallerID != started.Caller.ID || page2.Conversations[0].Trust != recaller.TrustVerified {
			t.Fatalf("got %+v, %v", page2, err)
		}
		c.clock.turn(16 * time.Minute)
		if err := page.Say(t.Context(), "b", "Still there?"); err != nil {
			t.Fatal(err)
		}
		if code, why := page.Closed(t.Context()); code != 4401 || why != "lapsed" {
			t.Errorf("a socket whose token has lapsed is closed as %d %q", code, why)
		}
		if _, err := v.Post(t.Context(), "c", "Hello?"); err != webchattest.Status(http.StatusUnauthorized) { //nolint:errorlint // it is not wrapped
			t.Errorf("got %v, want a 401", err)
		}
	})
}
