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
	ID     uint64 // rises by one inside a conversation, from where its first listener came: ids of an earlier process are lower
	Type   Type
	Memory *recaller.Memory
	Turns  []recaller.Turn
	Status recaller.Status // of the conversation, for Ended
	At     time.Time
}

// Bounds. A listener that falls behind by more than its queue is dropped. A conversation that was listened to keeps its
// last events for those who come back; one that nobody ever listened to keeps none.
const (
	queue     = 256
	keep      = 256     // events of a conversation
	keepBytes = 1 << 20 // of their words
	idleFor   = 10 * time.Minute
	sweepEach = time.Minute // how often idle conversations are looked for
)

// Bus delivers events inside this process. Safe for concurrent use; the zero value is not usable.
type Bus struct {
	now func() time.Time

	mu      sync.Mutex // guards all below, and what is in it
	streams map[stream]*log
	swept   time.Time
	closed  bool
}

type stream struct {
	tenant recaller.TenantID
	conv   recaller.ConversationID
}

type log struct {
	caller    recaller.CallerID
	first     uint64 // id, ever
	next      uint64
	recent    []Event // the last ones, oldest first
	bytes     int     // of their words
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
// after last are no longer kept (those that are, come), or last is none of this process's (none come): the listener
// should read the state anew.
func (b *Bus) Subscribe(tenant recaller.TenantID, conv recaller.ConversationID, caller recaller.CallerID, last uint64) (sub *Subscription, missed bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	of, now := stream{tenant, conv}, b.now()
	b.sweep(now)
	l := b.streams[of]
	if l == nil {
		first := uint64(max(1, now.UnixMicro()))
		l = &log{caller: caller, first: first, next: first, listeners: map[*Subscription]struct{}{}}
		b.streams[of] = l
	}
	l.touched = now
	c := make(chan Event, queue+keep)
	sub = &Subscription{C: c, c: c, bus: b, of: of}
	switch {
	case last == 0:
	case last < l.first-1 || last >= l.next: // of another process, or made up
		missed = true
	default:
		missed = last < l.next-uint64(len(l.recent))-1
		for _, e := range l.recent {
			if e.ID > last {
				c <- e
			}
		}
	}
	l.listeners[sub] = struct{}{}
	if b.closed { // a listener that comes back while the server goes down
		b.end(sub)
	}
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
		l.touched = b.now()
	}
}

// CloseAll ends every subscription, those still to come as well: the server is going down.
func (b *Bus) CloseAll() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
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
	b.sweep(now)
	if conv := c.Conversation; conv != nil {
		of := stream{c.Tenant, conv.ID}
		if len(c.Turns) > 0 {
			b.publish(of, Event{Type: TurnsAdded, Turns: c.Turns, At: now})
		}
		if conv.Status != recaller.Active && conv.Summary == nil && conv.Analysis == nil && !conv.Imported {
			b.publish(of, Event{Type: Ended, Status: conv.Status, At: now})
		}
	}
	for _, e := range memoryEvents(c.Memories, now) {
		for of, l := range b.streams {
			if of.tenant == c.Tenant && l.caller == c.Caller {
				b.publish(of, e)
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
func (b *Bus) publish(of stream, e Event) {
	l := b.streams[of]
	if l == nil {
		return // nobody listens, or did
	}
	l.touched = e.At
	e.ID = l.next
	l.next++
	l.remember(e)
	for s := range l.listeners {
		select {
		case s.c <- e:
		default:
			s.dropped = true
			b.end(s)
		}
	}
}

// remember keeps an event, and forgets the oldest ones past the bounds.
func (l *log) remember(e Event) {
	l.recent = append(l.recent, e)
	l.bytes += size(e)
	n := 0
	for len(l.recent)-n > keep || (l.bytes > keepBytes && len(l.recent)-n > 1) {
		l.bytes -= size(l.recent[n])
		n++
	}
	if n > 0 {
		kept := copy(l.recent, l.recent[n:])
		clear(l.recent[kept:])
		l.recent = l.recent[:kept]
	}
}

// size is about how many bytes of words an event holds.
func size(e Event) (n int) {
	for _, t := range e.Turns {
		n += len(t.Text)
	}
	if e.Memory != nil {
		n += len(e.Memory.Key) + len(e.Memory.Value)
	}
	return n
}

// sweep forgets conversations that nobody has listened to for a while. The lock is held.
func (b *Bus) sweep(now time.Time) {
	if now.Sub(b.swept) < sweepEach {
		return
	}
	b.swept = now
	for of, l := range b.streams {
		if len(l.listeners) == 0 && now.Sub(l.touched) > idleFor {
			delete(b.streams, of)
		}
	}
}
