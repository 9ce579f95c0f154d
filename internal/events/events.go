// Package events tells the listeners of a conversation what changes: memories stored, updated and forgotten, the new
// briefing that follows from it, turns added, the end (spec section 4, W8). Events are ordered and numbered per
// conversation; a listener that reconnects names the last one it has and misses none of the recent ones.
//
// It is not durable and it never waits: what a listener has not read yet stays among the conversation's kept events,
// and one that is behind by more than is kept is dropped with a reason. What must not be lost is in the store.
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
	Ended           Type = "conversation.ended"
)

// Event is one thing that happened in, or to the caller of, a conversation.
type Event struct {
	ID     uint64 // rises by one inside a conversation, from where its first listener came: ids of an earlier process are lower
	Type   Type
	Memory *recaller.Memory
	// Briefing is the new briefing, for BriefingUpdated. Of those that are kept only the newest has one: a listener that
	// comes back, or is behind, gets nil for a briefing that was superseded meanwhile, and the newer one after it.
	Briefing *recaller.Briefing
	Turns    []recaller.Turn
	Status   recaller.Status // of the conversation, for Ended
	At       time.Time
}

// Bounds. A conversation that was listened to keeps its last events for listeners that are behind and for those who
// come back; one that nobody ever listened to keeps none.
const (
	queue     = 256     // events that are handed to a listener before it reads
	keep      = 2048    // events of a conversation; a listener that is behind by more than queue and these is dropped
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

// Subscribe listens to a conversation from after the event with id last (0: from now on). Missed is true when events
// after last are no longer kept (those that are, come), or last is none of this process's (none come): the listener
// should read the state anew. What is kept waits in C when Subscribe returns. The caller may be empty while the store
// has not seen the conversation: its next change tells who it is with, or Subscription.Belongs does.
func (b *Bus) Subscribe(tenant recaller.TenantID, conv recaller.ConversationID, with recaller.CallerID, last uint64) (sub *Subscription, missed bool) {
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

// Listening returns the conversations with a caller that somebody listens to, or listened to a moment ago and may come
// back to. Those that have ended are not among them.
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

// Publish numbers an event and hands it to the listeners of a conversation. Nobody gets it where nobody listens, nor
// after the conversation has ended. At is filled in where it is not told.
func (b *Bus) Publish(tenant recaller.TenantID, conv recaller.ConversationID, e Event) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if e.At.IsZero() {
		e.At = b.now()
	}
	if l := b.streams[stream{tenant, conv}]; l != nil {
		b.publish(l, e)
	}
}

// Apply turns a committed change into events: turns and the end go to their conversation's listeners, memories to the
// listeners of every conversation with that caller. The first one tells whose a conversation is that began while the
// store was away. It waits for no listener.
func (b *Bus) Apply(c recaller.Change) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.now()
	b.sweep(now)
	if conv := c.Conversation; conv != nil {
		if l := b.streams[stream{c.Tenant, conv.ID}]; l != nil {
			b.belongs(l, caller{c.Tenant, c.Caller})
			if len(c.Turns) > 0 {
				b.publish(l, Event{Type: TurnsAdded, Turns: c.Turns, At: now})
			}
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

// forget takes what was forgotten out of the kept events: who comes back, or is behind, is told that there was
// something, and no more. The lock is held.
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

// untold is which memory it is, and nothing of what it says.
func untold(m recaller.Memory) *recaller.Memory {
	return &recaller.Memory{
		ID: m.ID, Caller: m.Caller, Version: m.Version, Type: m.Type, PrivacyScope: m.PrivacyScope, Source: m.Source, Confidence: m.Confidence,
		Status: m.Status, Interim: m.Interim, ClosedReason: m.ClosedReason, ClosedAt: m.ClosedAt, ConfirmedAt: m.ConfirmedAt, CreatedAt: m.CreatedAt,
	}
}

// memoryEvents tells one event a memory: a version closed together with its successor is an update.
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
	l.ended = e.Type == Ended
	l.touched = e.At
	e.ID = l.next
	l.next++
	l.remember(e)
	for s := range l.listeners {
		b.offer(s, e)
	}
}

// Drop drops what is kept of a caller's conversations: the caller was erased.
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
}
