package conversation

import (
	"context"
	"iter"
	"slices"

	"github.com/recallerhq/recaller"
)

// This file alone knows where the words of a conversation are:
//
//	store    for tenants with the retention Keep
//	archive  in a sealed file, for tenants with the retention Archive
//	memory   only in this process: an ephemeral conversation, or an import until it is written up
//	held     turns that were answered and wait for the store; they come behind any of the others
//
// Words may move while they are read. So held turns are read before the store, and those in memory alone after it:
// words that move meanwhile are found in one of the two places.

// Turns returns the words of a conversation, wherever they are. None is no error. Words that only this process has are
// read without the store.
func (s *Service) Turns(
	ctx context.Context, tenant recaller.TenantID, conv recaller.Conversation,
) ([]recaller.Turn, error) {
	var held []recaller.Turn
	if e := s.Ledger.get(tenant, string(conv.ID)); e != nil {
		if only := e.said(); len(only) > 0 {
			return only, nil
		}
		held = e.heldTurns()
	}
	stored, err := s.Store.Turns(ctx, tenant, conv)
	if err != nil {
		return nil, err
	}
	return s.Ledger.whole(ctx, s.Archive, tenant, conv, stored, held)
}

// EachTurn ranges over the words of a conversation that it counts, in order, wherever they are. It holds a page of them
// at a time, and nothing of the store between two. They are as they were when conv was read: what is said since is left
// out. If the caller is erased meanwhile, or something fails, an error ends them.
func (s *Service) EachTurn(
	ctx context.Context, tenant recaller.TenantID, conv recaller.Conversation,
) iter.Seq2[recaller.Turn, error] {
	return func(yield func(recaller.Turn, error) bool) {
		for turns, err := range s.pages(ctx, tenant, conv) {
			for _, t := range turns {
				if t.Number < conv.Turns && !yield(t, nil) {
					return
				}
			}
			if err != nil {
				yield(recaller.Turn{}, err)
				return
			}
		}
	}
}

// pages ranges over the words of a conversation page by page.
func (s *Service) pages(
	ctx context.Context, tenant recaller.TenantID, conv recaller.Conversation,
) iter.Seq2[[]recaller.Turn, error] {
	return func(yield func([]recaller.Turn, error) bool) {
		if only := s.Ledger.said(tenant, conv); len(only) > 0 {
			yield(only, nil)
			return
		}
		turns, next, err := s.page(ctx, tenant, conv, 0)
		if len(turns) == 0 && next == 0 && err == nil && conv.Turns > 0 { // they are elsewhere
			if only := s.Ledger.said(tenant, conv); len(only) > 0 {
				yield(only, nil)
				return
			}
			s.Archive.EachPage(ctx, tenant, conv)(yield)
			return
		}
		for yield(turns, err) && err == nil && next > 0 {
			turns, next, err = s.page(ctx, tenant, conv, next)
		}
	}
}

// pagesAtOnce is how many pages are read from the store at the same time, whoever reads what is long: the store's
// connections are for calls first, and each that is used has a cache to fill.
const pagesAtOnce = 2

// InTurn reads a page of what is long, when it is its turn.
func (s *Service) InTurn(ctx context.Context, read func() error) error {
	select {
	case s.paging <- struct{}{}:
	case <-ctx.Done():
		return recaller.Wrap(recaller.Timeout, ctx.Err(), "it was not read in time")
	}
	defer func() { <-s.paging }()
	return read()
}

// page reads the next words of a conversation from the store.
func (s *Service) page(
	ctx context.Context, tenant recaller.TenantID, conv recaller.Conversation, from int,
) (turns []recaller.Turn, next int, err error) {
	err = s.InTurn(ctx, func() error {
		turns, next, err = s.Store.TurnPage(ctx, tenant, conv, from)
		return err
	})
	return turns, next, err
}

// said returns the words of a conversation that only this process has.
func (l *Ledger) said(tenant recaller.TenantID, conv recaller.Conversation) []recaller.Turn {
	if e := l.get(tenant, string(conv.ID)); e != nil {
		return e.said()
	}
	return nil
}

// whole returns all words of a conversation. stored are those that the store has, which may be none. held must have
// been read before the store.
func (l *Ledger) whole(
	ctx context.Context, files Archive, tenant recaller.TenantID, conv recaller.Conversation, stored, held []recaller.Turn,
) (turns []recaller.Turn, err error) {
	turns = stored
	if len(turns) == 0 && conv.Turns > 0 {
		if turns = l.said(tenant, conv); len(turns) == 0 {
			if turns, err = files.Turns(ctx, tenant, conv); err != nil {
				return nil, err
			}
		}
	}
	return behind(turns, held), nil
}

// behind appends held turns to the others, except those whose number is there already.
func behind(turns, held []recaller.Turn) []recaller.Turn {
	for _, t := range held {
		if len(turns) == 0 || turns[len(turns)-1].Number < t.Number {
			turns = append(turns, t)
		}
	}
	return turns
}

// said returns the words that only this process has.
func (e *entry) said() []recaller.Turn {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.heard.only)
}

// held returns the held turns of a caller, by conversation, in order.
func (l *Ledger) held(tenant recaller.TenantID, caller recaller.CallerID) map[recaller.ConversationID][]recaller.Turn {
	out := map[recaller.ConversationID][]recaller.Turn{}
	for _, e := range l.ofCaller(tenant, caller) {
		if turns := e.heldTurns(); len(turns) > 0 {
			out[e.id] = turns
		}
	}
	return out
}

// lasting returns the words of a conversation that outlive this process: those in the store, or else in the archive.
func (s *Service) lasting(
	ctx context.Context, tenant recaller.TenantID, conv recaller.Conversation,
) ([]recaller.Turn, error) {
	turns, err := s.Store.Turns(ctx, tenant, conv)
	if err != nil || len(turns) > 0 {
		return turns, err
	}
	return s.Archive.Turns(ctx, tenant, conv)
}

// LastTurn returns the number of the last turn that the user said in a conversation that this process leads. A memory
// that is stored now most likely came from it. LastTurn reads no store; ok is false where nothing is known.
func (s *Service) LastTurn(tenant recaller.TenantID, conv recaller.ConversationID) (number int, ok bool) {
	e := s.Ledger.get(tenant, string(conv))
	if e == nil {
		return 0, false
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return max(e.heard.lastUser, 0), e.heard.lastUser >= 0
}

// Discard forgets what only this process has of the words of an ended conversation, because it has been written up. It
// tells the feed if there were any, and returns whether.
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

// Forget drops the live state of a caller's conversations, because the caller was erased. Once it has returned, no turn
// of theirs is on its way to a file or to the feed, and none sets out.
func (s *Service) Forget(tenant recaller.TenantID, caller recaller.CallerID) {
	for _, e := range s.Ledger.ofCaller(tenant, caller) {
		s.drop(e)
		e.rest()
	}
}

// Moved has what this process holds of conversations follow to the caller whose they are now. They have ended.
func (s *Service) Moved(tenant recaller.TenantID, to recaller.CallerID, talks []recaller.ConversationID) {
	for _, id := range talks {
		e := s.Ledger.get(tenant, string(id))
		if e == nil || e.id != id {
			continue
		}
		e.mu.Lock()
		e.conv.Caller = to
		e.mu.Unlock()
		s.Ledger.belongs(e, to)
	}
}
