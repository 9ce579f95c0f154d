// Package reminder is the use cases of reminders: firing them at the tenant's webhook when they come due, listing,
// cancelling, and trying those again that were given up on (spec W3, W11; issue 3 item 9). They are set where memories
// are written (tool), in the memory's own commit.
//
// A reminder that is due is a job, and so outlives restarts and is tried again until it is delivered, cancelled or
// dead. It is delivered at least once, and marked so at once, for one that repeats in the commit that has it wait for
// the next time that is still to come: only if the process dies, or the store is away, between the receiver's answer
// and the mark, is it sent again. Every try of one reminder has the reminder's id as its webhook-id (of one that
// repeats, the id of that time), which is what receivers of Standard Webhooks tell repeats by.
//
// A due time is an instant. What counts is that the job's time has come: a clock that jumps forward fires what it
// jumped over within the runner's next look (15 seconds), one that jumps back fires nothing twice, because what was
// delivered is closed, and delays only what is still to come.
//
// It is not for speaking to the receiver (webhook) nor for when there is another try (jobs).
package reminder

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/forgotten"
)

// Store is what this package asks of the store.
type Store interface {
	Reminder(ctx context.Context, tenant recaller.TenantID, id recaller.ReminderID) (recaller.Reminder, error)
	Reminders(ctx context.Context, tenant recaller.TenantID, f recaller.ReminderFilter) (list []recaller.Reminder, next string, err error)
	// MemoryByID returns the newest version of a memory, whatever its status.
	MemoryByID(ctx context.Context, tenant recaller.TenantID, id recaller.MemoryID) (recaller.Memory, error)
	Caller(ctx context.Context, tenant recaller.TenantID, id recaller.CallerID) (recaller.Caller, error)
	// Forgetful returns those of the callers of whom something is forgotten.
	Forgetful(ctx context.Context, tenant recaller.TenantID, callers []recaller.CallerID) ([]recaller.CallerID, error)
	// Forgotten returns every version of the memories that are forgotten.
	Forgotten(ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID) ([]recaller.Memory, error)
	// TryReminder counts a try that failed.
	TryReminder(ctx context.Context, tenant recaller.TenantID, id recaller.ReminderID, reason string, at time.Time) error
	// CloseReminder closes one that is pending; any other is a Conflict.
	CloseReminder(ctx context.Context, tenant recaller.TenantID, id recaller.ReminderID, status recaller.ReminderStatus, reason string, at time.Time) (recaller.Reminder, error)
	// AdvanceReminder ends this time of a reminder and has it wait for the next; with a zero next it is closed. One that
	// was moved meanwhile is a Conflict too.
	AdvanceReminder(ctx context.Context, tenant recaller.TenantID, r recaller.Reminder, status recaller.ReminderStatus, next, at time.Time) error
	// ReviveReminder makes a dead one pending again, with a job; any other is a Conflict.
	ReviveReminder(ctx context.Context, tenant recaller.TenantID, id recaller.ReminderID, job recaller.Job, at time.Time) (recaller.Reminder, error)
}

// Tenants gives the settings of a tenant, defaults filled in.
type Tenants interface {
	Tenant(ctx context.Context, id recaller.TenantID) (recaller.Tenant, error)
}

// Sender sends one request to a webhook. Of an error, the kind says what went wrong; one that came of an answer has a
// cause with a method StatusCode.
type Sender interface {
	Send(ctx context.Context, hook recaller.Webhook, id string, at time.Time, body []byte) error
}

// Deps are what a Service needs; all are required.
type Deps struct {
	Store    Store
	Tenants  Tenants
	Sender   Sender
	Enqueued func() // a job waits
	Log      *slog.Logger
	Metrics  *Metrics
	Now      func() time.Time
	NewID    func() string
}

// Service carries out the use cases. Safe for concurrent use.
type Service struct{ Deps }

// New returns a Service.
func New(deps Deps) *Service { return &Service{deps} }

// List returns reminders, latest due time first, with the cursor of the next page. Words of their own that say what was
// forgotten are left out: those of a forgotten memory the store has no more, those of another may say the same.
func (s *Service) List(ctx context.Context, tenant recaller.TenantID, f recaller.ReminderFilter) ([]recaller.Reminder, string, error) {
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
		if err != nil {
			return nil, "", err
		}
		gone := forgotten.New(versions)
		for i, r := range list {
			if r.Caller == c && r.Text != "" && gone.Retold(worded(r)) {
				list[i].Text = ""
			}
		}
	}
	return list, next, nil
}

// worded is a memory of what a reminder says in its own words.
func worded(r recaller.Reminder) recaller.Memory {
	return recaller.Memory{
		ID: r.Memory, Caller: r.Caller, Type: recaller.FollowUp, Value: r.Text, CreatedAt: r.CreatedAt, ConfirmedAt: r.CreatedAt,
		Provenance: recaller.Provenance{Conversation: r.Conversation},
	}
}

// Cancel closes a pending reminder; any other is a Conflict. One that is being sent at this moment may still arrive.
func (s *Service) Cancel(ctx context.Context, tenant recaller.TenantID, id recaller.ReminderID) (recaller.Reminder, error) {
	r, err := s.Store.CloseReminder(ctx, tenant, id, recaller.ReminderCancelled, "", s.Now())
	if err == nil {
		s.Metrics.count(resultCancelled)
	}
	return r, err
}

// Retry makes a dead reminder pending again and has it tried at once; any other is a Conflict.
func (s *Service) Retry(ctx context.Context, tenant recaller.TenantID, id recaller.ReminderID) (recaller.Reminder, error) {
	r, err := s.Store.Reminder(ctx, tenant, id)
	if err != nil {
		return r, err
	}
	job := recaller.Job{ID: string(r.Occurrence()) + again + s.NewID(), Tenant: tenant, Kind: recaller.JobReminder, Subject: string(id), RunAt: s.Now()}
	if job.RunAt.Before(r.DueAt) { // the clock was set back
		job.RunAt = r.DueAt
	}
	if r, err = s.Store.ReviveReminder(ctx, tenant, id, job, s.Now()); err == nil {
		s.Enqueued()
	}
	return r, err
}

// gone reports whether what an error speaks of is there no more, or is closed already.
func gone(err error) bool {
	return errors.Is(err, recaller.NotFound) || errors.Is(err, recaller.Conflict)
}
