package app

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/webchat"
	"github.com/recallerhq/recaller/internal/webchat/webchattest"
)

// counted waits until a counter whose labels have all of these values has counted so much.
func (c *counter) counted(name string, want int, values ...string) {
	c.t.Helper()
	got := 0
	c.eventually(fmt.Sprintf("%s%q is %d", name, values, want), func() bool {
		got = 0
		families, err := c.app.registry.Gather()
		if err != nil {
			c.t.Fatal(err)
		}
		for _, f := range families {
			for _, m := range f.GetMetric() {
				has := 0
				for _, l := range m.GetLabel() {
					for _, v := range values {
						if l.GetValue() == v {
							has++
						}
					}
				}
				if f.GetName() == name && has == len(values) {
					got += int(m.GetCounter().GetValue() + m.GetGauge().GetValue())
				}
			}
		}
		return got == want
	})
}

const overs = "recaller_web_chat_connections_total"

// Whatever a socket does wrong, it is closed for, and the reason is counted.
func TestSocketsAreBounded(t *testing.T) {
	t.Parallel()
	c := reception(t, webchat.Options{Hello: 200 * time.Millisecond, Ping: 50 * time.Millisecond, Pong: 100 * time.Millisecond, HelloRate: -1})
	c.opens(client.WebChatPatch{})
	closes := func(what string, code int, reason string, do func(*webchattest.Connection) error) {
		t.Helper()
		on := c.connects(c.visitor(), false)
		if err := do(on); err != nil {
			t.Fatal(err)
		}
		if got, why := on.Closed(t.Context()); got != code || why != reason && got != 1009 {
			t.Errorf("%s: closed as %d %q", what, got, why)
		}
		c.counted(overs, 1, "socket", reason)
	}
	closes("a frame that is too large", 1009, "too_large", func(on *webchattest.Connection) error {
		return on.Say(t.Context(), "a", strings.Repeat("a", 40<<10))
	})
	closes("too many frames", 4429, "flood", func(on *webchattest.Connection) error {
		for range 60 {
			if err := on.Send(t.Context(), map[string]string{"type": "dance"}); err != nil {
				return nil //nolint:nilerr // it is closed already
			}
		}
		return nil
	})
	first := func(frame string) (int, string) {
		t.Helper()
		conn, _, err := websocket.Dial(t.Context(), strings.Replace(c.url, "http", "ws", 1)+"/chat/default/socket", &websocket.DialOptions{HTTPHeader: http.Header{"Origin": {shop}}})
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = conn.CloseNow() }()
		if frame != "" {
			if err := conn.Write(t.Context(), websocket.MessageText, []byte(frame)); err != nil {
				t.Fatal(err)
			}
		}
		_, _, err = conn.Read(t.Context())
		var closed websocket.CloseError
		errors.As(err, &closed)
		return int(closed.Code), closed.Reason
	}
	for _, frame := range []string{"", "{", `"hello"`, `{"type":"message","v":1}`, `{"type":"hello"}`, `{"type":"hello","v":2}`} {
		code, why := first(frame) // one without a hello is broken off, because nobody may be there
		if frame != "" && (code != int(websocket.StatusPolicyViolation) || why != "malformed") {
			t.Errorf("%q: closed as %d %q", frame, code, why)
		}
	}
	c.counted(overs, 1, "socket", "no_hello")
	c.counted(overs, 5, "socket", "malformed")

	silent := c.connects(c.visitor(), false) // nobody reads, so no ping is answered
	c.counted(overs, 1, "socket", "silent")
	silent.Drop()
	c.counted("recaller_web_chat_connections", 0, "socket")
}

// Who does not read is not waited for: the others go on, and he gets all of it when he comes back.
func TestWhoDoesNotReadIsDropped(t *testing.T) {
	t.Parallel()
	c := reception(t, webchat.Options{Send: 200 * time.Millisecond, AddressRate: -1, VisitorRate: -1, PerVisitor: 5})
	none := recaller.WebChatNone
	c.opens(client.WebChatPatch{Reply: &none})
	v := c.visitor()
	page := c.connects(v, false)
	writer := *v
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", strings.TrimPrefix(c.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_ = conn.(*net.TCPConn).SetReadBuffer(4096)
	if _, err := fmt.Fprintf(conn, "GET /chat/default/events HTTP/1.1\r\nHost: x\r\nOrigin: %s\r\nAuthorization: Bearer %s\r\n\r\n", shop, v.Token); err != nil {
		t.Fatal(err)
	}
	c.counted("recaller_web_chat_connections", 1, "stream")
	go func() { // the page reads
		for {
			if _, err := page.Next(context.Background()); err != nil {
				return
			}
		}
	}()
	long := strings.Repeat("word ", 1600)
	n := 0
	for over := false; !over && n < 2000; n++ {
		if _, err := writer.Post(t.Context(), fmt.Sprint("m", n), long); err != nil {
			t.Fatal(err)
		}
		families, err := c.app.registry.Gather()
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range families {
			over = over || f.GetName() == overs
		}
	}
	c.counted(overs, 1, "stream", "slow")
	writer.Last = ""
	if back := c.connects(&writer, true); len(back.Session.Messages) != min(n, 200) {
		t.Errorf("got %d messages, want %d", len(back.Session.Messages), min(n, 200))
	}
}

// Messages, hellos and connections are bounded, by visitor and by address; the client is told when it may try again.
func TestVisitorsAreBounded(t *testing.T) {
	t.Parallel()
	c := reception(t, webchat.Options{VisitorBurst: 2, AddressBurst: 5, HelloBurst: 9, PerVisitor: 2, PerTenant: 4})
	none := recaller.WebChatNone
	c.opens(client.WebChatPatch{Reply: &none})
	v := c.visitor()
	page := c.connects(v, false)
	for i := range 3 {
		if err := page.Say(t.Context(), fmt.Sprint("m", i), "hello"); err != nil {
			t.Fatal(err)
		}
	}
	if f, _, err := page.Until(t.Context(), "error"); err != nil || f.Code != "too_fast" || f.Ref != "m2" || f.RetryAfter == 0 {
		t.Errorf("the third at once got %+v, %v", f, err)
	}
	c.counted("recaller_web_chat_messages_total", 1, "too_fast")
	c.clock.turn(time.Minute)
	if _, err := v.Post(t.Context(), "m2", "hello"); err != nil {
		t.Errorf("a minute later: %v", err)
	}
	c.connects(v, true)
	_, err := v.Socket(t.Context())
	var closed websocket.CloseError
	if !errors.As(err, &closed) || closed.Code != 4429 || closed.Reason != "too_many_tabs" {
		t.Errorf("the third page of one visitor got %v", err)
	}
	other, third := c.visitor(), c.visitor()
	c.connects(other, false)
	c.connects(third, false)
	if _, err := c.visitor().Stream(t.Context()); !errors.Is(err, webchattest.Status(http.StatusTooManyRequests)) {
		t.Errorf("the fifth of a tenant got %v", err)
	}
	for i := range 2 {
		for _, v := range []*webchattest.Visitor{other, third} {
			if _, err := v.Post(t.Context(), fmt.Sprint("n", i), "hello"); err != nil {
				t.Error(err)
			}
		}
	}
	if _, err := v.Post(t.Context(), "m9", "hello"); !errors.Is(err, webchattest.Status(http.StatusTooManyRequests)) {
		t.Errorf("the sixth message of one address got %v", err)
	}
	for what, text := range map[string]string{"empty": "  ", "too long": strings.Repeat("a", 9000)} {
		if _, err := v.Post(t.Context(), "x", text); !errors.Is(err, webchattest.Status(http.StatusUnprocessableEntity)) {
			t.Errorf("%s: got %v", what, err)
		}
	}
	if _, err := v.Post(t.Context(), "a b", "hello"); !errors.Is(err, webchattest.Status(http.StatusUnprocessableEntity)) {
		t.Errorf("a ref that is none: got %v", err)
	}
	for range 9 {
		if s, err := c.visitor().Stream(t.Context()); err == nil {
			s.Drop()
		}
	}
	if _, err := c.visitor().Socket(t.Context()); !errors.As(err, &closed) || closed.Code != 4429 || closed.Reason != "too_fast" {
		t.Errorf("too many hellos: got %v", err)
	}
}

// Five hundred visitors at once: each gets his answer and nobody else's, and when they have gone nothing of them is left open.
func TestFiveHundredVisitorsAtOnce(t *testing.T) {
	t.Parallel()
	c := reception(t, webchat.Options{HelloRate: -1, AddressRate: -1, Strangers: 600, Hello: time.Minute, Linger: 10 * time.Millisecond})
	c.opens(client.WebChatPatch{})
	const visitors = 500
	var all sync.WaitGroup
	var mu sync.Mutex
	var slowest time.Duration
	failed := map[string]int{}
	for i := range visitors {
		all.Go(func() {
			err := func() error {
				v := c.visitor()
				open := v.Socket
				if i%5 == 0 {
					open = v.Stream
				}
				on, err := open(t.Context())
				if err != nil {
					return fmt.Errorf("connect: %w", err)
				}
				defer on.Drop()
				began := time.Now()
				say := func() error { return on.Say(t.Context(), "m", fmt.Sprintf("Echo: visitor %d", i)) }
				err = say()
				for tries := 0; tries < 10 && errors.Is(err, webchattest.Status(http.StatusGatewayTimeout)); tries++ { // a slow machine: as the widget does
					err = say()
				}
				if err != nil {
					return fmt.Errorf("say: %w", err)
				}
				done, _, err := on.Until(t.Context(), "done")
				if err != nil || done.Text != fmt.Sprintf("visitor %d", i) {
					return fmt.Errorf("got %q, %w", done.Text, err)
				}
				mu.Lock()
				defer mu.Unlock()
				slowest = max(slowest, time.Since(began))
				return nil
			}()
			if err != nil {
				mu.Lock()
				defer mu.Unlock()
				failed[err.Error()]++
			}
		})
	}
	all.Wait()
	if len(failed) > 0 {
		t.Errorf("failed: %v", failed)
	}
	t.Logf("the slowest answer took %v", slowest)
	c.counted("recaller_web_chat_connections", 0, "socket")
	c.counted("recaller_web_chat_connections", 0, "stream")
	c.eventually("nobody is remembered", c.forgotten)
	c.eventually("nothing is held", func() bool {
		conversations, _ := c.app.conversations.Waiting()
		return conversations == 0
	})
	seen := 0
	for cursor := ""; ; {
		page, err := c.Conversations(t.Context(), client.ConversationFilter{Page: client.Page{Cursor: cursor, Limit: 200}})
		if err != nil {
			t.Fatal(err)
		}
		seen += len(page.Conversations)
		if cursor = page.NextCursor; cursor == "" {
			break
		}
	}
	if seen != visitors {
		t.Errorf("got %d conversations, want %d", seen, visitors)
	}
}

// What is sent to a visitor over a stream is plain server-sent events, as anything that reads those takes them.
func TestAStreamIsPlain(t *testing.T) {
	t.Parallel()
	c := reception(t, webchat.Options{Ping: 10 * time.Millisecond})
	c.opens(client.WebChatPatch{})
	res := c.asked(http.MethodGet, "/chat/default/events", map[string]string{"Origin": shop})
	if got := res.Header.Get("Content-Type"); got != "text/event-stream" || res.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("got %v", res.Header)
	}
	in := bufio.NewReader(res.Body)
	for _, want := range []string{"event: session\n", "data: {", "\n", ": here\n"} {
		if line, err := in.ReadString('\n'); err != nil || !strings.HasPrefix(line, want) {
			t.Fatalf("got %q, %v; want %q", line, err, want)
		}
	}
}
