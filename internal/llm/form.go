package llm

import (
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/endpoint"
)

// format is how an answer's JSON is asked for, the strictest way first.
type format int

const (
	bySchema format = iota // OpenAI: response_format json_schema; Anthropic: output_config
	byLesser               // OpenAI: response_format json_object; Anthropic: a tool that must be used
	byWords                // the instructions say it
)

// limit is how the length of an answer is bounded.
type limit int

const (
	byMaxTokens     limit = iota // what every endpoint knew once
	byMaxCompletion              // what reasoning models of OpenAI take
	unbounded
	fixed // max_tokens, which Anthropic insists on
)

// form is what an endpoint takes, as far as is known. The zero value takes everything.
type form struct {
	format format
	limit  limit
	mild   bool // send no temperature

	uncounted bool // do not ask for a stream's usage
	toolless  bool // send no tools
}

// firstForm is what an endpoint is assumed to take before it says otherwise.
func firstForm(provider string) form {
	if provider == Anthropic {
		return form{limit: fixed}
	}
	return form{}
}

// barest asks for as little as possible, but with the tools that are not known to be refused.
func (f form) barest() form {
	return form{format: byWords, limit: f.limit, mild: true, uncounted: true, toolless: f.toolless}
}

// relearn is when an endpoint is tried with everything again, because servers and models change.
const relearn = time.Hour

// habits remembers what an endpoint takes, so that not every question has to find out.
type habits struct {
	now   func() time.Time
	first form // while nothing is known

	mu    sync.Mutex // guards what follows
	form  form
	until time.Time
}

func (h *habits) known() form {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.now().After(h.until) {
		return h.first
	}
	return h.form
}

// learn notes the form that was just answered.
func (h *habits) learn(f form) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if now := h.now(); f != h.form || now.After(h.until) {
		h.form, h.until = f, now.Add(relearn)
	}
}

// Words by which a refusal names a part of the request. The messages of endpoints differ; the parameters' names do not.
var (
	lengthWords = []string{"max_tokens", "max_completion_tokens"}
	formatWords = []string{
		"response_format", "json_schema", "json_object", "schema", "structured output", "guided", "grammar",
		"output_config", "output_format", "tool_choice", "tools",
	}
	usageWords = []string{"stream_options", "include_usage"}
	toolWords  = []string{"tools", "tool_choice", "tool choice", "tool use", "tool calling", "function call"}
)

// without returns the form to try after the endpoint refused this one. lasting is false if the refusal is about this
// question rather than about what the endpoint takes. ok is false if nothing is left to leave out.
func (q question) without(r *endpoint.RefusalError) (next form, lasting, ok bool) {
	if !ofRequest(r) {
		return form{}, false, false
	}
	f := q.form
	structured := q.schema != nil && f.format < byWords
	offers := len(q.tools) > 0 && !f.toolless
	switch {
	case f.limit < unbounded && r.SpeaksOf(lengthWords...):
		f.limit++
		return f, !r.SpeaksOf("context"), true
	case q.temperature != nil && !f.mild && r.SpeaksOf("temperature"):
		f.mild = true
		return f, true, true
	case structured && r.SpeaksOf(formatWords...):
		f.format++
		return f, true, true
	case !f.uncounted && r.SpeaksOf(usageWords...):
		f.uncounted = true
		return f, true, true
	case offers && r.SpeaksOf(toolWords...):
		f.toolless = true
		return f, true, true
	case unclear(r) && f != f.barest() && (structured || q.temperature != nil && !f.mild || offers):
		return f.barest(), true, true
	case unclear(r) && offers:
		f.toolless = true
		return f, false, true
	}
	return form{}, false, false
}

// ofRequest reports whether the refusal may be about the form of the request.
func ofRequest(r *endpoint.RefusalError) bool {
	switch r.Status {
	case http.StatusBadRequest, http.StatusUnprocessableEntity, http.StatusNotFound, http.StatusUnsupportedMediaType:
		return true
	case http.StatusInternalServerError, http.StatusNotImplemented:
		return r.SpeaksOf(formatWords...) // servers that fail over the grammar of a schema, or of tools
	}
	return false
}

// unclear reports whether the endpoint did not say what it refuses. Old servers do so for what they do not know.
func unclear(r *endpoint.RefusalError) bool {
	if r.Status == http.StatusNotFound {
		return strings.Contains(r.Message, "parameters")
	}
	return r.Kind() == recaller.Invalid && !r.SpeaksOf("context", "too long", "too large")
}
