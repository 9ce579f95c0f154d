package httpapi

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/admission"
	"github.com/recallerhq/recaller/internal/httpdoor"
)

// exchange is one request with its answer, as the middleware sees it.
type exchange struct {
	admission.Exchange
	r      *http.Request
	w      *writer
	secret string
	stream bool // an event stream: its duration says nothing
}

type exchangeKey struct{}

// exchangeOf returns the exchange that ServeHTTP put there.
func exchangeOf(ctx context.Context) *exchange {
	x, ok := ctx.Value(exchangeKey{}).(*exchange)
	if !ok {
		return &exchange{}
	}
	return x
}

// ServeHTTP carries out one request.
func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x := &exchange{Exchange: s.Gate.Open(r.Header.Get("X-Request-Id"), httpdoor.From(r, s.opts.Proxies)), secret: httpdoor.Secret(r.Header)}
	ctx := context.WithValue(r.Context(), exchangeKey{}, x)
	x.r = r.WithContext(ctx)
	x.w = &writer{ResponseWriter: w, r: x.r}
	if key := r.Header.Get(admission.IdempotencyKey); key != "" {
		x.Keyed(key, r.URL.EscapedPath())
	}
	if r.Body != nil {
		x.r.Body = &body{ReadCloser: r.Body, x: x}
	}
	h := w.Header()
	h.Set("X-Request-Id", x.ID)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	defer s.done(ctx, x)
	s.mux.ServeHTTP(x.w, x.r)
}

// done counts and logs a request, whatever became of it.
func (s *server) done(ctx context.Context, x *exchange) {
	crash := recover()
	route := routeOf(x.r.Pattern)
	if crash != nil && crash != http.ErrAbortHandler { //nolint:errorlint // the value that net/http defines for panics
		x.Crashed(ctx, crash, slog.String("route", route))
		if x.w.status == 0 {
			x.refuse(recaller.Internal)
			crash = nil
		}
	}
	took := x.Done(ctx, x.w.status >= http.StatusInternalServerError,
		slog.String("method", methodOf(x.r.Method)), slog.String("route", route),
		slog.Int("status", x.w.status), slog.Int64("bytes", x.w.bytes))
	if !x.stream {
		s.metrics.observe(route, x.r.Method, x.w.status, took)
	}
	if crash != nil {
		// half an answer is out: break the connection, so that nobody takes it for a whole one
		panic(http.ErrAbortHandler)
	}
}

// routeOf is the path of a route's pattern: no ids, numbers or queries.
func routeOf(pattern string) string {
	if _, path, ok := strings.Cut(pattern, " "); ok {
		return path
	}
	return "unknown"
}

// methodOf keeps invented methods out of logs and metrics.
func methodOf(m string) string {
	switch m {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete,
		http.MethodOptions:
		return m
	}
	return "other"
}

// body is a request's body. It shows admission what passes, and turns a body that breaks off into one that is not JSON.
// Otherwise the part that came could be taken for the whole, and huma would blame the server for the fault.
type body struct {
	io.ReadCloser
	x      *exchange
	broken bool
}

// Read reads on.
func (b *body) Read(p []byte) (int, error) {
	if b.broken || len(p) == 0 {
		return 0, io.EOF
	}
	n, err := b.ReadCloser.Read(p)
	var timeout net.Error
	if !b.x.Saw(p[:n]) {
		b.drain()
		n, err = 0, recaller.Exhausted
	}
	if err == nil || errors.Is(err, io.EOF) || (errors.As(err, &timeout) && timeout.Timeout()) {
		return n, err
	}
	b.broken = true
	p[0] = 0
	return max(n, 1), nil
}

// drained is how long the rest of a body is read for that is refused.
const drained = 15 * time.Second

// drain reads the rest of a body and drops it. Many clients send all before they read: if the connection closed on them,
// they would never hear why they are refused.
func (b *body) drain() {
	err := http.NewResponseController(b.x.w).SetReadDeadline(time.Now().Add(drained))
	if b.x.r.ContentLength < 0 || err != nil {
		return // nobody knows how much is to come, or for how long
	}
	_, _ = io.Copy(io.Discard, b.ReadCloser) // what breaks off needs no answer
}

// writer is the answer on its way out. It notes the status, and puts the router's own refusals into our form.
type writer struct {
	http.ResponseWriter
	r       *http.Request
	status  int
	bytes   int64
	swallow bool // the router's plain text follows, and is dropped
}

// Unwrap lets http.ResponseController through.
func (w *writer) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// WriteHeader sends the status.
func (w *writer) WriteHeader(status int) {
	if w.status != 0 {
		return
	}
	if w.r.Pattern == "" && !w.swallow && (status == http.StatusNotFound || status == http.StatusMethodNotAllowed) {
		p := httpdoor.Simple(status, "not_found", "there is no such route; see /docs")
		if status == http.StatusMethodNotAllowed {
			p = httpdoor.Simple(status, "invalid", "the route does not have this method; see the Allow header")
		}
		w.swallow = true
		p.Write(&routerAnswer{w})
		return
	}
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

// Write sends a part of the body.
func (w *writer) Write(p []byte) (int, error) {
	if w.swallow {
		return len(p), nil
	}
	if w.status == 0 {
		w.WriteHeader(http.StatusOK)
	}
	n, err := w.ResponseWriter.Write(p)
	w.bytes += int64(n)
	return n, err
}

// routerAnswer writes a problem in place of the router's text.
type routerAnswer struct{ *writer }

// Write sends the problem.
func (a *routerAnswer) Write(p []byte) (int, error) {
	n, err := a.ResponseWriter.Write(p)
	a.bytes += int64(n)
	return n, err
}
