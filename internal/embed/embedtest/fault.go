package embedtest

import (
	"net/http"
	"slices"
	"strings"

	"github.com/recallerhq/recaller/internal/endpoint/endpointtest"
)

// Fault is one way in which a provider fails. Make it with the functions below. Messages of the provider's errors quote
// what was sent, as real ones sometimes do: nothing of them should be seen anywhere.
type Fault struct {
	Name    string                // as Request.Result has it
	instead func(x *exchange)     // writes the whole response
	change  func(a []item) []item // changes the answer before it is written
	send    func(x *exchange)     // writes the answer in its own way
}

// Status answers with an HTTP error in the provider's format.
func Status(code int) Fault { return problem(http.StatusText(code), code, "", "the request failed") }

// TooManyRequests is a rate limit; retryAfter is the header's value, seconds or a date, "": none.
func TooManyRequests(retryAfter string) Fault {
	return problem("rate limit", http.StatusTooManyRequests, retryAfter, "rate limit reached")
}

// NoQuota is a rate limit that no waiting lifts: the account is empty.
func NoQuota() Fault {
	return problem("no quota", http.StatusTooManyRequests, "", "you exceeded your current quota: insufficient_quota")
}

// Overloaded asks to be left alone for a time.
func Overloaded(retryAfter string) Fault {
	return problem("overloaded", http.StatusServiceUnavailable, retryAfter, "the model is overloaded")
}

// DoNotRetry fails, and says that trying again is of no use.
func DoNotRetry() Fault {
	return Fault{Name: "do not retry", instead: func(x *exchange) {
		x.w.Header().Set("X-Should-Retry", "false")
		x.problem(http.StatusServiceUnavailable, "the model is gone")
	}}
}

// ServerError is a 500.
func ServerError() Fault { return Status(http.StatusInternalServerError) }

// Unauthorized refuses the key.
func Unauthorized() Fault {
	return problem("unauthorized", http.StatusUnauthorized, "", "incorrect API key provided")
}

// NoSuchModel does not know the model.
func NoSuchModel() Fault {
	return problem("no such model", http.StatusNotFound, "", "model not found, try pulling it first")
}

// BadRequest refuses the texts in the words that are given.
func BadRequest(message string) Fault {
	return problem("bad request", http.StatusBadRequest, "", message)
}

// NoSuchWidth refuses to make vectors of another width than the model's own.
func NoSuchWidth() Fault {
	return problem("no such width", http.StatusBadRequest, "", "this model does not support specifying dimensions")
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
	return problem("error under 200", http.StatusOK, "", "the upstream failed")
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

// HangAfterHead sends the headers, and then hangs until the client goes.
func HangAfterHead() Fault {
	return Fault{Name: "hang after head", send: func(x *exchange) {
		x.w.Header().Set("Content-Type", "application/json")
		x.w.WriteHeader(http.StatusOK)
		x.flush()
		<-x.r.Context().Done()
	}}
}

// CutBody ends the connection in the middle of the answer.
func CutBody() Fault {
	return Fault{Name: "cut body", send: func(x *exchange) {
		body := x.body()
		x.write(http.StatusOK, "application/json", body[:len(body)/2])
		x.flush()
		panic(http.ErrAbortHandler)
	}}
}

// HalfBody ends the answer in its middle, as if it were whole.
func HalfBody() Fault {
	return Fault{Name: "half body", send: func(x *exchange) {
		body := x.body()
		x.write(http.StatusOK, "application/json", body[:len(body)/2])
	}}
}

// Reset ends the connection without an answer; of TCP ones, with a reset.
func Reset() Fault {
	return Fault{Name: "reset", instead: func(x *exchange) { endpointtest.Reset(x.w) }}
}

// Huge answers with a body of at least n bytes.
func Huge(n int) Fault {
	return Fault{Name: "huge", send: func(x *exchange) {
		x.write(http.StatusOK, "application/json", strings.Repeat(" ", n)+x.body())
	}}
}

// WrongWidth makes all vectors as wide as that.
func WrongWidth(width int) Fault {
	return each("wrong width", func(it *item) { it.numbers = slices.Repeat([]string{"0.5"}, width) })
}

// Uneven makes the last vector narrower than the others.
func Uneven() Fault {
	return last("uneven", func(it *item) { it.numbers = it.numbers[1:] })
}

// Zero makes the last vector one without a direction.
func Zero() Fault {
	return last("zero", func(it *item) { it.numbers = slices.Repeat([]string{"0"}, len(it.numbers)) })
}

// Number puts a text where the last vector's first number should be: NaN, null, 1e999, "0.5".
func Number(text string) Fault {
	return last("number "+text, func(it *item) { it.numbers[0] = text })
}

// Reversed answers in the reverse order; OpenAI's format says so in each vector's index, and Ollama's cannot.
func Reversed() Fault {
	return Fault{Name: "reversed", change: func(a []item) []item {
		slices.Reverse(a)
		return a
	}}
}

// Unnumbered leaves out OpenAI's index.
func Unnumbered() Fault { return each("unnumbered", func(it *item) { it.index = "" }) }

// SameIndex gives all vectors the index that is told.
func SameIndex(index string) Fault {
	return each("same index", func(it *item) { it.index = index })
}

// TooFew leaves the last vector out.
func TooFew() Fault {
	return Fault{Name: "too few", change: func(a []item) []item { return a[:len(a)-1] }}
}

// TooMany answers with one vector more than there are texts.
func TooMany() Fault {
	return Fault{Name: "too many", change: func(a []item) []item { return append(a, a[0]) }}
}

func each(name string, change func(it *item)) Fault {
	return Fault{Name: name, change: func(a []item) []item {
		for i := range a {
			change(&a[i])
		}
		return a
	}}
}

func last(name string, change func(it *item)) Fault {
	return Fault{Name: name, change: func(a []item) []item {
		change(&a[len(a)-1])
		return a
	}}
}

// problem answers with an error in the provider's format.
func problem(name string, status int, retryAfter, message string) Fault {
	return Fault{Name: name, instead: func(x *exchange) {
		if retryAfter != "" {
			x.w.Header().Set("Retry-After", retryAfter)
		}
		x.problem(status, message)
	}}
}
