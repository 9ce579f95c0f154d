package ears_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/recallerhq/recaller/internal/bridge"
	"github.com/recallerhq/recaller/internal/bridge/bridgetest"
	"github.com/recallerhq/recaller/internal/ears"
	"github.com/recallerhq/recaller/internal/events"
	"github.com/recallerhq/recaller/internal/mediastream"
	"github.com/recallerhq/recaller/internal/rehearsal"
)

// Sockets that do not say whose they are, in time or in form, that are nobody's, too large, or half open are let go, each
// with its reason in a metric; whose call it was is told, where it was one's.
func TestTheDoor(t *testing.T) {
	t.Parallel()
	const quiet = 300 * time.Millisecond
	begin := func(id string) []string {
		return []string{
			`{"event":"connected"}`,
			`{"event":"start","streamSid":"MZ1","start":{"callSid":"` + id + `","customParameters":{},"mediaFormat":{"encoding":"audio/x-mulaw","sampleRate":8000,"channels":1}}}`,
		}
	}
	for name, c := range map[string]struct {
		sends []string
		large bool
		want  bridge.Reason
		told  bool
	}{
		"half open, from the beginning": {nil, false, bridge.NoStart, false},
		"half open, once connected":     {begin("CA1")[:1], false, bridge.NoStart, false},
		"another form":                  {[]string{`{"event":"start","streamSid":"s","start":{"mediaFormat":{"encoding":"audio/l16","sampleRate":16000}}}`}, false, bridge.BadForm, false},
		"nobody's":                      {begin("CA2"), false, bridge.Unknown, false},
		"half open, amid a call":        {begin("CA1"), false, bridge.Lost, true},
		"a frame that is too large":     {begin("CA1"), true, bridge.Flooded, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			reg, over := prometheus.NewRegistry(), make(chan ears.Outcome, 1)
			recogniser := rehearsal.NewRecogniser(rehearsal.RecogniserOptions{Now: time.Now, Listen: words})
			e := ears.New(ears.Deps{
				Dial: func(ctx context.Context, _ string) (bridge.Conn, error) {
					ours, theirs := bridgetest.Pipe(4096)
					return ours, recogniser.Serve(context.WithoutCancel(ctx), theirs)
				},
				Wire: ears.Recogniser{Model: "nova-3"}.Wire(), Turns: &bridgetest.Book{}, Events: events.New(time.Now), Log: slog.New(slog.DiscardHandler),
				Metrics: ears.NewMetrics(reg), Now: time.Now,
			}, ears.Options{Start: quiet, Quiet: quiet})
			closed := make(chan struct{})
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				defer close(closed)
				e.Serve(w, r, func(_ context.Context, start mediastream.Start) (ears.Call, bool) {
					return ears.Call{
						Tenant: bridgetest.Tenant, Conversation: bridgetest.Conversation,
						Over: func(_ context.Context, o ears.Outcome) { over <- o },
					}, start.Call == "CA1"
				})
			}))
			t.Cleanup(server.Close)
			c2, _, err := websocket.Dial(t.Context(), server.URL, nil)
			if err != nil {
				t.Fatal(err)
			}
			conn := bridge.Socket(c2, 1<<20)
			for _, text := range c.sends {
				if err := conn.Write(t.Context(), []byte(text)); err != nil {
					t.Fatal(err)
				}
			}
			if c.large {
				_ = conn.Write(t.Context(), make([]byte, bridge.MaxFrame+1)) // it may be closed amid it
			}
			<-closed
			if _, _, err := conn.Read(t.Context()); err == nil {
				t.Error("the socket is open")
			}
			if n := total(t, reg, "recaller_ears_calls_total", string(c.want)); n != 1 {
				t.Errorf("it is not counted as %q", c.want)
			}
			if told := len(over) == 1; told != c.told {
				t.Errorf("whose call it was is told: %v, want %v", told, c.told)
			}
			recogniser.Wait()
		})
	}
}
