package store

import (
	"context"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/memory/decide"
	"github.com/recallerhq/recaller/internal/vault"
)

// memoryBody is what is sealed of a version of a memory.
type memoryBody struct {
	Key     string          `json:"k"`
	Value   string          `json:"v"`
	Turns   []int           `json:"t,omitempty"`
	Aliases []string        `json:"a,omitempty"`
	Dispute *disputeBody    `json:"d,omitempty"`
	Gone    *forgettingBody `json:"f,omitempty"`
	Interim bool            `json:"i,omitempty"` // when it was written; see Memory.Interim

	Thread recaller.ThreadID `json:"th,omitempty"` // of its provenance
}

// forgettingBody is how a version was forgotten.
type forgettingBody struct {
	At           int64                   `json:"at"`
	Conversation recaller.ConversationID `json:"c,omitempty"`
	Turns        []int                   `json:"t,omitempty"`
	With         recaller.MemoryID       `json:"w,omitempty"`
	Named        []string                `json:"n,omitempty"`
}

// disputeBody is a whole dispute. It is sealed whole, because no query looks for a part of it.
type disputeBody struct {
	Value        string                  `json:"v"`
	Conversation recaller.ConversationID `json:"c,omitempty"`
	Turns        []int                   `json:"t,omitempty"`
	At           int64                   `json:"at"`
}

// maxActive bounds how many active memories of a caller are read at once.
const maxActive = 2000

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
	place := memoryPlace(m.Memory)
	err := b.getBound(place.Table, place.Record, place.Bound, m.body, &body)
	m.Key, m.Value, m.Provenance.Turns, m.Aliases = body.Key, body.Value, body.Turns, body.Aliases
	m.Provenance.Thread = body.Thread
	m.Interim = body.Interim && m.Status == recaller.MemoryActive
	if d := body.Dispute; d != nil {
		m.Dispute = &recaller.Dispute{
			Value: d.Value, At: fromMicros(d.At),
			Provenance: recaller.Provenance{Conversation: d.Conversation, Turns: d.Turns},
		}
	}
	if g := body.Gone; g != nil {
		asked := recaller.Provenance{Conversation: g.Conversation, Turns: g.Turns}
		m.Forgetting = &recaller.Forgetting{At: fromMicros(g.At), Asked: asked, With: g.With, Named: g.Named}
	}
	return m.Memory, err
}

func (b box) sealMemory(m recaller.Memory) ([]byte, error) {
	body := memoryBody{
		Key: m.Key, Value: m.Value, Turns: m.Provenance.Turns, Aliases: m.Aliases, Interim: m.Interim, Thread: m.Provenance.Thread,
	}
	if d := m.Dispute; d != nil {
		body.Dispute = &disputeBody{d.Value, d.Provenance.Conversation, d.Provenance.Turns, micros(d.At)}
	}
	if g := m.Forgetting; g != nil {
		body.Gone = &forgettingBody{micros(g.At), g.Asked.Conversation, g.Asked.Turns, g.With, g.Named}
	}
	place := memoryPlace(m)
	return b.putBound(place.Table, place.Record, place.Bound, body)
}

func memoryPlace(m recaller.Memory) vault.Place {
	return vault.Place{Table: "memories.body", Record: versionRecord(m), Bound: binding{}.memory(m)}
}

// versionRecord names one version: a body moved to another version does not open.
func versionRecord(m recaller.Memory) string { return string(m.ID) + "." + itoa(m.Version) }

// keyText is what a memory's blind token is made of.
func keyText(caller recaller.CallerID, key string) string {
	return string(caller) + "\x00" + decide.BareKey(key)
}

// newest reads the newest version of a memory, whatever its status.
func newest(ctx context.Context, tx Tx, tenant recaller.TenantID, id recaller.MemoryID) (sealedMemory, error) {
	m, err := scanMemory(func(dest ...any) error {
		return tx.QueryRow(ctx, `SELECT `+memoryColumns+` FROM memories WHERE tenant_id = $1 AND id = $2`+notErasing+`
			ORDER BY version DESC LIMIT 1`, []any{tenant, id}, dest...)
	})
	return m, notFound(err, "there is no such memory")
}

// MemoryByID returns the newest version of a memory, whatever its status.
func (s *Store) MemoryByID(
	ctx context.Context, tenant recaller.TenantID, id recaller.MemoryID,
) (recaller.Memory, error) {
	var row sealedMemory
	var list []byte
	err := s.WithTenant(ctx, tenant, Reading, func(tx Tx) (err error) {
		if row, err = newest(ctx, tx, tenant, id); err == nil {
			list, err = sealedRegister(ctx, tx, tenant, row.Caller)
		}
		return err
	})
	if err != nil {
		return recaller.Memory{}, notFound(err, "there is no such memory")
	}
	b, err := s.checked(ctx, tenant, row.Caller, list)
	if err != nil {
		return recaller.Memory{}, notFound(err, "there is no such memory")
	}
	m, err := b.openMemory(row)
	if err == nil {
		err = b.reg.check(row)
	}
	return m, err
}

// checked gives the box of a caller whose register was read with his memories.
func (s *Store) checked(
	ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, register []byte,
) (box, error) {
	b, err := s.unseal(ctx, tenant, caller)
	if err != nil {
		return b, err
	}
	b = b.checking()
	return b, b.load(caller, register)
}

// ActiveMemories returns a caller's active memories, last confirmed first, at most 2000, and the content version that
// they are of. If has is that version already, it returns only the version. Who has none passes -1.
func (s *Store) ActiveMemories(
	ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, has int64,
) (list []recaller.Memory, version int64, err error) {
	b, err := s.unseal(ctx, tenant, caller)
	if err != nil {
		return nil, 0, notFound(err, "there is no such caller")
	}
	err = s.OfCaller(ctx, tenant, caller, func(tx Tx) error {
		version, err = contentVersion(ctx, tx, tenant, caller)
		if err != nil || version == has {
			return err
		}
		b := b.checking()
		err = tx.QueryAll(ctx, b.registerQuery(tenant, caller), b.activeQuery(tenant, caller, maxActive, &list))
		if err == nil && len(list) < maxActive {
			b.lost()
		}
		return err
	})
	return list, version, err
}

// activeQuery reads a caller's active memories into list, last confirmed first.
func (b box) activeQuery(tenant recaller.TenantID, caller recaller.CallerID, limit int, list *[]recaller.Memory) Query {
	return Query{
		SQL: `SELECT ` + memoryColumns + ` FROM memories WHERE tenant_id = $1 AND caller_id = $2
			AND status = 'active' ORDER BY confirmed_at DESC, id DESC LIMIT ` + itoa(limit),
		Args: []any{tenant, caller},
		Row:  b.memoryRow(list),
	}
}

// memoryRow opens a memory of a result and appends it to list. One that is damaged is noted and left out.
func (b box) memoryRow(list *[]recaller.Memory) func(func(...any) error) error {
	return b.memoryRowOr(list, func(m recaller.Memory, err error) error {
		return b.leaveOut(err, recaller.DamagedRow{Table: "memories", ID: versionRecord(m)})
	})
}

// memoryRowOr is memoryRow, but damaged says what happens to a memory that cannot be opened.
func (b box) memoryRowOr(
	list *[]recaller.Memory, damaged func(recaller.Memory, error) error,
) func(func(...any) error) error {
	return func(scan func(...any) error) error {
		row, err := scanMemory(scan)
		if err != nil {
			return err
		}
		m, err := b.openMemory(row)
		if err == nil {
			err = b.reg.check(row)
		}
		if err != nil {
			return damaged(row.Memory, err)
		}
		*list = append(*list, m)
		return nil
	}
}

// forgottenRow is memoryRow for what was forgotten. Where that cannot be read, nothing may be told: it is Unavailable.
func (b box) forgottenRow(list *[]recaller.Memory) func(func(...any) error) error {
	return b.memoryRowOr(list, func(m recaller.Memory, err error) error {
		if !damaged(err) {
			return err
		}
		b.note(err, recaller.DamagedRow{Table: "memories", ID: versionRecord(m)})
		return recaller.Wrap(recaller.Unavailable, err, "what was forgotten cannot be read")
	})
}

// Memories lists a caller's memories, last confirmed first.
func (s *Store) Memories(
	ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, f recaller.MemoryFilter,
) ([]recaller.Memory, string, error) {
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
	err = s.OfCaller(ctx, tenant, caller, func(tx Tx) error {
		if err := alive(ctx, tx, tenant, caller); err != nil {
			return err
		}
		b := b.checking()
		return tx.QueryAll(ctx, b.registerQuery(tenant, caller), Query{SQL: query, Args: args, Row: b.memoryRow(&list)})
	})
	if err != nil {
		return nil, "", err
	}
	list, cur := next(list, limit, func(m recaller.Memory) cursor {
		return cursor{At: micros(m.ConfirmedAt), ID: string(m.ID), Version: m.Version}
	})
	return list, cur, nil
}

func (s *Store) memoryQuery(
	ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, f recaller.MemoryFilter,
	from cursor, limit int,
) (string, []any, error) {
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
		token, err := s.blind(ctx, tenant, blindKey, keyText(caller, f.Key))
		if err != nil {
			return "", nil, err
		}
		q.eq(`key_token`, token)
	}
	return `SELECT ` + memoryColumns + ` FROM memories WHERE tenant_id = $1 AND caller_id = $2
		AND (confirmed_at, id, version) < ($3, $4, $5)` + q.String() + `
		ORDER BY confirmed_at DESC, id DESC, version DESC LIMIT $6`, q.args, nil
}

func (b box) readMemories(ctx context.Context, tx Tx, query string, args ...any) (list []recaller.Memory, err error) {
	err = tx.QueryAll(ctx, Query{SQL: query, Args: args, Row: b.memoryRow(&list)})
	return list, err
}

// MemoryHistory returns every version of a memory, newest first.
func (s *Store) MemoryHistory(
	ctx context.Context, tenant recaller.TenantID, id recaller.MemoryID,
) ([]recaller.Memory, error) {
	var rows []sealedMemory
	var register []byte
	err := s.WithTenant(ctx, tenant, Reading, func(tx Tx) error {
		err := each(ctx, tx, `SELECT `+memoryColumns+` FROM memories WHERE tenant_id = $1 AND id = $2`+notErasing+`
			ORDER BY version DESC`, []any{tenant, id},
			func(r Rows) error {
				m, err := scanMemory(r.Scan)
				rows = append(rows, m)
				return err
			})
		if err == nil && len(rows) > 0 {
			register, err = sealedRegister(ctx, tx, tenant, rows[0].Caller)
		}
		return err
	})
	if err == nil && len(rows) == 0 {
		err = recaller.Errorf(recaller.NotFound, "there is no such memory")
	}
	if err != nil {
		return nil, err
	}
	b, err := s.checked(ctx, tenant, rows[0].Caller, register)
	if err != nil {
		return nil, notFound(err, "there is no such memory")
	}
	list := make([]recaller.Memory, 0, len(rows))
	for _, row := range rows {
		m, err := b.openMemory(row)
		if err == nil {
			err = b.reg.check(row)
		}
		if err == nil {
			list = append(list, m)
			continue
		}
		if err := b.leaveOut(err, recaller.DamagedRow{Table: "memories", ID: versionRecord(row.Memory)}); err != nil {
			return nil, err
		}
	}
	return list, nil
}
