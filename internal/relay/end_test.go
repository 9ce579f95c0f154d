package relay_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/agent"
	"github.com/recallerhq/recaller/internal/conversation"
	"github.com/recallerhq/recaller/internal/relay"
	"github.com/recallerhq/recaller/internal/relay/relaytest"
	"github.com/recallerhq/recaller/internal/telephony"
	"github.com/recallerhq/recaller/internal/telephony/telephonytest"
)

// A server that stops does not end the call: another takes it on.
func TestAServerThatStops(t *testing.T) {
	t.Parallel()
	l := newLine(t, slow, says("One two."))
	s := l.call(telephony.Call{ID: "CA1"})
	l.do(s.Say(t.Context(), "Hello?", ""))
	l.answered(s, "One two.")
	l.stop()
	if code, why := s.Over(t.Context()); code != websocket.StatusGoingAway || why != "draining" {
		t.Errorf("closed with %d, %q", code, why)
	}
	l.eventually("it is over", func() bool { return strings.Contains(l.log.String(), "reason=draining") })
	if len(l.core.ends) > 0 {
		t.Errorf("the conversation was ended: %+v", l.core.ends)
	}
}

// The platform tells the end while the call goes on, amid an answer: it ends when all is kept that was said, with the
// platform's length and recording, and the session's reason. Of a call whose server stops it is carried out, too.
func TestTheEndThatThePlatformTellsWaits(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		leave func(l *line, s *relaytest.Socket)
		want  conversation.End
	}{
		"hung up": {func(l *line, s *relaytest.Socket) { l.do(s.HangUp()) }, conversation.End{Status: recaller.Completed, Reason: "hung_up"}},
		"dropped": {func(l *line, s *relaytest.Socket) { l.do(s.Drop()) }, conversation.End{Status: recaller.Failed, Reason: "dropped"}},
		"stopped": {func(l *line, s *relaytest.Socket) { l.stop(); s.Over(l.t.Context()) }, conversation.End{Status: recaller.Completed, Reason: "completed"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			going := make(chan struct{}, 1)
			l := newLine(t, relay.Options{Speed: 10}, talks("one two three four", going))
			s := l.call(telephony.Call{ID: "CA1"})
			l.do(s.Say(t.Context(), "Count.", "en-US"))
			<-going
			over := telephonytest.Over("CA1", "+15550001111", "+15550002222", "completed", 42*time.Second)
			over.Set("RecordingUrl", "https://recordings.example.com/1")
			for range 2 {
				l.Post(t, telephony.EndedPath, over)
				l.do(l.door.Retry(t.Context()))
			}
			if n := len(l.core.ends); n != 0 {
				t.Fatalf("the conversation was ended %d times while the call goes on", n)
			}
			l.turn(1200 * time.Millisecond)
			c.leave(l, s)
			l.eventually("the conversation ends", func() bool {
				l.core.mu.Lock()
				defer l.core.mu.Unlock()
				return len(l.core.ends) > 0
			})
			l.kept("user: Count.", "assistant: one two—")
			c.want.Duration, c.want.RecordingURL = 42*time.Second, "https://recordings.example.com/1"
			if l.core.ends[0] != c.want {
				t.Errorf("got %+v, want %+v", l.core.ends[0], c.want)
			}
		})
	}
}

// A call that our side broke, or dropped, is told so by the platform, when it asks what comes next; one that ended as
// calls do is hung up.
func TestWhatIsSaidBehindASession(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answer func(context.Context, agent.Asking, func(string) error) (agent.Answer, error)
		leave  func(l *line, s *relaytest.Socket)
		verbs  string
	}{
		"the caller hung up": {says("Yes."), func(l *line, s *relaytest.Socket) { l.do(s.HangUp()) }, "Hangup"},
		"the agent crashed": {
			func(context.Context, agent.Asking, func(string) error) (agent.Answer, error) { panic("in the agent") },
			func(l *line, s *relaytest.Socket) { s.Over(l.t.Context()) }, "Say Hangup",
		},
		"the server stops": {says("Yes."), func(l *line, s *relaytest.Socket) { l.answered(s, "Yes."); l.stop(); s.Over(l.t.Context()) }, "Say Hangup"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLine(t, quick, c.answer)
			s := l.call(telephony.Call{ID: "CA1"})
			l.do(s.Say(t.Context(), "Hello?", "en-US"))
			c.leave(l, s)
			l.eventually("the session is over", func() bool { return strings.Contains(l.log.String(), "a call over a relay is over") })
			form := telephonytest.Ringing("CA1", "+15550001111", "+15550002222")
			form.Set("CallStatus", "in-progress")
			if a := l.Post(t, telephony.EndedPath+"?after=socket", form); a.XML.Names() != c.verbs {
				t.Errorf("got %s, want %s", a.Body, c.verbs)
			}
		})
	}
}
