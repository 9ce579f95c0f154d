package store

import (
	"context"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/vault"
)

// turnRow is a turn as it is stored.
type turnRow struct {
	number  int
	id      recaller.TurnID
	at      int64
	speaker recaller.Speaker
	body    []byte
}

// sealTurns seals numbered turns of a conversation.
func (b box) sealTurns(conv recaller.ConversationID, turns []recaller.Turn) ([]turnRow, error) {
	rows := make([]turnRow, len(turns))
	var plain []byte
	var bound binding
	for i, t := range turns {
		plain, bound = appendTurn(plain[:0], t), bound[:0].turn(conv, t)
		sealed, err := b.Seal(turnPlace(t.ID, bound), plain)
		if err != nil {
			return nil, err
		}
		rows[i] = turnRow{t.Number, t.ID, micros(t.At), t.Speaker, sealed}
	}
	return rows, nil
}

func turnPlace(id recaller.TurnID, bound binding) vault.Place {
	return vault.Place{Table: "turns.body", Record: string(id), Bound: bound}
}

const insertTurn = `INSERT INTO turns (tenant_id, caller_id, conversation_id, number, id, at, speaker, body)
	VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`

func (r turnRow) args(tenant recaller.TenantID, caller recaller.CallerID, conv recaller.ConversationID) []any {
	return []any{tenant, caller, conv, r.number, r.id, r.at, r.speaker, r.body}
}

func insertTurns(ctx context.Context, tx Tx, tenant recaller.TenantID, c recaller.Conversation, rows []turnRow) error {
	args := make([][]any, len(rows))
	for i, r := range rows {
		args[i] = r.args(tenant, c.Caller, c.ID)
	}
	return tx.ExecAll(ctx, insertTurn, args)
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
	var rows []sealedConversation
	there := present{}
	err = s.OfCaller(ctx, tenant, conv.Caller, func(tx Tx) error {
		return tx.QueryAll(ctx, Query{
			SQL:  `SELECT ` + conversationColumns + ` FROM conversations WHERE tenant_id = $1 AND id = $2` + notErasing,
			Args: []any{tenant, conv.ID},
			Row:  conversationRow(&rows),
		}, Query{
			SQL: `SELECT ` + turnColumns + ` FROM turns WHERE tenant_id = $1 AND caller_id = $2
				AND conversation_id = $3` + notErasing + ` ORDER BY number`,
			Args: []any{tenant, conv.Caller, conv.ID},
			Row:  there.counting(b.turnRow(func(_ recaller.ConversationID, t recaller.Turn) { out = append(out, t) })),
		})
	})
	if err != nil || len(rows) == 0 {
		return out, err
	}
	_, h, err := b.openWith(rows[0])
	if err != nil {
		return out, b.leaveOut(err, conversationAt(rows[0]))
	}
	b.missing(conv.ID, h, there)
	return out, nil
}

// present are the numbers of the turns that a result has, damaged or not, by conversation.
type present map[recaller.ConversationID][]int

// counting has the rows of turns counted that row reads.
func (p present) counting(row func(func(...any) error) error) func(func(...any) error) error {
	return func(scan func(...any) error) error {
		return row(func(dest ...any) error {
			err := scan(dest...)
			conv, number := dest[0].(*recaller.ConversationID), dest[1].(*int)
			p[*conv] = append(p[*conv], *number)
			return err
		})
	}
}

// missing notes the turns that a conversation must have and has no more. It must have those from 0 on, unless the words of
// some of them are kept elsewhere.
func (b box) missing(conv recaller.ConversationID, h head, there present) {
	if !h.broken && h.kept != h.turns && len(there[conv]) < h.kept {
		b.note(nil, recaller.DamagedRow{Table: "conversations", ID: string(conv)})
	}
	if h.broken || h.kept != h.turns {
		return
	}
	b.gaps(conv, there[conv], 0, h.turns)
}

// gaps notes the turns of a conversation that are missing from the numbers of those that are there, in order, from one
// number on and below another.
func (b box) gaps(conv recaller.ConversationID, there []int, at, to int) {
	for _, n := range append(there, to) {
		for ; at < n; at++ {
			b.note(nil, recaller.DamagedRow{Table: "turns", ID: string(conv) + "." + itoa(at)})
		}
		at = max(at, n+1)
	}
}

// leaveOut notes a damaged row, so that a read goes on without it. Every other error stays.
func (b box) leaveOut(err error, row recaller.DamagedRow) error {
	if !damaged(err) {
		return err
	}
	b.note(err, row)
	return nil
}

// turnRow opens a turn of a result. One that is damaged is noted and left out.
func (b box) turnRow(take func(recaller.ConversationID, recaller.Turn)) func(func(...any) error) error {
	return b.turnRowOr(take, func(id recaller.TurnID, err error) error {
		return b.leaveOut(err, recaller.DamagedRow{Table: "turns", ID: string(id)})
	})
}

// turnRowOr is turnRow, but damaged says what happens to a turn that cannot be opened.
func (b box) turnRowOr(
	take func(recaller.ConversationID, recaller.Turn), damaged func(recaller.TurnID, error) error,
) func(func(...any) error) error {
	var plain []byte
	var bound binding
	return func(scan func(...any) error) error {
		var conv recaller.ConversationID
		var t recaller.Turn
		var at int64
		var sealed Borrowed
		err := scan(&conv, &t.Number, &t.ID, &at, &t.Speaker, &sealed)
		if err != nil {
			return err
		}
		t.At = fromMicros(at)
		bound = bound[:0].turn(conv, t)
		if plain, err = b.openBound(plain[:0], turnPlace(t.ID, bound), sealed); err != nil {
			return damaged(t.ID, err)
		}
		if !readTurn(plain, &t) {
			return damaged(t.ID, damagedAt("turns", string(t.ID)))
		}
		take(conv, t)
		return nil
	}
}
