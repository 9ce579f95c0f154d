package store

import (
	"context"
	"slices"

	"github.com/recallerhq/recaller"
)

// Bounds of a snapshot. They are spelled out in the SQL: SQLite plans a statement anew each time its limit is bound.
const (
	snapshotMemories = 200
	snapshotTurns    = 16 // the last words of a conversation that broke off
)

// Snapshot reads everything that a briefing is made of, at one moment.
func (s *Store) Snapshot(ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID) (recaller.Snapshot, error) {
	var snap recaller.Snapshot
	own, err := s.unseal(ctx, tenant, "")
	if err != nil {
		return snap, notFound(err, "there is no such tenant")
	}
	b, err := s.unseal(ctx, tenant, caller)
	if err != nil {
		return snap, notFound(err, "there is no such caller")
	}
	err = s.WithTenant(ctx, tenant, Reading, func(tx Tx) error {
		t, err := own.readTenant(ctx, tx, tenant)
		if err != nil {
			return err
		}
		snap.Tenant = t.WithDefaults()
		return b.readSnapshot(ctx, tx, caller, &snap)
	})
	return snap, err
}

func (b box) readSnapshot(ctx context.Context, tx Tx, caller recaller.CallerID, snap *recaller.Snapshot) (err error) {
	tenant := snap.Tenant.ID
	if snap.Caller, err = b.readCaller(ctx, tx, tenant, caller); err != nil {
		return err
	}
	if snap.Checkpoint, err = b.readCheckpoint(ctx, tx, tenant, caller); err != nil {
		return err
	}
	rows, err := scanConversations(ctx, tx, `SELECT `+conversationColumns+` FROM conversations WHERE tenant_id = $1 AND caller_id = $2
		AND status <> 'active' ORDER BY started_at DESC, id DESC LIMIT `+itoa(snap.Tenant.HistoryLimit), tenant, caller)
	if err != nil {
		return err
	}
	for _, row := range rows {
		c, err := b.open(row)
		if err != nil {
			return err
		}
		snap.History = append(snap.History, c)
	}
	snap.Memories, err = b.readActive(ctx, tx, tenant, caller, snapshotMemories)
	if err != nil || len(snap.History) == 0 || snap.History[0].Status != recaller.Failed {
		return err
	}
	snap.BrokenOff = &recaller.BrokenOff{Conversation: snap.History[0]}
	err = b.readTurns(ctx, tx, `SELECT `+turnColumns+` FROM turns WHERE tenant_id = $1 AND caller_id = $2 AND conversation_id = $3 ORDER BY number DESC LIMIT `+itoa(snapshotTurns),
		[]any{tenant, caller, snap.History[0].ID}, func(_ recaller.ConversationID, t recaller.Turn) {
			snap.BrokenOff.Turns = append(snap.BrokenOff.Turns, t)
		})
	slices.Reverse(snap.BrokenOff.Turns)
	return err
}

// Corpus reads all that recall may search of one caller, at one moment.
func (s *Store) Corpus(ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID) (recaller.Corpus, error) {
	out := recaller.Corpus{Turns: map[recaller.ConversationID][]recaller.Turn{}}
	b, err := s.unseal(ctx, tenant, caller)
	if err != nil {
		return out, notFound(err, "there is no such caller")
	}
	err = s.WithTenant(ctx, tenant, Reading, func(tx Tx) error {
		err := tx.QueryRow(ctx, `SELECT version FROM callers WHERE tenant_id = $1 AND id = $2 AND erasing = FALSE`, []any{tenant, caller}, &out.Version)
		if err != nil {
			return notFound(err, "there is no such caller")
		}
		rows, err := scanConversations(ctx, tx, `SELECT `+conversationColumns+` FROM conversations WHERE tenant_id = $1 AND caller_id = $2 ORDER BY started_at, id`, tenant, caller)
		if err != nil {
			return err
		}
		for _, row := range rows {
			c, err := b.open(row)
			if err != nil {
				return err
			}
			out.Conversations = append(out.Conversations, c)
		}
		out.Memories, err = b.readMemories(ctx, tx, `SELECT `+memoryColumns+` FROM memories WHERE tenant_id = $1 AND caller_id = $2 AND status = 'active'`, tenant, caller)
		if err != nil {
			return err
		}
		return b.readTurns(ctx, tx, `SELECT `+turnColumns+` FROM turns WHERE tenant_id = $1 AND caller_id = $2 ORDER BY conversation_id, number`,
			[]any{tenant, caller}, func(conv recaller.ConversationID, t recaller.Turn) { out.Turns[conv] = append(out.Turns[conv], t) })
	})
	return out, err
}
