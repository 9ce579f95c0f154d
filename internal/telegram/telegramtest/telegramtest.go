// Package telegramtest is a Bot API server for tests. It speaks the real wire: updates that stay until an offset
// confirms them, webhooks with their secret, forms and JSON, files, and the failures of the real one.
package telegramtest

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf16"
)

// Token is the bot's; ID and Name are who it is.
const (
	Token = "4242:test-token"
	ID    = 4242
	Name  = "recaller_bot"
)

// hold has a method fail from some request on.
type hold struct {
	after int
	with  Failure
}

func date() int64 { return time.Now().Unix() } //nolint:forbidigo // a server of its own

// Call is one request of the bot's.
type Call struct {
	Method string
	Params map[string]string // as a form has them; of JSON each value as it stands
	Files  map[string][]byte
}

// Failure is an answer with which a request fails.
type Failure struct {
	Status      int
	Description string
	RetryAfter  int
	MigrateTo   int64
}

// Server is a Bot API server. Make it with New.
type Server struct {
	URL string

	mu        sync.Mutex
	updates   []Update // that are not confirmed
	next      int64
	message   int
	calls     []Call
	failures  map[string][]Failure
	holds     map[string]hold
	stalls    []*stall
	migrated  map[string]int64
	files     map[string][]byte
	polls     int           // how many polls there were: an older one ends when another comes
	changed   chan struct{} // closed and made anew with each change
	webhook   string
	secret    string
	members   int
	delivered sync.WaitGroup
}

// Update is one as JSON has it.
type Update map[string]any

// New returns a server that ends with the test.
func New(t *testing.T) *Server {
	s := &Server{
		next: 7001, message: 100, failures: map[string][]Failure{}, holds: map[string]hold{}, files: map[string][]byte{}, changed: make(chan struct{}), members: 2,
	}
	srv := httptest.NewServer(s)
	s.URL = srv.URL
	t.Cleanup(func() { s.delivered.Wait(); srv.CloseClientConnections(); srv.Close() })
	return s
}

func (s *Server) change() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// Send has somebody send a message: fields are those of Message beside its id, date, from and chat where they are given.
// It returns the message's id.
func (s *Server) Send(from int64, fields map[string]any) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.message++
	m := map[string]any{
		"message_id": s.message, "date": date(),
		"from": map[string]any{"id": from, "is_bot": false, "first_name": "Ana", "language_code": "en"},
		"chat": map[string]any{"id": from, "type": "private"},
	}
	maps.Copy(m, fields)
	if text, _ := m["text"].(string); strings.HasPrefix(text, "/") && m["entities"] == nil {
		word, _, _ := strings.Cut(text, " ")
		m["entities"] = []any{map[string]any{"type": "bot_command", "offset": 0, "length": len(word)}}
	}
	s.push(Update{"message": m})
	id, _ := m["message_id"].(int)
	return id
}

// Say has somebody write a text in a direct chat.
func (s *Server) Say(from int64, text string) int { return s.Send(from, map[string]any{"text": text}) }

// Push adds an update.
func (s *Server) Push(u Update) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.push(u)
}

func (s *Server) push(u Update) {
	if u["update_id"] == nil {
		u["update_id"] = s.next
		s.next++
	}
	s.updates = append(s.updates, u)
	if s.webhook != "" {
		s.delivered.Go(func() { s.deliver(u) })
	}
	s.change()
}

// deliver posts an update to the webhook until it is taken.
func (s *Server) deliver(u Update) {
	raw, _ := json.Marshal(u)
	for range 50 {
		s.mu.Lock()
		at, secret, changed := s.webhook, s.secret, s.changed
		s.mu.Unlock()
		if at == "" {
			return
		}
		req, err := http.NewRequestWithContext(context.Background(), http.MethodPost, at, bytes.NewReader(raw))
		if err != nil {
			return
		}
		req.Header.Set("X-Telegram-Bot-Api-Secret-Token", secret)
		res, err := http.DefaultClient.Do(req)
		if err == nil {
			_ = res.Body.Close()
			if res.StatusCode < 300 {
				return
			}
		}
		select {
		case <-changed:
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// Fail has the next requests of a method fail, one after the other.
func (s *Server) Fail(method string, list ...Failure) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failures[method] = append(s.failures[method], list...)
}

// Hold has every request of a method fail after so many were answered, until Release.
func (s *Server) Hold(method string, after int, f Failure) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.holds[method] = hold{after, f}
}

// Release ends a Hold.
func (s *Server) Release(method string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.holds, method)
}

// held returns the failure of a method that is held.
func (s *Server) held(method string) *Failure {
	h, ok := s.holds[method]
	if !ok {
		return nil
	}
	n := 0
	for _, c := range s.calls {
		if c.Method == method {
			n++
		}
	}
	if n < h.after {
		return nil
	}
	return &h.with
}

// File holds a file by its id.
func (s *Server) File(id string, content []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.files[id] = content
}

// Members says how many members a chat has.
func (s *Server) Members(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.members = n
}

// Calls returns the requests of a method so far that were answered.
func (s *Server) Calls(method string) (list []Call) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.calls {
		if c.Method == method {
			list = append(list, c)
		}
	}
	return list
}

// Await waits until there are n requests of a method, and returns them all.
func (s *Server) Await(t *testing.T, method string, n int) []Call {
	t.Helper()
	deadline := time.After(time.Minute)
	for {
		s.mu.Lock()
		changed := s.changed
		s.mu.Unlock()
		if list := s.Calls(method); len(list) >= n {
			return list
		}
		select {
		case <-changed:
		case <-deadline:
			t.Fatalf("waited in vain for %d of %s: got %+v", n, method, s.Calls(method))
		}
	}
}

// Unconfirmed returns how many updates would be sent again.
func (s *Server) Unconfirmed() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.updates)
}

// ServeHTTP answers the bot.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if id, ok := strings.CutPrefix(r.URL.Path, "/file/bot"+Token+"/files/"); ok {
		s.mu.Lock()
		content, held := s.files[id]
		s.mu.Unlock()
		if !held {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write(content)
		return
	}
	method, ok := strings.CutPrefix(r.URL.Path, "/bot"+Token+"/")
	if !ok {
		fail(w, Failure{Status: http.StatusUnauthorized, Description: "Unauthorized"})
		return
	}
	c := Call{Method: method, Params: map[string]string{}, Files: map[string][]byte{}}
	if err := c.read(r); err != nil {
		fail(w, Failure{Status: http.StatusBadRequest, Description: "Bad Request: " + err.Error()})
		return
	}
	result, failure := s.do(r.Context(), c)
	if failure != nil {
		fail(w, *failure)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{"ok": true, "result": result})
}

func (c *Call) read(r *http.Request) error {
	if strings.HasPrefix(r.Header.Get("Content-Type"), "application/json") {
		var in map[string]json.RawMessage
		err := json.NewDecoder(r.Body).Decode(&in)
		for name, v := range in {
			c.Params[name] = strings.Trim(string(v), `"`)
		}
		return err
	}
	if r.ContentLength == 0 {
		return nil
	}
	err := r.ParseMultipartForm(64 << 20) //nolint:gosec // of a test
	_, _ = io.Copy(io.Discard, r.Body)    // what follows the form: until all is read, it is not noticed that who asks is gone
	if err != nil || r.MultipartForm == nil {
		return nil //nolint:nilerr // a method without parameters
	}
	for name, v := range r.MultipartForm.Value {
		c.Params[name] = v[0]
	}
	for name, list := range r.MultipartForm.File {
		f, err := list[0].Open()
		if err != nil {
			return err
		}
		c.Files[name], _ = io.ReadAll(f)
		_ = f.Close()
	}
	return nil
}

func fail(w http.ResponseWriter, f Failure) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(f.Status)
	out := map[string]any{"ok": false, "error_code": f.Status, "description": f.Description}
	if f.RetryAfter > 0 {
		out["parameters"] = map[string]any{"retry_after": f.RetryAfter}
	}
	if f.MigrateTo != 0 {
		out["parameters"] = map[string]any{"migrate_to_chat_id": f.MigrateTo}
	}
	_ = json.NewEncoder(w).Encode(out)
}

func (s *Server) do(ctx context.Context, c Call) (any, *Failure) {
	if c.Method == "getUpdates" {
		return s.poll(ctx, c)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stalled(ctx, c) {
		return nil, gone()
	}
	failing := s.held(c.Method)
	if to, ok := s.migrated[c.Params["chat_id"]]; ok {
		failing = upgraded(to)
	}
	if list := s.failures[c.Method]; len(list) > 0 {
		s.failures[c.Method], failing = list[1:], &list[0]
	}
	if failing != nil {
		s.calls = append(s.calls, Call{Method: c.Method + " failed", Params: c.Params})
		s.change()
		return nil, failing
	}
	result, failure := s.answer(c) //nolint:contextcheck // what it posts outlasts the request
	if failure == nil {
		s.calls = append(s.calls, c)
		s.change()
	}
	return result, failure
}

func (s *Server) answer(c Call) (any, *Failure) {
	switch c.Method {
	case "getMe":
		return map[string]any{"id": ID, "is_bot": true, "first_name": "Recaller", "username": Name}, nil
	case "sendMessage":
		if f := check(c.Params["text"], c.Params["entities"], 4096); f != nil {
			return nil, f
		}
		return s.sent(c), nil
	case "sendVoice", "sendDocument":
		if f := check(c.Params["caption"], c.Params["caption_entities"], 1024); f != nil && c.Params["caption"] != "" {
			return nil, f
		}
		return s.sent(c), nil
	case "editMessageText":
		return s.sent(c), nil
	case "getFile":
		id := c.Params["file_id"]
		if s.files[id] == nil {
			return nil, &Failure{Status: http.StatusBadRequest, Description: "Bad Request: wrong file_id"}
		}
		return map[string]any{"file_id": id, "file_unique_id": "u" + id, "file_path": "files/" + id}, nil
	case "getChatMemberCount":
		return s.members, nil
	case "setWebhook":
		s.webhook, s.secret = c.Params["url"], c.Params["secret_token"]
		for _, u := range s.updates {
			s.delivered.Go(func() { s.deliver(u) })
		}
		return true, nil
	case "deleteWebhook":
		s.webhook = ""
		return true, nil
	case "sendChatAction", "answerCallbackQuery":
		return true, nil
	}
	return nil, &Failure{Status: http.StatusNotFound, Description: "Not Found"}
}

func (s *Server) sent(c Call) any {
	s.message++
	chat, _ := strconv.ParseInt(c.Params["chat_id"], 10, 64)
	return map[string]any{
		"message_id": s.message, "date": date(), "text": c.Params["text"], "chat": map[string]any{"id": chat, "type": "private"},
	}
}

// check refuses a text as the real server does.
func check(text, entities string, most int) *Failure {
	n := len(utf16.Encode([]rune(text)))
	switch {
	case strings.TrimSpace(text) == "":
		return &Failure{Status: http.StatusBadRequest, Description: "Bad Request: message text is empty"}
	case n > most:
		return &Failure{Status: http.StatusBadRequest, Description: "Bad Request: message is too long"}
	case entities == "":
		return nil
	}
	var list []struct{ Offset, Length int }
	if json.Unmarshal([]byte(entities), &list) != nil {
		return &Failure{Status: http.StatusBadRequest, Description: "Bad Request: can't parse entities"}
	}
	for _, e := range list {
		if e.Offset < 0 || e.Length <= 0 || e.Offset+e.Length > n {
			return &Failure{Status: http.StatusBadRequest, Description: "Bad Request: can't parse entities: out of range"}
		}
	}
	return nil
}

// poll answers getUpdates: what its offset confirms is gone, and without anything to send it waits.
func (s *Server) poll(ctx context.Context, c Call) (any, *Failure) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stalled(ctx, c) {
		return nil, gone()
	}
	if list := s.failures[c.Method]; len(list) > 0 {
		s.failures[c.Method] = list[1:]
		return nil, &list[0]
	}
	if s.webhook != "" {
		return nil, &Failure{Status: http.StatusConflict, Description: "Conflict: can't use getUpdates method while webhook is active"}
	}
	offset, _ := strconv.ParseInt(c.Params["offset"], 10, 64)
	seconds, _ := strconv.Atoi(c.Params["timeout"])
	s.polls++
	mine := s.polls
	s.confirm(offset)
	s.change()
	end := time.After(time.Duration(seconds) * time.Second)
	for len(s.updates) == 0 && seconds > 0 {
		changed := s.changed
		s.mu.Unlock()
		over := false
		select {
		case <-changed:
		case <-end:
			over = true
		case <-ctx.Done():
			over = true
		}
		s.mu.Lock()
		if s.polls != mine {
			return nil, &Failure{Status: http.StatusConflict, Description: "Conflict: terminated by other getUpdates request"}
		}
		if over {
			break
		}
	}
	return append([]Update{}, s.updates[:min(len(s.updates), 100)]...), nil
}

func (s *Server) confirm(offset int64) {
	for len(s.updates) > 0 {
		id, _ := s.updates[0]["update_id"].(int64)
		if id >= offset {
			return
		}
		s.updates = s.updates[1:]
	}
}
