package chatproxy

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/httpdoor"
)

// keys are the two keys of a request: ours, and the provider's own, which may be missing.
type keys struct {
	ours, theirs string
	bearer       bool // the provider's stood in Authorization, and goes there
}

// keys parts the keys of a request. With a key of ours in X-Memory-API-Key or X-API-Key, what stands in Authorization
// is the provider's, unless it is a key of ours, too: that never leaves.
func (chat) keys(h http.Header) keys {
	bearer := bearerOf(h)
	for _, name := range []string{"X-Memory-API-Key", "X-API-Key"} {
		if ours := strings.TrimSpace(h.Get(name)); ours != "" {
			if bearer == ours || strings.HasPrefix(bearer, ourPrefix) {
				bearer = ""
			}
			return keys{ours: ours, theirs: bearer, bearer: true}
		}
	}
	return keys{ours: bearer}
}

// ourPrefix begins the keys that Recaller makes (package tenant).
const ourPrefix = "rk_"

func bearerOf(h http.Header) string {
	scheme, secret, _ := strings.Cut(h.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(secret)
}

var errNoUpstream = errors.New("no upstream")

// clientOf returns the client of the upstream. It follows no redirect: the key is for one address.
func clientOf(over http.RoundTripper) *http.Client {
	if over == nil {
		t := http.DefaultTransport.(*http.Transport).Clone() //nolint:forcetypeassert // it is one
		t.MaxIdleConns, t.MaxIdleConnsPerHost, t.ResponseHeaderTimeout = 0, maxAtOnce, limit
		t.IdleConnTimeout = 90 * time.Second
		over = t
	}
	return &http.Client{Transport: over, CheckRedirect: stay}
}

// chosenOf returns the client of upstreams that tenants have set.
func chosenOf(over *http.Transport) *http.Client {
	over = over.Clone()
	over.MaxIdleConnsPerHost, over.ResponseHeaderTimeout = maxIdle, limit
	return &http.Client{Transport: over, CheckRedirect: stay}
}

// maxIdle is how many connections to one host of tenants' wait for the next request.
const maxIdle = 32

func stay(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// upstream is where a request goes on to.
type upstream struct {
	recaller.Upstream
	client *http.Client
	chosen bool // by the tenant
}

// upstream returns where a tenant's requests go on to. Where that is not known, none is sent anywhere: what is said to
// one provider is not for another.
func (s *Server) upstream(ctx context.Context, tenant recaller.TenantID, r *http.Request) (upstream, error) {
	own, err := s.Upstreams.Upstream(ctx, tenant)
	switch {
	case err != nil:
		return upstream{}, err
	case !own.Set():
		return upstream{Upstream: s.opts.Upstream, client: s.client}, nil
	case slices.ContainsFunc(r.Header.Values("Via"), func(via string) bool { return strings.Contains(via, s.self) }):
		return upstream{}, httpdoor.Simple(http.StatusLoopDetected, "loop", "the upstream leads back to this server")
	}
	return upstream{Upstream: own, client: s.chosen, chosen: true}, nil
}

// send sends a request on. The caller closes the answer's body.
func (s *Server) send(
	ctx context.Context, x *exchange, r *http.Request, up upstream, k keys, method, path string, body []byte,
) (*http.Response, error) {
	if up.BaseURL == "" {
		return nil, unreachable(errNoUpstream)
	}
	to, err := url.Parse(up.BaseURL + path)
	if err != nil {
		return nil, unreachable(errNoUpstream)
	}
	to.RawQuery = r.URL.RawQuery
	var content io.Reader
	if body != nil {
		content = bytes.NewReader(body)
	}
	out, err := http.NewRequestWithContext(ctx, method, to.String(), content) //nolint:gosec // an address of the settings; of the path only what follows
	if err != nil {
		return nil, unreachable(err)
	}
	out.Header = onward(r.Header)
	switch key := cmp.Or(k.theirs, up.APIKey); {
	case key == "":
	case k.bearer:
		chat{}.sign(out.Header, key)
	default:
		x.wire.sign(out.Header, key)
	}
	if _, said := out.Header["Idempotency-Key"]; !said {
		// Not sent. It has a request sent again that met a connection which the upstream was just closing: some close each
		// behind its answer.
		out.Header["Idempotency-Key"] = nil
	}
	if up.chosen {
		out.Header["Via"] = append(r.Header.Values("Via"), "1.1 "+s.self)
	}
	res, err := up.client.Do(out) //nolint:gosec // as above
	if err != nil {
		s.notReached(ctx, x, r, up, err)
		return nil, unreachable(err)
	}
	return res, nil
}

// notReached tells the operator why an upstream did not answer. The tenant is told that it did not.
func (s *Server) notReached(ctx context.Context, x *exchange, r *http.Request, up upstream, err error) {
	var at *url.Error
	if r.Context().Err() != nil || !errors.As(err, &at) {
		return // who asked is away
	}
	s.Log.WarnContext(ctx, "an upstream did not answer", "request_id", x.ID, "tenant", x.Tenant, "chosen_by_tenant", up.chosen, "err", at.Err.Error())
}

// ourOwn are headers that are for us, or for the connection to us: they stay here. Those of identity are in whom.
var ourOwn = []string{
	"Authorization", "X-Api-Key", "X-Memory-Api-Key", "Cookie", "Host", "Connection", "Keep-Alive", "Proxy-Authenticate",
	"Proxy-Authorization", "Proxy-Connection", "Te", "Trailer", "Transfer-Encoding", "Upgrade", "Content-Length", "Accept-Encoding", "Expect",
	"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-Ip", "Origin", "Referer", "Via",
	toolsHeader,
}

// onward returns the headers that go on to the upstream.
func onward(h http.Header) http.Header {
	out := h.Clone()
	for _, name := range strings.Split(h.Get("Connection"), ",") {
		out.Del(strings.TrimSpace(name))
	}
	for _, list := range [][]string{ourOwn, userHeaders, sessionHeaders, {verifiedHeader}} {
		for _, name := range list {
			out.Del(name)
		}
	}
	return out
}

// hops are headers of the upstream's answer that are for the connection to it.
var hops = []string{
	"Connection", "Keep-Alive", "Proxy-Authenticate", "Proxy-Connection", "Te", "Trailer", "Transfer-Encoding", "Upgrade",
	"Set-Cookie", "Alt-Svc", "Strict-Transport-Security",
}

// told are headers of an answer that only we say.
var told = []string{statusHeader, "X-Recaller-Request-Id", "X-Content-Type-Options"}

// answered passes the headers of an answer on.
func answered(w *writer, res *http.Response, changed bool) {
	h := w.Header()
	for name, values := range res.Header {
		if !slices.Contains(told, name) {
			h[name] = values
		}
	}
	for _, name := range hops {
		h.Del(name)
	}
	if changed {
		h.Del("Content-Length")
		h.Del("Etag")
		h.Del("Digest")
		h.Del("Content-Md5")
	}
}

// passOn passes an answer on as it is.
func passOn(w *writer, res *http.Response) error {
	answered(w, res, false)
	w.WriteHeader(res.StatusCode)
	if _, err := io.Copy(w, res.Body); err != nil {
		panic(http.ErrAbortHandler) // so that half an answer does not look whole
	}
	return nil
}
