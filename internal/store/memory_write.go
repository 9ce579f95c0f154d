package store

import (
	"context"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/memory/decide"
	"github.com/recallerhq/recaller/internal/vault"
)

// This file carries out what the rules of memory (memory/decide) decide.

// StoreMemory stores a memory by its key, with what goes with it (the caller's name, a reminder, the record of the tool
// call), in one commit: see decide.Storing.
func (s *Store) StoreMemory(
	ctx context.Context, tenant recaller.TenantID, in recaller.Storing,
) (out recaller.MemoryWritten, err error) {
	w, err := s.memoryWrite(ctx, tenant, in.Memory.Caller)
	if err != nil {
		return out, notFound(err, "there is no such caller")
	}
	with := companions{
		once: newOnce(w.blind, tenant, in.Once), call: in.Call, reminder: in.Reminder, at: in.Memory.CreatedAt,
	}
	rule := func(k decide.Known) (decide.Decision, error) { return decide.Storing(k, in) }
	err = s.WithCaller(ctx, tenant, w.caller, func(tx Tx) error {
		out, err = w.together(ctx, tx, with, rule)
		return err
	})
	w.told(err)
	return out, err
}

// ChangeMemory makes a new version of a memory, or closes it, with what goes with that (a reminder, the record of the
// tool call), in one commit: see decide.Changing. A key that another active memory of the caller has is a Conflict.
func (s *Store) ChangeMemory(
	ctx context.Context, tenant recaller.TenantID, in recaller.Changing,
) (out recaller.MemoryWritten, err error) {
	w, err := s.changeOf(ctx, tenant, in.ID, in.Unkept)
	if err != nil {
		return out, err
	}
	with := companions{
		once: newOnce(w.blind, tenant, in.Once), call: in.Call, reminder: in.Reminder, cancel: in.Cancel, at: in.Patch.At,
	}
	in.Unkept = w.own(in.Unkept)
	rule := func(k decide.Known) (decide.Decision, error) { return decide.Changing(k, in) }
	err = s.WithCaller(ctx, tenant, w.caller, func(tx Tx) error {
		out, err = w.together(ctx, tx, with, rule)
		return err
	})
	w.told(err)
	return out, err
}

// UndoMemory brings an earlier version of a memory back, as a new version: see decide.Undoing. Where another active
// memory has the key by now it is a Conflict. Reminders of a memory that was forgotten do not come back.
func (s *Store) UndoMemory(
	ctx context.Context, tenant recaller.TenantID, in recaller.Undoing,
) (out recaller.MemoryWritten, err error) {
	w, err := s.changeOf(ctx, tenant, in.ID, nil)
	if err != nil {
		return out, err
	}
	rule := func(k decide.Known) (decide.Decision, error) { return decide.Undoing(k, in) }
	err = s.WithCaller(ctx, tenant, w.caller, func(tx Tx) error {
		out, err = w.decided(ctx, tx, rule)
		return err
	})
	w.told(err)
	return out, err
}

// memoryWrite writes versions of one caller's memories inside a transaction.
type memoryWrite struct {
	tenant recaller.TenantID
	caller recaller.CallerID
	box    box
	blind  vault.Blinder
	news   *news
}

// told tells of what was written, if it was committed.
func (w memoryWrite) told(err error) {
	if err == nil {
		w.news.committed()
	}
}

func (s *Store) memoryWrite(
	ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID,
) (w memoryWrite, err error) {
	w.tenant, w.caller = tenant, caller
	if w.box, err = s.unseal(ctx, tenant, caller); err != nil {
		return w, err
	}
	if w.news, err = s.news(ctx, tenant); err != nil {
		return w, err
	}
	w.blind, err = s.blinder(ctx, tenant)
	return w, err
}

// changeOf prepares a write about the caller of a memory, or about the caller of the memories that the change makes
// itself.
func (s *Store) changeOf(
	ctx context.Context, tenant recaller.TenantID, id recaller.MemoryID, made []recaller.Memory,
) (memoryWrite, error) {
	var row sealedMemory
	if len(made) > 0 {
		row.Caller = made[0].Caller
	} else if err := s.WithTenant(ctx, tenant, Reading, func(tx Tx) (err error) {
		row, err = newest(ctx, tx, tenant, id)
		return err
	}); err != nil {
		return memoryWrite{}, err
	}
	w, err := s.memoryWrite(ctx, tenant, row.Caller)
	return w, notFound(err, "there is no such memory")
}

// own returns the memories as memories of this caller.
func (w memoryWrite) own(list []recaller.Memory) []recaller.Memory {
	out := make([]recaller.Memory, len(list))
	for i, m := range list {
		out[i], out[i].Caller = m, w.caller
	}
	return out
}

func (w memoryWrite) token(key string) []byte {
	return w.blind.Blind(blindKey, keyText(w.caller, key))
}

// rule decides on a write, given what it has seen so far.
type rule func(decide.Known) (decide.Decision, error)

// decided looks up what a rule asks for until the rule decides, and carries the decision out.
func (w memoryWrite) decided(ctx context.Context, tx Tx, rule rule) (recaller.MemoryWritten, error) {
	known := decide.Known{}
	for {
		d, err := rule(known)
		if err != nil {
			return recaller.MemoryWritten{}, err
		}
		if d.Ask == (decide.Question{}) {
			return w.carryOut(ctx, tx, d)
		}
		if known[d.Ask], err = w.look(ctx, tx, d.Ask); err != nil {
			return recaller.MemoryWritten{}, err
		}
	}
}

// maxPast bounds how many earlier versions of a memory a rule sees.
const maxPast = 50

// look answers what a rule asks.
func (w memoryWrite) look(ctx context.Context, tx Tx, q decide.Question) (a decide.Answer, err error) {
	const all = `SELECT ` + memoryColumns + ` FROM memories WHERE tenant_id = $1 `
	switch q.Look {
	case decide.Keyed:
		a.Memories, err = w.whole(ctx, tx, all+`AND caller_id = $2 AND key_token = $3 AND status = 'active'`,
			w.tenant, w.caller, w.token(q.Key))
		for _, m := range a.Memories {
			if decide.BareKey(m.Key) != decide.BareKey(q.Key) { // the token of another was put here
				err = damagedAt("memories", versionRecord(m))
			}
		}
	case decide.Newest:
		var m recaller.Memory
		if m, err = w.current(ctx, tx, q.ID); recaller.KindOf(err) == recaller.NotFound {
			return a, nil
		}
		a.Memories = []recaller.Memory{m}
	case decide.Exact:
		a.Memories, err = w.whole(ctx, tx, all+`AND caller_id = $2 AND id = $3 AND version = $4`,
			w.tenant, w.caller, q.ID, q.Version)
	case decide.Past:
		a.Memories, err = w.box.readMemories(ctx, tx, all+`AND id = $2 AND status = 'superseded' ORDER BY version DESC
			LIMIT `+itoa(maxPast), w.tenant, q.ID)
	case decide.Closed:
		a.Memories, err = w.box.readMemories(ctx, tx, all+`AND caller_id = $2 AND key_token = $3 AND status <> 'active'
			AND conversation_id = $4 AND closed_at >= $5
			LIMIT 1`, w.tenant, w.caller, w.token(q.Key), q.Conversation, q.Since)
	case decide.Gone:
		err = tx.QueryAll(ctx, w.box.forgottenQuery(w.tenant, w.caller, &a.Memories))
	case decide.Name:
		var body callerBody
		body, err = w.box.readCallerBody(ctx, tx, w.tenant, w.caller)
		a.Caller = body.known()
	}
	return a, err
}

// whole reads memories on which a write depends: one that is damaged is an error.
func (w memoryWrite) whole(ctx context.Context, tx Tx, query string, args ...any) (list []recaller.Memory, err error) {
	strict := func(_ recaller.Memory, err error) error { return err }
	err = tx.QueryAll(ctx, Query{SQL: query, Args: args, Row: w.box.memoryRowOr(&list, strict)})
	return list, err
}

// current returns the newest version of a memory of the caller's, whatever its status.
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

// carryOut writes what was decided, raises the caller's content version if memories changed, and tells the change.
func (w memoryWrite) carryOut(ctx context.Context, tx Tx, d decide.Decision) (recaller.MemoryWritten, error) {
	out := recaller.MemoryWritten{Memory: d.Memory, Action: d.Action, Previous: d.Previous}
	written := make([]writtenVersion, len(d.Writes))
	for i, v := range d.Writes {
		var err error
		if written[i], err = w.write(ctx, tx, v); err != nil {
			return recaller.MemoryWritten{}, err
		}
	}
	if d.Caller != nil {
		was, err := w.box.readCallerBody(ctx, tx, w.tenant, w.caller)
		if err != nil {
			return out, err
		}
		body := bodyOf(*d.Caller)
		body.PIN = was.PIN
		if err := w.box.writeCallerBody(ctx, tx, w.tenant, w.caller, body); err != nil {
			return out, err
		}
	}
	if len(d.Writes) == 0 {
		return out, nil
	}
	for _, id := range d.Forgotten {
		if err := cancelReminders(ctx, tx, w.tenant, id, d.Reindex); err != nil {
			return out, err
		}
	}
	if !d.Reindex.IsZero() {
		if err := w.reindex(ctx, tx, d.Memory, d.Reindex); err != nil {
			return out, err
		}
	}
	version, err := w.touchWith(ctx, tx, written)
	if err != nil {
		return out, err
	}
	out.Change = recaller.Change{Tenant: w.tenant, Caller: w.caller, Version: version, Memories: d.Told()}
	if len(d.Forgotten) > 0 {
		if err := tx.QueryAll(ctx, w.versionQueries(d.Forgotten, &out.Change.Forgotten)...); err != nil {
			return out, err
		}
	}
	return out, w.news.remembered(ctx, tx, d, version)
}

// write writes one version of a memory.
func (w memoryWrite) write(ctx context.Context, tx Tx, v decide.Write) (out writtenVersion, err error) {
	m := v.Memory
	if v.Do == decide.Remove {
		_, err := tx.Exec(ctx, `DELETE FROM memories WHERE tenant_id = $1 AND id = $2 AND version = $3`,
			w.tenant, m.ID, m.Version)
		return writtenVersion{memory: m}, err
	}
	if v.Do != decide.Update {
		m.ClosedAt, m.ClosedReason = time.Time{}, ""
	}
	body, err := w.box.sealMemory(m)
	if err != nil {
		return out, err
	}
	out = writtenVersion{m, body}
	var due any
	if m.DueAt != nil {
		due = micros(*m.DueAt)
	}
	if v.Do == decide.Update { // all that is bound, so that the row is what was sealed
		_, err = tx.Exec(ctx, `UPDATE memories SET status = $4, closed_reason = $5, closed_at = $6, confidence = $7,
			confirmed_at = $8, body = $9, type = $10, source = $11, privacy_scope = $12, due_at = $13, due_day = $14,
			conversation_id = $15, created_at = $16 WHERE tenant_id = $1 AND id = $2 AND version = $3`,
			w.tenant, m.ID, m.Version, m.Status, m.ClosedReason, microsOrNil(m.ClosedAt), m.Confidence,
			micros(m.ConfirmedAt), body, m.Type, m.Source, m.PrivacyScope, due, m.DueDay, m.Provenance.Conversation,
			micros(m.CreatedAt))
		return out, err
	}
	_, err = tx.Exec(ctx, `INSERT INTO memories (tenant_id, id, version, caller_id, type, key_token, status, confidence,
		source, privacy_scope, due_at, due_day, conversation_id, created_at, confirmed_at, body)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)`,
		w.tenant, m.ID, m.Version, m.Caller, m.Type, w.token(m.Key), m.Status, m.Confidence,
		m.Source, m.PrivacyScope, due, m.DueDay, m.Provenance.Conversation,
		micros(m.CreatedAt), micros(m.ConfirmedAt), body)
	if recaller.KindOf(err) == recaller.Conflict {
		return out, decide.KeyTaken()
	}
	return out, err
}

// versionQueries read all versions of memories into list, a memory's newest first.
func (w memoryWrite) versionQueries(ids []recaller.MemoryID, list *[]recaller.Memory) []Query {
	out := make([]Query, len(ids))
	for i, id := range ids {
		out[i] = Query{
			SQL: `SELECT ` + memoryColumns + ` FROM memories WHERE tenant_id = $1 AND id = $2 ORDER BY version DESC
				LIMIT ` + itoa(maxForgotten),
			Args: []any{w.tenant, id},
			Row:  w.box.memoryRow(list),
		}
	}
	return out
}
