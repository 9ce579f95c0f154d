package webchat

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/httpdoor"
)

// events serves a stream of events, for those who cannot use a socket.
func (s *Server) events(x *exchange, w http.ResponseWriter, r *http.Request) error {
	if _, err := x.Admit(r.Context(), "", &s.ops.events); err != nil {
		return err
	}
	c := &connection{Server: s, x: x, kind: kindStream, from: r.Header.Get("Origin"), token: httpdoor.Secret(r.Header)}
	var begin session
	var err error
	if c.who, c.v, err = s.come(x, c.token, &begin); err != nil {
		return err
	}
	c.token = cmp.Or(begin.Token, c.token)
	leave, why := s.connect(r.Context(), c, r.Header.Get("Last-Event-ID"), begin)
	if why != "" {
		x.why = why
		return recaller.Errorf(recaller.Exhausted, "too many chats are open; try again later")
	}
	defer leave()
	x.begun = true
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no")
	w.WriteHeader(http.StatusOK)
	x.why = c.stream(http.NewResponseController(w), w)
	s.metrics.ended(kindStream, x.why)
	return nil
}

// stream writes what the talk says, until the stream is over.
func (c *connection) stream(out *http.ResponseController, w http.ResponseWriter) reason {
	write := func(text string) error {
		deadline := time.Now().Add(c.opts.Send) //nolint:forbidigo // connections go by the machine's clock
		if err := out.SetWriteDeadline(deadline); err != nil && !errors.Is(err, http.ErrNotSupported) {
			return err
		}
		if _, err := w.Write([]byte(text)); err != nil {
			return err
		}
		return out.Flush()
	}
	defer func() { _ = out.SetWriteDeadline(time.Time{}) }() // the connection may serve another request
	beat := time.NewTicker(c.opts.Ping)
	defer beat.Stop()
	lapse := time.NewTimer(c.v.Until.Sub(c.Now()))
	defer lapse.Stop()
	for {
		var err error
		select {
		case <-c.life.Done():
			why := c.over(left)
			if why == draining {
				_ = write(frame{Type: typeClosing, Reason: string(draining)}.event()) // whoever is gone does not hear it
			}
			return why
		case <-lapse.C:
			_ = write(frame{Type: typeError, Code: string(lapsed), Text: "the token has lapsed"}.event())
			return lapsed
		case <-beat.C:
			if _, why := c.again(c.life, c.x.tenant, c.from, c.token); why != "" {
				return why
			}
			err = write(": here\n\n")
		case f := <-c.frames:
			err = write(f.event())
		}
		if err != nil {
			return c.over(slow)
		}
	}
}

// event is a frame as an event of a stream.
func (f frame) event() string {
	kind, id := f.Type, ""
	if f.Session != nil {
		kind = f.Session.Type
	}
	if f.ID != "" {
		id = "id: " + f.ID + "\n"
	}
	return "event: " + kind + "\n" + id + "data: " + string(f.encode()) + "\n\n"
}

// posted lets in who posts: nobody new comes by a post. Without an error, c.talk.leave must be called in the end.
func (s *Server) posted(x *exchange, w http.ResponseWriter, r *http.Request) (ctx context.Context, c *connection, a asking, err error) {
	if ctx, err = x.Admit(r.Context(), "", &s.ops.message); err != nil {
		return ctx, nil, a, err
	}
	token := httpdoor.Secret(r.Header)
	if token == "" {
		x.why = forged
		return ctx, nil, a, recaller.Errorf(recaller.Unauthenticated, "a visitor's token is required as a bearer token: the event session has one")
	}
	v, _, err := s.Tenants.Visitor(x.tenant, token)
	if err != nil {
		x.why = forged
		return ctx, nil, a, err
	}
	body, err := httpdoor.Body(&x.Exchange, http.MaxBytesReader(w, r.Body, maxFrame+1), maxFrame)
	if err != nil {
		return ctx, nil, a, err
	}
	if len(body) > 0 && json.Unmarshal(body, &a) != nil {
		x.why = malformed
		return ctx, nil, a, httpdoor.Simple(http.StatusBadRequest, "invalid", "the body must be an object of JSON")
	}
	c = &connection{Server: s, x: x, v: v, who: who{x.tenant.ID, v.ExternalID}}
	if c.talk = s.enter(c.who); c.talk == nil {
		x.why = tooMany
		return ctx, nil, a, recaller.Errorf(recaller.Exhausted, "too many chats are open; try again later")
	}
	return ctx, c, a, nil
}

// message keeps a message that is posted.
func (s *Server) message(x *exchange, w http.ResponseWriter, r *http.Request) error {
	ctx, c, a, err := s.posted(x, w, r)
	if err != nil {
		return err
	}
	defer c.talk.leave(nil)
	if code, text := a.checked(); code != "" {
		x.why = refused
		s.metrics.message(refused)
		return recaller.InvalidField(fieldOf(code), "%s", text)
	}
	f, why, err := c.keepOne(ctx, x.tenant, a)
	x.why = why
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(f.encode()) //nolint:gosec // it is JSON, and says so; whoever is gone asks again
	return nil
}

// fieldOf is the field that a message's fault is in.
func fieldOf(code string) string {
	if code == "ref" {
		return code
	}
	return "text"
}

// end ends the conversation that goes on, because the visitor wants that.
func (s *Server) end(x *exchange, w http.ResponseWriter, r *http.Request) error {
	ctx, c, _, err := s.posted(x, w, r)
	if err != nil {
		return err
	}
	defer c.talk.leave(nil)
	if err := c.talk.load(ctx); err != nil {
		return recaller.Wrap(recaller.Unavailable, err, "the chat cannot be ended now; it ends by itself when it is quiet")
	}
	c.talk.finish()
	x.why, x.status = left, http.StatusNoContent
	w.WriteHeader(x.status)
	return nil
}
