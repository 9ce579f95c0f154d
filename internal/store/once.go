package store

import (
	"context"
	"encoding/json"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/vault"
)

// once makes a write happen at most once. The mark is written in the same commit as what it marks, so a client that
// repeats a request after a crash finds either both or neither.
type once struct {
	tenant         recaller.TenantID
	token, request []byte // nil token: no such thing is asked for
}

var errUsed = recaller.Errorf(recaller.Conflict, "this Idempotency-Key was used with another request")

func newOnce(b vault.Blinder, tenant recaller.TenantID, in recaller.Once) once {
	if in.Token == "" {
		return once{}
	}
	return once{tenant: tenant, token: b.Blind(blindOnce, in.Token), request: b.Blind(blindRequest, in.Request)}
}

// before finds the result of an earlier write with the same token.
func (o once) before(ctx context.Context, tx Tx, result any) (found bool, err error) {
	if o.token == nil {
		return false, nil
	}
	var request []byte
	var stored string
	err = tx.QueryRow(ctx, `SELECT request, result FROM onces WHERE tenant_id = $1 AND token = $2`,
		[]any{o.tenant, o.token}, &request, &stored)
	if err != nil && recaller.KindOf(err) == recaller.NotFound {
		return false, nil // the first time
	}
	if err != nil {
		return false, err
	}
	if string(request) != string(o.request) {
		return false, errUsed
	}
	return true, json.Unmarshal([]byte(stored), result)
}

// mark writes the result, which holds ids and numbers only.
func (o once) mark(ctx context.Context, tx Tx, caller recaller.CallerID, result any, at time.Time) error {
	if o.token == nil {
		return nil
	}
	raw, err := json.Marshal(result)
	if err != nil {
		return recaller.Wrap(recaller.Internal, err, "mark a request as done")
	}
	_, err = tx.Exec(ctx, `INSERT INTO onces (tenant_id, token, request, caller_id, result, created_at)
		VALUES ($1, $2, $3, $4, $5, $6)`,
		o.tenant, o.token, o.request, caller, string(raw), micros(at))
	if recaller.KindOf(err) == recaller.Conflict { // the mark of a request about another caller, which is not seen here
		return errUsed
	}
	return err
}

// PruneOnces forgets the marks of writes older than before, in every tenant.
func (s *Store) PruneOnces(ctx context.Context, before time.Time) error {
	ids, err := s.TenantIDs(ctx)
	if err != nil {
		return err
	}
	for _, id := range ids {
		err := s.WithTenant(ctx, id, Writing, func(tx Tx) error {
			_, err := tx.Exec(ctx, `DELETE FROM onces WHERE tenant_id = $1 AND created_at < $2`, id, micros(before))
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Mark writes that something was done about a caller, unless it is marked already, which it reports. Marks are kept as
// long as those of requests. Of a caller who is gone, or being erased, nothing is marked.
func (s *Store) Mark(
	ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, token string, at time.Time,
) (before bool, err error) {
	blind, err := s.blinder(ctx, tenant)
	if err != nil {
		return false, err
	}
	mark := newOnce(blind, tenant, recaller.Once{Token: token})
	err = s.WithCaller(ctx, tenant, caller, func(tx Tx) error {
		if err := alive(ctx, tx, tenant, caller); recaller.KindOf(err) == recaller.NotFound {
			return nil
		} else if err != nil {
			return err
		}
		var none struct{}
		if before, err = mark.before(ctx, tx, &none); before || err != nil {
			return err
		}
		return mark.mark(ctx, tx, caller, none, at)
	})
	return before, err
}

// Marked reports whether Mark was called with the token.
func (s *Store) Marked(
	ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, token string,
) (before bool, err error) {
	err = s.markedAs(ctx, tenant, caller, recaller.Once{Token: token}, &before, &struct{}{})
	return before, err
}

// AppendedBefore returns the turns that an earlier request added; none if there was no such request.
func (s *Store) AppendedBefore(
	ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, in recaller.Once,
) ([]recaller.TurnID, error) {
	var found bool
	var turns appendedTurns
	err := s.markedAs(ctx, tenant, caller, in, &found, &turns)
	return turns.IDs, err
}

func (s *Store) markedAs(
	ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, in recaller.Once, found *bool, result any,
) error {
	blind, err := s.blinder(ctx, tenant)
	if err != nil {
		return err
	}
	mark := newOnce(blind, tenant, in)
	return s.OfCaller(ctx, tenant, caller, func(tx Tx) (err error) {
		*found, err = mark.before(ctx, tx, result)
		return err
	})
}
