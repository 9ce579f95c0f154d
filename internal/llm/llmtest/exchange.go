package llmtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/recallerhq/recaller/internal/endpoint/endpointtest"
)

// dialect is one provider's format.
type dialect interface {
	path() string
	decode(raw []byte, q *Request) error
	whole(q Request, a answered) any
	pieces(q Request, a answered) []event // of a streamed answer; at least three
	problem(p endpointtest.Problem) any
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
	calls   []Call
	end     end
	nothing bool // not even an empty text
	in, out int  // tokens
}

// whole is the answer that a model gives when all goes well. A token is four bytes.
func whole(q Request, a Said) answered {
	size := len(a.Text)
	calls := slices.Clone(a.Calls)
	for i, c := range calls {
		size += len(c.Name) + len(c.Arguments)
		if c.ID == "" {
			calls[i].ID = fmt.Sprintf("call_%d_%d", q.N, i)
		}
	}
	return answered{text: a.Text, calls: calls, in: (len(q.System) + len(q.Text) + 3) / 4, out: (size + 3) / 4}
}

// withheld reports an answer of which nothing is told.
func (a answered) withheld() bool { return a.nothing || a.end == endRefusal || a.end == endFilter }

// event is one server-sent event; its name may be empty.
type event struct {
	name string
	data any
}

// exchange is one question and its answer, as a provider tells it. It implements endpointtest.Wire.
type exchange struct {
	q      Request
	speaks dialect
	answer answered
}

func (x *exchange) Kind() string {
	if x.q.Stream {
		return "text/event-stream; charset=utf-8"
	}
	return "application/json"
}

func (x *exchange) Parts() [][]byte {
	if !x.q.Stream {
		return [][]byte{encode(x.speaks.whole(x.q, x.answer))}
	}
	var out [][]byte
	for _, e := range x.speaks.pieces(x.q, x.answer) {
		out = append(out, e.encode())
	}
	return out
}

func (x *exchange) Problem(p endpointtest.Problem) []byte { return encode(x.speaks.problem(p)) }

func (x *exchange) Asked() string { return x.q.Text }

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
