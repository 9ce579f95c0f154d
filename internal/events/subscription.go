package events

import "github.com/recallerhq/recaller"

// Subscription is one listener's queue. C is closed when the subscription ends. Dropped then says whether it was too
// slow.
type Subscription struct {
	C    <-chan Event
	c    chan Event
	done chan struct{} // closed when it ends
	bus  *Bus
	log  *log

	// What follows is guarded by the bus's lock.
	behind  bool   // its queue was full: catchUp now sends it the kept events, in order
	next    uint64 // the id of the event that catchUp sends next
	dropped bool
}

// Dropped reports whether the subscription ended because it was too slow. Valid once C is closed.
func (s *Subscription) Dropped() bool {
	s.bus.mu.Lock()
	defer s.bus.mu.Unlock()
	return s.dropped
}

// Belongs says whom the conversation is with, if Subscribe was not told.
func (s *Subscription) Belongs(with recaller.CallerID) {
	b := s.bus
	b.mu.Lock()
	defer b.mu.Unlock()
	b.belongs(s.log, caller{s.log.of.tenant, with})
}

// Close ends the subscription.
func (s *Subscription) Close() {
	s.bus.mu.Lock()
	defer s.bus.mu.Unlock()
	s.bus.end(s)
}

// offer hands an event to a listener without waiting. A listener whose queue is full gets it later, from the kept
// events. If it needs an event that is not kept any more, it is dropped. The lock is held.
func (b *Bus) offer(s *Subscription, e Event) {
	if s.behind {
		if s.next < s.log.oldest() {
			s.dropped = true
			b.end(s)
		}
		return
	}
	select {
	case s.c <- e:
	default:
		s.behind, s.next = true, e.ID
		go s.catchUp()
	}
}

// catchUp sends a listener that fell behind the events that it misses, until it is level again or its subscription
// ends. While it runs, nobody else writes to the queue, so the order holds.
func (s *Subscription) catchUp() {
	for {
		e, more := s.take()
		if !more {
			return
		}
		select {
		case s.c <- e:
		case <-s.done:
			close(s.c)
			return
		}
	}
}

// take returns the next event for a listener that is behind. It returns false if the listener is level, or has ended.
func (s *Subscription) take() (e Event, more bool) {
	s.bus.mu.Lock()
	defer s.bus.mu.Unlock()
	if _, listens := s.log.listeners[s]; !listens {
		close(s.c)
		return e, false
	}
	if s.next == s.log.next {
		s.behind = false
		return e, false
	}
	e = s.log.recent[s.next-s.log.oldest()] // it is kept, or offer would have dropped the listener
	s.next++
	return e, true
}

// end takes a listener out. If it was the last one, and the conversation had no event yet, the log is forgotten: nobody
// has an id to go on from. The lock is held.
func (b *Bus) end(s *Subscription) {
	l := s.log
	if _, ok := l.listeners[s]; !ok {
		return
	}
	delete(l.listeners, s)
	close(s.done)
	if !s.behind { // otherwise catchUp may be writing to it, and will close it
		close(s.c)
	}
	l.touched = b.now()
	if len(l.listeners) == 0 && l.next == l.first && b.streams[l.of] == l {
		b.drop(l)
	}
}
