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
	w, todo, err := e.enqueue(w)
	if err != nil {
		return answer{}, err
	}
	switch todo {
	case writing:
		go func() { _ = s.write(context.WithoutCancel(ctx), e) }() // the works carry the outcome; what fails is held
	case holding:
		s.hold(e, w, nil)
	case nothing:
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
	if e.retention == recaller.Ephemeral {
		return min(s.Patience, s.Deadline)
	}
	return s.Patience
}

// hold holds w and all else that waits, because the store is away.
func (s *Service) hold(e *entry, w *work, cause error) {
	e.telling.Lock()
	defer e.telling.Unlock()
	isNew, held := e.hold(w)
	s.tellHeld(e, isNew, held, cause)
}

// stop ends the writing because the store is away, and holds what waits.
func (s *Service) stop(e *entry, cause error) error {
	e.telling.Lock()
	defer e.telling.Unlock()
	isNew, held := e.stop()
	s.tellHeld(e, isNew, held, cause)
	return cause
}

// tellHeld tells the feed of works that are held, and then answers them. So whoever has the answer can find them.
func (s *Service) tellHeld(e *entry, isNew bool, works []*work, cause error) {
	if isNew {
		s.Log.Warn("store away during a call, holding what is said in memory",
			"tenant", e.tenant, "conversation", e.id, "err", cause)
	}
	turns := e.turnsOf(works)
	s.Metrics.held.Add(float64(len(turns)))
	if conv, _ := e.view(); conv.Caller != "" && len(turns) > 0 {
		_ = s.guarded(func() error { // held works are answered even if a view fails
			s.Feed.Held(recaller.Change{Tenant: e.tenant, Caller: conv.Caller, Conversation: &conv, Turns: turns})
			return nil
		})
	}
	e.answerHeld(works)
}

// maxWrite bounds one write that nobody waits for any more. Stores give up sooner by themselves.
const maxWrite = time.Minute

// during bounds one write by maxWrite. Dropping the conversation ends the write at once. The entry's order is held.
func (e *entry) during(ctx context.Context) (_ context.Context, done func()) {
	ctx, cancel := context.WithTimeout(ctx, maxWrite)
	e.mu.Lock()
	defer e.mu.Unlock()
	e.cancel = cancel
	return ctx, cancel
}

// write carries out what waits, in order, until nothing is left or the store does not answer. Whoever calls it has set
// entry.writing. While the store is at work, nothing is locked except the order.
func (s *Service) write(ctx context.Context, e *entry) error {
	if err := e.take(ctx); err != nil {
		return s.stop(e, err)
	}
	defer e.leave()
	for tries := 0; ; {
		opening, w := e.next()
		if opening == nil && w == nil {
			return nil
		}
		err := s.carryOut(ctx, e, opening, w)
		if tries++; err == nil {
			tries = 0
		} else if tries > 1 || !e.again(w, err) {
			return s.stop(e, err)
		}
	}
}

func (s *Service) carryOut(ctx context.Context, e *entry, opening *recaller.Opening, w *work) error {
	ctx, done := e.during(ctx)
	defer done()
	err := s.guarded(func() error {
		switch {
		case opening != nil:
			return s.writeOpening(ctx, e, *opening)
		case w.end != nil:
			return s.writeEnd(ctx, e, w)
		default:
			return s.writeTurns(ctx, e, w)
		}
	})
	if err == nil || w == nil {
		return err
	}
	return s.failed(ctx, e, w, err)
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

// again reports whether a work is tried once more at once, so that nobody notices one hiccup of the store (P1). Trying
// again is safe even while a write whose answer was lost is still on its way: the store recognises a work by its token,
// its numbers, or its end.
func (e *entry) again(w *work, err error) bool {
	return w != nil && errors.Is(err, recaller.Unavailable) && !e.isAway()
}

// begin claims the writing of what is held. It returns false if somebody writes already, or nothing is held.
func (e *entry) begin() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.writing || !e.state.away() {
		return false
	}
	e.writing = true
	return true
}

// next returns what to carry out next: the opening, or a work. If it returns neither, the writing is over and nothing
// is held.
func (e *entry) next() (*recaller.Opening, *work) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.opening != nil {
		return e.opening, nil
	}
	for len(e.queue) > 0 {
		w := e.queue[0]
		if w.held || !e.state.over() {
			e.joinLocked(w)
			return nil, w
		}
		w.reply(answer{err: errOver})
		e.queue = slices.Delete(e.queue, 0, 1)
	}
	e.writing = false
	e.moveLocked(caughtUp)
	return nil, nil
}

// joinLocked joins held turns that came one by one into one work. Two kinds stay as they are: a request with a token,
// since a repeat finds it by that token; and one that was sent before, since it must be sent again unchanged.
func (e *entry) joinLocked(w *work) {
	plain := func(w *work) bool { return w.held && w.done && !w.sent && w.end == nil && w.once.Token == "" }
	if !plain(w) {
		return
	}
	n := 1
	for ; n < len(e.queue) && plain(e.queue[n]) && len(w.turns)+len(e.queue[n].turns) <= MaxBatch; n++ {
		w.turns, w.size, w.at = append(w.turns, e.queue[n].turns...), w.size+e.queue[n].size, e.queue[n].at
	}
	e.queue = slices.Delete(e.queue, 1, n)
}

// writeOpening opens a held conversation. Its external id or request may belong to another conversation by now. Then it
// is stored under its own id alone: it is too late to tell the client.
func (s *Service) writeOpening(ctx context.Context, e *entry, in recaller.Opening) error {
	opened, err := s.Store.OpenConversation(ctx, e.tenant, in)
	if (err != nil && refused(err)) || (err == nil && opened.Conversation.ID != e.id) {
		in.Once, in.Conversation.ExternalID = recaller.Once{}, ""
		opened, err = s.Store.OpenConversation(ctx, e.tenant, in)
	}
	if err != nil && refused(err) {
		s.giveUp(e, err)
		return nil
	}
	if err != nil {
		return err
	}
	e.wasOpened(opened)
	s.Ledger.belongs(e, opened.Conversation.Caller)
	if opened.Existing { // an earlier try opened it, and the feed was not told whose it is
		conv := opened.Conversation
		opened.Change = recaller.Change{Tenant: e.tenant, Caller: conv.Caller, Conversation: &conv}
	}
	s.Feed.Committed(opened.Change)
	return nil
}

func (e *entry) wasOpened(as recaller.Opened) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.opening = nil
	e.moveLocked(opened)
	e.known, e.conv.Caller, e.conv.Turns = as.Caller, as.Conversation.Caller, as.Conversation.Turns
}

func (s *Service) writeEnd(ctx context.Context, e *entry, w *work) error {
	now := e.sending(w)
	if !now.wanted {
		return nil
	}
	closed, err := s.closeLive(ctx, e, now.conv, *w.end)
	if err != nil {
		return err
	}
	s.retire(e)
	e.settle(w, answer{conv: closed.Conversation})
	return nil
}

// settle answers a work that is done. It returns false if the work failed after it had been answered as held.
func (e *entry) settle(w *work, a answer) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if a.err != nil && w.held {
		return false
	}
	e.dequeueLocked(w)
	w.reply(a)
	return true
}

// failed handles a work that the store did not carry out. It returns an error if the work goes on waiting for the
// store.
func (s *Service) failed(ctx context.Context, e *entry, w *work, cause error) error {
	gone := cause
	if errors.Is(ctx.Err(), context.Canceled) { // drop ended its write: answer like drop
		gone = errGone
	}
	if e.letGo(w, gone) {
		return nil
	}
	if away(cause) {
		return cause
	}
	if !e.isKept(w) {
		s.lookAgain(ctx, e, cause)
	}
	switch {
	case e.settle(w, answer{err: cause}):
		return nil
	case !refused(cause): // held, hence answered: it must not be lost
		return cause
	case e.strip(w): // another request took its token while the store was away
		return nil
	}
	s.giveUp(e, cause)
	return nil
}

// letGo answers a work that has left the queue, and returns true; false if the work is still there. A work leaves while
// the store is at work on it if the conversation is dropped, or if it is stored and telling the feed fails.
func (e *entry) letGo(w *work, cause error) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if slices.Contains(e.queue, w) {
		return false
	}
	w.reply(answer{err: cause})
	return true
}

func (e *entry) isKept(w *work) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return w.held
}

// strip takes its token off a held work that the store refused. It returns false if it had none.
func (e *entry) strip(w *work) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	had := w.once.Token != ""
	w.once = recaller.Once{}
	return had
}

// lookAgain is called when the store refuses a write. It lets go of a conversation that somebody else ended or erased.
func (s *Service) lookAgain(ctx context.Context, e *entry, cause error) {
	if !refused(cause) {
		return
	}
	conv, err := s.find(ctx, e.tenant, string(e.id))
	switch {
	case recaller.KindOf(err) == recaller.NotFound:
		s.drop(e)
	case err == nil && conv.Status != recaller.Active:
		s.retire(e)
	}
}

// giveUp drops a conversation whose held words the store will never take.
func (s *Service) giveUp(e *entry, cause error) {
	s.Log.Error("the store refuses a held conversation, which is dropped", "tenant", e.tenant, "conversation", e.id,
		"turns", len(e.heldTurns()), "err", cause)
	s.drop(e)
	if conv, _ := e.view(); conv.Caller != "" {
		s.Feed.Anew(e.tenant, conv.Caller) // views were told of the held turns
	}
}
