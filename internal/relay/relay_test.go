package relay_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/agent"
	"github.com/recallerhq/recaller/internal/relay"
	"github.com/recallerhq/recaller/internal/relay/relaytest"
	"github.com/recallerhq/recaller/internal/telephony"
)

// quick has all that is sent heard at once; slow has it never be.
var (
	quick = relay.Options{Lead: 1, Speed: 1e9}
	slow  = relay.Options{Speed: 1e-3}
)

// What the caller says is kept, masked, before it is answered; the answer goes out in pieces and is closed; it is kept
// once it was heard. Partial prompts count for nothing. The greeting is a turn, too.
func TestACallIsTextBothWays(t *testing.T) {
	t.Parallel()
	l := newLine(t, quick, says("Nine ", "o'clock."))
	l.core.briefing = recaller.Briefing{Text: "Marta likes tea."}
	s := l.call(telephony.Call{ID: "CA1", Conversation: "c1", Greeting: "Good morning!", TimeZone: "Europe/Berlin"})
	l.do(s.Say(t.Context(), "Is 4711 at nine?", "de-DE", "Is", "Is 4711"))
	for i, want := range []relaytest.Frame{
		{Type: "text", Token: "Nine ", Lang: "de-DE"}, {Type: "text", Token: "o'clock.", Lang: "de-DE"}, {Type: "text", Last: true, Lang: "de-DE"},
	} {
		if got, err := s.Next(t.Context()); err != nil || got != want {
			t.Fatalf("frame %d: got %+v, %v; want %+v", i, got, err, want)
		}
	}
	l.kept("assistant: Good morning!", "user: Is [masked] at nine?", "assistant: Nine o'clock.")
	in := l.core.asked[0]
	if in.Conversation != "c1" || in.Tenant != "t1" || in.Channel != recaller.ChannelVoice || in.Language != "de-DE" || in.Briefing.Text != "Marta likes tea." || in.Caller.TimeZone != "Europe/Berlin" {
		t.Errorf("the agent was asked %+v", in)
	}
	if len(in.Turns) != 2 || in.Turns[1].Text != "Is [masked] at nine?" {
		t.Errorf("the agent was told %+v", in.Turns)
	}
	l.do(s.Press(t.Context(), "1"))
	l.do(s.Complain(t.Context(), "malformed message"))
	l.do(s.Raw(t.Context(), []byte("{")))
	l.do(s.Raw(t.Context(), []byte(`{"type":"weather"}`)))
	l.do(s.Say(t.Context(), "Thanks.", ""))
	l.answered(s, "Nine o'clock.")
	l.kept("assistant: Good morning!", "user: Is [masked] at nine?", "assistant: Nine o'clock.", "user: Thanks.", "assistant: Nine o'clock.")
	l.do(s.HangUp())
	l.over(recaller.Completed, "hung_up")
	for kind, n := range map[string]int{"setup": 1, "prompt": 2, "partial": 2, "dtmf": 1, "error": 1, "malformed": 1, "other": 1} {
		l.counted("recaller_relay_frames_total", "type", kind, n)
	}
	marks := slices.Clone(l.core.marks)
	slices.Sort(marks)
	if len(slices.Compact(marks)) != len(l.core.turns) {
		t.Errorf("got marks %q, want one of each turn", l.core.marks)
	}
	if log := l.log.String(); strings.Contains(log, "nine") || strings.Contains(log, "Nine") || strings.Contains(log, "malformed message") || strings.Contains(log, "Morning") {
		t.Errorf("the log tells what was said: %s", log)
	}
}

// What follows Telnyx's setup is the same.
func TestTelnyxsSetup(t *testing.T) {
	t.Parallel()
	l := newLine(t, quick, says("Yes."))
	s := l.open(relaytest.Telnyx("v3:a", l.rings(telephony.Call{ID: "v3:a", Language: "en-GB"})))
	l.do(s.Say(t.Context(), "Hello?", ""))
	l.answered(s, "Yes.")
	if in := l.core.asked[0]; in.Conversation != "v3:a" || in.Language != "en-GB" {
		t.Errorf("the agent was asked %+v, want the call by its own id, in the tenant's language", in)
	}
	l.do(s.HangUp())
	l.over(recaller.Completed, "hung_up")
}

// talks is an agent that says words until somebody interrupts it, and then what is said behind.
func talks(first string, going chan<- struct{}) func(context.Context, agent.Asking, func(string) error) (agent.Answer, error) {
	return func(ctx context.Context, in agent.Asking, say func(string) error) (agent.Answer, error) {
		if len(in.Turns) > 1 {
			return says("All right.")(ctx, in, say)
		}
		if err := say(first); err != nil {
			return agent.Answer{}, err
		}
		going <- struct{}{}
		<-ctx.Done()
		return agent.Answer{Interrupted: true}, say(" And this comes too late.")
	}
}

// An interruption ends the answer at once, and only what was heard is kept. The next answer knows where the last was cut.
func TestAnInterruptionIsHonouredAtTheWordsThatWereHeard(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		heard string
		ms    any
		want  []string
	}{
		"some words":     {"Last week we agr", 460, []string{"user: What did we agree?", "assistant: Last week we—", "user: On Tuesday?", "assistant: All right."}},
		"other words":    {"Buongiorno", "460", []string{"user: What did we agree?", "user: On Tuesday?", "assistant: All right."}},
		"nothing at all": {"", 0, []string{"user: What did we agree?", "user: On Tuesday?", "assistant: All right."}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			going := make(chan struct{}, 1)
			l := newLine(t, slow, talks("Last week we agreed on Tuesday at nine.", going))
			s := l.call(telephony.Call{ID: "CA1"})
			l.do(s.Say(t.Context(), "What did we agree?", "en-US"))
			<-going
			l.do(s.Interrupt(t.Context(), c.heard, c.ms))
			l.answered(s, "Last week we agreed on Tuesday at nine.") // closed, and nothing behind it
			l.core.set(func() { l.core.answer = says("All right.") })
			l.do(s.Say(t.Context(), "On Tuesday?", "en-US"))
			l.answered(s, "All right.")
			l.turn(time.Hour * 1000)
			l.do(s.HangUp())
			l.over(recaller.Completed, "hung_up")
			l.kept(c.want...)
		})
	}
}

// An answer that is out can be interrupted as long as it is said; so can the greeting. An interruption of nothing is none.
func TestWhatIsOutIsInterruptedToo(t *testing.T) {
	t.Parallel()
	l := newLine(t, slow, says("One two three."))
	s := l.call(telephony.Call{ID: "CA1", Greeting: "Good morning, this is the clinic."})
	l.do(s.Interrupt(t.Context(), "Good morning, this", 300))
	l.do(s.Interrupt(t.Context(), "Good morning, this is", 300))
	l.do(s.Say(t.Context(), "Count.", "en-US"))
	l.answered(s, "One two three.")
	l.do(s.Interrupt(t.Context(), "One two", 300))
	l.do(s.HangUp())
	l.over(recaller.Completed, "hung_up")
	l.kept("assistant: Good morning, this—", "user: Count.", "assistant: One two—")
}

// Who speaks again before the answer is out gets another. What was sent of the first counts as heard: the platform would
// have told an interruption.
func TestAPromptWhileAnAnswerRuns(t *testing.T) {
	t.Parallel()
	going := make(chan struct{}, 1)
	l := newLine(t, slow, talks("Let me see.", going))
	s := l.call(telephony.Call{ID: "CA1"})
	l.do(s.Say(t.Context(), "When?", "en-US"))
	<-going
	l.do(s.Say(t.Context(), "And where?", "en-US"))
	l.answered(s, "Let me see.")
	l.answered(s, "All right.")
	l.kept("user: When?", "assistant: Let me see.—", "user: And where?")
}

// The caller hangs up amid an answer: what can have been heard by then is kept.
func TestTheCallerHangsUpAmidAnAnswer(t *testing.T) {
	t.Parallel()
	going := make(chan struct{}, 1)
	l := newLine(t, relay.Options{Speed: 10}, talks("one two three four", going))
	s := l.call(telephony.Call{ID: "CA1"})
	l.do(s.Say(t.Context(), "Count.", "en-US"))
	<-going
	l.turn(1200 * time.Millisecond)
	l.do(s.HangUp())
	l.over(recaller.Completed, "hung_up")
	l.kept("user: Count.", "assistant: one two—")
}

// The agent hangs up: the platform is told once the last words were heard. Who speaks before that is not hung up on.
func TestTheAgentHangsUp(t *testing.T) {
	t.Parallel()
	bye := func(ctx context.Context, in agent.Asking, say func(string) error) (agent.Answer, error) {
		_, err := says("Goodbye!")(ctx, in, say)
		return agent.Answer{HangUp: true}, err
	}
	l := newLine(t, quick, bye)
	s := l.call(telephony.Call{ID: "CA1"})
	l.do(s.Say(t.Context(), "That's all.", "en-US"))
	l.answered(s, "Goodbye!")
	if f, err := s.Next(t.Context()); err != nil || f.Type != "end" {
		t.Fatalf("got %+v, %v, want the end", f, err)
	}
	l.do(s.HangUp())
	l.over(recaller.Completed, "agent_hung_up")
	l.kept("user: That's all.", "assistant: Goodbye!")

	l = newLine(t, slow, bye)
	s = l.call(telephony.Call{ID: "CA1"})
	l.do(s.Say(t.Context(), "That's all.", "en-US"))
	l.answered(s, "Goodbye!")
	l.do(s.Interrupt(t.Context(), "Good", 100))
	l.core.set(func() { l.core.answer = says("Yes?") })
	l.do(s.Say(t.Context(), "Wait.", "en-US"))
	l.answered(s, "Yes?")
}

// Sockets that do not say whose they are, or lie, are closed, each with its reason.
func TestSocketsThatAreRefused(t *testing.T) {
	t.Parallel()
	l := newLine(t, quick, says("Yes."))
	token := l.rings(telephony.Call{ID: "CA1"})
	other := l.rings(telephony.Call{ID: "CA2"})
	for name, c := range map[string]struct {
		send func(s *relaytest.Socket) error
		code websocket.StatusCode
		why  string
	}{
		"another token":        {func(s *relaytest.Socket) error { return s.Setup(t.Context(), relaytest.Twilio("CA1", token[1:]+"A")) }, websocket.StatusPolicyViolation, "forged"},
		"another call's token": {func(s *relaytest.Socket) error { return s.Setup(t.Context(), relaytest.Twilio("CA1", other)) }, websocket.StatusPolicyViolation, "forged"},
		"an unknown call":      {func(s *relaytest.Socket) error { return s.Setup(t.Context(), relaytest.Twilio("CA9", token)) }, websocket.StatusPolicyViolation, "forged"},
		"no call":              {func(s *relaytest.Socket) error { return s.Setup(t.Context(), relaytest.Setup{}) }, websocket.StatusPolicyViolation, "forged"},
		"no setup":             {func(s *relaytest.Socket) error { return s.Say(t.Context(), "Hi", "") }, websocket.StatusPolicyViolation, "malformed"},
		"no JSON":              {func(s *relaytest.Socket) error { return s.Raw(t.Context(), []byte("hello")) }, websocket.StatusPolicyViolation, "malformed"},
		"too much":             {func(s *relaytest.Socket) error { return s.Say(t.Context(), strings.Repeat("x", 70_000), "") }, websocket.StatusMessageTooBig, ""},
	} {
		s, err := relaytest.Dial(t.Context(), l.url, nil)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		l.do(c.send(s))
		if code, why := s.Over(t.Context()); code != c.code || c.why != "" && why != c.why {
			t.Errorf("%s: closed with %d, %q; want %d, %q", name, code, why, c.code, c.why)
		}
	}
	if got := l.core.said(); len(got) > 0 {
		t.Errorf("kept: %q", got)
	}
	l.counted("recaller_relay_sessions_total", "result", "forged", 4)
	l.counted("recaller_relay_sessions_total", "result", "malformed", 2)
	l.counted("recaller_relay_sessions_total", "result", "too_large", 1)
}

// Whoever opens a socket and says nothing is closed.
func TestSocketsThatSayNothing(t *testing.T) {
	t.Parallel()
	l := newLine(t, relay.Options{Setup: 20 * time.Millisecond}, says("Yes."))
	s, err := relaytest.Dial(t.Context(), l.url, nil)
	l.do(err)
	s.Over(t.Context())
	l.eventually("it is counted", func() bool { return strings.Contains(l.log.String(), "no_setup") })
	l.counted("recaller_relay_sessions_total", "result", "no_setup", 1)
}

// A token is taken once, and so is a call.
func TestATokenIsTakenOnce(t *testing.T) {
	t.Parallel()
	l := newLine(t, quick, says("Yes."))
	token := l.rings(telephony.Call{ID: "CA1"})
	first := l.open(relaytest.Twilio("CA1", token))
	l.do(first.Say(t.Context(), "Hello?", ""))
	l.answered(first, "Yes.")
	if code, why := l.open(relaytest.Twilio("CA1", token)).Over(t.Context()); code != websocket.StatusPolicyViolation || why != "forged" {
		t.Errorf("the second was closed with %d, %q", code, why)
	}
	l.do(first.Say(t.Context(), "Still there?", ""))
	l.answered(first, "Yes.")
}

// Too many frames, too large ones, a connection that breaks off: the call is over, as failed, with its reason.
func TestSessionsThatBreak(t *testing.T) {
	t.Parallel()
	for why, do := range map[string]func(l *line, s *relaytest.Socket){
		"flood": func(l *line, s *relaytest.Socket) {
			for i := 0; i < 1000 && s.Press(l.t.Context(), "1") == nil; i++ {
			}
		},
		"too_large": func(l *line, s *relaytest.Socket) { l.do(s.Say(l.t.Context(), strings.Repeat("x", 70_000), "")) },
		"dropped":   func(l *line, s *relaytest.Socket) { l.do(s.Drop()) },
		"crashed": func(l *line, s *relaytest.Socket) {
			l.core.set(func() {
				l.core.answer = func(context.Context, agent.Asking, func(string) error) (agent.Answer, error) { panic("in the agent") }
			})
			l.do(s.Say(l.t.Context(), "Hello?", ""))
			s.Over(l.t.Context())
		},
		// Nobody reads what is said.
		"slow": func(l *line, s *relaytest.Socket) {
			l.core.set(func() {
				l.core.answer = func(_ context.Context, _ agent.Asking, say func(string) error) (agent.Answer, error) {
					for {
						if err := say(strings.Repeat("x", 1<<20)); err != nil {
							return agent.Answer{}, err
						}
					}
				}
			})
			l.do(s.Say(l.t.Context(), "Hello?", ""))
		},
		// Nobody reads, so nobody answers the ping.
		"silent": func(*line, *relaytest.Socket) {},
	} {
		t.Run(why, func(t *testing.T) {
			t.Parallel()
			o := quick
			switch why {
			case "silent":
				o.Ping, o.Pong = 10*time.Millisecond, 50*time.Millisecond
			case "slow":
				o.Send = 100 * time.Millisecond
			}
			l := newLine(t, o, says("Yes."))
			do(l, l.call(telephony.Call{ID: "CA1"}))
			l.over(recaller.Failed, why)
		})
	}
}

// What cannot be kept waits for the next, in order; the agent knows it all the same. A conversation that was ended
// elsewhere is over here, too.
func TestTurnsThatCannotBeKept(t *testing.T) {
	t.Parallel()
	l := newLine(t, quick, says("Yes."))
	l.core.briefing = recaller.Briefing{Text: "whole"}
	s := l.call(telephony.Call{ID: "CA1"})
	l.do(s.Say(t.Context(), "One.", ""))
	l.answered(s, "Yes.")
	l.kept("user: One.", "assistant: Yes.")
	l.core.set(func() { l.core.broken = recaller.Unavailable })
	l.do(s.Say(t.Context(), "Two.", ""))
	l.answered(s, "Yes.")
	l.core.set(func() {
		in := l.core.asked[1]
		if n := len(in.Turns); n != 3 || in.Turns[2].Text != "Two." || in.Briefing.Text != "whole" {
			t.Errorf("the agent was asked %+v", in)
		}
		l.core.broken = nil
	})
	l.do(s.Say(t.Context(), "Three.", ""))
	l.answered(s, "Yes.")
	l.kept("user: One.", "assistant: Yes.", "user: Two.", "assistant: Yes.", "user: Three.", "assistant: Yes.")
	l.core.set(func() { l.core.broken = recaller.Conflict })
	l.do(s.Say(t.Context(), "Four.", ""))
	for {
		f, err := s.Next(t.Context())
		if err != nil {
			t.Fatalf("closed without an end: %v", err)
		}
		if f.Type == "end" {
			break
		}
	}
	s.Over(t.Context())
	l.eventually("it is over", func() bool { return strings.Contains(l.log.String(), "reason=ended") })
	if len(l.core.ends) > 0 {
		t.Errorf("the conversation was ended again: %+v", l.core.ends)
	}
}
