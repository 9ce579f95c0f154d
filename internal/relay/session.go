package relay

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"runtime/debug"
	"strings"
	"time"

	"github.com/coder/websocket"
	"golang.org/x/time/rate"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/conversation"
	"github.com/recallerhq/recaller/internal/httpdoor"
	"github.com/recallerhq/recaller/internal/telephony"
)

// Bounds of how much the platform sends. Partial prompts come about ten times a second.
const (
	framesASecond = 50
	framesAtOnce  = 250
	framesWaiting = 32
)

// session is one call over a socket. Its fields are the loop's, but for what others are handed.
type session struct {
	*Server
	conn  *websocket.Conn
	began time.Time
	call  *telephony.Line
	ref   string // of the conversation
	// ctx ends when the session is to. io does not: what is said at the end has to go out, too.
	ctx, io  context.Context //nolint:containedctx // a session is a scope of its own
	end      context.CancelCauseFunc
	keeper   *keeper
	frames   chan frame      // closed by the reader, when nothing more comes
	left     reason          // why; valid once frames is closed
	answered chan *utterance // those that are out

	said     *utterance    // what is being said, or may not have been heard yet; nil: nothing
	before   chan struct{} // closed when nothing works on the last answer any more
	spoken   *time.Timer   // said will have been heard, or the platform takes too long to hang up
	leaving  bool          // the platform was told to hang up
	language string        // of what the caller says, as the platform tells it

	// Of the answer that is being made.
	who      recaller.Caller   // with whom it is
	briefing recaller.Briefing // the last whole one of theirs
}

// Error makes a reason the cause of an end.
func (r reason) Error() string { return string(r) }

// serve serves a socket whose call is known.
func (s *Server) serve(ctx context.Context, conn *websocket.Conn, call *telephony.Line, setup frame) {
	s.metrics.open.Inc()
	defer s.metrics.open.Dec()
	s.metrics.came(typeSetup)
	c := &session{
		Server: s, conn: conn, began: s.Now(), call: call, ref: cmp.Or(string(call.Conversation), call.ID), io: context.WithoutCancel(ctx),
		frames: make(chan frame, framesWaiting), answered: make(chan *utterance, 1), spoken: time.NewTimer(time.Hour),
		before: make(chan struct{}), language: cmp.Or(setup.language(), call.Language),
		who: recaller.Caller{ID: call.Caller, TimeZone: call.TimeZone},
	}
	close(c.before)
	c.ctx, c.end = context.WithCancelCause(ctx)
	defer c.end(nil)
	c.keeper = newKeeper(s, call.Tenant, c.ref, call.ID)
	go c.keeper.run(c.io)
	go c.read()
	go c.ping()
	c.greeted()
	why := c.loop()
	s.metrics.over(why)
	c.leave(why)
	s.Log.InfoContext(ctx, "a call over a relay is over", "tenant", call.Tenant, "conversation", c.ref, "reason", string(why),
		"turns", c.keeper.count(), "dur_ms", s.Now().Sub(c.began).Milliseconds())
}

// read reads frames until there are no more. It takes no more than the loop does.
func (c *session) read() {
	defer close(c.frames)
	budget := rate.NewLimiter(framesASecond, framesAtOnce)
	for {
		_, data, err := c.conn.Read(c.io)
		if err != nil {
			c.left = lost(err)
			return
		}
		if !budget.AllowN(c.Now(), 1) {
			c.left = flood
			return
		}
		f, err := readFrame(data)
		if err != nil {
			f = frame{Type: typeMalformed}
		}
		select {
		case c.frames <- f:
		case <-c.ctx.Done():
			return
		}
	}
}

// lost says why nothing can be read any more.
func lost(err error) reason {
	var closed websocket.CloseError
	switch {
	case errors.Is(err, websocket.ErrMessageTooBig):
		return tooLarge
	case errors.As(err, &closed):
		return hungUp
	}
	return dropped
}

// ping ends the session of a socket with nobody at its other end.
func (c *session) ping() {
	if httpdoor.Ping(c.ctx, c.conn, c.opts.Ping, c.opts.Pong) {
		c.end(silent)
	}
}

// send writes a frame of ours.
func (c *session) send(v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return recaller.Wrap(recaller.Internal, err, "write a frame")
	}
	late := time.AfterFunc(c.opts.Send, func() { c.end(slow) }) // before the connection breaks for it: that would count as dropped
	defer late.Stop()
	ctx, cancel := context.WithTimeout(c.io, 2*c.opts.Send)
	defer cancel()
	return c.conn.Write(ctx, websocket.MessageText, data)
}

// loop carries out what comes, until the session is over. A defect of ours ends it, and no other.
func (c *session) loop() (why reason) {
	defer func() {
		if crash := recover(); crash != nil {
			c.Log.ErrorContext(c.io, "panic in a relay", "tenant", c.call.Tenant, "conversation", c.ref, "stack", string(debug.Stack()))
			why = crashed
		}
	}()
	for {
		select {
		case <-c.ctx.Done():
			return c.why()
		case f, more := <-c.frames:
			if !more {
				return c.why()
			}
			c.take(f)
		case u := <-c.answered:
			if u == c.said {
				c.out(u)
			}
		case <-c.spoken.C:
			if c.leaving {
				return agentHung
			}
			c.heardAll()
		case <-c.keeper.over:
			if !c.leaving {
				_ = c.send(end{Type: "end"}) // whoever is gone need not hang up
			}
			return ended
		}
	}
}

// why says why the session is over: what ended it first.
func (c *session) why() reason {
	var why reason
	switch {
	case errors.As(context.Cause(c.ctx), &why):
		return why
	case c.ctx.Err() != nil:
		return draining
	case c.leaving: // it was told to
		return agentHung
	}
	return c.left
}

// take carries out a frame.
func (c *session) take(f frame) {
	switch {
	case f.Type == typePrompt && f.partial():
		c.metrics.came(typePartial)
		return
	case f.Type == typePrompt && !c.leaving && strings.TrimSpace(f.Prompt) != "":
		c.asked(f)
	case f.Type == typeInterrupt && c.said != nil && c.said.begun():
		c.stop(true, func(sent string) string { return heard(sent, f.Heard) })
	}
	c.metrics.came(f.Type) // keys that are pressed, and errors that the platform tells, count and no more
}

// greeted takes in what the platform says first. Where it was told nothing to say, the agent speaks first.
func (c *session) greeted() {
	if c.call.Greeting == "" {
		nothing := make(chan struct{})
		close(nothing)
		c.respond(nothing)
		return
	}
	u := c.utterance()
	u.sent.WriteString(c.call.Greeting)
	u.first, u.over = c.Now(), true
	close(u.done)
	c.out(u)
}

// asked keeps what the caller said, and begins to answer. Who speaks before an answer is out gets another: what was sent
// of it by then is heard, because the platform would have told an interruption.
func (c *session) asked(f frame) {
	c.stop(false, func(sent string) string { return sent })
	c.language = cmp.Or(f.language(), c.language)
	kept := c.keeper.put(conversation.TurnInput{Speaker: recaller.User, Text: strings.TrimSpace(f.Prompt), At: c.Now()})
	c.respond(kept)
}

// respond begins an answer, which waits until what it is to was kept.
func (c *session) respond(kept <-chan struct{}) {
	u := c.utterance()
	before := c.before
	c.before = u.done
	go c.answer(u, kept, before)
}

// stop stops what is being said, and keeps what was heard of it.
func (c *session) stop(interrupted bool, cut func(sent string) string) {
	u := c.said
	if u == nil {
		return
	}
	c.said = nil
	c.spoken.Stop()
	u.cancel()
	sent, whole := u.close()
	c.keep(u, cut(sent), interrupted || !whole)
}

// keep keeps what was heard of an utterance, if anything was.
func (c *session) keep(u *utterance, text string, interrupted bool) {
	if strings.TrimSpace(text) != "" {
		c.keeper.put(conversation.TurnInput{Speaker: recaller.Assistant, Text: text, At: u.first, Interrupted: interrupted})
	}
}

// out takes in that all of an utterance was sent. It is heard a while later.
func (c *session) out(u *utterance) {
	sent, _ := u.close()
	if sent == "" && !u.hangUp {
		u.cancel()
		c.said = nil
		return
	}
	var since time.Duration
	if sent != "" {
		since = c.Now().Sub(u.first)
	}
	c.spoken.Reset(max(0, c.opts.spokenIn(sent)-since))
}

// heardAll keeps what was said, because by now it was heard. If the agent wants to hang up, the platform is told.
func (c *session) heardAll() {
	u := c.said
	if u == nil {
		return
	}
	c.stop(false, func(sent string) string { return sent })
	if !u.hangUp {
		return
	}
	c.leaving = true
	c.call.Leave(c.io, false)    // the platform may ask what comes next before we know that it has closed the socket
	_ = c.send(end{Type: "end"}) // whoever is gone need not hang up
	c.spoken.Reset(c.opts.Leave)
}

// leave ends the call after its session: what was heard is kept, and the conversation ended, unless it goes on. Before
// the socket is closed it is known whether who calls waits for a word of apology.
func (c *session) leave(why reason) {
	said := c.said
	if said != nil {
		c.said = nil
		said.cancel()
		sent, whole := said.quit()
		text := c.opts.audible(sent, c.Now().Sub(said.first))
		c.keep(said, text, !whole || text != sent)
	}
	c.end(why)
	c.call.Leave(c.io, !why.well())
	if c.close(why); said != nil { // what it does is over soon: nobody listens
		select {
		case <-said.done:
		case <-time.After(c.opts.Leave):
		}
	}
	if lost := c.keeper.finish(c.opts.Leave); lost > 0 {
		c.metrics.lost.Add(float64(lost))
		c.Log.ErrorContext(c.io, "turns of a call over a relay are lost", "tenant", c.call.Tenant, "conversation", c.ref, "turns", lost)
	}
	if why == draining || why == ended {
		c.call.Over(c.io, nil) // the call goes on, or has ended
		return
	}
	end := &conversation.End{Status: recaller.Completed, Reason: string(why), Duration: c.Now().Sub(c.began)}
	if !why.well() {
		end.Status = recaller.Failed
	}
	c.call.Over(c.io, end)
}

// close closes the socket. Whoever does not listen any more is not waited for.
func (c *session) close(why reason) {
	switch why {
	case dropped, silent, slow, flood:
		_ = c.conn.CloseNow() // it is closed in any case
	default:
		closeWith(c.conn, why)
	}
}
