package endpointtest

import (
	"bytes"
	"io"
	"net/http"
	"strings"
)

// Wire speaks the format of a fake, for one request. Of an answer it tells what the faults have made of it.
type Wire interface {
	Kind() string             // of the answer: its content type
	Parts() [][]byte          // the answer as it is written: one body, or at least three events of a stream
	Problem(p Problem) []byte // an error
	Asked() string            // what was asked, in words
}

// Problem is an error of a provider's. A format leaves out what it has no place for.
type Problem struct {
	Status            int
	Kind, Code, Param string // Code and Param may be empty
	Message           string
}

// Exchange is one request to a fake, and its response.
type Exchange struct {
	W    http.ResponseWriter
	R    *http.Request
	Wire Wire
}

// maxRequest bounds what is read of a request.
const maxRequest = 32 << 20

// Read reads the body of a request. It reports false if the client went.
func Read(r *http.Request) (body []byte, ok bool) {
	body, err := io.ReadAll(io.LimitReader(r.Body, maxRequest))
	return body, err == nil
}

// Bearer returns the key that a request has as its bearer token, or "".
func Bearer(r *http.Request) string {
	return strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
}

// Send writes the answer as the provider would.
func (x *Exchange) Send() {
	x.Head()
	for _, part := range x.Wire.Parts() {
		x.Part(part)
	}
}

// Head begins the response.
func (x *Exchange) Head() {
	x.W.Header().Set("Content-Type", x.Wire.Kind())
	x.W.WriteHeader(http.StatusOK)
	x.flush()
}

// First sends a streamed answer up to its first word, and nothing of a whole one.
func (x *Exchange) First() {
	if parts := x.Wire.Parts(); len(parts) > 1 {
		x.Part(bytes.Join(parts[:3], nil))
	}
}

// Body returns the whole answer.
func (x *Exchange) Body() []byte { return bytes.Join(x.Wire.Parts(), nil) }

// Part writes a piece at once. If the client went there is nobody to tell.
func (x *Exchange) Part(b []byte) {
	_, _ = x.W.Write(b)
	x.flush()
}

func (x *Exchange) flush() { _ = http.NewResponseController(x.W).Flush() } // only for timing

// Write answers with a body.
func (x *Exchange) Write(status int, kind string, body []byte) {
	x.W.Header().Set("Content-Type", kind)
	x.W.WriteHeader(status)
	x.Part(body)
}

// Problem answers with an error that quotes what was asked.
func (x *Exchange) Problem(p Problem) {
	p.Message += ": " + x.Quote()
	x.Write(p.Status, "application/json", x.Wire.Problem(p))
}

// Quote returns the beginning of what was asked.
func (x *Exchange) Quote() string {
	const most = 100
	text := x.Wire.Asked()
	return "near '" + strings.ToValidUTF8(text[:min(len(text), most)], "") + "'"
}
