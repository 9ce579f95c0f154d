package store

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
)

// maxForgotten bounds how many versions of forgotten memories are read of a caller; the newest memories come first.
const maxForgotten = 2000

// forgottenIDs selects the memories whose newest version is a forgotten one. Where an undo brought a memory back, its
// newest version is another.
const forgottenIDs = `SELECT f.id FROM memories f WHERE f.tenant_id = $1 AND f.caller_id = $2 AND f.status = 'forgotten'
	AND NOT EXISTS (SELECT 1 FROM memories n WHERE n.tenant_id = $1 AND n.id = f.id AND n.version > f.version)`

// forgottenQuery reads every version of a caller's forgotten memories into list, at most maxForgotten.
func (b box) forgottenQuery(tenant recaller.TenantID, caller recaller.CallerID, list *[]recaller.Memory) Query {
	return Query{
		SQL: `SELECT ` + memoryColumns + ` FROM memories WHERE tenant_id = $1 AND id IN (` + forgottenIDs + `)
			ORDER BY id DESC, version DESC LIMIT ` + itoa(maxForgotten),
		Args: []any{tenant, caller},
		Row:  b.forgottenRow(list),
	}
}

// privateIDs selects the memories that are private now.
const privateIDs = `SELECT p.id FROM memories p WHERE p.tenant_id = $1 AND p.caller_id = $2 AND p.status = 'active'
	AND p.privacy_scope = 'private'`

// privateQuery reads every version of a caller's private memories into list, as forgottenQuery does: where one cannot be
// read, nothing may be told.
func (b box) privateQuery(tenant recaller.TenantID, caller recaller.CallerID, list *[]recaller.Memory) Query {
	return Query{
		SQL: `SELECT ` + memoryColumns + ` FROM memories WHERE tenant_id = $1 AND id IN (` + privateIDs + `)
			ORDER BY id DESC, version DESC LIMIT ` + itoa(maxForgotten),
		Args: []any{tenant, caller},
		Row:  b.forgottenRow(list),
	}
}

// Private returns every version of the memories that are private now.
func (s *Store) Private(
	ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID,
) (list []recaller.Memory, err error) {
	b, err := s.unseal(ctx, tenant, caller)
	if err != nil {
		return nil, notFound(err, "there is no such caller")
	}
	return list, s.ask(ctx, tenant, caller, b.checking().registerQuery(tenant, caller), b.privateQuery(tenant, caller, &list))
}

// Forgetful returns those of the callers of whom a memory was ever forgotten, in any order; one that came back counts
// too.
func (s *Store) Forgetful(
	ctx context.Context, tenant recaller.TenantID, callers []recaller.CallerID,
) (list []recaller.CallerID, err error) {
	if len(callers) == 0 {
		return nil, nil
	}
	q := where{args: []any{tenant}}
	q.in("id", padded(anys(callers)))
	err = s.WithTenant(ctx, tenant, Reading, func(tx Tx) error {
		return each(ctx, tx, `SELECT id FROM callers WHERE tenant_id = $1`+q.String()+` AND erasing = FALSE AND EXISTS
			(SELECT 1 FROM memories m WHERE m.tenant_id = $1 AND m.caller_id = callers.id AND m.status = 'forgotten')`,
			q.args, func(r Rows) error {
				var id recaller.CallerID
				err := r.Scan(&id)
				list = append(list, id)
				return err
			})
	})
	return list, err
}

// Forgotten returns every version of a caller's forgotten memories, at most 2000. What they said must not be told.
// Where damage hides one, nothing of the caller may be told: it is Unavailable, and names the row
// (recaller.IsDamaged).
func (s *Store) Forgotten(
	ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID,
) (list []recaller.Memory, err error) {
	b, err := s.unseal(ctx, tenant, caller)
	if err != nil {
		return nil, notFound(err, "there is no such caller")
	}
	err = s.OfCaller(ctx, tenant, caller, func(tx Tx) error {
		if err := alive(ctx, tx, tenant, caller); err != nil {
			return err
		}
		b := b.checking()
		err := tx.QueryAll(ctx, b.registerQuery(tenant, caller), b.forgottenQuery(tenant, caller, &list))
		if err != nil {
			return err
		}
		return b.allForgotten(len(list))
	})
	return list, err
}

// forgettings returns a number of a caller that rises whenever something of his is forgotten or brought back, and never
// falls. It counts all versions of the memories that were ever forgotten, and counts the forgotten versions twice. An
// undo adds a version, and no version is ever removed.
func forgettings(ctx context.Context, tx Tx, tenant recaller.TenantID, caller recaller.CallerID) (n int64, err error) {
	err = tx.QueryRow(ctx, `SELECT COALESCE(SUM(CASE WHEN status = 'forgotten' THEN 2 ELSE 1 END), 0) FROM memories
		WHERE tenant_id = $1
		AND id IN (SELECT id FROM memories WHERE tenant_id = $1 AND caller_id = $2
		AND status = 'forgotten')`, []any{tenant, caller}, &n)
	return n, err
}

// Forgettings returns a number that changes whenever something of a caller's is forgotten or brought back. Read it
// before Forgotten: while it is the same, what Forgotten returned is up to date.
func (s *Store) Forgettings(
	ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID,
) (n int64, err error) {
	err = s.OfCaller(ctx, tenant, caller, func(tx Tx) error {
		if err := alive(ctx, tx, tenant, caller); err != nil {
			return err
		}
		n, err = forgettings(ctx, tx, tenant, caller)
		return err
	})
	return n, err
}

// reindex enqueues the job that makes the caller's conversations findable anew, without what was forgotten or with what
// came back. One job serves all of his memories that changed since the time that its subject names. A job that waits
// for its turn will see this change too, so it is enough; the update locks it until the change is committed. A job that
// runs may have missed the change, so another is made.
func (w memoryWrite) reindex(ctx context.Context, tx Tx, m recaller.Memory, at time.Time) error {
	prefix := string(w.caller) + "."
	waits, err := tx.Exec(ctx, `UPDATE jobs SET run_at = run_at WHERE tenant_id = $1 AND kind = $2 AND subject > $3
		AND subject < $4 AND leased_until = 0`,
		w.tenant, recaller.JobReindex, prefix, string(w.caller)+"/")
	if err != nil || waits > 0 {
		return err
	}
	subject := prefix + itoa(int(micros(at))) + "." + versionRecord(m)
	return insertJob(ctx, tx, w.tenant, w.caller, recaller.Job{
		ID: subject, Kind: recaller.JobReindex, Subject: subject, RunAt: at,
	})
}

// slack is how far apart the clocks of two processes may be that change memories of one caller.
const slack = time.Minute

// Regarded returns every version of the memories that a reindex job is about: those of the caller that were forgotten
// or brought back since the time in the job's subject. A subject without a time is Invalid.
func (s *Store) Regarded(
	ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, subject string,
) (list []recaller.Memory, err error) {
	b, err := s.unseal(ctx, tenant, caller)
	if err != nil {
		return nil, notFound(err, "there is no such caller")
	}
	at, _, _ := strings.Cut(strings.TrimPrefix(subject, string(caller)+"."), ".")
	since, err := strconv.ParseInt(at, 10, 64)
	if err != nil {
		return nil, recaller.Errorf(recaller.Invalid, "the subject of the job tells no time")
	}
	err = s.OfCaller(ctx, tenant, caller, func(tx Tx) error {
		if err := alive(ctx, tx, tenant, caller); err != nil {
			return err
		}
		list, err = b.readMemories(ctx, tx, `SELECT `+memoryColumns+` FROM memories WHERE tenant_id = $1 AND id IN (
			SELECT f.id FROM memories f WHERE f.tenant_id = $1 AND f.caller_id = $2 AND f.status = 'forgotten'
			AND (f.closed_at >= $3
				OR EXISTS (SELECT 1 FROM memories n WHERE n.tenant_id = $1 AND n.id = f.id AND n.version > f.version
				AND n.created_at >= $3)))
			ORDER BY id DESC, version DESC LIMIT `+itoa(maxForgotten), tenant, caller, since-slack.Microseconds())
		return err
	})
	return list, err
}
