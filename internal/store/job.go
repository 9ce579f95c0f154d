package store

import (
	"context"
	"time"

	"github.com/recallerhq/recaller"
)

func insertJob(ctx context.Context, tx Tx, tenant recaller.TenantID, caller recaller.CallerID, j recaller.Job) error {
	_, err := tx.Exec(ctx, `INSERT INTO jobs (tenant_id, kind, subject, id, caller_id, run_at)
		VALUES ($1, $2, $3, $4, $5, $6)
		ON CONFLICT (tenant_id, kind, subject) DO NOTHING`, tenant, j.Kind, j.Subject, j.ID, caller, micros(j.RunAt))
	return err
}

// ClaimJobs takes up to limit jobs that are due and leases them until the given time. When a worker dies its leases run
// out, and its jobs can be claimed again. Those are taken first, because a steady stream of new jobs could keep them
// waiting for ever. Jobs like those in except are left alone: of the same kind, and of the same caller if one is given.
func (s *Store) ClaimJobs(
	ctx context.Context, now, until time.Time, limit int, except ...recaller.Job,
) (jobs []recaller.Job, err error) {
	others, args := unlike(except, micros(now))
	due := []string{
		`leased_until > 0 AND leased_until <= $1` + others + ` ORDER BY leased_until`,
		`leased_until = 0 AND run_at <= $1` + others + ` ORDER BY run_at`,
	}
	err = s.WithSystem(ctx, Writing, func(tx Tx) error {
		for _, rows := range due {
			// The limit is spelled out: SQLite plans a statement anew each time its limit is bound.
			query := `SELECT id, tenant_id, kind, subject, caller_id, run_at, attempts FROM jobs WHERE ` + rows + `
				LIMIT ` + itoa(limit-len(jobs)) + s.engine.Dialect().SkipLocked
			err := each(ctx, tx, query, args, func(r Rows) error {
				var j recaller.Job
				var runAt int64
				err := r.Scan(&j.ID, &j.Tenant, &j.Kind, &j.Subject, &j.Caller, &runAt, &j.Attempts)
				j.RunAt = fromMicros(runAt)
				jobs = append(jobs, j)
				return err
			})
			if err != nil {
				return err
			}
		}
		for i := range jobs {
			jobs[i].Attempts++
			_, err := tx.Exec(ctx, `UPDATE jobs SET leased_until = $4, attempts = $5 WHERE tenant_id = $1 AND kind = $2
				AND subject = $3`,
				jobs[i].Tenant, jobs[i].Kind, jobs[i].Subject, micros(until), jobs[i].Attempts)
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return jobs, nil
}

// unlike returns the condition that a job is like none of the given ones (see ClaimJobs), and args with its arguments
// appended.
func unlike(jobs []recaller.Job, args ...any) (condition string, all []any) {
	for _, j := range jobs {
		args = append(args, j.Kind)
		like := `kind = $` + itoa(len(args))
		if j.Caller != "" {
			args = append(args, j.Tenant, j.Caller)
			like += ` AND tenant_id = $` + itoa(len(args)-1) + ` AND caller_id = $` + itoa(len(args))
		}
		condition += ` AND NOT (` + like + `)`
	}
	return condition, args
}

// NextJob returns when the next job is due, leaving out jobs like those in except; the zero time if there is none.
func (s *Store) NextJob(ctx context.Context, except ...recaller.Job) (at time.Time, err error) {
	var next *int64
	others, args := unlike(except)
	err = s.WithSystem(ctx, Reading, func(tx Tx) error {
		return tx.QueryRow(ctx, `SELECT min(at) FROM (
			SELECT min(run_at) AS at FROM jobs WHERE leased_until = 0`+others+`
			UNION ALL SELECT min(leased_until) AS at FROM jobs WHERE leased_until > 0`+others+`) n`, args, &next)
	})
	return fromNull(next), err
}

// FinishJob removes a job that is done, or given up on.
func (s *Store) FinishJob(ctx context.Context, j recaller.Job) error {
	return s.WithSystem(ctx, Writing, func(tx Tx) error { return deleteJob(ctx, tx, j) })
}

func deleteJob(ctx context.Context, tx Tx, j recaller.Job) error {
	_, err := tx.Exec(ctx, `DELETE FROM jobs WHERE tenant_id = $1 AND kind = $2 AND subject = $3 AND id = $4`,
		j.Tenant, j.Kind, j.Subject, j.ID)
	return err
}

// RetryJob gives a job back, to run at the given time. It does nothing if the lease ran out and another worker claimed
// the job meanwhile. reason is a label, not an error's text.
func (s *Store) RetryJob(ctx context.Context, j recaller.Job, at time.Time, reason string) error {
	return s.WithSystem(ctx, Writing, func(tx Tx) error {
		_, err := tx.Exec(ctx, `UPDATE jobs SET run_at = $5, leased_until = 0, last_error = $6 WHERE tenant_id = $1
			AND kind = $2 AND subject = $3 AND id = $4 AND attempts = $7`,
			j.Tenant, j.Kind, j.Subject, j.ID, micros(at), reason, j.Attempts)
		return err
	})
}

// ReleaseJobs ends every lease. Call it only where this process is the only one, so that those which held the leases
// are gone.
func (s *Store) ReleaseJobs(ctx context.Context) error {
	return s.WithSystem(ctx, Writing, func(tx Tx) error {
		_, err := tx.Exec(ctx, `UPDATE jobs SET leased_until = 0 WHERE leased_until > 0`)
		return err
	})
}

// JobCount returns how many jobs wait or run.
func (s *Store) JobCount(ctx context.Context) (n int, err error) {
	err = s.WithSystem(ctx, Reading, func(tx Tx) error {
		return tx.QueryRow(ctx, `SELECT count(*) FROM jobs`, nil, &n)
	})
	return n, err
}
