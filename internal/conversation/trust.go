package conversation

import (
	"context"

	"github.com/recallerhq/recaller"
)

// Verify notes that it is known now who the caller of an active conversation is. Listeners are told, and the briefing is
// made anew. Again it changes nothing. Conflict once the conversation has ended, or where the caller showed no identity:
// then there is nobody that he could be. Unavailable while the store is away: what nobody keeps is not answered.
func (s *Service) Verify(
	ctx context.Context, tenant recaller.TenantID, ref string,
) (recaller.Conversation, error) {
	conv, err := s.find(ctx, tenant, ref)
	if err != nil {
		return conv, err
	}
	if conv.Trust == recaller.TrustAnonymous {
		return conv, recaller.Errorf(recaller.Conflict, "nobody is recognised in this conversation: begin one with the caller's number or external_id")
	}
	return s.verified(ctx, tenant, conv)
}

// verified raises the trust of a conversation with somebody who is recognised.
func (s *Service) verified(
	ctx context.Context, tenant recaller.TenantID, conv recaller.Conversation,
) (recaller.Conversation, error) {
	if conv.Trust == recaller.TrustVerified {
		return conv, nil
	}
	raised, err := within(ctx, s, s.Patience, func(ctx context.Context) (recaller.Raised, error) {
		return s.Store.RaiseTrust(ctx, tenant, recaller.Raising{Conversation: conv.ID, Trust: recaller.TrustVerified})
	})
	if err != nil {
		return conv, err
	}
	if !raised.Already {
		s.Feed.Committed(raised.Change)
	}
	return raised.Conversation, nil
}

// surer takes in how sure it is who the caller of a conversation is, as another write told. It never falls.
func (s *Service) surer(c *recaller.Conversation, tenant recaller.TenantID) {
	e := s.Ledger.get(tenant, string(c.ID))
	if e == nil {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.conv.Trust = recaller.Highest(e.conv.Trust, c.Trust)
}
