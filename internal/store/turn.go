package store

import (
	"context"
	"errors"

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

func insertTurns(ctx context.Context, tx Tx, tenant recaller.TenantID, c recaller.Conversation, rows []turnRow) error {
	args := make([][]any, len(rows))
	for i, r := range rows {
		args[i] = []any{tenant, c.Caller, c.ID, r.number, r.id, r.at, r.speaker, r.body}
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
// commit. A repeat of a request gets the result of its first time, also where there is no room to write.
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
	w, err := s.prepareTurns(b, tenant, in)
	if err != nil {
		return recaller.Appended{}, err
	}
	var mark once
	if in.Once.Token != "" {
		blind, err := s.blinder(ctx, tenant)
		if err != nil {
			return recaller.Appended{}, err
		}
		mark = newOnce(blind, tenant, in.Once)
	}
	turns := w.turns
	change := recaller.Change{Tenant: tenant, Caller: in.Caller}
	err = s.WithCaller(ctx, tenant, in.Caller, func(tx Tx) error {
		var before appendedTurns
		if repeat, err := mark.before(ctx, tx, &before); repeat || err != nil {
			number(turns, before.First, before.IDs)
			return err
		}
		there, err := w.write(ctx, tx)
		if there || err != nil {
			return err
		}
		if change.Version, err = touch(ctx, tx, tenant, in.Caller, lastSeen(turns, in.At)); err != nil {
			return err
		}
		change.Turns = turns
		return mark.mark(ctx, tx, in.Caller, appendedTurns{turns[0].Number, ids(turns)}, in.At)
	})
	key := headKey{tenant, in.Conversation}
	if errors.Is(err, recaller.Full) {
		if repeat, _ := s.appendedBefore(ctx, tenant, in.Caller, mark, turns); repeat { // else it fails as it did
			return recaller.Appended{Turns: turns}, nil
		}
	}
	if err != nil {
		s.heads.drop(key) // what became of the commit is not always known
		return recaller.Appended{}, err
	}
	if w.after != nil {
		s.heads.put(key, *w.after)
	}
	return recaller.Appended{Turns: turns, Change: change}, nil
}

// appendedBefore reports whether an earlier request added the turns, and gives them its ids and numbers.
func (s *Store) appendedBefore(
	ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, mark once, turns []recaller.Turn,
) (repeat bool, err error) {
	if mark.token == nil {
		return false, nil
	}
	var before appendedTurns
	err = s.OfCaller(ctx, tenant, caller, func(tx Tx) error {
		repeat, err = mark.before(ctx, tx, &before)
		return err
	})
	if repeat {
		number(turns, before.First, before.IDs)
	}
	return repeat, err
}

// turnsWrite writes turns that are added to an active conversation.
type turnsWrite struct {
	tenant recaller.TenantID
	in     recaller.Appending
	box    box
	known  *head           // of the conversation as it was last seen; nil: it was not
	after  *head           // once written
	turns  []recaller.Turn // numbered as they are expected to be, then as they are
	rows   []turnRow       // sealed so
}

func (s *Store) prepareTurns(b box, tenant recaller.TenantID, in recaller.Appending) (w turnsWrite, err error) {
	w = turnsWrite{tenant: tenant, in: in, box: b, turns: append([]recaller.Turn(nil), in.Turns...)}
	first := 0
	if h, ok := s.heads.get(headKey{tenant, in.Conversation}); ok {
		w.known, first = &h, h.turns
	}
	if in.Numbered {
		first = in.Turns[0].Number
	}
	number(w.turns, first, nil)
	return w, w.seal()
}

func (w *turnsWrite) seal() (err error) {
	if !w.in.CountOnly {
		w.rows, err = w.box.sealTurns(w.in.Conversation, w.turns)
	}
	return err
}

// write counts the turns and inserts them. there is true if the conversation has them already.
func (w *turnsWrite) write(ctx context.Context, tx Tx) (there bool, err error) {
	expected := w.turns[0].Number
	after, there, err := w.count(ctx, tx)
	if err != nil {
		return false, err
	}
	number(w.turns, after.turns-len(w.turns), nil)
	if there {
		return true, nil
	}
	if w.turns[0].Number != expected {
		if err := w.seal(); err != nil {
			return false, err
		}
	}
	w.after = &after
	return false, insertTurns(ctx, tx, w.tenant, recaller.Conversation{ID: w.in.Conversation, Caller: w.in.Caller}, w.rows)
}

// count makes room for turns in an active conversation, and returns how far it has come with them. there is true if it
// has them already: the first try of a write may commit while its repeat is on its way. Numbered turns that do not
// follow the last one are added at the end. If their words are kept elsewhere, under these numbers, that is refused as
// Unavailable.
func (w *turnsWrite) count(ctx context.Context, tx Tx) (after head, there bool, err error) {
	in, expected := w.in, -1
	if in.Numbered {
		expected = in.Turns[0].Number
	}
	if w.known != nil && (expected < 0 || expected == w.known.turns) {
		after, err = w.box.advance(ctx, tx, w.tenant, in, *w.known)
		if recaller.KindOf(err) != recaller.NotFound {
			return after, false, err
		}
	}
	c := sealedConversation{}
	c.ID = in.Conversation
	var at int
	var last int64
	err = tx.QueryRow(ctx, `SELECT status, turns, user_turns, last_activity_at, head, COALESCE((SELECT number FROM turns
		WHERE tenant_id = $1 AND caller_id = $3 AND conversation_id = $2 AND number >= $4 AND id = $5), -1)
		FROM conversations WHERE tenant_id = $1 AND id = $2 AND caller_id = $3`,
		[]any{w.tenant, in.Conversation, in.Caller, expected, in.Turns[0].ID},
		&c.Status, &c.Turns, &c.users, &last, &c.head, &at)
	c.LastActivityAt = fromMicros(last)
	switch {
	case err != nil:
		return after, false, notFound(err, "there is no such conversation")
	case in.Numbered && at >= 0:
		return head{turns: at + len(in.Turns)}, true, nil
	case in.Numbered && in.CountOnly && c.Turns >= expected+len(in.Turns):
		return head{turns: expected + len(in.Turns)}, true, nil
	case c.Status != recaller.Active:
		return after, false, recaller.Errorf(recaller.Conflict, "the conversation has ended; start a new one")
	case in.Numbered && in.CountOnly && c.Turns != expected: // its words are kept elsewhere under these numbers
		return after, false, recaller.Errorf(recaller.Unavailable, "the conversation has other turns than was thought")
	}
	before, err := w.box.standing(ctx, tx, w.tenant, in.Caller, c)
	if err != nil {
		return after, false, err
	}
	after, err = w.box.advance(ctx, tx, w.tenant, in, before)
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
