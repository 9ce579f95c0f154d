package httpapi

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"io"
	"log/slog"
	"net"
	"net/http"
	"runtime"
	"runtime/debug"
	"strings"
	"time"
	"unicode"

	"github.com/recallerhq/recaller"
)

// exchange is one request with its answer, as the middleware sees it.
type exchange struct {
	r       *http.Request
	w       *writer
	id      string
	secret  string
	key     recaller.APIKey // zero for open operations
	digest  hash.Hash       // of the body, while it is read; nil where no Idempotency-Key was sent
	err     error           // why it failed, for the log
	stream  bool            // an event stream: its duration says nothing
	quiet   bool            // a health check or documentation: logged for debugging only
	started time.Time
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

func (x *exchange) fail(err error) { x.err = err }

// ServeHTTP carries out one request.
func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x := &exchange{started: s.opts.Now(), id: requestID(r.Header), secret: secretOf(r.Header)}
	if x.id == "" {
		x.id = s.newReqID()
	}
	ctx := context.WithValue(r.Context(), exchangeKey{}, x)
	x.r = r.WithContext(ctx)
	x.w = &writer{ResponseWriter: w, r: x.r}
	if r.Header.Get(idempotencyHeader) != "" {
		x.digest = sha256.New()
	}
	if r.Body != nil {
		x.r.Body = &body{ReadCloser: r.Body, digest: x.digest}
	}
	h := w.Header()
	h.Set("X-Request-Id", x.id)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	defer s.done(ctx, x)
	s.mux.ServeHTTP(x.w, x.r)
}

// done counts and logs a request, whatever became of it.
func (s *server) done(ctx context.Context, x *exchange) {
	crash := recover()
	if crash != nil && crash != http.ErrAbortHandler { //nolint:errorlint // the value that net/http defines for panics
		s.logPanic(x, crash)
		x.fail(recaller.Internal)
		if x.w.status == 0 {
			x.refuse(recaller.Internal)
			crash = nil
		}
	}
	route := routeOf(x.r.Pattern)
	took := s.opts.Now().Sub(x.started)
	if !x.stream {
		s.metrics.observe(route, x.r.Method, x.w.status, took)
	}
	s.log(ctx, x, route, took)
	if crash != nil {
		panic(http.ErrAbortHandler) // half an answer is out: break the connection, so that nobody takes it for a whole one
	}
}

// logPanic says where it happened. The panic's value may hold what somebody said; only the runtime's own are logged.
func (s *server) logPanic(x *exchange, crash any) {
	what := "a value that is not logged"
	var re runtime.Error
	if err, ok := crash.(error); ok && errors.As(err, &re) {
		what = re.Error()
	}
	s.Log.Error("panic in a request", "request_id", x.id, "route", routeOf(x.r.Pattern), "panic", what, "stack", string(debug.Stack()))
}

func (s *server) log(ctx context.Context, x *exchange, route string, took time.Duration) {
	level := slog.LevelInfo
	switch {
	case x.w.status >= http.StatusInternalServerError:
		level = slog.LevelError
	case x.quiet:
		level = slog.LevelDebug
	}
	if !s.Log.Enabled(ctx, level) {
		return
	}
	attrs := []slog.Attr{
		slog.String("request_id", x.id), slog.String("method", methodOf(x.r.Method)), slog.String("route", route),
		slog.Int("status", x.w.status), slog.Float64("dur_ms", float64(took.Microseconds())/1000), slog.Int64("bytes", x.w.bytes),
	}
	if x.key.ID != "" {
		attrs = append(attrs, slog.String("tenant", string(x.key.Tenant)), slog.String("key", string(x.key.ID)))
	}
	if x.err != nil {
		attrs = append(attrs, slog.String("kind", string(kindOf(x.err))))
	}
	if x.err != nil && x.w.status >= http.StatusInternalServerError {
		attrs = append(attrs, slog.String("err", x.err.Error()))
	}
	s.Log.LogAttrs(ctx, level, "request", attrs...)
}

// routeOf is the path of a route's pattern: no ids, numbers or queries.
func routeOf(pattern string) string {
	if _, path, ok := strings.Cut(pattern, " "); ok {
		return path
	}
	return "unknown"
}

// methodOf keeps made-up methods out of logs and metrics.
func methodOf(m string) string {
	switch m {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions:
		return m
	}
	return "other"
}

const maxRequestID = 128

// requestID takes over the id that a proxy or client gave the request, if it is one that can be logged.
func requestID(h http.Header) string {
	id := h.Get("X-Request-Id")
	ok := func(r rune) bool {
		return r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("-_.:", r))
	}
	if len(id) > maxRequestID || strings.ContainsFunc(id, func(r rune) bool { return !ok(r) }) {
		return ""
	}
	return id
}

const idempotencyHeader = "Idempotency-Key"

// once makes the use case's at-most-once token of the request's Idempotency-Key; zero where there is none. Call it after
// the body was read.
func (x *exchange) once(op string) (recaller.Once, error) {
	key := x.r.Header.Get(idempotencyHeader)
	if key == "" || x.digest == nil {
		return recaller.Once{}, nil
	}
	if len(key) > maxIdempotencyKey || strings.ContainsFunc(key, unicode.IsControl) {
		return recaller.Once{}, recaller.InvalidField(idempotencyHeader, "must be at most %d bytes without control characters", maxIdempotencyKey)
	}
	x.digest.Write([]byte{0})
	x.digest.Write([]byte(x.r.URL.EscapedPath()))
	return recaller.Once{Token: op + ":" + key, Request: hex.EncodeToString(x.digest.Sum(nil))}, nil
}

const maxIdempotencyKey = 255

// body is a request's body. It takes the digest, and turns a body that breaks off into one that is not JSON: else what
// came of it might pass for the whole, and huma would blame the server for the fault.
type body struct {
	io.ReadCloser
	digest hash.Hash
	broken bool
}

// Read reads on.
func (b *body) Read(p []byte) (int, error) {
	if b.broken || len(p) == 0 {
		return 0, io.EOF
	}
	n, err := b.ReadCloser.Read(p)
	if b.digest != nil {
		b.digest.Write(p[:n])
	}
	var timeout net.Error
	if err == nil || errors.Is(err, io.EOF) || (errors.As(err, &timeout) && timeout.Timeout()) {
		return n, err
	}
	b.broken = true
	p[0] = 0
	return max(n, 1), nil
}

// writer is the answer on its way out. It tells the status, and puts the router's own refusals into our form.
type writer struct {
	http.ResponseWriter
	r       *http.Request
	status  int
	bytes   int64
	swallow bool // the router's plain text follows, which nobody is to see
}

// Unwrap lets http.ResponseController through.
func (w *writer) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// WriteHeader sends the status.
func (w *writer) WriteHeader(status int) {
	if w.status != 0 {
		return
	}
	if w.r.Pattern == "" && !w.swallow && (status == http.StatusNotFound || status == http.StatusMethodNotAllowed) {
		p := simple(status, "not_found", "there is no such route; see /docs")
		if status == http.StatusMethodNotAllowed {
			p = simple(status, "invalid", "the route does not have this method; see the Allow header")
		}
		w.swallow = true
		p.write(&routerAnswer{w})
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
