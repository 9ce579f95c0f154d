package conversation

import (
	"cmp"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/recallerhq/recaller"
)

// Ledger is what a process knows of the conversations that it leads. Most of it is a view of what is stored. Only the
// ledger has what is held, and the words that the store does not keep. It belongs to one Service, and Words reads it.
// Safe for concurrent use.
//
// What orders the writes of a conversation is no lock: it has one owner at a time (queue.owned), and only the owner
// asks the store to write. Nothing is locked over I/O. The locks, in the order in which they are taken:
//
//   - entry.telling: held while the feed is told of what is held or stored. Two may have something to tell: the owner,
//     and a request whose patience is over while the owner waits for the store. So the feed hears of a held turn before
//     it hears that the store has it.
//   - ledger.mu: guards the indexes, and whose a conversation is. Held for moments.
//   - entry.mu: guards all else of a conversation. Held for moments, and never while the feed is told: its views read
//     conversations, and whoever reads one waits for neither a disk nor a view.
type Ledger struct {
	log        *slog.Logger
	elapsed    func() time.Duration
	mu         sync.Mutex
	byID       map[key]*entry // an id wins over an external id of the same spelling, as in the store
	byExternal map[key]*entry
	byOnce     map[key]*entry   // by the token of the request that began it
	byCaller   map[key][]*entry // under unseen, those of which the caller is not known

	heldBytes   atomic.Int64 // of what is held
	importBytes atomic.Int64 // of imported words that wait for their wrap-up
}

type key struct {
	tenant recaller.TenantID
	ref    string
}

// unseen are the conversations that the store has not seen, so that nobody knows whose they are.
var unseen key

// Bounds of the live state.
const (
	maxWords       = 4 << 20        // text of one ephemeral conversation; past it the oldest turns go
	maxImportBytes = 40 << 20       // text of imports that wait for their wrap-up
	maxUnseen      = 1000           // conversations that the store has not seen
	wordsFor       = 24 * time.Hour // how long ephemeral words wait for a wrap-up that does not come
)

// NewLedger returns an empty ledger. Bugs of ours are logged to log. In it no time passes until a Service leads it.
func NewLedger(log *slog.Logger) *Ledger {
	return &Ledger{
		log: log, elapsed: func() time.Duration { return 0 },
		byID: map[key]*entry{}, byExternal: map[key]*entry{}, byOnce: map[key]*entry{}, byCaller: map[key][]*entry{},
	}
}

// takeUp takes up a conversation that an earlier process led, or another one: it is stored and active. words are its
// last turns, as far as they can be read. If the ledger has the conversation already, nothing changes.
func (l *Ledger) takeUp(
	tenant recaller.Tenant, conv recaller.Conversation, words []recaller.Turn, now time.Time,
) *entry {
	e := l.newEntry(tenant, conv, live, now)
	e.silent = true
	e.spoke -= max(0, now.Sub(conv.LastActivityAt)) // one that a clock wrote that was ahead is taken as of now
	e.heard.again(words)
	return l.putNew(e)
}

// begin takes up a conversation that the request once has just opened, or found open. Its start is a sign of life.
func (l *Ledger) begin(tenant recaller.Tenant, opened recaller.Opened, once recaller.Once, now time.Time) *entry {
	e := l.newEntry(tenant, opened.Conversation, live, now)
	e.known, e.once = opened.Caller, once
	e.pin.has = opened.Caller.HasPIN
	if is := l.putNew(e); is != e {
		e = is
		e.mu.Lock()
		defer e.mu.Unlock()
		if !e.state.over() {
			e.spoke = l.elapsed()
			e.silent, e.touched, e.conv.LastActivityAt = false, now, later(e.conv.LastActivityAt, now)
		}
	}
	return e
}

// putNew puts an entry into the ledger, and returns it. If there is one with that id already, it returns that one.
func (l *Ledger) putNew(e *entry) *entry {
	l.mu.Lock()
	defer l.mu.Unlock()
	if is := l.byID[key{e.tenant.ID, string(e.id)}]; is != nil {
		return is
	}
	l.putLocked(e)
	return e
}

// hold takes up a conversation that the store has not seen. If there is one already with its external id, or by the
// same request, hold returns that one, and existing is true.
func (l *Ledger) hold(tenant recaller.Tenant, in recaller.Opening, now time.Time) (e *entry, existing bool, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e, err := l.beganLocked(tenant.ID, in, func(*entry) bool { return true }); e != nil || err != nil {
		return e, true, err
	}
	if len(l.byCaller[unseen]) >= maxUnseen {
		return nil, false, recaller.Errorf(recaller.Unavailable,
			"the store is away and too many conversations are held already")
	}
	in.Resume = false // the client was told of a new conversation
	e = l.newEntry(tenant, in.Conversation, opening, now)
	e.queue.opening, e.once = &in, in.Once
	e.known = recaller.Caller{Identities: in.Identities, Name: in.Name, NameSource: in.NameSource}
	l.putLocked(e)
	return e, false, nil
}

// began finds the held conversation that an earlier try of the same start began; nil: there is none.
func (l *Ledger) began(tenant recaller.TenantID, in recaller.Opening) (*entry, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.beganLocked(tenant, in, (*entry).isAway)
}

func (l *Ledger) beganLocked(tenant recaller.TenantID, in recaller.Opening, wanted func(*entry) bool) (*entry, error) {
	if e := l.byOnce[key{tenant, in.Once.Token}]; e != nil && wanted(e) {
		if e.once.Request != in.Once.Request {
			return nil, recaller.Errorf(recaller.Conflict, "this Idempotency-Key was used with another request")
		}
		return e, nil
	}
	if e := l.byExternal[key{tenant, in.Conversation.ExternalID}]; e != nil && wanted(e) {
		return e, nil
	}
	return nil, nil //nolint:nilnil // none is no error
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
	e.heard.only, e.imported = words, n
	l.mu.Lock()
	defer l.mu.Unlock()
	l.byID[key{e.tenant.ID, string(e.id)}] = e
	return e, true
}

func (l *Ledger) putLocked(e *entry) {
	l.byID[key{e.tenant.ID, string(e.id)}] = e
	if e.external != "" {
		l.byExternal[key{e.tenant.ID, e.external}] = e
	}
	if e.once.Token != "" {
		l.byOnce[key{e.tenant.ID, e.once.Token}] = e
	}
	l.byCaller[e.of()] = append(l.byCaller[e.of()], e)
}

// of is where byCaller has an entry.
func (e *entry) of() key {
	if e.caller == "" {
		return unseen
	}
	return key{e.tenant.ID, string(e.caller)}
}

func (l *Ledger) unlistLocked(e *entry) {
	of := e.of()
	l.byCaller[of] = slices.DeleteFunc(l.byCaller[of], func(other *entry) bool { return other == e })
	if len(l.byCaller[of]) == 0 {
		delete(l.byCaller, of)
	}
}

// belongs notes whose conversation it is, once the store has told. It may have been forgotten meanwhile.
func (l *Ledger) belongs(e *entry, caller recaller.CallerID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.byID[key{e.tenant.ID, string(e.id)}] == e {
		l.unlistLocked(e)
		e.caller = caller
		l.byCaller[e.of()] = append(l.byCaller[e.of()], e)
	}
}

// remove forgets a conversation.
func (l *Ledger) remove(e *entry) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if id := (key{e.tenant.ID, string(e.id)}); l.byID[id] == e {
		delete(l.byID, id)
		l.importBytes.Add(-e.imported)
	}
	if external := (key{e.tenant.ID, e.external}); l.byExternal[external] == e {
		delete(l.byExternal, external)
	}
	if once := (key{e.tenant.ID, e.once.Token}); l.byOnce[once] == e {
		delete(l.byOnce, once)
	}
	l.unlistLocked(e)
}

// get finds a conversation by its id or its external id.
func (l *Ledger) get(tenant recaller.TenantID, ref string) *entry {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e := l.byID[key{tenant, ref}]; e != nil {
		return e
	}
	if e := l.byExternal[key{tenant, ref}]; e != nil {
		return e
	}
	if id, ok := recaller.OfSession(ref); ok {
		return l.byID[key{tenant, string(id)}]
	}
	return nil
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
	slices.SortFunc(out, byID)
	return out
}

// ofCaller returns what this process holds of a caller's conversations, by id.
func (l *Ledger) ofCaller(tenant recaller.TenantID, caller recaller.CallerID) []*entry {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := slices.Clone(l.byCaller[key{tenant, string(caller)}])
	slices.SortFunc(out, byID)
	return out
}

func byID(a, b *entry) int { return cmp.Compare(a.id, b.id) }
