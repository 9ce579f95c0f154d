package store

import (
	"context"
	"slices"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/memory/decide"
)

// This file moves reminders on after they were set: tried, closed, advanced to their next time, revived.

// checkReason refuses reasons outside the closed set of recaller.Reminder, because they are not sealed in the database
// (spec 2.2).
func checkReason(reason string) error {
	if !slices.Contains([]string{"", "no webhook", "refused", "timeout", "unreachable", "server error", "unreadable rule"}, reason) &&
		!slices.Contains(recaller.ErrandReasons(), reason) {
		return recaller.Errorf(recaller.Internal, "a reminder fails for a reason from a closed set")
	}
	return nil
}

// TryReminder counts a try that failed, and keeps why. A reminder that is not pending any more is a Conflict.
func (s *Store) TryReminder(
	ctx context.Context, tenant recaller.TenantID, id recaller.ReminderID, reason string, _ time.Time,
) error {
	if err := checkReason(reason); err != nil {
		return err
	}
	_, err := s.moveReminder(ctx, tenant, id, decide.NotWaiting, func(tx Tx, dest ...any) error {
		return tx.QueryRow(ctx, `UPDATE reminders SET attempts = attempts + 1, reason = $3 WHERE tenant_id = $1
			AND id = $2
			AND status = 'pending'`+notErasing+` RETURNING `+reminderColumns, []any{tenant, id, reason}, dest...)
	}, nil)
	return err
}

// CloseReminder ends a pending reminder. One that is not pending any more is a Conflict. An empty reason leaves the
// last one. Where the reminder is cancelled its job goes in the same commit; where it was delivered or given up on,
// whoever runs the job removes it.
func (s *Store) CloseReminder(
	ctx context.Context, tenant recaller.TenantID, id recaller.ReminderID, status recaller.ReminderStatus,
	reason string, at time.Time,
) (recaller.Reminder, error) {
	if !status.Valid() || status == recaller.ReminderPending {
		return recaller.Reminder{}, recaller.Errorf(recaller.Internal, "a reminder ends as delivered, cancelled or dead")
	}
	if err := checkReason(reason); err != nil {
		return recaller.Reminder{}, err
	}
	return s.moveReminder(ctx, tenant, id, decide.NotWaiting, func(tx Tx, dest ...any) error {
		return tx.QueryRow(ctx, `UPDATE reminders SET status = $3, reason = CASE WHEN $4 = '' THEN reason ELSE $4 END,
			closed_at = $5 WHERE tenant_id = $1 AND id = $2
			AND status = 'pending'`+notErasing+`
			RETURNING `+reminderColumns, []any{tenant, id, status, reason, micros(at)}, dest...)
	}, func(tx Tx, _ recaller.Reminder) error {
		if status != recaller.ReminderCancelled {
			return nil
		}
		return deleteReminderJob(ctx, tx, tenant, id)
	})
}

// AdvanceReminder ends the time that a reminder waits for, as delivered or dead. With a zero next it closes the
// reminder itself. Otherwise, in one commit, it keeps that time as a reminder of its own with the id r.Occurrence(),
// and the reminder waits for next, with a new job. A reminder that was moved meanwhile, or is not pending any more, is
// a Conflict.
func (s *Store) AdvanceReminder(
	ctx context.Context, tenant recaller.TenantID, r recaller.Reminder, status recaller.ReminderStatus,
	next, at time.Time,
) error {
	if status != recaller.ReminderDelivered && status != recaller.ReminderDead {
		return recaller.Errorf(recaller.Internal, "an occurrence ends as delivered or dead")
	}
	_, b, err := s.reminder(ctx, tenant, r.ID)
	if err != nil {
		return err
	}
	return s.WithCaller(ctx, tenant, r.Caller, func(tx Tx) error { return b.advance(ctx, tx, tenant, r, status, next, at) })
}

// advance is AdvanceReminder in a commit.
func (b box) advance(
	ctx context.Context, tx Tx, tenant recaller.TenantID, r recaller.Reminder, status recaller.ReminderStatus,
	next, at time.Time,
) error {
	if next.IsZero() {
		return closeAt(ctx, tx, tenant, r, status, at)
	}
	done := r
	done.ID, done.Rule, done.Status, done.ClosedAt = r.Occurrence(), "", status, at
	body, err := b.sealReminderBody(done.ID, reminderBody{Text: r.Text})
	if err != nil {
		return err
	}
	errand, err := b.sealErrand(done.ID, r.Errand)
	if err != nil {
		return err
	}
	n, err := tx.Exec(ctx, `UPDATE reminders SET due_at = $4, attempts = 0, reason = '', `+noErrand+` WHERE tenant_id = $1
		AND id = $2 AND due_at = $3
		AND status = 'pending'`+notErasing, tenant, r.ID, micros(r.DueAt), micros(next))
	if err != nil {
		return err
	}
	if n == 0 {
		return decide.NotWaiting()
	}
	if err := insertReminder(ctx, tx, tenant, done, body, errand); err != nil {
		return err
	}
	r.DueAt = next
	return putReminderJob(ctx, tx, tenant, r)
}

// closeAt closes a reminder that still waits for the time of r.
func closeAt(
	ctx context.Context, tx Tx, tenant recaller.TenantID, r recaller.Reminder, status recaller.ReminderStatus, at time.Time,
) error {
	n, err := tx.Exec(ctx, `UPDATE reminders SET status = $4, closed_at = $5, reason = $6 WHERE tenant_id = $1 AND id = $2
		AND due_at = $3
		AND status = 'pending'`+notErasing, tenant, r.ID, micros(r.DueAt), status, micros(at), r.Reason)
	if err == nil && n == 0 {
		return decide.NotWaiting()
	}
	return err
}

// ReviveReminder makes a dead reminder pending again. The job must have a new id, because the runner may still be about
// to remove the old one. A reminder that is not dead, or whose memory was forgotten, is a Conflict.
func (s *Store) ReviveReminder(
	ctx context.Context, tenant recaller.TenantID, id recaller.ReminderID, job recaller.Job, _ time.Time,
) (recaller.Reminder, error) {
	return s.moveReminder(ctx, tenant, id, errNotDead, func(tx Tx, dest ...any) error {
		return tx.QueryRow(ctx, `UPDATE reminders SET status = 'pending', closed_at = NULL, `+noErrand+`
			WHERE tenant_id = $1 AND id = $2
			AND status = 'dead'`+notErasing+` RETURNING `+reminderColumns, []any{tenant, id}, dest...)
	}, func(tx Tx, r recaller.Reminder) error {
		m, err := newest(ctx, tx, tenant, r.Memory)
		if err != nil {
			return err
		}
		if err := decide.Remindable(m.Memory); err != nil {
			return err
		}
		if err := deleteReminderJob(ctx, tx, tenant, id); err != nil {
			return err
		}
		return insertJob(ctx, tx, tenant, r.Caller, job)
	})
}

func errNotDead() error {
	return recaller.Errorf(recaller.Conflict, "only a reminder that was given up on can be tried again")
}

// moveReminder runs an update that returns the reminder, and then what belongs to it, in one commit. If the update
// changes nothing it fails: with NotFound if there is no such reminder, else with elsewhere.
func (s *Store) moveReminder(
	ctx context.Context, tenant recaller.TenantID, id recaller.ReminderID, elsewhere func() error,
	update func(tx Tx, dest ...any) error, then func(Tx, recaller.Reminder) error,
) (recaller.Reminder, error) {
	r, b, err := s.reminder(ctx, tenant, id)
	if err != nil {
		return r, err
	}
	err = s.WithCaller(ctx, tenant, r.Caller, func(tx Tx) error {
		row, err := scanReminder(func(dest ...any) error { return update(tx, dest...) })
		if recaller.KindOf(err) == recaller.NotFound {
			if _, err = readReminder(ctx, tx, tenant, id); err != nil {
				return err
			}
			return elsewhere()
		}
		if err != nil {
			return err
		}
		if r, err = b.openReminder(row); err != nil || then == nil {
			return err
		}
		return then(tx, r)
	})
	return r, err
}
