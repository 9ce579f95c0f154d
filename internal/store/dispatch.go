package store

import (
	"context"
	"slices"
	"time"

	"github.com/recallerhq/recaller"
)

const dispatchColumns = `id, caller_id, type, conversation_id, memory_id, memory_version, sequence, at, status, attempts,
	reason, closed_at, reminder_id`

func scanDispatch(scan func(...any) error) (d recaller.Dispatch, err error) {
	var at int64
	var closed *int64
	err = scan(&d.ID, &d.Caller, &d.Type, &d.Conversation, &d.Memory, &d.MemoryVersion, &d.Sequence, &at, &d.Status,
		&d.Attempts, &d.Reason, &closed, &d.Reminder)
	d.At, d.ClosedAt = fromMicros(at), fromNull(closed)
	return d, err
}

// insertDispatch writes an event that waits to be sent. One that waits already, or was given up on, stays as it is.
func insertDispatch(tenant recaller.TenantID, e recaller.Event) Query {
	return Query{
		SQL: `INSERT INTO dispatches (tenant_id, id, caller_id, type, conversation_id, memory_id, memory_version, sequence, at,
			status, reminder_id) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, 'pending', $10)
			ON CONFLICT (tenant_id, id) DO NOTHING`,
		Args: []any{
			tenant, e.ID, e.Caller, e.Type, e.Conversation, e.Memory, e.MemoryVersion, e.Sequence, micros(e.At),
			e.Reminder,
		},
	}
}

// insertDead writes an event that nobody tries to send, because too many wait. One that waits already stays as it is.
func insertDead(tenant recaller.TenantID, e recaller.Event, at time.Time) Query {
	q := insertDispatch(tenant, e)
	return Query{
		SQL: `INSERT INTO dispatches (tenant_id, id, caller_id, type, conversation_id, memory_id, memory_version, sequence, at,
			status, reminder_id, reason, closed_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, 'dead', $10, $11, $12)
			ON CONFLICT (tenant_id, id) DO NOTHING`,
		Args: append(q.Args, recaller.ReasonTooMany, micros(at)),
	}
}

// WaitingDispatches counts the deliveries of a tenant that wait to be sent, or tried again, up to most.
func (s *Store) WaitingDispatches(ctx context.Context, tenant recaller.TenantID, most int) (n int, err error) {
	err = s.WithTenant(ctx, tenant, Reading, func(tx Tx) error {
		return tx.QueryRow(ctx, `SELECT count(*) FROM (SELECT 1 FROM jobs WHERE tenant_id = $1 AND kind = $2 LIMIT `+itoa(most)+`) AS w`,
			[]any{tenant, recaller.JobDispatch}, &n)
	})
	return n, err
}

// insertDispatchJob makes the job that sends it, due when it happened. So a caller's come in order.
func insertDispatchJob(tenant recaller.TenantID, e recaller.Event) Query {
	return Query{
		SQL: `INSERT INTO jobs (tenant_id, kind, subject, id, caller_id, run_at) VALUES ($1, $2, $3, $3, $4, $5)
			ON CONFLICT (tenant_id, kind, subject) DO NOTHING`,
		Args: []any{tenant, recaller.JobDispatch, e.ID, e.Caller, micros(e.At)},
	}
}

// Dispatch returns an event that the tenant's webhook has not taken yet. NotFound: it was delivered, pruned, or the
// caller is being erased.
func (s *Store) Dispatch(
	ctx context.Context, tenant recaller.TenantID, id recaller.EventID,
) (d recaller.Dispatch, err error) {
	err = s.WithTenant(ctx, tenant, Reading, func(tx Tx) error {
		d, err = readDispatch(ctx, tx, tenant, id)
		return err
	})
	return d, err
}

func readDispatch(
	ctx context.Context, tx Tx, tenant recaller.TenantID, id recaller.EventID,
) (recaller.Dispatch, error) {
	d, err := scanDispatch(func(dest ...any) error {
		return tx.QueryRow(ctx, `SELECT `+dispatchColumns+` FROM dispatches WHERE tenant_id = $1 AND id = $2`+notErasing,
			[]any{tenant, id}, dest...)
	})
	return d, notFound(err, "there is no such delivery")
}

// Dispatches lists what the tenant's webhook has not taken yet, latest first.
func (s *Store) Dispatches(
	ctx context.Context, tenant recaller.TenantID, f recaller.DispatchFilter,
) (list []recaller.Dispatch, cur string, err error) {
	from, limit, err := after(f.Page)
	if err != nil {
		return nil, "", err
	}
	status := ""
	switch f.Status {
	case recaller.DispatchDead:
		status = ` AND status = 'dead'` // spelled out so that the partial index serves it
	case recaller.DispatchPending:
		status = ` AND status = 'pending'`
	}
	err = s.WithTenant(ctx, tenant, Reading, func(tx Tx) error {
		return each(ctx, tx, `SELECT `+dispatchColumns+` FROM dispatches WHERE tenant_id = $1
			AND (at, id) < ($2, $3)`+status+notErasing+` ORDER BY at DESC, id DESC LIMIT $4`,
			[]any{tenant, from.At, from.ID, limit + 1}, func(r Rows) error {
				d, err := scanDispatch(r.Scan)
				list = append(list, d)
				return err
			})
	})
	if err != nil {
		return nil, "", err
	}
	list, cur = next(list, limit, func(d recaller.Dispatch) cursor { return cursor{At: micros(d.At), ID: string(d.ID)} })
	return list, cur, nil
}

// FinishDispatch removes what was delivered, or needs no delivery any more.
func (s *Store) FinishDispatch(ctx context.Context, tenant recaller.TenantID, d recaller.Dispatch) error {
	return s.WithCaller(ctx, tenant, d.Caller, func(tx Tx) error {
		_, err := tx.Exec(ctx, `DELETE FROM dispatches WHERE tenant_id = $1 AND id = $2`, tenant, d.ID)
		return err
	})
}

// TryDispatch counts a try that failed, and keeps why. One that is gone or dead stays as it is.
func (s *Store) TryDispatch(
	ctx context.Context, tenant recaller.TenantID, d recaller.Dispatch, reason string,
) error {
	return s.failDispatch(ctx, tenant, d, reason, `attempts = attempts + 1, reason = $3`, reason)
}

// BuryDispatch gives a dispatch up, with why. It is dead: it is listed, and can be sent again.
func (s *Store) BuryDispatch(
	ctx context.Context, tenant recaller.TenantID, d recaller.Dispatch, reason string, at time.Time,
) error {
	return s.failDispatch(ctx, tenant, d, reason, `status = 'dead', reason = $3, closed_at = $4`, reason, micros(at))
}

func (s *Store) failDispatch(
	ctx context.Context, tenant recaller.TenantID, d recaller.Dispatch, reason, set string, args ...any,
) error {
	if !slices.Contains(recaller.DispatchReasons(), reason) {
		return recaller.Errorf(recaller.Internal, "a delivery fails for a reason from a closed set")
	}
	return s.WithCaller(ctx, tenant, d.Caller, func(tx Tx) error {
		_, err := tx.Exec(ctx, `UPDATE dispatches SET `+set+` WHERE tenant_id = $1 AND id = $2 AND status = 'pending'`,
			append([]any{tenant, d.ID}, args...)...)
		return err
	})
}

// ReviveDispatch makes a dispatch due at a time, whether it was given up on or waits for its next try. The job has a new
// id, because the runner may still be about to remove the old one.
func (s *Store) ReviveDispatch(
	ctx context.Context, tenant recaller.TenantID, id recaller.EventID, job string, at time.Time,
) (recaller.Dispatch, error) {
	d, err := s.Dispatch(ctx, tenant, id)
	if err != nil {
		return d, err
	}
	err = s.WithCaller(ctx, tenant, d.Caller, func(tx Tx) error {
		if err := alive(ctx, tx, tenant, d.Caller); err != nil {
			return err
		}
		n, err := tx.Exec(ctx, `UPDATE dispatches SET status = 'pending', attempts = 0, reason = '', closed_at = NULL
			WHERE tenant_id = $1 AND id = $2`, tenant, id)
		if err == nil && n == 0 {
			err = recaller.Errorf(recaller.NotFound, "there is no such delivery")
		}
		if err != nil {
			return err
		}
		again := recaller.Job{ID: job, Tenant: tenant, Kind: recaller.JobDispatch, Subject: string(id), RunAt: at}
		if _, err := tx.Exec(ctx, `DELETE FROM jobs WHERE tenant_id = $1 AND kind = $2 AND subject = $3`,
			tenant, again.Kind, again.Subject); err != nil {
			return err
		}
		if err := insertJob(ctx, tx, tenant, d.Caller, again); err != nil {
			return err
		}
		d, err = readDispatch(ctx, tx, tenant, id)
		return err
	})
	return d, err
}

// DeadDispatches returns the ids of up to limit dispatches that were given up on, those first that were so longest ago.
func (s *Store) DeadDispatches(
	ctx context.Context, tenant recaller.TenantID, limit int,
) (ids []recaller.EventID, err error) {
	err = s.WithTenant(ctx, tenant, Reading, func(tx Tx) error {
		return each(ctx, tx, `SELECT id FROM dispatches WHERE tenant_id = $1 AND status = 'dead' AND closed_at > 0`+notErasing+`
			ORDER BY closed_at, id LIMIT `+itoa(limit), []any{tenant}, func(r Rows) error {
			var id recaller.EventID
			err := r.Scan(&id)
			ids = append(ids, id)
			return err
		})
	})
	return ids, err
}

// PruneDispatches removes what was given up on before a time, of all tenants.
func (s *Store) PruneDispatches(ctx context.Context, before time.Time) error {
	ids, err := s.TenantIDs(ctx)
	if err != nil {
		return err
	}
	for _, id := range ids {
		err := s.WithTenant(ctx, id, Writing, func(tx Tx) error {
			_, err := tx.Exec(ctx, `DELETE FROM dispatches WHERE tenant_id = $1 AND status = 'dead' AND closed_at < $2`,
				id, micros(before))
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
