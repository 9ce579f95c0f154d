// Package events tells the listeners of a conversation what changes: memories stored, updated and forgotten, the new
// briefing that follows, turns added, and the end (spec section 4, W8). Events have an order and a number in their
// conversation. A listener that reconnects names the last one that it has, and misses none of the recent ones.
//
// A tenant has a stream too (tenant.go): of what happens with any of its callers, without words.
//
// It is not durable, and it never waits. What a listener has not read stays among the conversation's kept events. A
// listener that falls behind by more than is kept is dropped, and told why. What must not be lost is in the store.
package events

import (
	"slices"
	"sync"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/forgotten"
)

// Type names what happened.
type Type string

// The types of event.
const (
	MemoryStored    Type = "memory.stored"
	MemoryUpdated   Type = "memory.updated"
	MemoryForgotten Type = "memory.forgotten"
	BriefingUpdated Type = "briefing.updated"
	TurnsAdded      Type = "turns.added"
	TrustRaised     Type = "trust.raised" // it is surer now who the caller is
	Ended           Type = "conversation.ended"
)

// Event is one thing that happened in a conversation, or to its caller.
type Event struct {
	// rises by one inside a conversation, and begins above the ids of earlier processes
	ID     uint64
	Type   Type
	Memory *recaller.Memory
	// Briefing is the new briefing, for BriefingUpdated. Only the newest kept event has one. A listener that comes back
	// or is behind gets nil for a superseded briefing, and then the newer one.
	Briefing *recaller.Briefing
	With     recaller.CallerID // of whom the briefing is; empty: not told
	Turns    []recaller.Turn
	Status   recaller.Status // of the conversation, for Ended
	Trust    recaller.Trust  // of the conversation, for TrustRaised
	Told     *recaller.Event // on the stream of a tenant, whose type it has; nil there: the caller was erased
	At       time.Time
}

// Bounds. A conversation that is or was listened to keeps its last events, for listeners that are behind or come back.
// One that nobody listened to keeps none.
const (
	queue     = 256     // events in a listener's channel
	keep      = 2048    // events of a conversation; a listener that needs an older one is dropped
	keepBytes = 1 << 20 // of their words
	idleFor   = 10 * time.Minute
	sweepEach = time.Minute // how often idle conversations are looked for
)

// Bus delivers events inside this process. Safe for concurrent use; the zero value is not usable.
type Bus struct {
	now func() time.Time

	mu      sync.Mutex // guards all below, and what is in it; held only for moments
	streams map[stream]*log
	callers map[caller]map[recaller.ConversationID]*log // the same logs, by whom they are with
	swept   time.Time
}

type stream struct {
	tenant recaller.TenantID
	conv   recaller.ConversationID
}

type caller struct {
	tenant recaller.TenantID
	id     recaller.CallerID
}

// New returns a Bus.
func New(now func() time.Time) *Bus {
	return &Bus{now: now, streams: map[stream]*log{}, callers: map[caller]map[recaller.ConversationID]*log{}}
}

// Subscribe listens to a conversation from after the event with the id last (0: from now on). What is kept waits in C
// when Subscribe returns. missed means that the listener should read the state anew: either some events after last are
// no longer kept, and only the others come, or last is not of this process, and none come. The caller may be empty
// while the store has not seen the conversation. Its next change then tells who that is, or Subscription.Belongs does.
func (b *Bus) Subscribe(
	tenant recaller.TenantID, conv recaller.ConversationID, with recaller.CallerID, last uint64,
) (sub *Subscription, missed bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.now()
	b.sweep(now)
	l := b.open(stream{tenant, conv}, caller{tenant, with}, now)
	l.touched = now
	var replay []Event
	switch {
	case last == 0:
	case last < l.first-1 || last >= l.next: // of another process, or made up
		missed = true
	default:
		oldest := l.oldest()
		missed = last+1 < oldest
		replay = l.recent[max(last+1, oldest)-oldest:]
	}
	c := make(chan Event, queue+len(replay))
	for _, e := range replay {
		c <- e
	}
	sub = &Subscription{C: c, c: c, done: make(chan struct{}), bus: b, log: l}
	l.listeners[sub] = struct{}{}
	return sub, missed
}

// Listening returns a caller's conversations that have not ended and that somebody listens to, or did a moment ago and
// may come back to.
func (b *Bus) Listening(tenant recaller.TenantID, with recaller.CallerID) []recaller.ConversationID {
	b.mu.Lock()
	defer b.mu.Unlock()
	var out []recaller.ConversationID
	for conv, l := range b.callers[caller{tenant, with}] {
		if !l.ended {
			out = append(out, conv)
		}
	}
	slices.Sort(out)
	return out
}

// Publish numbers an event and hands it to the listeners of a conversation. It is lost if nobody listens, or did a
// moment ago, and after the conversation has ended; so is the briefing of one who does not speak any more. A zero At
// means now.
func (b *Bus) Publish(tenant recaller.TenantID, conv recaller.ConversationID, e Event) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if e.At.IsZero() {
		e.At = b.now()
	}
	l := b.streams[stream{tenant, conv}]
	if l == nil || e.With != "" && l.with.id != "" && l.with.id != e.With {
		return
	}
	b.publish(l, e)
}

// Apply turns a committed change into events. Turns and the end go to their conversation's listeners, memories to those
// of every conversation with that caller. If a conversation began while the store was away, its first change tells
// whose it is. Apply waits for no listener.
func (b *Bus) Apply(c recaller.Change) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.now()
	b.sweep(now)
	if conv := c.Conversation; conv != nil {
		if l := b.streams[stream{c.Tenant, conv.ID}]; l != nil {
			b.belongs(l, caller{c.Tenant, c.Caller})
			if c.Handed {
				b.handed(l, caller{c.Tenant, c.Caller})
			}
			if len(c.Turns) > 0 {
				b.publish(l, Event{Type: TurnsAdded, Turns: c.Turns, At: now})
			}
			if c.Surer {
				b.publish(l, Event{Type: TrustRaised, Trust: conv.Trust, At: now})
			}
			l.ended = l.ended && conv.Status != recaller.Active // it may have been resumed
			if conv.Status != recaller.Active && conv.Summary == nil && conv.Analysis == nil && !conv.Imported {
				b.publish(l, Event{Type: Ended, Status: conv.Status, At: now})
			}
		}
	}
	gone := forgotten.New(c.Forgotten)
	for _, l := range b.callers[caller{c.Tenant, c.Caller}] {
		l.forget(gone)
	}
	for _, e := range memoryEvents(c.Memories, now) {
		for _, l := range b.callers[caller{c.Tenant, c.Caller}] {
			b.publish(l, e)
		}
	}
}

// forget takes what was forgotten out of the kept events. A listener that comes back, or is behind, learns only that
// there was something. The lock is held.
func (l *log) forget(gone forgotten.View) {
	if gone.Empty() {
		return
	}
	for i := range l.recent {
		e := &l.recent[i]
		l.bytes -= size(*e)
		if e.Memory != nil && gone.Has(e.Memory.ID) {
			e.Memory = untold(*e.Memory)
		}
		e.Briefing = nil // a newer one follows
		e.Turns = gone.Blank(l.of.conv, e.Turns)
		l.bytes += size(*e)
	}
}

// untold returns a memory without what it says.
func untold(m recaller.Memory) *recaller.Memory {
	return &recaller.Memory{
		ID: m.ID, Caller: m.Caller, Version: m.Version, Type: m.Type, PrivacyScope: m.PrivacyScope, Source: m.Source,
		Confidence: m.Confidence, Status: m.Status, Interim: m.Interim, ClosedReason: m.ClosedReason,
		ClosedAt: m.ClosedAt, ConfirmedAt: m.ConfirmedAt, CreatedAt: m.CreatedAt,
	}
}

// memoryEvents makes one event for each memory. A version that is closed together with its successor is an update.
func memoryEvents(memories []recaller.Memory, now time.Time) []Event {
	var out []Event
	for i := range memories {
		m := &memories[i]
		switch {
		case m.Status == recaller.MemoryForgotten:
			out = append(out, Event{Type: MemoryForgotten, Memory: untold(*m), At: now})
		case m.Status == recaller.MemoryActive && m.Version > 1:
			out = append(out, Event{Type: MemoryUpdated, Memory: m, At: now})
		case m.Status == recaller.MemoryActive:
			out = append(out, Event{Type: MemoryStored, Memory: m, At: now})
		}
	}
	return out
}

// publish numbers an event, keeps it, and hands it to the listeners. The lock is held.
func (b *Bus) publish(l *log, e Event) {
	if l.ended {
		return // the end is the last event
	}
	l.ended = e.Type == Ended && l.of.conv != wholeTenant
	l.touched = e.At
	e.ID = l.next
	l.next++
	l.remember(e)
	for s := range l.listeners {
		b.offer(s, e)
	}
}

// Drop removes what is kept of a caller's conversations, because the caller was erased.
func (b *Bus) Drop(tenant recaller.TenantID, with recaller.CallerID) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, l := range b.callers[caller{tenant, with}] {
		for s := range l.listeners {
			b.end(s)
		}
		l.recent = nil // a listener that is behind gets no more of it
		b.drop(l)
	}
	b.untell(tenant, with)
}
