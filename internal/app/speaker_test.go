package app

import (
	"strings"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/llm/llmtest"
	"github.com/recallerhq/recaller/internal/realtime"
	"github.com/recallerhq/recaller/internal/rehearsal"
	"github.com/recallerhq/recaller/internal/relay/relaytest"
)

// shared has two people use Marta's number: the one whose it is, who is allergic to penicillin, and Anna, who has a parrot.
func (e *exchange) shared() (his, hers string) {
	e.t.Helper()
	first := e.ring(marta)
	e.remembers(first.Caller.ID, "allergy", "Allergic to penicillin")
	out, err := e.SomeoneElse(e.t.Context(), first.Conversation.ID, client.SpeakerRequest{Name: "Anna"})
	if err != nil {
		e.t.Fatal(err)
	}
	e.remembers(out.Caller.ID, "bird", "A parrot called Otto")
	e.hangUp(first.Conversation.ID)
	return first.Caller.ID, out.Caller.ID
}

func (e *exchange) remembers(caller, key, value string) {
	e.t.Helper()
	if _, err := e.StoreMemory(e.t.Context(), caller, client.MemoryInput{Type: recaller.Fact, Key: key, Value: value}); err != nil {
		e.t.Fatal(err)
	}
}

// wantHanded wants a call to be hers, as the platform ended it, and what was said before to be an ended conversation of his.
func (e *exchange) wantHanded(call client.Conversation, his, hers string, duration float64) (past client.Conversation) {
	e.t.Helper()
	past = e.read(call.Continues).Conversation
	if call.CallerID != hers || call.BegunAs != his || call.Status != recaller.Completed || call.DurationSeconds != duration {
		e.t.Errorf("got %+v; want the call hers, %v s as the platform told", call, duration)
	}
	if past.CallerID != his || past.Status != recaller.Completed || past.EndReason != "someone else" {
		e.t.Errorf("got %+v; want what was said before his", past)
	}
	return past
}

// Somebody else speaks in a bridged call: the model is told what is known of her and nothing more of him, what is said from
// then on is hers, and the platform ends her call.
func TestSomebodyElseSpeaksInABridgedCall(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, env ...string) {
		s := bridgedTo(t, rehearsal.ModelOptions{Think: func(in rehearsal.Heard) rehearsal.Reply {
			short := rehearsal.Tone(in.N, 200*time.Millisecond)
			switch {
			case in.N == 1:
				return rehearsal.Reply{Say: welcome, Audio: short}
			case in.N == 3:
				return rehearsal.Reply{Calls: []realtime.Call{{Name: "someone_else", Arguments: []byte(`{"name":"Anna"}`)}}}
			case len(in.Results) > 0:
				return rehearsal.Reply{Say: "Hello Anna.", Audio: short}
			}
			return rehearsal.Reply{Say: "I see.", Audio: short}
		}}, env...)
		his, hers := s.shared()
		l := s.calls("CA1", s.token("CA1"))
		s.kept("CA1", 1)
		before := len(s.model.Updates())
		holds(t, "the instructions at first", s.model.Updates()[before-1], "penicillin")
		s.says(l, "CA1", 3)
		s.says(l, "CA1", 2)
		told := func() string { u := s.model.Updates(); return u[len(u)-1] }
		s.eventually("the model is told of her", func() bool { return strings.Contains(told(), "Otto") })
		if strings.Contains(told(), "penicillin") {
			t.Errorf("the model is told of him:\n%s", told())
		}
		s.says(l, "CA1", 4)
		s.ends("CA1", marta, lakeside, "completed", 42*time.Second)
		if err := l.HangUp(t.Context()); err != nil {
			t.Fatal(err)
		}
		past := s.wantHanded(s.ended("CA1", recaller.Completed, "hung up"), his, hers, 42)
		if got, want := s.said(past.ID), "assistant: "+welcome+"\nuser: My greyhound is called Bruno.\nassistant: I see.\n"; got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
		const bye = "user: That is all, goodbye.\n"
		if got, want := s.said("CA1"), bye+"assistant: Hello Anna.\n"+bye+"assistant: I see.\n"; got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
		if told := told(); strings.Contains(told, "penicillin") || !strings.Contains(told, "Otto") {
			t.Errorf("at last the model is told\n%s", told)
		}
	})
}

// Somebody else speaks in a call over a relay: the agent's model has neither his briefing nor his words any more.
func TestSomebodyElseSpeaksOverARelay(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, env ...string) {
		d := answering(t, atOnce, env...)
		his, hers := d.shared()
		s := d.open(relaytest.Twilio("CA1", d.token("CA1", marta)))
		d.says(s, "So what am I allergic to?", "You are allergic to penicillin, as you told me before.")
		d.says(s, "Wait, here is Anna.", "I have noted that.")
		d.says(s, "What am I allergic to, please?", "I do not know of any allergy.")
		asked := d.model.Requests()
		last := asked[len(asked)-1]
		if !strings.Contains(last.System, "Otto") {
			t.Errorf("the model is not told of her:\n%s", last.System)
		}
		for _, m := range append(last.Messages, llmtest.Message{Text: last.System}) {
			if strings.Contains(m.Text, "penicillin") || strings.Contains(m.Text, "So what am I") {
				t.Errorf("the model is told of him: %s", m.Text)
			}
		}
		d.ends("CA1", marta, lakeside, "completed", time.Minute)
		if err := s.HangUp(); err != nil {
			t.Error(err)
		}
		wantTurns(t, d.over("CA1", recaller.Completed), "user: Wait, here is Anna.", "assistant: I have noted that.",
			"user: What am I allergic to, please?", "assistant: I do not know of any allergy.")
		past := d.wantHanded(d.read("CA1").Conversation, his, hers, 60)
		wantTurns(t, d.turns(past.ID), "assistant: Good morning, this is the clinic.",
			"user: So what am I allergic to?", "assistant: You are allergic to penicillin, as you told me before.")
	})
}
