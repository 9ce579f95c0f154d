package cli

import (
	"context"
	"io"
	"net/http"
	"sync"
)

// inProcess carries HTTP requests to a handler without a network. Responses stream: a reader sees what the handler has
// written so far, so server-sent events work.
type inProcess struct {
	handler http.Handler
	running *sync.WaitGroup // the requests under way
	over    context.Context //nolint:containedctx // ends when the transport is closed: every request is a part of it
}

// serveInProcess returns a transport to the handler. closed ends the requests under way and waits for them: call it
// before closing what the handler uses.
func serveInProcess(h http.Handler) (t inProcess, closed func() error) {
	over, cancel := context.WithCancel(context.Background())
	t = inProcess{handler: h, running: &sync.WaitGroup{}, over: over}
	return t, func() error {
		cancel()
		t.running.Wait()
		return nil
	}
}

// RoundTrip serves the request with the handler and returns once the header is written. Closing the body, or the end of
// the request's context, ends the handler's context, as a lost connection would.
func (t inProcess) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancel(req.Context())
	context.AfterFunc(t.over, cancel) //nolint:contextcheck // the transport's end is the request's end too
	reader, writer := io.Pipe()
	context.AfterFunc(ctx, func() {
		_ = reader.CloseWithError(context.Canceled) // never fails
	})
	w := &pipeResponse{header: http.Header{}, body: writer, ready: make(chan struct{})}
	t.running.Go(func() {
		defer func() {
			broken := recover()
			w.WriteHeader(http.StatusOK)
			var end error
			if broken != nil { // as a connection that is lost
				end = io.ErrUnexpectedEOF
			}
			_ = writer.CloseWithError(end)                       // never fails
			if broken != nil && broken != http.ErrAbortHandler { //nolint:errorlint // the value that net/http defines for panics
				panic(broken)
			}
		}()
		in := incoming(ctx, req)
		defer in.Body.Close()
		t.handler.ServeHTTP(w, in)
	})
	select {
	case <-w.ready:
	case <-req.Context().Done():
		cancel()
		return nil, req.Context().Err()
	}
	return &http.Response{
		Status:        http.StatusText(w.status),
		StatusCode:    w.status,
		Proto:         "HTTP/1.1",
		ProtoMajor:    1,
		ProtoMinor:    1,
		Header:        w.sent,
		Body:          pipeBody{PipeReader: reader, cancel: cancel},
		ContentLength: -1,
		Request:       req,
	}, nil
}

// incoming is a client's request as a server sees it.
func incoming(ctx context.Context, req *http.Request) *http.Request {
	in := req.Clone(ctx)
	in.RequestURI = req.URL.RequestURI()
	in.RemoteAddr = "127.0.0.1:0"
	if in.Host == "" {
		in.Host = req.URL.Host
	}
	if in.Body == nil {
		in.Body = http.NoBody
	}
	return in
}

// pipeBody is a response body. Closing it hangs up.
type pipeBody struct {
	*io.PipeReader
	cancel context.CancelFunc
}

// Close ends the body and the handler's context.
func (b pipeBody) Close() error {
	b.cancel()
	return b.PipeReader.Close()
}

// pipeResponse is the handler's side of a response.
type pipeResponse struct {
	header http.Header
	body   *io.PipeWriter
	once   sync.Once
	ready  chan struct{} // closed when status and sent are set
	status int
	sent   http.Header
}

// Header returns the header that WriteHeader will send.
func (w *pipeResponse) Header() http.Header { return w.header }

// WriteHeader sends the header, once.
func (w *pipeResponse) WriteHeader(status int) {
	if status < http.StatusOK {
		return // our client has no use for interim answers
	}
	w.once.Do(func() {
		w.status = status
		w.sent = w.header.Clone()
		close(w.ready)
	})
}

// Write sends a piece of the body.
func (w *pipeResponse) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.body.Write(p)
}

// Flush sends the header. Nothing else is held back.
func (w *pipeResponse) Flush() { w.WriteHeader(http.StatusOK) }
