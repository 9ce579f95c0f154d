package store

import (
	"context"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
)

// memoryBody is what is sealed of a version of a memory.
type memoryBody struct {
	Key   string `json:"k"`
	Value string `json:"v"`
	Turns []int  `json:"t,omitempty"`
}

const memoryColumns = `id, version, caller_id, type, status, confidence, source, privacy_scope, due_at, due_day, conversation_id,
	created_at, confirmed_at, closed_at, closed_reason, body`

type sealedMemory struct {
	recaller.Memory
	body []byte
}

func scanMemory(scan func(...any) error) (m sealedMemory, err error) {
	var due, closed *int64
	var created, confirmed int64
	err = scan(&m.ID, &m.Version, &m.Caller, &m.Type, &m.Status, &m.Confidence, &m.Source, &m.PrivacyScope, &due, &m.DueDay,
		&m.Provenance.Conversation, &created, &confirmed, &closed, &m.ClosedReason, &m.body)
	if due != nil {
		at := fromMicros(*due)
		m.DueAt = &at
	}
	m.CreatedAt, m.ConfirmedAt, m.ClosedAt = fromMicros(created), fromMicros(confirmed), fromNull(closed)
	return m, err
}

func (b box) openMemory(m sealedMemory) (recaller.Memory, error) {
	var body memoryBody
	err := b.get("memories.body", versionRecord(m.Memory), m.body, &body)
	m.Key, m.Value, m.Provenance.Turns = body.Key, body.Value, body.Turns
	return m.Memory, err
}

// versionRecord names one version: a body moved to another version does not open.
func versionRecord(m recaller.Memory) string { return string(m.ID) + "." + itoa(m.Version) }

// NormalKey is what memory keys are compared by: case and surrounding space do not count (W2).
func NormalKey(key string) string { return strings.ToLower(strings.TrimSpace(key)) }

func (s *Store) keyToken(ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, key string) ([]byte, error) {
	return s.vault.Blind(ctx, tenant, blindKey, string(caller)+"\x00"+NormalKey(key))
}

// StoreMemory stores a memory by its key.
func (s *Store) StoreMemory(ctx context.Context, tenant recaller.TenantID, in recaller.Storing) (recaller.MemoryWritten, error) {
	m := in.Memory
	b, err := s.unseal(ctx, tenant, m.Caller)
	if err != nil {
		return recaller.MemoryWritten{}, notFound(err, "there is no such caller")
	}
	token, err := s.keyToken(ctx, tenant, m.Caller, m.Key)
	if err != nil {
		return recaller.MemoryWritten{}, err
	}
	blind, err := s.vault.Blinder(ctx, tenant)
	if err != nil {
		return recaller.MemoryWritten{}, err
	}
	mark := newOnce(blind, tenant, in.Once)
	w := memoryWrite{tenant: tenant, box: b}
	var out recaller.MemoryWritten
	err = s.WithTenant(ctx, tenant, Writing, func(tx Tx) error {
		var before recaller.MemoryID
		if repeat, err := mark.before(ctx, tx, &before); repeat || err != nil {
			if err == nil {
				out.Action = recaller.MemoryKept
				out.Memory, err = w.current(ctx, tx, before)
			}
			return err
		}
		if out, err = w.store(ctx, tx, m, token, in.Mode); err != nil {
			return err
		}
		return mark.mark(ctx, tx, m.Caller, out.Memory.ID, m.CreatedAt)
	})
	return out, err
}

// memoryWrite writes versions of one caller's memories inside a transaction.
type memoryWrite struct {
	tenant recaller.TenantID
	box    box
}

// store stores a memory by its key.
func (w memoryWrite) store(ctx context.Context, tx Tx, m recaller.Memory, token []byte, mode recaller.MemoryMode) (recaller.MemoryWritten, error) {
	old, err := w.byKey(ctx, tx, m.Caller, token)
	switch {
	case recaller.KindOf(err) == recaller.NotFound:
		return w.create(ctx, tx, m, token, mode)
	case err != nil:
		return recaller.MemoryWritten{}, err
	case mode == recaller.IfAbsent:
		return recaller.MemoryWritten{Memory: old, Action: recaller.MemoryKept}, nil
	case strings.EqualFold(strings.TrimSpace(old.Value), strings.TrimSpace(m.Value)) && old.Type == m.Type:
		return w.confirm(ctx, tx, old, m)
	}
	m.ID, m.Version = old.ID, old.Version+1
	return w.supersede(ctx, tx, old, m, token, "updated")
}

// create stores a memory whose key no active one has. What was stored and forgotten in a conversation is not found in its
// words again (W9).
func (w memoryWrite) create(ctx context.Context, tx Tx, m recaller.Memory, token []byte, mode recaller.MemoryMode) (recaller.MemoryWritten, error) {
	if mode == recaller.IfAbsent && m.Provenance.Conversation != "" {
		var before int
		err := tx.QueryRow(ctx, `SELECT version FROM memories WHERE tenant_id = $1 AND caller_id = $2 AND key_token = $3
			AND status <> 'active' AND conversation_id = $4 LIMIT 1`, []any{w.tenant, m.Caller, token, m.Provenance.Conversation}, &before)
		if err == nil {
			return recaller.MemoryWritten{Action: recaller.MemoryKept}, nil
		}
		if recaller.KindOf(err) != recaller.NotFound {
			return recaller.MemoryWritten{}, err
		}
	}
	m.Version, m.Status = 1, recaller.MemoryActive
	if err := w.insert(ctx, tx, m, token); err != nil {
		return recaller.MemoryWritten{}, err
	}
	return w.written(ctx, tx, recaller.MemoryCreated, m)
}

// confirm moves confidence and last confirmation of a memory that was told again.
func (w memoryWrite) confirm(ctx context.Context, tx Tx, old, again recaller.Memory) (recaller.MemoryWritten, error) {
	old.Confidence, old.ConfirmedAt = max(old.Confidence, again.Confidence), again.ConfirmedAt
	_, err := tx.Exec(ctx, `UPDATE memories SET confidence = $4, confirmed_at = $5 WHERE tenant_id = $1 AND id = $2 AND version = $3`,
		w.tenant, old.ID, old.Version, old.Confidence, micros(old.ConfirmedAt))
	if err != nil {
		return recaller.MemoryWritten{}, err
	}
	return w.written(ctx, tx, recaller.MemoryConfirmed, old)
}

// supersede closes the old version and opens the new one.
func (w memoryWrite) supersede(ctx context.Context, tx Tx, old, m recaller.Memory, token []byte, reason string) (recaller.MemoryWritten, error) {
	closed, err := w.close(ctx, tx, old, recaller.MemorySuperseded, reason, m.CreatedAt)
	if err != nil {
		return recaller.MemoryWritten{}, err
	}
	m.Status = recaller.MemoryActive
	if err := w.insert(ctx, tx, m, token); err != nil {
		return recaller.MemoryWritten{}, err
	}
	return w.written(ctx, tx, recaller.MemoryUpdated, m, closed)
}

func (w memoryWrite) close(ctx context.Context, tx Tx, m recaller.Memory, status recaller.MemoryStatus, reason string, at time.Time) (recaller.Memory, error) {
	m.Status, m.ClosedReason, m.ClosedAt = status, reason, at.UTC()
	_, err := tx.Exec(ctx, `UPDATE memories SET status = $4, closed_reason = $5, closed_at = $6 WHERE tenant_id = $1 AND id = $2 AND version = $3`,
		w.tenant, m.ID, m.Version, m.Status, m.ClosedReason, micros(at))
	return m, err
}

func (w memoryWrite) insert(ctx context.Context, tx Tx, m recaller.Memory, token []byte) error {
	body, err := w.box.put("memories.body", versionRecord(m), memoryBody{m.Key, m.Value, m.Provenance.Turns})
	if err != nil {
		return err
	}
	var due any
	if m.DueAt != nil {
		due = micros(*m.DueAt)
	}
	_, err = tx.Exec(ctx, `INSERT INTO memories (tenant_id, id, version, caller_id, type, key_token, status, confidence, source, privacy_scope,
		due_at, due_day, conversation_id, created_at, confirmed_at, body) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)`,
		w.tenant, m.ID, m.Version, m.Caller, m.Type, token, m.Status, m.Confidence, m.Source, m.PrivacyScope,
		due, m.DueDay, m.Provenance.Conversation, micros(m.CreatedAt), micros(m.ConfirmedAt), body)
	return err
}

// written raises the caller's content version and tells the change.
func (w memoryWrite) written(ctx context.Context, tx Tx, action recaller.MemoryAction, m recaller.Memory, closed ...recaller.Memory) (recaller.MemoryWritten, error) {
	version, err := touch(ctx, tx, w.tenant, m.Caller, time.Time{})
	return recaller.MemoryWritten{
		Memory: m, Action: action,
		Change: recaller.Change{Tenant: w.tenant, Caller: m.Caller, Version: version, Memories: append(closed, m)},
	}, err
}

func (w memoryWrite) byKey(ctx context.Context, tx Tx, caller recaller.CallerID, token []byte) (recaller.Memory, error) {
	m, err := scanMemory(func(dest ...any) error {
		return tx.QueryRow(ctx, `SELECT `+memoryColumns+` FROM memories WHERE tenant_id = $1 AND caller_id = $2 AND key_token = $3 AND status = 'active'`,
			[]any{w.tenant, caller, token}, dest...)
	})
	if err != nil {
		return recaller.Memory{}, err
	}
	return w.box.openMemory(m)
}

// current returns the newest version of a memory.
func (w memoryWrite) current(ctx context.Context, tx Tx, id recaller.MemoryID) (recaller.Memory, error) {
	m, err := newest(ctx, tx, w.tenant, id)
	if err != nil {
		return recaller.Memory{}, err
	}
	return w.box.openMemory(m)
}

func newest(ctx context.Context, tx Tx, tenant recaller.TenantID, id recaller.MemoryID) (sealedMemory, error) {
	m, err := scanMemory(func(dest ...any) error {
		return tx.QueryRow(ctx, `SELECT `+memoryColumns+` FROM memories WHERE tenant_id = $1 AND id = $2`+notErasing+` ORDER BY version DESC LIMIT 1`, []any{tenant, id}, dest...)
	})
	return m, notFound(err, "there is no such memory")
}

// changeMemory runs fn on the newest version of a memory, which must be active.
func (s *Store) changeMemory(ctx context.Context, tenant recaller.TenantID, id recaller.MemoryID, fn func(context.Context, Tx, memoryWrite, recaller.Memory) (recaller.MemoryWritten, error)) (recaller.MemoryWritten, error) {
	var out recaller.MemoryWritten
	var row sealedMemory
	err := s.WithTenant(ctx, tenant, Reading, func(tx Tx) (err error) {
		row, err = newest(ctx, tx, tenant, id)
		return err
	})
	if err != nil {
		return out, err
	}
	b, err := s.unseal(ctx, tenant, row.Caller)
	if err != nil {
		return out, notFound(err, "there is no such memory")
	}
	w := memoryWrite{tenant: tenant, box: b}
	err = s.WithTenant(ctx, tenant, Writing, func(tx Tx) error {
		m, err := w.current(ctx, tx, id)
		if err != nil {
			return err
		}
		if m.Status != recaller.MemoryActive {
			return recaller.Errorf(recaller.Conflict, "the memory was forgotten")
		}
		out, err = fn(ctx, tx, w, m)
		return err
	})
	return out, err
}

// ChangeMemory makes a new version of a memory, or closes it. A key that another active memory of the caller has is a
// Conflict, and so is a memory that is closed already.
func (s *Store) ChangeMemory(ctx context.Context, tenant recaller.TenantID, in recaller.Changing) (recaller.MemoryWritten, error) {
	p := in.Patch
	blind, err := s.vault.Blinder(ctx, tenant)
	if err != nil {
		return recaller.MemoryWritten{}, err
	}
	return s.changeMemory(ctx, tenant, in.ID, func(ctx context.Context, tx Tx, w memoryWrite, old recaller.Memory) (recaller.MemoryWritten, error) {
		if in.Forget {
			closed, err := w.close(ctx, tx, old, recaller.MemoryForgotten, p.Reason, p.At)
			if err != nil {
				return recaller.MemoryWritten{}, err
			}
			return w.written(ctx, tx, recaller.MemoryClosed, closed)
		}
		m := patched(old, p)
		token := blind.Blind(blindKey, string(m.Caller)+"\x00"+NormalKey(m.Key))
		out, err := w.supersede(ctx, tx, old, m, token, p.Reason)
		if recaller.KindOf(err) == recaller.Conflict {
			return out, recaller.Errorf(recaller.Conflict, "another active memory of this caller has this key")
		}
		return out, err
	})
}

func patched(m recaller.Memory, p recaller.MemoryPatch) recaller.Memory {
	set(&m.Type, p.Type)
	set(&m.Key, p.Key)
	set(&m.Value, p.Value)
	set(&m.Confidence, p.Confidence)
	set(&m.PrivacyScope, p.PrivacyScope)
	if p.DueAt != nil {
		m.DueAt, m.DueDay = *p.DueAt, p.DueDay
	}
	set(&m.Provenance, p.Provenance)
	m.Version++
	m.CreatedAt, m.ConfirmedAt = p.At, p.At
	return m
}

func set[T any](dst *T, v *T) {
	if v != nil {
		*dst = *v
	}
}

// Memories lists a caller's memories, last confirmed first.
func (s *Store) Memories(ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, f recaller.MemoryFilter) ([]recaller.Memory, string, error) {
	from, limit, err := after(f.Page)
	if err != nil {
		return nil, "", err
	}
	b, err := s.unseal(ctx, tenant, caller)
	if err != nil {
		return nil, "", notFound(err, "there is no such caller")
	}
	query, args, err := s.memoryQuery(ctx, tenant, caller, f, from, limit)
	if err != nil {
		return nil, "", err
	}
	var list []recaller.Memory
	err = s.WithTenant(ctx, tenant, Reading, func(tx Tx) error {
		if err := alive(ctx, tx, tenant, caller); err != nil {
			return err
		}
		list, err = b.readMemories(ctx, tx, query, args...)
		return err
	})
	if err != nil {
		return nil, "", err
	}
	list, cur := next(list, limit, func(m recaller.Memory) cursor {
		return cursor{At: micros(m.ConfirmedAt), ID: string(m.ID), Version: m.Version}
	})
	return list, cur, nil
}

func (s *Store) memoryQuery(ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, f recaller.MemoryFilter, from cursor, limit int) (string, []any, error) {
	q := where{args: []any{tenant, caller, from.At, from.ID, from.Version, limit + 1}}
	if len(f.Statuses) == 0 {
		q.and(`status = 'active'`) // spelled out so that the partial index serves it
	} else {
		q.in(`status`, anys(f.Statuses))
	}
	if len(f.Types) > 0 {
		q.in(`type`, anys(f.Types))
	}
	if f.Conversation != "" {
		q.eq(`conversation_id`, f.Conversation)
	}
	if f.Due {
		q.and(`due_at IS NOT NULL`)
	}
	if f.Key != "" {
		token, err := s.keyToken(ctx, tenant, caller, f.Key)
		if err != nil {
			return "", nil, err
		}
		q.eq(`key_token`, token)
	}
	return `SELECT ` + memoryColumns + ` FROM memories WHERE tenant_id = $1 AND caller_id = $2
		AND (confirmed_at, id, version) < ($3, $4, $5)` + q.String() + ` ORDER BY confirmed_at DESC, id DESC, version DESC LIMIT $6`, q.args, nil
}

func (b box) readMemories(ctx context.Context, tx Tx, query string, args ...any) (list []recaller.Memory, err error) {
	err = each(ctx, tx, query, args, func(r Rows) error {
		row, err := scanMemory(r.Scan)
		if err != nil {
			return err
		}
		m, err := b.openMemory(row)
		list = append(list, m)
		return err
	})
	return list, err
}

// MemoryHistory returns every version of a memory, newest first.
func (s *Store) MemoryHistory(ctx context.Context, tenant recaller.TenantID, id recaller.MemoryID) ([]recaller.Memory, error) {
	var rows []sealedMemory
	err := s.WithTenant(ctx, tenant, Reading, func(tx Tx) error {
		return each(ctx, tx, `SELECT `+memoryColumns+` FROM memories WHERE tenant_id = $1 AND id = $2`+notErasing+` ORDER BY version DESC`, []any{tenant, id},
			func(r Rows) error {
				m, err := scanMemory(r.Scan)
				rows = append(rows, m)
				return err
			})
	})
	if err == nil && len(rows) == 0 {
		err = recaller.Errorf(recaller.NotFound, "there is no such memory")
	}
	if err != nil {
		return nil, err
	}
	b, err := s.unseal(ctx, tenant, rows[0].Caller)
	if err != nil {
		return nil, notFound(err, "there is no such memory")
	}
	list := make([]recaller.Memory, len(rows))
	for i, row := range rows {
		if list[i], err = b.openMemory(row); err != nil {
			return nil, err
		}
	}
	return list, nil
}
