package httpapi

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/httpdoor"
	"github.com/recallerhq/recaller/internal/memory"
)

// toolsPath begins the paths of the tools. Their failures have a form and statuses of their own, which the platforms
// that call them expect.
const toolsPath = "/tools/"

func isTool(path string) bool { return strings.HasPrefix(path, toolsPath) }

// toolError is a client.ToolFailure on its way out.
type toolError struct {
	client.ToolFailure
	status  int
	headers http.Header
	cause   error
}

// Error says what is sent.
func (f *toolError) Error() string { return f.ToolFailure.Error }

// Unwrap returns the cause.
func (f *toolError) Unwrap() error { return f.cause }

// GetStatus tells huma the status.
func (f *toolError) GetStatus() int { return f.status }

// GetHeaders tells huma the headers.
func (f *toolError) GetHeaders() http.Header { return f.headers }

// toolErrorOf makes a tool's failure of an error, with the words that a problem would have. The request's fault is a
// 400, ours a 500, with Retry-After if it may pass.
func toolErrorOf(err error) *toolError {
	var f *toolError
	if errors.As(err, &f) {
		return f
	}
	p := httpdoor.ProblemOf(err)
	f = &toolError{
		ToolFailure: client.ToolFailure{Error: p.Detail}, status: p.Status, headers: p.GetHeaders(), cause: err,
	}
	var several *memory.SeveralError
	if errors.As(err, &several) {
		f.Candidates = list(several.Candidates, candidateOut)
	}
	switch {
	case p.Status == http.StatusUnprocessableEntity:
		f.status = http.StatusBadRequest
	case p.Status >= http.StatusInternalServerError:
		f.status = http.StatusInternalServerError
	}
	return f
}

// write sends a failure outside of huma.
func (f *toolError) write(w http.ResponseWriter) {
	h := w.Header()
	for name, values := range f.headers {
		h[name] = values
	}
	h.Set("Content-Type", "application/json")
	h.Del("Content-Length")
	w.WriteHeader(f.status)
	_ = json.NewEncoder(w).Encode(f.ToolFailure) // the client is gone: nobody is left to tell
}

// faultOf gives an error the form that its path has.
func faultOf(path string, err error) huma.StatusError {
	if isTool(path) {
		return toolErrorOf(err)
	}
	return httpdoor.ProblemOf(err)
}

// refuse answers a request outside of huma, in the form that its route has.
func (x *exchange) refuse(err error) {
	x.Fail(err)
	if isTool(routeOf(x.r.Pattern)) {
		toolErrorOf(err).write(x.w)
		return
	}
	httpdoor.ProblemOf(err).Write(x.w)
}

// toolMeaning says when a tool answers a status.
func toolMeaning(status int) string {
	switch status {
	case http.StatusBadRequest:
		return "The body is not JSON, or a field is missing or wrong; `error` names it."
	case http.StatusConflict:
		return "It is not clear which memory is meant, or which words of the caller's: nothing was changed, and " +
			"`candidates` lists those that may be. Or the memory changed meanwhile, or the Idempotency-Key came with " +
			"another body."
	case http.StatusNotFound:
		return "There is no such conversation, caller or memory in this tenant, and for forget_memory the caller " +
			"said nothing of it either."
	case http.StatusInternalServerError:
		return "It could not be done: a part that is needed is away, such as the store, or a fault of the server. " +
			"Where it may pass, Retry-After says when."
	}
	return meaning(status)
}

// toolStatuses are the failures of a tool.
func toolStatuses() []int {
	return []int{
		http.StatusBadRequest, http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusConflict,
		http.StatusRequestEntityTooLarge, http.StatusTooManyRequests, http.StatusInternalServerError,
	}
}
