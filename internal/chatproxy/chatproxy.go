// Package chatproxy is the door for agents that speak OpenAI's chat completions (spec B3) or Anthropic's messages: they get
// memory by changing their base URL. What knows of either is a wire, with a reader of its answers; all else is shared.
//
// It puts what is remembered of the user into the request, sends it on to the upstream, hands the answer
// through as it comes, takes the tags of the reply out of it, and keeps the exchange in the user's thread.
//
// What it does not have to change goes through byte for byte. Where memory is away, or too slow, the request goes through
// untouched. Requests go on to the upstream that their tenant has set, or else to the server's; never to an address that
// a request names.
//
// It has no rules of memory: package thread opens threads, makes prompts, and carries out tags.
package chatproxy

import (
	"cmp"
	"context"
	"crypto/rand"
	"log/slog"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/admission"
	"github.com/recallerhq/recaller/internal/httpdoor"
	"github.com/recallerhq/recaller/internal/recall"
	"github.com/recallerhq/recaller/internal/thread"
)

// The paths that the door serves, with all below them: some platforms append the endpoint to a URL that has it already.
const (
	ChatPath     = "/v1/chat/completions"
	MessagesPath = "/v1/messages"
	ModelsPath   = "/v1/models"

	countPath = MessagesPath + "/count_tokens"
)

// Threads are the chats that never end; *thread.Service has them.
type Threads interface {
	Open(
		ctx context.Context, tenant recaller.TenantID, in thread.Opening,
	) (t recaller.Thread, who recaller.Caller, existing bool, err error)
	Prompt(ctx context.Context, tenant recaller.TenantID, ref string, in thread.Asking) (thread.Prompted, error)
	Reply(ctx context.Context, tenant recaller.TenantID, ref string, in thread.Replying) (thread.Replied, error)
	// Ahead reads ahead what the next prompt of a thread is made of.
	Ahead(ctx context.Context, tenant recaller.TenantID, ref string) error
}

// Recaller searches one caller's words; *recall.Service does.
type Recaller interface {
	Recall(
		ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, q recall.Query,
	) (recall.Result, error)
}

// Upstreams knows the upstreams that tenants have set; *tenant.Service does.
type Upstreams interface {
	Upstream(ctx context.Context, tenant recaller.TenantID) (recaller.Upstream, error)
}

// Deps are what the door works with; all are required.
type Deps struct {
	Gate       *admission.Gate
	Threads    Threads
	Recall     Recaller
	Upstreams  Upstreams
	Log        *slog.Logger
	Registerer prometheus.Registerer
	Now        func() time.Time
}

// Options are the settings; the zero value means the defaults.
type Options struct {
	Upstream recaller.Upstream // of tenants that have none of their own
	Deadline time.Duration     // for what is remembered; after it a request goes without. 0: DefaultDeadline
	MaxBody  int64             // bytes of a request's body; 0: DefaultMaxBody
	Proxies  []netip.Prefix    // whose X-Forwarded-For says who asks
	Client   http.RoundTripper // to the server's upstream; nil: one of its own
	Chosen   *http.Transport   // to those of tenants, which must not reach what is the operator's; required
	Settle   time.Duration     // how long half a reply waits for the results of the client's tools; 0: DefaultSettle
	Again    time.Duration     // before an exchange that the store did not take is tried again; then twice as long. 0: DefaultAgain
}

// The defaults of Options.
const (
	DefaultDeadline = 250 * time.Millisecond
	DefaultMaxBody  = 32 << 20
	DefaultSettle   = 2 * time.Minute
	DefaultAgain    = time.Second
)

const (
	limit       = 10 * time.Minute // of one request: long answers of slow models
	bodyLimit   = time.Minute      // for the request's body to come
	maxAtOnce   = 4096             // requests at once
	bodyBudget  = 8                // bodies of the largest size that may be in memory at once, with answers that are held
	leastBudget = 4 * maxWhole     // bytes
)

// Server is the door at work. Safe for concurrent use.
type Server struct {
	Deps
	opts    Options
	chat    admission.Operation
	said    admission.Operation // of Anthropic's wire
	models  admission.Operation
	client  *http.Client // to the server's upstream
	chosen  *http.Client // to those of tenants
	self    string       // by which a request that comes back is known
	metrics *metrics
	repeats *repeats
	unended *unended
	order   *order
}

// New returns the handler of the door. Mount it at ChatPath, MessagesPath and ModelsPath, and all below them.
func New(deps Deps, opts Options) (*Server, error) {
	opts.Deadline = cmp.Or(opts.Deadline, DefaultDeadline)
	opts.MaxBody = cmp.Or(opts.MaxBody, DefaultMaxBody)
	opts.Again = cmp.Or(opts.Again, DefaultAgain)
	opts.Settle = cmp.Or(opts.Settle, DefaultSettle)
	opts.Upstream.BaseURL = strings.TrimRight(opts.Upstream.BaseURL, "/")
	m, err := newMetrics(deps.Registerer)
	if err != nil {
		return nil, err
	}
	s := &Server{
		Deps: deps, opts: opts, metrics: m, client: clientOf(opts.Client), chosen: chosenOf(opts.Chosen),
		self: "recaller-" + strings.ToLower(rand.Text()[:12]), repeats: newRepeats(), unended: newUnended(), order: newOrder(),
	}
	const full = "too many requests are under way; try again later"
	s.chat = admission.Operation{
		Name: "chat-completions", Scope: recaller.ScopeAgent, Limit: limit, MaxBody: opts.MaxBody,
		Bodies: admission.Bytes(max(leastBudget, bodyBudget*opts.MaxBody), full), Slots: admission.Cap(maxAtOnce, full),
	}
	s.said = s.chat // with the same slots and bodies
	s.said.Name = "messages"
	s.models = admission.Operation{Name: "list-models", Scope: recaller.ScopeAgent}
	return s, nil
}

// exchange is one request with its answer.
type exchange struct {
	admission.Exchange
	wire   wire
	memory string // one of the statuses
	method string // from a closed set
	route  string
}

// What became of memory, in a header and in the metrics.
const (
	statusHeader   = "X-Memory-Status"
	statusApplied  = "applied"
	statusNone     = "none"     // the request names nobody
	statusDegraded = "degraded" // it could not be read in time: the request went through untouched
)

// ServeHTTP carries out one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x := &exchange{
		wire: wireOf(r), memory: statusNone, Exchange: s.Gate.Open(r.Header.Get("X-Request-Id"), httpdoor.From(r, s.opts.Proxies)),
	}
	out := &writer{ResponseWriter: w}
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("X-Recaller-Request-Id", x.ID)
	defer s.done(r.Context(), x, out)
	if err := s.serve(x, r, out); err != nil {
		x.Fail(err)
		failed(out, x.wire, err)
	}
}

// wireOf returns how a request, and its answer, is written. Models have one path for all.
func wireOf(r *http.Request) wire {
	if strings.HasPrefix(r.URL.Path, MessagesPath) || r.Header.Get("Anthropic-Version") != "" && strings.HasPrefix(r.URL.Path, ModelsPath) {
		return messages{}
	}
	return chat{}
}

func (s *Server) serve(x *exchange, r *http.Request, w *writer) error {
	carryOut := s.complete
	x.method = http.MethodPost
	switch path := r.URL.Path; {
	case strings.HasPrefix(path, ChatPath):
		x.route = ChatPath
	case path == MessagesPath:
		x.route = MessagesPath
	case path == countPath:
		x.route, carryOut = countPath, s.count
	case strings.HasPrefix(path, ModelsPath):
		x.method, x.route, carryOut = http.MethodGet, ModelsPath, s.listModels
	default:
		return httpdoor.Simple(http.StatusNotFound, "not_found", "the proxy serves messages, and the count of their tokens")
	}
	if r.Method != x.method {
		w.Header().Set("Allow", x.method)
		return httpdoor.Simple(http.StatusMethodNotAllowed, "method_not_allowed", "this path takes "+x.method+" only")
	}
	return carryOut(x, r, w)
}

// listModels passes the upstream's models on.
func (s *Server) listModels(x *exchange, r *http.Request, w *writer) error {
	ctx, k, to, err := s.admit(x, r, &s.models)
	if err != nil {
		return err
	}
	res, err := s.send(ctx, x, r, to, k, http.MethodGet, strings.TrimPrefix(r.URL.Path, "/v1"), nil)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	return passOn(w, res)
}

// admit lets a request in, and finds where it goes on to.
func (s *Server) admit(x *exchange, r *http.Request, op *admission.Operation) (context.Context, keys, upstream, error) {
	k := x.wire.keys(r.Header)
	ctx, err := x.Admit(r.Context(), k.ours, op)
	if err != nil {
		return ctx, k, upstream{}, err
	}
	to, err := s.upstream(ctx, x.Tenant, r)
	return ctx, k, to, err
}

// operation returns what is asked for.
func (s *Server) operation(x *exchange) *admission.Operation {
	if x.wire == (messages{}) {
		return &s.said
	}
	return &s.chat
}

// count passes on the question how many tokens a request has; memory is not counted.
func (s *Server) count(x *exchange, r *http.Request, w *writer) error {
	ctx, k, to, err := s.admit(x, r, s.operation(x))
	if err != nil {
		return err
	}
	body, err := s.body(x, r, w)
	if err != nil {
		return err
	}
	res, err := s.send(ctx, x, r, to, k, http.MethodPost, strings.TrimPrefix(countPath, "/v1"), parse(x.wire, body).onward(to.Model).body)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	return passOn(w, res)
}

// done counts and logs a request, whatever became of it.
func (s *Server) done(ctx context.Context, x *exchange, w *writer) {
	crash := recover()
	if crash != nil && crash != http.ErrAbortHandler { //nolint:errorlint // the value that net/http defines for panics
		x.Crashed(ctx, crash)
		if w.status == 0 {
			failed(w, x.wire, recaller.Internal)
			crash = nil
		}
	}
	took := x.Done(ctx, w.ours && w.status >= http.StatusInternalServerError,
		slog.String("method", x.method), slog.String("route", x.route), slog.String("memory", x.memory), slog.Int("status", w.status), slog.Int64("bytes", w.bytes))
	s.metrics.observe(x.memory, w.status, took)
	if crash != nil {
		panic(http.ErrAbortHandler) // half an answer is out
	}
}
