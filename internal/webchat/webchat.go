// Package webchat is the door for visitors of web pages (spec P17, docs/web-chat.md): a socket, and for those who cannot use
// one a stream of events with posts, over which a visitor and a tenant's agent write to one another. What a visitor writes is
// kept before it is acknowledged; then the built-in agent answers, piece by piece, or nobody does and the application answers
// over the API.
//
// Who may come in: browsers on pages whose origin the tenant lists. Who it is: whoever a visitor's token says (tenant,
// visitor). All sockets and streams of one visitor are one talk: what is said goes to all of them, and one that comes back gets
// what it missed, because what was said is a conversation whose turns are numbered.
//
// A talk (talk.go) is the state of one visitor. Its lock is held for moments, never over I/O: whoever listens has a queue, and
// is dropped where it is full. Messages of one visitor are kept one after another (talk.writing). An answer in the making
// belongs to the talk and not to a socket: it goes on while the visitor reloads the page.
//
// It has no rules of memory. It logs nothing that anybody said, and no token.
package webchat

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/admission"
	"github.com/recallerhq/recaller/internal/agent"
	"github.com/recallerhq/recaller/internal/conversation"
	"github.com/recallerhq/recaller/internal/events"
)

// Path is that of the door; a tenant's chat is at Path/{tenant}.
const Path = "/chat"

// Tenants gives the settings of a tenant, and knows its visitors; *tenant.Service does.
type Tenants interface {
	Tenant(ctx context.Context, id recaller.TenantID) (recaller.Tenant, error)
	// NewVisitor makes the token of a visitor whom nobody knows.
	NewVisitor(t recaller.Tenant) (token string, v recaller.Visitor)
	// Visitor returns whose token it is, and where it should be replaced the one that is good for longer.
	Visitor(t recaller.Tenant, token string) (v recaller.Visitor, renewed string, err error)
}

// Callers finds callers; *caller.Service does.
type Callers interface {
	ByExternalID(ctx context.Context, tenant recaller.TenantID, id string) (recaller.Caller, error)
}

// Conversations are what is said; *conversation.Service has them.
type Conversations interface {
	agent.Briefings
	Start(ctx context.Context, tenant recaller.TenantID, in conversation.Start) (conversation.Started, error)
	AddTurns(
		ctx context.Context, tenant recaller.TenantID, ref string, once recaller.Once, in []conversation.TurnInput,
	) (turns []recaller.Turn, durable bool, err error)
	End(ctx context.Context, tenant recaller.TenantID, ref string, in conversation.End) (recaller.Conversation, error)
	Find(ctx context.Context, tenant recaller.TenantID, ref string) (recaller.Conversation, error)
	List(
		ctx context.Context, tenant recaller.TenantID, f recaller.ConversationFilter,
	) ([]recaller.Conversation, string, error)
	Get(ctx context.Context, tenant recaller.TenantID, ref string, withTurns bool) (conversation.Record, error)
}

// Agent answers what a visitor wrote; *agent.Agent does.
type Agent interface {
	Answer(ctx context.Context, in agent.Asking, say func(piece string) error) (agent.Answer, error)
}

// Events tells what is added to a conversation by other doors; *events.Bus does.
type Events interface {
	Subscribe(
		tenant recaller.TenantID, conv recaller.ConversationID, with recaller.CallerID, last uint64,
	) (sub *events.Subscription, missed bool)
}

// Deps are what a Server needs; all but Agent are required.
type Deps struct {
	Gate          *admission.Gate
	Tenants       Tenants
	Callers       Callers
	Conversations Conversations
	Events        Events
	Agent         Agent // nil: there is no language model
	Log           *slog.Logger
	Registerer    prometheus.Registerer
	Now           func() time.Time
}

// Options are the bounds; zero values are the defaults.
type Options struct {
	PublicURL string         // by which browsers reach the server, without a slash at the end; empty: as they ask
	Proxies   []netip.Prefix // whose X-Forwarded-For says who asks

	Hello  time.Duration // how long a socket may take to say who it is; 5 s
	Ping   time.Duration // between two pings of a socket, and two comments of a stream; 20 s
	Pong   time.Duration // how long a pong may take; 10 s
	Send   time.Duration // how long a frame may take to go out; 5 s
	Linger time.Duration // how long a talk is remembered to which nobody listens; 10 min

	Strangers  int // sockets that have not said who they are; 256
	PerVisitor int // sockets and streams of one visitor; 5
	PerTenant  int // of one tenant; 2000
	Open       int // of all; 10 000

	// Messages a minute, and at once: of one visitor, 20 and 10; of one address, 120 and 60. Negative: no limit.
	VisitorRate, VisitorBurst int
	AddressRate, AddressBurst int
	// Hellos a minute, and at once, from one address: 60 and 60. Negative: no limit.
	HelloRate, HelloBurst int
}

func (o Options) withDefaults() Options {
	o.Hello = cmp.Or(o.Hello, 5*time.Second)
	o.Ping = cmp.Or(o.Ping, 20*time.Second)
	o.Pong = cmp.Or(o.Pong, 10*time.Second)
	o.Send = cmp.Or(o.Send, 5*time.Second)
	o.Linger = cmp.Or(o.Linger, 10*time.Minute)
	o.Strangers = cmp.Or(o.Strangers, 256)
	o.PerVisitor = cmp.Or(o.PerVisitor, 5)
	o.PerTenant = cmp.Or(o.PerTenant, 2000)
	o.Open = cmp.Or(o.Open, 10_000)
	o.VisitorRate, o.VisitorBurst = cmp.Or(o.VisitorRate, 20), cmp.Or(o.VisitorBurst, 10)
	o.AddressRate, o.AddressBurst = cmp.Or(o.AddressRate, 120), cmp.Or(o.AddressBurst, 60)
	o.HelloRate, o.HelloBurst = cmp.Or(o.HelloRate, 60), cmp.Or(o.HelloBurst, 60)
	return o
}

// Server is the door at work. Safe for concurrent use.
type Server struct {
	Deps
	opts      Options
	ops       operations
	metrics   *metrics
	seats     *seats
	strangers chan struct{} // has one for each socket that has not said who it is
	lookups   chan struct{} // has one for each question for a tenant
	hellos    *admission.Rates[netip.Prefix]
	addresses *admission.Rates[netip.Prefix]
	visitors  *admission.Rates[who]
	pages     *pages

	ctx  context.Context //nolint:containedctx // of the answers in the making: they are nobody's request
	stop context.CancelFunc
	busy busy

	mu    sync.Mutex // guards what follows; a talk's lock may be taken with it held, and not the other way round
	talks map[who]*talk
}

// busy is what works beside the requests: answers, and what follows conversations.
type busy struct {
	mu   sync.Mutex // guards over, so that nothing begins once somebody waits; no other lock is taken with it held
	over bool
	wait sync.WaitGroup
}

// who is a visitor of a tenant.
type who struct {
	tenant recaller.TenantID
	id     string // the caller's external id
}

// New returns the handler of the door. Mount it at Path, and all below it.
func New(deps Deps, opts Options) (*Server, error) {
	m, err := newMetrics(deps.Registerer)
	if err != nil {
		return nil, err
	}
	p, err := newPages()
	if err != nil {
		return nil, err
	}
	opts = opts.withDefaults()
	s := &Server{
		Deps: deps, opts: opts, ops: newOperations(), metrics: m, pages: p, talks: map[who]*talk{},
		seats:     newSeats(opts.Open, opts.PerTenant, opts.PerVisitor),
		strangers: make(chan struct{}, opts.Strangers), lookups: make(chan struct{}, maxLookups),
		hellos:    admission.NewRates[netip.Prefix](aMinute(opts.HelloRate), opts.HelloBurst),
		addresses: admission.NewRates[netip.Prefix](aMinute(opts.AddressRate), opts.AddressBurst),
		visitors:  admission.NewRates[who](aMinute(opts.VisitorRate), opts.VisitorBurst),
	}
	s.ctx, s.stop = context.WithCancel(context.Background())
	return s, deps.Registerer.Register(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "recaller_web_chat_talks", Help: "Visitors whose chat is remembered in this process.",
	}, s.count))
}

func aMinute(n int) float64 { return float64(n) / time.Minute.Seconds() }

// Settle ends the answers in the making, has what was said of them kept, and waits for that until ctx ends. Sockets and streams
// are ended by the gate.
func (s *Server) Settle(ctx context.Context) {
	s.busy.mu.Lock()
	s.busy.over = true
	s.busy.mu.Unlock()
	s.stop()
	done := make(chan struct{})
	go func() { s.busy.wait.Wait(); close(done) }()
	select {
	case <-done:
	case <-ctx.Done():
	}
}

// work runs something beside the requests; false: the server stops.
func (s *Server) work(fn func()) bool {
	s.busy.mu.Lock()
	defer s.busy.mu.Unlock()
	if s.busy.over {
		return false
	}
	s.busy.wait.Go(fn)
	return true
}

var _ http.Handler = (*Server)(nil)

// count counts the talks that are remembered.
func (s *Server) count() float64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return float64(len(s.talks))
}
