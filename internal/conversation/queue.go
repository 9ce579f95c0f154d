package conversation

import (
	"errors"
	"slices"
	"time"

	"github.com/recallerhq/recaller"
)

// work is one write of a conversation: turns, or the end. Works are carried out one after the other, in the order in
// which they came (write.go). If the store does not answer in time, a work is held: it is answered as not durable, and
// carried out when the store is back.
//
// The entry's mu guards all of it, except answered. Nobody changes turns while the store is at work on them.
type work struct {
	turns []recaller.Turn
	end   *End
	once  recaller.Once // of the request; zero: the request cannot be repeated
	at    time.Time     // when it came
	size  int64         // counted in ledger.heldBytes; 0 until it is held

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

// reply answers a work, once. The entry's lock is held.
func (w *work) reply(a answer) {
	if !w.done {
		w.answer, w.done = a, true
		close(w.answered)
	}
}

// Bounds of what is held while the store is away.
const (
	maxHeld      = 1000     // conversations that the store has not seen
	maxHeldTurns = 2000     // turns of one conversation
	maxHeldBytes = 64 << 20 // of all conversations
	heldTurnSize = 256      // what a turn takes beside its text
)

// enqueue puts a work at the end of the queue, and says what is left to do about it. If an earlier try of the same
// request waits, or was answered a moment ago, enqueue returns that work instead.
func (e *entry) enqueue(w *work) (_ *work, todo todo, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	before, err := e.beforeLocked(w)
	if err != nil {
		return nil, nothing, err
	}
	if before != nil {
		before.waiting++
		return before, nothing, nil
	}
	if e.state.over() {
		return nil, nothing, errOver
	}
	w.waiting = 1
	e.queue = append(e.queue, w)
	switch {
	case e.state.away():
		return w, holding, nil
	case e.writing:
		return w, nothing, nil
	}
	e.writing = true
	return w, writing, nil
}

// todo is what whoever enqueued a work has to do.
type todo int

const (
	nothing todo = iota // nothing: somebody writes already
	writing             // write
	holding             // hold the work: the store is away
)

// beforeLocked finds an earlier try of the same request that waits, or was answered a moment ago. Any end is a repeat
// of an end that is held.
func (e *entry) beforeLocked(w *work) (*work, error) {
	for _, known := range [][]*work{e.queue, e.recent} {
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

// rememberLocked keeps the answer of a request that may be repeated, without the words.
func (e *entry) rememberLocked(w *work, a answer) {
	if w.once.Token == "" || len(a.turns) > maxRecentTurns {
		return
	}
	bare := make([]recaller.Turn, len(a.turns))
	for i, t := range a.turns {
		bare[i] = recaller.Turn{ID: t.ID, Number: t.Number, Speaker: t.Speaker, At: t.At}
	}
	told := newWork(work{once: w.once}, w.at)
	told.reply(answer{turns: bare, durable: a.durable})
	if len(e.recent) == maxRecent {
		e.recent = slices.Clone(e.recent[1:])
	}
	e.recent = append(e.recent, told)
}

// hold notes that the store does not answer, and holds w and all else that waits, if w still does. isNew says that the
// store was not known to be away. held are the works that it held; they are not answered yet.
func (e *entry) hold(w *work) (isNew bool, held []*work) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !slices.Contains(e.queue, w) {
		return false, nil
	}
	return e.awayLocked(), e.holdLocked()
}

// stop is hold for whoever carries out the queue, and now stops.
func (e *entry) stop() (isNew bool, held []*work) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.writing = false
	return e.awayLocked(), e.holdLocked()
}

// awayLocked notes that the store is away, and returns whether that is new. It changes nothing while a conversation is
// closed as idle: what waits then is refused, not held.
func (e *entry) awayLocked() bool {
	before := e.state
	if len(e.queue) > 0 || e.opening != nil {
		e.moveLocked(storeAway)
	}
	return e.state != before
}

// holdLocked holds all that waits, and returns the works that were not held before. It refuses those that cannot be
// held.
func (e *entry) holdLocked() (held []*work) {
	number, n := e.conv.Turns, 0
	e.queue = slices.DeleteFunc(e.queue, func(w *work) bool {
		if !w.held {
			if err := e.refusalLocked(w, n); err != nil {
				w.reply(answer{err: err})
				return true
			}
			e.holdOneLocked(w, number)
			held = append(held, w)
		}
		number, n = number+len(w.turns), n+len(w.turns)
		return false
	})
	return held
}

// refusalLocked returns why a work cannot be held, or nil. No limit applies to a work that was sent: the store may have
// carried it out, so a refusal could be untrue.
func (e *entry) refusalLocked(w *work, held int) error {
	size := int64(textBytes(w.turns) + heldTurnSize*len(w.turns))
	switch {
	case e.state.over():
		return errOver
	case e.state == closing:
		return recaller.Errorf(recaller.Unavailable, "the store is away and the conversation was about to be closed as idle")
	case !w.sent && held+len(w.turns) > maxHeldTurns:
		return recaller.Errorf(recaller.Unavailable,
			"the store is away and this conversation holds its limit of %d turns", maxHeldTurns)
	case e.ledger.heldBytes.Add(size) > maxHeldBytes && !w.sent:
		e.ledger.heldBytes.Add(-size)
		return recaller.Errorf(recaller.Unavailable, "the store is away and too much is held already")
	}
	w.size = size
	return nil
}

func (e *entry) holdOneLocked(w *work, number int) {
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

// turnsOf returns the turns of works.
func (e *entry) turnsOf(works []*work) (turns []recaller.Turn) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, w := range works {
		turns = append(turns, w.turns...)
	}
	return turns
}

// answerHeld answers what was held.
func (e *entry) answerHeld(works []*work) {
	e.mu.Lock()
	defer e.mu.Unlock()
	conv := e.viewLocked()
	for _, w := range works {
		w.reply(answer{turns: slices.Clone(w.turns), conv: conv})
	}
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

func renumber(turns []recaller.Turn, first int) {
	for i := range turns {
		turns[i].Number = first + i
	}
}

// withdraw says that one request waits for a work no more. If it was the last, and the work was neither sent nor held,
// the work leaves the queue.
func (e *entry) withdraw(w *work) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if w.waiting--; w.waiting > 0 || w.sent || w.held {
		return
	}
	e.queue = slices.DeleteFunc(e.queue, func(other *work) bool { return other == w })
}

// dequeueLocked takes a work off the queue. It returns false if the work has left already, because the conversation was
// dropped.
func (e *entry) dequeueLocked(w *work) bool {
	i := slices.Index(e.queue, w)
	if i < 0 {
		return false
	}
	e.ledger.heldBytes.Add(-w.size)
	e.queue = slices.Delete(e.queue, i, i+1)
	return true
}

// heldTurns returns the turns that are held: the store may not have them.
func (e *entry) heldTurns() (turns []recaller.Turn) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, w := range e.queue {
		if w.held {
			turns = append(turns, w.turns...)
		}
	}
	return turns
}

// view returns the conversation, its held turns counted, and its state.
func (e *entry) view() (recaller.Conversation, state) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.viewLocked(), e.state
}

func (e *entry) viewLocked() recaller.Conversation {
	conv := e.conv
	for _, w := range e.queue {
		if w.held {
			conv.Turns += len(w.turns)
		}
	}
	return conv
}
