package bridge

import (
	"context"
	"errors"
	"io"
	"net/http"

	"github.com/coder/websocket"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/realtime"
)

// Conn is a WebSocket. One goroutine reads and one writes; the rest may be called from any.
type Conn interface {
	// Read returns the next message. io.EOF: the other side closed as it should. ErrTooLarge: the message is too large,
	// and the socket is of no use any more.
	Read(ctx context.Context) (raw []byte, binary bool, err error)
	// Write sends a text, and WriteBinary what is none. They keep nothing of it.
	Write(ctx context.Context, text []byte) error
	WriteBinary(ctx context.Context, raw []byte) error
	Ping(ctx context.Context) error
	// Close says goodbye; Drop does not.
	Close() error
	Drop() error
}

// ErrTooLarge says that a message was larger than the bound.
var ErrTooLarge = errors.New("the message is too large")

// Socket makes a Conn of a WebSocket. limit bounds what is read, in bytes.
func Socket(c *websocket.Conn, limit int64) Conn {
	c.SetReadLimit(limit)
	return socket{c}
}

type socket struct{ c *websocket.Conn }

// Read implements Conn.
func (s socket) Read(ctx context.Context) ([]byte, bool, error) {
	kind, raw, err := s.c.Read(ctx)
	switch status := websocket.CloseStatus(err); {
	case err == nil:
		return raw, kind == websocket.MessageBinary, nil
	case errors.Is(err, websocket.ErrMessageTooBig):
		return nil, false, ErrTooLarge
	case status == websocket.StatusNormalClosure || status == websocket.StatusGoingAway:
		return nil, false, io.EOF
	case errors.Is(err, io.EOF): // the connection, not the WebSocket, was closed
		return nil, false, io.ErrUnexpectedEOF
	}
	return nil, false, err
}

// Write implements Conn.
func (s socket) Write(ctx context.Context, text []byte) error {
	return s.c.Write(ctx, websocket.MessageText, text)
}

// WriteBinary implements Conn.
func (s socket) WriteBinary(ctx context.Context, raw []byte) error {
	return s.c.Write(ctx, websocket.MessageBinary, raw)
}

// Ping implements Conn.
func (s socket) Ping(ctx context.Context) error { return s.c.Ping(ctx) }

// Close implements Conn.
func (s socket) Close() error { return s.c.Close(websocket.StatusNormalClosure, "") }

// Drop implements Conn.
func (s socket) Drop() error { return s.c.CloseNow() }

// Dialer opens a session with a provider of models. An error that is recaller.Invalid or Unauthenticated will be the
// same the next time. It may be called from several goroutines.
type Dialer func(ctx context.Context, p Provider) (Conn, error)

// Dial returns a Dialer that connects through a client of HTTP, whose transport says what may be reached.
func Dial(client *http.Client) Dialer {
	return func(ctx context.Context, p Provider) (Conn, error) {
		to, header, err := p.request()
		if err != nil {
			return nil, err
		}
		return Open(ctx, client, to, header, realtime.MaxEvent)
	}
}

// Open connects to a WebSocket. Its errors are those of a Dialer.
func Open(ctx context.Context, client *http.Client, to string, header http.Header, limit int64) (Conn, error) {
	c, resp, err := websocket.Dial(ctx, to, &websocket.DialOptions{HTTPClient: client, HTTPHeader: header}) //nolint:bodyclose // the library closes it
	if err != nil {
		return nil, refused(resp, err)
	}
	return Socket(c, limit), nil
}

// refused gives a failure its kind. What the provider wrote is not told on.
func refused(resp *http.Response, err error) error {
	kind := recaller.Unavailable
	if resp != nil {
		switch code := resp.StatusCode; {
		case code == http.StatusUnauthorized || code == http.StatusForbidden:
			kind = recaller.Unauthenticated
		case code == http.StatusRequestTimeout || code == http.StatusTooEarly || code == http.StatusTooManyRequests:
			kind = recaller.Exhausted
		case code >= 400 && code < 500:
			kind = recaller.Invalid
		}
	}
	return recaller.Wrap(kind, err, "the model's side refused the session")
}
