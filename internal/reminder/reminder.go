// Package reminder holds the use cases of reminders: firing them at the tenant's webhook when they come due, listing
// and cancelling them, and trying dead ones again (spec W3, W11; issue 3 item 9). They are set where memories are
// written (tool), in the memory's own commit.
//
// A due reminder is a job. So it outlives restarts, and is tried again until it is delivered, cancelled or dead.
// Delivery is at least once. A delivered reminder is marked at once; if it repeats, the same commit makes it wait for
// the next time that is still to come. It is sent twice only if the process dies, or the store is away, between the
// receiver's answer and the mark. Every try has the same webhook-id, that of the reminder, or of the time if it
// repeats. Receivers of Standard Webhooks recognise repeats by it.
//
// A due time is an instant, and a reminder fires when its job's time has come. If the clock jumps forward, the runner
// fires what it jumped over within 15 seconds. If it jumps back, nothing fires twice, because a delivered reminder is
// closed. Only what is still to come is late.
//
// Where the caller is to be rung or texted, that is an errand, which begins when the reminder comes due and goes on beside
// the webhook: the reminder waits until both are over, and is delivered if the caller was reached (errand).
//
// It does not speak to the receiver (webhook), nor decide when to try again (jobs).
package reminder

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/forgotten"
	"github.com/recallerhq/recaller/internal/notify"
)

// Store is what this package asks of the store.
type Store interface {
	Reminder(ctx context.Context, tenant recaller.TenantID, id recaller.ReminderID) (recaller.Reminder, error)
	Reminders(
		ctx context.Context, tenant recaller.TenantID, f recaller.ReminderFilter,
	) (list []recaller.Reminder, next string, err error)
	// MemoryByID returns the newest version of a memory, whatever its status.
	MemoryByID(ctx context.Context, tenant recaller.TenantID, id recaller.MemoryID) (recaller.Memory, error)
	Caller(ctx context.Context, tenant recaller.TenantID, id recaller.CallerID) (recaller.Caller, error)
	// Forgetful returns which of the callers have something forgotten.
	Forgetful(ctx context.Context, tenant recaller.TenantID, callers []recaller.CallerID) ([]recaller.CallerID, error)
	// Forgotten returns every version of the memories that are forgotten.
	Forgotten(ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID) ([]recaller.Memory, error)
	// TryReminder counts a failed try.
	TryReminder(
		ctx context.Context, tenant recaller.TenantID, id recaller.ReminderID, reason string, at time.Time,
	) error
	// CloseReminder closes a pending reminder; any other is a Conflict.
	CloseReminder(
		ctx context.Context, tenant recaller.TenantID, id recaller.ReminderID, status recaller.ReminderStatus,
		reason string, at time.Time,
	) (recaller.Reminder, error)
	// AdvanceReminder ends this time of a reminder and makes it wait for next; a zero next closes it. Conflict if it is
	// not pending, or was moved meanwhile.
	AdvanceReminder(
		ctx context.Context, tenant recaller.TenantID, r recaller.Reminder, status recaller.ReminderStatus, next,
		at time.Time,
	) error
	// ReviveReminder makes a dead reminder pending again, with a job; any other is a Conflict.
	ReviveReminder(
		ctx context.Context, tenant recaller.TenantID, id recaller.ReminderID, job recaller.Job, at time.Time,
	) (recaller.Reminder, error)
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

// Errands have the callers of reminders reached; *errand.Service does.
type Errands interface {
	// Begin begins the errand of a reminder that comes due, where its caller is to be reached.
	Begin(ctx context.Context, tenant recaller.Tenant, r recaller.Reminder) (recaller.Reminder, error)
	// Told notes that the webhook was told of a reminder that has an errand, or never will be.
	Told(ctx context.Context, tenant recaller.TenantID, r recaller.Reminder) error
}

// Deps are what a Service needs; all but Errands are required.
type Deps struct {
	Errands  Errands // nil: no caller is reached
	Store    Store
	Tenants  Tenants
	Sender   Sender
	Enqueued func() // a job waits
	// Told is told of each time that comes due, at the first try, for who listens to the tenant. It must not block.
	Told    func(tenant recaller.TenantID, e recaller.Event)
	Log     *slog.Logger
	Metrics *notify.Metrics
	Now     func() time.Time
	NewID   func() string
}

// Service carries out the use cases. Safe for concurrent use.
type Service struct{ Deps }

// New returns a Service.
func New(deps Deps) *Service { return &Service{deps} }

// List returns reminders, latest due time first, with the cursor of the next page. It leaves out a reminder's own words
// if they say what is forgotten. The store has none for a forgotten memory, but those of another memory may say the
// same.
func (s *Service) List(
	ctx context.Context, tenant recaller.TenantID, f recaller.ReminderFilter,
) ([]recaller.Reminder, string, error) {
	if f.Status != "" && !f.Status.Valid() {
		return nil, "", recaller.InvalidField("status", "must be pending, delivered, cancelled or dead")
	}
	list, next, err := s.Store.Reminders(ctx, tenant, f)
	if err != nil {
		return nil, "", err
	}
	var callers []recaller.CallerID
	for _, r := range list {
		if r.Text != "" && !slices.Contains(callers, r.Caller) {
			callers = append(callers, r.Caller)
		}
	}
	if callers, err = s.Store.Forgetful(ctx, tenant, callers); err != nil {
		return nil, "", err
	}
	for _, c := range callers {
		versions, err := s.Store.Forgotten(ctx, tenant, c)
		hidden := recaller.LeftOut(ctx, err)
		if err != nil && !hidden {
			return nil, "", err
		}
		gone := forgotten.New(versions)
		for i, r := range list {
			if r.Caller == c && r.Text != "" && (hidden || gone.Retold(worded(r))) {
				list[i].Text, list[i].Unreadable = "", hidden
			}
		}
	}
	return list, next, nil
}

// worded returns a memory of a reminder's own words.
func worded(r recaller.Reminder) recaller.Memory {
	return recaller.Memory{
		ID: r.Memory, Caller: r.Caller, Type: recaller.FollowUp, Value: r.Text, CreatedAt: r.CreatedAt,
		ConfirmedAt: r.CreatedAt, Provenance: recaller.Provenance{Conversation: r.Conversation},
	}
}

// Cancel closes a pending reminder; any other is a Conflict. If it is being sent at this moment, it may still arrive.
func (s *Service) Cancel(
	ctx context.Context, tenant recaller.TenantID, id recaller.ReminderID,
) (recaller.Reminder, error) {
	r, err := s.Store.CloseReminder(ctx, tenant, id, recaller.ReminderCancelled, "", s.Now())
	if err == nil {
		s.Metrics.Add(resultCancelled)
	}
	return r, err
}

// Retry makes a dead reminder pending again, and has it tried at once; any other is a Conflict.
func (s *Service) Retry(
	ctx context.Context, tenant recaller.TenantID, id recaller.ReminderID,
) (recaller.Reminder, error) {
	r, err := s.Store.Reminder(ctx, tenant, id)
	if err != nil {
		return r, err
	}
	job := recaller.Job{
		ID: string(r.Occurrence()) + again + s.NewID(), Tenant: tenant, Kind: recaller.JobReminder, Subject: string(id),
		RunAt: s.Now(),
	}
	if job.RunAt.Before(r.DueAt) { // the clock was set back
		job.RunAt = r.DueAt
	}
	if r, err = s.Store.ReviveReminder(ctx, tenant, id, job, s.Now()); err == nil {
		s.Enqueued()
	}
	return r, err
}

// gone reports whether an error means that the reminder is gone or closed.
func gone(err error) bool {
	return errors.Is(err, recaller.NotFound) || errors.Is(err, recaller.Conflict)
}
