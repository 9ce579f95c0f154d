package store

import (
	"context"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/vault"
)

const moveColumns = `id, caller_id, from_id, kind, at, until, body`

// sealedMove is a move as it was read.
type sealedMove struct {
	recaller.Move
	body []byte
}

func scanMove(scan func(...any) error) (v sealedMove, err error) {
	var at, until int64
	err = scan(&v.ID, &v.To, &v.From, &v.Kind, &at, &until, &v.body)
	v.At, v.Until = fromMicros(at), fromMicros(until)
	return v, err
}

// moveRecord is what is sealed of a move.
type moveRecord struct {
	moveBody
	Superseded int `json:"g,omitempty"`
}

func movePlace(v recaller.Move) vault.Place {
	return vault.Place{
		Table: "moves.body", Record: string(v.ID),
		Bound: binding{}.text(string(v.From)).text(string(v.Kind)).time(v.At).time(v.Until),
	}
}

func (b box) sealMove(v recaller.Move, body moveBody) ([]byte, error) {
	place := movePlace(v)
	return b.putBound(place.Table, place.Record, place.Bound, moveRecord{body, v.Superseded})
}

func (b box) openMove(row sealedMove) (recaller.Move, moveBody, error) {
	var body moveRecord
	place := movePlace(row.Move)
	err := b.getBound(place.Table, place.Record, place.Bound, row.body, &body)
	v := row.Move
	v.Conversations, v.Memories, v.Documents = len(body.Conversations), len(body.Memories), len(body.Documents)
	v.Superseded = body.Superseded
	return v, body.moveBody, err
}

// Move returns a move that can be undone.
func (s *Store) Move(ctx context.Context, tenant recaller.TenantID, id recaller.MoveID) (recaller.Move, error) {
	v, _, err := s.readMove(ctx, tenant, id)
	return v, err
}

func (s *Store) readMove(
	ctx context.Context, tenant recaller.TenantID, id recaller.MoveID,
) (v recaller.Move, body moveBody, err error) {
	const none = "there is no such move: it was undone, its time is over, or a caller of it was erased"
	var row sealedMove
	err = s.WithTenant(ctx, tenant, Reading, func(tx Tx) error {
		row, err = scanMove(func(dest ...any) error {
			return tx.QueryRow(ctx, `SELECT `+moveColumns+` FROM moves WHERE tenant_id = $1 AND id = $2`+notErasing,
				[]any{tenant, id}, dest...)
		})
		return err
	})
	if err != nil {
		return v, body, notFound(err, none)
	}
	b, err := s.unseal(ctx, tenant, row.To)
	if err != nil {
		return v, body, notFound(err, none)
	}
	return b.openMove(row)
}

// Moves lists the moves from or to a caller that can be undone, latest first. Those that cannot be read are left out.
func (s *Store) Moves(
	ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, now time.Time,
) (list []recaller.Move, err error) {
	var rows []sealedMove
	err = s.WithTenant(ctx, tenant, Reading, func(tx Tx) error {
		for _, column := range []string{`caller_id`, `from_id`} {
			if err := each(ctx, tx, `SELECT `+moveColumns+` FROM moves WHERE tenant_id = $1 AND `+column+` = $2 /* moves */
				AND until >= $3`+notErasing+` ORDER BY at DESC, id DESC LIMIT `+itoa(maxPage),
				[]any{tenant, caller, micros(now)}, func(r Rows) error {
					v, err := scanMove(r.Scan)
					rows = append(rows, v)
					return err
				}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		b, err := s.unseal(ctx, tenant, row.To)
		if recaller.KindOf(err) == recaller.NotFound || recaller.IsKeyMissing(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		v, _, err := b.openMove(row)
		if err != nil {
			if err = b.leaveOut(err, recaller.DamagedRow{Table: "moves", ID: string(row.ID)}); err != nil {
				return nil, err
			}
			continue
		}
		list = append(list, v)
	}
	return list, nil
}

// PruneMoves forgets the moves that cannot be undone any more, of all tenants.
func (s *Store) PruneMoves(ctx context.Context, now time.Time) error {
	ids, err := s.TenantIDs(ctx)
	if err != nil {
		return err
	}
	for _, id := range ids {
		err := s.WithTenant(ctx, id, Writing, func(tx Tx) error {
			_, err := tx.Exec(ctx, `DELETE FROM moves WHERE tenant_id = $1 AND until < $2`, id, micros(now))
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// MergedInto lists the callers who were merged into one, as far as they say so themselves: their keys open copies of what
// is his now.
func (s *Store) MergedInto(
	ctx context.Context, tenant recaller.TenantID, into recaller.CallerID,
) (list []recaller.CallerID, err error) {
	var ids []recaller.CallerID
	err = s.WithTenant(ctx, tenant, Reading, func(tx Tx) error {
		return each(ctx, tx, `SELECT id FROM callers WHERE tenant_id = $1 AND merged_into = $2 AND merged_into <> ''
			AND erasing = FALSE ORDER BY id`, []any{tenant, into}, func(r Rows) error {
			var id recaller.CallerID
			err := r.Scan(&id)
			ids = append(ids, id)
			return err
		})
	})
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		c, err := s.Caller(ctx, tenant, id)
		if recaller.KindOf(err) == recaller.NotFound || recaller.IsKeyMissing(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if c.MergedInto == into {
			list = append(list, id)
		}
	}
	return list, nil
}
