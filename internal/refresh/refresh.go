// Package refresh makes new briefings for those who listen to a conversation when a memory of its caller has changed.
// So a live agent's instructions follow what was just said (spec W8, issue 3 item 6). Whoever wrote the memory does not
// wait for it.
//
// A burst of changes becomes few briefings. A conversation gets one briefing, however many listen, and always one after
// the last change. A change after a quiet moment gets one at once. A briefing comes after the events of the memories
// that it holds. If one cannot be made, that is logged and counted, and tried again a few times; the call goes on. A
// conversation that has ended gets none.
//
// It is not for what a briefing says (briefing), nor for how it gets to the listeners (events).
package refresh

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/briefing"
	"github.com/recallerhq/recaller/internal/events"
)

// Deps are what a Service needs; all are required.
type Deps struct {
	// Listening names the conversations with a caller that want new briefings. It must not block.
	Listening func(recaller.TenantID, recaller.CallerID) []recaller.ConversationID
	// Briefing composes the briefing of a conversation.
	Briefing func(
		ctx context.Context, tenant recaller.TenantID, conv string, req briefing.Request,
	) (recaller.Briefing, error)
	// Version reads a caller's content version.
	Version func(ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID) (int64, error)
	// Reached waits until listeners were told of a version that is in the store, or until it is clear that nobody will
	// tell of it. It returns false if ctx ends first.
	Reached func(ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, version int64) bool
	// Publish hands an event to the listeners of a conversation. It must not block.
	Publish func(recaller.TenantID, recaller.ConversationID, events.Event)
	Log     *slog.Logger
	Metrics *Metrics
	Now     func() time.Time
}

// Bounds.
const (
	workers  = 2                      // briefings that are made at once
	maxMarks = 10_000                 // conversations that wait for a briefing, or just had one
	spacing  = 100 * time.Millisecond // between two briefings of a conversation
	timeout  = 10 * time.Second       // of one briefing
	retryIn  = time.Second            // after a failure; doubled for each after it
	maxTries = 5
)

// Service makes briefings for listeners. Safe for concurrent use.
type Service struct {
	Deps
	wake chan struct{} // holds a token while the queue may have work

	mu    sync.Mutex // guards what follows; held only for moments
	marks map[key]*mark
	queue []*mark // the marks that are queued, oldest first
}

// New returns a Service. It does nothing before Run.
func New(deps Deps) *Service {
	return &Service{Deps: deps, wake: make(chan struct{}, 1), marks: map[key]*mark{}}
}
