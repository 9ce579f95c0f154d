package llmtest

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/recallerhq/recaller/internal/endpoint/endpointtest"
)

// Fault is one way in which a provider fails. Make it with the functions below. Messages of the provider's errors quote
// what was asked, as real ones sometimes do: nothing of them should be seen anywhere.
type Fault struct {
	Name    string            // as Request.Result has it
	instead func(x *exchange) // writes the whole response
	change  func(a *answered) // changes the answer before it is written
	send    func(x *exchange) // writes the answer in its own way
}

// Status answers with an HTTP error in the provider's format.
func Status(code int) Fault { return problem(http.StatusText(code), code, "api_error", "", nil) }

// TooManyRequests is a rate limit; retryAfter is the header's value, seconds or a date, "": none.
func TooManyRequests(retryAfter string) Fault {
	return problem("rate limit", http.StatusTooManyRequests, "rate_limit_error", "rate_limit_exceeded", map[string]string{"Retry-After": retryAfter})
}

// NoQuota is a rate limit that no waiting lifts: the account is empty.
func NoQuota() Fault {
	return problem("no quota", http.StatusTooManyRequests, "insufficient_quota", "insufficient_quota", nil)
}

// Overloaded asks to be left alone for a time.
func Overloaded(retryAfter string) Fault {
	return problem("overloaded", http.StatusServiceUnavailable, "overloaded_error", "", map[string]string{"Retry-After": retryAfter})
}

// ServerError is a 500.
func ServerError() Fault {
	return problem("server error", http.StatusInternalServerError, "api_error", "", nil)
}

// Unauthorized refuses the key.
func Unauthorized() Fault {
	return problem("unauthorized", http.StatusUnauthorized, "authentication_error", "invalid_api_key", nil)
}

// NoSuchModel does not know the model.
func NoSuchModel() Fault {
	return problem("no such model", http.StatusNotFound, "not_found_error", "model_not_found", nil)
}

// TooLong refuses a question that is longer than the model reads.
func TooLong() Fault {
	return Fault{Name: "too long", instead: func(x *exchange) {
		x.problem(http.StatusBadRequest, "invalid_request_error", "context_length_exceeded", "this model's maximum context length is 8192 tokens")
	}}
}

// BadRequest refuses the question in the words that are given.
func BadRequest(message string) Fault {
	return Fault{Name: "bad request", instead: func(x *exchange) {
		x.problem(http.StatusBadRequest, "invalid_request_error", "", message)
	}}
}

// BadGateway is a 502 with a proxy's page.
func BadGateway() Fault {
	return Fault{Name: "bad gateway", instead: func(x *exchange) { endpointtest.BadGateway(x.w) }}
}

// Page answers 200 with a page, as the login of a network does.
func Page() Fault {
	return Fault{Name: "page", instead: func(x *exchange) { endpointtest.Page(x.w) }}
}

// Redirect sends the request elsewhere.
func Redirect(to string) Fault {
	return Fault{Name: "redirect", instead: func(x *exchange) { endpointtest.Redirect(x.w, to) }}
}

// ErrorUnder200 tells of a failure under the status 200, as routers in front of several providers do.
func ErrorUnder200() Fault {
	return Fault{Name: "error under 200", instead: func(x *exchange) {
		x.problem(http.StatusOK, "api_error", "", "the upstream failed")
	}}
}

// Hang accepts and says nothing until the client goes, or until released closes: then the answer comes as ever. nil:
// never.
func Hang(released <-chan struct{}) Fault {
	return Fault{Name: "hang", send: func(x *exchange) {
		if endpointtest.Held(x.r, released) {
			x.send()
		}
	}}
}

// HangAfterPiece sends the first word of a streamed answer, or of a whole one the headers, and then hangs until the
// client goes.
func HangAfterPiece() Fault {
	return Fault{Name: "hang after a piece", send: func(x *exchange) {
		x.head()
		if x.q.Stream {
			x.first()
		}
		<-x.r.Context().Done()
	}}
}

// Drip sends the answer a byte at a time, with a pause after each.
func Drip(pause time.Duration) Fault {
	return Fault{Name: "drip", send: func(x *exchange) {
		x.head()
		for _, b := range x.body() {
			x.part([]byte{b})
			if !rest(x.r.Context(), pause) {
				return
			}
		}
	}}
}

func rest(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// CutBody ends the connection in the middle of the answer.
func CutBody() Fault {
	return Fault{Name: "cut body", send: func(x *exchange) {
		x.head()
		body := x.body()
		x.part(body[:len(body)/2])
		panic(http.ErrAbortHandler)
	}}
}

// Reset ends the connection without an answer; of TCP ones, with a reset.
func Reset() Fault {
	return Fault{Name: "reset", instead: func(x *exchange) { endpointtest.Reset(x.w) }}
}

// BreakStream ends a streamed answer with an error event after its first word; a whole one with a cut.
func BreakStream() Fault {
	return Fault{Name: "break stream", send: func(x *exchange) {
		if !x.q.Stream {
			CutBody().send(x)
			return
		}
		x.head()
		x.first()
		x.part(x.speaks.broken(x.quote()))
	}}
}

// InvalidJSON answers what begins as JSON and is none.
func InvalidJSON() Fault {
	return Fault{Name: "invalid json", instead: func(x *exchange) {
		x.write(http.StatusOK, "application/json", []byte(`{"id":"x","choices":[{"message":{"content":"`+x.q.Text))
	}}
}

// WrongContentType sends the right answer under a wrong name.
func WrongContentType() Fault {
	return Fault{Name: "wrong content type", send: func(x *exchange) { x.write(http.StatusOK, "text/plain; charset=utf-8", x.body()) }}
}

// Huge answers with a body of at least n bytes.
func Huge(n int) Fault {
	return Fault{Name: "huge", change: func(a *answered) { a.text = strings.Repeat(strings.Repeat("and_so_on_", 1000)+" ", n/10_000+1) }}
}

// NoChoices answers with an empty list where the answer should be.
func NoChoices() Fault { return changed("no choices", func(a *answered) { a.nothing = true }) }

// NoContent answers with an empty text.
func NoContent() Fault { return changed("no content", func(a *answered) { a.text = "" }) }

// Truncated answers until the limit was reached: with half of the answer.
func Truncated() Fault {
	return changed("truncated", func(a *answered) {
		runes := []rune(a.text)
		a.text, a.end = string(runes[:len(runes)/2]), endLength
	})
}

// Refusal is a model that will not answer.
func Refusal() Fault { return changed("refusal", func(a *answered) { a.end = endRefusal }) }

// Filtered is a provider whose filter holds the answer back.
func Filtered() Fault { return changed("filtered", func(a *answered) { a.end = endFilter }) }

// Prose puts words around the answer, and fences.
func Prose() Fault {
	return changed("prose", func(a *answered) {
		a.text = "Sure! Here is what you asked for:\n```json\n" + a.text + "\n```\nTell me if you need anything else."
	})
}

// Thinking puts a thought before the answer, as local reasoning models do.
func Thinking() Fault {
	return changed("thinking", func(a *answered) { a.text = "<think>\nThey want {\"JSON\"}. Let me see.\n</think>\n\n" + a.text })
}

// Nonsense answers something else than what was asked for.
func Nonsense() Fault {
	return changed("nonsense", func(a *answered) { a.text = "The sea is calm today, and the moon lies fair upon the straits." })
}

func changed(name string, change func(a *answered)) Fault { return Fault{Name: name, change: change} }

// problem answers with an error in the provider's format.
func problem(name string, status int, kind, code string, headers map[string]string) Fault {
	return Fault{Name: name, instead: func(x *exchange) {
		for k, v := range headers {
			if v != "" {
				x.w.Header().Set(k, v)
			}
		}
		x.problem(status, kind, code, "the request failed")
	}}
}

// unknownPart refuses a request for a part of it, in words that are the providers'.
func unknownPart(part Part, vague bool) Fault {
	message := "Unsupported parameter: '" + string(part) + "' is not supported with this model."
	param := string(part)
	switch part {
	case PartSchema, PartObject:
		message, param = "This response_format type is unavailable: "+string(part), "response_format"
	case PartMaxTokens:
		message += " Use 'max_completion_tokens' instead."
	case PartTemperature:
		message = "Unsupported value: 'temperature' does not support this value with this model. Only the default (1) value is supported."
	}
	if vague {
		message, param = "bad request", ""
	}
	return Fault{Name: "refused " + string(part), instead: func(x *exchange) {
		x.param = param
		x.problem(http.StatusBadRequest, "invalid_request_error", "", message)
	}}
}
