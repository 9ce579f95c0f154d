package webhook_test

import (
	"context"
	"encoding/base64"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/endpoint/outward"
	"github.com/recallerhq/recaller/internal/webhook"
)

// The secret, id, time, body and signature of a request that another library signed (its secret is 24 times 0x09).
const (
	secret    = "whsec_CQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJ"
	id        = "wh_1"
	body      = `{"object":"event"}`
	signature = "v1,29AgfhxDKnvd7XIZpcUL2KK/xVwoVIxFBNNfDtTZLfw="
)

// here is what the receivers of these tests are reached by.
var here = outward.Allowed{Networks: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}

func at() time.Time { return time.Unix(1760000000, 0) }

// receiver is a webhook that keeps the last request and answers as it is told.
type receiver struct {
	*httptest.Server
	status int
	header http.Header
	got    *http.Request
	body   string
	count  int
}

func newReceiver(t *testing.T, status int) *receiver {
	t.Helper()
	r := &receiver{status: status, header: http.Header{}}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		b, _ := io.ReadAll(req.Body)
		r.got, r.body = req, string(b)
		r.count++
		for k, v := range r.header {
			w.Header()[k] = v
		}
		w.WriteHeader(r.status)
		_, _ = io.WriteString(w, "said back: "+string(b))
	}))
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) hook() recaller.Webhook {
	return recaller.Webhook{URL: r.URL + "/hook?key=hidden", Secret: secret}
}

func TestARequestIsSignedAsStandardWebhooksHasIt(t *testing.T) {
	t.Parallel()
	r := newReceiver(t, 200)
	if err := webhook.New(webhook.Options{Allowed: here}).Send(t.Context(), r.hook(), id, at(), []byte(body)); err != nil {
		t.Fatal(err)
	}
	h := r.got.Header
	for name, want := range map[string]string{
		"webhook-id": id, "webhook-timestamp": "1760000000", "webhook-signature": signature,
		"content-type": "application/json", "user-agent": "recaller",
	} {
		if got := h.Get(name); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	if r.got.Method != "POST" || r.body != body || r.got.URL.RequestURI() != "/hook?key=hidden" {
		t.Errorf("got %s %s with %q", r.got.Method, r.got.URL, r.body)
	}
	verifier, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		t.Fatal(err)
	}
	if err := verifier.VerifyIgnoringTimestamp([]byte(r.body), h); err != nil {
		t.Errorf("the receivers' library refuses it: %v", err)
	}
	if err := verifier.VerifyIgnoringTimestamp([]byte(r.body+" "), h); err == nil {
		t.Error("the receivers' library takes another body")
	}
}

// While two secrets count, a receiver that has either takes the request.
func TestARequestIsSignedWithBothSecrets(t *testing.T) {
	t.Parallel()
	const older = "whsec_BQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUF"
	for name, c := range map[string]struct {
		until time.Time
		want  bool // the older one still counts
	}{
		"within the overlap": {at().Add(time.Second), true},
		"at its end":         {at(), false},
	} {
		r := newReceiver(t, 200)
		hook := r.hook()
		hook.Previous, hook.PreviousUntil = older, c.until
		if err := webhook.New(webhook.Options{Allowed: here}).Send(t.Context(), hook, id, at(), []byte(body)); err != nil {
			t.Fatal(err)
		}
		for _, secret := range []string{secret, older} {
			verifier, err := standardwebhooks.NewWebhook(secret)
			if err != nil {
				t.Fatal(err)
			}
			err = verifier.VerifyIgnoringTimestamp([]byte(r.body), r.got.Header)
			if want := c.want || secret != older; want != (err == nil) {
				t.Errorf("%s: a receiver with the secret %s: got %v, want it taken: %v", name, secret, err, want)
			}
			if err := verifier.VerifyIgnoringTimestamp([]byte(r.body+" "), r.got.Header); err == nil {
				t.Errorf("%s: another body is taken", name)
			}
			if verifier.Verify([]byte(r.body), r.got.Header) == nil {
				t.Errorf("%s: a request of long ago is taken", name)
			}
		}
		if first := strings.Fields(r.got.Header.Get("webhook-signature"))[0]; first != signature {
			t.Errorf("%s: the first signature is %s, want that of the new secret", name, first)
		}
	}
}

func TestWhatAnAnswerMeans(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]recaller.Kind{
		200: "", 201: "", 202: "", 204: "", 299: "",
		301: recaller.Invalid, 302: recaller.Invalid, 307: recaller.Invalid, 308: recaller.Invalid,
		400: recaller.Invalid, 401: recaller.Invalid, 403: recaller.Invalid, 404: recaller.Invalid, 410: recaller.Invalid, 422: recaller.Invalid,
		408: recaller.Unavailable, 429: recaller.Unavailable, 500: recaller.Unavailable, 502: recaller.Unavailable, 503: recaller.Unavailable, 599: recaller.Unavailable,
	} {
		r := newReceiver(t, status)
		other := newReceiver(t, 200)
		r.header.Set("Location", other.URL)
		err := webhook.New(webhook.Options{Allowed: here}).Send(t.Context(), r.hook(), id, at(), []byte(body))
		if want == "" {
			if err != nil {
				t.Errorf("%d: got %v", status, err)
			}
			continue
		}
		var answered interface{ StatusCode() int }
		if !errors.Is(err, want) || !errors.As(err, &answered) || answered.StatusCode() != status {
			t.Errorf("%d: got %v, want %s with the status", status, err, want)
		}
		safe(t, err)
		if r.count != 1 || other.count != 0 {
			t.Errorf("%d: %d requests, %d after the redirect; want one and none", status, r.count, other.count)
		}
	}
}

// safe proves that an error tells neither the address nor what was sent, answered, or signed with.
func safe(t *testing.T, err error) {
	t.Helper()
	for _, word := range []string{"hidden", "127.0.0.1", "hook?", "http", "object", "said", "CQkJ", "example"} {
		if strings.Contains(err.Error(), word) {
			t.Errorf("the error %q holds %q", err, word)
		}
	}
}

func TestAReceiverThatCannotBeReached(t *testing.T) {
	t.Parallel()
	closed := newReceiver(t, 200)
	closed.Close()
	cuts := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }))
	t.Cleanup(cuts.Close)
	unknown := httptest.NewTLSServer(nil)
	unknown.Config.ErrorLog = nil
	t.Cleanup(unknown.Close)
	plain := newReceiver(t, 200)
	for name, c := range map[string]struct{ url, want string }{
		"nobody listens":     {closed.URL, "it refused the connection"},
		"it hangs up":        {cuts.URL, "the connection broke"},
		"its certificate":    {unknown.URL, "no valid certificate"},
		"it has no TLS":      {strings.Replace(plain.URL, "http:", "https:", 1), "the connection broke"},
		"its name is no one": {"http://example.invalid/hidden", "its name is not known"},
	} {
		resolver := &http.Transport{DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			if strings.HasPrefix(address, "example.invalid") {
				return nil, &net.OpError{Op: "dial", Err: &net.DNSError{Err: "no such host", Name: address, IsNotFound: true}}
			}
			return (&net.Dialer{}).DialContext(ctx, network, address)
		}}
		err := webhook.New(webhook.Options{Transport: resolver}).Send(t.Context(), recaller.Webhook{URL: c.url, Secret: secret}, id, at(), []byte(body))
		if !errors.Is(err, recaller.Unavailable) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want it unavailable: %s", name, err, c.want)
			continue
		}
		safe(t, err)
	}
}

func TestAnInnerReceiverIsNotReached(t *testing.T) {
	t.Parallel()
	inner := newReceiver(t, 204)
	port := inner.URL[strings.LastIndex(inner.URL, ":"):]
	for _, host := range []string{"127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "0.0.0.0"} {
		hook := recaller.Webhook{URL: "http://" + host + port + "/hidden", Secret: secret}
		err := webhook.New(webhook.Options{}).Send(t.Context(), hook, id, at(), []byte(body))
		if !errors.Is(err, recaller.Unavailable) || !strings.Contains(err.Error(), "RECALLER_WEBHOOK_ALLOW") {
			t.Errorf("%s: got %v, want it unavailable, with the setting that allows it", host, err)
			continue
		}
		safe(t, err)
	}
	if inner.count != 0 {
		t.Errorf("it was asked %d times", inner.count)
	}
}

func TestAReceiverThatIsSlow(t *testing.T) {
	t.Parallel()
	asked, release := make(chan struct{}, 2), make(chan struct{})
	slow := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked <- struct{}{}; <-release }))
	t.Cleanup(slow.Close)
	t.Cleanup(func() { close(release) })
	hook := recaller.Webhook{URL: slow.URL + "/hidden", Secret: secret}

	err := webhook.New(webhook.Options{Allowed: here, Timeout: 50 * time.Millisecond}).Send(t.Context(), hook, id, at(), []byte(body))
	if !errors.Is(err, recaller.Timeout) {
		t.Errorf("got %v, want a timeout", err)
	}
	safe(t, err)
	<-asked

	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-asked; cancel() }()
	err = webhook.New(webhook.Options{Allowed: here}).Send(ctx, hook, id, at(), []byte(body))
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want it cancelled", err)
	}
	safe(t, err)
}

// An answer without end is not read to its end.
func TestAnAnswerIsBounded(t *testing.T) {
	t.Parallel()
	gone := make(chan struct{})
	endless := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		defer close(gone)
		for {
			if _, err := w.Write(make([]byte, 32<<10)); err != nil {
				return
			}
		}
	}))
	t.Cleanup(endless.Close)
	if err := webhook.New(webhook.Options{Allowed: here}).Send(t.Context(), recaller.Webhook{URL: endless.URL, Secret: secret}, id, at(), []byte(body)); err != nil {
		t.Errorf("got %v, want the status to do", err)
	}
	<-gone
}

func TestAWebhookThatIsNotUsable(t *testing.T) {
	t.Parallel()
	for name, hook := range map[string]recaller.Webhook{
		"none":             {},
		"a file":           {URL: "file:///hidden", Secret: secret},
		"no scheme":        {URL: "example.com/hidden", Secret: secret},
		"no host":          {URL: "http:///hidden", Secret: secret},
		"a port alone":     {URL: "http://:80/hidden", Secret: secret},
		"no URL":           {URL: "http://exa mple/hidden\x00", Secret: secret},
		"no secret":        {URL: "http://example.com"},
		"no prefix":        {URL: "http://example.com", Secret: strings.TrimPrefix(secret, "whsec_")},
		"an empty secret":  {URL: "http://example.com", Secret: "whsec_"},
		"no base64":        {URL: "http://example.com", Secret: "whsec_CQkJ*"},
		"another alphabet": {URL: "http://example.com", Secret: "whsec_" + base64.URLEncoding.EncodeToString([]byte("\xff\xff\xff"))},
	} {
		err := webhook.New(webhook.Options{Allowed: here}).Send(t.Context(), hook, id, at(), []byte(body))
		if !errors.Is(err, recaller.Invalid) {
			t.Errorf("%s: got %v, want it invalid", name, err)
			continue
		}
		safe(t, errors.New(strings.ReplaceAll(err.Error(), "http or https", "")))
	}
}
