package app

import (
	"bytes"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/chatproxy/upstreamtest"
)

// lodger is a tenant of a house, with an upstream of its own if it has one.
type lodger struct {
	*client.Client
	key string
	up  *upstreamtest.Upstream
}

func (h *house) lodger(name string) *lodger {
	h.t.Helper()
	made, err := h.CreateTenant(h.t.Context(), client.NewTenant{Name: name})
	if err != nil {
		h.t.Fatal(err)
	}
	return h.again(&lodger{key: made.APIKey, up: upstreamtest.New(h.t)})
}

// again is a tenant in a house on the same folder.
func (h *house) again(l *lodger) *lodger {
	h.t.Helper()
	c, err := client.New(h.url, l.key, client.WithRetries(0))
	if err != nil {
		h.t.Fatal(err)
	}
	return &lodger{Client: c, key: l.key, up: l.up}
}

// sets has a tenant set its upstream, and returns it as the API tells it.
func (h *house) sets(l *lodger, url, model string, key ...string) client.Upstream {
	h.t.Helper()
	in := client.UpstreamInput{BaseURL: url, Model: model}
	if len(key) > 0 {
		in.APIKey = &key[0]
	}
	u, err := l.SetUpstream(h.t.Context(), in)
	if err != nil {
		h.t.Fatal(err)
	}
	return u
}

// Two tenants have upstreams of their own, a third has none: what is said to one reaches no other, and no key does.
func TestEachTenantHasItsUpstream(t *testing.T) {
	t.Parallel()
	onBoth(t, upstreamsStory)
}

func upstreamsStory(t *testing.T, env ...string) {
	h, shared := chatting(t, append(env, "RECALLER_WEBHOOK_ALLOW=127.0.0.0/8", "RECALLER_PROXY_MODEL=of-the-server")...)
	golf, bank, none := h.lodger("Golf"), h.lodger("Bank"), h.lodger("None")
	if _, err := golf.Upstream(t.Context()); !client.IsNotFound(err) {
		t.Errorf("at first: got %v, want not found", err)
	}
	if u := h.sets(golf, golf.up.URL+"/v1/", "of-golf", "sk-golf"); u != (client.Upstream{BaseURL: golf.up.URL + "/v1", Model: "of-golf", APIKeySet: true}) {
		t.Errorf("got %+v", u)
	}
	h.sets(bank, bank.up.URL+"/v1", "", "sk-bank")
	asks := func(l *lodger, path string, more ...string) string {
		t.Helper()
		body := `{"model":"m-1","messages":[{"role":"user","content":"Hello"}],"user":"ana"}`
		if path == "/v1/models" {
			body = ""
		}
		_, got := h.sends(path, body, append([]string{"Authorization", "Bearer " + l.key}, more...)...)
		h.settled()
		return got
	}
	saw := func(what string, up *upstreamtest.Upstream, requests int, key, model string) {
		t.Helper()
		list := up.Requests()
		if len(list) != requests {
			t.Fatalf("%s: got %d requests, want %d", what, len(list), requests)
		}
		for name, values := range list[requests-1].Header {
			if name != "Authorization" && strings.Contains(strings.Join(values, " "), "k_") {
				t.Errorf("%s: the header %s holds a key", what, name)
			}
		}
		if got := list[requests-1].Header.Get("Authorization"); got != key {
			t.Errorf("%s: got the key %q, want %q", what, got, key)
		}
		if got := list[requests-1].Body.Get("model").String(); got != model {
			t.Errorf("%s: got the model %q, want %q", what, got, model)
		}
	}
	for n := 1; n <= 2; n++ {
		for _, l := range []*lodger{golf, bank, none} {
			asks(l, "/v1/chat/completions")
		}
		saw("golf", golf.up, n, "Bearer sk-golf", "of-golf")
		saw("bank", bank.up, n, "Bearer sk-bank", "m-1")
		saw("who has none", shared, n, "Bearer sk-theirs", "of-the-server")
	}

	// A key of the provider's own goes to the tenant's upstream; models are those of it, too.
	asks(bank, "/v1/chat/completions", "X-API-Key", bank.key, "Authorization", "Bearer sk-own")
	saw("bank, with a key of its own", bank.up, 3, "Bearer sk-own", "m-1")
	if got := asks(golf, "/v1/models"); !strings.Contains(got, "m-1") {
		t.Errorf("got %s", got)
	}
	saw("golf's models", golf.up, 3, "Bearer sk-golf", "")

	// A change counts for the next request. The key stays behind where the address is another one.
	if u := h.sets(golf, bank.up.URL+"/v1", ""); u.APIKeySet {
		t.Errorf("got %+v, want no key", u)
	}
	asks(golf, "/v1/chat/completions")
	saw("golf, elsewhere", bank.up, 4, "", "m-1")
	if err := golf.DeleteUpstream(t.Context()); err != nil {
		t.Fatal(err)
	}
	asks(golf, "/v1/chat/completions")
	saw("golf, on the server's", shared, 3, "Bearer sk-theirs", "of-the-server")
	saw("golf's own", golf.up, 3, "Bearer sk-golf", "")
	h.saysNoKeyTwice(bank)
}

// saysNoKeyTwice has nothing that the API tells, and nothing on the disk, show a tenant's key of the upstream.
func (h *house) saysNoKeyTwice(l *lodger) {
	h.t.Helper()
	for _, path := range []string{"/v1/upstream", "/v1/tenant"} {
		_, got := h.sends(path, "", "Authorization", "Bearer "+l.key)
		if strings.Contains(got, "sk-bank") {
			h.t.Errorf("%s: got %s", path, got)
		}
	}
	files, err := filepath.Glob(filepath.Join(h.dir, "*"))
	if err != nil || len(files) == 0 {
		h.t.Fatal(files, err)
	}
	for _, f := range files {
		if raw, err := os.ReadFile(f); err == nil && bytes.Contains(raw, []byte("sk-bank")) {
			h.t.Errorf("%s holds the key", f)
		}
	}
	reader, err := l.CreateKey(h.t.Context(), client.KeyInput{Scope: "agent"})
	if err != nil {
		h.t.Fatal(err)
	}
	if res, _ := h.sends("/v1/upstream", "", "Authorization", "Bearer "+reader.APIKey); res.StatusCode != http.StatusForbidden {
		h.t.Errorf("a key of less scope: got %d", res.StatusCode)
	}
}

// What is inside is not to be had by an upstream: neither by its address, nor by a name, which shows only when it is
// connected to. The tenant is told no more than that nobody answered; the operator's log says why.
func TestAnUpstreamOfATenantReachesNothingInside(t *testing.T) {
	t.Parallel()
	asked := 0
	inside := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { asked++; _, _ = io.WriteString(w, "secret") }))
	defer inside.Close()
	_, port, _ := strings.Cut(strings.TrimPrefix(inside.URL, "http://"), ":")
	dir := t.TempDir()
	h := build(t, dir, Options{}, "RECALLER_WEBHOOK_ALLOW=127.0.0.0/8,::1").start()
	golf := h.lodger("Golf")
	h.sets(golf, inside.URL+"/v1", "", "sk-golf")
	if err := h.app.Close(t.Context()); err != nil {
		t.Fatal(err)
	}

	// The operator lists it no longer.
	logged := &notes{}
	h = build(t, dir, Options{Log: slog.New(slog.NewTextHandler(logged, nil))}).start()
	golf = h.again(golf)
	told := map[string]bool{}
	asks := func() {
		for path, body := range map[string]string{"/v1/chat/completions": `{"messages":[{"role":"user","content":"Hello"}],"user":"ana"}`, "/v1/models": ""} {
			res, got := h.sends(path, body, "Authorization", "Bearer "+golf.key)
			if res.StatusCode != http.StatusBadGateway {
				t.Errorf("got %d", res.StatusCode)
			}
			told[got] = true
		}
	}
	asks()
	holds(t, "the log", logged.String(), "an upstream did not answer", "only the operator can allow", "!sk-golf")
	for _, address := range []string{inside.URL, "http://localhost:" + port, "http://169.254.169.254/latest", "http://[::1]:" + port, "http://[::ffff:127.0.0.1]:" + port} {
		_, err := golf.SetUpstream(t.Context(), client.UpstreamInput{BaseURL: address})
		if err == nil || !strings.Contains(err.Error(), "RECALLER_WEBHOOK_ALLOW") {
			t.Errorf("%s: got %v, want it refused", address, err)
		}
	}
	for _, address := range []string{"http://127.1:" + port, "http://2130706433:" + port, "http://nobody.invalid"} {
		h.sets(golf, address+"/v1", "", "sk-golf")
		asks()
	}
	if len(told) != 1 || asked != 0 {
		t.Errorf("got %d answers, want one for all; the inside was asked %d times", len(told), asked)
	}
}

func TestAnUpstreamThatLeadsElsewhere(t *testing.T) {
	t.Parallel()
	asked := 0
	inside := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked++ }))
	defer inside.Close()
	h, _ := chatting(t, "RECALLER_WEBHOOK_ALLOW=127.0.0.0/8")
	golf := h.lodger("Golf")
	const body = `{"messages":[{"role":"user","content":"Hello"}],"user":"ana"}`

	// A redirect is handed on, not followed, and says nothing in our name.
	golf.up.Answer(func(upstreamtest.Request) upstreamtest.Answer {
		return upstreamtest.Answer{Status: http.StatusTemporaryRedirect, Header: map[string]string{"Location": inside.URL, "X-Memory-Status": "forged", "Set-Cookie": "a=b"}}
	})
	h.sets(golf, golf.up.URL+"/v1", "", "sk-golf")
	res, _ := h.sends("/v1/chat/completions", body, "Authorization", "Bearer "+golf.key)
	if asked != 0 || res.Header.Get("X-Memory-Status") != "applied" || res.Header.Get("Set-Cookie") != "" {
		t.Errorf("got %d requests, %v", asked, res.Header)
	}

	// This server is no upstream of itself.
	h.sets(golf, h.url+"/v1", "", golf.key)
	res, got := h.sends("/v1/chat/completions", body, "Authorization", "Bearer "+golf.key)
	if res.StatusCode != http.StatusLoopDetected || !strings.Contains(got, "leads back") {
		t.Errorf("got %d, %s", res.StatusCode, got)
	}
	h.settled()
}
