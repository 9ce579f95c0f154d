package conversation

import (
	"context"
	"sync"
	"time"

	"github.com/recallerhq/recaller"
)

// entry is one conversation of the ledger.
type entry struct {
	origin
	ledger  *Ledger
	caller  recaller.CallerID // guarded by ledger.mu; empty until the store has the conversation
	telling sync.Mutex        // held while the feed is told: see Ledger

	mu      sync.Mutex             // guards what follows
	state   state                  // changed by moveLocked only
	conv    recaller.Conversation  // as the store has it, or will have it before what is in the queue
	known   recaller.Caller        // as they were when it was opened; zero: not known
	style   recaller.BriefingStyle // of the first briefing; a refresh keeps to it
	touched time.Time              // when this process last wrote it
	spoke   time.Duration          // when it gave a sign of life last, by ledger.elapsed: no jump of the clock changes it
	silent  bool                   // this process has heard nothing of it since it took it up from an earlier one
	heard   heard                  // what was said
	handing bool                   // a hand-over failed: it may be somebody else's
	pin     pin                    // what is known of his PIN
	queue   queue                  // what the store was not told yet

	quarantined error // why the store did not open it, though it is there; nil: it was away
}

// origin is which conversation it is and how it began. It never changes once the ledger has the entry.
type origin struct {
	tenant   recaller.Tenant // its settings, as they were when this process took the conversation up
	id       recaller.ConversationID
	external string
	once     recaller.Once // what began it; zero if that is not known
	imported int64         // bytes counted in ledger.importBytes
	// life ends, by dies, when the conversation is dropped, and with it the write that is under way.
	life context.Context
	dies context.CancelFunc
}

func (l *Ledger) newEntry(tenant recaller.Tenant, conv recaller.Conversation, at state, now time.Time) *entry {
	e := &entry{
		origin: origin{tenant: tenant, id: conv.ID, external: conv.ExternalID},
		ledger: l, caller: conv.Caller, state: at, conv: conv, touched: now, spoke: l.elapsed(),
		heard: heard{lastUser: -1}, queue: queue{heldBytes: &l.heldBytes},
	}
	e.life, e.dies = context.WithCancel(context.Background())
	e.queue.free.L = &e.mu
	return e
}

// ephemeral reports whether the tenant wants words kept in memory only, until they are written up.
func (o *origin) ephemeral() bool { return o.tenant.Retention == recaller.Ephemeral }

// moveLocked changes the state by an event. An event that the table does not have is logged as a bug, and changes
// nothing.
func (e *entry) moveLocked(ev event) {
	to, ok := e.state.after(ev)
	if !ok {
		e.ledger.log.Error("a bug: this cannot happen to a conversation",
			"tenant", e.tenant.ID, "conversation", e.id, "state", e.state, "event", ev)
		return
	}
	e.state = to
}

// isAway reports whether something of the conversation is held, because the store is away.
func (e *entry) isAway() bool {
	_, st := e.view()
	return st.away()
}

// view returns the conversation, its held turns counted, and its state.
func (e *entry) view() (recaller.Conversation, state) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.viewLocked(), e.state
}

func (e *entry) viewLocked() recaller.Conversation {
	conv := e.conv
	for _, w := range e.queue.works {
		if w.held {
			conv.Turns += len(w.turns)
		}
	}
	return conv
}

// hearLocked takes in turns that are about to be answered.
func (e *entry) hearLocked(turns []recaller.Turn, at time.Time) {
	e.touched, e.spoke, e.silent = at, e.ledger.elapsed(), false
	e.conv.LastActivityAt = later(e.conv.LastActivityAt, at)
	e.heard.add(turns, e.ephemeral())
}

// retire takes a conversation out of the ledger that ended as the store says; w is the work that ended it, or nil. One
// whose words only this process has stays until it is written up (Discard).
func (s *Service) retire(e *entry, as recaller.Conversation, w *work) {
	e.mu.Lock()
	e.queue.remove(w)
	e.conv.Status, e.conv.EndedAt, e.conv.Duration = as.Status, as.EndedAt, as.Duration
	e.conv.EndReason, e.conv.Cut, e.conv.RecordingURL = as.EndReason, as.Cut, as.RecordingURL
	ev := closed
	if e.queue.holds() {
		ev = endHeld
	}
	e.moveLocked(ev)
	e.touched = s.Now()
	needed := len(e.heard.only) > 0
	e.mu.Unlock()
	if !needed {
		s.Ledger.remove(e)
	}
}

// drop forgets a conversation and all of it that only this process has. It ends the write that is under way, and
// answers what waits with errGone. The owner answers what it is at work on.
func (s *Service) drop(e *entry) {
	e.mu.Lock()
	e.dies()
	for _, w := range e.queue.works {
		e.queue.heldBytes.Add(-w.size)
		if !w.sent {
			w.reply(answer{err: errGone})
		}
	}
	e.moveLocked(dropped)
	e.queue.works, e.queue.recent, e.queue.opening, e.heard.only, e.heard.size = nil, nil, nil, nil, 0
	e.mu.Unlock()
	s.Ledger.remove(e)
}

// rest waits until nobody owns the conversation any more, and nobody tells the feed of it. A conversation that was
// dropped rests for good.
func (e *entry) rest() {
	e.mu.Lock()
	for e.queue.owned {
		e.queue.free.Wait()
	}
	e.mu.Unlock()
	e.telling.Lock()
	defer e.telling.Unlock()
}
