package store

import (
	"context"
	"encoding/binary"
	"strconv"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/vault"
)

// This file stores the vectors that a configured model makes of turns. They tell almost as much as the words do, so
// they are sealed by the caller's key. They are a cache: nothing is lost with them, and storing them does not raise the
// content version.

// TurnVectors returns the vectors that a model made of a caller's turns, by conversation and number. A row that cannot
// be read is left out, so that it is made anew.
func (s *Store) TurnVectors(
	ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, model string,
) ([]recaller.TurnVectors, error) {
	b, err := s.unseal(ctx, tenant, caller)
	if err != nil {
		return nil, notFound(err, "there is no such caller")
	}
	var out []recaller.TurnVectors
	err = s.OfCaller(ctx, tenant, caller, func(tx Tx) error {
		return tx.QueryAll(ctx, Query{
			SQL: `SELECT conversation_id, first, body FROM turn_vectors WHERE tenant_id = $1 AND caller_id = $2
				AND model = $3 ORDER BY conversation_id, first`,
			Args: []any{tenant, caller, model},
			Row: func(scan func(...any) error) error {
				v := recaller.TurnVectors{Model: model}
				var first int64
				var body []byte
				if err := scan(&v.Conversation, &first, &body); err != nil {
					return err
				}
				if b.openVectors(&v, first, body) {
					out = append(out, v)
				}
				return nil
			},
		})
	})
	return out, err
}

// openVectors opens vectors. Damaged ones are noted; they are made anew.
func (b box) openVectors(v *recaller.TurnVectors, first int64, body []byte) bool {
	place := vectorPlace(v.Conversation, first, v.Model)
	plain, err := b.Open(place, body)
	if err == nil && readVectors(plain, v) {
		return true
	}
	b.note(nil, recaller.DamagedRow{Table: "turn_vectors", ID: place.Record})
	return false
}

// PutTurnVectors stores vectors of a caller's turns. They replace those that begin with the same turn, and all that
// another model made of the conversation. It fails with NotFound if the caller has no such conversation, is gone, or is
// being erased, and with Invalid if a vector has no numbers.
func (s *Store) PutTurnVectors(
	ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, list []recaller.TurnVectors,
) error {
	b, err := s.unseal(ctx, tenant, caller)
	if err != nil {
		return notFound(err, "there is no such caller")
	}
	sealed := make([][]byte, len(list))
	for i, v := range list {
		if v.Model == "" || v.Width < 1 || len(v.Numbers) == 0 || len(v.Data) != v.Width*len(v.Numbers) {
			return recaller.InvalidField("vectors", "must have a model, and as many numbers for each turn as they are wide")
		}
		sealed[i], err = b.Seal(vectorPlace(v.Conversation, int64(v.Numbers[0]), v.Model), appendVectors(nil, v))
		if err != nil {
			return err
		}
	}
	return s.WithCaller(ctx, tenant, caller, func(tx Tx) error {
		for i, v := range list {
			var there int
			err := tx.QueryRow(ctx, `SELECT 1 FROM conversations WHERE tenant_id = $1 AND id = $2
				AND caller_id = $3`+notErasing,
				[]any{tenant, v.Conversation, caller}, &there)
			if err != nil {
				return notFound(err, "there is no such conversation")
			}
			if _, err := tx.Exec(ctx, `DELETE FROM turn_vectors WHERE tenant_id = $1 AND caller_id = $2
				AND conversation_id = $3 AND (model <> $4 OR first = $5)`,
				tenant, caller, v.Conversation, v.Model, v.Numbers[0]); err != nil {
				return err
			}
			if _, err := tx.Exec(ctx, `INSERT INTO turn_vectors (tenant_id, caller_id, conversation_id, first, model, body) VALUES ($1, $2, $3, $4, $5, $6)`,
				tenant, caller, v.Conversation, v.Numbers[0], v.Model, sealed[i]); err != nil {
				return err
			}
		}
		return nil
	})
}

func vectorPlace(conv recaller.ConversationID, first int64, model string) vault.Place {
	return vault.Place{Table: "turn_vectors.body", Record: string(conv) + "/" + strconv.FormatInt(first, 10) + "/" + model}
}

// appendVectors spells vectors: how wide they are, how many, how far each turn's number is from the one before, and the
// numbers.
func appendVectors(dst []byte, v recaller.TurnVectors) []byte {
	dst = binary.AppendUvarint(dst, uint64(v.Width))
	dst = binary.AppendUvarint(dst, uint64(len(v.Numbers)))
	before := 0
	for _, n := range v.Numbers {
		dst = binary.AppendUvarint(dst, uint64(n-before))
		before = n
	}
	for _, x := range v.Data {
		dst = append(dst, byte(x))
	}
	return dst
}

// readVectors reads what appendVectors spelled; false where it is something else.
func readVectors(src []byte, v *recaller.TurnVectors) bool {
	next := func() (int, bool) {
		n, size := binary.Uvarint(src)
		if size <= 0 || n > 1<<31 {
			return 0, false
		}
		src = src[size:]
		return int(n), true
	}
	width, ok := next()
	count, ok2 := next()
	if !ok || !ok2 || width < 1 || width > maxWidth || count < 1 || count > len(src) {
		return false
	}
	v.Width, v.Numbers = width, make([]int, count)
	number := 0
	for i := range v.Numbers {
		step, ok := next()
		if !ok || i > 0 && step == 0 {
			return false
		}
		number += step
		v.Numbers[i] = number
	}
	if len(src) != width*count {
		return false
	}
	v.Data = make([]int8, len(src))
	for i, x := range src {
		v.Data[i] = max(int8(x), -127)
	}
	return true
}
