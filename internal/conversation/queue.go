package conversation

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/guard"
)

// work is one write of a conversation: turns, or the end. Works are carried out one after the other, in the order in
// which they came (write.go). If the store does not answer in time, a work is held: it is answered as not durable, and
// carried out when the store is back (held.go).
//
// The entry's mu guards all of it, except answered. Nobody changes turns while the store is at work on them.
type work struct {
	turns []recaller.Turn
	talk  guard.Dialogue // what was asked last, once the turns were said
	end   *End
	// hand makes the conversation, as it is then, somebody else's; it is never held.
	hand func(ctx context.Context, conv recaller.Conversation) error
	once recaller.Once // of the request; zero: the request cannot be repeated
	at   time.Time     // when it came
	size int64         // counted in ledger.heldBytes; 0 until it is held

	first int  // the number of its first turn, once it was sent or held
	sent  bool // the store was asked for it, and may have carried it out
	filed int  // first+1, as it was when the archive took its words; 0: the archive has not
	held  bool // it was answered, or is about to be, before the store has it
	done  bool // it was answered

	waiting  int           // requests that wait for the answer; tries of one request share a work
	answered chan struct{} // closed when answer is there
	answer   answer
}

// answer is the outcome of a work.
type answer struct {
	turns   []recaller.Turn // with their numbers
	durable bool
	conv    recaller.Conversation // as it ended
	err     error
}

func newWork(w work, now time.Time) *work {
	w.at, w.answered = now, make(chan struct{})
	return &w
}

// errOver says that the conversation ended before the work came. It does not leave the package.
var errOver = errors.New("the conversation has ended")

// errGone answers requests to a conversation that was dropped, such as when its caller was erased.
var errGone = recaller.Errorf(recaller.NotFound, "there is no such conversation")

// reply answers a work, once.
func (w *work) reply(a answer) {
	if !w.done {
		w.answer, w.done = a, true
		close(w.answered)
	}
}

// queue is what the store was not told yet of a conversation, and who tells it. The entry's mu guards it.
type queue struct {
	opening  *recaller.Opening // nil: the store has the conversation
	works    []*work           // those that the store has not confirmed, in order
	recent   []*work           // the last requests that were answered, without their words
	owned    bool              // somebody carries out the queue, or ends the conversation
	free     sync.Cond         // told when the owner stops
	inDoubt  bool              // a write of turns failed: conv.Turns may be behind the store
	endAsked bool              // the store was asked to end the conversation

	heldBytes *atomic.Int64 // of the ledger
}

// has reports whether a work waits for the store.
func (q *queue) has(w *work) bool { return slices.Contains(q.works, w) }

// remove takes a work off the queue, if it is there. It is not if the conversation was dropped.
func (q *queue) remove(w *work) {
	if i := slices.Index(q.works, w); i >= 0 {
		q.heldBytes.Add(-w.size)
		q.works = slices.Delete(q.works, i, i+1)
	}
}

// holds reports whether a work is held.
func (q *queue) holds() bool {
	return slices.ContainsFunc(q.works, func(w *work) bool { return w.held })
}

// before finds an earlier try of the same request that waits, or was answered a moment ago. Any end is a repeat of an
// end that is held.
func (q *queue) before(w *work) (*work, error) {
	for _, known := range [][]*work{q.works, q.recent} {
		for _, b := range known {
			switch {
			case w.end != nil && b.end != nil && b.held:
				return b, nil
			case w.once.Token == "" || w.once.Token != b.once.Token:
			case w.once.Request != b.once.Request:
				return nil, recaller.Errorf(recaller.Conflict, "this Idempotency-Key was used with another request")
			default:
				return b, nil
			}
		}
	}
	return nil, nil //nolint:nilnil // none is no error
}

// The answers of the last requests are remembered, so that a repeat finds them even if the store is away by then. These
// bound how many, and how many turns each may have. The store knows the older ones.
const (
	maxRecent      = 8
	maxRecentTurns = 32
)

// remember keeps the answer of a request that may be repeated, without the words.
func (q *queue) remember(w *work, a answer) {
	if w.once.Token == "" || len(a.turns) > maxRecentTurns {
		return
	}
	bare := make([]recaller.Turn, len(a.turns))
	for i, t := range a.turns {
		bare[i] = recaller.Turn{ID: t.ID, Number: t.Number, Speaker: t.Speaker, At: t.At}
	}
	told := newWork(work{once: w.once}, w.at)
	told.reply(answer{turns: bare, durable: a.durable})
	if len(q.recent) == maxRecent {
		q.recent = slices.Clone(q.recent[1:])
	}
	q.recent = append(q.recent, told)
}

// join joins held turns that came one by one into the first work. Two kinds stay as they are: a request with a token,
// since a repeat finds it by that token; and one that was sent before, since it must be sent again unchanged.
func (q *queue) join() {
	plain := func(w *work) bool {
		return w.held && w.done && !w.sent && w.end == nil && w.hand == nil && w.once.Token == ""
	}
	w, n := q.works[0], 1
	if !plain(w) {
		return
	}
	for ; n < len(q.works) && plain(q.works[n]) && len(w.turns)+len(q.works[n].turns) <= MaxBatch; n++ {
		w.turns, w.size, w.at = append(w.turns, q.works[n].turns...), w.size+q.works[n].size, q.works[n].at
	}
	q.works = slices.Delete(q.works, 1, n)
}

// turns returns the turns that are held: the store may not have them.
func (q *queue) turns() (turns []recaller.Turn) {
	for _, w := range q.works {
		if w.held {
			turns = append(turns, w.turns...)
		}
	}
	return turns
}

// accept puts a work at the end of the queue. If an earlier try of the same request waits, or was answered a moment
// ago, accept returns that work instead. A work that is refused it answers.
//
// If first is not nil, nobody owned the conversation, and who asked does now: he goes on with first. away says that the
// store is away, and that the work is to be held.
func (e *entry) accept(w *work) (_ *work, first *step, away bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	before, err := e.queue.before(w)
	switch {
	case before != nil:
		before.waiting++
		return before, nil, false
	case err == nil && e.state.over():
		err = errOver
	}
	if err != nil {
		w.reply(answer{err: err})
		return w, nil, false
	}
	if w.end == nil {
		e.heard.talk = w.talk
	}
	w.waiting = 1
	e.queue.works = append(e.queue.works, w)
	if away = e.state.away(); !away && !e.queue.owned {
		e.queue.owned = true
		first = e.nextLocked()
	}
	return w, first, away
}

// withdraw says that one request waits for a work no more. If it was the last, and the work was neither sent nor held,
// the work leaves the queue.
func (e *entry) withdraw(w *work) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if w.waiting--; w.waiting <= 0 && !w.sent && !w.held {
		e.queue.remove(w)
	}
}

// step is what the owner of a conversation has the store do next: open it, or one work.
type step struct {
	opening *recaller.Opening
	work    *work                 // nil: the opening
	conv    recaller.Conversation // before the work
	once    recaller.Once         // a copy: the work may lose its own
	again   bool                  // the store was asked for it before
	inDoubt bool                  // turns cannot be numbered before it is known how many the store has

	answer *answer // of the work, once the store has it and the feed was told; nil: it has none yet
}

// next answers what is done, and returns what to do next. nil: nothing waits, and the conversation is not owned any
// more.
func (e *entry) next(did *step) *step {
	e.mu.Lock()
	defer e.mu.Unlock()
	if did.answer != nil {
		did.work.reply(*did.answer)
	}
	return e.nextLocked()
}

// disownLocked lets another one own the conversation.
func (e *entry) disownLocked() {
	e.queue.owned = false
	e.queue.free.Broadcast()
}

// nextLocked returns what the owner does next. nil: he is the owner no more.
func (e *entry) nextLocked() *step {
	q := &e.queue
	if q.opening != nil {
		return &step{opening: q.opening}
	}
	for len(q.works) > 0 {
		w := q.works[0]
		if w.held || !e.state.over() {
			q.join()
			return e.stepLocked(w)
		}
		w.reply(answer{err: errOver})
		q.remove(w)
	}
	e.disownLocked()
	e.moveLocked(caughtUp)
	return nil
}

// stepLocked numbers a work that is about to be sent, and marks it as sent. A work whose numbers are in doubt it leaves
// as it is.
func (e *entry) stepLocked(w *work) *step {
	now := &step{work: w, conv: e.conv, once: w.once, again: w.sent}
	switch {
	case w.end != nil:
		now.again, e.queue.endAsked = e.queue.endAsked, true
	case w.hand != nil:
		w.sent = true
		return now
	case e.queue.inDoubt:
		now.inDoubt = true
		return now
	}
	if !w.sent {
		w.sent, w.first = true, e.conv.Turns
		renumber(w.turns, w.first)
	}
	return now
}

func renumber(turns []recaller.Turn, first int) {
	for i := range turns {
		turns[i].Number = first + i
	}
}
