package store

import (
	"context"
	"slices"
	"time"

	"github.com/recallerhq/recaller"
)

const reminderColumns = `id, caller_id, memory_id, conversation_id, due_at, status, attempts, reason, created_at, closed_at`

func scanReminder(scan func(...any) error) (r recaller.Reminder, err error) {
	var due, created int64
	var closed *int64
	err = scan(&r.ID, &r.Caller, &r.Memory, &r.Conversation, &due, &r.Status, &r.Attempts, &r.Reason, &created, &closed)
	r.DueAt, r.CreatedAt, r.ClosedAt = fromMicros(due), fromMicros(created), fromNull(closed)
	return r, err
}

func readReminder(ctx context.Context, tx Tx, tenant recaller.TenantID, id recaller.ReminderID) (recaller.Reminder, error) {
	r, err := scanReminder(func(dest ...any) error {
		return tx.QueryRow(ctx, `SELECT `+reminderColumns+` FROM reminders WHERE tenant_id = $1 AND id = $2`+notErasing, []any{tenant, id}, dest...)
	})
	return r, notFound(err, "there is no such reminder")
}

// Reminder returns a reminder. That of a caller whose key is destroyed is not there, though a backup may have brought it back.
func (s *Store) Reminder(ctx context.Context, tenant recaller.TenantID, id recaller.ReminderID) (r recaller.Reminder, err error) {
	err = s.WithTenant(ctx, tenant, Reading, func(tx Tx) error {
		r, err = readReminder(ctx, tx, tenant, id)
		return err
	})
	if err != nil {
		return r, err
	}
	if _, err := s.unseal(ctx, tenant, r.Caller); err != nil {
		return recaller.Reminder{}, notFound(err, "there is no such reminder")
	}
	return r, nil
}

// Reminders lists reminders by due time, latest first. A page may be short of some whose caller is erased; only the last one
// has no cursor.
func (s *Store) Reminders(ctx context.Context, tenant recaller.TenantID, f recaller.ReminderFilter) (list []recaller.Reminder, cur string, err error) {
	from, limit, err := after(f.Page)
	if err != nil {
		return nil, "", err
	}
	q := where{args: []any{tenant, from.At, from.ID, limit + 1}}
	if f.Status != "" {
		q.eq(`status`, f.Status)
	}
	if f.Caller != "" {
		q.eq(`caller_id`, f.Caller)
	}
	err = s.WithTenant(ctx, tenant, Reading, func(tx Tx) error {
		return each(ctx, tx, `SELECT `+reminderColumns+` FROM reminders WHERE tenant_id = $1
			AND (due_at, id) < ($2, $3)`+notErasing+q.String()+` ORDER BY due_at DESC, id DESC LIMIT $4`, q.args, func(r Rows) error {
			one, err := scanReminder(r.Scan)
			list = append(list, one)
			return err
		})
	})
	if err != nil {
		return nil, "", err
	}
	list, cur = next(list, limit, func(r recaller.Reminder) cursor { return cursor{At: micros(r.DueAt), ID: string(r.ID)} })
	list, err = s.withKey(ctx, tenant, list)
	return list, cur, err
}

// withKey leaves out the reminders of callers whose key is destroyed: a backup brought them back.
func (s *Store) withKey(ctx context.Context, tenant recaller.TenantID, list []recaller.Reminder) (kept []recaller.Reminder, err error) {
	for _, r := range list {
		if _, err = s.unseal(ctx, tenant, r.Caller); err == nil {
			kept = append(kept, r)
		} else if recaller.KindOf(err) != recaller.NotFound {
			return nil, err
		}
	}
	return kept, nil
}

// remind sets a reminder of a memory, in the place of its pending one, with the job that fires it.
func (w memoryWrite) remind(ctx context.Context, tx Tx, m recaller.Memory, r recaller.Reminder, at time.Time) (*recaller.Reminder, error) {
	if m.Status != recaller.MemoryActive {
		return nil, errForgotten()
	}
	if err := cancelReminder(ctx, tx, w.tenant, m.ID, at); err != nil {
		return nil, err
	}
	r.Caller, r.Memory, r.Status, r.Attempts, r.Reason = w.caller, m.ID, recaller.ReminderPending, 0, ""
	r.DueAt, r.CreatedAt, r.ClosedAt = r.DueAt.UTC(), at.UTC(), time.Time{}
	_, err := tx.Exec(ctx, `INSERT INTO reminders (tenant_id, id, caller_id, memory_id, conversation_id, due_at, status, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
		w.tenant, r.ID, r.Caller, r.Memory, r.Conversation, micros(r.DueAt), r.Status, micros(r.CreatedAt))
	if err != nil {
		return nil, err
	}
	job := recaller.Job{ID: string(r.ID), Kind: recaller.JobReminder, Subject: string(r.ID), RunAt: r.DueAt}
	return &r, insertJob(ctx, tx, w.tenant, w.caller, job)
}

// cancelReminder cancels a memory's pending reminder, if it has one, and removes its job.
func cancelReminder(ctx context.Context, tx Tx, tenant recaller.TenantID, memory recaller.MemoryID, at time.Time) error {
	var id recaller.ReminderID
	err := tx.QueryRow(ctx, `UPDATE reminders SET status = 'cancelled', closed_at = $3 WHERE tenant_id = $1 AND memory_id = $2 AND status = 'pending' RETURNING id`,
		[]any{tenant, memory, micros(at)}, &id)
	if recaller.KindOf(err) == recaller.NotFound {
		return nil
	}
	if err != nil {
		return err
	}
	return deleteReminderJob(ctx, tx, tenant, id)
}

func deleteReminderJob(ctx context.Context, tx Tx, tenant recaller.TenantID, id recaller.ReminderID) error {
	_, err := tx.Exec(ctx, `DELETE FROM jobs WHERE tenant_id = $1 AND kind = $2 AND subject = $3`, tenant, recaller.JobReminder, id)
	return err
}

// checkReason holds reasons to their closed set (recaller.Reminder): they are readable in the database (spec 2.2).
func checkReason(reason string) error {
	if !slices.Contains([]string{"", "no webhook", "refused", "timeout", "unreachable", "server error"}, reason) {
		return recaller.Errorf(recaller.Internal, "a reminder fails for a reason from a closed set")
	}
	return nil
}

// TryReminder counts a try that failed, and keeps why. A reminder that is not pending any more is a Conflict.
func (s *Store) TryReminder(ctx context.Context, tenant recaller.TenantID, id recaller.ReminderID, reason string, _ time.Time) error {
	if err := checkReason(reason); err != nil {
		return err
	}
	_, err := s.moveReminder(ctx, tenant, id, errNotPending, func(tx Tx, dest ...any) error {
		return tx.QueryRow(ctx, `UPDATE reminders SET attempts = attempts + 1, reason = $3 WHERE tenant_id = $1 AND id = $2
			AND status = 'pending'`+notErasing+` RETURNING `+reminderColumns, []any{tenant, id, reason}, dest...)
	}, nil)
	return err
}

// CloseReminder ends a pending reminder; one that is not pending any more is a Conflict. reason "" leaves the last one. Its
// job goes in the same commit where the reminder is cancelled; that of one that was delivered or given up on is removed by
// who runs it.
func (s *Store) CloseReminder(ctx context.Context, tenant recaller.TenantID, id recaller.ReminderID, status recaller.ReminderStatus, reason string, at time.Time) (recaller.Reminder, error) {
	if !status.Valid() || status == recaller.ReminderPending {
		return recaller.Reminder{}, recaller.Errorf(recaller.Internal, "a reminder ends as delivered, cancelled or dead")
	}
	if err := checkReason(reason); err != nil {
		return recaller.Reminder{}, err
	}
	return s.moveReminder(ctx, tenant, id, errNotPending, func(tx Tx, dest ...any) error {
		return tx.QueryRow(ctx, `UPDATE reminders SET status = $3, reason = CASE WHEN $4 = '' THEN reason ELSE $4 END, closed_at = $5 WHERE tenant_id = $1 AND id = $2
			AND status = 'pending'`+notErasing+` RETURNING `+reminderColumns, []any{tenant, id, status, reason, micros(at)}, dest...)
	}, func(tx Tx, _ recaller.Reminder) error {
		if status != recaller.ReminderCancelled {
			return nil
		}
		return deleteReminderJob(ctx, tx, tenant, id)
	})
}

// ReviveReminder makes a dead reminder pending again, with a job whose id must be a new one: the runner may still be about
// to remove the old one. A reminder that is not dead, whose memory was forgotten or has another one pending by now, is a
// Conflict.
func (s *Store) ReviveReminder(ctx context.Context, tenant recaller.TenantID, id recaller.ReminderID, job recaller.Job, _ time.Time) (recaller.Reminder, error) {
	return s.moveReminder(ctx, tenant, id, errNotDead, func(tx Tx, dest ...any) error {
		err := tx.QueryRow(ctx, `UPDATE reminders SET status = 'pending', closed_at = NULL WHERE tenant_id = $1 AND id = $2
			AND status = 'dead'`+notErasing+` RETURNING `+reminderColumns, []any{tenant, id}, dest...)
		if recaller.KindOf(err) == recaller.Conflict {
			return recaller.Errorf(recaller.Conflict, "the memory has another reminder by now")
		}
		return err
	}, func(tx Tx, r recaller.Reminder) error {
		m, err := newest(ctx, tx, tenant, r.Memory)
		if err != nil {
			return err
		}
		if m.Status != recaller.MemoryActive {
			return errForgotten()
		}
		if err := deleteReminderJob(ctx, tx, tenant, id); err != nil {
			return err
		}
		return insertJob(ctx, tx, tenant, r.Caller, job)
	})
}

func errNotPending() error {
	return recaller.Errorf(recaller.Conflict, "the reminder is not pending any more")
}

func errNotDead() error {
	return recaller.Errorf(recaller.Conflict, "only a reminder that was given up on can be tried again")
}

// moveReminder runs an update that returns the reminder, and then what belongs to it, in one commit. Where the update finds
// nothing, the reminder is not there, or it stands elsewhere.
func (s *Store) moveReminder(ctx context.Context, tenant recaller.TenantID, id recaller.ReminderID, elsewhere func() error,
	update func(tx Tx, dest ...any) error, then func(Tx, recaller.Reminder) error,
) (r recaller.Reminder, err error) {
	if r, err = s.Reminder(ctx, tenant, id); err != nil {
		return r, err
	}
	err = s.WithCaller(ctx, tenant, r.Caller, func(tx Tx) error {
		r, err = scanReminder(func(dest ...any) error { return update(tx, dest...) })
		if recaller.KindOf(err) == recaller.NotFound {
			if r, err = readReminder(ctx, tx, tenant, id); err != nil {
				return err
			}
			return elsewhere()
		}
		if err != nil || then == nil {
			return err
		}
		return then(tx, r)
	})
	return r, err
}
