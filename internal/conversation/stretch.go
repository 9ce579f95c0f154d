package conversation

import (
	"context"
	"fmt"

	"github.com/recallerhq/recaller"
)

// mostStale is how often a stretch is looked for anew, because another process began or ended one meanwhile.
const mostStale = 4

// Stretch returns the conversation in which a thread goes on, and whether it has just begun: a thread has at most one
// that is active. The caller is the thread's. It fails with Unavailable while the store is away, unless this process
// leads the conversation.
func (s *Service) Stretch(
	ctx context.Context, tenantID recaller.TenantID, t recaller.Thread, caller recaller.Caller,
) (conv recaller.Conversation, begun bool, err error) {
	for _, e := range s.Ledger.ofCaller(tenantID, t.Caller) {
		if conv, st := e.view(); conv.Thread == t.ID && !st.over() {
			return conv, false, nil
		}
	}
	tenant, err := s.Tenants.Tenant(ctx, tenantID)
	if err != nil {
		return conv, false, err
	}
	for n := t.Conversations; ; n++ {
		last, err := s.Store.Stretches(ctx, tenantID, t, 1)
		if err != nil {
			return conv, false, err
		}
		if len(last) > 0 && last[0].Status == recaller.Active {
			return last[0], false, nil
		}
		opened, err := s.Store.OpenConversation(ctx, tenantID, s.stretch(t, caller, n))
		if err != nil {
			return conv, false, err
		}
		if opened.Conversation.Status != recaller.Active { // n is stale
			if n-t.Conversations < mostStale {
				continue
			}
			return conv, false, recaller.Errorf(recaller.Unavailable, "the thread's conversations keep changing")
		}
		s.Ledger.begin(tenant, opened, recaller.Once{}, s.Now())
		if !opened.Existing {
			s.Feed.Committed(opened.Change)
			s.Metrics.started(opened.Conversation.Channel)
		}
		return opened.Conversation, !opened.Existing, nil
	}
}

// stretch asks for the next conversation of a thread that has n. Two who ask at once get the same one.
func (s *Service) stretch(t recaller.Thread, caller recaller.Caller, n int) recaller.Opening {
	now := s.Now()
	return recaller.Opening{
		Once:       recaller.Once{Token: fmt.Sprintf("stretch %d of thread %s", n+1, t.ID), Request: "stretch"},
		Identities: caller.Identities, NewCaller: recaller.CallerID(s.NewID()),
		Conversation: recaller.Conversation{
			ID: recaller.ConversationID(s.NewID()), Thread: t.ID, Channel: t.Channel, Direction: recaller.Inbound,
			Status: recaller.Active, Trust: recaller.TrustAtStart(true, t.Verified, recaller.Attestation{}),
			StartedAt: now, LastActivityAt: now,
		},
	}
}
