// Package upstreamtest is an endpoint of chat completions, and of Anthropic's messages, for tests: it keeps what it was asked, and answers as it is
// told, whole or in a stream: texts, calls of tools, usage, refusals of every kind, answers that break off or hang.
package upstreamtest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/tidwall/gjson"
)

// Request is what the endpoint was asked.
type Request struct {
	N      int // from 1
	Path   string
	Header http.Header
	Body   gjson.Result
	gone   <-chan struct{}
}

// Roles returns the roles of the messages, with spaces between.
func (r Request) Roles() string {
	var roles []string
	for _, m := range r.Body.Get("messages").Array() {
		roles = append(roles, m.Get("role").String())
	}
	return strings.Join(roles, " ")
}

// System returns what system messages say.
func (r Request) System() string {
	return r.Body.Get(`messages.#(role=="system")#.content`).String()
}

// Call is a call of a tool.
type Call struct{ ID, Name, Arguments string }

// halves are the pieces in which the arguments are streamed.
func (c Call) halves() []string {
	half := len(c.Arguments) / 2
	return []string{c.Arguments[:half], c.Arguments[half:]}
}

// Answer is how a request is answered. In a stream each piece is a chunk.
type Answer struct {
	Pieces  []string
	Calls   []Call
	Choices int    // 0: one
	Usage   bool   // 9 tokens asked, 3 answered
	Lines   string // the stream as it is, in place of one that is made
	Status  int    // with Body: a refusal
	Header  map[string]string
	Body    string
	Break   bool            // break off behind the pieces
	Wait    <-chan struct{} // before the last piece
	Hang    bool            // behind the pieces, until the client is away
}

// Upstream is the endpoint.
type Upstream struct {
	*httptest.Server
	mu       sync.Mutex // guards what follows
	requests []Request
	answer   func(Request) Answer
	gone     chan struct{} // one for each request that hung until its client was away
}

// New starts an endpoint that answers everything with "Hello."
func New(tb testing.TB) *Upstream {
	u := &Upstream{gone: make(chan struct{}, 100), answer: func(Request) Answer { return Answer{Pieces: []string{"Hello."}} }}
	u.Server = httptest.NewServer(u)
	tb.Cleanup(u.Close)
	return u
}

// Answer says how requests are answered from now on.
func (u *Upstream) Answer(fn func(Request) Answer) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.answer = fn
}

// Say has every request answered with these pieces.
func (u *Upstream) Say(pieces ...string) {
	u.Answer(func(Request) Answer { return Answer{Pieces: pieces} })
}

// Requests returns what was asked.
func (u *Upstream) Requests() []Request {
	u.mu.Lock()
	defer u.mu.Unlock()
	return slices.Clone(u.requests)
}

// Last returns what was asked last.
func (u *Upstream) Last() Request {
	list := u.Requests()
	return list[len(list)-1]
}

// Gone tells of each request whose client went away while it hung.
func (u *Upstream) Gone() <-chan struct{} { return u.gone }

// ServeHTTP answers a request.
func (u *Upstream) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	raw, _ := io.ReadAll(r.Body) // half a body is a test's own doing
	u.mu.Lock()
	in := Request{N: len(u.requests) + 1, Path: r.URL.Path, Header: r.Header, Body: gjson.ParseBytes(raw), gone: r.Context().Done()}
	u.requests = append(u.requests, in)
	answer := u.answer
	u.mu.Unlock()
	a := answer(in)
	for name, value := range a.Header {
		w.Header().Set(name, value)
	}
	w.Header().Set("X-Request-Id", fmt.Sprintf("req_%d", in.N))
	switch {
	case a.Status != 0:
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(a.Status)
		_, _ = io.WriteString(w, a.Body)
	case strings.HasSuffix(r.URL.Path, "/models"):
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"object":"list","data":[{"id":"m-1","object":"model"}]}`)
	case strings.HasSuffix(r.URL.Path, "/count_tokens"):
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"input_tokens":9}`)
	case strings.HasSuffix(r.URL.Path, "/messages"):
		u.messages(w, in, a)
	case in.Body.Get("stream").Bool():
		u.stream(w, in, a)
	default:
		u.whole(w, in, a)
	}
}

// callsOf writes calls, with an index where they are of a stream.
func callsOf(calls []Call, indexed bool) []map[string]any {
	out := []map[string]any{}
	for i, c := range calls {
		one := map[string]any{"id": c.ID, "type": "function", "function": map[string]any{"name": c.Name, "arguments": c.Arguments}}
		if indexed {
			one["index"] = i
		}
		out = append(out, one)
	}
	return out
}

func (u *Upstream) whole(w http.ResponseWriter, in Request, a Answer) {
	if a.Hang {
		<-in.gone
		u.gone <- struct{}{}
		return
	}
	text := strings.Join(a.Pieces, "")
	message := map[string]any{"role": "assistant", "content": text, "refusal": nil}
	finish := "stop"
	if len(a.Calls) > 0 {
		message["tool_calls"], finish = callsOf(a.Calls, false), "tool_calls"
		if text == "" {
			message["content"] = nil
		}
	}
	var choices []any
	for i := range max(1, a.Choices) {
		choices = append(choices, map[string]any{"index": i, "message": message, "finish_reason": finish})
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{
		"id": fmt.Sprintf("chatcmpl-%d", in.N), "object": "chat.completion", "created": 1760000000 + in.N, "model": "m-1",
		"choices": choices, "usage": usage(), "service_tier": "default",
	})
}

func usage() map[string]any {
	return map[string]any{"prompt_tokens": 9, "completion_tokens": 3, "total_tokens": 12}
}

// stream answers chunk by chunk.
func (u *Upstream) stream(w http.ResponseWriter, in Request, a Answer) {
	w.Header().Set("Content-Type", "text/event-stream")
	flush := http.NewResponseController(w).Flush
	if a.Lines != "" {
		_, _ = io.WriteString(w, a.Lines)
		return
	}
	send := func(index int, delta map[string]any, finish any) {
		u.send(w, in, []any{map[string]any{"index": index, "delta": delta, "finish_reason": finish}}, nil)
		_ = flush() // who is away needs none
	}
	for c := range max(1, a.Choices) {
		send(c, map[string]any{"role": "assistant", "content": ""}, nil)
	}
	for i, piece := range a.Pieces {
		if a.Wait != nil && i == len(a.Pieces)-1 {
			<-a.Wait
		}
		for c := range max(1, a.Choices) {
			send(c, map[string]any{"content": piece}, nil)
		}
	}
	if u.broke(a, in) {
		return
	}
	finish := "stop"
	for i, c := range a.Calls {
		finish = "tool_calls"
		head := callsOf([]Call{{c.ID, c.Name, ""}}, true)
		head[0]["index"] = i
		send(0, map[string]any{"tool_calls": head}, nil)
		for _, piece := range c.halves() {
			send(0, map[string]any{"tool_calls": []any{map[string]any{"index": i, "function": map[string]any{"arguments": piece}}}}, nil)
		}
	}
	for c := range max(1, a.Choices) {
		send(c, map[string]any{}, finish)
	}
	if a.Usage {
		u.send(w, in, []any{}, usage())
	}
	_, _ = io.WriteString(w, "data: [DONE]\n\n")
}

// broke reports that a stream does not go on: it breaks off, or who asks went away.
func (u *Upstream) broke(a Answer, in Request) bool {
	switch {
	case a.Break:
		panic(http.ErrAbortHandler)
	case a.Hang:
		<-in.gone
		u.gone <- struct{}{}
		return true
	}
	return false
}

func (u *Upstream) send(w io.Writer, in Request, choices []any, usage any) {
	chunk, _ := json.Marshal(map[string]any{ // of what is here, which cannot fail
		"id": fmt.Sprintf("chatcmpl-%d", in.N), "object": "chat.completion.chunk", "created": 1760000000 + in.N, "model": "m-1",
		"choices": choices, "usage": usage,
	})
	_, _ = fmt.Fprintf(w, "data: %s\n\n", chunk)
}
