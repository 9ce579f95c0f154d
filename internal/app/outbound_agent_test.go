package app

import (
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/bridge"
	"github.com/recallerhq/recaller/internal/llm/llmtest"
	"github.com/recallerhq/recaller/internal/realtime"
	"github.com/recallerhq/recaller/internal/rehearsal"
	"github.com/recallerhq/recaller/internal/relay/relaytest"
)

// With an agent behind the telephone it is the agent who talks: it begins by saying who it is, and nothing of the matter,
// and its briefing says why it rings.
func TestAnAgentRings(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, env ...string) {
		d := diallingOut(t, append(env, "RECALLER_LLM_BASE_URL=http://127.0.0.1:9/v1", "RECALLER_LLM_MODEL=m")...)
		who := d.met()
		d.choose(client.TelephonePatch{Answer: ptr(recaller.AnswerRelay), Greeting: ptr("Lakeside Dental, good morning!"), Language: ptr("en-GB")})
		d.reach(recaller.MeansRing)
		d.reminds(who, "pills", "Take the blue pills")
		ring := d.rung(1)
		got := d.picksUp(ring, "human", "Connect")
		relay := got.XML.Find("ConversationRelay")
		if w := relay.Attr("welcomeGreeting"); w != "Hello, this is Lakeside Dental. I am calling about a reminder. Is this a good moment?" || relay.Attr("language") != "en-GB" {
			t.Errorf("got %s", got.Body)
		}
		b, err := d.ConversationBriefing(t.Context(), ring.ID, client.BriefingQuery{})
		if err != nil || !strings.Contains(b.Text[:400], "You are ringing them, because a reminder came due") || !strings.Contains(b.Text, "Remind them of: Take the blue pills") {
			t.Errorf("got %v, %s", err, b.Text)
		}
		d.hangsUp(ring, "completed")
	})
}

// Over the socket the agent's model is told why it rings before it says a word.
func TestAnAgentKnowsWhyItRings(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, env ...string) {
		model := httptest.NewServer(llmtest.NewTalking(func(q llmtest.Request) llmtest.Said {
			why := strings.Index(q.System, "You are ringing them, because a reminder came due")
			if matter := strings.Index(q.System, "Remind them of: Take the blue pills"); why < 0 || matter < why {
				return llmtest.Said{Text: "I do not know why I ring."}
			}
			return llmtest.Said{Text: "It is time for the blue pills."}
		}))
		t.Cleanup(model.Close)
		d := diallingOut(t, append(env, "RECALLER_LLM_BASE_URL="+model.URL+"/v1", "RECALLER_LLM_MODEL=m", "RECALLER_LLM_WORDS=quoted")...)
		who := d.met()
		d.choose(client.TelephonePatch{Answer: ptr(recaller.AnswerRelay)})
		d.reach(recaller.MeansRing)
		r := d.reminds(who, "pills", "Take the blue pills")
		ring := d.rung(1)
		a := d.picksUp(ring, "human", "Connect")
		desk := &desk{exchange: d.exchange}
		socket := desk.open(relaytest.Setup{
			Session: "VX1", Call: ring.ID, From: lakeside, To: marta, Direction: "outbound-api",
			Parameters: map[string]any{"token": a.XML.Find("Parameter").Attr("value")},
		})
		desk.says(socket, "Yes, speaking.", "It is time for the blue pills.")
		if err := socket.Drop(); err != nil {
			t.Error(err)
		}
		d.hangsUp(ring, "completed")
		d.eventually("she was told", func() bool { return d.stands(who, r.ID).Status == recaller.ReminderDelivered })
	})
}

// Over the bridge it is the realtime model that rings: it is told why before it says its first words, which are ours and
// name no matter; the conversation is ours, and is kept.
func TestARealtimeModelRings(t *testing.T) {
	t.Parallel()
	for _, maker := range []bridge.Maker{bridge.OpenAI, bridge.Deepgram} {
		t.Run(string(maker), func(t *testing.T) {
			t.Parallel()
			onBoth(t, func(t *testing.T, env ...string) {
				const first = "Hello, this is Lakeside Dental. I am calling about a reminder. Is this a good moment?"
				model, address := modelled(t, rehearsal.ModelOptions{Maker: maker, Think: func(h rehearsal.Heard) rehearsal.Reply {
					why := strings.Index(h.Instructions, "You are ringing them, because a reminder came due")
					matter := strings.Index(h.Instructions, "Remind them of: Take the blue pills")
					switch {
					case why < 0 || matter < why:
						return rehearsal.Reply{Say: "I do not know why I ring.", Audio: rehearsal.Tone(h.N, 100*time.Millisecond)}
					case h.N == 1 && strings.Contains(h.Asked, first):
						return rehearsal.Reply{Say: first, Audio: rehearsal.Tone(h.N, 100*time.Millisecond)}
					case len(h.Results) == 0 && h.N > 1:
						return rehearsal.Reply{Calls: []realtime.Call{{Name: "list_reminders", Arguments: []byte(`{}`)}}}
					case h.N > 1 && !strings.Contains(h.Results[0], `"reaching":"it is due: a call about it goes on"`):
						return rehearsal.Reply{Say: "I was told: " + h.Results[0], Audio: rehearsal.Tone(h.N, 100*time.Millisecond)}
					case h.N == 1:
						return rehearsal.Reply{Say: "I was asked: " + h.Asked, Audio: rehearsal.Tone(h.N, 100*time.Millisecond)}
					}
					return rehearsal.Reply{Say: "It is time for the blue pills.", Audio: rehearsal.Tone(h.N, 100*time.Millisecond)}
				}})
				d := diallingOut(t, append(env, address...)...)
				s := &studio{d.exchange, model}
				d.set(client.TenantSettings{MemoryTools: ptr(true)})
				who := d.met()
				d.choose(client.TelephonePatch{Answer: ptr(recaller.AnswerBridge), Greeting: ptr("Lakeside Dental, good morning!"), Language: ptr("en-GB")})
				d.reach(recaller.MeansRing)
				r := d.reminds(who, "pills", "Take the blue pills")
				ring := d.rung(1)
				l := s.calls(ring.ID, d.picksUp(ring, "human", "Connect").XML.Find("Parameter").Attr("value"))
				s.kept(ring.ID, 1)
				s.says(l, ring.ID, 3)
				if got := s.said(ring.ID); !strings.Contains(got, first) || !strings.Contains(got, "It is time for the blue pills.") {
					t.Errorf("got %s", got)
				}
				if err := l.HangUp(t.Context()); err != nil {
					t.Error(err)
				}
				d.hangsUp(ring, "completed")
				d.eventually("she was told", func() bool { return d.stands(who, r.ID).Status == recaller.ReminderDelivered })
				conv, err := d.Conversation(t.Context(), d.stands(who, r.ID).Errand.Conversation)
				if err != nil || conv.Conversation.ExternalID != ring.ID || conv.Conversation.Direction != recaller.Outbound || !conv.Conversation.Reminder || conv.Conversation.CallerID != who {
					t.Errorf("got %+v, %v", conv.Conversation, err)
				}
			})
		})
	}
}
