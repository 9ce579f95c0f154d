package bridge_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	sdk "github.com/openai/openai-go/v3/realtime"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/bridge"
	"github.com/recallerhq/recaller/internal/bridge/bridgetest"
	"github.com/recallerhq/recaller/internal/events"
	"github.com/recallerhq/recaller/internal/mediastream"
	"github.com/recallerhq/recaller/internal/realtime"
	"github.com/recallerhq/recaller/internal/rehearsal"
)

var tok = map[string]string{"tok": "one"}

// connect puts a bridge between a model, behind a real socket, and the telephones that are dialled.
func connect(tb testing.TB, model http.Handler, call bridge.Call) (dial func(ctx context.Context) bridge.Conn, b *bridgetest.Book, outcomes chan bridge.Outcome, reg *prometheus.Registry) {
	tb.Helper()
	api := httptest.NewServer(model)
	tb.Cleanup(api.Close)
	b, outcomes, reg = &bridgetest.Book{}, make(chan bridge.Outcome, 1024), prometheus.NewRegistry()
	br := bridge.New(bridge.Deps{
		Dial: bridge.Dial(api.Client()), Tools: &desk{}, Turns: b, Events: events.New(time.Now), Log: quiet(),
		Metrics: bridge.NewMetrics(reg), Now: time.Now,
	}, bridge.Options{})
	call.Tenant, call.Conversation = "acme", "conv"
	call.Provider.URL = api.URL
	call.Over = func(_ context.Context, o bridge.Outcome) { outcomes <- o }
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		br.Serve(w, r, func(_ context.Context, start mediastream.Start) (bridge.Call, bool) {
			return call, start.Parameters["tok"] == "one"
		})
	}))
	tb.Cleanup(server.Close)
	return func(ctx context.Context) bridge.Conn {
		c, _, err := websocket.Dial(ctx, server.URL, nil)
		if err != nil {
			tb.Fatal(err)
		}
		return bridge.Socket(c, 1<<20)
	}, b, outcomes, reg
}

func TestACallOverRealSockets(t *testing.T) {
	t.Parallel()
	for _, wire := range []mediastream.Wire{mediastream.Twilio, mediastream.Telnyx} {
		realSockets(t, wire)
	}
}

func realSockets(t *testing.T, wire mediastream.Wire) {
	dial, book, outcomes, _ := connect(t, rehearsal.NewModel(rehearsal.ModelOptions{Now: time.Now, Pause: 100 * time.Millisecond, Listen: listens("Bye!"), Think: replies(
		rehearsal.Reply{Say: "Bye.", Audio: rehearsal.Tone(1, 200*time.Millisecond), Calls: []realtime.Call{{Name: "end_call", Arguments: object(`{}`)}}},
	)}), bridge.Call{Provider: bridge.Provider{Key: "k"}})
	phone := rehearsal.NewPhone(dial(t.Context()), rehearsal.PhoneOptions{Wire: wire, Start: mediastream.Start{Stream: "MZ1", Call: "CA1", Parameters: tok}})
	if err := phone.Begin(t.Context()); err != nil {
		t.Fatal(err)
	}
	phone.Say(rehearsal.Tone(50, 200*time.Millisecond))
	if err := phone.Run(t.Context()); err != nil {
		t.Error(err)
	}
	if o := <-outcomes; o.Reason != bridge.Ended || o.Kept != 2 {
		t.Errorf("got %+v", o)
	}
	if got, want := strings.Join(book.Said(), "; "), "user: Bye!; assistant: Bye."; got != want {
		t.Errorf("kept %q, want %q", got, want)
	}
	if got := phone.Heard(); len(got) != 200*mediastream.BytesPerMS {
		t.Errorf("%d bytes were played", len(got))
	}
}

func TestAFrameThatIsTooLargeEndsTheCall(t *testing.T) {
	t.Parallel()
	dial, _, outcomes, _ := connect(t, rehearsal.NewModel(rehearsal.ModelOptions{Now: time.Now}), bridge.Call{})
	conn := dial(t.Context())
	phone := rehearsal.NewPhone(conn, rehearsal.PhoneOptions{Start: mediastream.Start{Stream: "MZ1", Parameters: tok}})
	if err := phone.Begin(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := phone.Send(t.Context(), make([]byte, bridge.MaxFrame+1)); err != nil {
		t.Fatal(err)
	}
	if o := <-outcomes; o.Reason != bridge.Flooded {
		t.Errorf("got %+v", o)
	}
}

func TestASocketThatBreaksIsNoHangUp(t *testing.T) {
	t.Parallel()
	dial, _, outcomes, _ := connect(t, rehearsal.NewModel(rehearsal.ModelOptions{Now: time.Now}), bridge.Call{})
	conn := dial(t.Context())
	phone := rehearsal.NewPhone(conn, rehearsal.PhoneOptions{Start: mediastream.Start{Stream: "MZ1", Parameters: tok}})
	if err := phone.Begin(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := conn.Drop(); err != nil {
		t.Fatal(err)
	}
	if o := <-outcomes; o.Reason != bridge.Lost {
		t.Errorf("got %+v", o)
	}
}

func TestTheDoor(t *testing.T) {
	t.Parallel()
	serving, stop := context.WithCancel(t.Context())
	ended := make(chan bridge.Outcome, 1)
	dialled := make(chan int, 1)
	reg, model := prometheus.NewRegistry(), rehearsal.NewModel(rehearsal.ModelOptions{Now: time.Now, Refuse: func(n int) error {
		dialled <- n
		return nil
	}})
	br := bridge.New(bridge.Deps{
		Dial: bridgetest.Dial(model), Tools: &desk{}, Turns: &bridgetest.Book{}, Events: events.New(time.Now), Log: quiet(), Metrics: bridge.NewMetrics(reg), Now: time.Now,
	}, bridge.Options{})
	call := bridge.Call{Tenant: "acme", Conversation: "conv", Over: func(ctx context.Context, o bridge.Outcome) {
		if ctx.Err() != nil {
			t.Error("a conversation cannot be ended when the server stops")
		}
		ended <- o
	}}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		br.Serve(w, r.WithContext(serving), func(_ context.Context, start mediastream.Start) (bridge.Call, bool) {
			return call, start.Parameters["tok"] == "one"
		})
	}))
	defer server.Close()
	open := func(parameters map[string]string) (*rehearsal.Phone, error) {
		c, _, err := websocket.Dial(t.Context(), server.URL, nil)
		if err != nil {
			return nil, err
		}
		phone := rehearsal.NewPhone(bridge.Socket(c, 1<<20), rehearsal.PhoneOptions{Start: mediastream.Start{Stream: "MZ1", Parameters: parameters}})
		return phone, phone.Begin(t.Context())
	}
	stranger, err := open(map[string]string{"tok": "another"})
	if err != nil {
		t.Fatal(err)
	}
	if err := stranger.Run(t.Context()); err == nil || errors.Is(err, context.Canceled) {
		t.Errorf("a stranger's socket: got %v, want that it broke", err)
	}
	phone, err := open(tok)
	if err != nil {
		t.Fatal(err)
	}
	talking := make(chan error, 1)
	go func() { talking <- phone.Run(t.Context()) }()
	<-dialled // the call is under way
	stop()
	if o := <-ended; o.Reason != bridge.Stopped {
		t.Errorf("got %+v", o)
	}
	if err := <-talking; err != nil {
		t.Errorf("the phone was not told that it is over: %v", err)
	}
}

// Whatever becomes of a call, who ends its conversation is told.
func TestACallThatCrashesIsOver(t *testing.T) {
	t.Parallel()
	dial, _, outcomes, _ := connect(t, rehearsal.NewModel(rehearsal.ModelOptions{Now: time.Now}), bridge.Call{
		Leaving: func(bridge.Outcome) { panic("in whoever leads the call") },
	})
	phone := rehearsal.NewPhone(dial(t.Context()), rehearsal.PhoneOptions{Start: mediastream.Start{Stream: "MZ1", Parameters: tok}})
	if err := phone.Begin(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := phone.HangUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	if o := <-outcomes; o.Reason != bridge.Crashed || !o.Apologise() || o.End().Status != recaller.Failed {
		t.Errorf("got %+v, want it told as crashed", o)
	}
}

func TestHowASessionIsAskedFor(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		provider bridge.Provider
		status   int
		want     string // model, key, beta header
		kind     recaller.Kind
	}{
		{"OpenAI", bridge.Provider{Key: "k1"}, 503, "gpt-realtime|Bearer k1|", recaller.Unavailable},
		{"older names", bridge.Provider{Key: "k1", Beta: true, Model: "m"}, 401, "m|Bearer k1|realtime=v1", recaller.Unauthenticated},
		{"xAI", bridge.Provider{Maker: bridge.XAI, Key: "k2"}, 404, "grok-voice-latest|Bearer k2|", recaller.Invalid},
		{"too many", bridge.Provider{}, 429, "gpt-realtime||", recaller.Exhausted},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := ""
			api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				got = r.URL.Query().Get("model") + "|" + r.Header.Get("Authorization") + "|" + r.Header.Get("OpenAI-Beta")
				w.WriteHeader(test.status)
			}))
			defer api.Close()
			test.provider.URL = strings.Replace(api.URL, "http", "ws", 1)
			_, err := bridge.Dial(api.Client())(t.Context(), test.provider)
			if got != test.want || !errors.Is(err, test.kind) || strings.Contains(err.Error(), "k1") {
				t.Errorf("asked %q, want %q; got %v, want %s", got, test.want, err, test.kind)
			}
		})
	}
	for _, bad := range []string{"ftp://host/", "wss://", "::"} {
		if _, err := bridge.Dial(http.DefaultClient)(t.Context(), bridge.Provider{URL: bad}); !errors.Is(err, recaller.Invalid) {
			t.Errorf("%s: got %v, want invalid", bad, err)
		}
	}
}

func TestProvidersAreLoggedWithoutTheirKey(t *testing.T) {
	t.Parallel()
	text, err := json.Marshal(bridge.Provider{Key: "secret", Model: "m"}.LogValue().Any())
	if err != nil || strings.Contains(string(text), "secret") {
		t.Errorf("got %s, %v", text, err)
	}
}

// OpenAI's own library speaks with the fake model: so the events that the other tests are told are those of the wire.
func TestTheMakersLibrarySpeaksWithTheFakeModel(t *testing.T) {
	t.Parallel()
	api := httptest.NewServer(rehearsal.NewModel(rehearsal.ModelOptions{
		Now: time.Now, Pause: 100 * time.Millisecond, Listen: listens("Hello?"),
		Think: replies(rehearsal.Reply{Say: "Hi.", Calls: []realtime.Call{{Name: "recall", Arguments: object(`{"query":"x"}`)}}}),
	}))
	defer api.Close()
	ai := openai.NewClient(option.WithBaseURL(strings.Replace(api.URL, "http", "ws", 1)), option.WithAPIKey("k"))
	conn, err := ai.Realtime.Connect(t.Context(), sdk.RealtimeConnectionOptions{}, option.WithQuery("model", "gpt-realtime"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Abort()
	send := func(text string) {
		if err := conn.SendRaw(t.Context(), json.RawMessage(text)); err != nil {
			t.Fatal(err)
		}
	}
	send(`{"type":"session.update","session":{"type":"realtime","audio":{"input":{"turn_detection":{"type":"server_vad"}},"output":{"format":{"type":"audio/pcmu"}}},"tools":[{"type":"function","name":"recall"}]}}`)
	for i := range 20 {
		audio := rehearsal.Tone(50, 20*time.Millisecond)
		if i > 5 {
			audio = bytes.Repeat([]byte{rehearsal.Quiet}, 160)
		}
		send(`{"type":"input_audio_buffer.append","audio":"` + base64.StdEncoding.EncodeToString(audio) + `"}`)
	}
	got := map[string]int{}
	for got["response.done"] == 0 || got["conversation.item.input_audio_transcription.completed"] == 0 {
		event, err := conn.Recv(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		got[event.Type]++
		if event.AsAny() == nil {
			t.Errorf("the library does not know %s", event.Type)
		}
		switch e := event.AsAny().(type) {
		case sdk.ConversationItemInputAudioTranscriptionCompletedEvent:
			if e.Transcript != "Hello?" || e.ItemID == "" || len(e.Logprobs) != 1 {
				t.Errorf("got %s", e.RawJSON())
			}
		case sdk.ResponseFunctionCallArgumentsDoneEvent:
			if e.Name != "recall" || e.Arguments != `{"query":"x"}` || e.CallID == "" {
				t.Errorf("got %s", e.RawJSON())
			}
		case sdk.ResponseDoneEvent:
			if e.Response.Status != "completed" || len(e.Response.Output) != 2 {
				t.Errorf("got %s", e.RawJSON())
			}
		}
	}
	for _, name := range []string{
		"session.created", "session.updated", "input_audio_buffer.speech_started", "input_audio_buffer.speech_stopped", "input_audio_buffer.committed",
		"conversation.item.added", "conversation.item.done", "response.created", "response.output_item.added", "response.output_audio.delta",
		"response.output_audio.done", "response.output_audio_transcript.delta", "response.output_audio_transcript.done", "response.output_item.done",
	} {
		if got[name] == 0 {
			t.Errorf("%s did not come", name)
		}
	}
}
