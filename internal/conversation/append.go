package conversation

import (
	"context"
	"slices"

	"github.com/recallerhq/recaller"
)

// writeTurns commits turns by the tenant's retention. The entry's order is held.
func (s *Service) writeTurns(ctx context.Context, e *entry, w *work) error {
	if err := s.recount(ctx, e, w); err != nil {
		return err
	}
	conv, again, wanted := e.sending(w)
	if !wanted {
		return nil
	}
	if e.retention == recaller.Archive && w.filed != w.first+1 { // first the words, then their count: what is counted is there
		if err := s.Archive.Append(ctx, e.tenant, conv, w.turns); err != nil {
			return err
		}
		w.filed = w.first + 1
	}
	done, err := s.Store.AppendTurns(ctx, e.tenant, recaller.Appending{
		Once: e.token(w), Conversation: conv.ID, Caller: conv.Caller, Turns: w.turns, Numbered: true, At: w.at, CountOnly: e.retention != recaller.Keep,
	})
	if err != nil {
		e.doubt()
		return err
	}
	s.stored(e, w, done, again)
	return nil
}

// stored tells of turns that the store has, and then answers them: what was answered can be found. Those of a work that was
// sent before may come without a change, for the answer that told of it was lost; others that do are an earlier request's, of
// which was told.
func (s *Service) stored(e *entry, w *work, done recaller.Appended, again bool) {
	e.telling.Lock()
	defer e.telling.Unlock()
	a := answer{turns: done.Turns, durable: e.retention != recaller.Ephemeral}
	own := done.Turns[0].ID == w.turns[0].ID
	conv := e.stored(s.Ledger, w, a, own)
	if done.Change.Version > 0 || again && own {
		done.Change.Conversation, done.Change.Turns = &conv, done.Turns
		s.Metrics.turns.Add(float64(len(done.Turns)))
		s.Changed(done.Change)
	}
	if !own && w.kept {
		s.Stale(e.tenant, conv.Caller) // they were told of under other ids
	}
	e.settle(s.Ledger, w, a)
}

// recount learns how many turns the store has, where an earlier write failed that may have been carried out all the same.
func (s *Service) recount(ctx context.Context, e *entry, w *work) error {
	if !e.isInDoubt() {
		return nil
	}
	stored, err := s.Store.Conversation(ctx, e.tenant, string(e.id))
	if err == nil {
		e.recounted(w, stored.Turns)
	}
	return err
}

// sending numbers a work that is about to be sent, and notes that it is. again tells that it was before, and wanted that it was
// not withdrawn, nor its conversation dropped.
func (e *entry) sending(w *work) (conv recaller.Conversation, again, wanted bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !slices.Contains(e.queue, w) {
		return e.conv, false, false
	}
	again = w.sent
	if !w.sent {
		w.sent, w.first = true, e.conv.Turns
		renumber(w.turns, w.first)
	}
	return e.conv, again, true
}

// token is the request's own, which strip may take off meanwhile.
func (e *entry) token(w *work) recaller.Once {
	e.mu.Lock()
	defer e.mu.Unlock()
	return w.once
}

// isInDoubt tells whether it is in doubt how many turns the store has.
func (e *entry) isInDoubt() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.inDoubt
}

// doubt notes that a write failed, which may have been carried out all the same.
func (e *entry) doubt() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.inDoubt = true
}

// recounted takes in how many turns the store has, before a work is sent. One that was sent keeps its numbers, by which the
// store knows whether it has it, unless the store has other turns than was thought: then it cannot.
func (e *entry) recounted(w *work, turns int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.inDoubt = false
	if w.sent && (turns == w.first || turns >= w.first+len(w.turns)) {
		return
	}
	w.sent, e.conv.Turns = false, turns
}

// stored takes a work's turns in that the store has, as the answer has them, and takes the work off the queue. own tells that
// they are the work's, and not those of an earlier request that it repeats.
func (e *entry) stored(l *Ledger, w *work, a answer, own bool) recaller.Conversation {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.dequeueLocked(l, w)
	e.rememberLocked(w, a)
	isNew := func(t recaller.Turn) bool { return own || t.Number >= e.conv.Turns } // else it was heard when it first came
	if w.kept {
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

// renameLocked gives words that were kept the ids and numbers that the store has for them. Those that are not new go: they
// were heard before.
func (e *entry) renameLocked(kept, stored []recaller.Turn, isNew func(recaller.Turn) bool) {
	if len(e.words) == 0 {
		return
	}
	as := make(map[recaller.TurnID]recaller.Turn, len(kept))
	for i, t := range stored {
		as[kept[i].ID] = t
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
