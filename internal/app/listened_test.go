package app

import (
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/mediastream"
	"github.com/recallerhq/recaller/internal/rehearsal"
	"github.com/recallerhq/recaller/internal/telephony"
	"github.com/recallerhq/recaller/internal/telephony/telephonytest"
)

// listenedTo is a Recaller whose tenant has calls forwarded, and listened to by a fake recogniser. last is told when it
// hears the last words.
func listenedTo(t *testing.T, last func(), env ...string) (*studio, *rehearsal.Recogniser) {
	t.Helper()
	recogniser := rehearsal.NewRecogniser(rehearsal.RecogniserOptions{Now: time.Now, Listen: func(audio []byte) []string {
		switch audio[0] {
		case 11:
			return []string{"My greyhound", "is called Bruno."}
		case 51:
			return []string{"Good morning, Lakeside."}
		}
		last()
		return []string{"Goodbye then."}
	}})
	api := httptest.NewServer(recogniser)
	t.Cleanup(api.Close)
	s := &studio{exchange: connected(t, append(env, "DEEPGRAM_API_KEY=k", "RECALLER_DEEPGRAM_URL="+api.URL)...)}
	answer, to, language, listen := recaller.AnswerForward, "sip:agent@pbx.example.com", "en-GB", true
	s.set(client.TenantSettings{Telephone: &client.TelephonePatch{Answer: &answer, ForwardTo: &to, Language: &language, Listen: &listen}})
	return s, recogniser
}

// stream has a call come in, and returns the token by which it is listened to.
func (s *studio) stream(id string) string {
	s.t.Helper()
	var a telephonytest.Answer
	s.eventually("the call is forwarded, and streamed", func() bool {
		a = s.Post(s.t, telephony.VoicePath, telephonytest.Ringing(id, marta, lakeside))
		return a.XML.Names() == "Start Dial"
	})
	stream := a.XML.Find("Start").Find("Stream")
	if stream.Attr("url") != "wss://calls.example.test/webhook/listen" || stream.Attr("track") != "both_tracks" {
		s.t.Fatalf("got %s", a.Body)
	}
	return stream.Find("Parameter").Attr("value")
}

// streams opens the socket of a call that is listened to.
func (s *studio) streams(id, token string) *line {
	s.t.Helper()
	return s.opens(telephony.ListenPath, rehearsal.PhoneOptions{Both: true, Start: mediastream.Start{
		Stream: "MZ1", Call: id, Parameters: map[string]string{telephony.TokenParameter: token},
	}})
}

// goesOn wants a call to go on, though nobody listens any more, until its platform tells the end.
func (s *studio) goesOn(id, from string) {
	s.t.Helper()
	if got := s.read(id).Conversation; got.Status != recaller.Active {
		s.t.Errorf("got %s, %q: the call ended with the listening", got.Status, got.EndReason)
	}
	s.ends(id, from, lakeside, "completed", 42*time.Second)
	s.ended(id, recaller.Completed, "completed")
}

// refused wants a socket closed without a word.
func (s *studio) refused(what string, l *line) {
	s.t.Helper()
	select {
	case err := <-l.over:
		if err == nil {
			s.t.Errorf("%s: the socket was closed as after a call", what)
		}
	case <-time.After(20 * time.Second):
		s.t.Fatalf("%s: the socket was taken", what)
	}
}

func nothing() {}

// A call is forwarded to the tenant's own agent and listened to: what both sides say is kept, and what was said last is kept
// before the end that the platform tells.
func TestAForwardedCallIsListenedTo(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, env ...string) {
		begins := make(chan struct{}) // when the recogniser hears the last words
		s, recogniser := listenedTo(t, sync.OnceFunc(func() { close(begins) }), env...)
		l := s.streams("CA1", s.stream("CA1"))
		l.Tell(rehearsal.Tone(50, 500*time.Millisecond))
		s.kept("CA1", 1)
		l.Say(rehearsal.Tone(10, 500*time.Millisecond))
		s.kept("CA1", 2)
		l.Say(rehearsal.Tone(11, time.Minute))
		<-begins                                                    // and he is in the middle of it
		s.ends("CA1", marta, lakeside, "completed", 42*time.Second) // when the platform tells the end
		if got := s.read("CA1").Conversation; got.Status != recaller.Active {
			t.Errorf("got %s: it ended before all that was said was kept", got.Status)
		}
		if err := l.HangUp(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := s.ended("CA1", recaller.Completed, "completed"); got.DurationSeconds != 42 {
			t.Errorf("got %v s, want the platform's 42", got.DurationSeconds)
		}
		want := "assistant: Good morning, Lakeside.\nuser: My greyhound is called Bruno.\nuser: Goodbye then.\n"
		if got := s.said("CA1"); got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
		for _, q := range recogniser.Queries() {
			holds(t, "what is asked of Deepgram", q, "/v1/listen?")
			holds(t, "what is asked of Deepgram", q, "language=en")
		}
	})
}

// So is a call of Telnyx's Call Control API: the command that answers it opens the socket.
func TestAForwardedCallOfCallControlIsListenedTo(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, env ...string) {
		api := telephonytest.NewTelnyx(t)
		s, _ := listenedTo(t, nothing, append(env, "TELNYX_API_KEY="+telephonytest.APIKey, "RECALLER_TELNYX_URL="+api.URL)...)
		s.Event(t, telephony.VoicePath, "call.initiated", "v3:a", map[string]any{"direction": "incoming", "state": "parked", "from": marta, "to": lakeside})
		answer := api.Await(t, 1).Fields
		token, _ := answer["stream_auth_token"].(string)
		l := s.opens(telephony.ListenPath, rehearsal.PhoneOptions{
			Wire: mediastream.Telnyx, Both: true, Start: mediastream.Start{Stream: "1", Call: "v3:a", Token: token},
		})
		s.Event(t, telephony.VoicePath, "call.answered", "v3:a", map[string]any{"client_state": answer["client_state"]})
		l.Tell(rehearsal.Tone(50, 500*time.Millisecond))
		s.kept("v3:a", 1)
		l.Say(rehearsal.Tone(10, 500*time.Millisecond))
		s.kept("v3:a", 2)
		if err := l.HangUp(t.Context()); err != nil {
			t.Fatal(err)
		}
		s.Event(t, telephony.VoicePath, "call.hangup", "v3:a", map[string]any{
			"client_state": answer["client_state"], "direction": "incoming", "from": marta, "to": lakeside, "hangup_cause": "normal_clearing",
		})
		s.ended("v3:a", recaller.Completed, "normal_clearing")
		if got := api.Await(t, 2); got.Action != "transfer" {
			t.Errorf("got %+v, want the call forwarded", got)
		}
		if got, want := s.said("v3:a"), "assistant: Good morning, Lakeside.\nuser: My greyhound is called Bruno.\n"; got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	})
}

// A socket listens to the call whose token it has, once. One that is nobody's asks nothing of Deepgram, and the call goes on.
func TestAForgedTokenListensToNobody(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, env ...string) {
		s, recogniser := listenedTo(t, nothing, env...)
		token, other := s.stream("CA1"), s.stream("CA2")
		refused := func(what, id, token string) {
			t.Helper()
			s.refused(what, s.streams(id, token))
		}
		refused("no token", "CA1", "")
		refused("another token", "CA1", strings.Repeat("A", len(token)))
		refused("of another call", "CA1", other)
		refused("for another call", "CA3", token)
		if n := recogniser.Sessions(); n != 0 {
			t.Fatalf("%d sessions were opened for a call that is nobody's", n)
		}
		l := s.streams("CA1", token)
		l.Say(rehearsal.Tone(10, 500*time.Millisecond))
		s.kept("CA1", 1)
		refused("the token again", "CA1", token)
		l.Tell(rehearsal.Tone(50, 500*time.Millisecond))
		s.kept("CA1", 2)
		if err := l.HangUp(t.Context()); err != nil {
			t.Fatal(err)
		}
		s.goesOn("CA1", marta)
		s.goesOn("CA2", marta)
		if !s.measured("recaller_ears_calls_total{reason=\"unknown\"} 5") {
			t.Error("five sockets were refused, and are not counted")
		}
	})
}

// A server that stops listens to its calls no more, and keeps what it has heard. They are the platform's, and go on.
func TestAServerThatStopsListensNoMore(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, env ...string) {
		s, _ := listenedTo(t, nothing, env...)
		l := s.streams("CA1", s.stream("CA1"))
		l.Say(rehearsal.Tone(10, 500*time.Millisecond))
		s.kept("CA1", 1)
		if left := s.app.gate.Drain(t.Context(), shuttingDown); left != 0 {
			t.Errorf("%d calls are still listened to", left)
		}
		<-l.over
		if !s.measured("recaller_ears_calls_total{reason=\"stopped\"} 1") {
			t.Error("it is not counted")
		}
		if got := s.read("CA1").Conversation; got.Status != recaller.Active {
			t.Errorf("got %s, %q: the call ended with the server", got.Status, got.EndReason)
		}
		if got, want := s.said("CA1"), "user: My greyhound is called Bruno.\n"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

// A socket that floods is closed, and counted. The call goes on.
func TestAFloodEndsTheListening(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, env ...string) {
		s, _ := listenedTo(t, nothing, env...)
		l := s.streams("CA1", s.stream("CA1"))
		l.Say(rehearsal.Tone(10, 500*time.Millisecond))
		s.kept("CA1", 1)
		for _, frame := range slices.Repeat([]string{`{"event":"media","streamSid":"MZ1","media":{"track":"inbound","payload":"////"}}`}, 3000) {
			if l.Send(t.Context(), []byte(frame)) != nil {
				break
			}
		}
		if err := <-l.over; err == nil {
			t.Error("the socket was closed as after a call")
		}
		s.eventually("it is counted", func() bool { return s.measured("recaller_ears_calls_total{reason=\"flooded\"} 1") })
		s.goesOn("CA1", marta)
	})
}

// Without a key of Deepgram's nobody can listen, and the setting is refused.
func TestListeningNeedsARecogniser(t *testing.T) {
	t.Parallel()
	s := &studio{exchange: connected(t)}
	answer, to, listen := recaller.AnswerForward, "sip:agent@pbx.example.com", true
	_, err := s.UpdateTenant(t.Context(), client.TenantPatch{TenantSettings: client.TenantSettings{
		Telephone: &client.TelephonePatch{Answer: &answer, ForwardTo: &to, Listen: &listen},
	}})
	wantStatus(t, err, 422)
}
