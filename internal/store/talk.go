package store

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/vault"
)

// This file reads the conversations that a search ranks: all of them at one moment, whoever had them.

// The bounds of what is read of the conversations that a search ranks.
const (
	talkTurns  = 400  // of one conversation, from its beginning
	talksTurns = 3000 // of all together: those that are given first come first
)

// sealedTurn is a turn's row before its caller's key opened it.
type sealedTurn struct {
	conv recaller.ConversationID
	turn recaller.Turn // without its words
	body []byte
}

func scanTurn(scan func(...any) error) (r sealedTurn, err error) {
	var at int64
	err = scan(&r.conv, &r.turn.Number, &r.turn.ID, &at, &r.turn.Speaker, &r.body)
	r.turn.At = fromMicros(at)
	return r, err
}

func (r sealedTurn) place() vault.Place { return turnPlace(r.turn.ID, binding{}.turn(r.conv, r.turn)) }

// talks is what is read of some conversations.
type talks struct {
	tenant recaller.TenantID
	rows   []sealedConversation
	turns  map[recaller.ConversationID][]sealedTurn
	gone   map[recaller.CallerID][]sealedMemory
	// The registers of the callers, sealed.
	registers map[recaller.CallerID][]byte
}

// Talks returns ended conversations with their turns and what their callers had forgotten, in the order of the ids, all
// read at one moment. It leaves out conversations that are not there or have not ended, and those whose caller is being
// erased or whose key was destroyed. One whose caller's key is missing is marked as locked, and has nothing else.
//
// Of one conversation the first 400 turns are read. Of all together 3,000 are read: a conversation that does not fit
// has none. There are none either where the retention keeps them elsewhere. A damaged conversation is marked and has no
// words. Where damage hides what a caller had forgotten, his conversations are left out. At most 1000 ids may be asked
// for.
func (s *Store) Talks(
	ctx context.Context, tenant recaller.TenantID, ids []recaller.ConversationID,
) ([]recaller.Talk, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	if err := bounded(len(ids)); err != nil {
		return nil, err
	}
	t := talks{
		tenant: tenant,
		turns:  map[recaller.ConversationID][]sealedTurn{},
		gone:   map[recaller.CallerID][]sealedMemory{},

		registers: map[recaller.CallerID][]byte{},
	}
	if err := s.WithTenant(ctx, tenant, Reading, func(tx Tx) error { return t.read(ctx, tx, ids) }); err != nil {
		return nil, err
	}
	boxes, err := s.boxes(ctx, tenant, t.rows)
	if err != nil {
		return nil, err
	}
	out := make([]recaller.Talk, 0, len(t.rows))
	for _, row := range t.rows {
		b, there := boxes[row.Caller]
		if !there {
			_, err := s.unseal(ctx, tenant, row.Caller)
			if recaller.IsKeyMissing(err) {
				out = append(out, recaller.Talk{Conversation: row.Conversation, Locked: true})
			}
			continue
		}
		talk, err := t.open(b, row)
		switch {
		case errors.Is(err, recaller.NotFound): // its key was destroyed meanwhile
			continue
		case recaller.LeftOut(ctx, err):
			continue
		case err != nil:
			return nil, err
		}
		out = append(out, talk)
	}
	return out, nil
}

func (t *talks) read(ctx context.Context, tx Tx, ids []recaller.ConversationID) error {
	q := where{args: []any{t.tenant}}
	q.in("id", padded(anys(ids)))
	rows, err := scanConversations(ctx, tx, `SELECT `+conversationColumns+` FROM conversations
		WHERE tenant_id = $1`+q.String()+` AND status <> 'active'`+notErasing, q.args...)
	if err != nil {
		return err
	}
	at := make(map[recaller.ConversationID]int, len(ids))
	for i, id := range ids {
		at[id] = i
	}
	slices.SortFunc(rows, func(a, b sealedConversation) int { return at[a.ID] - at[b.ID] })
	t.rows = rows
	var wanted []any // caller and conversation
	var callers []recaller.CallerID
	left := talksTurns
	for _, row := range rows {
		callers = append(callers, row.Caller)
		if n := min(row.Turns, talkTurns); n > 0 && n <= left {
			wanted, left = append(wanted, row.Caller, row.ID), left-n
		}
	}
	var queries []Query
	if len(wanted) > 0 {
		queries = append(queries, t.turnsOf(wanted))
	}
	if len(callers) > 0 {
		queries = append(queries, t.forgottenOf(callers), t.registersOf(callers))
	}
	return tx.QueryAll(ctx, queries...)
}

// turnsOf reads the words of conversations. Each pair is a caller and a conversation, because turns are stored by
// caller.
func (t *talks) turnsOf(pairs []any) Query {
	q := where{args: []any{t.tenant}}
	n := len(padded(make([]any, len(pairs)/2)))
	values := make([]string, n)
	for i := range values { // the last one again and again, so that lists of many lengths make few statements
		at := min(2*i, len(pairs)-2)
		values[i] = "(" + q.param(pairs[at]) + ", " + q.param(pairs[at+1]) + ")"
	}
	return Query{
		SQL: `SELECT ` + turnColumns + ` FROM turns WHERE tenant_id = $1
			AND (caller_id, conversation_id) IN (VALUES ` + strings.Join(values, ", ") + `)
			AND number < ` + itoa(talkTurns) + `
			ORDER BY conversation_id, number`,
		Args: q.args,
		Row: func(scan func(...any) error) error {
			r, err := scanTurn(scan)
			r.body = bytes.Clone(r.body)
			t.turns[r.conv] = append(t.turns[r.conv], r)
			return err
		},
	}
}

// forgottenOf reads every version of the callers' forgotten memories.
func (t *talks) forgottenOf(callers []recaller.CallerID) Query {
	slices.Sort(callers)
	q := where{args: []any{t.tenant}}
	q.in("f.caller_id", padded(anys(slices.Compact(callers))))
	return Query{
		SQL: `SELECT ` + memoryColumns + ` FROM memories WHERE tenant_id = $1 AND id IN (SELECT f.id FROM memories f
			WHERE f.tenant_id = $1` + q.String() + ` AND f.status = 'forgotten'
				AND NOT EXISTS (SELECT 1 FROM memories n WHERE n.tenant_id = $1 AND n.id = f.id
				AND n.version > f.version))
			ORDER BY id DESC, version DESC`,
		Args: q.args,
		Row: func(scan func(...any) error) error {
			m, err := scanMemory(scan)
			t.gone[m.Caller] = append(t.gone[m.Caller], m)
			return err
		},
	}
}

// registersOf reads the callers' registers.
func (t *talks) registersOf(callers []recaller.CallerID) Query {
	q := where{args: []any{t.tenant}}
	q.in("id", padded(anys(slices.Compact(callers))))
	return Query{
		SQL:  `SELECT id, register FROM callers WHERE tenant_id = $1` + q.String(),
		Args: q.args,
		Row: func(scan func(...any) error) error {
			var id recaller.CallerID
			var sealed []byte
			err := scan(&id, &sealed)
			t.registers[id] = bytes.Clone(sealed)
			return err
		},
	}
}

// boxes gives the boxes of the callers of conversations; those whose key was destroyed have none.
func (s *Store) boxes(
	ctx context.Context, tenant recaller.TenantID, rows []sealedConversation,
) (map[recaller.CallerID]box, error) {
	var callers []recaller.CallerID
	for _, row := range rows {
		callers = append(callers, row.Caller)
	}
	slices.Sort(callers)
	openers, err := s.vault.Openers(ctx, tenant, slices.Compact(callers))
	out := make(map[recaller.CallerID]box, len(openers))
	for caller, opener := range openers {
		out[caller] = s.box(ctx, tenant, opener)
	}
	return out, err
}

// open opens a conversation. It leaves out what is damaged. Where damage hides what was forgotten it fails, and names
// the row, because then nothing may be told.
func (t *talks) open(b box, row sealedConversation) (recaller.Talk, error) {
	conv, err := b.open(row)
	out := recaller.Talk{Conversation: conv}
	if err != nil {
		if !damaged(err) {
			return out, err
		}
		b.note(err, conversationAt(row))
		out.Conversation = row.Conversation
		out.Conversation.Unreadable = true
	}
	b = b.checking()
	if err := b.load(row.Caller, t.registers[row.Caller]); err != nil {
		return out, err
	}
	for _, m := range t.gone[row.Caller] {
		opened, err := b.openMemory(m)
		if err == nil {
			err = b.reg.check(m)
		}
		if err != nil {
			if damaged(err) {
				b.note(err, recaller.DamagedRow{Table: "memories", ID: versionRecord(m.Memory)})
				err = recaller.Wrap(recaller.Unavailable, err, "what was forgotten cannot be read")
			}
			return out, err
		}
		out.Forgotten = append(out.Forgotten, opened)
	}
	if err := b.allForgotten(len(out.Forgotten)); err != nil {
		return out, err
	}
	var plain []byte
	for _, r := range t.turns[row.ID] {
		bound := binding{}.turn(r.conv, r.turn)
		if plain, err = b.openBound(plain[:0], turnPlace(r.turn.ID, bound), r.body); err == nil && !readTurn(plain, &r.turn) {
			err = damagedAt("turns", string(r.turn.ID))
		}
		if err != nil {
			if !damaged(err) {
				return out, err
			}
			b.note(err, recaller.DamagedRow{Table: "turns", ID: string(r.turn.ID)})
			out.Turns, out.Damaged = nil, true
			return out, nil
		}
		out.Turns = append(out.Turns, r.turn)
	}
	return out, nil
}

func damaged(err error) bool { return recaller.KindOf(err) == recaller.Internal }
