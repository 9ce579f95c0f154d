package app

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/endpoint/endpointtest"
	"github.com/recallerhq/recaller/internal/webchat"
	"github.com/recallerhq/recaller/internal/webchat/webchattest"
)

// The store is away: what is written is held, the agent answers, and all is written when it is back, once and in order. That
// holds for a chat that goes on, and for one that begins meanwhile.
func TestAChatGoesOnWithoutTheStore(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, env ...string) {
		c := reception(t, webchat.Options{}, env...)
		c.opens(client.WebChatPatch{})
		anna, bob := c.visitor(), c.visitor()
		goesOn := c.connects(anna, false)
		c.asks(goesOn, "m1", "Are you there?", "Yes, I am here.")
		begins := c.connects(bob, true)
		c.store.is(away)
		for _, on := range []*webchattest.Connection{goesOn, begins} {
			if err := on.Say(t.Context(), "m2", "Echo: still here"); err != nil {
				t.Fatal(err)
			}
			f, _, err := on.Until(t.Context(), "message")
			if err != nil || !f.Held || f.Ref != "m2" {
				t.Fatalf("got %+v, %v; want it held", f, err)
			}
			if done, _, err := on.Until(t.Context(), "done"); err != nil || done.Text != "still here" {
				t.Fatalf("got %+v, %v", done, err)
			}
		}
		anna.Last = ""
		if again := c.connects(anna, false); len(again.Session.Messages) != 4 {
			t.Errorf("the page loaded again is told %q", words(again.Session.Messages))
		}
		c.store.is(well)
		c.eventually("all is written", func() bool {
			conversations, _ := c.app.conversations.Waiting()
			return conversations == 0
		})
		page, err := c.Conversations(t.Context(), client.ConversationFilter{})
		if err != nil || len(page.Conversations) != 2 {
			t.Fatalf("got %d conversations, %v", len(page.Conversations), err)
		}
		for _, conv := range page.Conversations {
			var got []string
			for _, turn := range c.read(conv.ID).Turns {
				got = append(got, turn.Text)
			}
			want := []string{"Are you there?", "Yes, I am here.", "Echo: still here", "still here"}
			if !slices.Equal(got, want) && !slices.Equal(got, want[2:]) {
				t.Errorf("got %q", got)
			}
		}
	})
}

// The model is away: the visitor is told so in the language that he writes.
func TestAVisitorIsToldInHisLanguageThatNobodyAnswers(t *testing.T) {
	t.Parallel()
	c := reception(t, webchat.Options{})
	c.opens(client.WebChatPatch{})
	c.model.Fail(endpointtest.Status(http.StatusUnauthorized))
	for said, want := range map[string]string{
		"Guten Tag, ich möchte meinen Termin am Donnerstag verschieben":   "Entschuldigung,",
		"Hola, quisiera cambiar mi cita del jueves, por favor":            "Lo siento,",
		"Good morning, I would like to move my appointment to Thursday":   "I'm sorry,",
		"Bonjour, je voudrais déplacer mon rendez-vous à jeudi prochain.": "Excusez-moi,",
	} {
		on := c.connects(c.visitor(), false)
		if err := on.Say(t.Context(), "m", said); err != nil {
			t.Fatal(err)
		}
		if done, _, err := on.Until(t.Context(), "done"); err != nil || !strings.HasPrefix(done.Text, want) {
			t.Errorf("%q: got %q, %v", said, done.Text, err)
		}
	}
}

// The server stops amid an answer: sockets and streams hear why, what the visitor saw is kept as cut off, and the next process
// goes on with the conversation and answers. A visitor who is away comes back to the answer.
func TestTheServerStopsAmidAnAnswer(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, env ...string) {
		dir := t.TempDir()
		env = append(env, "RECALLER_SHUTDOWN_GRACE=10s")
		c := receptionIn(t, dir, webchat.Options{}, env...)
		c.next = make(chan struct{})
		c.opens(client.WebChatPatch{})
		url, down := serving(t, c.house)
		v := c.visitor()
		v.Chat = url + "/chat/default"
		page, stream := c.connects(v, false), c.connects(v, true)
		if err := page.Say(t.Context(), "m1", "Tell me slowly"); err != nil {
			t.Fatal(err)
		}
		c.next <- struct{}{}
		if _, _, err := page.Until(t.Context(), "piece"); err != nil {
			t.Fatal(err)
		}
		over := make(chan error, 1)
		go func() { over <- down() }()
		for _, on := range []*webchattest.Connection{page, stream} {
			if f, _, err := on.Until(t.Context(), "closing"); err != nil || f.Reason != "draining" {
				t.Fatalf("got %+v, %v", f, err)
			}
		}
		if code, why := page.Closed(t.Context()); code != 1001 || why != "draining" {
			t.Errorf("closed as %d %q", code, why)
		}
		if err := <-over; err != nil {
			t.Fatal(err)
		}
		if err := c.app.Close(context.Background()); err != nil {
			t.Fatal(err)
		}
		next := receptionIn(t, dir, webchat.Options{}, env...)
		v.Chat, v.Last = next.url+"/chat/default", ""
		back := next.connects(v, false)
		told := words(back.Session.Messages)
		if len(told) != 2 || told[0] != "visitor: Tell me slowly" || !strings.HasPrefix("agent: One two three.", strings.TrimSpace(told[1])) || !back.Session.Messages[1].Interrupted {
			t.Errorf("got %q, want the beginning of the answer", told)
		}
		if done, _, err := back.Until(t.Context(), "done"); err != nil || done.Text == "" || done.Interrupted {
			t.Errorf("got %+v, %v; want an answer", done, err)
		}
	})
}

// Who writes again before the answer has begun gets one answer to both; who writes amid an answer gets another behind it.
func TestAVisitorWritesAgainBeforeTheAnswer(t *testing.T) {
	t.Parallel()
	c := reception(t, webchat.Options{HelloRate: -1})
	c.next = make(chan struct{})
	c.opens(client.WebChatPatch{})
	v := c.visitor()
	page := c.connects(v, false)
	say := func(ref, text string) {
		t.Helper()
		if err := page.Say(t.Context(), ref, text); err != nil {
			t.Fatal(err)
		}
	}
	gets := func(kind, text string) {
		t.Helper()
		if f, before, err := page.Until(t.Context(), kind); err != nil || text != "" && f.Text != text {
			t.Fatalf("got %+v after %+v, %v; want %s %q", f, before, err, kind, text)
		}
	}
	say("m1", "Tell me slowly")
	gets("typing", "")
	say("m2", "Are you there?")
	gets("done", "Yes, I am here.") // and that is all
	say("m3", "Tell me slowly")
	gets("typing", "")
	c.next <- struct{}{}
	gets("piece", "")
	say("m4", "Echo: behind it")
	gets("message", "Echo: behind it")
	close(c.next)
	gets("done", "One two three.")
	gets("done", "behind it")
}

// A chat in which nothing is written for as long as the tenant says is over: the page is told, and it is written up.
func TestAQuietChatEnds(t *testing.T) {
	t.Parallel()
	c := reception(t, webchat.Options{})
	c.opens(client.WebChatPatch{})
	limit := 600.0
	c.set(client.TenantSettings{IdleLimitSeconds: &limit})
	page := c.connects(c.visitor(), false)
	c.asks(page, "m1", "Are you there?", "Yes, I am here.")
	conv := c.only()
	c.clock.turn(11 * time.Minute)
	if _, err := c.app.conversations.CloseIdle(t.Context()); err != nil {
		t.Fatal(err)
	}
	if f, _, err := page.Until(t.Context(), "ended"); err != nil || f.Conversation != conv.ID {
		t.Fatalf("got %+v, %v", f, err)
	}
	c.eventually("it is written up", func() bool {
		rec := c.read(conv.ID)
		return rec.Conversation.Status == recaller.Completed && rec.Conversation.Summary != nil
	})
	c.asks(page, "m2", "Are you there?", "Yes, I am here.")
}

// A chat that was quiet while the server was restarted has ended like any quiet one, and not as one that was cut off; what is
// written then begins another. One whose time is not over goes on.
func TestAChatIsQuietAcrossARestart(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, env ...string) {
		dir := t.TempDir()
		c := receptionIn(t, dir, webchat.Options{}, env...)
		c.opens(client.WebChatPatch{})
		v := c.visitor()
		c.asks(c.connects(v, false), "m1", "Are you there?", "Yes, I am here.")
		conv := c.only()
		if err := c.app.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		next := receptionIn(t, dir, webchat.Options{}, env...)
		next.start()
		v.Chat, v.Last = next.url+"/chat/default", ""
		if back := next.connects(v, false); len(back.Session.Messages) != 2 {
			t.Errorf("after the restart he is told %q", words(back.Session.Messages))
		}
		next.clock.turn(31 * time.Minute)
		next.wantClosed(1)
		rec := next.writtenUp(conv.ID)
		if got := rec.Conversation; got.Status != recaller.Completed || got.EndReason != "idle" || got.Summary == nil {
			t.Errorf("got %+v, want it completed", got)
		}
		next.asks(next.connects(v, false), "m2", "Are you there?", "Yes, I am here.")
		page, err := next.Conversations(t.Context(), client.ConversationFilter{})
		if err != nil || len(page.Conversations) != 2 || page.Conversations[0].CallerID != conv.CallerID {
			t.Errorf("got %+v, %v; want two of one visitor", page.Conversations, err)
		}
	})
}

// A visitor who is erased is told of nothing any more, and is somebody new if he writes again.
func TestAnErasedVisitorIsNew(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, env ...string) {
		c := reception(t, webchat.Options{}, env...)
		c.opens(client.WebChatPatch{})
		v := c.visitor()
		page := c.connects(v, false)
		c.asks(page, "m1", "Please remember that I am allergic to penicillin", "One moment. I have noted that.")
		before := c.only()
		if _, err := c.EraseCaller(t.Context(), before.CallerID); err != nil {
			t.Fatal(err)
		}
		if f, _, err := page.Until(t.Context(), "ended"); err != nil || f.Conversation != before.ID {
			t.Fatalf("got %+v, %v", f, err)
		}
		v.Last = ""
		again := c.connects(v, true)
		if len(again.Session.Messages) > 0 {
			t.Errorf("he is told %q", words(again.Session.Messages))
		}
		c.asks(again, "m1", "What am I allergic to?", "I do not know of any allergy.") // by a ref that was of what is erased
		if after := c.only(); after.CallerID == before.CallerID {
			t.Error("he is the caller that was erased")
		}
	})
}

// What is forgotten amid a chat is not told to the page that is loaded again, and what was said since is.
func TestWhatIsForgottenAmidAChatIsNotTold(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, env ...string) {
		c := reception(t, webchat.Options{}, env...)
		c.opens(client.WebChatPatch{})
		v := c.visitor()
		page := c.connects(v, false)
		c.asks(page, "m1", "Please remember that I am allergic to penicillin", "One moment. I have noted that.")
		conv := c.only()
		memories, err := c.Memories(t.Context(), conv.CallerID, client.MemoryFilter{})
		if err != nil || len(memories.Memories) != 1 {
			t.Fatalf("got %+v, %v", memories, err)
		}
		if _, err := c.ForgetMemory(t.Context(), memories.Memories[0].ID); err != nil {
			t.Fatal(err)
		}
		c.asks(page, "m2", "Are you there?", "Yes, I am here.")
		c.eventually("the words are gone", func() bool {
			look := webchattest.Visitor{Chat: v.Chat, Origin: v.Origin, Token: v.Token}
			on, err := look.Stream(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer on.Drop()
			told := words(on.Session.Messages)
			return !strings.Contains(strings.Join(told, "\n"), "penicillin") && slices.Contains(told, "visitor: Are you there?") && slices.Contains(told, "agent: Yes, I am here.")
		})
	})
}
