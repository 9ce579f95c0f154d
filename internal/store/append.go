package store

import (
	"context"
	"errors"

	"github.com/recallerhq/recaller"
)

// This file adds turns to a conversation that goes on.

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
	if w.follows() {
		out, err := s.appendTurns(ctx, w, mark, func(tx Tx) (bool, error) { return false, w.put(ctx, tx, *w.known) })
		if recaller.KindOf(err) != recaller.NotFound {
			return out, err
		}
	}
	return s.appendTurns(ctx, w, mark, func(tx Tx) (bool, error) { return w.write(ctx, tx) })
}

// appendTurns has turns written at most once; write tells whether they were there already.
func (s *Store) appendTurns(
	ctx context.Context, w *turnsWrite, mark once, write func(Tx) (there bool, err error),
) (recaller.Appended, error) {
	change := recaller.Change{Tenant: w.tenant, Caller: w.in.Caller}
	err := s.WithCaller(ctx, w.tenant, w.in.Caller, func(tx Tx) error {
		var before appendedTurns
		if repeat, err := mark.before(ctx, tx, &before); repeat || err != nil {
			number(w.turns, before.First, before.IDs)
			return err
		}
		there, err := write(tx)
		if there || err != nil {
			return err
		}
		change.Version, change.Turns = w.version, w.turns
		return mark.mark(ctx, tx, w.in.Caller, appendedTurns{w.turns[0].Number, ids(w.turns)}, w.in.At)
	})
	key := headKey{w.tenant, w.in.Conversation}
	if errors.Is(err, recaller.Full) {
		if repeat, _ := s.appendedBefore(ctx, w, mark); repeat { // else it fails as it did
			return recaller.Appended{Turns: w.turns}, nil
		}
	}
	if err != nil {
		s.heads.drop(key) // what became of the commit is not always known
		return recaller.Appended{}, err
	}
	if w.after != nil {
		s.heads.put(key, *w.after)
	}
	return recaller.Appended{Turns: w.turns, Change: change}, nil
}

// appendedBefore reports whether an earlier request added the turns, and gives them its ids and numbers.
func (s *Store) appendedBefore(ctx context.Context, w *turnsWrite, mark once) (repeat bool, err error) {
	if mark.token == nil {
		return false, nil
	}
	var before appendedTurns
	err = s.OfCaller(ctx, w.tenant, w.in.Caller, func(tx Tx) error {
		repeat, err = mark.before(ctx, tx, &before)
		return err
	})
	if repeat {
		number(w.turns, before.First, before.IDs)
	}
	return repeat, err
}

// turnsWrite writes turns that are added to an active conversation.
type turnsWrite struct {
	tenant  recaller.TenantID
	in      recaller.Appending
	box     box
	known   *head           // of the conversation as it was last seen; nil: it was not
	after   *head           // once written
	version int64           // of the caller's content, once written
	turns   []recaller.Turn // numbered as they are expected to be, then as they are
	rows    []turnRow       // sealed so
}

func (s *Store) prepareTurns(b box, tenant recaller.TenantID, in recaller.Appending) (*turnsWrite, error) {
	w := &turnsWrite{tenant: tenant, in: in, box: b, turns: append([]recaller.Turn(nil), in.Turns...)}
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

// follows reports whether the turns are those that come next, as far as is known.
func (w *turnsWrite) follows() bool { return w.known != nil && w.turns[0].Number == w.known.turns }

// put writes the turns, into the counts of the conversation too, and raises the caller's content version, in one round
// trip. It fails with NotFound where the conversation's row shows other counts than those of before, or is not active, or
// the caller is gone or being erased; then nothing may be committed. The caller's row is first: as the first statement of
// a write this is also what has others wait.
func (w *turnsWrite) put(ctx context.Context, tx Tx, before head) error {
	in, after := w.in, before.after(w.in)
	sealed, err := w.box.sealHead(in.Conversation, after)
	if err != nil {
		return err
	}
	version, counted := int64(0), false
	queries := []Query{{
		SQL: touching, Args: []any{w.tenant, in.Caller, micros(lastSeen(w.turns, in.At))}, Turn: true,
		Row: func(scan func(...any) error) error { return scan(&version) },
	}, {
		SQL: `UPDATE conversations SET turns = $4, user_turns = $5, last_activity_at = $6, head = $7
			WHERE tenant_id = $1 AND id = $2 AND caller_id = $3 AND status = 'active' AND turns = $8 AND user_turns = $9
			RETURNING TRUE`,
		Args: []any{w.tenant, in.Conversation, in.Caller, after.turns, after.users, after.at, sealed, before.turns, before.users},
		Row:  func(scan func(...any) error) error { return scan(&counted) },
	}}
	for _, r := range w.rows {
		queries = append(queries, Query{SQL: insertTurn, Args: r.args(w.tenant, in.Caller, in.Conversation)})
	}
	err = tx.QueryAll(ctx, queries...)
	switch {
	case err != nil && (counted || recaller.KindOf(err) != recaller.Conflict):
		return err
	case version == 0:
		return recaller.Errorf(recaller.NotFound, "there is no such caller")
	case !counted:
		return recaller.Errorf(recaller.NotFound, "there is no such conversation")
	}
	w.after, w.version = &after, version
	return nil
}

// write reads how far the conversation has come, and puts the turns behind its last one. there is true if it has them
// already: the first try of a write may commit while its repeat is on its way. Numbered turns that do not follow the last
// one are added at the end. If their words are kept elsewhere, under these numbers, that is refused as Unavailable.
func (w *turnsWrite) write(ctx context.Context, tx Tx) (there bool, err error) {
	first := w.turns[0].Number
	before, there, err := w.count(ctx, tx)
	if err != nil {
		return false, err
	}
	number(w.turns, before.turns, nil)
	if there {
		return true, nil
	}
	if w.turns[0].Number != first {
		if err := w.seal(); err != nil {
			return false, err
		}
	}
	return false, w.put(ctx, tx, before)
}

// count returns how far the conversation has come without the turns, even where it has them.
func (w *turnsWrite) count(ctx context.Context, tx Tx) (before head, there bool, err error) {
	in, expected := w.in, -1
	if in.Numbered {
		expected = in.Turns[0].Number
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
		return before, false, notFound(err, "there is no such conversation")
	case in.Numbered && at >= 0:
		return head{turns: at}, true, nil
	case in.Numbered && in.CountOnly && c.Turns >= expected+len(in.Turns):
		return head{turns: expected}, true, nil
	case c.Status != recaller.Active:
		return before, false, recaller.Errorf(recaller.Conflict, "the conversation has ended; start a new one")
	case in.Numbered && in.CountOnly && c.Turns != expected: // its words are kept elsewhere under these numbers
		return before, false, recaller.Errorf(recaller.Unavailable, "the conversation has other turns than was thought")
	}
	before, err = w.box.standing(ctx, tx, w.tenant, in.Caller, c)
	return before, false, err
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
