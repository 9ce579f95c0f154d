package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
)

// script is a server that gives its answers one after the other, the last one again and again.
type script struct {
	answers []func(http.ResponseWriter, *http.Request)

	mu       sync.Mutex
	requests []*http.Request
	bodies   []string
}

func (s *script) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	s.mu.Lock()
	n := len(s.requests)
	s.requests, s.bodies = append(s.requests, r), append(s.bodies, string(body))
	s.mu.Unlock()
	s.answers[min(n, len(s.answers)-1)](w, r)
}

func (s *script) asked() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.requests)
}

func play(t *testing.T, answers ...func(http.ResponseWriter, *http.Request)) (*Client, *script) {
	t.Helper()
	s := &script{answers: answers}
	srv := httptest.NewServer(s)
	t.Cleanup(srv.Close)
	c, err := New(srv.URL+"/", "the-key")
	if err != nil {
		t.Fatal(err)
	}
	return c, s
}

func says(status int, body string) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Request-Id", "req-1")
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	}
}

func hangUp(w http.ResponseWriter, _ *http.Request) { panic(http.ErrAbortHandler) }

func TestOnlyWhatMayBeRepeatedIsRetried(t *testing.T) {
	t.Parallel()
	name := "x"
	tests := []struct {
		name string
		call func(context.Context, *Client) error
		want int // requests made against a server that is overloaded
	}{
		{"a read", func(ctx context.Context, c *Client) error { _, err := c.Tenant(ctx); return err }, 3},
		{"a post", func(ctx context.Context, c *Client) error {
			_, err := c.StartConversation(ctx, StartRequest{})
			return err
		}, 3},
		{"a replacement", func(ctx context.Context, c *Client) error {
			_, err := c.PutCheckpoint(ctx, "c", CheckpointInput{})
			return err
		}, 3},
		{"a deletion", func(ctx context.Context, c *Client) error { return c.DeleteCheckpoint(ctx, "c") }, 3},
		{"an update", func(ctx context.Context, c *Client) error {
			_, err := c.UpdateCaller(ctx, "c", CallerPatch{Name: &name})
			return err
		}, 1},
		{"an undo", func(ctx context.Context, c *Client) error { _, err := c.UndoMemory(ctx, "m", 0); return err }, 1},
		{"a rotation", func(ctx context.Context, c *Client) error { _, err := c.RotateEncryption(ctx); return err }, 1},
		{"a reminder tried again", func(ctx context.Context, c *Client) error { _, err := c.RetryReminder(ctx, "r"); return err }, 1},
		{"a reminder", func(ctx context.Context, c *Client) error {
			_, err := c.SetReminder(ctx, "m", ReminderInput{})
			return err
		}, 3},
		{"a webhook", func(ctx context.Context, c *Client) error { _, err := c.SetWebhook(ctx, WebhookInput{}); return err }, 3},
		{"a tool", func(ctx context.Context, c *Client) error { _, err := c.CallTool(ctx, ToolCall{}); return err }, 3},
		{"a new key", func(ctx context.Context, c *Client) error { _, err := c.CreateKey(ctx, KeyInput{}); return err }, 1},
		{"a new tenant", func(ctx context.Context, c *Client) error { _, err := c.CreateTenant(ctx, NewTenant{}); return err }, 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			for _, answer := range []func(http.ResponseWriter, *http.Request){says(503, `{"detail":"busy","status":503}`), hangUp} {
				c, s := play(t, answer)
				if err := test.call(context.Background(), c); err == nil {
					t.Error("got no error")
				}
				if got := s.asked(); got != test.want {
					t.Errorf("got %d requests, want %d", got, test.want)
				}
			}
			c, s := play(t, says(422, `{"detail":"no","status":422}`))
			if err := test.call(context.Background(), c); err == nil || s.asked() != 1 {
				t.Errorf("got %v after %d requests, want a refusal after one", err, s.asked())
			}
		})
	}
}

func TestRetriesOfAPostCarryOneKey(t *testing.T) {
	t.Parallel()
	c, s := play(t, says(503, ""), says(201, `{"conversation":{"id":"c1"}}`))
	out, err := c.StartConversation(context.Background(), StartRequest{Caller: CallerRef{Phone: "+4930901820"}})
	if err != nil || out.Conversation.ID != "c1" {
		t.Fatalf("got %+v, %v", out, err)
	}
	first, second := s.requests[0], s.requests[1]
	key := first.Header.Get("Idempotency-Key")
	if key == "" || second.Header.Get("Idempotency-Key") != key || s.bodies[0] != s.bodies[1] {
		t.Errorf("got keys %q and %q, bodies %q", key, second.Header.Get("Idempotency-Key"), s.bodies)
	}
	if first.Header.Get("Authorization") != "Bearer the-key" || first.URL.Path != "/v1/conversations" {
		t.Errorf("got %v %v", first.URL, first.Header)
	}
	if _, err := c.StartConversation(WithIdempotencyKey(context.Background(), "mine"), StartRequest{}); err != nil {
		t.Fatal(err)
	}
	if got := s.requests[2].Header.Get("Idempotency-Key"); got != "mine" {
		t.Errorf("got the key %q, want mine", got)
	}
}

func TestProblemsComeAsTheyAre(t *testing.T) {
	t.Parallel()
	c, _ := play(t, says(422, `{"title":"Unprocessable Entity","status":422,"code":"invalid","detail":"caller.phone: no","field":"caller.phone","errors":[{"location":"caller.phone","message":"no"}]}`))
	_, err := c.StartConversation(context.Background(), StartRequest{})
	var p *Problem
	if !errors.As(err, &p) || p.Status != 422 || p.Field != "caller.phone" || p.Code != "invalid" || len(p.Errors) != 1 || p.RequestID != "req-1" {
		t.Errorf("got %#v", err)
	}
	for _, body := range []string{"<html>Bad gateway</html>", "", `{"status":"x"}`} {
		c, _ := play(t, says(404, body))
		if _, err := c.Caller(context.Background(), "x"); !IsNotFound(err) || !strings.Contains(err.Error(), "404") {
			t.Errorf("%q: got %v, want a problem of status 404", body, err)
		}
	}
}

func TestACancelledRequestIsNotRetried(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	c, s := play(t, func(w http.ResponseWriter, _ *http.Request) { cancel(); w.WriteHeader(503) })
	if _, err := c.Tenant(ctx); err == nil || s.asked() != 1 {
		t.Errorf("got %v after %d requests", err, s.asked())
	}
}

func TestBaseURLsAreChecked(t *testing.T) {
	t.Parallel()
	for _, url := range []string{"", "localhost:8787", "ftp://x", "http://", "http://a b", "/v1"} {
		if _, err := New(url, ""); err == nil {
			t.Errorf("%q: got no error", url)
		}
	}
}

func TestEventsAreTakenUpWhereTheyBrokeOff(t *testing.T) {
	t.Parallel()
	c, s := play(t,
		says(200, ": listening\n\nid: 4\nevent: turns.added\ndata: {\"at\":\"2026-03-02T09:31:00Z\",\"turns\":[{\"text\":\"hello\"}]}\n\nevent: briefing.updated\ndata: {\"briefing\":{\"text\":\"b\"}}\n\nid: 5\nevent: turns.add"),
		says(503, `{"detail":"draining","status":503}`),
		says(200, ": listening\r\n\r\n: heartbeat\r\n\r\nid: 5\r\nevent: conversation.ended\r\ndata: {\"status\":\r\ndata: \"failed\"}\r\n\r\nid: 6\nevent: turns.added\ndata: {}\n\n"),
	)
	var got []string
	for e, err := range c.Events(context.Background(), "a/b") {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprintf("%d %s", e.ID, e.Type))
		if e.Type == EventConversationEnded && e.Status != recaller.Failed {
			t.Errorf("got %+v, want it failed", e)
		}
	}
	if want := []string{"4 turns.added", "0 briefing.updated", "5 conversation.ended"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	for i, want := range []string{"", "4", "4"} {
		if got := s.requests[i].Header.Get("Last-Event-ID"); got != want {
			t.Errorf("request %d: got Last-Event-ID %q, want %q", i, got, want)
		}
	}
	if got := s.requests[0].URL.EscapedPath(); got != "/v1/conversations/a%2Fb/events" {
		t.Errorf("got the path %q", got)
	}
}

func TestEventsEndWithTheirError(t *testing.T) {
	t.Parallel()
	c, s := play(t, says(404, `{"detail":"no such conversation","status":404}`))
	var last error
	for _, err := range c.Events(context.Background(), "x") {
		last = err
	}
	if !IsNotFound(last) || s.asked() != 1 {
		t.Errorf("got %v after %d requests, want not found after one", last, s.asked())
	}
	c, _ = play(t, says(200, "event: error\ndata: {\"reason\":\"too slow\"}\n\n"))
	for e, err := range c.Events(context.Background(), "x") {
		if err != nil || e.Type != EventError || e.Reason != "too slow" {
			t.Errorf("got %+v, %v", e, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	c, _ = play(t, func(_ http.ResponseWriter, r *http.Request) { cancel(); <-r.Context().Done() })
	for _, err := range c.Events(ctx, "x") {
		last = err
	}
	if !errors.Is(last, context.Canceled) {
		t.Errorf("got %v, want that it was cancelled", last)
	}
}

func TestADueTimeIsLeftSetOrCleared(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 5, 9, 0, 0, 0, time.UTC)
	tests := []struct {
		due  Due
		want string
	}{
		{Due{}, `{}`}, {NoDue(), `{"due_at":null}`}, {DueAt(at), `{"due_at":"2026-03-05T09:00:00Z"}`},
	}
	for _, test := range tests {
		b, err := json.Marshal(MemoryPatch{DueAt: test.due})
		if err != nil || string(b) != test.want {
			t.Errorf("got %s, %v; want %s", b, err, test.want)
		}
		var back MemoryPatch
		if err := json.Unmarshal(b, &back); err != nil || back.DueAt != test.due {
			t.Errorf("%s: got %+v, %v; want %+v", b, back.DueAt, err, test.due)
		}
	}
}

func FuzzReadEvents(f *testing.F) {
	f.Add("id: 4\nevent: turns.added\ndata: {}\n\n")
	f.Add(": c\n\ndata: {\"memory\":{\"id\":\"x\"}}\n\nid: -1\n\n\n")
	f.Fuzz(func(t *testing.T, stream string) {
		c, err := New("http://x", "", WithRetries(0), WithHTTPClient(&http.Client{Transport: answering(stream)}))
		if err != nil {
			t.Fatal(err)
		}
		for range c.Events(context.Background(), "x") {
		}
	})
}

// answering is a transport that answers every request with the same text.
type answering string

func (a answering) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: 200, Body: io.NopCloser(strings.NewReader(string(a)))}, nil
}
