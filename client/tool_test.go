package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
)

func TestToolsGoByTheirNamesWithTheirFields(t *testing.T) {
	t.Parallel()
	in := ToolContext{CallSessionID: "c", LineID: "l", AccountID: "a"}
	half := 0.5
	tests := []struct {
		path, body string
		call       func(context.Context, *Client) (ToolAnswer, error)
	}{
		{
			"/tools/store_memory",
			`{"callSessionId":"c","lineId":"l","accountId":"a","memoryType":"fact","key":"k","value":"v","confidence":0.5,"suggestReminder":true}`,
			func(ctx context.Context, c *Client) (ToolAnswer, error) {
				return c.StoreMemoryTool(ctx, StoreMemoryCall{ToolContext: in, MemoryType: recaller.Fact, Key: "k", Value: "v", Confidence: &half, SuggestReminder: true})
			},
		},
		{
			"/tools/update_memory", `{"callSessionId":"c","lineId":"l","accountId":"a","existingKey":"k","newValue":"v"}`,
			func(ctx context.Context, c *Client) (ToolAnswer, error) {
				return c.UpdateMemoryTool(ctx, UpdateMemoryCall{ToolContext: in, ExistingKey: "k", NewValue: "v"})
			},
		},
		{
			"/tools/call", `{"callSessionId":"c","name":"forget_memory","arguments":{"key":"k"},"call_id":"call_7"}`,
			func(ctx context.Context, c *Client) (ToolAnswer, error) {
				return c.CallTool(ctx, ToolCall{CallSessionID: "c", Name: recaller.ToolForgetMemory, Arguments: json.RawMessage(`{"key":"k"}`), CallID: "call_7"})
			},
		},
	}
	for _, test := range tests {
		c, s := play(t, says(200, `{"success":true,"memoryId":"m","action":"updated","reminderId":"r","dueAt":"2031-05-01T09:00:00Z"}`))
		got, err := test.call(context.Background(), c)
		if err != nil || !got.Success || got.MemoryID != "m" || got.Action != recaller.MemoryUpdated || got.ReminderID != "r" || got.DueAt.Year() != 2031 {
			t.Errorf("%s: got %+v, %v", test.path, got, err)
		}
		if r := s.requests[0]; r.URL.Path != test.path || s.bodies[0] != test.body || r.Header.Get("Idempotency-Key") == "" {
			t.Errorf("got %s %s %v, want %s %s with an idempotency key", r.URL.Path, s.bodies[0], r.Header, test.path, test.body)
		}
	}
}

func TestAToolsFailureIsAProblem(t *testing.T) {
	t.Parallel()
	c, s := play(t, says(400, `{"success":false,"error":"Missing required fields: key, value"}`))
	_, err := c.StoreMemoryTool(context.Background(), StoreMemoryCall{})
	var p *Problem
	if !errors.As(err, &p) || p.Status != 400 || p.Detail != "Missing required fields: key, value" || p.RequestID != "req-1" || s.asked() != 1 {
		t.Errorf("got %#v after %d requests", err, s.asked())
	}
	c, _ = play(t, says(404, `{"success":false,"error":"no such conversation"}`))
	if _, err := c.CallTool(context.Background(), ToolCall{}); !IsNotFound(err) {
		t.Errorf("got %v, want not found", err)
	}
}

// A tool answers 500 where other routes answer 503; it may be tried again where the server says when.
func TestAToolIsRetriedWhereTheServerSaysWhen(t *testing.T) {
	t.Parallel()
	away := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "0")
		w.WriteHeader(500)
		fmt.Fprint(w, `{"success":false,"error":"the store is away"}`)
	}
	c, s := play(t, away, away, says(200, `{"success":true,"memoryId":"m"}`))
	if got, err := c.StoreMemoryTool(context.Background(), StoreMemoryCall{}); err != nil || got.MemoryID != "m" {
		t.Errorf("got %+v, %v", got, err)
	}
	if s.asked() != 3 || s.requests[0].Header.Get("Idempotency-Key") != s.requests[2].Header.Get("Idempotency-Key") {
		t.Errorf("got %d requests, want three with one key", s.asked())
	}
	c, s = play(t, says(500, `{"success":false,"error":"a fault"}`))
	if _, err := c.StoreMemoryTool(context.Background(), StoreMemoryCall{}); err == nil || s.asked() != 1 {
		t.Errorf("got %v after %d requests, want a failure after one", err, s.asked())
	}
}

func TestNewRoutesAreAskedAsTheyAre(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	due := time.Date(2031, 5, 1, 9, 0, 0, 0, time.UTC)
	tests := []struct {
		want  string // method, path, query and body
		keyed bool   // with an Idempotency-Key
		call  func(*Client) error
	}{
		{"GET /tools  ", false, func(c *Client) error { _, err := c.Tools(ctx); return err }},
		{`POST /v1/memories/m%2F1/undo  {"version":2}`, false, func(c *Client) error { _, err := c.UndoMemory(ctx, "m/1", 2); return err }},
		{`POST /v1/memories/m/undo  {}`, false, func(c *Client) error { _, err := c.UndoMemory(ctx, "m", 0); return err }},
		{`POST /v1/memories/m/reminder  {"due_at":"2031-05-01T09:00:00Z"}`, true, func(c *Client) error {
			_, err := c.SetReminder(ctx, "m", ReminderInput{DueAt: due})
			return err
		}},
		{"GET /v1/reminders caller_id=c&cursor=x&limit=7&status=dead ", false, func(c *Client) error {
			_, err := c.Reminders(ctx, ReminderFilter{CallerID: "c", Status: recaller.ReminderDead, Page: Page{Limit: 7, Cursor: "x"}})
			return err
		}},
		{"GET /v1/callers/c/reminders status=pending ", false, func(c *Client) error {
			_, err := c.CallerReminders(ctx, "c", ReminderFilter{Status: recaller.ReminderPending})
			return err
		}},
		{"DELETE /v1/reminders/r  ", false, func(c *Client) error { _, err := c.CancelReminder(ctx, "r"); return err }},
		{"POST /v1/reminders/r/retry  ", false, func(c *Client) error { _, err := c.RetryReminder(ctx, "r"); return err }},
		{"GET /v1/webhook  ", false, func(c *Client) error { _, err := c.Webhook(ctx); return err }},
		{`PUT /v1/webhook  {"url":"https://x"}`, false, func(c *Client) error { _, err := c.SetWebhook(ctx, WebhookInput{URL: "https://x"}); return err }},
		{"GET /v1/oauth  ", false, func(c *Client) error { _, err := c.OAuth(ctx); return err }},
		{`PUT /v1/oauth  {"issuer":"https://x"}`, false, func(c *Client) error { _, err := c.SetOAuth(ctx, OAuthInput{Issuer: "https://x"}); return err }},
		{"DELETE /v1/oauth  ", false, func(c *Client) error { return c.DeleteOAuth(ctx) }},
		{"DELETE /v1/webhook  ", false, func(c *Client) error { return c.DeleteWebhook(ctx) }},
		{"GET /v1/prompts  ", false, func(c *Client) error { _, err := c.Prompts(ctx); return err }},
		{"GET /v1/encryption  ", false, func(c *Client) error { _, err := c.Encryption(ctx); return err }},
		{"POST /v1/encryption/rotate  ", false, func(c *Client) error { _, err := c.RotateEncryption(ctx); return err }},
	}
	for _, test := range tests {
		c, s := play(t, says(200, `{}`))
		if err := test.call(c); err != nil {
			t.Errorf("%s: %v", test.want, err)
		}
		r := s.requests[0]
		if got := fmt.Sprintf("%s %s %s %s", r.Method, r.URL.EscapedPath(), r.URL.RawQuery, s.bodies[0]); got != test.want {
			t.Errorf("got %q, want %q", got, test.want)
		}
		if keyed := r.Header.Get("Idempotency-Key") != ""; keyed != test.keyed {
			t.Errorf("%s: an idempotency key is %v, want %v", test.want, keyed, test.keyed)
		}
	}
}
