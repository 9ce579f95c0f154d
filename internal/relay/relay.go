// Package relay is the socket of a ConversationRelay (Twilio's, and Telnyx's near twin): the platform hears and speaks,
// and text goes both ways (spec W8, B10, issue 17). What the caller said is kept, the built-in agent answers, and its
// words go out as they come. Of what it said only that is kept which was heard.
//
// The door (telephony) has checked the handshake. The first frame must be a setup with the token that the answer to the
// call's webhook had, for the same call. After that a session is one loop, which owns the state; beside it run a reader,
// a pinger, a keeper of turns, and the answer that is being made. None of them outlives ServeHTTP but a tool's call.
//
// Locks: utterance.mu is held while a frame is written; keeper.mu is held for moments, and neither inside the other.
//
// It has no rules of memory and makes no TwiML. It logs nothing that anybody said.
package relay

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/coder/websocket"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/agent"
	"github.com/recallerhq/recaller/internal/conversation"
	"github.com/recallerhq/recaller/internal/telephony"
)

// Agent answers what a caller said; *agent.Agent does.
type Agent interface {
	Answer(ctx context.Context, in agent.Asking, say func(piece string) error) (agent.Answer, error)
}

// Conversations are the calls; *conversation.Service has them.
type Conversations interface {
	agent.Briefings
	AddTurns(
		ctx context.Context, tenant recaller.TenantID, ref string, once recaller.Once, in []conversation.TurnInput,
	) (turns []recaller.Turn, durable bool, err error)
	Find(ctx context.Context, tenant recaller.TenantID, ref string) (recaller.Conversation, error)
}

// Deps are what a Server needs; all are required.
type Deps struct {
	Conversations Conversations
	Agent         Agent
	Log           *slog.Logger
	Registerer    prometheus.Registerer
	Now           func() time.Time
}

// Options are the bounds of a session; zero values are the defaults.
type Options struct {
	Setup time.Duration // how long a socket may take to say whose it is; 5 s
	Ping  time.Duration // between two pings; 20 s
	Pong  time.Duration // how long a pong may take; 10 s
	Send  time.Duration // how long a frame may take to go out; 5 s
	Leave time.Duration // how long the platform may take to hang up when it is told to, and a call to be written; 5 s
	// Lead is how long it takes until what was sent begins to be heard; half a second. Speed is how many characters of
	// text are spoken in a second; 12. They say when what was sent counts as heard, so they should not be faster than
	// platforms are.
	Lead  time.Duration
	Speed float64
}

func (o Options) withDefaults() Options {
	o.Setup = cmp.Or(o.Setup, 5*time.Second)
	o.Ping = cmp.Or(o.Ping, 20*time.Second)
	o.Pong = cmp.Or(o.Pong, 10*time.Second)
	o.Send = cmp.Or(o.Send, 5*time.Second)
	o.Leave = cmp.Or(o.Leave, 5*time.Second)
	o.Lead = cmp.Or(o.Lead, 500*time.Millisecond)
	o.Speed = cmp.Or(o.Speed, 12)
	return o
}

// maxFrame bounds a frame of the platform's, in bytes. What somebody says in one breath has a few hundred.
const maxFrame = 64 << 10

// Server serves the sockets. Safe for concurrent use.
type Server struct {
	Deps
	opts    Options
	metrics *metrics
}

// New returns a Server.
func New(deps Deps, opts Options) (*Server, error) {
	m, err := newMetrics(deps.Registerer)
	if err != nil {
		return nil, err
	}
	return &Server{Deps: deps, opts: opts.withDefaults(), metrics: m}, nil
}

// Serve serves one socket until it is over (telephony.Socket). The end of the request's context is the server's: the
// call's conversation goes on.
func (s *Server) Serve(w http.ResponseWriter, r *http.Request, take telephony.Take) {
	// Platforms are no browsers: it is the token that says who they are, whatever Origin they send.
	conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{InsecureSkipVerify: true})
	if err != nil {
		s.metrics.over(noSocket)
		return // Accept has answered
	}
	defer func() { _ = conn.CloseNow() }() // it is closed already, or there is nobody to be told
	conn.SetReadLimit(maxFrame)
	line, setup, why := s.admit(r.Context(), conn, take)
	if why != "" {
		s.metrics.over(why)
		s.Log.WarnContext(r.Context(), "a relay's socket is refused", "reason", string(why))
		closeWith(conn, why)
		return
	}
	s.serve(r.Context(), conn, line, setup)
}

// admit reads the setup, and takes the call of its token. The platform may name the call in several ways.
func (s *Server) admit(ctx context.Context, conn *websocket.Conn, take telephony.Take) (*telephony.Line, frame, reason) {
	wait, cancel := context.WithTimeout(ctx, s.opts.Setup)
	defer cancel()
	kind, data, err := conn.Read(wait)
	switch {
	case ctx.Err() != nil:
		return nil, frame{}, draining
	case errors.Is(err, websocket.ErrMessageTooBig):
		return nil, frame{}, tooLarge
	case err != nil:
		return nil, frame{}, noSetup
	}
	f, err := readFrame(data)
	if err != nil || kind != websocket.MessageText || f.Type != typeSetup {
		return nil, frame{}, malformed
	}
	for _, id := range f.calls() {
		if line, ok := take(id, f.token()); ok {
			return line, f, ""
		}
	}
	return nil, frame{}, forged
}

// closeWith closes a socket, and says why.
func closeWith(conn *websocket.Conn, why reason) {
	_ = conn.Close(why.code(), string(why)) // whoever is gone does not hear it
}
