package endpoint

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
)

const maxProblem = 64 << 10 // of a refusal's body

// RefusalError is an HTTP error of an endpoint. What the endpoint wrote is only read for its meaning, because it may
// quote what was sent.
type RefusalError struct {
	Status  int
	Pause   time.Duration // until it may be tried again, if Told
	Told    bool          // whether it asked for a pause
	NoRetry bool          // the endpoint says that trying again is useless
	Code    string        // the endpoint's type and code; lower case
	Param   string        // the part of the request that it is about; lower case
	Message string        // lower case

	room      int      // tokens that the model has room for, if it says so
	complains []string // as of Settings
}

// Words by which endpoints say that a question is too long for the model, and how many tokens it has room for.
var (
	overflows = []string{
		"exceed_context_size", "context_length_exceeded", "prompt is too long", "maximum context length",
		"context size", "context window",
	}
	rooms = regexp.MustCompile(`(?:maximum context length is|> *|context size \(?|context window of) *(\d{3,8})\b`)
)

// Overflow reports whether the question was too long, and for how many tokens there is room; 0: it does not say.
func (r *RefusalError) Overflow() (tokens int, ok bool) {
	if r.Status != http.StatusBadRequest && r.Status != http.StatusRequestEntityTooLarge || !r.SpeaksOf(overflows...) {
		return 0, false
	}
	if r.room > 0 {
		return r.room, true
	}
	if m := rooms.FindStringSubmatch(r.Message); m != nil {
		tokens, _ = strconv.Atoi(m[1]) // digits
	}
	return tokens, true
}

// Error tells only what holds nothing of the request: the status, and a code if it looks like one.
func (r *RefusalError) Error() string {
	if !shaped(r.Code) {
		return fmt.Sprintf("status %d", r.Status)
	}
	return fmt.Sprintf("status %d (%s)", r.Status, r.Code)
}

// shaped reports whether a code looks like one: a few short words of lower-case letters with underscores.
func shaped(code string) bool {
	if code == "" || len(code) > 64 || !strings.ContainsRune(code, '_') {
		return false
	}
	return strings.Trim(code, "abcdefghijklmnopqrstuvwxyz_/") == ""
}

// Kind returns what the refusal means. Some endpoints answer 400 or 422 to a wrong key or an unknown model.
func (r *RefusalError) Kind() recaller.Kind {
	switch {
	case r.badRequest("api key", "api_key", "apikey"):
		return recaller.Unauthenticated
	case r.badRequest("model_not_found", "model not found", "not a valid model"), r.badRequest(r.complains...):
		return recaller.NotFound
	}
	return statusKind(r.Status)
}

// badRequest reports whether a short 400 or 422 has one of the words. A long one may quote the request.
func (r *RefusalError) badRequest(words ...string) bool {
	is := r.Status == http.StatusBadRequest || r.Status == http.StatusUnprocessableEntity
	return is && len(r.Message) < 300 && r.SpeaksOf(words...)
}

// mayPass reports whether the same request may be answered a moment later.
func (r *RefusalError) mayPass() bool {
	if r.NoRetry || r.SpeaksOf("insufficient_quota") {
		return false
	}
	switch r.Status {
	case http.StatusRequestTimeout, http.StatusConflict, http.StatusTooManyRequests:
		return true
	}
	return r.Status >= http.StatusInternalServerError
}

// SpeaksOf reports whether the refusal names one of the words: as the parameter that it is about, in its code, or in
// its message.
func (r *RefusalError) SpeaksOf(words ...string) bool {
	for _, w := range words {
		if strings.Contains(r.Param, w) || strings.Contains(r.Code, w) || strings.Contains(r.Message, w) {
			return true
		}
	}
	return false
}

// ReadRefusal reads an HTTP error. Providers agree on little. OpenAI nests type, code, param and message in an object.
// Others leave out the object, or put a string or a list of what does not fit (FastAPI) in its place.
func ReadRefusal(res *http.Response, now time.Time) *RefusalError {
	r := &RefusalError{Status: res.StatusCode, NoRetry: res.Header.Get("X-Should-Retry") == "false"}
	r.Pause, r.Told = readPause(res.Header, now)
	raw, err := io.ReadAll(io.LimitReader(res.Body, maxProblem))
	if err != nil {
		return r // the status says enough
	}
	var top map[string]any
	if json.Unmarshal(raw, &top) != nil {
		if plain := strings.TrimSpace(string(raw)); len(plain) < 300 && !strings.HasPrefix(plain, "<") {
			r.Message = lower(plain)
		}
		return r // otherwise it is a proxy's page
	}
	where := top
	if nested, ok := top["error"].(map[string]any); ok {
		where = nested
	}
	r.Code = lower(text(where["code"]))
	if kind := lower(text(where["type"])); kind != "" {
		r.Code = strings.TrimSuffix(kind+"/"+r.Code, "/")
	}
	if n, ok := where["n_ctx"].(float64); ok {
		r.room = int(n)
	}
	r.Param = lower(text(where["param"]))
	r.Message = lower(text(where["message"]) + text(top["error"]) + text(top["detail"]) + places(top["detail"]))
	return r
}

func lower(s string) string { return strings.ToLower(s) }

// text returns v if it is a string.
func text(v any) string {
	s, _ := v.(string)
	return s
}

// places returns what FastAPI's list of problems names: where each is and of what type, without the input that it
// quotes.
func places(v any) string {
	list, _ := v.([]any)
	var b strings.Builder
	for _, item := range list {
		problem, _ := item.(map[string]any)
		fmt.Fprint(&b, " ", problem["loc"], " ", text(problem["msg"]))
	}
	return b.String()
}
