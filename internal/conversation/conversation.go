// Package conversation is the life of a conversation: start, turns, end, import, reading back, and going on
// with the next process (spec H6, P9, P10, V1, V3; design decisions 3 and 4). It holds the live state of active conversations.
//
// While the store is away, or has no room to write, calls go on (spec section 5). What comes is held in memory, in order, and answered as not
// durable. It is written once, when the store is back. A process that is killed loses what it holds; "not durable" has
// told the client so.
//
// Each conversation that this process leads is an entry of the ledger. An entry is in one state, and one table says
// what can change it (state.go). An event that is not in the table is refused, and logged as a bug. The drawing leaves
// out events that change no state:
//
//	            opened            caught up
//	(opening) ─────────▶ (held) ────────────▶ (live) ◀──────────┐
//	    │                  │  ▲                │  │             │ goes on
//	    │ end held         │  └────────────────┘  │ idle        │
//	    │                  │    store away        └────────▶ (closing)
//	    │                  │ end held                           │
//	    └──▶ (ending) ◀────┘                                    │
//	            │ caught up, closed                             │
//	            ▼                closed                         │
//	         (ended) ◀──────────────── (live), (held), (closing)┘
//	            ▲  dropped: from every state
//
// An entry begins in opening or live. A conversation that an earlier process led is taken up as live, because a restart
// is no end of a call. Until this process hears something of it, it is silent: if it is idle then, it has failed, and a
// start may resume it, as a new entry.
//
// In opening, held and ending the store is away, and something is held: it was answered, and waits for the store. In
// ending and ended nothing can be said any more.
//
// The package commits the words, closes the conversation, and leaves a job. It is not for protocols (the edges), for
// SQL (store), for ranking (recall), or for what is written up afterwards (wrapup).
package conversation

import (
	"context"
	"iter"
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
	// SetRecording keeps where the recording of a conversation that has ended is, unless that is known. Conflict while it
	// is active.
	SetRecording(ctx context.Context, tenant recaller.TenantID, conv recaller.ConversationID, link string) error
	// HandOver makes an active conversation somebody else's from a turn on; Household lists who uses a caller's numbers too.
	HandOver(ctx context.Context, tenant recaller.TenantID, in recaller.Handing) (recaller.Handed, error)
	Household(ctx context.Context, tenant recaller.TenantID, of recaller.Caller) ([]recaller.Caller, error)
	// RaiseTrust notes that it is surer now who the caller of an active conversation is. Conflict once it has ended.
	RaiseTrust(ctx context.Context, tenant recaller.TenantID, in recaller.Raising) (recaller.Raised, error)
	// Conversation finds one by its id or its external id.
	Conversation(ctx context.Context, tenant recaller.TenantID, ref string) (recaller.Conversation, error)
	Conversations(
		ctx context.Context, tenant recaller.TenantID, f recaller.ConversationFilter,
	) (list []recaller.Conversation, next string, err error)
	// Stretches returns the last conversations of a thread, newest first.
	Stretches(
		ctx context.Context, tenant recaller.TenantID, t recaller.Thread, most int,
	) ([]recaller.Conversation, error)
	Turns(ctx context.Context, tenant recaller.TenantID, conv recaller.Conversation) ([]recaller.Turn, error)
	// TurnPage returns the next words of a conversation from a number on, below its count, and where the page after
	// it begins; 0: there is none.
	TurnPage(
		ctx context.Context, tenant recaller.TenantID, conv recaller.Conversation, from int,
	) (turns []recaller.Turn, next int, err error)
	Steps(ctx context.Context, tenant recaller.TenantID, conv recaller.Conversation) ([]recaller.StepProgress, error)
	// Forgetful returns those of the callers of whom something is forgotten.
	Forgetful(ctx context.Context, tenant recaller.TenantID, callers []recaller.CallerID) ([]recaller.CallerID, error)
	// Forgotten returns every version of the memories that are forgotten.
	Forgotten(ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID) ([]recaller.Memory, error)
	// Private returns every version of the memories that are private now.
	Private(ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID) ([]recaller.Memory, error)
	Caller(ctx context.Context, tenant recaller.TenantID, id recaller.CallerID) (recaller.Caller, error)
	CallerByIdentity(ctx context.Context, tenant recaller.TenantID, id recaller.Identity) (recaller.Caller, error)
	TenantIDs(ctx context.Context) ([]recaller.TenantID, error)
}

// Tenants gives the settings of a tenant, defaults filled in.
type Tenants interface {
	Tenant(ctx context.Context, id recaller.TenantID) (recaller.Tenant, error)
}

// Archive keeps the words of conversations for tenants with the retention Archive, in one sealed file a conversation
// (V4).
type Archive interface {
	Append(ctx context.Context, tenant recaller.TenantID, conv recaller.Conversation, turns []recaller.Turn) error
	Turns(ctx context.Context, tenant recaller.TenantID, conv recaller.Conversation) ([]recaller.Turn, error)
	// Begin is Append to a new file, in place of what there was, for a caller who may not be in the store yet.
	Begin(ctx context.Context, tenant recaller.TenantID, conv recaller.Conversation, turns []recaller.Turn) error
	// Drop deletes the files of a caller's conversations.
	Drop(ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, of ...recaller.ConversationID) error
	// EachPage ranges over what Turns returns, a page at a time.
	EachPage(
		ctx context.Context, tenant recaller.TenantID, conv recaller.Conversation,
	) iter.Seq2[[]recaller.Turn, error]
}

// Briefer composes briefings.
type Briefer interface {
	Briefing(
		ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, req briefing.Request,
	) (recaller.Briefing, error)
}

// Feed tells all who keep a view of what is held what has changed. A call must not block for longer than a moment.
type Feed interface {
	// Committed tells of a change after its commit. A change without a version has one in the store, but the answer
	// that carried it was lost.
	Committed(c recaller.Change)
	// Held tells of turns that were answered while the store is away. Committed follows when they are stored. The
	// change has no version.
	Held(c recaller.Change)
	// Anew says that what is kept of a caller is to be read anew, though the store has no new version. His words came
	// back, or went; or some of the turns that Held told of will never be stored in that form.
	Anew(tenant recaller.TenantID, caller recaller.CallerID)
}

// How long a call waits for the store, if Deps does not say.
const (
	DefaultDeadline = 250 * time.Millisecond // at its start
	DefaultPatience = 2 * time.Second        // with what is said, and at its end
)

// Deps are what a Service needs. All are required, except those whose comment says what a zero value means.
type Deps struct {
	Deadline time.Duration // how long the start of a call waits for the store; 0: DefaultDeadline
	// Patience is how long turns and an end wait for the store; then they are answered as held (durable: false). It is
	// also how long the store may take to look up a live conversation. 0: DefaultPatience.
	Patience time.Duration
	Tokens   int     // budget of a briefing that is made without the store; 0: package briefing's default
	Ledger   *Ledger // shared with Words; nil: a ledger of its own
	Store    Store
	Tenants  Tenants
	Archive  Archive
	Briefer  Briefer
	Feed     Feed
	// Plan returns the steps of the wrap-up of a conversation that ends, or that is imported, in their order: see
	// wrapup.Plan. asked says whether it is to be written up.
	Plan     func(t recaller.Tenant, c recaller.Conversation, asked bool) []recaller.PlannedStep
	Enqueued func()            // wakes the job workers
	Masked   func(kind string) // told the guard.Kind of every masked secret; must not block
	Log      *slog.Logger
	Metrics  *Metrics
	Now      func() time.Time
	// Elapsed is how long the process runs, by a clock that never jumps: idle limits are measured by it. nil: by Now.
	Elapsed func() time.Duration
	NewID   func() string // unique ids that rise with time
}

// Service carries out the use cases. Safe for concurrent use.
type Service struct {
	Deps
	waiting atomic.Int64  // conversations that waited when that was last logged
	paging  chan struct{} // has one for each page of words that is being read
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
	if deps.Elapsed == nil {
		began := deps.Now()
		deps.Elapsed = func() time.Duration { return deps.Now().Sub(began) }
	}
	deps.Ledger.elapsed = deps.Elapsed
	return &Service{Deps: deps, paging: make(chan struct{}, pagesAtOnce)}
}
