package store

import (
	"context"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/memory/decide"
)

const reminderColumns = `id, caller_id, memory_id, conversation_id, due_at, status, attempts, reason, created_at, closed_at, rule, body, means, errand, reached_in`

// sealedReminder is a reminder as it was read, its words still sealed.
type sealedReminder struct {
	recaller.Reminder
	body, errand []byte
}

func scanReminder(scan func(...any) error) (r sealedReminder, err error) {
	var due, created int64
	var closed *int64
	err = scan(&r.ID, &r.Caller, &r.Memory, &r.Conversation, &due, &r.Status, &r.Attempts, &r.Reason,
		&created, &closed, &r.Rule, &r.body, &r.Means, &r.errand, &r.ReachedIn)
	r.DueAt, r.CreatedAt, r.ClosedAt = fromMicros(due), fromMicros(created), fromNull(closed)
	return r, err
}

func (b box) openReminder(r sealedReminder) (recaller.Reminder, error) {
	s, err := b.openStanding(r)
	return s.Reminder, err
}

// pendingQuery reads a caller's pending reminders into list, soonest first, at most snapshotMemories.
func (b box) pendingQuery(tenant recaller.TenantID, caller recaller.CallerID, list *[]recaller.Reminder) Query {
	return Query{
		SQL: `SELECT ` + reminderColumns + ` FROM reminders WHERE tenant_id = $1 AND caller_id = $2
			AND status = 'pending' ORDER BY due_at, id
			LIMIT ` + itoa(snapshotMemories),
		Args: []any{tenant, caller},
		Row: func(scan func(...any) error) error {
			row, err := scanReminder(scan)
			if err != nil {
				return err
			}
			r, err := b.openReminder(row)
			*list = append(*list, r)
			return err
		},
	}
}

func readReminder(
	ctx context.Context, tx Tx, tenant recaller.TenantID, id recaller.ReminderID,
) (sealedReminder, error) {
	r, err := scanReminder(func(dest ...any) error {
		return tx.QueryRow(ctx, `SELECT `+reminderColumns+` FROM reminders WHERE tenant_id = $1 AND id = $2`+notErasing,
			[]any{tenant, id}, dest...)
	})
	return r, notFound(err, "there is no such reminder")
}

// Reminder returns a reminder. If the caller's key is destroyed it fails with NotFound, even where a backup brought the
// reminder back.
func (s *Store) Reminder(
	ctx context.Context, tenant recaller.TenantID, id recaller.ReminderID,
) (recaller.Reminder, error) {
	r, _, err := s.reminder(ctx, tenant, id)
	return r, err
}

func (s *Store) reminder(
	ctx context.Context, tenant recaller.TenantID, id recaller.ReminderID,
) (r recaller.Reminder, b box, err error) {
	var row sealedReminder
	err = s.WithTenant(ctx, tenant, Reading, func(tx Tx) error {
		row, err = readReminder(ctx, tx, tenant, id)
		return err
	})
	if err != nil {
		return r, b, err
	}
	if b, err = s.unseal(ctx, tenant, row.Caller); err != nil {
		return r, b, notFound(err, "there is no such reminder")
	}
	r, err = b.openReminder(row)
	return r, b, err
}

// Reminders lists reminders by due time, latest first. A page may be short, because reminders of erased callers are
// left out; only the last page has no cursor.
func (s *Store) Reminders(
	ctx context.Context, tenant recaller.TenantID, f recaller.ReminderFilter,
) (list []recaller.Reminder, cur string, err error) {
	from, limit, err := after(f.Page)
	if err != nil {
		return nil, "", err
	}
	q := where{args: []any{tenant, from.At, from.ID, limit + 1}}
	switch f.Status {
	case "":
	case recaller.ReminderPending:
		q.and(`status = 'pending'`) // spelled out so that the partial index serves it
	default:
		q.eq(`status`, f.Status)
	}
	if f.Caller != "" {
		q.eq(`caller_id`, f.Caller)
	}
	var rows []sealedReminder
	err = s.read(ctx, tenant, f.Caller, func(tx Tx) error {
		return each(ctx, tx, `SELECT `+reminderColumns+` FROM reminders WHERE tenant_id = $1
			AND (due_at, id) < ($2, $3)`+notErasing+q.String()+` ORDER BY due_at DESC, id DESC
			LIMIT $4`, q.args, func(r Rows) error {
			one, err := scanReminder(r.Scan)
			rows = append(rows, one)
			return err
		})
	})
	if err != nil {
		return nil, "", err
	}
	rows, cur = next(rows, limit, func(r sealedReminder) cursor { return cursor{At: micros(r.DueAt), ID: string(r.ID)} })
	list, err = s.withKey(ctx, tenant, rows)
	return list, cur, err
}

// withKey opens reminders. It leaves out those of callers whose key is destroyed, which a backup brought back. Where the
// key is missing the reminder is marked, and has only what is not sealed.
func (s *Store) withKey(
	ctx context.Context, tenant recaller.TenantID, rows []sealedReminder,
) (kept []recaller.Reminder, err error) {
	for _, row := range rows {
		b, err := s.unseal(ctx, tenant, row.Caller)
		if recaller.KindOf(err) == recaller.NotFound {
			continue
		}
		if recaller.IsKeyMissing(err) {
			row.Unreadable = true
			kept = append(kept, row.Reminder)
			continue
		}
		if err != nil {
			return nil, err
		}
		r, err := b.openReminder(row)
		if err != nil {
			return nil, err
		}
		kept = append(kept, r)
	}
	return kept, nil
}

// remind sets a reminder of a memory, with the job that fires it: see decide.Reminding.
func (w memoryWrite) remind(
	ctx context.Context, tx Tx, m recaller.Memory, r recaller.Reminder, at time.Time,
) (*recaller.Reminder, error) {
	pending, err := w.pending(ctx, tx, m.ID)
	if err != nil {
		return nil, err
	}
	r, place, err := decide.Reminding(m, waiting(pending), r, at)
	if err != nil {
		return nil, err
	}
	sealed := reminderBody{Text: r.Text}
	if place >= 0 {
		sealed = pending[place].moved(r, at)
	}
	body, err := w.box.sealReminderBody(r.ID, sealed)
	if err != nil {
		return nil, err
	}
	if place >= 0 {
		_, err = tx.Exec(ctx, `UPDATE reminders
			SET conversation_id = $3, due_at = $4, rule = $5, body = $6, means = $7, attempts = 0, reason = '', `+noErrand+`
			WHERE tenant_id = $1 AND id = $2`,
			w.tenant, r.ID, r.Conversation, micros(r.DueAt), r.Rule, body, r.Means)
	} else {
		err = insertReminder(ctx, tx, w.tenant, r, body, nil)
	}
	if err != nil {
		return nil, err
	}
	return &r, putReminderJob(ctx, tx, w.tenant, r)
}

// pending reads the reminders of a memory that wait.
func (w memoryWrite) pending(ctx context.Context, tx Tx, memory recaller.MemoryID) (list []standing, err error) {
	err = each(ctx, tx, `SELECT `+reminderColumns+` FROM reminders WHERE tenant_id = $1 AND memory_id = $2
		AND status = 'pending' ORDER BY due_at`,
		[]any{w.tenant, memory}, func(rows Rows) error {
			row, err := scanReminder(rows.Scan)
			if err != nil {
				return err
			}
			r, err := w.box.openStanding(row)
			list = append(list, r)
			return err
		})
	return list, err
}

// waiting returns the reminders without their earlier times.
func waiting(list []standing) []recaller.Reminder {
	out := make([]recaller.Reminder, len(list))
	for i, s := range list {
		out[i] = s.Reminder
	}
	return out
}

func insertReminder(
	ctx context.Context, tx Tx, tenant recaller.TenantID, r recaller.Reminder, body, errand []byte,
) error {
	st := stateOf(r.Errand)
	_, err := tx.Exec(ctx, `INSERT INTO reminders (tenant_id, id, caller_id, memory_id, conversation_id, due_at, status, attempts, reason, created_at, closed_at, rule, body,
		means, errand, errand_state, rung_at, rings, reached_in)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)`, tenant, r.ID, r.Caller, r.Memory, r.Conversation, micros(r.DueAt), r.Status,
		r.Attempts, r.Reason, micros(r.CreatedAt), microsOrNil(r.ClosedAt), r.Rule, body,
		r.Means, errand, st.label, st.rungAt, st.rings, r.ReachedIn)
	return err
}

// putReminderJob makes the job of a reminder, in place of those that it has. The job's id names the time that it is
// for: the runner may still be about to remove the job of another time.
func putReminderJob(ctx context.Context, tx Tx, tenant recaller.TenantID, r recaller.Reminder) error {
	if err := deleteReminderJob(ctx, tx, tenant, r.ID); err != nil {
		return err
	}
	return insertJob(ctx, tx, tenant, r.Caller, recaller.Job{
		ID: string(r.Occurrence()), Kind: recaller.JobReminder, Subject: string(r.ID), RunAt: r.DueAt,
	})
}

// cancelReminders cancels the pending reminders of a forgotten memory and removes their jobs. It also removes the words
// of all reminders that the memory ever had.
func cancelReminders(
	ctx context.Context, tx Tx, tenant recaller.TenantID, memory recaller.MemoryID, at time.Time,
) error {
	_, err := tx.Exec(ctx, `DELETE FROM jobs WHERE tenant_id = $1 AND (kind = $3 OR kind = $4)
		AND subject IN (SELECT id FROM reminders WHERE tenant_id = $1 AND memory_id = $2
		AND status = 'pending')`, tenant, memory, recaller.JobReminder, recaller.JobErrand)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `UPDATE reminders SET status = 'cancelled', closed_at = $3 WHERE tenant_id = $1
		AND memory_id = $2 AND status = 'pending'`,
		tenant, memory, micros(at))
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `UPDATE reminders SET body = NULL WHERE tenant_id = $1 AND memory_id = $2`, tenant, memory)
	return err
}

// cancelOne cancels one pending reminder of a memory, and removes its job.
func (w memoryWrite) cancelOne(
	ctx context.Context, tx Tx, m recaller.Memory, id recaller.ReminderID, at time.Time,
) (*recaller.Reminder, error) {
	pending, err := w.pending(ctx, tx, m.ID)
	if err != nil {
		return nil, err
	}
	r, err := decide.Cancelling(waiting(pending), id, at)
	if err != nil {
		return nil, err
	}
	if _, err := tx.Exec(ctx, `UPDATE reminders SET status = $3, closed_at = $4 WHERE tenant_id = $1 AND id = $2`,
		w.tenant, id, r.Status, micros(at)); err != nil {
		return nil, err
	}
	return &r, deleteReminderJob(ctx, tx, w.tenant, id)
}

// deleteReminderJob removes the jobs of a reminder: that which fires it, and that of its errand.
func deleteReminderJob(ctx context.Context, tx Tx, tenant recaller.TenantID, id recaller.ReminderID) error {
	_, err := tx.Exec(ctx, `DELETE FROM jobs WHERE tenant_id = $1 AND (kind = $2 OR kind = $3) AND subject = $4`,
		tenant, recaller.JobReminder, recaller.JobErrand, id)
	return err
}
