package app

import (
	"cmp"
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/bridge"
	"github.com/recallerhq/recaller/internal/mediastream"
	"github.com/recallerhq/recaller/internal/realtime"
	"github.com/recallerhq/recaller/internal/rehearsal"
	"github.com/recallerhq/recaller/internal/telephony"
	"github.com/recallerhq/recaller/internal/telephony/telephonytest"
)

const welcome = "Good morning, Lakeside."

// studio is a Recaller whose tenant has calls bridged to a fake realtime model, over real sockets.
type studio struct {
	*exchange
	model *rehearsal.Model
}

// answers is what the model of these stories says: the greeting, then a memory of what it hears first, then goodbye.
func answers(in rehearsal.Heard) rehearsal.Reply {
	short := rehearsal.Tone(in.N, 200*time.Millisecond)
	switch {
	case in.N == 1:
		return rehearsal.Reply{Say: welcome, Audio: short}
	case in.N == 2:
		return rehearsal.Reply{Calls: []realtime.Call{{Name: "store_memory", Arguments: []byte(`{"memory_type":"fact","key":"dog","value":"A greyhound called Bruno"}`)}}}
	case len(in.Results) > 0:
		return rehearsal.Reply{Say: "What a name.", Audio: short}
	}
	return rehearsal.Reply{Say: "Goodbye.", Audio: short, Calls: []realtime.Call{{Name: "end_call", Arguments: []byte(`{}`)}}}
}

func bridgedTo(t *testing.T, o rehearsal.ModelOptions, env ...string) *studio {
	t.Helper()
	model, address := modelled(t, o)
	s := &studio{model: model, exchange: connected(t, append(env, address...)...)}
	answer, greeting, language, tools := recaller.AnswerBridge, welcome, "de-DE", true
	s.set(client.TenantSettings{MemoryTools: &tools, Telephone: &client.TelephonePatch{Answer: &answer, Greeting: &greeting, Language: &language}})
	return s
}

// modelled starts a fake realtime model, and returns the environment of a server that has it.
func modelled(t *testing.T, o rehearsal.ModelOptions) (model *rehearsal.Model, env []string) {
	t.Helper()
	o.Now, o.Pause, o.Speed = time.Now, 100*time.Millisecond, 20
	o.Listen = func(_, n int, _ []byte) (string, time.Duration) {
		return []string{"", "My greyhound is called Bruno.", "That is all, goodbye."}[min(n, 2)], 20 * time.Millisecond
	}
	if o.Think == nil {
		o.Think = answers
	}
	model = rehearsal.NewModel(o)
	provider := httptest.NewServer(model)
	t.Cleanup(provider.Close)
	maker := string(cmp.Or(o.Maker, bridge.OpenAI))
	return model, []string{"RECALLER_REALTIME_URL=" + provider.URL + "/v1/realtime", "RECALLER_REALTIME_PROVIDER=" + maker}
}

// token has a call come in, and returns the token of its socket. On a busy machine the platform may ask more than once.
func (s *studio) token(id string) string {
	s.t.Helper()
	var a telephonytest.Answer
	s.eventually("the call is bridged", func() bool {
		a = s.Post(s.t, telephony.VoicePath, telephonytest.Ringing(id, marta, lakeside))
		return a.XML.Names() == "Connect"
	})
	stream, action := a.XML.Find("Stream"), a.XML.Find("Connect").Attr("action")
	if stream.Attr("url") != "wss://calls.example.test/webhook/media" || action != telephonytest.Public+telephony.EndedPath+"?after=socket" {
		s.t.Fatalf("got %s", a.Body)
	}
	return stream.Find("Parameter").Attr("value")
}

// next is what the platform is told when the stream is over.
func (s *studio) next(id, verbs string) telephonytest.Answer {
	s.t.Helper()
	form := telephonytest.Ringing(id, marta, lakeside)
	form.Set("CallStatus", "in-progress")
	return s.wants(s.Post(s.t, telephony.EndedPath+"?after=socket", form), verbs)
}

// line is a telephone whose stream has begun.
type line struct {
	*rehearsal.Phone
	over chan error
}

// opens opens a socket for sound, as the platform does.
func (s *studio) opens(path string, o rehearsal.PhoneOptions) *line {
	s.t.Helper()
	var header http.Header
	if o.Wire != mediastream.Telnyx {
		header = telephonytest.Platform{Address: "wss://calls.example.test"}.Sign(path, "", nil)
	}
	c, _, err := websocket.Dial(s.t.Context(), s.url+path, &websocket.DialOptions{HTTPHeader: header})
	if err != nil {
		s.t.Fatal(err)
	}
	l := &line{Phone: rehearsal.NewPhone(bridge.Socket(c, 1<<20), o), over: make(chan error, 1)}
	ctx, cancel := context.WithCancel(s.t.Context())
	s.t.Cleanup(cancel)
	if err := l.Begin(ctx); err != nil {
		s.t.Fatal(err)
	}
	go func() { l.over <- l.Run(ctx) }()
	return l
}

func (s *studio) calls(id, token string) *line {
	s.t.Helper()
	return s.opens(telephony.MediaPath, rehearsal.PhoneOptions{Start: mediastream.Start{
		Stream: "MZ1", Call: id, Parameters: map[string]string{telephony.TokenParameter: token},
	}})
}

// says has who calls say something, and waits until so many turns are kept.
func (s *studio) says(l *line, id string, turns int) {
	s.t.Helper()
	l.Say(rehearsal.Tone(50, 200*time.Millisecond))
	s.kept(id, turns)
}

func (s *studio) kept(id string, turns int) {
	s.t.Helper()
	s.eventually("what was said is kept", func() bool {
		rec, err := s.Conversation(s.t.Context(), id)
		return err == nil && len(rec.Turns) == turns
	})
}

func (s *studio) said(id string) string {
	s.t.Helper()
	out := ""
	for _, turn := range s.read(id).Turns {
		out += string(turn.Speaker) + ": " + turn.Text + "\n"
	}
	return out
}

// ended waits for the end of a call.
func (s *studio) ended(id string, status recaller.Status, reason string) client.Conversation {
	s.t.Helper()
	var got client.Conversation
	s.eventually("the call has ended", func() bool {
		rec, err := s.Conversation(s.t.Context(), id)
		got = rec.Conversation
		return err == nil && got.Status != recaller.Active
	})
	if got.Status != status || got.EndReason != reason {
		s.t.Errorf("got %s, %q; want %s, %q", got.Status, got.EndReason, status, reason)
	}
	return got
}

// A number rings, and a realtime model answers: greeting, a turn each way, a memory. The end that the platform tells
// waits until all that was said is kept. The call is written up, and in the next one the model knows.
func TestANumberRingsAndIsBridged(t *testing.T) {
	t.Parallel()
	for _, maker := range []bridge.Maker{bridge.OpenAI, bridge.Deepgram} {
		t.Run(string(maker), func(t *testing.T) {
			t.Parallel()
			numberRings(t, maker)
		})
	}
}

func numberRings(t *testing.T, maker bridge.Maker) {
	onBoth(t, func(t *testing.T, env ...string) {
		s := bridgedTo(t, rehearsal.ModelOptions{Maker: maker}, env...)
		l := s.calls("CA1", s.token("CA1"))
		s.kept("CA1", 1)
		s.ends("CA1", marta, lakeside, "completed", 42*time.Second) // before the socket is closed
		if err := s.app.telephone.Retry(t.Context()); err != nil {
			t.Fatal(err)
		}
		s.says(l, "CA1", 3)
		if err := l.HangUp(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := s.ended("CA1", recaller.Completed, "hung up"); got.DurationSeconds != 42 {
			t.Errorf("got %v s, want the platform's 42", got.DurationSeconds)
		}
		want := "assistant: " + welcome + "\nuser: My greyhound is called Bruno.\nassistant: What a name.\n"
		if got := s.said("CA1"); got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
		s.writtenUp("CA1")

		before := len(s.model.Updates())
		l = s.calls("CA2", s.token("CA2"))
		s.kept("CA2", 1)
		told := s.model.Updates()[before]
		holds(t, "the second call's instructions", told, "A greyhound called Bruno")
		holds(t, "the second call's instructions", told, "call end_call")
		s.says(l, "CA2", 3)
		s.says(l, "CA2", 5)
		if err := <-l.over; err != nil {
			t.Errorf("got %v, want the socket closed when the agent has said goodbye", err)
		}
		s.next("CA2", "Hangup")
		s.ended("CA2", recaller.Completed, "ended")
		s.ends("CA2", marta, lakeside, "completed", 7*time.Second)
	})
}

// A socket is of the call whose token it has, once.
func TestAForgedTokenIsNobodys(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, env ...string) {
		s := bridgedTo(t, rehearsal.ModelOptions{}, env...)
		token := s.token("CA1")
		refused := func(what, id, token string) {
			t.Helper()
			s.refused(what, s.calls(id, token))
		}
		refused("no token", "CA1", "")
		refused("another token", "CA1", strings.Repeat("A", len(token)))
		refused("another call", "CA2", token)
		if n := len(s.model.Updates()); n != 0 {
			t.Fatalf("the model was told %d times of a call that is nobody's", n)
		}
		l := s.calls("CA1", token)
		s.kept("CA1", 1)
		refused("the token again", "CA1", token)
		s.says(l, "CA1", 3)
		if err := l.HangUp(t.Context()); err != nil {
			t.Fatal(err)
		}
		s.ended("CA1", recaller.Completed, "hung up")

		s.token("CA3")
		holds(t, "the answer", s.next("CA3", "Say Hangup").XML.Find("Say").Text, "schiefgegangen")
		s.ended("CA3", recaller.Failed, "no socket")
	})
}

// The model breaks, and breaks again: who calls hears a word of apology in the tenant's language, and the call has failed.
func TestABridgeThatBreaks(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, env ...string) {
		s := bridgedTo(t, rehearsal.ModelOptions{Think: func(in rehearsal.Heard) rehearsal.Reply {
			return rehearsal.Reply{Say: "I am about to break.", Break: true}
		}}, env...)
		l := s.calls("CA1", s.token("CA1"))
		if err := <-l.over; err != nil {
			t.Errorf("got %v, want the socket closed, so that the platform goes on", err)
		}
		a := s.next("CA1", "Say Hangup").XML.Find("Say")
		holds(t, "the apology", a.Text, "Entschuldigung")
		if a.Attr("language") != "de-DE" {
			t.Errorf("it is spoken in %q", a.Attr("language"))
		}
		s.ended("CA1", recaller.Failed, "broken")
	})
}

// A tenant whose agent has no memory tools: the model has none, and what it calls all the same is not
// carried out.
func TestABridgeWithoutMemoryTools(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, env ...string) {
		results := make(chan string, 10)
		s := bridgedTo(t, rehearsal.ModelOptions{Think: func(in rehearsal.Heard) rehearsal.Reply {
			for _, r := range in.Results {
				results <- r
			}
			return answers(in)
		}}, env...)
		none := false
		s.set(client.TenantSettings{MemoryTools: &none})
		l := s.calls("CA1", s.token("CA1"))
		s.kept("CA1", 1)
		s.says(l, "CA1", 3)
		if got := <-results; !strings.Contains(got, `"success":false`) {
			t.Errorf("the model calls a tool that it does not have: got %s", got)
		}
		who := s.read("CA1").Conversation.CallerID
		if got, err := s.Memories(t.Context(), who, client.MemoryFilter{}); err != nil || len(got.Memories) != 0 {
			t.Errorf("got %+v, %v; want no memory", got.Memories, err)
		}
		if err := l.HangUp(t.Context()); err != nil {
			t.Fatal(err)
		}
		s.ended("CA1", recaller.Completed, "hung up")
	})
}

// A server that stops ends the calls that go through it, and keeps what was said.
func TestAServerThatStopsEndsBridgedCalls(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, env ...string) {
		s := bridgedTo(t, rehearsal.ModelOptions{}, env...)
		l := s.calls("CA1", s.token("CA1"))
		s.kept("CA1", 1)
		if left := s.app.gate.Drain(t.Context(), shuttingDown); left != 0 {
			t.Errorf("%d calls go on", left)
		}
		if err := <-l.over; err != nil {
			t.Errorf("got %v, want the socket closed", err)
		}
		s.ended("CA1", recaller.Failed, "stopped")
	})
}

// The store goes away while they talk: the call goes on, and what was said is written when it is back.
func TestABridgedCallWhileTheStoreIsAway(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, env ...string) {
		s := bridgedTo(t, rehearsal.ModelOptions{}, env...)
		l := s.calls("CA1", s.token("CA1"))
		s.kept("CA1", 1)
		s.store.is(away)
		l.Say(rehearsal.Tone(50, 200*time.Millisecond))
		s.eventually("the model answers", func() bool { return len(l.Heard()) >= 2*200*mediastream.BytesPerMS })
		if err := l.HangUp(t.Context()); err != nil {
			t.Fatal(err)
		}
		s.eventually("the bridge is over", func() bool { return s.measured("recaller_bridge_calls_total{reason=\"hung up\"} 1") })
		s.store.is(well)
		s.app.conversations.FlushHeld(t.Context())
		s.ended("CA1", recaller.Completed, "hung up")
		holds(t, "what was said", s.said("CA1"), "user: My greyhound is called Bruno.")
	})
}

// A call of Telnyx's Call Control API is bridged, too, and hung up by a command.
func TestABridgedCallOfCallControl(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, env ...string) {
		api := telephonytest.NewTelnyx(t)
		s := bridgedTo(t, rehearsal.ModelOptions{}, append(env, "TELNYX_API_KEY="+telephonytest.APIKey, "RECALLER_TELNYX_URL="+api.URL)...)
		s.Event(t, telephony.VoicePath, "call.initiated", "v3:a", map[string]any{"direction": "incoming", "state": "parked", "from": marta, "to": lakeside})
		token, _ := api.Await(t, 1).Fields["stream_auth_token"].(string)
		l := s.opens(telephony.MediaPath, rehearsal.PhoneOptions{Wire: mediastream.Telnyx, Start: mediastream.Start{Stream: "1", Call: "v3:a", Token: token}})
		s.kept("v3:a", 1)
		s.says(l, "v3:a", 3)
		s.says(l, "v3:a", 5)
		if got := api.Await(t, 2); got.Action != "hangup" || got.Call != "v3:a" {
			t.Errorf("got %+v, want the call hung up", got)
		}
		s.ended("v3:a", recaller.Completed, "ended")
	})
}

// A server that has the older names, and waits to be asked for each answer, because it was told to.
func TestABridgeToAServerWithOlderNames(t *testing.T) {
	t.Parallel()
	s := bridgedTo(t, rehearsal.ModelOptions{Beta: true}, "RECALLER_REALTIME_BETA=true", `RECALLER_REALTIME_TURNS={"type":"server_vad","create_response":false}`)
	l := s.calls("CA1", s.token("CA1"))
	s.kept("CA1", 1)
	s.says(l, "CA1", 3)
	if err := l.HangUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.ended("CA1", recaller.Completed, "hung up")
	asked := 0
	for _, what := range s.model.Got() {
		if what == "response.create" {
			asked++
		}
	}
	if asked != 3 { // the greeting, what was said, and the result of the tool
		t.Errorf("it was asked %d times, want 3: %q", asked, s.model.Got())
	}
}

// measured reports whether a line is in the metrics.
func (e *exchange) measured(want string) bool {
	e.t.Helper()
	text, err := e.metrics()
	if err != nil {
		e.t.Fatal(err)
	}
	return strings.Contains(text, want)
}
