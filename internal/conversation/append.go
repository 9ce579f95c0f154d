package conversation

import (
	"context"
	"slices"

	"github.com/recallerhq/recaller"
)

// writeTurns commits turns by the tenant's retention. The entry's order is held.
func (s *Service) writeTurns(ctx context.Context, e *entry, w *work) error {
	now := e.sending(w)
	if now.inDoubt {
		if err := s.recount(ctx, e, w); err != nil {
			return err
		}
		now = e.sending(w)
	}
	if !now.wanted {
		return nil
	}
	conv := now.conv
	if e.retention == recaller.Archive && w.filed != w.first+1 { // words first, then their count: counted words are there
		if err := s.Archive.Append(ctx, e.tenant, conv, w.turns); err != nil {
			return err
		}
		w.filed = w.first + 1
	}
	done, err := s.Store.AppendTurns(ctx, e.tenant, recaller.Appending{
		Once: now.once, Conversation: conv.ID, Caller: conv.Caller, Turns: w.turns, Numbered: true, At: w.at,
		CountOnly: e.retention != recaller.Keep,
	})
	if err != nil {
		e.doubt()
		return err
	}
	s.stored(e, w, done, now.again)
	return nil
}

// stored tells the feed of turns that the store has, and then answers them. So whoever has the answer can find them.
//
// The store returns no change for turns that it had before. If this work was sent before and the turns are its own, the
// answer that carried the change was lost, and the feed is told now. Otherwise an earlier request stored them, and the
// feed was told then.
func (s *Service) stored(e *entry, w *work, done recaller.Appended, again bool) {
	e.telling.Lock()
	defer e.telling.Unlock()
	a := answer{turns: done.Turns, durable: e.retention != recaller.Ephemeral}
	own := done.Turns[0].ID == w.turns[0].ID
	conv := e.stored(w, a, own)
	if done.Change.Version > 0 || again && own {
		done.Change.Conversation, done.Change.Turns = &conv, done.Turns
		s.Metrics.turns.Add(float64(len(done.Turns)))
		s.Feed.Committed(done.Change)
	}
	if !own && w.held {
		s.Feed.Anew(e.tenant, conv.Caller) // the feed knows them by other ids
	}
	e.settle(w, a)
}

// recount reads how many turns the store has, after a write that failed but may have been carried out.
func (s *Service) recount(ctx context.Context, e *entry, w *work) error {
	stored, err := s.Store.Conversation(ctx, e.tenant, string(e.id))
	if err == nil {
		e.recounted(w, stored.Turns)
	}
	return err
}

// sending is what is known of a work when it is about to be sent.
type sending struct {
	conv    recaller.Conversation
	once    recaller.Once // a copy: strip may clear the work's own
	again   bool          // it was sent before
	inDoubt bool          // turns cannot be numbered before it is known how many the store has
	wanted  bool          // neither was it withdrawn, nor its conversation dropped
}

// sending numbers a work that is about to be sent, and marks it as sent. A work whose numbers are in doubt it leaves as
// it is.
func (e *entry) sending(w *work) sending {
	e.mu.Lock()
	defer e.mu.Unlock()
	now := sending{
		conv: e.conv, once: w.once, again: w.sent,
		inDoubt: e.inDoubt && w.end == nil, wanted: slices.Contains(e.queue, w),
	}
	if now.wanted && !now.inDoubt && !w.sent {
		w.sent, w.first = true, e.conv.Turns
		renumber(w.turns, w.first)
	}
	return now
}

// doubt notes that a write failed, but may have been carried out.
func (e *entry) doubt() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.inDoubt = true
}

// recounted takes in how many turns the store has, before a work is sent. A work that was sent before keeps its numbers
// if that count is possible before or after the store carried it out: by the numbers the store knows whether it has the
// work. With any other count the work gets new numbers.
func (e *entry) recounted(w *work, turns int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.inDoubt = false
	if w.sent && (turns == w.first || turns >= w.first+len(w.turns)) {
		return
	}
	w.sent, e.conv.Turns = false, turns
}

// stored takes in a work's turns as the store has them, and takes the work off the queue. own says that they are the
// work's turns, and not those of an earlier request that it repeats.
func (e *entry) stored(w *work, a answer, own bool) recaller.Conversation {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.dequeueLocked(w)
	e.rememberLocked(w, a)
	isNew := func(t recaller.Turn) bool { return own || t.Number >= e.conv.Turns } // others were heard before
	if w.held {
		e.renameLocked(w.turns, a.turns, isNew)
	} else {
		e.hearLocked(slices.DeleteFunc(slices.Clone(a.turns), func(t recaller.Turn) bool { return !isNew(t) }), w.at)
	}
	after := a.turns[len(a.turns)-1].Number + 1
	if !own {
		after = max(after, e.conv.Turns)
	}
	e.conv.Turns = after
	return e.conv
}

// renameLocked gives held words the ids and numbers that the store has for them. It drops those that are not new,
// because they were heard before.
func (e *entry) renameLocked(held, stored []recaller.Turn, isNew func(recaller.Turn) bool) {
	if len(e.words) == 0 {
		return
	}
	as := make(map[recaller.TurnID]recaller.Turn, len(held))
	for i, t := range stored {
		as[held[i].ID] = t
	}
	words := e.words[:0]
	for _, word := range e.words {
		t, is := as[word.ID]
		switch {
		case !is:
		case isNew(t):
			word.ID, word.Number = t.ID, t.Number
		default:
			e.size -= len(word.Text)
			continue
		}
		words = append(words, word)
	}
	clear(e.words[len(words):])
	e.words = words
}
