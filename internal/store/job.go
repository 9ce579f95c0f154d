package store

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/recallerhq/recaller"
)

func insertJob(ctx context.Context, tx Tx, tenant recaller.TenantID, caller recaller.CallerID, j recaller.Job) error {
	_, err := tx.Exec(ctx, `INSERT INTO jobs (tenant_id, kind, subject, id, caller_id, run_at)
		VALUES ($1, $2, $3, $4, $5, $6)
		ON CONFLICT (tenant_id, kind, subject) DO NOTHING`, tenant, j.Kind, j.Subject, j.ID, caller, micros(j.RunAt))
	return err
}

// DueJobs returns up to limit jobs that are due, of one tenant or, if that is empty, of all. When a worker dies its
// leases run out, and its jobs are due again. Those come first, because a steady stream of new jobs could keep them
// waiting for ever. Then comes what has been due longest. Kinds that are named in without are left out. Who runs which is
// not decided here (jobs).
func (s *Store) DueJobs(
	ctx context.Context, now time.Time, tenant recaller.TenantID, limit int, without ...string,
) (jobs []recaller.Job, err error) {
	// Of leases that ran out there are few, so all are read. The limit is spelled out: SQLite plans a statement anew each
	// time its limit is bound.
	const columns = `SELECT id, tenant_id, kind, subject, caller_id, run_at, attempts FROM jobs WHERE `
	lapsed := columns + `leased_until > 0 AND leased_until <= $1 ORDER BY leased_until LIMIT ` + itoa(limit)
	due, args := columns+`leased_until = 0 AND run_at <= $1`, []any{micros(now)}
	if tenant != "" {
		due, args = due+` AND tenant_id = $2`, append(args, tenant)
	}
	for _, kind := range without {
		args = append(args, kind)
		due += ` AND kind <> $` + itoa(len(args))
	}
	take := func(r Rows) error {
		var j recaller.Job
		var runAt int64
		err := r.Scan(&j.ID, &j.Tenant, &j.Kind, &j.Subject, &j.Caller, &runAt, &j.Attempts)
		j.RunAt = fromMicros(runAt)
		if (tenant == "" || tenant == j.Tenant) && !slices.Contains(without, j.Kind) {
			jobs = append(jobs, j)
		}
		return err
	}
	err = s.WithSystem(ctx, Reading, func(tx Tx) error {
		if err := each(ctx, tx, lapsed, args[:1], take); err != nil {
			return err
		}
		return each(ctx, tx, due+` ORDER BY run_at LIMIT `+itoa(limit-len(jobs)), args, take)
	})
	return jobs, err
}

// DueTenants returns up to limit tenants that have a job which is due and not leased, in the order of their ids, from
// the one after the given one.
func (s *Store) DueTenants(
	ctx context.Context, now time.Time, after recaller.TenantID, limit int,
) (tenants []recaller.TenantID, err error) {
	err = s.WithSystem(ctx, Reading, func(tx Tx) error {
		query := `SELECT id FROM tenants t WHERE id > $1 AND EXISTS (SELECT 1 FROM jobs WHERE tenant_id = t.id
			AND leased_until = 0 AND run_at <= $2) ORDER BY id LIMIT ` + itoa(limit)
		return each(ctx, tx, query, []any{after, micros(now)}, func(r Rows) error {
			var id recaller.TenantID
			err := r.Scan(&id)
			tenants = append(tenants, id)
			return err
		})
	})
	return tenants, err
}

// LeaseJob takes a job that DueJobs returned, until the given time, and counts an attempt. It returns false if the job
// is not as it was: somebody else has taken it.
func (s *Store) LeaseJob(
	ctx context.Context, j recaller.Job, until time.Time,
) (leased recaller.Job, ok bool, err error) {
	err = s.WithSystem(ctx, Writing, func(tx Tx) error {
		n, err := tx.Exec(ctx, `UPDATE jobs SET leased_until = $6, attempts = attempts + 1 WHERE tenant_id = $1
			AND kind = $2 AND subject = $3 AND id = $4 AND attempts = $5`,
			j.Tenant, j.Kind, j.Subject, j.ID, j.Attempts, micros(until))
		ok = n > 0
		return err
	})
	j.Attempts++
	return j, ok, err
}

// NextJob returns when the next job is due that is not due yet; the zero time if there is none.
func (s *Store) NextJob(ctx context.Context, now time.Time) (at time.Time, err error) {
	var next *int64
	err = s.WithSystem(ctx, Reading, func(tx Tx) error {
		return tx.QueryRow(ctx, `SELECT min(at) FROM (
			SELECT min(run_at) AS at FROM jobs WHERE leased_until = 0 AND run_at > $1
			UNION ALL SELECT min(leased_until) AS at FROM jobs WHERE leased_until > $1 AND leased_until > 0) n`,
			[]any{micros(now)}, &next)
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

// Straighten puts right what a clock that was ahead has written: a lease ends no later than one that is made now, and a
// job that waits longer than it may runs now.
func (s *Store) Straighten(ctx context.Context, now time.Time, may recaller.Waits) error {
	query, args := straightening(now, may)
	return s.WithSystem(ctx, Writing, func(tx Tx) error {
		if _, err := tx.Exec(ctx, `UPDATE jobs SET leased_until = $1 WHERE leased_until > $1 AND leased_until > 0`,
			micros(now.Add(may.Lease))); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, query, args...)
		return err
	})
}

// straightening returns the statement that has jobs run now which wait too long. The waits stand in its text: they are
// the same each time, and a database plans the statement once.
func straightening(now time.Time, may recaller.Waits) (query string, args []any) {
	q := where{args: []any{micros(now)}}
	first := `attempts = 0 AND run_at - $1 > ` + inMicros(may.First)
	if len(may.Scheduled) > 0 {
		first += ` AND kind NOT IN (` + q.params(anys(may.Scheduled)) + `)`
	}
	kinds := inMicros(may.Longest)
	if len(may.Kinds) > 0 {
		kinds = `CASE kind`
		for _, kind := range slices.Sorted(maps.Keys(may.Kinds)) {
			kinds += ` WHEN ` + q.param(kind) + ` THEN ` + inMicros(may.Kinds[kind])
		}
		kinds += ` ELSE ` + inMicros(may.Longest) + ` END`
	}
	late, least := `run_at - $1 > `+kinds, min(may.First, may.Longest)
	for _, d := range may.Kinds {
		least = min(least, d)
	}
	if len(may.Retries) > 0 {
		tried := `run_at - $1 > CASE attempts`
		for i, d := range may.Retries {
			tried += ` WHEN ` + itoa(i+1) + ` THEN ` + inMicros(d)
			least = min(least, d)
		}
		tried += ` END`
		if len(may.Patient) > 0 {
			tried += ` AND last_error NOT IN (` + q.params(anys(may.Patient)) + `)`
		}
		late += ` OR ` + tried
	}
	return `UPDATE jobs SET run_at = $1 WHERE leased_until = 0 AND run_at > ` + q.param(micros(now.Add(least))) + ` AND (` +
		first + ` OR attempts > 0 AND (` + late + `))`, q.args
}

func inMicros(d time.Duration) string { return strconv.FormatInt(d.Microseconds(), 10) }

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
