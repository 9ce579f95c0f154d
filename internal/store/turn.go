package store

import (
	"context"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/vault"
)

// turnRow is a turn as it is stored, but for its number.
type turnRow struct {
	id      recaller.TurnID
	at      int64
	speaker recaller.Speaker
	body    []byte
}

func (b box) sealTurns(turns []recaller.Turn) ([]turnRow, error) {
	rows := make([]turnRow, len(turns))
	var plain []byte
	for i, t := range turns {
		plain = appendTurn(plain[:0], t)
		sealed, err := b.Seal(turnPlace(t.ID), plain)
		if err != nil {
			return nil, err
		}
		rows[i] = turnRow{t.ID, micros(t.At), t.Speaker, sealed}
	}
	return rows, nil
}

func turnPlace(id recaller.TurnID) vault.Place {
	return vault.Place{Table: "turns.body", Record: string(id)}
}

func insertTurns(ctx context.Context, tx Tx, tenant recaller.TenantID, c recaller.Conversation, rows []turnRow) error {
	first := c.Turns - len(rows)
	args := make([][]any, len(rows))
	for i, r := range rows {
		args[i] = []any{tenant, c.Caller, c.ID, first + i, r.id, r.at, r.speaker, r.body}
	}
	return tx.ExecAll(ctx, `INSERT INTO turns (tenant_id, caller_id, conversation_id, number, id, at, speaker, body)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
		args)
}

// appendedTurns is the result that a repeated request gets of its first time.
type appendedTurns struct {
	First int               `json:"first"`
	IDs   []recaller.TurnID `json:"ids"`
}

// AppendTurns adds turns to an active conversation, gives them numbers and raises the caller's content version, in one
// commit.
func (s *Store) AppendTurns(
	ctx context.Context, tenant recaller.TenantID, in recaller.Appending,
) (recaller.Appended, error) {
	if len(in.Turns) == 0 {
		return recaller.Appended{}, recaller.InvalidField("turns", "needs at least one turn")
	}
	b, err := s.unseal(ctx, tenant, in.Caller)
	if err != nil {
		return recaller.Appended{}, notFound(err, "there is no such conversation")
	}
	var rows []turnRow
	if !in.CountOnly {
		if rows, err = b.sealTurns(in.Turns); err != nil {
			return recaller.Appended{}, err
		}
	}
	var mark once
	if in.Once.Token != "" {
		blind, err := s.blinder(ctx, tenant)
		if err != nil {
			return recaller.Appended{}, err
		}
		mark = newOnce(blind, tenant, in.Once)
	}
	turns := append([]recaller.Turn(nil), in.Turns...)
	change := recaller.Change{Tenant: tenant, Caller: in.Caller}
	err = s.WithCaller(ctx, tenant, in.Caller, func(tx Tx) error {
		var before appendedTurns
		if repeat, err := mark.before(ctx, tx, &before); repeat || err != nil {
			number(turns, before.First, before.IDs)
			return err
		}
		after, there, err := countTurns(ctx, tx, tenant, in)
		if err != nil {
			return err
		}
		number(turns, after-len(turns), nil)
		if there {
			return nil
		}
		conv := recaller.Conversation{ID: in.Conversation, Caller: in.Caller, Turns: after}
		if err := insertTurns(ctx, tx, tenant, conv, rows); err != nil {
			return err
		}
		if change.Version, err = touch(ctx, tx, tenant, in.Caller, lastSeen(turns, in.At)); err != nil {
			return err
		}
		change.Turns = turns
		return mark.mark(ctx, tx, in.Caller, appendedTurns{turns[0].Number, ids(turns)}, in.At)
	})
	if err != nil {
		return recaller.Appended{}, err
	}
	return recaller.Appended{Turns: turns, Change: change}, nil
}

// countTurns makes room for turns in an active conversation, and returns how many it has with them. there is true if it
// has them already: the first try of a write may commit while its repeat is on its way. Numbered turns that do not
// follow the last one are added at the end. If their words are kept elsewhere, under these numbers, that is refused as
// Unavailable.
func countTurns(
	ctx context.Context, tx Tx, tenant recaller.TenantID, in recaller.Appending,
) (after int, there bool, err error) {
	expected := -1
	if in.Numbered {
		expected = in.Turns[0].Number
	}
	count := func(expected int) error {
		return tx.QueryRow(ctx, `UPDATE conversations
			SET turns = turns + $3, user_turns = user_turns + $4, last_activity_at = $5
			WHERE tenant_id = $1 AND id = $2 AND caller_id = $6 AND status = 'active'
			AND turns = CASE WHEN $7 < 0 THEN turns ELSE $7 END RETURNING turns`,
			[]any{tenant, in.Conversation, len(in.Turns), userTurns(in.Turns), micros(in.At), in.Caller, expected}, &after)
	}
	if err = count(expected); recaller.KindOf(err) != recaller.NotFound {
		return after, false, err
	}
	var status recaller.Status
	var turns, at int
	err = tx.QueryRow(ctx, `SELECT status, turns, COALESCE((SELECT number FROM turns WHERE tenant_id = $1
		AND caller_id = $3 AND conversation_id = $2 AND number >= $4 AND id = $5), -1)
		FROM conversations WHERE tenant_id = $1 AND id = $2 AND caller_id = $3`,
		[]any{tenant, in.Conversation, in.Caller, expected, in.Turns[0].ID}, &status, &turns, &at)
	switch {
	case err != nil:
		return 0, false, notFound(err, "there is no such conversation")
	case in.Numbered && at >= 0:
		return at + len(in.Turns), true, nil
	case in.Numbered && in.CountOnly && turns >= expected+len(in.Turns):
		return expected + len(in.Turns), true, nil
	case status != recaller.Active:
		return 0, false, recaller.Errorf(recaller.Conflict, "the conversation has ended; start a new one")
	case in.CountOnly: // its words are kept elsewhere under these numbers
		return 0, false, recaller.Errorf(recaller.Unavailable, "the conversation has other turns than was thought")
	}
	err = count(-1)
	return after, false, err
}

func number(turns []recaller.Turn, first int, ids []recaller.TurnID) {
	for i := range turns {
		turns[i].Number = first + i
		if i < len(ids) {
			turns[i].ID = ids[i]
		}
	}
}

func ids(turns []recaller.Turn) []recaller.TurnID {
	out := make([]recaller.TurnID, len(turns))
	for i, t := range turns {
		out[i] = t.ID
	}
	return out
}

const turnColumns = `conversation_id, number, id, at, speaker, body`

// Turns returns the words of a conversation in order; none where the retention keeps them elsewhere.
func (s *Store) Turns(
	ctx context.Context, tenant recaller.TenantID, conv recaller.Conversation,
) ([]recaller.Turn, error) {
	b, err := s.unseal(ctx, tenant, conv.Caller)
	if err != nil {
		return nil, notFound(err, "there is no such conversation")
	}
	var out []recaller.Turn
	err = s.WithTenant(ctx, tenant, Reading, func(tx Tx) error {
		return b.readTurns(ctx, tx, `SELECT `+turnColumns+` FROM turns WHERE tenant_id = $1 AND caller_id = $2
			AND conversation_id = $3`+notErasing+` ORDER BY number`,
			[]any{tenant, conv.Caller, conv.ID}, func(_ recaller.ConversationID, t recaller.Turn) { out = append(out, t) })
	})
	return out, err
}

func (b box) readTurns(
	ctx context.Context, tx Tx, query string, args []any, take func(recaller.ConversationID, recaller.Turn),
) error {
	return tx.QueryAll(ctx, Query{SQL: query, Args: args, Row: b.turnRow(take)})
}

// turnRow opens a turn of a result. One that is damaged is an error.
func (b box) turnRow(take func(recaller.ConversationID, recaller.Turn)) func(func(...any) error) error {
	return b.turnRowOr(take, func(_ recaller.TurnID, err error) error { return err })
}

// turnRowOr is turnRow, but damaged says what happens to a turn that cannot be opened.
func (b box) turnRowOr(
	take func(recaller.ConversationID, recaller.Turn), damaged func(recaller.TurnID, error) error,
) func(func(...any) error) error {
	var plain []byte
	return func(scan func(...any) error) error {
		var conv recaller.ConversationID
		var t recaller.Turn
		var at int64
		var sealed Borrowed
		err := scan(&conv, &t.Number, &t.ID, &at, &t.Speaker, &sealed)
		if err != nil {
			return err
		}
		if plain, err = b.AppendOpen(plain[:0], turnPlace(t.ID), sealed); err != nil {
			return damaged(t.ID, err)
		}
		if !readTurn(plain, &t) {
			return damaged(t.ID, recaller.Errorf(recaller.Internal, "turns.body holds no readable value"))
		}
		t.At = fromMicros(at)
		take(conv, t)
		return nil
	}
}
