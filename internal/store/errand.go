package store

import (
	"cmp"
	"context"
	"strconv"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/memory/decide"
)

// This file keeps errands: what is done to reach the caller of a reminder that came due. An errand stands in the row of
// its reminder. It is sealed, because it holds numbers; what must be counted stands beside it.

// noErrand takes the errand out of the row of a reminder that waits for another time.
const noErrand = `errand = NULL, errand_state = '', reached_in = ''`

// shown is what stands beside the sealed errand.
type shown struct {
	label         string
	rungAt, rings int64
}

func stateOf(e *recaller.Errand) (s shown) {
	if e == nil {
		return s
	}
	s.label, s.rings = string(e.State), int64(e.Rings)
	if e.Rings > 0 {
		s.rungAt = micros(e.RungAt)
	}
	return s
}

// sealErrand seals an errand; nil where there is none.
func (b box) sealErrand(id recaller.ReminderID, e *recaller.Errand) ([]byte, error) {
	if e == nil {
		return nil, nil
	}
	return b.put("reminders.errand", string(id), e)
}

// ChangeErrand reads a reminder and writes what is to become of its errand, with the job that goes on with it, in one
// commit. Where that ends this time of the reminder, the same commit ends it, as AdvanceReminder does, and tells of it. A
// reminder that is not pending is a Conflict. It returns the reminder as it now is.
func (s *Store) ChangeErrand(
	ctx context.Context, tenant recaller.TenantID, id recaller.ReminderID, at time.Time, change recaller.ErrandChange,
) (recaller.Reminder, error) {
	r, b, err := s.reminder(ctx, tenant, id)
	if err != nil {
		return r, err
	}
	n, err := s.news(ctx, tenant)
	if err != nil {
		return r, err
	}
	began := *n
	err = s.WithCaller(ctx, tenant, r.Caller, func(tx Tx) error {
		*n = began
		row, err := readReminder(ctx, tx, tenant, id)
		if err != nil {
			return err
		}
		if r, err = b.openReminder(row); err != nil {
			return err
		}
		if r.Status != recaller.ReminderPending {
			return decide.NotWaiting()
		}
		w, err := change(r, func(now time.Time) (recaller.Errands, error) { return beside(ctx, tx, tenant, r, now) })
		if err != nil || w == nil {
			return err
		}
		r, err = b.writeErrand(ctx, tx, tenant, r, *w)
		if err != nil || w.Close == "" {
			return err
		}
		if err := checkReason(r.Reason); err != nil {
			return err
		}
		if err := b.advance(ctx, tx, tenant, r, w.Close, w.Next, at); err != nil {
			return err
		}
		told := r
		if !w.Next.IsZero() { // it goes on, and this time of it is kept under another id
			told.ID = r.Occurrence()
		}
		return n.reached(ctx, tx, told, w.Close, at)
	})
	if err == nil {
		n.committed()
	}
	return r, err
}

// writeErrand writes an errand into its reminder's row, with its job.
func (b box) writeErrand(
	ctx context.Context, tx Tx, tenant recaller.TenantID, r recaller.Reminder, w recaller.ErrandWrite,
) (recaller.Reminder, error) {
	w.Errand.Step++
	r.Errand = &w.Errand
	if w.Conversation != "" {
		r.ReachedIn = w.Conversation
	}
	if w.Close == recaller.ReminderDead {
		r.Reason = cmp.Or(w.Reason, w.Errand.Reason)
	}
	sealed, err := b.sealErrand(r.ID, r.Errand)
	if err != nil {
		return r, err
	}
	st := stateOf(r.Errand)
	_, err = tx.Exec(ctx, `UPDATE reminders SET errand = $3, errand_state = $4, rung_at = $5, rings = $6, reached_in = $7
		WHERE tenant_id = $1 AND id = $2`, tenant, r.ID, sealed, st.label, st.rungAt, st.rings, r.ReachedIn)
	if err != nil {
		return r, err
	}
	_, err = tx.Exec(ctx, `DELETE FROM jobs WHERE tenant_id = $1 AND kind = $2 AND subject = $3`,
		tenant, recaller.JobErrand, r.ID)
	if err != nil || w.Errand.State.Over() {
		return r, err
	}
	return r, insertJob(ctx, tx, tenant, r.Caller, r.ErrandJob())
}

// BusyErrands returns how many telephones of a tenant's callers ring, or are being talked to. Writes about several callers
// do not wait for each other, so it is no part of ChangeErrand: of processes that ask at the same moment each may be told
// the same.
func (s *Store) BusyErrands(ctx context.Context, tenant recaller.TenantID) (n int, err error) {
	err = s.WithTenant(ctx, tenant, Reading, func(tx Tx) error {
		return tx.QueryRow(ctx, `SELECT count(*) FROM reminders WHERE tenant_id = $1 AND status = 'pending'
			AND errand_state IN ('dialling', 'ringing', 'talking')`, []any{tenant}, &n)
	})
	return n, err
}

// beside reads what stands beside an errand, of its caller's.
func beside(
	ctx context.Context, tx Tx, tenant recaller.TenantID, r recaller.Reminder, now time.Time,
) (out recaller.Errands, err error) {
	err = tx.QueryRow(ctx, `SELECT coalesce(sum(rings), 0) FROM reminders WHERE tenant_id = $1 AND caller_id = $2
		AND rung_at > $3 AND rung_at > 0`, []any{tenant, r.Caller, micros(now.Add(-24 * time.Hour))}, &out.OfDay)
	if err != nil {
		return out, err
	}
	talking := 0
	err = tx.QueryRow(ctx, `SELECT count(*) FROM conversations WHERE tenant_id = $1 AND caller_id = $2
		AND status = 'active' AND channel = 'voice'`, []any{tenant, r.Caller}, &talking)
	if err != nil {
		return out, err
	}
	ringing := 0
	err = tx.QueryRow(ctx, `SELECT count(*) FROM reminders WHERE tenant_id = $1 AND caller_id = $2 AND status = 'pending'
		AND errand_state NOT IN ('', 'waiting', 'texting', 'reached', 'failed') AND id <> $3`, []any{tenant, r.Caller, r.ID}, &ringing)
	out.Talking = talking+ringing > 0
	return out, err
}

// reached tells what became of an errand.
func (n *news) reached(
	ctx context.Context, tx Tx, r recaller.Reminder, status recaller.ReminderStatus, at time.Time,
) error {
	t := recaller.EventReminderDelivered
	if status == recaller.ReminderDead {
		t = recaller.EventReminderFailed
	}
	if !n.wanted(t) {
		return nil
	}
	return n.tell(ctx, tx, recaller.Event{
		ID:   recaller.EventIDOf(n.tenant, t, string(r.ID), strconv.FormatInt(micros(r.DueAt), 10), strconv.Itoa(r.Errand.Step)),
		Type: t, Caller: r.Caller, Conversation: r.ReachedIn, Memory: r.Memory, Reminder: r.ID, At: at,
	})
}

// reachedQuery reads the reminders about which a caller was reached in a conversation, the latest first.
func (b box) reachedQuery(tenant recaller.TenantID, caller recaller.CallerID, list *[]recaller.Reminder) Query {
	q := b.pendingQuery(tenant, caller, list)
	q.SQL = `SELECT ` + reminderColumns + ` FROM reminders WHERE tenant_id = $1 AND caller_id = $2
		AND reached_in <> '' ORDER BY due_at DESC LIMIT ` + itoa(snapshotReached)
	return q
}

// snapshotReached bounds how many of them a snapshot has.
const snapshotReached = 4
