package conversation

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/forgotten"
	"github.com/recallerhq/recaller/internal/guard"
	"github.com/recallerhq/recaller/internal/livebuffer"
)

// Ledger is what a process knows of the conversations that it leads. Most of it is a view of what is stored. Only the
// ledger has what is held, and the words that the store does not keep. It belongs to one Service, and Words reads it.
// Safe for concurrent use.
//
// Its locks, in the order in which they are taken:
//
//   - entry.order: whoever writes the conversation has it. It is the only one that is held over I/O.
//   - entry.telling: held while the feed is told of what is held or stored, so that it is told in order.
//   - ledger.mu: guards the index, and whose a conversation is. Held for moments.
//   - entry.mu: guards all else of a conversation. Held for moments, so reading waits for no disk.
type Ledger struct {
	log        *slog.Logger
	mu         sync.Mutex
	byID       map[key]*entry // an id wins over an external id of the same spelling, as in the store
	byExternal map[key]*entry
	byOnce     map[key]*entry // by the token of the request that began it

	heldBytes   atomic.Int64 // of what is held
	importBytes atomic.Int64 // of imported words that wait for their wrap-up
}

type key struct {
	tenant recaller.TenantID
	ref    string
}

// entry is one conversation.
type entry struct {
	ledger    *Ledger
	tenant    recaller.TenantID
	settings  recaller.Tenant // as they were when this process took the conversation up
	retention recaller.Retention
	masks     bool // secrets are masked, as the settings said
	id        recaller.ConversationID
	external  string
	once      recaller.Once     // what began it; zero if that is not known
	caller    recaller.CallerID // guarded by ledger.mu; empty until the store has the conversation
	order     chan struct{}     // a lock: full while somebody writes the conversation
	endAsked  bool              // the store was asked to end it; guarded by order
	imported  int64             // bytes counted in ledger.importBytes

	// telling is held while the feed is told of what is held or stored, so that it is told in order. It is taken before
	// mu, and never held over I/O.
	telling sync.Mutex

	mu     sync.Mutex      // guards what follows
	state  state           // changed by moveLocked only
	gone   forgotten.View  // what was forgotten of the caller, as far as this process has heard
	known  recaller.Caller // as they were when it was opened; zero: not known
	conv   recaller.Conversation
	words  []recaller.Turn // ephemeral: the turns; imports: the turns until they are written up
	size   int             // bytes of words
	glance livebuffer.Buffer
	talk   guard.Dialogue // what was asked last; decides how the answer is masked
	// lastUser is the number of the user's last turn, as far as is known; -1: none.
	lastUser int
	touched  time.Time              // when this process last wrote it
	inDoubt  bool                   // a write failed: conv.Turns may be behind the store
	opening  *recaller.Opening      // what the store was not told yet; nil: the store has the conversation
	queue    []*work                // works that the store has not confirmed, in order
	recent   []*work                // the last requests that were answered, without their words
	writing  bool                   // somebody carries out the queue
	cancel   context.CancelFunc     // ends the write that is under way, if one is
	style    recaller.BriefingStyle // of the first briefing; a refresh keeps to it
}

// Bounds of the live state.
const (
	maxWords       = 4 << 20        // text of one ephemeral conversation; past it the oldest turns go
	maxImportBytes = 256 << 20      // text of imports that wait for their wrap-up
	wordsFor       = 24 * time.Hour // how long ephemeral words wait for a wrap-up that does not come
)

// NewLedger returns an empty ledger. Bugs of ours are logged to log.
func NewLedger(log *slog.Logger) *Ledger {
	return &Ledger{log: log, byID: map[key]*entry{}, byExternal: map[key]*entry{}, byOnce: map[key]*entry{}}
}

func (l *Ledger) newEntry(tenant recaller.Tenant, conv recaller.Conversation, at state, now time.Time) *entry {
	return &entry{
		ledger: l, state: at,
		tenant: tenant.ID, settings: tenant, retention: tenant.Retention, masks: masks(tenant),
		id: conv.ID, external: conv.ExternalID, caller: conv.Caller,
		order: make(chan struct{}, 1), conv: conv, touched: now, lastUser: -1, cancel: func() {},
	}
}

// add takes up a conversation that is stored and active.
func (l *Ledger) add(tenant recaller.Tenant, conv recaller.Conversation, now time.Time) *entry {
	return l.begin(tenant, recaller.Opened{Conversation: conv}, recaller.Once{}, now)
}

// begin takes up a conversation that the request once has just opened.
func (l *Ledger) begin(tenant recaller.Tenant, opened recaller.Opened, once recaller.Once, now time.Time) *entry {
	conv := opened.Conversation
	l.mu.Lock()
	defer l.mu.Unlock()
	if e := l.byID[key{tenant.ID, string(conv.ID)}]; e != nil {
		return e
	}
	e := l.newEntry(tenant, conv, live, now)
	e.known, e.once = opened.Caller, once
	l.putLocked(e)
	return e
}

func (l *Ledger) putLocked(e *entry) {
	l.byID[key{e.tenant, string(e.id)}] = e
	if e.external != "" {
		l.byExternal[key{e.tenant, e.external}] = e
	}
	if e.once.Token != "" {
		l.byOnce[key{e.tenant, e.once.Token}] = e
	}
}

// keep holds the words of an import until its wrap-up. The entry is found by the conversation's id only. It returns
// false if too many words wait already.
func (l *Ledger) keep(
	tenant recaller.Tenant, conv recaller.Conversation, words []recaller.Turn, now time.Time,
) (*entry, bool) {
	n := int64(textBytes(words))
	if l.importBytes.Add(n) > maxImportBytes {
		l.importBytes.Add(-n)
		return nil, false
	}
	e := l.newEntry(tenant, conv, ended, now)
	e.words, e.imported = words, n
	l.mu.Lock()
	defer l.mu.Unlock()
	l.byID[key{e.tenant, string(e.id)}] = e
	return e, true
}

// get finds a conversation by its id or its external id.
func (l *Ledger) get(tenant recaller.TenantID, ref string) *entry {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e := l.byID[key{tenant, ref}]; e != nil {
		return e
	}
	return l.byExternal[key{tenant, ref}]
}

// belongs notes whose conversation it is, once the store has told.
func (l *Ledger) belongs(e *entry, caller recaller.CallerID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e.caller = caller
}

// remove forgets a conversation.
func (l *Ledger) remove(e *entry) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.byID[key{e.tenant, string(e.id)}] == e {
		delete(l.byID, key{e.tenant, string(e.id)})
		l.importBytes.Add(-e.imported)
	}
	if l.byExternal[key{e.tenant, e.external}] == e {
		delete(l.byExternal, key{e.tenant, e.external})
	}
	if l.byOnce[key{e.tenant, e.once.Token}] == e {
		delete(l.byOnce, key{e.tenant, e.once.Token})
	}
}

// all returns the entries that want reports true for, by id. It holds ledger.mu while it calls want.
func (l *Ledger) all(want func(*entry) bool) []*entry {
	l.mu.Lock()
	defer l.mu.Unlock()
	var out []*entry
	for _, e := range l.byID {
		if want(e) {
			out = append(out, e)
		}
	}
	slices.SortFunc(out, func(a, b *entry) int { return cmp.Compare(a.id, b.id) })
	return out
}

// ofCaller returns what this process holds of a caller's conversations.
func (l *Ledger) ofCaller(tenant recaller.TenantID, caller recaller.CallerID) []*entry {
	return l.all(func(e *entry) bool { return e.tenant == tenant && e.caller == caller })
}

// take gets the order: the right to write the conversation. Whoever gets it gives it back with leave.
func (e *entry) take(ctx context.Context) error {
	select {
	case e.order <- struct{}{}:
		return nil
	case <-ctx.Done():
		return recaller.Wrap(recaller.Timeout, ctx.Err(), "the store did not answer in time")
	}
}

func (e *entry) leave() { <-e.order }

// moveLocked changes the state by an event. An event that the table does not have is logged as a bug, and changes
// nothing.
func (e *entry) moveLocked(ev event) {
	to, ok := e.state.after(ev)
	if !ok {
		e.ledger.log.Error("a bug: this cannot happen to a conversation",
			"tenant", e.tenant, "conversation", e.id, "state", e.state, "event", ev)
		return
	}
	e.state = to
}

// isAway reports whether something of the conversation is held, because the store is away.
func (e *entry) isAway() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.state.away()
}

// hearLocked takes in turns that are about to be answered.
func (e *entry) hearLocked(turns []recaller.Turn, at time.Time) {
	e.touched = at
	if e.conv.LastActivityAt.Before(at) {
		e.conv.LastActivityAt = at
	}
	for _, t := range turns {
		e.glance.Add(t)
		if t.Speaker == recaller.User {
			e.lastUser = max(e.lastUser, t.Number)
		}
		if e.retention == recaller.Ephemeral {
			e.words, e.size = append(e.words, t), e.size+len(t.Text)
		}
	}
	for e.size > maxWords && len(e.words) > 1 {
		e.size -= len(e.words[0].Text)
		e.words[0] = recaller.Turn{}
		e.words = e.words[1:]
	}
}

// said returns the words that only this process has.
func (e *entry) said() []recaller.Turn {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.words)
}

// finish marks the conversation as ended. It reports whether this process alone has words of it.
func (e *entry) finish(now time.Time) (hasWords bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	ev := closed
	if slices.ContainsFunc(e.queue, func(w *work) bool { return w.held }) {
		ev = endHeld
	}
	e.moveLocked(ev)
	e.touched = now
	return len(e.words) > 0
}

func textBytes(turns []recaller.Turn) (n int) {
	for _, t := range turns {
		n += len(t.Text)
	}
	return n
}
