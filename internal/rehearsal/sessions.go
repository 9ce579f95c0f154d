package rehearsal

import (
	"context"
	"net/http"
	"slices"
	"sync"

	"github.com/coder/websocket"

	"github.com/recallerhq/recaller/internal/bridge"
)

// sessions are the connections to a server that is played.
type sessions struct {
	refuse func(session int) error // nil: none is refused
	lead   func(ctx context.Context, conn bridge.Conn, n int)

	mu      sync.Mutex // guards what follows
	n       int
	got     []string
	running sync.WaitGroup
}

// Sessions returns how many connections were made, or refused.
func (s *sessions) Sessions() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.n
}

// Got returns the types of what was sent, but for audio.
func (s *sessions) Got() []string { return locked(s, &s.got) }

// Wait waits until every session that Serve began is over.
func (s *sessions) Wait() { s.running.Wait() }

// Serve begins a session over a connection. An error says that it is refused.
func (s *sessions) Serve(ctx context.Context, conn bridge.Conn) error {
	n, err := s.open()
	if err == nil {
		s.running.Go(func() { s.lead(ctx, conn, n) })
	}
	return err
}

// ServeHTTP serves sessions over real sockets.
func (s *sessions) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n, err := s.open()
	if err != nil {
		http.Error(w, "refused", http.StatusUnauthorized)
		return
	}
	c, err := websocket.Accept(w, r, nil)
	if err != nil {
		return // it has answered
	}
	s.lead(r.Context(), bridge.Socket(c, maxMessage), n)
}

func (s *sessions) open() (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.n++
	if s.refuse != nil {
		return s.n, s.refuse(s.n)
	}
	return s.n, nil
}

func locked[T any](s *sessions, of *[]T) []T {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(*of)
}

func note[T any](s *sessions, of *[]T, what T) {
	s.mu.Lock()
	defer s.mu.Unlock()
	*of = append(*of, what)
}
