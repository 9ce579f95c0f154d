package chatproxy

import (
	"encoding/json"
	"errors"
	"net/http"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/httpdoor"
)

// writer notes what is answered.
type writer struct {
	http.ResponseWriter
	status int
	bytes  int64
	ours   bool  // the answer is a refusal of ours, not the upstream's
	gone   error // why nothing more can be written: the client is away
}

// Unwrap lets http.ResponseController through.
func (w *writer) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// WriteHeader sends the status.
func (w *writer) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write sends a part of the body.
func (w *writer) Write(p []byte) (int, error) {
	if w.status == 0 {
		w.WriteHeader(http.StatusOK)
	}
	n, err := w.ResponseWriter.Write(p) // what the upstream answers is handed through as it is
	w.bytes += int64(n)
	if err != nil {
		w.gone = err
	}
	return n, err
}

// Flush sends what is held back.
func (w *writer) Flush() {
	if err := http.NewResponseController(w.ResponseWriter).Flush(); err != nil && !errors.Is(err, http.ErrNotSupported) {
		w.gone = err
	}
}

// failed answers as the provider would. Only the client-safe message leaves the process.
func failed(w *writer, to wire, err error) {
	if w.status != 0 {
		return // the answer is under way
	}
	p := httpdoor.ProblemOf(err)
	h := w.Header()
	for name, values := range p.GetHeaders() {
		h[name] = values
	}
	h.Del("Content-Length")
	h.Set("Content-Type", "application/json")
	w.ours = true
	w.WriteHeader(p.Status)
	_, _ = w.Write(to.failure(p)) // the client is gone: nobody is left to tell
}

// errorBody writes a problem as OpenAI's clients read it.
func errorBody(p *httpdoor.Problem) []byte {
	kind, code := "invalid_request_error", p.Code
	switch {
	case p.Status == http.StatusUnauthorized:
		code = "invalid_api_key"
	case p.Status == http.StatusTooManyRequests:
		kind, code = "rate_limit_error", "rate_limit_exceeded"
	case p.Status >= http.StatusInternalServerError:
		kind = "server_error"
	}
	var param any
	if p.Field != "" {
		param = p.Field
	}
	out, _ := json.Marshal(map[string]any{"error": map[string]any{ // of texts, which cannot fail
		"message": p.Detail, "type": kind, "param": param, "code": code,
	}})
	return out
}

// unreachable is the failure of an upstream that did not answer.
func unreachable(err error) error {
	if errors.Is(err, errNoUpstream) {
		return httpdoor.Simple(http.StatusServiceUnavailable, "no_upstream",
			"no upstream is configured: set the tenant's own (PUT /v1/upstream), or the server's RECALLER_PROXY_BASE_URL")
	}
	return &unreached{httpdoor.Simple(http.StatusBadGateway, "upstream_unreachable", "the upstream did not answer")}
}

// unreached is a problem that is logged by its kind. The cause, which may hold an address, is not told.
type unreached struct{ *httpdoor.Problem }

func (u *unreached) Unwrap() []error { return []error{u.Problem, recaller.Unavailable} }
