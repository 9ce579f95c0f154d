package store

import (
	"context"

	"github.com/recallerhq/recaller"
)

// SetRecording keeps where the recording of a conversation that has ended is: platforms tell it later than the end. Where
// one is known already, that one stays. Conflict while the conversation is active: its end tells it.
func (s *Store) SetRecording(
	ctx context.Context, tenant recaller.TenantID, conv recaller.ConversationID, link string,
) error {
	row, b, err := s.conversation(ctx, tenant, string(conv))
	if err != nil {
		return err
	}
	return s.WithCaller(ctx, tenant, row.Caller, func(tx Tx) error { // writes about one caller take turns
		row, err := findConversation(ctx, tx, tenant, string(conv), nil)
		if err != nil {
			return err
		}
		c, h, err := b.openWith(row)
		switch {
		case err != nil:
			return err
		case c.Status == recaller.Active:
			return recaller.Errorf(recaller.Conflict, "the conversation has not ended")
		case c.RecordingURL != "":
			return nil
		}
		c.RecordingURL = link
		body, err := b.sealConversation(c, h)
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `UPDATE conversations SET body = $3 WHERE tenant_id = $1 AND id = $2`, tenant, c.ID, body)
		return err
	})
}
