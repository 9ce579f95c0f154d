package store

import (
	"context"
	"slices"
	"time"

	"github.com/recallerhq/recaller"
)

// mostHistory is how many past conversations a tenant's briefings can show at the most.
const mostHistory = 20

// SnapshotAt reads what Snapshot would have read at a past time: the conversations that had ended, the memories as they
// stood by when they were said, what had been agreed on, the reminders that waited, and the checkpoint, unless it was
// touched since.
//
// The tenant's settings and the caller's zone are those of now. What was forgotten since is left out. So are interim
// memories that gave way since, and conversations that were still open. A name that the caller said is left out unless
// a conversation had ended by then.
func (s *Store) SnapshotAt(
	ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, at time.Time,
) (recaller.Snapshot, error) {
	own, err := s.unseal(ctx, tenant, "")
	if err != nil {
		return recaller.Snapshot{}, notFound(err, "there is no such tenant")
	}
	b, err := s.unseal(ctx, tenant, caller)
	if err != nil {
		return recaller.Snapshot{}, notFound(err, "there is no such caller")
	}
	r := snapshotRead{tenant: tenant, caller: caller, own: own, box: b.checking()}
	var held int
	var reminders []standing
	queries := append(r.queriesAt(at, &held), b.standingAtQuery(tenant, caller, at, &reminders))
	err = s.ask(ctx, tenant, caller, queries...)
	if err != nil {
		return recaller.Snapshot{}, err
	}
	if r.snap.Tenant.ID == "" {
		return recaller.Snapshot{}, recaller.Errorf(recaller.NotFound, "there is no such tenant")
	}
	r.snap.Tenant = r.snap.Tenant.WithDefaults()
	snap, err := r.done()
	snap.Caller.Conversations = held
	if held == 0 && !snap.Caller.NameSource.Outranks(recaller.NameSaid) {
		snap.Caller.Name = ""
	}
	if c := snap.Checkpoint; c != nil && c.LastActivity.After(at) {
		snap.Checkpoint = nil
	}
	snap.Memories, snap.Reminders = stoodAt(snap.Memories, at), remindersAt(reminders, at)
	snap.Acts = slices.DeleteFunc(snap.Acts, func(a recaller.Act) bool { return a.SaidAt.After(at) })
	return snap, err
}

func (r *snapshotRead) queriesAt(at time.Time, held *int) []Query {
	args := []any{r.tenant, r.caller, micros(at)}
	const ended = ` FROM conversations WHERE tenant_id = $1 AND caller_id = $2 AND status <> 'active'
		AND ended_at <= $3`
	const latest = ended + said + ` ORDER BY started_at DESC, id DESC LIMIT `
	return append(r.box.callerQueries(r.tenant, r.caller, &r.snap.Caller),
		r.own.tenantQuery(r.tenant, &r.snap.Tenant),
		r.box.checkpointQuery(r.tenant, r.caller, &r.snap.Checkpoint),
		r.box.actsQuery(r.tenant, r.caller, maxActs, &r.snap.Acts),
		Query{SQL: `SELECT ` + conversationColumns + latest + itoa(mostHistory), Args: args, Row: conversationRow(&r.rows)},
		r.box.forgottenQuery(r.tenant, r.caller, &r.snap.Forgotten),
		r.box.privateQuery(r.tenant, r.caller, &r.snap.Private),
		Query{
			SQL: `SELECT ` + turnColumns + ` FROM turns WHERE tenant_id = $1 AND caller_id = $2
				AND conversation_id IN (SELECT id` + latest + itoa(mostHistory) + `) AND (EXISTS (` + forgottenIDs + `) OR EXISTS (` + privateIDs + `))
				ORDER BY conversation_id, number`,
			Args: args,
			Row:  r.box.turnRow(r.said),
		},
		Query{SQL: `SELECT count(*)` + ended, Args: args, Row: func(scan func(...any) error) error { return scan(held) }},
		Query{SQL: standingQuery, Args: args[:2], Row: r.box.memoryRow(&r.snap.Memories)},
		Query{
			SQL: `SELECT ` + turnColumns + ` FROM turns WHERE tenant_id = $1 AND caller_id = $2
				AND conversation_id = (SELECT CASE WHEN status = 'failed' THEN id END` + latest + `1)
				ORDER BY number DESC LIMIT ` + itoa(snapshotTurns),
			Args: args,
			Row:  r.box.turnRow(func(_ recaller.ConversationID, t recaller.Turn) { r.last = append(r.last, t) }),
		})
}

// stoodAt returns the versions of memories that stood at a time, last confirmed first, at most as many as a snapshot
// has.
func stoodAt(all []recaller.Memory, at time.Time) []recaller.Memory {
	var out []recaller.Memory
	for _, m := range all {
		if m.CreatedAt.After(at) || m.Status == recaller.MemorySuperseded && !m.ClosedAt.After(at) {
			continue
		}
		m.Status, m.ClosedAt, m.ClosedReason = recaller.MemoryActive, time.Time{}, ""
		if m.ConfirmedAt.After(at) {
			m.ConfirmedAt = m.CreatedAt
		}
		if m.Dispute != nil && m.Dispute.At.After(at) {
			m.Dispute = nil
		}
		out = append(out, m)
	}
	slices.SortStableFunc(out, func(a, b recaller.Memory) int { return b.ConfirmedAt.Compare(a.ConfirmedAt) })
	return out[:min(len(out), snapshotMemories)]
}
