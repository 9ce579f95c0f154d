// Package notify tells a tenant's webhook what happens: conversations that end and are written up, memories, and new
// callers. It lists what was not taken, and sends it again (issue 17 item 7, ADR 59).
//
// An event becomes a dispatch, with a job, in the commit of what happened (store.Announce). So it outlives restarts, and
// is tried until the receiver takes it or it is dead. Delivery is at least once: it is sent twice only if the process
// dies, or the store is away, between the receiver's answer and the mark. Every try has the same webhook-id, that of the
// event. A caller's events are sent in order, one after the other, as long as none fails; each has a sequence.
//
// What is sent is read when it is sent. So nothing of what people said waits in a queue, and what was forgotten or
// erased meanwhile is not told.
//
// It does not speak to the receiver (webhook), nor decide when to try again (jobs). Reminders have deliveries of their
// own (reminder).
package notify

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/recallerhq/recaller"
)

// KeepDead is how long a delivery that was given up on is listed.
const KeepDead = 30 * 24 * time.Hour

// Store is what this package asks of the store.
type Store interface {
	// Dispatch is NotFound if it was delivered, or the caller is being erased.
	Dispatch(ctx context.Context, tenant recaller.TenantID, id recaller.EventID) (recaller.Dispatch, error)
	Dispatches(
		ctx context.Context, tenant recaller.TenantID, f recaller.DispatchFilter,
	) (list []recaller.Dispatch, next string, err error)
	// FinishDispatch removes what was delivered, or needs no delivery any more.
	FinishDispatch(ctx context.Context, tenant recaller.TenantID, d recaller.Dispatch) error
	// TryDispatch counts a try that failed.
	TryDispatch(ctx context.Context, tenant recaller.TenantID, d recaller.Dispatch, reason string) error
	// BuryDispatch gives a dispatch up.
	BuryDispatch(
		ctx context.Context, tenant recaller.TenantID, d recaller.Dispatch, reason string, at time.Time,
	) error
	// ReviveDispatch makes a dispatch due, with a job of the given id.
	ReviveDispatch(
		ctx context.Context, tenant recaller.TenantID, id recaller.EventID, job string, at time.Time,
	) (recaller.Dispatch, error)
	// DeadDispatches returns the ids of those that were given up on, the longest ago first.
	DeadDispatches(ctx context.Context, tenant recaller.TenantID, limit int) ([]recaller.EventID, error)

	Caller(ctx context.Context, tenant recaller.TenantID, id recaller.CallerID) (recaller.Caller, error)
	Conversation(ctx context.Context, tenant recaller.TenantID, ref string) (recaller.Conversation, error)
	Reminder(ctx context.Context, tenant recaller.TenantID, id recaller.ReminderID) (recaller.Reminder, error)
	// MemoryByID returns the newest version of a memory, whatever its status.
	MemoryByID(ctx context.Context, tenant recaller.TenantID, id recaller.MemoryID) (recaller.Memory, error)
}

// Tenants returns the settings of a tenant, with the defaults filled in.
type Tenants interface {
	Tenant(ctx context.Context, id recaller.TenantID) (recaller.Tenant, error)
}

// Sender sends one request to a webhook. The kind of an error says what went wrong. If there was an answer, the cause
// has a method StatusCode.
type Sender interface {
	Send(ctx context.Context, hook recaller.Webhook, id string, at time.Time, body []byte) error
}

// Deps are what a Service needs; all are required.
type Deps struct {
	Store   Store
	Tenants Tenants
	// Summarised reads a conversation, of whose summary what was forgotten is left out.
	Summarised func(ctx context.Context, tenant recaller.TenantID, ref string) (recaller.Conversation, error)

	Sender   Sender
	Enqueued func() // a job waits
	Log      *slog.Logger
	Metrics  *Metrics
	Now      func() time.Time
	NewID    func() string
}

// Service carries out the use cases. Safe for concurrent use.
type Service struct {
	Deps
	underway underway
}

// New returns a Service.
func New(deps Deps) *Service { return &Service{Deps: deps} }

// List returns what the webhook has not taken yet, latest first, with the cursor of the next page.
func (s *Service) List(
	ctx context.Context, tenant recaller.TenantID, f recaller.DispatchFilter,
) ([]recaller.Dispatch, string, error) {
	if f.Status != "" && !f.Status.Valid() {
		return nil, "", recaller.InvalidField("status", "must be pending or dead")
	}
	return s.Store.Dispatches(ctx, tenant, f)
}

// Resend has a delivery tried again at once, whether it is dead or waits, and counts its tries anew. It keeps its id.
func (s *Service) Resend(
	ctx context.Context, tenant recaller.TenantID, id recaller.EventID,
) (recaller.Dispatch, error) {
	d, err := s.Store.ReviveDispatch(ctx, tenant, id, s.job(id), s.Now())
	if err == nil {
		s.Enqueued()
	}
	return d, err
}

// MaxResent bounds how many ResendDead revives at once.
const MaxResent = 500

// ResendDead resends what was given up on, oldest first, up to MaxResent. It returns how many those were.
func (s *Service) ResendDead(ctx context.Context, tenant recaller.TenantID) (n int, err error) {
	ids, err := s.Store.DeadDispatches(ctx, tenant, MaxResent)
	if err != nil {
		return 0, err
	}
	for _, id := range ids {
		_, err := s.Store.ReviveDispatch(ctx, tenant, id, s.job(id), s.Now())
		if errors.Is(err, recaller.NotFound) { // delivered, or erased meanwhile
			continue
		}
		if err != nil {
			return n, err
		}
		n++
	}
	if n > 0 {
		s.Enqueued()
	}
	return n, nil
}

// job returns the id of a job that sends an event once more.
func (s *Service) job(id recaller.EventID) string { return string(id) + "~" + s.NewID() }
