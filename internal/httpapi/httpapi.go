// Package httpapi is the HTTP edge: it turns requests into use cases and their answers into JSON (spec section 4). It
// declares its operations to package admission, which lets requests in. It describes itself in OpenAPI 3.1. Every
// failure becomes problem details (RFC 9457), which name the field at fault and never repeat what was sent. The wire
// types are those of package client.
//
// It holds no rules: the use cases decide what is valid and what happens. It keeps nothing between two requests.
package httpapi

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"reflect"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/semaphore"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/admission"
	"github.com/recallerhq/recaller/internal/briefing"
	"github.com/recallerhq/recaller/internal/conversation"
	"github.com/recallerhq/recaller/internal/events"
	"github.com/recallerhq/recaller/internal/memory"
	"github.com/recallerhq/recaller/internal/privacy"
	"github.com/recallerhq/recaller/internal/recall"
	"github.com/recallerhq/recaller/internal/tenant"
	"github.com/recallerhq/recaller/internal/thread"
	"github.com/recallerhq/recaller/internal/tool"
)

// Conversations is the life of a conversation; *conversation.Service has it.
type Conversations interface {
	Start(ctx context.Context, tenant recaller.TenantID, in conversation.Start) (conversation.Started, error)
	Import(ctx context.Context, tenant recaller.TenantID, in conversation.Import) (conversation.Imported, error)
	CheckImport(ctx context.Context, tenant recaller.TenantID, in conversation.Import) (conversation.Imported, error)
	AddTurns(
		ctx context.Context, tenant recaller.TenantID, ref string, once recaller.Once, in []conversation.TurnInput,
	) (turns []recaller.Turn, durable bool, err error)
	Verify(ctx context.Context, tenant recaller.TenantID, ref string) (recaller.Conversation, error)
	SomeoneElse(
		ctx context.Context, tenant recaller.TenantID, ref string, in recaller.Speaking,
	) (recaller.Handed, error)
	End(ctx context.Context, tenant recaller.TenantID, ref string, in conversation.End) (recaller.Conversation, error)
	Get(ctx context.Context, tenant recaller.TenantID, ref string, withTurns bool) (conversation.Record, error)
	GetAll(ctx context.Context, tenant recaller.TenantID, ref string, withTurns bool) (conversation.Record, error)
	GetLong(
		ctx context.Context, tenant recaller.TenantID, ref string, all bool,
	) (conversation.Record, conversation.Ranged, error)
	Find(ctx context.Context, tenant recaller.TenantID, ref string) (recaller.Conversation, error)
	List(
		ctx context.Context, tenant recaller.TenantID, f recaller.ConversationFilter,
	) ([]recaller.Conversation, string, error)
	ListAll(
		ctx context.Context, tenant recaller.TenantID, f recaller.ConversationFilter,
	) ([]recaller.Conversation, string, error)
	Briefing(ctx context.Context, tenant recaller.TenantID, ref string, req briefing.Request) (recaller.Briefing, error)
}

// Callers finds and sets callers; *caller.Service has it.
type Callers interface {
	Get(ctx context.Context, tenant recaller.TenantID, id recaller.CallerID) (recaller.Caller, error)
	// Find takes an id, a number, or ext: and an external id; Introduce makes a caller of one that nobody has.
	Find(ctx context.Context, tenant recaller.TenantID, ref string) (recaller.Caller, error)
	Introduce(ctx context.Context, tenant recaller.TenantID, ref string) (recaller.Caller, error)
	ByPhone(ctx context.Context, tenant recaller.TenantID, raw string) (recaller.Caller, error)
	ByExternalID(ctx context.Context, tenant recaller.TenantID, raw string) (recaller.Caller, error)
	List(ctx context.Context, tenant recaller.TenantID, page recaller.Page) ([]recaller.Caller, string, error)
	Update(
		ctx context.Context, tenant recaller.TenantID, id recaller.CallerID, p recaller.CallerPatch,
	) (recaller.Caller, error)
	// SetPIN sets the PIN by which a caller proves who it is; ClearPIN takes it away.
	SetPIN(ctx context.Context, tenant recaller.TenantID, id recaller.CallerID, pin string) (recaller.Caller, error)
	ClearPIN(ctx context.Context, tenant recaller.TenantID, id recaller.CallerID) error
	// Merge makes all that is from's to's; Split makes conversations a new caller's. Undo takes either back.
	Merge(
		ctx context.Context, tenant recaller.TenantID, once recaller.Once, from, to recaller.CallerID,
	) (recaller.Moved, error)
	Split(
		ctx context.Context, tenant recaller.TenantID, once recaller.Once, from recaller.CallerID, name string,
		talks []recaller.ConversationID,
	) (recaller.Moved, error)
	Undo(ctx context.Context, tenant recaller.TenantID, id recaller.MoveID) (recaller.Moved, error)
	Moves(ctx context.Context, tenant recaller.TenantID, id recaller.CallerID) ([]recaller.Move, error)
	Release(
		ctx context.Context, tenant recaller.TenantID, id recaller.CallerID, phone string,
	) (recaller.Caller, error)
}

// Memories keeps memories and checkpoints; *memory.Service has it.
type Memories interface {
	Store(
		ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, once recaller.Once, in memory.Input,
	) (recaller.MemoryWritten, error)
	Update(
		ctx context.Context, tenant recaller.TenantID, id recaller.MemoryID, p recaller.MemoryPatch,
	) (recaller.MemoryWritten, error)
	Change(
		ctx context.Context, tenant recaller.TenantID, id recaller.MemoryID, c memory.Change,
	) (recaller.MemoryWritten, error)
	Undo(
		ctx context.Context, tenant recaller.TenantID, id recaller.MemoryID, version int,
	) (recaller.MemoryWritten, error)
	Forget(ctx context.Context, tenant recaller.TenantID, id recaller.MemoryID) (recaller.MemoryWritten, error)
	List(
		ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, f recaller.MemoryFilter,
	) ([]recaller.Memory, string, error)
	History(ctx context.Context, tenant recaller.TenantID, id recaller.MemoryID) ([]recaller.Memory, error)
	PutCheckpoint(
		ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, in memory.CheckpointInput,
	) (c recaller.Checkpoint, cleared bool, err error)
	Checkpoint(
		ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, trust recaller.Trust,
	) (recaller.Checkpoint, error)
	CheckpointHistory(
		ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID,
	) ([]recaller.CheckpointState, error)
	DeleteCheckpoint(ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID) error
}

// Threads keeps chats that never end; *thread.Service has it.
type Threads interface {
	Open(
		ctx context.Context, tenant recaller.TenantID, in thread.Opening,
	) (t recaller.Thread, who recaller.Caller, existing bool, err error)
	Get(ctx context.Context, tenant recaller.TenantID, ref string) (recaller.Thread, error)
	List(
		ctx context.Context, tenant recaller.TenantID, f recaller.ThreadFilter,
	) (list []recaller.Thread, next string, err error)
	Update(ctx context.Context, tenant recaller.TenantID, ref string, c thread.Change) (recaller.Thread, error)
	Messages(ctx context.Context, tenant recaller.TenantID, ref string, most int) ([]briefing.Said, error)
	Prompt(ctx context.Context, tenant recaller.TenantID, ref string, in thread.Asking) (thread.Prompted, error)
	Reply(ctx context.Context, tenant recaller.TenantID, ref string, in thread.Replying) (thread.Replied, error)
}

// Privacy exports and erases callers; *privacy.Service has it.
type Privacy interface {
	Export(ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID) (privacy.Export, error)
	Erase(ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID) (recaller.Receipt, error)
	CheckReceipt(ctx context.Context, r recaller.Receipt) (privacy.Check, error)
}

// Tenants keeps tenants and their keys; *tenant.Service has it.
type Tenants interface {
	Tenant(ctx context.Context, id recaller.TenantID) (recaller.Tenant, error)
	List(ctx context.Context, environment string, page recaller.Page) ([]recaller.Tenant, string, error)
	Create(ctx context.Context, t recaller.Tenant) (recaller.Tenant, string, error)
	Update(ctx context.Context, id recaller.TenantID, change func(*recaller.Tenant) error) (recaller.Tenant, error)
	CreateKey(
		ctx context.Context, tenant recaller.TenantID, scope recaller.Scope, label string,
	) (recaller.APIKey, string, error)
	Keys(ctx context.Context, tenant recaller.TenantID) ([]recaller.APIKey, error)
	DeleteKey(ctx context.Context, tenant recaller.TenantID, id recaller.KeyID) error
}

// Personas keeps the versions of a tenant's persona; *tenant.Service has them.
type Personas interface {
	Persona(ctx context.Context, tenant recaller.TenantID) (recaller.Persona, error)
	SetPersona(ctx context.Context, tenant recaller.TenantID, text, label string) (recaller.Persona, error)
	ActivatePersona(ctx context.Context, tenant recaller.TenantID, version int) (recaller.Persona, error)
	Personas(
		ctx context.Context, tenant recaller.TenantID, page recaller.Page,
	) (list []recaller.Persona, next string, err error)
	// Resolve returns the text that was chosen, that of a version, or the active one.
	Resolve(
		ctx context.Context, tenant recaller.TenantID, choice recaller.PersonaChoice,
	) (text string, version int, err error)
}

// Tools carries out what a live agent's model calls, and keeps the record of it; *tool.Service has it.
type Tools interface {
	Do(ctx context.Context, call tool.Call) (tool.Result, error)
	Calls(ctx context.Context, tenant recaller.TenantID, conv recaller.ConversationID) ([]recaller.ToolCall, error)
}

// Reminders lists reminders and settles them by hand; *reminder.Service has it.
type Reminders interface {
	List(ctx context.Context, tenant recaller.TenantID, f recaller.ReminderFilter) ([]recaller.Reminder, string, error)
	Cancel(ctx context.Context, tenant recaller.TenantID, id recaller.ReminderID) (recaller.Reminder, error)
	Retry(ctx context.Context, tenant recaller.TenantID, id recaller.ReminderID) (recaller.Reminder, error)
}

// Webhooks keeps where a tenant is told what happens; *tenant.Service has it.
type Webhooks interface {
	Webhook(ctx context.Context, tenant recaller.TenantID) (recaller.Webhook, error)
	SetWebhook(ctx context.Context, tenant recaller.TenantID, in tenant.WebhookInput) (recaller.Webhook, error)
	RotateWebhookSecret(
		ctx context.Context, tenant recaller.TenantID, secret string, overlap time.Duration,
	) (recaller.Webhook, error)
	DeleteWebhook(ctx context.Context, tenant recaller.TenantID) error
}

// Issuers keeps whose access tokens a tenant takes over MCP; *tenant.Service does.
type Issuers interface {
	OAuth(ctx context.Context, tenant recaller.TenantID) (recaller.OAuth, error)
	SetOAuth(ctx context.Context, tenant recaller.TenantID, o recaller.OAuth) (recaller.OAuth, error)
	DeleteOAuth(ctx context.Context, tenant recaller.TenantID) error
	IssuerReady(ctx context.Context, issuer string) bool
	Protected(ctx context.Context, tenant recaller.TenantID) (recaller.Protected, error)
}

// Upstreams keeps where a tenant's requests through the proxy go on to; *tenant.Service has it.
type Upstreams interface {
	Upstream(ctx context.Context, tenant recaller.TenantID) (recaller.Upstream, error)
	SetUpstream(
		ctx context.Context, tenant recaller.TenantID, u recaller.Upstream, key *string,
	) (recaller.Upstream, error)
	DeleteUpstream(ctx context.Context, tenant recaller.TenantID) error
}

// Packs keeps a tenant's own keyword packs; *tenant.Service has it.
type Packs interface {
	PackList(ctx context.Context, tenant recaller.TenantID) ([]tenant.PackInfo, error)
	Pack(ctx context.Context, tenant recaller.TenantID, name string) ([]byte, error)
	PutPack(ctx context.Context, tenant recaller.TenantID, name string, raw []byte) error
	DeletePack(ctx context.Context, tenant recaller.TenantID, name string) error
}

// Recaller searches one caller's words; *recall.Service has it.
type Recaller interface {
	Recall(
		ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, q recall.Query,
	) (recall.Result, error)
}

// Briefer composes briefings; *briefing.Service has it.
type Briefer interface {
	Briefing(
		ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, req briefing.Request,
	) (recaller.Briefing, error)
	Agreements(
		ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, asOf time.Time,
	) ([]recaller.Agreement, error)
	// Stranger is the briefing of somebody who was never there.
	Stranger(t recaller.Tenant, req briefing.Request) (recaller.Briefing, error)
}

// Events tells listeners what changes; *events.Bus has it.
type Events interface {
	Subscribe(
		tenant recaller.TenantID, conv recaller.ConversationID, caller recaller.CallerID, last uint64,
	) (sub *events.Subscription, missed bool)
	SubscribeTenant(tenant recaller.TenantID, last uint64) (sub *events.Subscription, missed bool)
}

// Deps are what the edge serves; all are required.
type Deps struct {
	Gate          *admission.Gate
	Conversations Conversations
	Callers       Callers
	Memories      Memories
	Threads       Threads
	Documents     Documents
	Tools         Tools
	Reminders     Reminders
	Webhooks      Webhooks
	Visitors      Visitors
	Deliveries    Deliveries
	Issuers       Issuers
	Upstreams     Upstreams
	Packs         Packs
	Privacy       Privacy
	Tenants       Tenants
	Recall        Recaller
	Search        Searcher
	Briefer       Briefer
	Personas      Personas
	Events        Events
	Encryption    Encrypter
	Ready         func(context.Context) error // nil: the server can serve
	Log           *slog.Logger
	Registerer    prometheus.Registerer
}

// Options are the settings; the zero value means the defaults.
type Options struct {
	Version    string              // of the program, for the description
	PublicURL  string              // what the description names as the server; empty: none
	Gatherer   prometheus.Gatherer // serves /metrics, with a key of the tenant default; nil: not served here
	MaxBody    int64               // bytes of a request's body; 0: DefaultMaxBody
	MaxImport  int64               // bytes of an import's body; 0: DefaultMaxImport
	Spool      string              // the folder where large bodies lie, encrypted, while they are read; empty: the system's
	Heartbeat  time.Duration       // between the heartbeats of an event stream; 0: DefaultHeartbeat
	MaxStreams int                 // event streams at once; 0: DefaultMaxStreams
	Proxies    []netip.Prefix      // whose X-Forwarded-For says who asks
	Now        func() time.Time    // nil: time.Now
}

// The defaults of Options.
const (
	DefaultMaxBody    = 1 << 20
	DefaultMaxImport  = 32 << 20
	DefaultHeartbeat  = 15 * time.Second
	DefaultMaxStreams = 1000
)

func (o Options) withDefaults() Options {
	def := func(v *int64, d int64) {
		if *v <= 0 {
			*v = d
		}
	}
	def(&o.MaxBody, DefaultMaxBody)
	def(&o.MaxImport, DefaultMaxImport)
	if o.Heartbeat <= 0 {
		o.Heartbeat = DefaultHeartbeat
	}
	if o.MaxStreams <= 0 {
		o.MaxStreams = DefaultMaxStreams
	}
	if o.Version == "" {
		o.Version = "dev"
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return o
}

// server is the edge at work.
type server struct {
	Deps
	opts         Options
	mux          *recorder
	api          huma.API
	metrics      *metrics
	operations   map[string]*admission.Operation
	imports      *admission.Slots
	importing    *semaphore.Weighted           // room for the conversations that are read and carried out
	faults       map[reflect.Type]*huma.Schema // of the bodies that handlers decode
	faultSchemas huma.Registry                 // what faults refer to
	required     map[recaller.Tool][]string    // arguments that a tool requires, in snake_case
}

// New returns the handler of the whole API. Mount it at the root, because it names its own paths.
func New(deps Deps, opts Options) (http.Handler, error) {
	s, err := newServer(deps, opts)
	if err != nil {
		return nil, err
	}
	return s, nil
}

func newServer(deps Deps, opts Options) (*server, error) {
	opts = opts.withDefaults()
	m, err := newMetrics(deps.Registerer)
	if err != nil {
		return nil, err
	}
	s := &server{
		Deps: deps, opts: opts, mux: &recorder{mux: http.NewServeMux()}, metrics: m,
		operations: operations(opts), imports: admission.Queue(maxImports, importsAtWork),
		importing: semaphore.NewWeighted(maxImported),
	}
	s.api = humago.New(s.mux, s.config())
	s.api.UseMiddleware(s.admit)
	s.conversationRoutes()
	s.searchRoutes()
	s.turnRoute()
	s.importRoute()
	s.callerRoutes()
	s.briefingRoutes()
	s.agreementRoute()
	s.recallRoute()
	s.receiptRoutes()
	s.memoryRoutes()
	s.checkpointRoutes()
	s.threadRoutes()
	if err := s.toolRoutes(); err != nil {
		return nil, err
	}
	s.reminderRoutes()
	s.documentRoutes()
	s.webhookRoutes()
	s.webChatRoutes()
	s.tenantEventRoute()
	s.personaRoutes()
	s.oauthRoutes()
	s.upstreamRoutes()
	s.tenantRoutes()
	s.keyRoutes()
	s.packRoutes()
	s.promptRoutes()
	s.encryptionRoutes()
	s.operateRoutes()
	if err := s.describe(); err != nil {
		return nil, fmt.Errorf("describe the API: %w", err)
	}
	s.learnFaults()
	return s, nil
}

// recorder is the router. It remembers its patterns, so that a test can compare them with the description.
type recorder struct {
	mux      *http.ServeMux
	patterns []string
}

// HandleFunc adds a route.
func (r *recorder) HandleFunc(pattern string, handler func(http.ResponseWriter, *http.Request)) {
	r.patterns = append(r.patterns, pattern)
	r.mux.HandleFunc(pattern, handler)
}

// ServeHTTP routes a request.
func (r *recorder) ServeHTTP(w http.ResponseWriter, req *http.Request) { r.mux.ServeHTTP(w, req) }
