package store

import (
	"context"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/vault"
)

// One number is taken for one caller: the row with its kind and token leads to him. The others who use it have a row each,
// under a kind of their own, so that no ring is taken for them. What such a row has sealed opens as one of that sort only.

const sharing = "also "

// kindShared is the kind of an identity of a caller for whom it is not taken.
func kindShared(kind recaller.IdentityKind, caller recaller.CallerID) recaller.IdentityKind {
	return recaller.IdentityKind(sharing + string(kind) + " " + string(caller))
}

// sharedKind reads the kind of a row.
func sharedKind(row recaller.IdentityKind) (kind recaller.IdentityKind, shared bool) {
	rest, shared := strings.CutPrefix(string(row), sharing)
	if !shared {
		return row, false
	}
	name, _, _ := strings.Cut(rest, " ")
	return recaller.IdentityKind(name), true
}

// identityRecord names the record of an identity.
func identityRecord(token []byte, shared bool) string {
	if shared {
		return tokenRecord(token) + ".shared"
	}
	return tokenRecord(token)
}

func identityPlace(token []byte, shared bool) vault.Place {
	return vault.Place{Table: "identities.value", Record: identityRecord(token, shared)}
}

// Release takes an identity from a caller, whether it was taken for him or he was one of those who use it.
func (s *Store) Release(
	ctx context.Context, tenant recaller.TenantID, in recaller.Releasing,
) (c recaller.Caller, change recaller.Change, err error) {
	b, err := s.unseal(ctx, tenant, in.Caller)
	if err != nil {
		return c, change, notFound(err, "there is no such caller")
	}
	token, err := s.blind(ctx, tenant, blindIdentity+string(in.Identity.Kind), in.Identity.Value)
	if err != nil {
		return c, change, err
	}
	err = s.WithCaller(ctx, tenant, in.Caller, func(tx Tx) error {
		version, err := touch(ctx, tx, tenant, in.Caller, time.Time{})
		if err != nil {
			return err
		}
		n, err := tx.Exec(ctx, `DELETE FROM identities WHERE tenant_id = $1 AND caller_id = $2 AND token = $3
			AND kind IN ($4, $5)`, tenant, in.Caller, token, in.Identity.Kind, kindShared(in.Identity.Kind, in.Caller))
		if err == nil && n == 0 {
			err = recaller.Errorf(recaller.NotFound, "the caller does not have this number")
		}
		if err != nil {
			return err
		}
		change = recaller.Change{Tenant: tenant, Caller: in.Caller, Version: version, Zone: true}
		c, err = b.readCaller(ctx, tx, tenant, in.Caller)
		return err
	})
	return c, change, err
}

// MovedTalks returns the ids of the conversations that a move took along.
func (s *Store) MovedTalks(
	ctx context.Context, tenant recaller.TenantID, id recaller.MoveID,
) ([]recaller.ConversationID, error) {
	_, body, err := s.readMove(ctx, tenant, id)
	return body.Conversations, err
}
