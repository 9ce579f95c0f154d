package telephony

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/conversation"
)

const (
	maxLines = 10_000 // calls over a socket that are remembered
	linesFor = time.Hour
)

// lines are the calls that go on over a socket, and those that did a while ago.
type lines struct {
	now func() time.Time

	mu    sync.Mutex
	open  map[string]int // how many lead it, by the id of the call
	sorry *shelf[bool]   // whether who calls waits for a word; by the id of the call
}

func newLines(now func() time.Time) *lines {
	return &lines{now: now, open: map[string]int{}, sorry: newShelf[bool](maxLines, linesFor)}
}

// pick says that the socket of a call has come. If the connection breaks before it is known how the call goes on, who
// calls waits for a word.
func (l *lines) pick(id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open[id]++
	l.sorry.put(id, true, l.now())
}

func (l *lines) leave(id string, sorry bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sorry.put(id, sorry, l.now())
}

func (l *lines) over(id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open[id]--; l.open[id] <= 0 {
		delete(l.open, id)
	}
}

func (l *lines) isOpen(id string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.open[id] > 0
}

// of reports whether the socket of a call came, and whether who calls waits for a word.
func (l *lines) of(id string) (came, sorry bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	sorry, came = l.sorry.get(id, l.now())
	return came || l.open[id] > 0, sorry || !came
}

// Line is a call that goes on over a socket, and whose conversation ends when all is kept that was said over it: until
// then what its platform tells of the end is noted, and no more. Over must be called. Safe for concurrent use.
type Line struct {
	Call
	server *Server
	over   atomic.Bool
}

// Take returns the line of a socket that says which call it is of, and has a token of it. It does so once.
func (s *Server) Take(id string, tokens ...string) (*Line, bool) {
	for _, token := range tokens {
		if call, ok := s.Tokens.Take(id, token); ok {
			s.lines.pick(call.ID)
			return &Line{Call: call, server: s}, true
		}
	}
	return nil, false
}

// Leave says, before the socket is closed, whether who calls waits for a word of apology, if he is still there. It does
// not wait: a call of Call Control is told by commands what comes next, and of others the platform asks.
func (l *Line) Leave(ctx context.Context, sorry bool) {
	s, c := l.server, l.Call
	s.lines.leave(c.ID, sorry)
	if !c.control {
		return
	}
	if n, ok := s.ends.get(c.ID); ok && n.end != nil { // nobody is there any more
		return
	}
	if !sorry {
		s.command(ctx, resultAnswered, c.ID, "hangup", "bridged", nil)
		return
	}
	ctx = context.WithoutCancel(ctx)
	s.beside(func() {
		ctx, cancel := context.WithTimeout(ctx, s.opts.Patience)
		defer cancel()
		s.apologise(ctx, c.ID, c.number)
	})
}

// Over says that the socket is over, and how the conversation ends. The length is the platform's if it has told one;
// without it, or while the store is away, the end is carried out all the same, as any that a platform tells. nil: the
// call goes on without this socket, or has ended; what its platform told meanwhile is carried out now. Only the first
// counts.
func (l *Line) Over(ctx context.Context, end *conversation.End) {
	if l.over.Swap(true) {
		return
	}
	s, id := l.server, l.ID
	if end != nil {
		s.metrics.dropped.Add(float64(s.ends.keep(id, notice{number: l.number, end: end, led: true})))
	}
	s.lines.over(id)
	if n, ok := s.ends.get(id); ok {
		s.carryOut(ctx, recaller.Tenant{ID: l.Tenant}, id, n)
	}
}

// Why a call failed whose socket did not come, and one whose socket was that of a process that is gone.
const (
	noSocket = "no socket"
	cutOff   = "cut off"
)

// socketOver says what comes behind the socket of a call: a word of apology where the caller waits for one, else nothing
// more. Who leads the call ends its conversation; if nobody here does, it ends now.
func (s *Server) socketOver(ctx context.Context, h hook) reply {
	id, number := callID(h), callOf(h).ours
	came, sorry := s.lines.of(id)
	switch {
	case !came:
		end := s.unled(id, h.get("SessionStatus"))
		o := s.over(ctx, id, notice{number: number, end: end})
		if end.Status == recaller.Completed {
			return reply{o.result, twiml{Verbs: []any{hangup{}}}}
		}
		return reply{o.result, told(o.telephone, brokeOff)}
	case !sorry:
		return reply{resultAnswered, twiml{Verbs: []any{hangup{}}}}
	}
	t, err := s.whose(ctx, number)
	if err != nil {
		return reply{resultUnavailable, told(recaller.Telephone{}, brokeOff)}
	}
	return reply{resultAnswered, told(t.Telephone, brokeOff)}
}

// unled is how a call ended that nobody here led over a socket. What rang here had none. Of others the platform knows
// how they went where it says so; otherwise they were cut off with the process that led them.
func (s *Server) unled(id, status string) *conversation.End {
	switch {
	case s.ends.hasRung(id):
		return &conversation.End{Status: recaller.Failed, Reason: noSocket}
	case status != "" && status != "failed":
		return &conversation.End{Status: recaller.Completed, Reason: "completed"}
	}
	return &conversation.End{Status: recaller.Failed, Reason: cutOff}
}

// unconnected is socketOver for a call of Call Control that nobody here led.
func (s *Server) unconnected(ctx context.Context, e *event) result {
	id := e.payload.Call
	s.over(ctx, id, notice{number: e.state.Number, end: s.unled(id, "")})
	return s.apologise(ctx, id, e.state.Number)
}

// apologise has a call of Call Control told that it is over, and hung up.
func (s *Server) apologise(ctx context.Context, id, number string) result {
	r := resultAnswered
	t, err := s.whose(ctx, number)
	if err != nil {
		r = resultUnavailable
	}
	return s.speak(ctx, r, id, told(t.Telephone, brokeOff), state{Number: number})
}
