package llmtest

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/recallerhq/recaller/internal/endpoint/endpointtest"
)

// dialect is one provider's format.
type dialect interface {
	path() string
	decode(raw []byte, q *Request) error
	whole(q Request, a answered) any
	pieces(q Request, a answered) []event // of a streamed answer; at least three
	problem(status int, kind, code, param, message string) any
	broken(message string) []byte
	models(names []string) []byte
}

// end is why an answer ended.
type end int

const (
	endStop end = iota
	endLength
	endFilter
	endRefusal
)

// answered is an answer before it is put into a format.
type answered struct {
	text    string
	end     end
	nothing bool // not even an empty text
	in, out int  // tokens
}

// whole is the answer that a model gives when all goes well. A token is four bytes.
func whole(q Request, text string) answered {
	return answered{text: text, in: (len(q.System) + len(q.Text) + 3) / 4, out: (len(text) + 3) / 4}
}

// event is one server-sent event; its name may be empty.
type event struct {
	name string
	data any
}

// exchange is one request and its response.
type exchange struct {
	w      http.ResponseWriter
	r      *http.Request
	q      Request
	speaks dialect
	answer answered
	param  string // that a problem is about
}

// send writes the answer as the provider would.
func (x *exchange) send() {
	x.head()
	for _, part := range x.parts() {
		x.part(part)
	}
}

// head begins the response.
func (x *exchange) head() {
	kind := "application/json"
	if x.q.Stream {
		kind = "text/event-stream; charset=utf-8"
	}
	x.w.Header().Set("Content-Type", kind)
	x.w.WriteHeader(http.StatusOK)
	x.flush()
}

// parts are what is written of the answer: events if it is streamed, else one body.
func (x *exchange) parts() [][]byte {
	if !x.q.Stream {
		return [][]byte{encode(x.speaks.whole(x.q, x.answer))}
	}
	var out [][]byte
	for _, e := range x.speaks.pieces(x.q, x.answer) {
		out = append(out, e.encode())
	}
	return out
}

// first sends a streamed answer up to its first word.
func (x *exchange) first() {
	for _, part := range x.parts()[:3] {
		x.part(part)
	}
}

func (x *exchange) body() []byte { return bytes.Join(x.parts(), nil) }

// part writes a piece at once. Where the client went there is nobody to tell.
func (x *exchange) part(b []byte) {
	_, _ = x.w.Write(b)
	x.flush()
}

func (x *exchange) flush() { _ = http.NewResponseController(x.w).Flush() } // only for timing

func (x *exchange) write(status int, kind string, body []byte) {
	endpointtest.Write(x.w, status, kind, body)
}

// problem writes an error that quotes what was asked.
func (x *exchange) problem(status int, kind, code, message string) {
	x.write(status, "application/json", encode(x.speaks.problem(status, kind, code, x.param, message+": "+x.quote())))
}

// quote is the beginning of what was asked.
func (x *exchange) quote() string {
	const most = 100
	text := strings.ToValidUTF8(x.q.Text[:min(len(x.q.Text), most)], "")
	return "near '" + text + "'"
}

func (e event) encode() []byte {
	var b bytes.Buffer
	if e.name != "" {
		b.WriteString("event: " + e.name + "\n")
	}
	b.WriteString("data: ")
	if done, ok := e.data.(string); ok {
		b.WriteString(done)
	} else {
		b.Write(encode(e.data))
	}
	b.WriteString("\n\n")
	return b.Bytes()
}

// encode writes JSON. What this package encodes can be.
func encode(v any) []byte {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return raw
}

// words splits a text into pieces as models stream them: a word with the space before it.
func words(text string) []string {
	var out []string
	for text != "" {
		i := strings.IndexByte(text[1:], ' ')
		if i < 0 {
			return append(out, text)
		}
		out = append(out, text[:i+1])
		text = text[i+1:]
	}
	return out
}
