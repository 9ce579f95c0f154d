// Package mcpserver is the door for models that speak the Model Context Protocol (spec H2, section 4): streamable HTTP
// with the official SDK, in its current and its older versions. It tells tools, resources and prompts, and carries calls
// of tools out by the use cases. Every request is admitted as one of the HTTP API is (admission): key, scope, rate,
// time, size, and a line in the log. It keeps no sessions, so a restart costs none, and any node may answer.
//
// A call that is wrong, or cannot be carried out, is answered by a tool's error, which the model reads; only what is no
// MCP is refused by HTTP. Errors name the field and never repeat what was sent.
//
// It has no rules: the use cases decide what is valid and what happens.
package mcpserver

import (
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/admission"
	"github.com/recallerhq/recaller/internal/briefing"
	"github.com/recallerhq/recaller/internal/conversation"
	"github.com/recallerhq/recaller/internal/forgotten"
	"github.com/recallerhq/recaller/internal/memory"
	"github.com/recallerhq/recaller/internal/recall"
	"github.com/recallerhq/recaller/internal/tool"
)

// Callers finds callers by number, by ext: and an id of the application's own, or by their id; *caller.Service does.
type Callers interface {
	Find(ctx context.Context, tenant recaller.TenantID, ref string) (recaller.Caller, error)
	// Introduce makes a caller of one whom nobody knows yet.
	Introduce(ctx context.Context, tenant recaller.TenantID, ref string) (recaller.Caller, error)
	// Identity reads a number or an id of the application's own, and asks nobody whose it is.
	Identity(ctx context.Context, tenant recaller.TenantID, ref string) (recaller.Identity, error)
}

// Checkpoints keeps the state of unfinished matters; *memory.Service does.
type Checkpoints interface {
	PutCheckpoint(
		ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, in memory.CheckpointInput,
	) (c recaller.Checkpoint, cleared bool, err error)
	Checkpoint(
		ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, trust recaller.Trust,
	) (recaller.Checkpoint, error)
}

// Conversations is the life of a conversation; *conversation.Service has it.
type Conversations interface {
	Start(ctx context.Context, tenant recaller.TenantID, in conversation.Start) (conversation.Started, error)
	AddTurns(
		ctx context.Context, tenant recaller.TenantID, ref string, once recaller.Once, in []conversation.TurnInput,
	) (turns []recaller.Turn, durable bool, err error)
	End(ctx context.Context, tenant recaller.TenantID, ref string, in conversation.End) (recaller.Conversation, error)
	Find(ctx context.Context, tenant recaller.TenantID, ref string) (recaller.Conversation, error)
	// IsWith reports whether a conversation that goes on is with whoever has an identity, and does not need the store.
	IsWith(tenant recaller.TenantID, conv recaller.ConversationID, who recaller.Identity) bool
	Timeline(
		ctx context.Context, tenant recaller.TenantID, who recaller.Caller, most int, trust recaller.Trust,
	) (conversation.Timeline, error)
	Withheld(
		ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, trust recaller.Trust,
	) (forgotten.View, error)
	Briefing(ctx context.Context, tenant recaller.TenantID, ref string, req briefing.Request) (recaller.Briefing, error)
}

// Briefer composes briefings; *briefing.Service does.
type Briefer interface {
	Briefing(
		ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, req briefing.Request,
	) (recaller.Briefing, error)
}

// Recaller searches one caller's words; *recall.Service does.
type Recaller interface {
	Recall(
		ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, q recall.Query,
	) (recall.Result, error)
}

// Tools carries out the tools of memories; *tool.Service does.
type Tools interface {
	Do(ctx context.Context, call tool.Call) (tool.Result, error)
}

// Tenants gives the settings of a tenant, defaults filled in.
type Tenants interface {
	Tenant(ctx context.Context, id recaller.TenantID) (recaller.Tenant, error)
	// Protected says what clients need for an access token. NotFound where a tenant takes none, or there is no tenant.
	Protected(ctx context.Context, id recaller.TenantID) (recaller.Protected, error)
}

// Deps are what the door serves; all are required.
type Deps struct {
	Gate          *admission.Gate
	Callers       Callers
	Checkpoints   Checkpoints
	Conversations Conversations
	Briefer       Briefer
	Recall        Recaller
	Documents     Documents
	Tools         Tools
	Tenants       Tenants
	Registerer    prometheus.Registerer
}

// Options are the settings; the zero value means the defaults.
type Options struct {
	Version string         // of the program
	MaxBody int64          // bytes of a request's body; 0: DefaultMaxBody
	Proxies []netip.Prefix // whose X-Forwarded-For says who asks
	Host    string         // by which clients reach the server, where a proxy on this machine passes it on; empty: not told
}

// DefaultMaxBody is the default of Options.MaxBody.
const DefaultMaxBody = 1 << 20

// limit is how long a request may take. What it waits for has shorter limits of its own.
const limit = 30 * time.Second

// server is the door at work.
type server struct {
	Deps
	opts    Options
	op      admission.Operation
	told    admission.Operation // of what everybody may know
	rows    map[string]row
	metrics *metrics
	handler http.Handler
}

// New returns the handler of the door. Mount it at Path and at WellKnown.
func New(deps Deps, opts Options) (http.Handler, error) {
	if opts.MaxBody <= 0 {
		opts.MaxBody = DefaultMaxBody
	}
	m, err := newMetrics(deps.Registerer)
	if err != nil {
		return nil, err
	}
	s := &server{Deps: deps, opts: opts, metrics: m, rows: map[string]row{}}
	// The key of least right may ask what there is; each tool says what it needs beyond that.
	s.op = admission.Operation{Name: "mcp", Scope: recaller.ScopeRead, Limit: limit, MaxBody: opts.MaxBody}
	s.told = admission.Operation{Name: "mcp-metadata", Slots: admission.Cap(maxTold, "too many ask for this at once"), Quiet: true}
	offered, err := s.offered()
	if err != nil {
		return nil, err
	}
	s.handler = mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return offered },
		&mcp.StreamableHTTPOptions{
			Stateless: true, JSONResponse: plain, Logger: slog.New(slog.DiscardHandler),
			MaxRequestBodyBytes: opts.MaxBody, PropagateRequestCancellation: true,
		})
	return s, nil
}

// offered returns the server of the SDK with all that the door offers.
func (s *server) offered() (*mcp.Server, error) {
	o := options()
	o.Instructions, o.Logger = instructions, slog.New(slog.DiscardHandler)
	// What is answered is one tenant's, and mostly one caller's.
	o.SetCacheable = func(_ context.Context, _ mcp.Request, c *mcp.Cacheable) { c.TTLMs, c.CacheScope = 0, "private" }
	out := mcp.NewServer(&mcp.Implementation{
		Name: "recaller", Title: "Recaller: the memory of agents that talk to people", Version: s.opts.Version,
	}, &o)
	if err := s.addTools(out); err != nil {
		return nil, err
	}
	s.addResources(out)
	addPrompts(out)
	fixtures(out)
	out.AddReceivingMiddleware(s.around)
	return out, nil
}
