package conversation

import (
	"context"

	"github.com/recallerhq/recaller"
)

// Where the words of a conversation are, which is answered here and nowhere else:
//
//	store    where the tenant keeps raw words
//	archive  a sealed file, of a tenant who keeps them there
//	memory   nowhere but in this process: of an ephemeral conversation, or of an import until it is written up
//	held     behind any of these, what was answered and waits for the store
//
// What is held is looked at before the store, and what is only in memory after it, so that words which move meanwhile
// are found in one place or the other.

// Turns returns the words of a conversation, wherever they are; none is no error. Words that are only in memory are
// read without the store.
func (s *Service) Turns(ctx context.Context, tenant recaller.TenantID, conv recaller.Conversation) ([]recaller.Turn, error) {
	if only := s.Ledger.only(tenant, conv.ID); len(only) > 0 {
		return only, nil
	}
	held := s.Ledger.heldOf(tenant, conv.ID)
	stored, err := s.Store.Turns(ctx, tenant, conv)
	if err != nil {
		return nil, err
	}
	return s.Ledger.whole(ctx, s.Archive, tenant, conv, stored, held)
}

// whole are the words of a conversation of which the store has some, or none. held was read before the store.
func (l *Ledger) whole(
	ctx context.Context, files Archive, tenant recaller.TenantID, conv recaller.Conversation, stored, held []recaller.Turn,
) (turns []recaller.Turn, err error) {
	turns = stored
	if len(turns) == 0 && conv.Turns > 0 {
		if turns = l.only(tenant, conv.ID); len(turns) == 0 {
			if turns, err = files.Turns(ctx, tenant, conv); err != nil {
				return nil, err
			}
		}
	}
	return behind(turns, held), nil
}

// behind puts held turns behind the others. One whose number is taken is among them.
func behind(turns, held []recaller.Turn) []recaller.Turn {
	for _, t := range held {
		if len(turns) == 0 || turns[len(turns)-1].Number < t.Number {
			turns = append(turns, t)
		}
	}
	return turns
}

// only returns the words of a conversation that are nowhere but here.
func (l *Ledger) only(tenant recaller.TenantID, conv recaller.ConversationID) []recaller.Turn {
	if e := l.get(tenant, string(conv)); e != nil {
		return e.said()
	}
	return nil
}

// heldOf returns the turns of a conversation that are held, in order.
func (l *Ledger) heldOf(tenant recaller.TenantID, conv recaller.ConversationID) []recaller.Turn {
	if e := l.get(tenant, string(conv)); e != nil {
		return e.heldTurns()
	}
	return nil
}

// held returns the turns of a caller's conversations that are held, by conversation, in order.
func (l *Ledger) held(tenant recaller.TenantID, caller recaller.CallerID) map[recaller.ConversationID][]recaller.Turn {
	out := map[recaller.ConversationID][]recaller.Turn{}
	for _, e := range l.ofCaller(tenant, caller) {
		if turns := e.heldTurns(); len(turns) > 0 {
			out[e.id] = turns
		}
	}
	return out
}

// LastTurn tells the number of the last turn that the user said in a conversation that this process leads: what a
// memory that is stored now most likely came from. It reads no store; ok is false where nothing is known.
func (s *Service) LastTurn(tenant recaller.TenantID, conv recaller.ConversationID) (number int, ok bool) {
	e := s.Ledger.get(tenant, string(conv))
	if e == nil {
		return 0, false
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return max(e.lastUser, 0), e.lastUser >= 0
}

// Discard forgets the words of an ended conversation that are only in this process's memory: it has been written up.
// It reports whether there were any, which the feed is told of.
func (s *Service) Discard(tenant recaller.TenantID, conv recaller.Conversation) (had bool) {
	e := s.Ledger.get(tenant, string(conv.ID))
	if e == nil {
		return false
	}
	if _, st := e.view(); !st.over() {
		return false
	}
	had = len(e.said()) > 0
	s.drop(e)
	if had {
		s.Feed.Anew(tenant, conv.Caller)
	}
	return had
}

// Forget drops the live state of a caller's conversations: the caller was erased. When it returns, no turn of theirs is
// on its way to a file any more, and none sets out.
func (s *Service) Forget(tenant recaller.TenantID, caller recaller.CallerID) {
	for _, e := range s.Ledger.ofCaller(tenant, caller) {
		s.drop(e)
		e.order <- struct{}{} // whoever was writing has stopped; whoever comes finds the end
		e.leave()
	}
}
