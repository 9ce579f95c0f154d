package telephonytest

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// APIKey is that of Telnyx's API.
const APIKey = "KEY0123456789"

// Telnyx is Telnyx's API for calls, at URL. It takes a command that comes again with the same id for one.
type Telnyx struct {
	*httptest.Server
	mu       sync.Mutex
	commands []Command
	ids      map[string]bool
	tries    int
	failures []int
	over     map[string]bool
	came     chan struct{}
}

// Command is what a call was to do.
type Command struct {
	Call, Action string
	Fields       map[string]any
}

// NewTelnyx starts one.
func NewTelnyx(tb testing.TB) *Telnyx {
	tb.Helper()
	t := &Telnyx{ids: map[string]bool{}, over: map[string]bool{}, came: make(chan struct{}, 1000)}
	t.Server = httptest.NewServer(http.HandlerFunc(t.serve))
	tb.Cleanup(t.Close)
	return t
}

// Fail has the next tries fail with these statuses.
func (t *Telnyx) Fail(statuses ...int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.failures = statuses
}

// HangUp has a call be over: commands about it are refused, as Telnyx does.
func (t *Telnyx) HangUp(call string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.over[call] = true
}

// Commands lists what was taken, each once.
func (t *Telnyx) Commands() []Command {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append([]Command(nil), t.commands...)
}

// Tries is how often a command came, also such as was not taken.
func (t *Telnyx) Tries() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.tries
}

// Await waits for the nth command to be taken, counted from 1, and returns it.
func (t *Telnyx) Await(tb testing.TB, n int) Command {
	tb.Helper()
	for deadline := time.After(time.Minute); ; {
		if list := t.Commands(); len(list) >= n {
			return list[n-1]
		}
		select {
		case <-t.came:
		case <-deadline:
			tb.Fatalf("waited in vain for command %d", n)
		}
	}
}

func (t *Telnyx) serve(w http.ResponseWriter, r *http.Request) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.tries++
	if len(t.failures) > 0 {
		status := t.failures[0]
		t.failures = t.failures[1:]
		w.WriteHeader(status)
		return
	}
	raw, err := io.ReadAll(r.Body)
	c := Command{Fields: map[string]any{}}
	rest, isCall := strings.CutPrefix(r.URL.Path, "/calls/")
	c.Call, c.Action, _ = strings.Cut(rest, "/actions/")
	id := ""
	if json.Unmarshal(raw, &c.Fields) == nil {
		id, _ = c.Fields["command_id"].(string)
	}
	switch {
	case err != nil || !isCall || id == "" || r.Method != http.MethodPost:
		w.WriteHeader(http.StatusBadRequest)
		return
	case r.Header.Get("Authorization") != "Bearer "+APIKey:
		w.WriteHeader(http.StatusUnauthorized)
		return
	case t.over[c.Call]:
		w.WriteHeader(http.StatusUnprocessableEntity)
		_, _ = io.WriteString(w, `{"errors":[{"code":"90018","title":"Call has already ended"}]}`)
		return
	}
	if !t.ids[id] {
		t.ids[id] = true
		t.commands = append(t.commands, c)
		t.came <- struct{}{}
	}
	_, _ = io.WriteString(w, `{"data":{"result":"ok"}}`)
}

// Event signs and posts an event about a call. Fields are added to its payload.
func (p Platform) Event(tb testing.TB, target, kind, call string, fields map[string]any) Answer {
	tb.Helper()
	payload := map[string]any{"call_control_id": call, "call_leg_id": "leg", "call_session_id": "session", "client_state": nil, "tags": []any{}}
	for name, v := range fields {
		payload[name] = v
	}
	body, err := json.Marshal(map[string]any{
		"data": map[string]any{"record_type": "event", "event_type": kind, "id": "event-" + kind + call, "payload": payload},
		"meta": map[string]any{"attempt": 1},
	})
	if err != nil {
		tb.Fatal(err)
	}
	p.Telnyx = true
	header := p.Sign(target, string(body), nil)
	header.Set("Content-Type", "application/json")
	a, err := Send(tb.Context(), p.Server+target, header, string(body))
	if err != nil {
		tb.Fatal(err)
	}
	return a
}
