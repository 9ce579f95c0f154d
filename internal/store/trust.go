package store

import (
	"context"
	"time"

	"github.com/recallerhq/recaller"
)

// RaiseTrust notes that it is surer now who the caller of an active conversation is. The tier is sealed with the
// conversation's body, so that nobody raises it in the database. Conflict once the conversation has ended.
func (s *Store) RaiseTrust(
	ctx context.Context, tenant recaller.TenantID, in recaller.Raising,
) (out recaller.Raised, err error) {
	row, b, err := s.conversation(ctx, tenant, string(in.Conversation))
	if err != nil {
		return out, err
	}
	err = s.WithCaller(ctx, tenant, row.Caller, func(tx Tx) error { // writes about one caller take turns
		row, err := findConversation(ctx, tx, tenant, string(in.Conversation), nil)
		if err != nil {
			return err
		}
		c, h, err := b.openWith(row)
		out = recaller.Raised{Conversation: c}
		switch {
		case err != nil:
			return err
		case in.Caller != "" && c.Caller != in.Caller:
			return recaller.Errorf(recaller.Conflict, "somebody else speaks in the conversation by now")
		case c.Trust.AtLeast(in.Trust):
			out.Already = true
			return nil
		case c.Status != recaller.Active:
			return recaller.Errorf(recaller.Conflict, "the conversation has ended")
		}
		c.Trust = in.Trust
		body, err := b.sealConversation(c, h)
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `UPDATE conversations SET body = $3 WHERE tenant_id = $1 AND id = $2`, tenant, c.ID, body)
		if err != nil {
			return err
		}
		version, err := touch(ctx, tx, tenant, c.Caller, time.Time{})
		out.Conversation = c
		out.Change = recaller.Change{Tenant: tenant, Caller: c.Caller, Version: version, Conversation: &c, Surer: true}
		return err
	})
	return out, err
}
