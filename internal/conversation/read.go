package conversation

import (
	"context"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/briefing"
)

// Record is a conversation as it is read back.
type Record struct {
	Conversation recaller.Conversation
	Turns        []recaller.Turn // empty where the retention kept none, or on request
	Steps        []recaller.StepProgress
}

// Get reads a conversation back, by its id or external id, with how far its wrap-up is.
func (s *Service) Get(ctx context.Context, tenant recaller.TenantID, ref string, withTurns bool) (Record, error) {
	conv, err := s.Find(ctx, tenant, ref)
	if err != nil {
		return Record{}, err
	}
	rec := Record{Conversation: conv}
	if rec.Steps, err = s.Store.Steps(ctx, tenant, conv); err != nil {
		return Record{}, err
	}
	if withTurns {
		if rec.Turns, err = s.Turns(ctx, tenant, conv); err != nil {
			return Record{}, err
		}
	}
	return rec, nil
}

// Find reads a conversation without its words, by its id or external id.
func (s *Service) Find(ctx context.Context, tenant recaller.TenantID, ref string) (recaller.Conversation, error) {
	if e := s.live.get(tenant, ref); e != nil {
		e.mu.Lock()
		held, conv := e.opening != nil, e.conv
		e.mu.Unlock()
		if held {
			return conv, nil
		}
	}
	return s.Store.Conversation(ctx, tenant, ref)
}

// List returns conversations, newest first, with the cursor of the next page.
func (s *Service) List(ctx context.Context, tenant recaller.TenantID, f recaller.ConversationFilter) ([]recaller.Conversation, string, error) {
	return s.Store.Conversations(ctx, tenant, f)
}

// Turns returns the words of a conversation, from wherever the tenant's retention keeps them; none is no error.
func (s *Service) Turns(ctx context.Context, tenant recaller.TenantID, conv recaller.Conversation) ([]recaller.Turn, error) {
	if e := s.live.get(tenant, string(conv.ID)); e != nil {
		e.mu.Lock()
		held := append(append([]recaller.Turn(nil), e.words...), e.pending...)
		e.mu.Unlock()
		if len(held) > 0 {
			return held, nil
		}
	}
	turns, err := s.Store.Turns(ctx, tenant, conv)
	if err != nil || len(turns) > 0 || conv.Turns == 0 {
		return turns, err
	}
	return s.Archive.Turns(ctx, tenant, conv)
}

// Briefing tells the agent of a conversation what it should know now.
func (s *Service) Briefing(ctx context.Context, tenantID recaller.TenantID, ref string, req briefing.Request) (recaller.Briefing, error) {
	conv, err := s.Find(ctx, tenantID, ref)
	if err != nil {
		return recaller.Briefing{}, err
	}
	if conv.Caller == "" { // held while the store is away
		tenant, err := s.Tenants.Tenant(ctx, tenantID)
		if err != nil {
			return recaller.Briefing{}, err
		}
		return briefing.Degraded(recaller.Snapshot{Tenant: tenant}, s.Now(), "store unavailable"), nil
	}
	req.Exclude = conv.ID
	return s.Briefer.Briefing(ctx, tenantID, conv.Caller, req)
}

// LiveTurns returns words that are only in this process's memory: those of a caller's ephemeral conversations.
func (s *Service) LiveTurns(tenant recaller.TenantID, caller recaller.CallerID) map[recaller.ConversationID][]recaller.Turn {
	out := map[recaller.ConversationID][]recaller.Turn{}
	for _, e := range s.live.ofCaller(tenant, caller) {
		e.mu.Lock()
		if len(e.words) > 0 {
			out[e.id] = append([]recaller.Turn(nil), e.words...)
		}
		e.mu.Unlock()
	}
	return out
}

// Discard forgets the words of an ended conversation that are only in this process's memory: it has been written up.
// It reports whether there were any.
func (s *Service) Discard(tenant recaller.TenantID, conv recaller.Conversation) (had bool) {
	e := s.live.get(tenant, string(conv.ID))
	if e == nil {
		return false
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.done {
		return false
	}
	had, e.words = len(e.words) > 0, nil
	s.live.remove(e, conv.ExternalID)
	return had
}

// Forget drops the live state of a caller's conversations: the caller was erased.
func (s *Service) Forget(tenant recaller.TenantID, caller recaller.CallerID) {
	for _, e := range s.live.ofCaller(tenant, caller) {
		e.mu.Lock()
		e.done, e.words, e.pending = true, nil, nil
		external := e.conv.ExternalID
		e.mu.Unlock()
		s.live.remove(e, external)
	}
}
