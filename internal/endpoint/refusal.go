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

// RefusalError is an answer of an endpoint that is an HTTP error. What the endpoint wrote is read for its meaning and
// goes no further: it may quote what was sent.
type RefusalError struct {
	Status  int
	Pause   time.Duration // after which it may be tried again, if told
	Told    bool          // whether it asked for a pause
	NoRetry bool          // the endpoint says that trying again is of no use
	Code    string        // the endpoint's type and code for it; in lower case
	Param   string        // the part of the request that it is about; in lower case
	Message string        // in lower case

	room      int      // tokens that the model has room for, where it says so
	complains []string // as of Settings
}

// Words by which endpoints say that a question has more tokens than the model has room for, and with which they say how
// many it has.
var (
	overflows = []string{
		"exceed_context_size", "context_length_exceeded", "prompt is too long", "maximum context length", "context size",
		"context window",
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

// Error tells what is known to hold nothing of the request: the status, and a code if it looks like one.
func (r *RefusalError) Error() string {
	if !shaped(r.Code) {
		return fmt.Sprintf("status %d", r.Status)
	}
	return fmt.Sprintf("status %d (%s)", r.Status, r.Code)
}

// shaped reports whether a code has the closed shape of one: a few short words of lower-case letters with underscores.
func shaped(code string) bool {
	if code == "" || len(code) > 64 || !strings.ContainsRune(code, '_') {
		return false
	}
	return strings.Trim(code, "abcdefghijklmnopqrstuvwxyz_/") == ""
}

// Kind says what the refusal means. Some endpoints answer 400 or 422 to a wrong key or an unknown model.
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

// ReadRefusal reads an HTTP error. Providers agree on little: OpenAI nests type, code, param and message in an object,
// others leave the object out, write a string in its place, or a list of what does not fit (FastAPI).
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
		return r // else a proxy's page
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

// text is v if it is one.
func text(v any) string {
	s, _ := v.(string)
	return s
}

// places are what FastAPI's list of problems names: where each is and of what type, without the input that it quotes.
func places(v any) string {
	list, _ := v.([]any)
	var b strings.Builder
	for _, item := range list {
		problem, _ := item.(map[string]any)
		fmt.Fprint(&b, " ", problem["loc"], " ", text(problem["msg"]))
	}
	return b.String()
}
