package refresh

import (
	"context"
	"time"

	"github.com/recallerhq/recaller"
)

type key struct {
	tenant recaller.TenantID
	conv   recaller.ConversationID
}

// state is where a mark stands.
type state int

const (
	queued  state = iota // waits for a worker
	working              // its briefing is being made
	resting              // had one a moment ago, or waits to be tried again
)

// mark is a conversation whose briefing is stale, or was a moment ago.
type mark struct {
	key
	with   recaller.CallerID
	state  state
	stale  bool // a memory changed after its last briefing was begun
	since  time.Time
	failed int // tries in a row
}

// Apply takes note of a committed change. Call it after listeners were told of the change. The conversations with a
// caller whose memories changed get a new briefing soon, and so does one of which it is surer now who the caller is. It
// never waits.
func (s *Service) Apply(c recaller.Change) {
	var convs []recaller.ConversationID
	if len(c.Memories) > 0 || c.Surer || c.Handed {
		convs = s.Listening(c.Tenant, c.Caller)
	}
	for _, k := range s.note(c, convs) {
		s.failed(k, recaller.Exhausted)
	}
}

// note marks conversations, and returns those for which there was no room.
func (s *Service) note(c recaller.Change, convs []recaller.ConversationID) (refused []key) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, conv := range convs {
		if k := (key{c.Tenant, conv}); !s.stale(k, c.Caller) {
			refused = append(refused, k)
		}
	}
	if conv := c.Conversation; conv != nil && conv.Status != recaller.Active {
		s.drop(s.marks[key{c.Tenant, conv.ID}])
	}
	return refused
}

// stale marks the briefing of a conversation as stale. It returns false if there is no room. The lock is held.
func (s *Service) stale(k key, with recaller.CallerID) bool {
	m := s.marks[k]
	if m == nil {
		if len(s.marks) >= maxMarks {
			return false
		}
		m = &mark{key: k, with: with}
		s.marks[k] = m
		s.enqueue(m)
	}
	m.with = with // it may have been handed over
	if !m.stale {
		m.stale, m.since = true, s.Now()
	}
	if m.state == resting && m.failed > 0 { // a change was written, so whatever made it fail may be over
		s.enqueue(m)
	}
	return true
}

// enqueue queues a mark for a worker. The lock is held.
func (s *Service) enqueue(m *mark) {
	m.state = queued
	s.queue = append(s.queue, m)
	s.signal()
}

func (s *Service) signal() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// drop forgets a mark. A worker that has it notices when it is done. The lock is held.
func (s *Service) drop(m *mark) {
	if m != nil && s.marks[m.key] == m {
		delete(s.marks, m.key)
	}
}

// next waits for a mark that is queued and takes it; nil when ctx ends.
func (s *Service) next(ctx context.Context) *mark {
	for {
		if m := s.pop(); m != nil {
			return m
		}
		select {
		case <-s.wake:
		case <-ctx.Done():
			return nil
		}
	}
}

func (s *Service) pop() *mark {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.queue) > 0 {
		m := s.queue[0]
		s.queue[0] = nil
		s.queue = s.queue[1:]
		if s.marks[m.key] != m { // dropped meanwhile
			continue
		}
		m.state = working
		if len(s.queue) > 0 {
			s.signal() // for the other worker
		}
		return m
	}
	return nil
}

// rest lets a mark rest for pause. Then it is queued again if it is stale, and dropped if not. The lock is held.
func (s *Service) rest(m *mark, pause time.Duration) {
	m.state = resting
	time.AfterFunc(pause, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		switch {
		case s.marks[m.key] != m || m.state != resting:
		case m.stale:
			s.enqueue(m)
		default:
			s.drop(m)
		}
	})
}
