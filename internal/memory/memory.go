// Package memory is the use cases of memories and checkpoints (spec W1–W4, H1–H4, B10, B11). Memories are stored,
// updated, forgotten, brought back, found, and listed with their history. A checkpoint is the resumable state of an
// unfinished matter. The package validates, masks the secrets that people say, and finds what was told already under
// another key (memory/likeness). The rules in memory/decide say what a write does to what is known; the store asks them
// inside the commit.
//
// It is not for finding memories in words (wrapup), nor for searching them (recall), nor for what a live agent's model
// calls (tool).
package memory

import (
	"context"
	"log/slog"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/wrapup/label"
)

// Store is what this package asks of the store.
type Store interface {
	StoreMemory(ctx context.Context, tenant recaller.TenantID, in recaller.Storing) (recaller.MemoryWritten, error)
	ChangeMemory(ctx context.Context, tenant recaller.TenantID, in recaller.Changing) (recaller.MemoryWritten, error)
	UndoMemory(ctx context.Context, tenant recaller.TenantID, in recaller.Undoing) (recaller.MemoryWritten, error)
	// ActiveMemories returns all active memories of a caller, last confirmed first, up to a bound, with the content
	// version that they are of. If that is still has, it returns the version alone.
	ActiveMemories(
		ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, has int64,
	) (list []recaller.Memory, version int64, err error)
	Memories(
		ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, f recaller.MemoryFilter,
	) (list []recaller.Memory, next string, err error)
	// MemoryByID returns the newest version of a memory, whatever its status.
	MemoryByID(ctx context.Context, tenant recaller.TenantID, id recaller.MemoryID) (recaller.Memory, error)
	// Forgotten returns every version of the memories that are forgotten.
	Forgotten(ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID) ([]recaller.Memory, error)
	// Private returns every version of the memories that are private now.
	Private(ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID) ([]recaller.Memory, error)
	MemoryHistory(ctx context.Context, tenant recaller.TenantID, id recaller.MemoryID) ([]recaller.Memory, error)
	// Conversation finds one by its id or its external id.
	Conversation(ctx context.Context, tenant recaller.TenantID, ref string) (recaller.Conversation, error)

	PutCheckpoint(ctx context.Context, tenant recaller.TenantID, c recaller.Checkpoint) (recaller.Checkpoint, error)
	Checkpoint(ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID) (recaller.Checkpoint, error)
	// Resumable returns the checkpoint with what may say more of the matter, all of one moment.
	Resumable(ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID) (recaller.Resumable, error)
	DeleteCheckpoint(ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID) error
}

// Tenants gives the settings of a tenant, defaults filled in.
type Tenants interface {
	Tenant(ctx context.Context, id recaller.TenantID) (recaller.Tenant, error)
}

// Words reads a conversation's turns from wherever the retention keeps them.
type Words interface {
	Turns(ctx context.Context, tenant recaller.TenantID, conv recaller.Conversation) ([]recaller.Turn, error)
}

// Deps are what a Service needs. All are required except the last six, which may be nil.
type Deps struct {
	Store   Store
	Tenants Tenants
	Changed func(recaller.Change) // is told of every committed change
	Now     func() time.Time
	NewID   func() string

	Words Words // nil: no checkpoint is found in words that no wrap-up has read yet
	Packs func(ctx context.Context, t recaller.Tenant) ([]label.Pack, error)

	Enqueued func()            // a job was left: for a reminder, or for what must not be found any more
	Masked   func(kind string) // a secret of this kind was taken out of what is stored (B11)
	Log      *slog.Logger
	Metrics  *Metrics
}

// Service carries out the use cases. Safe for concurrent use.
type Service struct {
	Deps
	views *views
	began time.Time
}

// New returns a Service.
func New(deps Deps) *Service {
	if deps.Log == nil {
		deps.Log = slog.New(slog.DiscardHandler)
	}
	if deps.Enqueued == nil {
		deps.Enqueued = func() {}
	}
	if deps.Masked == nil {
		deps.Masked = func(string) {}
	}
	return &Service{Deps: deps, views: newViews(), began: deps.Now()}
}

// Bounds of what one memory holds.
const (
	MaxKey   = 100  // bytes
	MaxValue = 2000 // bytes
	maxTurns = 100  // that a provenance names
)
