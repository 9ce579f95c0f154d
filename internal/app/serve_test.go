package app

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
)

// serving serves a house on an address of its own; down ends it and returns what Serve returned.
func serving(t *testing.T, h *house) (url string, down func() error) {
	t.Helper()
	ln, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- h.app.Serve(ctx, ln) }()
	t.Cleanup(cancel)
	return "http://" + ln.Addr().String(), func() error { cancel(); return <-done }
}

// A stream that is open when the server drains hears why it ends, after what it was still to hear.
func TestAStreamHearsWhyTheServerEndsIt(t *testing.T) {
	t.Parallel()
	h := build(t, t.TempDir(), Options{})
	call := h.ring("+14155550100").Conversation.ID
	url, down := serving(t, h)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url+"/v1/conversations/"+call+"/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+h.app.BootstrapKey())
	res, err := (&http.Transport{}).RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	in := bufio.NewReader(res.Body)
	if first, err := in.ReadString('\n'); err != nil || first != ": listening\n" {
		t.Fatalf("got %q, %v, want to listen", first, err)
	}
	h.say(call, "One moment, please.")
	if err := down(); err != nil {
		t.Errorf("got %v, want it to end well", err)
	}
	rest, err := io.ReadAll(in)
	if err != nil {
		t.Fatal(err)
	}
	text := string(rest)
	turn, closing := strings.Index(text, "event: "+client.EventTurnsAdded), strings.Index(text, "event: "+client.EventServerClosing)
	if turn < 0 || closing < turn || !strings.HasSuffix(text, `"reason":"the server is shutting down"}`+"\n\n") {
		t.Errorf("got %s, want the turn, then why the stream ends", text)
	}
}

// What lasts and does not end when it is told to is broken off when the grace is over.
func TestWhatDoesNotEndIsBrokenOffAfterTheGrace(t *testing.T) {
	t.Parallel()
	h := build(t, t.TempDir(), Options{}, "RECALLER_SHUTDOWN_GRACE=1s")
	told, ended := make(chan string, 1), make(chan struct{})
	h.app.roots = append(h.app.roots, root{name: "sockets", prefix: "/sockets", handler: http.HandlerFunc(
		func(w http.ResponseWriter, r *http.Request) {
			defer close(ended)
			x := h.app.gate.Open("", netip.Addr{})
			defer x.Done(r.Context(), false)
			x.Lasts(func(why string) { told <- why })
			w.WriteHeader(http.StatusOK)
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done() // it heeds nobody, until the connection breaks
		})})
	url, down := serving(t, h)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url+"/sockets/1", nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := (&http.Transport{}).RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	began := time.Now()
	if err := down(); err == nil {
		t.Error("it claims that all ended in time")
	}
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("it took %v, want little more than the grace", took)
	}
	if why := <-told; why != shuttingDown {
		t.Errorf("got %q, want why", why)
	}
	<-ended
}

func TestEachPathGoesToItsRoot(t *testing.T) {
	t.Parallel()
	says := func(name string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, name) })
	}
	rs := roots{
		{handler: says("api")},
		{prefix: "/mcp", handler: says("mcp")},
		{prefix: "/mcp/sse", handler: says("sse")},
		{addr: "127.0.0.1:9000", prefix: "/metrics", handler: says("metrics")},
	}
	tests := []struct{ addr, path, want string }{
		{"", "/v1/callers", "api"},
		{"", "/", "api"},
		{"", "/mcp", "mcp"},
		{"", "/mcp/tools", "mcp"},
		{"", "/mcpx", "api"},
		{"", "/mcp/sse/1", "sse"},
		{"", "/metrics", "api"},
		{"127.0.0.1:9000", "/metrics", "metrics"},
		{"127.0.0.1:9000", "/", "404 page not found\n"},
	}
	for _, test := range tests {
		w := httptest.NewRecorder()
		rs.at(test.addr).ServeHTTP(w, httptest.NewRequest(http.MethodGet, test.path, nil))
		if got := w.Body.String(); got != test.want {
			t.Errorf("%s at %q: got %q, want %q", test.path, test.addr, got, test.want)
		}
	}
}

// A root that could never be reached is refused by name, before anything is served.
func TestRootsThatCannotBeReachedAreRefused(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		second root // beside the API at all paths of the main address
		want   string
	}{
		"a path of its own":        {root{prefix: "/mcp"}, ""},
		"an address of its own":    {root{addr: "127.0.0.1:9000"}, ""},
		"the address and all":      {root{}, "the API and the second have the same address and path"},
		"a path without its slash": {root{prefix: "mcp"}, `the path of the second, "mcp", does not begin with / or ends with it`},
		"a slash too many":         {root{prefix: "/mcp/"}, `the path of the second, "/mcp/", does not begin with / or ends with it`},
		"a slash alone":            {root{prefix: "/"}, `the path of the second, "/", does not begin with / or ends with it`},
		"the path of a third":      {root{prefix: "/sockets"}, "the third and the second have the same address and path"},
		"its path elsewhere":       {root{addr: "127.0.0.1:9000", prefix: "/sockets"}, ""},
	}
	for name, test := range tests {
		test.second.name = "second"
		got := roots{{name: "API"}, {name: "third", prefix: "/sockets"}, test.second}.check()
		if test.want == "" && got != nil {
			t.Errorf("%s: got %v, want it accepted", name, got)
		}
		if test.want != "" && (!errors.Is(got, recaller.Invalid) || !strings.Contains(got.Error(), test.want)) {
			t.Errorf("%s: got %v, want %s", name, got, test.want)
		}
	}
}
