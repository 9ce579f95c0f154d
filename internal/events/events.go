// Package events tells the listeners of a conversation what changes: memories stored, updated and forgotten, turns
// added, the end (spec section 4, W8's first form). Events are ordered and numbered per conversation; a listener that
// reconnects names the last one it has and misses none of the recent ones.
//
// It is not durable and it never waits: a listener that does not read is dropped with a reason. What must not be lost
// is in the store.
package events

import (
	"sync"
	"time"

	"github.com/recallerhq/recaller"
)

// Type names what happened.
type Type string

// The types of event.
const (
	MemoryStored    Type = "memory.stored"
	MemoryUpdated   Type = "memory.updated"
	MemoryForgotten Type = "memory.forgotten"
	TurnsAdded      Type = "turns.added"
	Ended           Type = "conversation.ended"
)

// Event is one thing that happened in, or to the caller of, a conversation.
type Event struct {
	ID     uint64 // rises by one inside a conversation
	Type   Type
	Memory *recaller.Memory
	Turns  []recaller.Turn
	Status recaller.Status // of the conversation, for Ended
	At     time.Time
}

// Bounds. A listener that falls behind by more than its queue is dropped; a conversation without listeners keeps its
// last events for those who come back.
const (
	queue    = 256
	keep     = 256
	idleFor  = 10 * time.Minute
	sweepAll = 1024 // streams, before idle ones are looked for
)

// Bus delivers events inside this process. Safe for concurrent use; the zero value is not usable.
type Bus struct {
	now func() time.Time

	mu      sync.Mutex
	streams map[stream]*log
}

type stream struct {
	tenant recaller.TenantID
	conv   recaller.ConversationID
}

type log struct {
	caller    recaller.CallerID
	next      uint64
	recent    []Event // the last `keep`, oldest first
	listeners map[*Subscription]struct{}
	touched   time.Time
}

// New returns a Bus.
func New(now func() time.Time) *Bus {
	return &Bus{now: now, streams: map[stream]*log{}}
}

// Subscription is one listener's queue. C is closed when it ends; Dropped then says whether it was too slow.
type Subscription struct {
	C       <-chan Event
	c       chan Event
	dropped bool
	bus     *Bus
	of      stream
}

// Subscribe listens to a conversation from after the event with id last (0: from now on). Missed is true when events
// after last are no longer kept: the listener should read the state anew.
func (b *Bus) Subscribe(tenant recaller.TenantID, conv recaller.ConversationID, caller recaller.CallerID, last uint64) (sub *Subscription, missed bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	of := stream{tenant, conv}
	l := b.log(of, caller)
	c := make(chan Event, queue+keep)
	sub = &Subscription{C: c, c: c, bus: b, of: of}
	if last > 0 {
		missed = last+1 < l.next-uint64(len(l.recent)) || last >= l.next
		for _, e := range l.recent {
			if e.ID > last {
				c <- e
			}
		}
	}
	l.listeners[sub] = struct{}{}
	return sub, missed
}

// Dropped reports whether the subscription ended because it was too slow. Valid once C is closed.
func (s *Subscription) Dropped() bool {
	s.bus.mu.Lock()
	defer s.bus.mu.Unlock()
	return s.dropped
}

// Close ends the subscription.
func (s *Subscription) Close() {
	s.bus.mu.Lock()
	defer s.bus.mu.Unlock()
	s.bus.end(s)
}

// end takes a listener out. The lock is held.
func (b *Bus) end(s *Subscription) {
	l := b.streams[s.of]
	if l == nil {
		return
	}
	if _, ok := l.listeners[s]; ok {
		delete(l.listeners, s)
		close(s.c)
	}
}

// CloseAll ends every subscription: the server is going down.
func (b *Bus) CloseAll() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, l := range b.streams {
		for s := range l.listeners {
			b.end(s)
		}
	}
}

// Forget drops what is kept of a caller's conversations: the caller was erased.
func (b *Bus) Forget(tenant recaller.TenantID, caller recaller.CallerID) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for of, l := range b.streams {
		if of.tenant != tenant || l.caller != caller {
			continue
		}
		for s := range l.listeners {
			b.end(s)
		}
		delete(b.streams, of)
	}
}

// Apply turns a committed change into events: turns and the end go to their conversation's listeners, memories to the
// listeners of every conversation with that caller.
func (b *Bus) Apply(c recaller.Change) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.now()
	if conv := c.Conversation; conv != nil {
		of := stream{c.Tenant, conv.ID}
		if len(c.Turns) > 0 {
			b.publish(of, c.Caller, Event{Type: TurnsAdded, Turns: c.Turns, At: now})
		}
		if conv.Status != recaller.Active && conv.Summary == nil && conv.Analysis == nil && !conv.Imported {
			b.publish(of, c.Caller, Event{Type: Ended, Status: conv.Status, At: now})
		}
	}
	for _, e := range memoryEvents(c.Memories, now) {
		for of, l := range b.streams {
			if of.tenant == c.Tenant && l.caller == c.Caller {
				b.publish(of, c.Caller, e)
			}
		}
	}
}

// memoryEvents tells one event a memory: a version closed together with its successor is an update.
func memoryEvents(memories []recaller.Memory, now time.Time) []Event {
	var out []Event
	for i := range memories {
		m := &memories[i]
		switch {
		case m.Status == recaller.MemoryForgotten:
			out = append(out, Event{Type: MemoryForgotten, Memory: m, At: now})
		case m.Status == recaller.MemoryActive && m.Version > 1:
			out = append(out, Event{Type: MemoryUpdated, Memory: m, At: now})
		case m.Status == recaller.MemoryActive:
			out = append(out, Event{Type: MemoryStored, Memory: m, At: now})
		}
	}
	return out
}

// publish numbers an event and hands it to the listeners. The lock is held.
func (b *Bus) publish(of stream, caller recaller.CallerID, e Event) {
	l := b.log(of, caller)
	e.ID = l.next
	l.next++
	if len(l.recent) == keep {
		l.recent = append(l.recent[:0:0], l.recent[1:]...)
	}
	l.recent = append(l.recent, e)
	for s := range l.listeners {
		select {
		case s.c <- e:
		default:
			s.dropped = true
			b.end(s)
		}
	}
}

// log returns a conversation's log, making it and clearing out idle ones where needed. The lock is held.
func (b *Bus) log(of stream, caller recaller.CallerID) *log {
	now := b.now()
	l := b.streams[of]
	if l == nil {
		if len(b.streams) >= sweepAll {
			b.sweep(now)
		}
		l = &log{caller: caller, next: 1, listeners: map[*Subscription]struct{}{}}
		b.streams[of] = l
	}
	l.touched = now
	return l
}

func (b *Bus) sweep(now time.Time) {
	for of, l := range b.streams {
		if len(l.listeners) == 0 && now.Sub(l.touched) > idleFor {
			delete(b.streams, of)
		}
	}
}
