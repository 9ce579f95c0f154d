package telegramtest

import (
	"context"
	"net/http"
)

// stall has requests hang.
type stall struct {
	method, chat string
	after        int // so many are answered before
	taken        bool
}

// Stall has the requests of a method hang, as to a connection that is dead, once so many more were answered: those about a
// chat, or all where it is empty. If they are taken, what they ask for is done, and only the answer never comes. They are
// counted as requests of "METHOD stalled". It lasts until Unstall.
func (s *Server) Stall(method, chat string, after int, taken bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stalls = append(s.stalls, &stall{method, chat, after, taken})
}

// Unstall ends every Stall. What hangs already hangs on.
func (s *Server) Unstall() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stalls = nil
}

// stalled has a request hang until who asks is gone; false: it is not to. It is called with s.mu.
func (s *Server) stalled(ctx context.Context, c Call) bool {
	for _, st := range s.stalls {
		if st.method != c.Method || st.chat != "" && st.chat != c.Params["chat_id"] {
			continue
		}
		if st.after--; st.after >= 0 {
			return false
		}
		if st.taken {
			if _, failure := s.answer(c); failure == nil { //nolint:contextcheck // what it posts outlasts the request
				s.calls = append(s.calls, c)
			}
		}
		s.calls = append(s.calls, Call{Method: c.Method + " stalled", Params: c.Params})
		s.change()
		s.mu.Unlock()
		<-ctx.Done()
		s.mu.Lock()
		return true
	}
	return false
}

// gone is the answer to somebody who does not read it.
func gone() *Failure { return &Failure{Status: http.StatusBadGateway, Description: "Bad Gateway"} }
