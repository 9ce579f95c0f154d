// Package conversation is the life of a conversation: start, turns, end, import, reading back, and recovery after a
// crash (spec H6, P9, P10, V1, V3; design decisions 3 and 4). It holds the live state of active conversations.
//
// While the store is away calls go on (spec section 5): what comes is held in memory, in order, answered as not
// durable, and written once when the store is back. What a process holds when it is killed is lost, which is what the
// answers said.
//
// Each conversation that this process leads is an entry of the ledger, in one state; all that can change it is in one
// table (state.go). What is not drawn is refused, and logged as a bug:
//
//	            opened            caught up
//	(opening) ─────────▶ (held) ────────────▶ (live) ◀──────────┐
//	    │                  │  ▲                │  │             │ goes on
//	    │ end held         │  └────────────────┘  │ idle        │
//	    │                  │    store away        └────────▶ (closing)
//	    │                  │ end held                           │
//	    └──▶ (ending) ◀────┘                                    │
//	            │ caught up                                     │
//	            ▼                closed                         │
//	         (ended) ◀──────────────── (live), (held), (closing)┘
//	            ▲  dropped: from every state
//
// In opening, held and ending the store is away, and in these something is held: it was answered, and waits for the
// store. In ending and ended nothing can be said any more.
//
// It is not for protocols (the edges), for SQL (store), for ranking (recall) or for what is written up afterwards
// (wrapup): it commits the words, closes the conversation, and leaves a job.
package conversation

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/briefing"
)

// Store is what this package asks of the store. Every write is one commit: when it returns without an error it
// survives kill -9.
type Store interface {
	OpenConversation(ctx context.Context, tenant recaller.TenantID, in recaller.Opening) (recaller.Opened, error)
	ImportConversation(ctx context.Context, tenant recaller.TenantID, in recaller.Importing) (recaller.Opened, error)
	AppendTurns(ctx context.Context, tenant recaller.TenantID, in recaller.Appending) (recaller.Appended, error)
	CloseConversation(ctx context.Context, tenant recaller.TenantID, in recaller.Closing) (recaller.Closed, error)
	// Conversation finds one by its id or its external id.
	Conversation(ctx context.Context, tenant recaller.TenantID, ref string) (recaller.Conversation, error)
	Conversations(ctx context.Context, tenant recaller.TenantID, f recaller.ConversationFilter) (list []recaller.Conversation, next string, err error)
	Turns(ctx context.Context, tenant recaller.TenantID, conv recaller.Conversation) ([]recaller.Turn, error)
	Steps(ctx context.Context, tenant recaller.TenantID, conv recaller.Conversation) ([]recaller.StepProgress, error)
	// Forgetful returns those of the callers of whom something is forgotten.
	Forgetful(ctx context.Context, tenant recaller.TenantID, callers []recaller.CallerID) ([]recaller.CallerID, error)
	// Forgotten returns every version of the memories that are forgotten.
	Forgotten(ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID) ([]recaller.Memory, error)
	TenantIDs(ctx context.Context) ([]recaller.TenantID, error)
}

// Tenants gives the settings of a tenant, defaults filled in.
type Tenants interface {
	Tenant(ctx context.Context, id recaller.TenantID) (recaller.Tenant, error)
}

// Archive keeps the words of conversations of tenants with the retention Archive: a sealed file each (V4).
type Archive interface {
	Append(ctx context.Context, tenant recaller.TenantID, conv recaller.Conversation, turns []recaller.Turn) error
	Turns(ctx context.Context, tenant recaller.TenantID, conv recaller.Conversation) ([]recaller.Turn, error)
}

// Briefer composes briefings.
type Briefer interface {
	Briefing(ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, req briefing.Request) (recaller.Briefing, error)
}

// Feed is told what changes, for all who keep a view of it. It must not block for longer than a moment.
type Feed interface {
	// Committed tells of every change after it was committed. A change without a version was committed with one that
	// nobody was told of, for the answer was lost.
	Committed(c recaller.Change)
	// Held tells of turns that are answered while the store is away, before Committed tells that they are stored. The
	// change has no version.
	Held(c recaller.Change)
	// Anew tells of a caller whose words came back, or went, or of whose held words some will never be stored as they were
	// told of, without a change of what the store holds.
	Anew(tenant recaller.TenantID, caller recaller.CallerID)
}

// How long a call waits for the store, where nothing else is said.
const (
	DefaultDeadline = 250 * time.Millisecond // at its start
	DefaultPatience = 2 * time.Second        // with what is said, and at its end
)

// Deps are what a Service needs; all are required but for those that say what stands for nothing.
type Deps struct {
	Deadline time.Duration // how long the start of a call waits for the store; 0: DefaultDeadline
	// Patience is how long turns and an end wait for the store before they are answered as held (durable: false), and how
	// long a live conversation is looked up there; 0: DefaultPatience.
	Patience time.Duration
	Tokens   int     // the budget of a briefing that is made without the store; 0: the default of package briefing
	Ledger   *Ledger // that by which Words knows of this Service; nil: one of its own
	Store    Store
	Tenants  Tenants
	Archive  Archive
	Briefer  Briefer
	Feed     Feed
	Enqueued func()            // wakes the job workers
	Masked   func(kind string) // is told of every secret that was masked, by its guard.Kind; it must not block
	Log      *slog.Logger
	Metrics  *Metrics
	Now      func() time.Time
	NewID    func() string // unique ids that rise with time
}

// Service carries out the use cases. Safe for concurrent use.
type Service struct {
	Deps
	waiting atomic.Int64 // how many conversations waited when it was last logged
}

// New returns a Service.
func New(deps Deps) *Service {
	if deps.Deadline == 0 {
		deps.Deadline = DefaultDeadline
	}
	if deps.Patience == 0 {
		deps.Patience = DefaultPatience
	}
	if deps.Ledger == nil {
		deps.Ledger = NewLedger(deps.Log)
	}
	return &Service{Deps: deps}
}
