package telephony

import (
	"context"
	"sync"
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
// then what its platform tells of the end is noted, and no more. Get one from Server.Pick; Over must be called.
type Line struct {
	server *Server
	call   Call
}

// Pick says that the socket of a call has come, whose token was taken.
func (s *Server) Pick(call Call) *Line {
	s.lines.pick(call.ID)
	return &Line{server: s, call: call}
}

// Leave says, before the socket is closed, whether who calls waits for a word of apology, if he is still there. It does
// not wait: a call of Call Control is told by commands what comes next, and of others the platform asks.
func (l *Line) Leave(ctx context.Context, sorry bool) {
	s, c := l.server, l.call
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
	s.working.Go(func() {
		ctx, cancel := context.WithTimeout(ctx, s.opts.Patience)
		defer cancel()
		s.apologise(ctx, c.ID, c.number)
	})
}

// Over ends the conversation. The length is the platform's if it has told one; without it, or while the store is away,
// the end is carried out all the same, as any that a platform tells.
func (l *Line) Over(ctx context.Context, end conversation.End) {
	s, id := l.server, l.call.ID
	s.metrics.dropped.Add(float64(s.ends.keep(id, notice{number: l.call.number, end: &end, led: true})))
	s.lines.over(id)
	if n, ok := s.ends.get(id); ok {
		s.carryOut(ctx, recaller.Tenant{ID: l.call.Tenant}, id, n)
	}
}

// noSocket is why a call failed whose socket did not come.
const noSocket = "no socket"

// streamed says what comes behind the stream of a call. If none came, the call ends here.
func (s *Server) streamed(ctx context.Context, h hook) reply {
	id, number := callID(h), callOf(h).ours
	came, sorry := s.lines.of(id)
	if !came {
		o := s.over(ctx, id, notice{number: number, end: &conversation.End{Status: recaller.Failed, Reason: noSocket}})
		return reply{o.result, told(o.telephone, brokeOff)}
	}
	if !sorry {
		return reply{resultAnswered, twiml{Verbs: []any{hangup{}}}}
	}
	t, err := s.whose(ctx, number)
	if err != nil {
		return reply{resultUnavailable, told(recaller.Telephone{}, brokeOff)}
	}
	return reply{resultAnswered, told(t.Telephone, brokeOff)}
}

// unconnected is streamed for a call of Call Control whose socket did not come: its end is told when it is hung up.
func (s *Server) unconnected(ctx context.Context, e *event) result {
	return s.apologise(ctx, e.payload.Call, e.state.Number)
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
