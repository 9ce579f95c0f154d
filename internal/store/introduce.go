package store

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

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
		Identities: in.Identities, NewCaller: in.NewCaller, Name: in.Name, NameSource: in.NameSource,
		Conversation: recaller.Conversation{StartedAt: in.At},
	}}
	if len(in.Identities) == 0 {
		return out, recaller.InvalidField("caller", "needs an identity")
	}
	blind, err := s.blinder(ctx, tenant)
	if err != nil {
		return out, err
	}
	if w.news, err = s.news(ctx, tenant); err != nil {
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
	open := s.unseal
	if w.caller == "" {
		w.caller, w.isNew, open = in.NewCaller, true, s.seal
	}
	if w.box, err = open(ctx, tenant, w.caller); recaller.KindOf(err) == recaller.NotFound && !w.isNew {
		return out, cmp.Or(s.eraseAgain(ctx, tenant, w.caller, in.At), errRaced) // his key is destroyed
	}
	if err != nil {
		return out, err
	}
	if !w.isNew {
		if c, news, err := s.introduced(ctx, w); err != nil || !news {
			return c, err
		}
	}
	if err := w.sealCaller(); err != nil {
		return out, err
	}
	return s.writeIntroduced(ctx, w, in.At)
}

// writeIntroduced writes what is new of a caller, or errRaced if he is another one by now.
func (s *Store) writeIntroduced(ctx context.Context, w *opening, at time.Time) (out recaller.Caller, err error) {
	err = s.WithCaller(ctx, w.tenant, w.caller, func(tx Tx) error {
		if caller, by, err := w.find(ctx, tx); err != nil || caller == "" != w.isNew || caller != "" && (caller != w.caller || by != w.by) {
			return cmp.Or(err, errRaced)
		}
		if err := w.writeCaller(ctx, tx); err != nil {
			return raced(err)
		}
		if !w.isNew {
			if _, err := touch(ctx, tx, w.tenant, w.caller, at); err != nil {
				return err
			}
		}
		out, err = w.box.readCaller(ctx, tx, w.tenant, w.caller)
		if err == nil && w.isNew {
			err = w.news.began(ctx, tx, out)
		}
		return err
	})
	if err == nil {
		w.news.committed()
	}
	return out, err
}

// introduced returns a caller who is known already, and whether anything new is told of him.
func (s *Store) introduced(ctx context.Context, w *opening) (c recaller.Caller, news bool, err error) {
	if c, err = s.Caller(ctx, w.tenant, w.caller); err == nil {
		err = w.proven(c)
	}
	if err != nil {
		return c, false, err
	}
	for _, id := range w.in.Identities {
		news = news || !slices.Contains(c.Identities, id)
	}
	if len(w.in.Identities) > 1 && news { // the others may be somebody else's already
		return c, true, nil
	}
	return c, w.in.Name != "" && c.Name == "", nil
}

// blindIdentities makes the tokens of the identities.
func (w *opening) blindIdentities(blind vault.Blinder) {
	for _, id := range w.in.Identities {
		w.tokens = append(w.tokens, blind.Blind(blindIdentity+string(id.Kind), id.Value))
	}
}
