package endpointtest

import (
	"context"
	"net"
	"net/http"
	"time"
)

// Fault is one way in which a provider fails. Make it with the functions below, or with those of the fake, which know
// its format. Messages of the provider's errors quote what was asked, as real ones sometimes do: nothing of them should
// be seen anywhere.
type Fault struct {
	Name    string            // as the request's Result has it
	Instead func(x *Exchange) // writes the whole response; nil: there is an answer
	Change  func(w Wire)      // changes the answer before it is written; nil: nothing
	Send    func(x *Exchange) // writes the answer in its own way; nil: as ever
}

// Failure answers with an error in the provider's format, after the headers. A header without a value is left out.
func Failure(name string, headers map[string]string, p Problem) Fault {
	return Fault{Name: name, Instead: func(x *Exchange) {
		for k, v := range headers {
			if v != "" {
				x.W.Header().Set(k, v)
			}
		}
		x.Problem(p)
	}}
}

// Status answers with an HTTP error in the provider's format.
func Status(code int) Fault {
	return Failure(http.StatusText(code), nil, Problem{Status: code, Kind: "api_error", Message: "the request failed"})
}

// TooManyRequests is a rate limit. retryAfter is the header's value, seconds or a date; "": none.
func TooManyRequests(retryAfter string) Fault {
	return Failure("rate limit", map[string]string{"Retry-After": retryAfter}, Problem{
		Status: http.StatusTooManyRequests, Kind: "rate_limit_error", Code: "rate_limit_exceeded",
		Message: "rate limit reached",
	})
}

// NoQuota is a rate limit that no waiting lifts: the account is empty.
func NoQuota() Fault {
	return Failure("no quota", nil, Problem{
		Status: http.StatusTooManyRequests, Kind: "insufficient_quota", Code: "insufficient_quota",
		Message: "you exceeded your current quota: insufficient_quota",
	})
}

// Overloaded asks to be left alone for a time.
func Overloaded(retryAfter string) Fault {
	return Failure("overloaded", map[string]string{"Retry-After": retryAfter}, Problem{
		Status: http.StatusServiceUnavailable, Kind: "overloaded_error", Message: "the model is overloaded",
	})
}

// DoNotRetry fails, and says that trying again is of no use.
func DoNotRetry() Fault {
	return Failure("do not retry", map[string]string{"X-Should-Retry": "false"}, Problem{
		Status: http.StatusServiceUnavailable, Kind: "api_error", Message: "the model is gone",
	})
}

// ServerError is a 500.
func ServerError() Fault {
	f := Status(http.StatusInternalServerError)
	f.Name = "server error"
	return f
}

// Unauthorized refuses the key.
func Unauthorized() Fault {
	return Failure("unauthorized", nil, Problem{
		Status: http.StatusUnauthorized, Kind: "authentication_error", Code: "invalid_api_key",
		Message: "incorrect API key provided",
	})
}

// NoSuchModel does not know the model.
func NoSuchModel() Fault {
	return Failure("no such model", nil, Problem{
		Status: http.StatusNotFound, Kind: "not_found_error", Code: "model_not_found",
		Message: "model not found, try pulling it first",
	})
}

// BadRequest refuses what was asked in the words that are given.
func BadRequest(message string) Fault {
	return Failure("bad request", nil, Problem{
		Status: http.StatusBadRequest, Kind: "invalid_request_error", Message: message,
	})
}

// ErrorUnder200 tells of a failure under the status 200, as routers in front of several providers do.
func ErrorUnder200() Fault {
	return Failure("error under 200", nil, Problem{
		Status: http.StatusOK, Kind: "api_error", Message: "the upstream failed",
	})
}

// BadGateway is a 502 with a proxy's page.
func BadGateway() Fault {
	return page("bad gateway", http.StatusBadGateway, "<html><body><h1>502 Bad Gateway</h1></body></html>")
}

// Page answers 200 with a page, as the login of a network does.
func Page() Fault {
	return page("page", http.StatusOK, "<html><body>Please log in</body></html>")
}

func page(name string, status int, text string) Fault {
	return Fault{Name: name, Instead: func(x *Exchange) { x.Write(status, "text/html", []byte(text)) }}
}

// Redirect sends the request elsewhere.
func Redirect(to string) Fault {
	return Fault{Name: "redirect", Instead: func(x *Exchange) {
		x.W.Header().Set("Location", to)
		x.W.WriteHeader(http.StatusTemporaryRedirect)
	}}
}

// Reset ends the connection without an answer. A TCP connection is ended with a reset.
func Reset() Fault {
	return Fault{Name: "reset", Instead: func(x *Exchange) {
		conn, _, err := http.NewResponseController(x.W).Hijack()
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		if tcp, ok := conn.(*net.TCPConn); ok {
			_ = tcp.SetLinger(0) // without it the end is merely less abrupt
		}
		_ = conn.Close()
	}}
}

// Hang accepts and says nothing until the client goes, or until released closes: then the answer comes as ever. nil:
// never.
func Hang(released <-chan struct{}) Fault {
	return Fault{Name: "hang", Send: func(x *Exchange) {
		select {
		case <-released:
			x.Send()
		case <-x.R.Context().Done():
		}
	}}
}

// HangAfterPiece sends the first word of a streamed answer, or of a whole one the headers, and then hangs until the
// client goes.
func HangAfterPiece() Fault {
	return Fault{Name: "hang after a piece", Send: func(x *Exchange) {
		x.Head()
		x.First()
		<-x.R.Context().Done()
	}}
}

// Drip sends the answer a byte at a time, with a pause after each.
func Drip(pause time.Duration) Fault {
	return Fault{Name: "drip", Send: func(x *Exchange) {
		x.Head()
		for _, b := range x.Body() {
			x.Part([]byte{b})
			if !rest(x.R.Context(), pause) {
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
	return Fault{Name: "cut body", Send: func(x *Exchange) {
		x.Head()
		body := x.Body()
		x.Part(body[:len(body)/2])
		panic(http.ErrAbortHandler)
	}}
}

// HalfBody ends the answer in its middle, as if it were whole.
func HalfBody() Fault {
	return Fault{Name: "half body", Send: func(x *Exchange) {
		x.Head()
		body := x.Body()
		x.Part(body[:len(body)/2])
	}}
}

// CutClean ends a streamed answer between two of its events, as if it were whole, and a whole one in its middle.
func CutClean() Fault {
	return Fault{Name: "cut clean", Send: func(x *Exchange) {
		parts := x.Wire.Parts()
		if len(parts) == 1 {
			HalfBody().Send(x)
			return
		}
		x.Head()
		for _, part := range parts[:len(parts)/2] {
			x.Part(part)
		}
	}}
}

// WrongContentType sends the right answer under a wrong name.
func WrongContentType() Fault {
	return Fault{Name: "wrong content type", Send: func(x *Exchange) {
		x.Write(http.StatusOK, "text/plain; charset=utf-8", x.Body())
	}}
}
