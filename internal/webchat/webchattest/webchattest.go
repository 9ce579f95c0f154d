// Package webchattest is a browser's side of the web chat, for tests: a socket, and a stream with posts, over the real wire. It
// knows the protocol of docs/web-chat.md, and nothing of the server.
package webchattest

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/coder/websocket"
)

// Patience is how long a frame may take to come.
const Patience = 2 * time.Minute

// Frame is what a visitor gets, of whatever type.
type Frame struct {
	Type         string    `json:"type"`
	ID           string    `json:"id"`
	From         string    `json:"from"`
	Text         string    `json:"text"`
	At           time.Time `json:"at"`
	Ref          string    `json:"ref"`
	Held         bool      `json:"held"`
	Interrupted  bool      `json:"interrupted"`
	Code         string    `json:"code"`
	RetryAfter   int       `json:"retry_after"`
	Reason       string    `json:"reason"`
	Conversation string    `json:"conversation"`

	V         int       `json:"v"`
	Token     string    `json:"token"`
	ExpiresAt time.Time `json:"expires_at"`
	Title     string    `json:"title"`
	Greeting  string    `json:"greeting"`
	Language  string    `json:"language"`
	Answers   bool      `json:"answers"`
	Resumed   bool      `json:"resumed"`
	Messages  []Frame   `json:"messages"`
	Answering *struct {
		Text string `json:"text"`
	} `json:"answering"`
}

// Visitor is a browser on a page.
type Visitor struct {
	Chat   string // the chat's address, such as http://localhost:8787/chat/default
	Origin string // of the page; empty: it is no browser
	Token  string // empty: he is new; a session gives him one
	Last   string // the id of the last message that he has
}

// Connection is a socket or a stream, whose session has begun.
type Connection struct {
	Visitor *Visitor
	Session Frame
	conn    *websocket.Conn // nil: it is a stream
	body    io.Closer
	lines   *bufio.Reader
}

// Socket opens a socket.
func (v *Visitor) Socket(ctx context.Context) (*Connection, error) {
	header := http.Header{}
	if v.Origin != "" {
		header.Set("Origin", v.Origin)
	}
	conn, _, err := websocket.Dial(ctx, strings.Replace(v.Chat, "http", "ws", 1)+"/socket", &websocket.DialOptions{HTTPHeader: header}) //nolint:bodyclose // the library closes it
	if err != nil {
		return nil, err
	}
	conn.SetReadLimit(1 << 20)
	c := &Connection{Visitor: v, conn: conn}
	if err := c.Send(ctx, map[string]any{"type": "hello", "v": 1, "token": v.Token, "last": v.Last}); err != nil {
		return nil, err
	}
	return c, c.begin(ctx)
}

// Stream opens a stream of events.
func (v *Visitor) Stream(ctx context.Context) (*Connection, error) {
	res, err := v.do(ctx, http.MethodGet, "/events", nil)
	if err != nil {
		return nil, err
	}
	if res.StatusCode != http.StatusOK {
		defer func() { _ = res.Body.Close() }()
		return nil, Status(res.StatusCode)
	}
	c := &Connection{Visitor: v, body: res.Body, lines: bufio.NewReader(res.Body)}
	return c, c.begin(ctx)
}

// Status is an answer that was not wanted.
type Status int

// Error says which.
func (s Status) Error() string { return fmt.Sprintf("status %d", int(s)) }

func (v *Visitor) do(ctx context.Context, method, path string, body any) (*http.Response, error) {
	raw, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, method, v.Chat+path, bytes.NewReader(raw))
	if err != nil {
		return nil, err
	}
	for name, value := range map[string]string{"Origin": v.Origin, "Last-Event-ID": v.Last} {
		if value != "" {
			req.Header.Set(name, value)
		}
	}
	if v.Token != "" {
		req.Header.Set("Authorization", "Bearer "+v.Token)
	}
	req.Header.Set("Content-Type", "application/json")
	return http.DefaultClient.Do(req)
}

// Post sends a message by a post.
func (v *Visitor) Post(ctx context.Context, ref, text string) (f Frame, err error) {
	res, err := v.do(ctx, http.MethodPost, "/messages", map[string]string{"ref": ref, "text": text})
	if err != nil {
		return f, err
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK {
		return f, Status(res.StatusCode)
	}
	return f, json.NewDecoder(res.Body).Decode(&f)
}

// End ends the chat by a post.
func (v *Visitor) End(ctx context.Context) error {
	res, err := v.do(ctx, http.MethodPost, "/end", nil)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusNoContent {
		return Status(res.StatusCode)
	}
	return nil
}

func (c *Connection) begin(ctx context.Context) (err error) {
	if c.Session, err = c.Next(ctx); err != nil {
		return err
	}
	if c.Session.Type != "session" {
		return fmt.Errorf("it begins with %s", c.Session.Type)
	}
	if c.Session.Token != "" {
		c.Visitor.Token = c.Session.Token
	}
	return nil
}

// Send sends a frame over a socket.
func (c *Connection) Send(ctx context.Context, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return c.conn.Write(ctx, websocket.MessageText, data)
}

// Raw sends bytes over a socket.
func (c *Connection) Raw(ctx context.Context, data []byte) error {
	return c.conn.Write(ctx, websocket.MessageText, data)
}

// Say writes a message: over a socket as a frame, beside a stream as a post.
func (c *Connection) Say(ctx context.Context, ref, text string) error {
	if c.conn == nil {
		_, err := c.Visitor.Post(ctx, ref, text)
		return err
	}
	return c.Send(ctx, map[string]string{"type": "message", "ref": ref, "text": text, "conversation": c.Session.Conversation})
}

// Next reads a frame.
func (c *Connection) Next(ctx context.Context) (f Frame, err error) {
	ctx, cancel := context.WithTimeout(ctx, Patience)
	defer cancel()
	if c.conn != nil {
		var data []byte
		if _, data, err = c.conn.Read(ctx); err != nil {
			return f, err
		}
		err = json.Unmarshal(data, &f)
	} else {
		stop := context.AfterFunc(ctx, func() { _ = c.body.Close() })
		defer stop()
		f, err = c.event()
	}
	if f.ID != "" {
		c.Visitor.Last = f.ID
	}
	for _, m := range f.Messages {
		c.Visitor.Last = m.ID
	}
	return f, err
}

// event reads an event of a stream.
func (c *Connection) event() (f Frame, err error) {
	var data, kind, id string
	for {
		line, err := c.lines.ReadString('\n')
		if err != nil {
			return f, err
		}
		name, value, _ := strings.Cut(strings.TrimRight(line, "\n"), ": ")
		switch name {
		case "data":
			data = value
		case "event":
			kind = value
		case "id":
			id = value
		case "":
			if data == "" {
				continue // a comment
			}
			if err := json.Unmarshal([]byte(data), &f); err != nil {
				return f, err
			}
			if f.Type != kind || f.ID != id {
				return f, errors.New("the event is named otherwise than its data")
			}
			return f, nil
		}
	}
}

// Until reads frames until one of a type comes, and returns it with those before it.
func (c *Connection) Until(ctx context.Context, kind string) (f Frame, before []Frame, err error) {
	for {
		if f, err = c.Next(ctx); err != nil || f.Type == kind {
			return f, before, err
		}
		before = append(before, f)
	}
}

// Drop breaks the connection off.
func (c *Connection) Drop() {
	if c.conn != nil {
		_ = c.conn.CloseNow()
		return
	}
	_ = c.body.Close()
}

// Closed reads until the socket is closed, and says with which code and reason.
func (c *Connection) Closed(ctx context.Context) (code int, reason string) {
	for {
		if _, err := c.Next(ctx); err != nil {
			var closed websocket.CloseError
			errors.As(err, &closed)
			return int(closed.Code), closed.Reason
		}
	}
}
