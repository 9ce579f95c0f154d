package reminder

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/repeat"
)

// settling bounds writing down the result of a try, which is done even while the process stops.
const settling = 10 * time.Second

// The reasons why a try failed (recaller.Reminder.Reason).
const (
	reasonNoWebhook   = "no webhook"
	reasonUnreachable = "unreachable"     // whatever the receiver did: a tenant learns nothing of what it may not see
	reasonRule        = "unreadable rule" // this time may have been delivered; no other comes
)

// Fire does a job of kind recaller.JobReminder: it sends the reminder to the tenant's webhook. An error means that the
// job must run again. Fire sends nothing if the reminder is gone or closed, and cancels it if its memory is forgotten.
func (s *Service) Fire(ctx context.Context, j recaller.Job) error {
	r, err := s.Store.Reminder(ctx, j.Tenant, recaller.ReminderID(j.Subject))
	if errors.Is(err, recaller.NotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	if r.Status != recaller.ReminderPending || moved(r, j) {
		return nil
	}
	m, c, err := s.about(ctx, j.Tenant, r)
	if errors.Is(err, recaller.NotFound) {
		return s.cancel(ctx, j.Tenant, r)
	}
	if err != nil {
		return err
	}
	tenant, err := s.Tenants.Tenant(ctx, j.Tenant)
	if err != nil {
		return err
	}
	body, err := payload(r, m, c)
	if err != nil {
		return err
	}
	if s.Errands != nil {
		if r, err = s.Errands.Begin(ctx, tenant, r); gone(err) {
			return nil
		}
		if err != nil {
			return err
		}
	}
	if j.Attempts <= 1 {
		s.Told(tenant.ID, recaller.Event{
			ID: recaller.EventID(webhookID(r)), Type: recaller.EventReminderDue, Caller: r.Caller,
			Conversation: r.Conversation, Memory: r.Memory, MemoryVersion: m.Version, Reminder: r.ID, At: r.DueAt,
		})
	}
	if reaching(r) && !tenant.Webhook.Wants(recaller.EventReminderDue) || reaching(r) && r.Errand.Told {
		return s.Errands.Told(ctx, tenant.ID, r)
	}
	return s.deliver(ctx, tenant, r, body)
}

// reaching reports whether the caller of a reminder is reached: then the reminder ends when that does.
func reaching(r recaller.Reminder) bool { return r.Errand != nil && r.Errand.Due.Equal(r.DueAt) }

// again separates, in the id of a job that tries a dead reminder once more, the id of its time from what makes the
// job's id new.
const again = "~"

// moved reports whether the reminder was put off after the job was made, and has another job now. Only a job's first
// attempt can tell by the times: later ones run when the backoff said, by a clock that may have been set back since.
func moved(r recaller.Reminder, j recaller.Job) bool {
	if r.Rule != "" { // after its lease ran out, another attempt may have sent it
		of, _, _ := strings.Cut(j.ID, again)
		return of != string(r.Occurrence())
	}
	return r.DueAt.After(j.RunAt) && j.Attempts <= 1
}

// about reads what a reminder is of. NotFound: there is nothing to remind of any more.
func (s *Service) about(
	ctx context.Context, tenant recaller.TenantID, r recaller.Reminder,
) (recaller.Memory, recaller.Caller, error) {
	m, err := s.Store.MemoryByID(ctx, tenant, r.Memory)
	if err != nil {
		return m, recaller.Caller{}, err
	}
	if m.Status == recaller.MemoryForgotten {
		return m, recaller.Caller{}, recaller.Errorf(recaller.NotFound, "the memory was forgotten")
	}
	c, err := s.Store.Caller(ctx, tenant, r.Caller)
	return m, c, err
}

func (s *Service) cancel(ctx context.Context, tenant recaller.TenantID, r recaller.Reminder) error {
	_, err := s.Cancel(ctx, tenant, r.ID)
	if gone(err) {
		return nil
	}
	if err == nil {
		s.Log.Info("reminder cancelled", "tenant", string(tenant), "reminder", string(r.ID))
	}
	return err
}

// deliver sends a reminder and writes down the result.
func (s *Service) deliver(ctx context.Context, tenant recaller.Tenant, r recaller.Reminder, body []byte) error {
	err := recaller.Errorf(recaller.Unavailable, "the tenant has no webhook")
	reason := reasonNoWebhook
	if tenant.Webhook.Wants(recaller.EventReminderDue) {
		err = s.Sender.Send(ctx, tenant.Webhook, string(webhookID(r)), s.Now(), body)
		reason = reasonUnreachable
	}
	if errors.Is(ctx.Err(), context.Canceled) && err != nil { // we shut down: no fault of the receiver's
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settling)
	defer cancel()
	if err != nil {
		s.Metrics.Add(resultFailed)
		if counted := s.Store.TryReminder(ctx, tenant.ID, r.ID, reason, s.Now()); !gone(counted) {
			return errors.Join(err, counted)
		}
		return nil // cancelled meanwhile
	}
	return s.delivered(ctx, tenant.ID, r)
}

// webhookID returns the id by which receivers recognise repeats: that of the reminder, or of this time if it repeats.
func webhookID(r recaller.Reminder) recaller.ReminderID {
	if r.Rule != "" {
		return r.Occurrence()
	}
	return r.ID
}

// end closes a reminder as delivered or dead, or makes it wait for the next time of its rule that is still to come. If
// the rule cannot be read, the reminder is dead in any case, because it does not end as was meant.
func (s *Service) end(
	ctx context.Context, tenant recaller.TenantID, r recaller.Reminder, status recaller.ReminderStatus,
) error {
	now := s.Now()
	from := r.DueAt
	if now.After(from) {
		from = now
	}
	next, more, err := repeat.Next(r.Rule, from)
	if err != nil {
		s.Log.Error("a reminder repeats no more", "tenant", string(tenant), "reminder", string(r.ID),
			"this_time", string(status), "reason", reasonRule)
		_, err = s.Store.CloseReminder(ctx, tenant, r.ID, recaller.ReminderDead, reasonRule, now)
		if err == nil && status == recaller.ReminderDelivered {
			s.Metrics.Add(resultDead)
		}
		return err
	}
	if err := s.Store.AdvanceReminder(ctx, tenant, r, status, next, now); err != nil {
		return err
	}
	if more {
		s.Enqueued()
	}
	return nil
}

// ended ends a reminder for the webhook: where the caller is reached, it may go on.
func (s *Service) ended(
	ctx context.Context, tenant recaller.TenantID, r recaller.Reminder, status recaller.ReminderStatus,
) error {
	if reaching(r) {
		return s.Errands.Told(ctx, tenant, r)
	}
	return s.end(ctx, tenant, r, status)
}

// delivered marks a reminder that the receiver took. If that fails, the job runs again, and sends it again.
func (s *Service) delivered(ctx context.Context, tenant recaller.TenantID, r recaller.Reminder) error {
	now := s.Now()
	if err := s.ended(ctx, tenant, r, recaller.ReminderDelivered); err != nil && !gone(err) {
		return err
	}
	late := max(now.Sub(r.DueAt), 0)
	s.Metrics.Add(resultDelivered)
	s.Metrics.Late(late)
	s.Log.Info("reminder delivered", "tenant", string(tenant), "reminder", string(r.ID), "failed_tries", r.Attempts,
		"late_ms", late.Milliseconds())
	return nil
}

// GiveUp closes a reminder of which every try failed. It is dead: it is listed, and can be tried again.
func (s *Service) GiveUp(ctx context.Context, j recaller.Job, _ error) error {
	r, err := s.Store.Reminder(ctx, j.Tenant, recaller.ReminderID(j.Subject))
	if err == nil && r.Rule != "" && moved(r, j) {
		return nil
	}
	if err == nil {
		err = s.ended(ctx, j.Tenant, r, recaller.ReminderDead)
	}
	if gone(err) {
		return nil
	}
	if err == nil {
		s.Metrics.Add(resultDead)
	}
	return err
}
