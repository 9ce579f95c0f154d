package webchat

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"runtime/debug"
	"time"

	"github.com/coder/websocket"
	"golang.org/x/time/rate"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/admission"
	"github.com/recallerhq/recaller/internal/httpdoor"
)

// Bounds of how much a socket sends.
const (
	framesASecond = 10
	framesAtOnce  = 50
)

// connection is a socket or a stream.
type connection struct {
	*Server
	x     *exchange
	kind  string
	token string // that lets it in
	who   who
	v     recaller.Visitor
	from  string // the origin of its page; empty: it is no browser's
	talk  *talk
	*listener
}

// connect takes a seat, and joins the talk. With no reason, leave must be called in the end.
func (s *Server) connect(ctx context.Context, c *connection, last string, begin session) (leave func(), why reason) {
	if why := s.seats.take(c.who); why != "" {
		return nil, why
	}
	c.listener = &listener{frames: make(chan frame, maxQueue)}
	if c.talk = s.enter(c.who); c.talk == nil {
		s.seats.give(c.who)
		return nil, tooMany
	}
	c.life, c.cut = context.WithCancelCause(ctx)
	c.talk.join(c.listener, last, begin)
	s.metrics.open.WithLabelValues(c.kind).Inc()
	c.x.Lasts(func(string) { c.cut(draining) })
	return func() {
		s.metrics.open.WithLabelValues(c.kind).Dec()
		c.talk.leave(c.listener)
		s.seats.give(c.who)
		c.cut(left)
	}, ""
}

// over says why a connection is over: what ended it first.
func (c *connection) over(otherwise reason) reason {
	var why reason
	if errors.As(context.Cause(c.life), &why) {
		return why
	}
	return otherwise
}

// socket serves a socket until it is over.
func (s *Server) socket(x *exchange, w http.ResponseWriter, r *http.Request) error {
	if _, err := x.Admit(r.Context(), "", &s.ops.socket); err != nil {
		return err
	}
	select {
	case s.strangers <- struct{}{}:
	default:
		x.why = tooMany
		return recaller.Errorf(recaller.Exhausted, "too many sockets have not said who they are")
	}
	stranger := true
	known := func() {
		if stranger {
			<-s.strangers
			stranger = false
		}
	}
	defer known()
	// The origin was checked against the tenant's list.
	conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{InsecureSkipVerify: true})
	x.begun, x.status = true, http.StatusSwitchingProtocols
	if err != nil {
		x.why = noSocket
		return httpdoor.Simple(http.StatusBadRequest, "invalid", "it is no handshake of a WebSocket") // Accept has answered
	}
	defer func() { _ = conn.CloseNow() }() // it is closed already, or there is nobody to be told
	conn.SetReadLimit(maxFrame)
	c := &connection{Server: s, x: x, kind: kindSocket, from: r.Header.Get("Origin")}
	leave, why := s.greetSocket(r, c, conn)
	known()
	if why == "" {
		why = c.serveSocket(conn)
		leave()
	}
	x.why = why
	s.metrics.ended(kindSocket, why)
	_ = conn.Close(why.code(), string(why)) // whoever is gone does not hear it
	return nil
}

// greetSocket reads the hello, and lets the socket in.
func (s *Server) greetSocket(r *http.Request, c *connection, conn *websocket.Conn) (leave func(), why reason) {
	wait, cancel := context.WithTimeout(r.Context(), s.opts.Hello)
	defer cancel()
	kind, data, err := conn.Read(wait)
	switch {
	case r.Context().Err() != nil:
		return nil, dropped
	case errors.Is(err, websocket.ErrMessageTooBig):
		return nil, tooLarge
	case err != nil:
		return nil, noHello
	}
	var a asking
	if kind != websocket.MessageText || json.Unmarshal(data, &a) != nil || a.Type != typeHello || a.V != Version {
		return nil, malformed
	}
	var begin session
	if c.who, c.v, err = s.come(c.x, a.Token, &begin); err != nil {
		return nil, c.x.why
	}
	if c.token = a.Token; begin.Token != "" {
		c.token = begin.Token
	}
	return s.connect(r.Context(), c, a.Last, begin)
}

// serveSocket writes what the talk says, and has the reader and the pinger work beside.
func (c *connection) serveSocket(conn *websocket.Conn) reason {
	gone := make(chan reason, 1)
	go func() {
		why := c.hear(conn)
		gone <- why
		c.cut(why)
	}()
	go c.ping(conn)
	lapse := time.NewTimer(c.v.Until.Sub(c.Now()))
	defer lapse.Stop()
	for {
		select {
		case <-c.life.Done():
			why := c.over(dropped)
			if why == draining {
				_ = c.send(conn, frame{Type: typeClosing, Reason: string(draining)}) // whoever is gone does not hear it
			}
			return why
		case <-lapse.C:
			return lapsed
		case f := <-c.frames:
			if err := c.send(conn, f); err != nil {
				select {
				case why := <-gone: // it knows better
					return why
				default:
					return c.over(slow)
				}
			}
		}
	}
}

func (c *connection) send(conn *websocket.Conn, f frame) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c.life), c.opts.Send)
	defer cancel()
	return conn.Write(ctx, websocket.MessageText, f.encode())
}

// ping ends a socket with nobody at its other end.
func (c *connection) ping(conn *websocket.Conn) {
	if httpdoor.Ping(c.life, conn, c.opts.Ping, c.opts.Pong) {
		c.cut(silent)
	}
}

// hear is read. A defect of ours ends this socket, and no other.
func (c *connection) hear(conn *websocket.Conn) (why reason) {
	defer func() {
		if crash := recover(); crash != nil { // what it says may hold words
			c.Log.Error("panic in a socket of the web chat", "tenant", c.who.tenant, "stack", string(debug.Stack()))
			why = crashed
		}
	}()
	return c.read(conn)
}

// read carries out what the visitor sends, until there is no more.
func (c *connection) read(conn *websocket.Conn) reason {
	ctx := context.WithoutCancel(c.life) // the end of the socket ends it: what it sent before is carried out
	budget := rate.NewLimiter(framesASecond, framesAtOnce)
	for {
		_, data, err := conn.Read(ctx)
		var closed websocket.CloseError
		switch {
		case errors.Is(err, websocket.ErrMessageTooBig):
			return tooLarge
		case errors.As(err, &closed):
			return left
		case err != nil:
			return dropped
		}
		if !budget.AllowN(c.Now(), 1) {
			return flood
		}
		var a asking
		if json.Unmarshal(data, &a) != nil {
			c.offer(frame{Type: typeError, Code: string(malformed), Text: "a frame is an object of JSON"})
			continue
		}
		if why := c.take(ctx, a); why != "" {
			return why
		}
	}
}

// take carries out a frame. With a reason, the socket is over.
func (c *connection) take(ctx context.Context, a asking) reason {
	t, why := c.again(ctx, c.x.tenant, c.from, c.token)
	if why != "" {
		return why
	}
	ctx, cancel := context.WithTimeout(ctx, c.ops.message.Timeout())
	defer cancel()
	switch a.Type { // types that are not known are ignored
	case typeMessage:
		if code, text := a.checked(); code != "" {
			c.metrics.message(refused)
			c.offer(frame{Type: typeError, Code: code, Text: fieldOf(code) + " " + text, Ref: a.Ref})
			return ""
		}
		f, why, err := c.keepOne(ctx, t, a)
		switch {
		case err != nil:
			c.offer(failure(err, why, a.Ref))
		case why == repeated:
			c.offer(f)
		}
	case typeEnd:
		c.talk.finish()
	}
	return ""
}

// keepOne keeps a message, within what a visitor may write.
func (c *connection) keepOne(ctx context.Context, t recaller.Tenant, a asking) (f frame, why reason, err error) {
	defer func() { c.metrics.message(why) }()
	now := c.Now()
	if !c.visitors.Allow(c.who, now) || !c.addresses.Allow(admission.Network(c.x.From()), now) {
		return f, tooFast, recaller.Errorf(recaller.Exhausted, "too many messages; wait a moment")
	}
	return c.talk.write(ctx, t, c.v, a)
}

// failure is how a visitor is told that a message was not kept.
func failure(err error, why reason, ref string) frame {
	p := httpdoor.ProblemOf(err)
	f := frame{Type: typeError, Code: string(why), Text: p.Detail, Ref: ref}
	switch why {
	case tooFast:
		f.RetryAfter = retryFast
	case unavailable:
		f.RetryAfter = retryAway
	}
	return f
}

// After how many seconds a message may be sent again.
const (
	retryFast = 5
	retryAway = 2
)
