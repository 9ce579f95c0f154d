package mcpserver

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/admission"
	"github.com/recallerhq/recaller/internal/httpdoor"
)

// BoundTo is the header that binds a connection to one caller. Platforms that know who rings fill it in, so that no
// model has to, or can ask about anybody else.
const BoundTo = "X-Recaller-Caller"

// exchange is one request with its answer.
type exchange struct {
	admission.Exchange
	tenant   recaller.TenantID // whose address was asked
	named    bool              // by its id
	told     bool              // metadata was asked for
	need     recaller.Scope    // of what was asked for; empty: the door's own
	bound    string            // the caller that the connection is for; empty: any
	deadline time.Time
	method   string // of MCP, from a closed set
	tool     string // that was called, from a closed set
	fault    bool   // what failed is ours, although the answer has a good status

	mu      sync.Mutex // guards what follows
	over    bool       // it is answered: nothing may touch it any more
	running sync.WaitGroup
}

type exchangeKey struct{}

// exchangeOf returns the exchange that ServeHTTP put there.
func exchangeOf(ctx context.Context) *exchange {
	x, ok := ctx.Value(exchangeKey{}).(*exchange)
	if !ok {
		return &exchange{over: true}
	}
	return x
}

// failed says why the request failed, whatever status the answer has.
func (x *exchange) failed(err error) {
	x.Fail(err)
	x.fault = x.fault || httpdoor.ProblemOf(err).Status >= http.StatusInternalServerError
}

// begin notes that the SDK works for the exchange; false if it is too late.
func (x *exchange) begin() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.over {
		return false
	}
	x.running.Add(1)
	return true
}

// finish waits for what works for the exchange.
func (x *exchange) finish() {
	x.running.Wait()
	x.mu.Lock()
	x.over = true
	x.mu.Unlock()
}

// ServeHTTP carries out one request.
func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x := &exchange{
		method: "none", Exchange: s.Gate.Open(r.Header.Get("X-Request-Id"), httpdoor.From(r, s.opts.Proxies)),
	}
	out := &writer{ResponseWriter: w}
	h := w.Header()
	h.Set("X-Request-Id", x.ID)
	h.Set("X-Content-Type-Options", "nosniff")
	defer s.done(r.Context(), x, out)
	if rest, ok := strings.CutPrefix(r.URL.Path, WellKnown); ok {
		s.tell(x, rest, r, out)
		return
	}
	in, err := s.admit(x, r, out)
	if err != nil {
		x.Fail(err)
		s.challenged(r, x, httpdoor.ProblemOf(err)).Write(out)
		return
	}
	s.handler.ServeHTTP(out, in)
	x.finish()
}

// admit lets a request in and reads its body.
func (s *server) admit(x *exchange, r *http.Request, w http.ResponseWriter) (*http.Request, error) {
	if !sameOrigin(r) {
		return nil, recaller.Errorf(recaller.Forbidden, "pages of another origin may not ask")
	}
	tenant, named, err := addressed(r.URL.Path)
	if err != nil {
		return nil, err
	}
	x.tenant, x.named = tenant, named
	x.To(tenant, named)
	if key := r.Header.Get(admission.IdempotencyKey); key != "" {
		x.Keyed(key, r.URL.EscapedPath())
	}
	ctx, err := x.Admit(r.Context(), httpdoor.Secret(r.Header), &s.op)
	if err != nil {
		return nil, err
	}
	x.deadline, _ = ctx.Deadline()
	x.bound = cmp.Or(x.Caller, r.Header.Get(BoundTo))
	_ = http.NewResponseController(w).SetReadDeadline(x.deadline) // what cannot, has no network
	body, err := httpdoor.Body(&x.Exchange, r.Body, s.opts.MaxBody)
	if err == nil {
		body, err = message(body)
	}
	if err != nil {
		return nil, err
	}
	s.note(x, body)
	if x.need = s.rows[x.tool].scope; x.Token && x.tool != "" && !x.Scope.Allows(x.need) {
		return nil, recaller.Errorf(recaller.Forbidden, "the access token has no scope that allows %s", x.tool)
	}
	in := r.WithContext(context.WithValue(ctx, exchangeKey{}, x))
	if s.opts.Host != "" && r.Host == s.opts.Host {
		in.Host = "localhost" // for the SDK, which takes any other name for one that was rebound to this machine
	}
	in.Body, in.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	return in, nil
}

// sameOrigin reports whether a request comes from no web page, or from one of the host that is asked. Whoever knows a key may ask from
// anywhere; but a page that somebody opens must not reach the server on his machine.
func sameOrigin(r *http.Request) bool {
	told := r.Header.Get("Origin")
	if told == "" {
		return true
	}
	origin, err := url.Parse(told)
	return err == nil && origin.Host != "" && origin.Host == r.Host
}

// message refuses what is no message, of which the SDK's error would repeat a part, and a batch. One version of the
// protocol had batches, and the next took them out; each call is to be counted, and to have its own idempotency key.
func message(body []byte) ([]byte, error) {
	refuse := func(why string) ([]byte, error) {
		return nil, httpdoor.Simple(http.StatusBadRequest, "invalid", why)
	}
	trimmed := bytes.TrimLeft(body, " \t\r\n")
	if len(trimmed) == 0 {
		return body, nil
	}
	var m struct {
		Version string         `json:"jsonrpc"`
		ID      any            `json:"id"`
		Method  string         `json:"method"`
		Params  map[string]any `json:"params"`
	}
	switch {
	case trimmed[0] == '[':
		return refuse("batches are not taken: send one message a request")
	case !json.Valid(body):
		return refuse("the body is not valid JSON")
	case json.Unmarshal(body, &m) != nil || m.Version != "2.0":
		return refuse(`the body is not a message of JSON-RPC 2.0: an object with jsonrpc "2.0", a method, and an object of params`)
	}
	switch m.ID.(type) {
	case nil, string, float64:
	default:
		return refuse("id: must be a text or a number")
	}
	for _, name := range []string{"name", "uri"} {
		if v, given := m.Params[name]; given {
			if _, text := v.(string); !text {
				return refuse("params." + name + ": must be a text")
			}
		}
	}
	return body, nil
}

// note notes what is asked for, as far as it is known by name.
func (s *server) note(x *exchange, body []byte) {
	var message struct {
		Method string `json:"method"`
		Params struct {
			Name string `json:"name"`
		} `json:"params"`
	}
	x.method = "other"
	if json.Unmarshal(body, &message) != nil || !methods[message.Method] {
		return
	}
	x.method = message.Method
	if _, ok := s.rows[message.Params.Name]; ok && x.method == "tools/call" {
		x.tool = message.Params.Name
	}
}

// methods is the closed set of what is told in the log and the metrics.
var methods = map[string]bool{
	"initialize": true, "notifications/initialized": true, "notifications/cancelled": true, "ping": true,
	"server/discover": true, "tools/list": true, "tools/call": true, "resources/list": true,
	"resources/templates/list": true, "resources/read": true, "prompts/list": true, "prompts/get": true,
	"subscriptions/listen": true, "logging/setLevel": true, "completion/complete": true,
}

// done counts and logs a request, whatever became of it.
func (s *server) done(ctx context.Context, x *exchange, w *writer) {
	crash := recover()
	if crash != nil && crash != http.ErrAbortHandler { //nolint:errorlint // the value that net/http defines for panics
		x.Crashed(ctx, crash)
		if w.status == 0 {
			httpdoor.ProblemOf(recaller.Internal).Write(w)
			crash = nil
		}
	}
	about := []slog.Attr{
		slog.String("route", x.route()), slog.String("mcp", x.method), slog.Int("status", w.status), slog.Int64("bytes", w.bytes),
	}
	if x.tool != "" {
		about = append(about, slog.String("tool", x.tool))
	}
	took := x.Done(ctx, x.fault || w.status >= http.StatusInternalServerError, about...)
	s.metrics.observe(x.method, w.status, took)
	if crash != nil {
		panic(http.ErrAbortHandler) // half an answer is out
	}
}

// writer notes what is answered.
type writer struct {
	http.ResponseWriter
	status int
	bytes  int64
}

// Unwrap lets http.ResponseController through.
func (w *writer) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// WriteHeader sends the status. Nobody on the way may keep the answer, whatever the SDK says of it.
func (w *writer) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
	w.Header().Set("Cache-Control", "no-store")
	w.ResponseWriter.WriteHeader(status)
}

// Write sends a part of the body.
func (w *writer) Write(p []byte) (int, error) {
	if w.status == 0 {
		w.WriteHeader(http.StatusOK)
	}
	n, err := w.ResponseWriter.Write(p)
	w.bytes += int64(n)
	return n, err
}

// Flush sends what is held back.
func (w *writer) Flush() { _ = http.NewResponseController(w.ResponseWriter).Flush() }

// around bounds what the SDK does for a request: in time, and in what a fault of ours may cost. The SDK runs each
// request on a goroutine of its own, where nobody else would take up a panic.
func (s *server) around(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (res mcp.Result, err error) {
		x := exchangeOf(ctx)
		if !x.begin() {
			return nil, errOver
		}
		defer x.running.Done()
		ctx, cancel := context.WithDeadline(ctx, x.deadline)
		defer cancel()
		if method == "subscriptions/listen" {
			x.Lasts(func(string) { cancel() })
		}
		defer func() {
			if crash := recover(); crash != nil {
				x.Crashed(ctx, crash, slog.String("mcp", x.method))
				x.fault = true
				res, err = nil, errFault
			}
		}()
		res, err = next(ctx, method, req)
		return s.shown(x, res), err
	}
}

var (
	errOver  = &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "the request is over"}
	errFault = &jsonrpc.Error{
		Code: jsonrpc.CodeInternalError, Message: "something went wrong here; the log knows more under this request's id",
	}
)
