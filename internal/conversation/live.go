package conversation

import (
	"sync"

	"github.com/recallerhq/recaller"
)

// live is the in-memory state of active conversations: a view of what is stored, but for ephemeral words and for
// conversations that wait for the store, which are nowhere else.
//
// Lock order: entry.mu before live.mu; live.mu is never held over I/O.
type live struct {
	mu   sync.Mutex
	by   map[key]*entry // by id and by external id
	held map[key]*entry // by id: those that the store has not seen
}

type key struct {
	tenant recaller.TenantID
	ref    string
}

// entry is one active conversation.
type entry struct {
	tenant    recaller.TenantID
	retention recaller.Retention
	id        recaller.ConversationID

	mu      sync.Mutex // orders the appends of one conversation; held over I/O; guards what follows
	conv    recaller.Conversation
	words   []recaller.Turn   // ephemeral: all turns; nil otherwise
	opening *recaller.Opening // not nil while held
	pending []recaller.Turn   // turns that wait for the store, while held
	closing *recaller.Closing // the end, if it came while held
	done    bool              // the conversation has ended, or is gone
}

// Bounds of what is held while the store is away.
const (
	maxHeld      = 1000 // conversations
	maxHeldTurns = 2000 // turns of one conversation
)

func newLive() *live { return &live{by: map[key]*entry{}, held: map[key]*entry{}} }

// add takes up a conversation that is stored and active.
func (l *live) add(tenant recaller.Tenant, conv recaller.Conversation) *entry {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e := l.by[key{tenant.ID, string(conv.ID)}]; e != nil {
		return e
	}
	e := &entry{tenant: tenant.ID, id: conv.ID, conv: conv, retention: tenant.Retention}
	l.putLocked(e, conv.ExternalID)
	return e
}

// hold keeps a conversation that the store has not seen. False: too many are held.
func (l *live) hold(tenant recaller.Tenant, in recaller.Opening) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.held) >= maxHeld {
		return false
	}
	e := &entry{tenant: tenant.ID, id: in.Conversation.ID, conv: in.Conversation, retention: tenant.Retention, opening: &in}
	l.putLocked(e, in.Conversation.ExternalID)
	l.held[key{tenant.ID, string(e.id)}] = e
	return true
}

func (l *live) putLocked(e *entry, external string) {
	l.by[key{e.tenant, string(e.id)}] = e
	if external != "" {
		l.by[key{e.tenant, external}] = e
	}
}

func (l *live) get(tenant recaller.TenantID, ref string) *entry {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.by[key{tenant, ref}]
}

// remove forgets a conversation that has ended.
func (l *live) remove(e *entry, external string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.by, key{e.tenant, string(e.id)})
	delete(l.held, key{e.tenant, string(e.id)})
	if external != "" {
		delete(l.by, key{e.tenant, external})
	}
}

// stored marks a held conversation as seen by the store.
func (l *live) stored(e *entry) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.held, key{e.tenant, string(e.id)})
}

func (l *live) heldNow() []*entry {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := make([]*entry, 0, len(l.held))
	for _, e := range l.held {
		out = append(out, e)
	}
	return out
}

// ofCaller returns the active conversations of a caller that this process knows.
func (l *live) ofCaller(tenant recaller.TenantID, caller recaller.CallerID) []*entry {
	l.mu.Lock()
	entries := make([]*entry, 0, len(l.by))
	for k, e := range l.by {
		if k.tenant == tenant && k.ref == string(e.id) {
			entries = append(entries, e)
		}
	}
	l.mu.Unlock()
	out := entries[:0]
	for _, e := range entries {
		e.mu.Lock()
		if e.conv.Caller == caller {
			out = append(out, e)
		}
		e.mu.Unlock()
	}
	return out
}
