package store

import (
	"cmp"
	"context"
	"errors"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/vault"
)

// Introduce returns the caller with an identity, who is created if nobody has it. It opens no conversation.
func (s *Store) Introduce(
	ctx context.Context, tenant recaller.TenantID, in recaller.Introducing,
) (recaller.Caller, error) {
	for range maxRaces {
		c, err := s.introduce(ctx, tenant, in)
		if !errors.Is(err, errRaced) {
			return c, err
		}
	}
	return recaller.Caller{}, recaller.Errorf(recaller.Unavailable, "the caller could not be read: it keeps changing")
}

func (s *Store) introduce(
	ctx context.Context, tenant recaller.TenantID, in recaller.Introducing,
) (out recaller.Caller, err error) {
	w := &opening{tenant: tenant, in: recaller.Opening{
		Identities: []recaller.Identity{in.Identity}, NewCaller: in.NewCaller,
		Conversation: recaller.Conversation{StartedAt: in.At},
	}}
	blind, err := s.blinder(ctx, tenant)
	if err != nil {
		return out, err
	}
	w.blindIdentities(blind)
	err = s.WithTenant(ctx, tenant, Reading, func(tx Tx) error {
		w.caller, w.by, err = w.find(ctx, tx)
		return err
	})
	if err != nil {
		return out, err
	}
	if w.caller != "" {
		return s.introduced(ctx, tenant, w.caller, in)
	}
	w.caller, w.isNew = in.NewCaller, true
	if w.box, err = s.seal(ctx, tenant, w.caller); err != nil {
		return out, err
	}
	if err := w.sealCaller(); err != nil {
		return out, err
	}
	err = s.WithCaller(ctx, tenant, w.caller, func(tx Tx) error {
		if caller, _, err := w.find(ctx, tx); err != nil || caller != "" {
			return cmp.Or(err, errRaced)
		}
		if err := w.writeCaller(ctx, tx); err != nil {
			return raced(err)
		}
		out, err = w.box.readCaller(ctx, tx, tenant, w.caller)
		return err
	})
	return out, err
}

// introduced returns a caller who is known already. One whose key is destroyed is erased again, as at an opening.
func (s *Store) introduced(
	ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, in recaller.Introducing,
) (recaller.Caller, error) {
	if _, err := s.unseal(ctx, tenant, caller); recaller.KindOf(err) == recaller.NotFound {
		return recaller.Caller{}, cmp.Or(s.eraseAgain(ctx, tenant, caller, in.At), errRaced)
	}
	c, err := s.Caller(ctx, tenant, caller)
	if err != nil {
		return c, err
	}
	return c, proven(c, in.Identity)
}

// blindIdentities makes the tokens of the identities.
func (w *opening) blindIdentities(blind vault.Blinder) {
	for _, id := range w.in.Identities {
		w.tokens = append(w.tokens, blind.Blind(blindIdentity+string(id.Kind), id.Value))
	}
}
