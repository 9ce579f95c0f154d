package conversation

import (
	"context"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/forgotten"
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
		return s.Store.RaiseTrust(ctx, tenant, recaller.Raising{
			Conversation: conv.ID, Trust: recaller.TrustVerified, Caller: conv.Caller,
		})
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

// Timeline is what may be told of a caller's last conversations.
type Timeline struct {
	Conversations []recaller.Conversation // newest first
	Name          string                  // what he is called; empty where that is private
}

// Timeline returns the last conversations of a caller, as far as a tier of trust may be told of them. NotFound where
// nothing may be told.
func (s *Service) Timeline(
	ctx context.Context, tenant recaller.TenantID, who recaller.Caller, most int, trust recaller.Trust,
) (out Timeline, err error) {
	private, err := s.withheld(ctx, tenant, who.ID, trust)
	if err != nil {
		return out, err
	}
	f := recaller.ConversationFilter{Caller: who.ID, Page: recaller.Page{Limit: most}}
	if out.Conversations, _, err = s.List(ctx, tenant, f); err != nil {
		return out, err
	}
	view := forgotten.New(forgotten.AsIf(private))
	for i, c := range out.Conversations {
		if out.Conversations[i].Summary = view.Summary(c, nil); view.Touches(c.ID) {
			out.Conversations[i].Summary = nil
		}
		if a := c.Analysis; a != nil && !view.Empty() { // a topic may be what is private
			told := *a
			told.Topics = nil
			out.Conversations[i].Analysis = &told
		}
	}
	if !forgotten.Unnamed(private, who.Name) {
		out.Name = who.Name
	}
	return out, nil
}

// Withheld returns a view of what of a caller's words may not be told to a tier of trust. NotFound where nothing may be.
func (s *Service) Withheld(
	ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, trust recaller.Trust,
) (forgotten.View, error) {
	private, err := s.withheld(ctx, tenant, caller, trust)
	return forgotten.New(forgotten.AsIf(private)), err
}

// withheld returns the private memories of a caller, if a tier may not be told of them.
func (s *Service) withheld(
	ctx context.Context, tenantID recaller.TenantID, caller recaller.CallerID, trust recaller.Trust,
) ([]recaller.Memory, error) {
	tenant, err := s.Tenants.Tenant(ctx, tenantID)
	rights := tenant.Rights(trust)
	switch {
	case err != nil:
		return nil, err
	case !rights.Tells(recaller.TellAllButPrivate):
		return nil, recaller.Errorf(recaller.NotFound, "nothing may be told of the caller")
	case rights.Tells(recaller.TellAll):
		return nil, nil
	}
	return s.Store.Private(ctx, tenantID, caller)
}
