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
	Live         *Glance // nil unless it is active, and led by this process
}

// Get reads a conversation back, by its id or external id, with how far its wrap-up is.
func (s *Service) Get(ctx context.Context, tenant recaller.TenantID, ref string, withTurns bool) (Record, error) {
	if e := s.live.get(tenant, ref); e != nil {
		if conv, turns, isHeld := e.waiting(); isHeld { // the store, which is away, has little more
			if !withTurns {
				turns = nil
			}
			return Record{Conversation: conv, Turns: turns}, nil
		}
	}
	conv, err := s.Store.Conversation(ctx, tenant, ref)
	if err != nil {
		return Record{}, err
	}
	rec := Record{Conversation: conv, Live: s.glance(tenant, ref)}
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
		if conv, _, isHeld := e.waiting(); isHeld {
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
		if words := e.said(); len(words) > 0 {
			return words, nil
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
		return briefing.Degraded(recaller.Snapshot{Tenant: tenant}, s.Now(), briefing.ReasonStore), nil
	}
	req.Exclude = conv.ID
	return s.Briefer.Briefing(ctx, tenantID, conv.Caller, req)
}

// LiveTurns returns words that are only in this process's memory: those of a caller's ephemeral conversations, and of
// imports that were not written up yet.
func (s *Service) LiveTurns(tenant recaller.TenantID, caller recaller.CallerID) map[recaller.ConversationID][]recaller.Turn {
	out := map[recaller.ConversationID][]recaller.Turn{}
	for _, e := range s.live.ofCaller(tenant, caller) {
		if words := e.said(); len(words) > 0 {
			out[e.id] = words
		}
	}
	return out
}

// LastTurn tells the number of the last turn that the user said in a conversation that this process leads: what a memory
// that is stored now most likely came from. It reads no store; ok is false where nothing is known.
func (s *Service) LastTurn(tenant recaller.TenantID, conv recaller.ConversationID) (number int, ok bool) {
	e := s.live.get(tenant, string(conv))
	if e == nil {
		return 0, false
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return max(e.lastUser, 0), e.lastUser >= 0
}

// Discard forgets the words of an ended conversation that are only in this process's memory: it has been written up.
// It reports whether there were any.
func (s *Service) Discard(tenant recaller.TenantID, conv recaller.Conversation) (had bool) {
	e := s.live.get(tenant, string(conv.ID))
	if e == nil {
		return false
	}
	if _, isOver := e.now(); !isOver {
		return false
	}
	had = len(e.said()) > 0
	s.drop(e)
	return had
}

// Forget drops the live state of a caller's conversations: the caller was erased. When it returns, no turn of theirs is
// on its way to a file any more, and none sets out.
func (s *Service) Forget(tenant recaller.TenantID, caller recaller.CallerID) {
	for _, e := range s.live.ofCaller(tenant, caller) {
		s.drop(e)
		e.order <- struct{}{} // whoever was writing has finished; whoever comes finds the end
		e.leave()
	}
}
