package store

import (
	"context"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/vault"
)

// memoryWrite writes versions of one caller's memories inside a transaction.
type memoryWrite struct {
	tenant recaller.TenantID
	caller recaller.CallerID
	box    box
	blind  vault.Blinder
}

func (s *Store) memoryWrite(ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID) (memoryWrite, error) {
	w := memoryWrite{tenant: tenant, caller: caller}
	var err error
	if w.box, err = s.unseal(ctx, tenant, caller); err != nil {
		return w, err
	}
	w.blind, err = s.vault.Blinder(ctx, tenant)
	return w, err
}

func (w memoryWrite) token(key string) []byte {
	return w.blind.Blind(blindKey, keyText(w.caller, key))
}

// rewrite writes what may change of an active version.
func (w memoryWrite) rewrite(ctx context.Context, tx Tx, m recaller.Memory) error {
	body, err := w.box.sealMemory(m)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `UPDATE memories SET confidence = $4, confirmed_at = $5, body = $6 WHERE tenant_id = $1 AND id = $2 AND version = $3`,
		w.tenant, m.ID, m.Version, m.Confidence, micros(m.ConfirmedAt), body)
	return err
}

// supersede closes the old version and opens the new one, whose number is one higher.
func (w memoryWrite) supersede(ctx context.Context, tx Tx, old, m recaller.Memory, reason string, action recaller.MemoryAction) (recaller.MemoryWritten, error) {
	closed, err := w.close(ctx, tx, old, recaller.MemorySuperseded, reason, m.CreatedAt)
	if err != nil {
		return recaller.MemoryWritten{}, err
	}
	m.Version = old.Version + 1
	if m, err = w.open(ctx, tx, m); err != nil {
		return recaller.MemoryWritten{}, err
	}
	out, err := w.written(ctx, tx, action, m, closed)
	out.Previous = &closed
	return out, err
}

// open makes m the active version of its memory. What was disputed of another is settled.
func (w memoryWrite) open(ctx context.Context, tx Tx, m recaller.Memory) (recaller.Memory, error) {
	m.Status, m.ClosedReason, m.ClosedAt, m.Dispute, m.Forgetting, m.Interim = recaller.MemoryActive, "", time.Time{}, nil, nil, false
	err := w.insert(ctx, tx, m)
	if recaller.KindOf(err) == recaller.Conflict {
		return m, recaller.Errorf(recaller.Conflict, "another active memory of this caller has this key")
	}
	return m, err
}

func (w memoryWrite) close(ctx context.Context, tx Tx, m recaller.Memory, status recaller.MemoryStatus, reason string, at time.Time) (recaller.Memory, error) {
	m.Status, m.ClosedReason, m.ClosedAt = status, reason, at.UTC()
	_, err := tx.Exec(ctx, `UPDATE memories SET status = $4, closed_reason = $5, closed_at = $6 WHERE tenant_id = $1 AND id = $2 AND version = $3`,
		w.tenant, m.ID, m.Version, m.Status, m.ClosedReason, micros(at))
	return m, err
}

func (w memoryWrite) insert(ctx context.Context, tx Tx, m recaller.Memory) error {
	body, err := w.box.sealMemory(m)
	if err != nil {
		return err
	}
	var due any
	if m.DueAt != nil {
		due = micros(*m.DueAt)
	}
	_, err = tx.Exec(ctx, `INSERT INTO memories (tenant_id, id, version, caller_id, type, key_token, status, confidence, source, privacy_scope,
		due_at, due_day, conversation_id, created_at, confirmed_at, body) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)`,
		w.tenant, m.ID, m.Version, m.Caller, m.Type, w.token(m.Key), m.Status, m.Confidence, m.Source, m.PrivacyScope,
		due, m.DueDay, m.Provenance.Conversation, micros(m.CreatedAt), micros(m.ConfirmedAt), body)
	return err
}

// written raises the caller's content version and tells the change.
func (w memoryWrite) written(ctx context.Context, tx Tx, action recaller.MemoryAction, m recaller.Memory, closed ...recaller.Memory) (recaller.MemoryWritten, error) {
	version, err := touch(ctx, tx, w.tenant, w.caller, time.Time{})
	return recaller.MemoryWritten{
		Memory: m, Action: action,
		Change: recaller.Change{Tenant: w.tenant, Caller: w.caller, Version: version, Memories: append(closed, m)},
	}, err
}

// byKey returns the active memory with a key.
func (w memoryWrite) byKey(ctx context.Context, tx Tx, key string) (recaller.Memory, error) {
	m, err := scanMemory(func(dest ...any) error {
		return tx.QueryRow(ctx, `SELECT `+memoryColumns+` FROM memories WHERE tenant_id = $1 AND caller_id = $2 AND key_token = $3 AND status = 'active'`,
			[]any{w.tenant, w.caller, w.token(key)}, dest...)
	})
	if err != nil {
		return recaller.Memory{}, err
	}
	return w.box.openMemory(m)
}

// current returns the newest version of a memory, whatever its status.
func (w memoryWrite) current(ctx context.Context, tx Tx, id recaller.MemoryID) (recaller.Memory, error) {
	m, err := newest(ctx, tx, w.tenant, id)
	if err == nil && m.Caller != w.caller {
		err = recaller.Errorf(recaller.NotFound, "there is no such memory")
	}
	if err != nil {
		return recaller.Memory{}, err
	}
	return w.box.openMemory(m)
}

// active is current for a memory that is active; another is not found.
func (w memoryWrite) active(ctx context.Context, tx Tx, id recaller.MemoryID) (recaller.Memory, error) {
	m, err := w.current(ctx, tx, id)
	if err == nil && m.Status != recaller.MemoryActive {
		err = recaller.Errorf(recaller.NotFound, "there is no such active memory")
	}
	return m, err
}
