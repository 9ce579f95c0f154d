package conversation

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/recallerhq/recaller"
)

// Bounds of what is held while the store is away.
const (
	maxHeldTurns = 2000     // turns of one conversation
	maxHeldBytes = 64 << 20 // of all conversations
	heldTurnSize = 256      // what a turn takes beside its text
)

// hold holds w and all else that waits, because the store is away. If w does not wait any more, it holds nothing. The
// owner passes nil: he stops.
//
// The feed is told before what is held is answered. So whoever has the answer can find it.
func (s *Service) hold(e *entry, w *work, cause error) {
	e.telling.Lock()
	defer e.telling.Unlock()
	works, told, isNew := e.holdAll(w)
	if isNew {
		s.Log.Warn("store away during a call, holding what is said in memory",
			"tenant", e.tenant.ID, "conversation", e.id, "err", cause)
	}
	s.Metrics.held.Add(float64(len(told.Turns)))
	if told.Caller != "" && len(told.Turns) > 0 {
		_ = s.guarded(func() error { // held works are answered even if a view fails
			s.Feed.Held(told)
			return nil
		})
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	conv := e.viewLocked()
	for _, w := range works {
		w.reply(answer{turns: slices.Clone(w.turns), conv: conv})
	}
}

// holdAll marks what waits as held, and refuses what cannot be held. It returns the works that were not held before,
// which are not answered yet, and what the feed is to be told of them. isNew says that the store was not known to be
// away.
//
// While a conversation is closed as idle, its state stays as it is: what waits then is refused.
func (e *entry) holdAll(w *work) (held []*work, told recaller.Change, isNew bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if w == nil {
		e.disownLocked()
	} else if !e.queue.has(w) {
		return nil, told, false
	}
	before := e.state
	if len(e.queue.works) > 0 || e.queue.opening != nil {
		e.moveLocked(storeAway)
	}
	isNew = e.state != before
	number, n := e.conv.Turns, 0
	e.queue.works = slices.DeleteFunc(e.queue.works, func(w *work) bool {
		if !w.held {
			if err := e.refusalLocked(w, n); err != nil {
				w.reply(answer{err: err})
				return true
			}
			e.holdLocked(w, number)
			held, told.Turns = append(held, w), append(told.Turns, w.turns...)
		}
		number, n = number+len(w.turns), n+len(w.turns)
		return false
	})
	conv := e.viewLocked()
	told.Tenant, told.Caller, told.Conversation = e.tenant.ID, conv.Caller, &conv
	return held, told, isNew
}

// refusalLocked returns why a work cannot be held, or nil. No limit applies to a work that was sent: the store may have
// carried it out, so a refusal could be untrue.
func (e *entry) refusalLocked(w *work, held int) error {
	size := int64(textBytes(w.turns) + heldTurnSize*len(w.turns))
	switch {
	case e.state.over():
		return errOver
	case w.hand != nil:
		return recaller.Errorf(recaller.Unavailable, "the store is away: try again")
	case e.state == closing:
		return recaller.Errorf(recaller.Unavailable, "the store is away and the conversation was about to be closed as idle")
	case !w.sent && held+len(w.turns) > maxHeldTurns:
		return recaller.Errorf(recaller.Unavailable,
			"the store is away and this conversation holds its limit of %d turns", maxHeldTurns)
	case e.queue.heldBytes.Add(size) > maxHeldBytes && !w.sent:
		e.queue.heldBytes.Add(-size)
		return recaller.Errorf(recaller.Unavailable, "the store is away and too much is held already")
	}
	w.size = size
	return nil
}

// holdLocked holds one work, whose first turn has a number if it was not sent.
func (e *entry) holdLocked(w *work, number int) {
	w.held = true
	if w.end != nil {
		e.noteEndLocked(*w.end, w.at)
		return
	}
	if !w.sent {
		w.first = number
		renumber(w.turns, number)
	}
	e.hearLocked(w.turns, w.at)
}

// noteEndLocked notes an end that the store has not seen.
func (e *entry) noteEndLocked(in End, now time.Time) {
	in.EndedAt = later(in.EndedAt, e.conv.StartedAt)
	e.moveLocked(endHeld)
	e.touched = now
	e.conv.Status, e.conv.EndedAt, e.conv.EndReason, e.conv.RecordingURL =
		in.Status, in.EndedAt, in.Reason, in.RecordingURL
	e.conv.Duration = duration(in.Duration, e.conv.StartedAt, in.EndedAt)
}

// heldTurns returns the turns that are held: the store may not have them.
func (e *entry) heldTurns() []recaller.Turn {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.queue.turns()
}

// heldNow returns the conversations of which something is held, oldest first.
func (l *Ledger) heldNow() []*entry { return l.all((*entry).isAway) }

const (
	maxFailures = 3 // in a row, after which a pass over the held conversations ends: the store is still away
	flushAtOnce = 8 // conversations written at the same time: writes that come together share a commit
)

// FlushHeld writes what was answered while the store was away, and returns how many conversations still wait for it. The
// next call goes on where this one failed. Call it about twice a second. Conversations of quarantined callers wait for
// their key, or for the row by which they are recognised, and hold up no other.
func (s *Service) FlushHeld(ctx context.Context) (waiting int) {
	var mu sync.Mutex // guards what follows, and waiting
	var failures int
	var last error
	count := func(err error) {
		mu.Lock()
		defer mu.Unlock()
		if err == nil {
			failures = 0
			return
		}
		if recaller.IsQuarantined(err) { // the store is there
			return
		}
		waiting, last = waiting+1, err
		if !errors.Is(err, errBusy) {
			failures++
		}
	}
	var all errgroup.Group
	all.SetLimit(flushAtOnce)
	for _, e := range s.Ledger.heldNow() {
		mu.Lock()
		err := last
		tired := failures >= maxFailures
		mu.Unlock()
		if tired {
			count(err)
			continue
		}
		all.Go(func() error {
			err := s.flush(ctx, e)
			if recaller.IsQuarantined(err) && e.untouchedFor(s.Now()) > wordsFor {
				s.giveUp(e, err)
			}
			count(err)
			return nil
		})
	}
	_ = all.Wait() // errors are counted
	s.logWaiting(waiting, last)
	return waiting
}

// logWaiting logs a change in the number of conversations that wait.
func (s *Service) logWaiting(waiting int, last error) {
	if int64(waiting) == s.waiting.Swap(int64(waiting)) {
		return
	}
	if waiting == 0 {
		s.Log.Info("what was held while the store was away is written")
		return
	}
	_, turns := s.Waiting()
	s.Log.Warn("held conversations still wait for the store", "conversations", waiting, "turns", turns, "err", last)
}

// untouchedFor returns how long ago something was last said or done in it.
func (e *entry) untouchedFor(now time.Time) time.Duration {
	e.mu.Lock()
	defer e.mu.Unlock()
	return now.Sub(e.touched)
}

// errBusy says that somebody is writing the conversation already. It does not leave the package.
var errBusy = errors.New("the store has not answered yet")

// flush owns a conversation of which something is held, and writes it.
func (s *Service) flush(ctx context.Context, e *entry) error {
	e.mu.Lock()
	if e.queue.owned || !e.state.away() {
		e.mu.Unlock()
		return errBusy
	}
	e.queue.owned = true
	first := e.nextLocked()
	e.mu.Unlock()
	return s.write(ctx, e, first)
}

// Settle has the store open the held conversations of a tenant, so that it is known whose they are. Before a caller is
// erased nothing else will do: what he said in a call that the store does not know yet would be written after that, and
// be somebody new's. Settle fails if the store cannot open one of them now. It drops those that wait for the missing key
// of the caller, and lets others wait for theirs.
func (s *Service) Settle(ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID) error {
	for _, e := range s.Ledger.heldNow() {
		for e.tenant.ID == tenant && e.unopened() {
			err := s.flush(ctx, e)
			var missing *recaller.KeyMissing
			switch {
			case ctx.Err() != nil:
				return recaller.Wrap(recaller.Timeout, ctx.Err(), "calls are held whose caller is not known yet: try again")
			case errors.Is(err, errBusy):
				e.rest()
				continue
			case errors.As(err, &missing) && missing.Caller == caller:
				s.drop(e)
			case err != nil && missing == nil && e.unopened():
				return err
			}
			break
		}
	}
	return nil
}

// unopened reports whether the store does not have the conversation yet.
func (e *entry) unopened() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.queue.opening != nil
}

// Waiting counts what would be lost if the process died now: conversations with something held, and their held turns.
func (s *Service) Waiting() (conversations, turns int) {
	for _, e := range s.Ledger.heldNow() {
		conversations, turns = conversations+1, turns+len(e.heldTurns())
	}
	return conversations, turns
}

// drainPause is how often a shutdown tries the store again.
const drainPause = 100 * time.Millisecond

// Drain writes what is held, before the process ends. It tries again until nothing is left that waits for the store, or
// ctx ends. It returns what is lost: the number of conversations, and of their turns.
func (s *Service) Drain(ctx context.Context) (conversations, turns int) {
	pause := time.NewTicker(drainPause)
	defer pause.Stop()
	for s.FlushHeld(ctx) > 0 {
		select {
		case <-pause.C:
		case <-ctx.Done():
			return s.Waiting()
		}
	}
	return s.Waiting()
}
