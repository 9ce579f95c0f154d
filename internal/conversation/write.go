package conversation

import (
	"context"
	"errors"
	"runtime/debug"
	"slices"
	"time"

	"github.com/recallerhq/recaller"
)

// do has a work carried out, and waits for it. Once the patience is over, the work is held.
func (s *Service) do(ctx context.Context, e *entry, w *work) (answer, error) {
	w, first, away := e.accept(w)
	s.writeOn(ctx, e, first)
	if away {
		s.hold(e, w, nil)
	}
	patience := time.NewTimer(s.patience(e))
	defer patience.Stop()
	for {
		select {
		case <-w.answered:
			return w.answer, w.answer.err
		case <-patience.C:
			s.hold(e, w, recaller.Errorf(recaller.Timeout, "the store did not answer in time"))
		case <-ctx.Done():
			e.withdraw(w)
			return answer{}, recaller.Wrap(recaller.Timeout, ctx.Err(), "the store did not answer in time")
		}
	}
}

// patience is how long a work waits for the store. Ephemeral words are never promised to outlive the process, so they
// wait no longer than the start of a call.
func (s *Service) patience(e *entry) time.Duration {
	if e.ephemeral() {
		return min(s.Patience, s.Deadline)
	}
	return s.Patience
}

// writeOn has a goroutine of its own write, whoever waits for it. If now is nil, there is nothing to write.
func (s *Service) writeOn(ctx context.Context, e *entry, now *step) {
	if now != nil {
		go func() { _ = s.write(context.WithoutCancel(ctx), e, now) }() // the works carry the outcome; what fails is held
	}
}

// write carries out now and what waits behind it, in order, until nothing is left or the store does not answer. Whoever
// calls it owns the conversation, and owns it no more when write returns.
//
// A work is tried once more at once, so that nobody notices one hiccup of the store (P1). Trying again is safe even
// while a write whose answer was lost is still on its way: the store recognises a work by its token, its numbers, or
// its end.
func (s *Service) write(ctx context.Context, e *entry, now *step) error {
	for tries := 0; now != nil; now = e.next(now) {
		err := s.carryOut(ctx, e, now)
		if tries++; err == nil {
			tries = 0
		} else if tries > 1 || now.work == nil || !errors.Is(err, recaller.Unavailable) || e.isAway() {
			s.hold(e, nil, err)
			return err
		}
	}
	return nil
}

// maxWrite bounds one write that nobody waits for any more. Stores give up sooner by themselves.
const maxWrite = time.Minute

// during bounds one write by maxWrite, and by the life of the conversation.
func (e *entry) during(ctx context.Context) (_ context.Context, done func()) {
	ctx, cancel := context.WithTimeout(ctx, maxWrite)
	stop := context.AfterFunc(e.life, cancel)
	return ctx, func() { stop(); cancel() }
}

func (s *Service) carryOut(ctx context.Context, e *entry, now *step) error {
	ctx, done := e.during(ctx)
	defer done()
	err := s.guarded(func() error {
		if now.opening != nil {
			return s.writeOpening(ctx, e, *now.opening)
		}
		if err := s.whose(ctx, e, now); err != nil {
			return err
		}
		switch {
		case now.work.end != nil:
			return s.writeEnd(ctx, e, now)
		case now.work.hand != nil:
			return s.writeHand(ctx, e, now)
		default:
			return s.writeTurns(ctx, e, now)
		}
	})
	if err == nil || now.work == nil {
		return err
	}
	return s.failed(ctx, e, now.work, err)
}

// guarded turns a panic into an Internal error, so that a bug in one conversation does not end the others. The log says
// where it happened, but not the panic's value, which may hold what people said.
func (s *Service) guarded(fn func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			s.Log.Error("panic in a conversation", "stack", string(debug.Stack()))
			err = recaller.Errorf(recaller.Internal, "the conversation failed")
		}
	}()
	return fn()
}

// writeOpening opens a held conversation. Its external id or request may belong to another conversation by now. Then it
// is stored under its own id alone: it is too late to tell the client.
func (s *Service) writeOpening(ctx context.Context, e *entry, in recaller.Opening) error {
	got, err := s.Store.OpenConversation(ctx, e.tenant.ID, in)
	if (err != nil && refused(err)) || (err == nil && got.Conversation.ID != e.id) {
		in.Once, in.Conversation.ExternalID = recaller.Once{}, ""
		got, err = s.Store.OpenConversation(ctx, e.tenant.ID, in)
	}
	if err != nil && refused(err) {
		s.giveUp(e, err)
		return nil
	}
	if err != nil {
		e.lacks(err)
		return err
	}
	conv := got.Conversation
	e.mu.Lock()
	e.queue.opening = nil
	e.moveLocked(opened)
	e.known, e.conv.Caller, e.conv.Turns = got.Caller, conv.Caller, conv.Turns
	e.mu.Unlock()
	s.Ledger.belongs(e, conv.Caller)
	if got.Existing { // an earlier try opened it, and the feed was not told whose it is
		got.Change = recaller.Change{Tenant: e.tenant.ID, Caller: conv.Caller, Conversation: &conv}
	}
	s.Feed.Committed(got.Change)
	return nil
}

func (s *Service) writeEnd(ctx context.Context, e *entry, now *step) error {
	closed, err := s.close(ctx, e.tenant, now.conv, *now.work.end, now.again)
	if err != nil {
		return err
	}
	s.retire(e, closed.Conversation, now.work)
	now.answer = &answer{conv: closed.Conversation}
	return nil
}

// writeHand makes the conversation somebody else's. While it is in doubt which turns the store has, that is refused.
func (s *Service) writeHand(ctx context.Context, e *entry, now *step) error {
	if err := now.work.hand(ctx, now.conv); err != nil {
		return err
	}
	e.mu.Lock()
	e.queue.remove(now.work)
	e.mu.Unlock()
	now.answer = &answer{}
	return nil
}

// writeTurns commits turns by the tenant's retention.
func (s *Service) writeTurns(ctx context.Context, e *entry, now *step) error {
	w := now.work
	if now.inDoubt {
		conv, err := s.Store.Conversation(ctx, e.tenant.ID, string(e.id))
		if err != nil {
			return err
		}
		counted := e.recounted(w, conv.Turns)
		if counted == nil {
			now.answer = &answer{err: errGone}
			return nil
		}
		*now = *counted
	}
	if e.tenant.Retention == recaller.Archive && w.filed != w.first+1 { // words first: those that are counted are there
		if err := s.Archive.Append(ctx, e.tenant.ID, now.conv, w.turns); err != nil {
			return err
		}
		w.filed = w.first + 1
	}
	done, err := s.Store.AppendTurns(ctx, e.tenant.ID, recaller.Appending{
		Once: now.once, Conversation: e.id, Caller: now.conv.Caller, Turns: w.turns, Numbered: true, At: w.at,
		CountOnly: e.tenant.Retention != recaller.Keep,
	})
	if err != nil {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.queue.inDoubt = true // the write may have been carried out
		return err
	}
	s.stored(e, now, done)
	return nil
}

// recounted takes in how many turns the store has, before a work is sent. A work that was sent before keeps its numbers
// if that count is possible before or after the store carried it out: by the numbers the store knows whether it has the
// work. With any other count the work gets new numbers. nil: it was withdrawn or dropped meanwhile, and is not sent.
func (e *entry) recounted(w *work, turns int) *step {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.queue.inDoubt = false
	if !w.sent || turns != w.first && turns < w.first+len(w.turns) {
		w.sent, e.conv.Turns = false, turns
	}
	if !e.queue.has(w) {
		return nil
	}
	return e.stepLocked(w)
}

// stored tells the feed of turns that the store has. They are answered after that, so whoever has the answer can find
// them.
//
// The store returns no change for turns that it had before. If this work was sent before and the turns are its own, the
// answer that carried the change was lost, and the feed is told now. Otherwise an earlier request stored them, and the
// feed was told then.
func (s *Service) stored(e *entry, now *step, done recaller.Appended) {
	e.telling.Lock()
	defer e.telling.Unlock()
	a := answer{turns: done.Turns, durable: !e.ephemeral()}
	own := done.Turns[0].ID == now.work.turns[0].ID
	conv := e.takeIn(now.work, a, own)
	if done.Change.Version > 0 || now.again && own {
		done.Change.Conversation, done.Change.Turns = &conv, done.Turns
		s.Metrics.turns.Add(float64(len(done.Turns)))
		s.Feed.Committed(done.Change)
	}
	if !own && now.work.held {
		s.Feed.Anew(e.tenant.ID, conv.Caller) // the feed knows them by other ids
	}
	now.answer = &a
}

// takeIn takes in a work's turns as the store has them, and takes the work off the queue. own says that they are the
// work's turns, and not those of an earlier request that it repeats.
func (e *entry) takeIn(w *work, a answer, own bool) recaller.Conversation {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.queue.remove(w)
	e.queue.remember(w, a)
	isNew := func(t recaller.Turn) bool { return own || t.Number >= e.conv.Turns } // others were heard before
	if w.held {
		e.heard.rename(w.turns, a.turns, isNew)
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

// failed handles a work that the store did not carry out. It returns an error if the work goes on waiting for the
// store.
func (s *Service) failed(ctx context.Context, e *entry, w *work, cause error) error {
	gone := cause
	if errors.Is(ctx.Err(), context.Canceled) { // it was dropped: answer like drop
		gone = errGone
	}
	e.mu.Lock()
	held := w.held
	e.mu.Unlock()
	if !held {
		s.lookAgain(ctx, e, cause)
	}
	waits, hopeless := e.unwritten(w, cause, gone)
	switch {
	case waits:
		return cause
	case hopeless:
		s.giveUp(e, cause)
	}
	return nil
}

// unwritten answers a work that the store did not carry out, unless it waits for the store. A work leaves the queue
// while the store is at work on it if the conversation is dropped, or if it is stored and telling the feed fails: then
// the answer is gone. hopeless says that it is held, hence answered, and that the store will never take it.
func (e *entry) unwritten(w *work, cause, gone error) (waits, hopeless bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case !e.queue.has(w):
		w.reply(answer{err: gone})
	case away(cause) || w.held && !refused(cause): // it must not be lost
		return true, false
	case !w.held:
		e.queue.remove(w)
		w.reply(answer{err: cause})
	case w.once.Token == "":
		return false, true
	default: // another request took its token while the store was away
		w.once = recaller.Once{}
	}
	return false, false
}

// lookAgain is called when the store refuses a write. It lets go of a conversation that somebody else ended or erased.
func (s *Service) lookAgain(ctx context.Context, e *entry, cause error) {
	if !refused(cause) {
		return
	}
	conv, err := s.find(ctx, e.tenant.ID, string(e.id))
	switch {
	case recaller.KindOf(err) == recaller.NotFound:
		s.drop(e)
	case err == nil && conv.Status != recaller.Active:
		s.retire(e, conv, nil)
	}
}

// giveUp drops a conversation whose held words the store will never take.
func (s *Service) giveUp(e *entry, cause error) {
	s.Log.Error("the store refuses a held conversation, which is dropped", "tenant", e.tenant.ID, "conversation", e.id,
		"turns", len(e.heldTurns()), "err", cause)
	s.drop(e)
	if conv, _ := e.view(); conv.Caller != "" {
		s.Feed.Anew(e.tenant.ID, conv.Caller) // views were told of the held turns
	}
}
