package store

import (
	"bytes"
	"context"
	"slices"
	"time"

	"github.com/recallerhq/recaller"
)

// sealedPIN is what is kept of a caller's PIN, in his sealed body.
type sealedPIN struct {
	Hash  []byte     `json:"hash"`
	Wrong int        `json:"wrong,omitempty"` // tries since the last that was right
	Until time.Time  `json:"until,omitzero"`  // no try is allowed before
	Tries []pinTries `json:"tries,omitempty"` // by conversation, the latest last
}

type pinTries struct {
	Conversation recaller.ConversationID `json:"conversation"`
	N            int                     `json:"n"`
}

// maxPINConversations bounds the conversations whose tries are known. Long before so many the pauses are a day.
const maxPINConversations = 32

// SetPIN keeps the hash of a caller's PIN, in place of one that was there; nil takes it away. Wrong tries are forgotten.
func (s *Store) SetPIN(
	ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, hash []byte,
) (recaller.Caller, recaller.Change, error) {
	b, err := s.unseal(ctx, tenant, caller)
	if err != nil {
		return recaller.Caller{}, recaller.Change{}, notFound(err, "there is no such caller")
	}
	var c recaller.Caller
	err = s.WithCaller(ctx, tenant, caller, func(tx Tx) error {
		body, err := b.readCallerBody(ctx, tx, tenant, caller)
		if err != nil {
			return err
		}
		if body.PIN = nil; hash != nil {
			body.PIN = &sealedPIN{Hash: hash}
		}
		if err := b.writeCallerBody(ctx, tx, tenant, caller, body); err != nil {
			return err
		}
		if _, err := touch(ctx, tx, tenant, caller, time.Time{}); err != nil {
			return err
		}
		c, err = b.readCaller(ctx, tx, tenant, caller)
		return err
	})
	return c, recaller.Change{Tenant: tenant, Caller: caller, Version: c.ContentVersion}, err
}

// TryPIN counts a try in a commit of its own, and returns the hash to compare with, if the try is allowed. Every try counts
// as wrong until RightPIN says otherwise. NotFound where the caller has no PIN.
func (s *Store) TryPIN(
	ctx context.Context, tenant recaller.TenantID, in recaller.PINTry,
) (out recaller.PINTried, err error) {
	b, err := s.unseal(ctx, tenant, in.Caller)
	if err != nil {
		return out, notFound(err, "there is no such caller")
	}
	var mark once
	if in.Once.Token != "" {
		blind, err := s.blinder(ctx, tenant)
		if err != nil {
			return out, err
		}
		mark = newOnce(blind, tenant, in.Once)
	}
	err = s.WithCaller(ctx, tenant, in.Caller, func(tx Tx) error { // writes about one caller take turns
		body, err := b.readCallerBody(ctx, tx, tenant, in.Caller)
		if err != nil {
			return err
		}
		p := body.PIN
		if p == nil {
			return recaller.Errorf(recaller.NotFound, "the caller has no PIN")
		}
		if repeat, err := mark.before(ctx, tx, &out); err != nil {
			return err
		} else if repeat {
			out.Hash = bytes.Clone(p.Hash)
			return nil
		}
		if out = p.try(in); out.Hash == nil {
			return nil
		}
		told := recaller.PINTried{Left: out.Left, Until: out.Until}
		if err := mark.mark(ctx, tx, in.Caller, told, in.At); err != nil {
			return err
		}
		return b.writeCallerBody(ctx, tx, tenant, in.Caller, body)
	})
	return out, err
}

// try counts a try, if it is allowed.
func (p *sealedPIN) try(in recaller.PINTry) (out recaller.PINTried) {
	n := 0
	at := slices.IndexFunc(p.Tries, func(t pinTries) bool { return t.Conversation == in.Conversation })
	if at >= 0 {
		n = p.Tries[at].N
	}
	out.Left = max(0, recaller.MaxPINTries-n)
	if in.At.Before(p.Until) {
		out.Until = p.Until
		return out
	}
	if out.Left == 0 {
		return out
	}
	if at >= 0 {
		p.Tries = slices.Delete(p.Tries, at, at+1)
	}
	p.Tries = append(p.Tries, pinTries{in.Conversation, n + 1})
	p.Tries = p.Tries[max(0, len(p.Tries)-maxPINConversations):]
	p.Wrong++
	if pause := recaller.PINPause(p.Wrong); pause > 0 {
		p.Until = in.At.UTC().Add(pause)
		out.Until = p.Until
	}
	out.Left--
	out.Hash = bytes.Clone(p.Hash)
	return out
}

// RightPIN forgets the wrong tries of a caller whose PIN was told, if its hash is still the same. Conflict if it is not.
func (s *Store) RightPIN(ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, hash []byte) error {
	b, err := s.unseal(ctx, tenant, caller)
	if err != nil {
		return notFound(err, "there is no such caller")
	}
	return s.WithCaller(ctx, tenant, caller, func(tx Tx) error {
		body, err := b.readCallerBody(ctx, tx, tenant, caller)
		if err != nil {
			return err
		}
		if body.PIN == nil || !bytes.Equal(body.PIN.Hash, hash) {
			return recaller.Errorf(recaller.Conflict, "the PIN was changed meanwhile")
		}
		body.PIN = &sealedPIN{Hash: hash}
		return b.writeCallerBody(ctx, tx, tenant, caller, body)
	})
}
