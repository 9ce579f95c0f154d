package bridge_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/bridge"
	"github.com/recallerhq/recaller/internal/bridge/bridgetest"
	"github.com/recallerhq/recaller/internal/events"
	"github.com/recallerhq/recaller/internal/mediastream"
	"github.com/recallerhq/recaller/internal/realtime"
)

// connect puts a bridge between a model, behind a real socket, and the telephones that are dialled.
func connect(tb testing.TB, model http.Handler, call bridge.Call) (dial func(ctx context.Context) bridge.Conn, b *book, outcomes chan bridge.Outcome, reg *prometheus.Registry) {
	tb.Helper()
	api := httptest.NewServer(model)
	tb.Cleanup(api.Close)
	b, outcomes, reg = &book{}, make(chan bridge.Outcome, 1024), prometheus.NewRegistry()
	br := bridge.New(bridge.Deps{
		Dial: bridge.Dial(api.Client()), Tools: &desk{}, Turns: b, Events: events.New(time.Now), Log: quiet(),
		Metrics: bridge.NewMetrics(reg), Now: time.Now,
	}, bridge.Options{})
	call.Tenant, call.Conversation = "acme", "conv"
	call.Provider.URL = api.URL
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		phone := bridge.NewPhone(bridge.Socket(c, bridge.MaxFrame), mediastream.Twilio)
		if _, why := br.Begin(r.Context(), phone); why != "" {
			tb.Error(why)
			return
		}
		outcomes <- br.Run(r.Context(), phone, call)
	}))
	tb.Cleanup(server.Close)
	return func(ctx context.Context) bridge.Conn {
		c, _, err := websocket.Dial(ctx, server.URL, nil) //nolint:bodyclose // the library closes it
		if err != nil {
			tb.Fatal(err)
		}
		return bridge.Socket(c, 1<<20)
	}, b, outcomes, reg
}

func TestACallOverRealSockets(t *testing.T) {
	t.Parallel()
	dial, book, outcomes, _ := connect(t, bridgetest.NewModel(bridgetest.ModelOptions{Now: time.Now, Pause: 100 * time.Millisecond, Listen: listens("Bye!"), Think: replies(
		bridgetest.Reply{Say: "Bye.", Audio: bridgetest.Tone(1, 200*time.Millisecond), Calls: []realtime.Call{{Name: "end_call", Arguments: object(`{}`)}}},
	)}), bridge.Call{Provider: bridge.Provider{Key: "k"}})
	phone := bridgetest.NewPhone(dial(t.Context()), bridgetest.PhoneOptions{Start: mediastream.Start{Stream: "MZ1", Call: "CA1"}})
	if err := phone.Begin(t.Context()); err != nil {
		t.Fatal(err)
	}
	phone.Say(bridgetest.Tone(50, 200*time.Millisecond))
	if err := phone.Run(t.Context()); err != nil {
		t.Error(err)
	}
	if o := <-outcomes; o.Reason != bridge.Ended || o.Kept != 2 {
		t.Errorf("got %+v", o)
	}
	if got, want := strings.Join(book.said(), "; "), "user: Bye!; assistant: Bye."; got != want {
		t.Errorf("kept %q, want %q", got, want)
	}
	if got := phone.Heard(); len(got) != 200*mediastream.BytesPerMS {
		t.Errorf("%d bytes were played", len(got))
	}
}

func TestAFrameThatIsTooLargeEndsTheCall(t *testing.T) {
	t.Parallel()
	dial, _, outcomes, _ := connect(t, bridgetest.NewModel(bridgetest.ModelOptions{Now: time.Now}), bridge.Call{})
	conn := dial(t.Context())
	phone := bridgetest.NewPhone(conn, bridgetest.PhoneOptions{Start: mediastream.Start{Stream: "MZ1"}})
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
