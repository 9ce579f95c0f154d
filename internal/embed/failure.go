package embed

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/endpoint"
)

// errBroken is the failure of an answer that is whole, and not what was asked for.
var errBroken = errors.New("what came back is not what the endpoint should speak")

// turnedAwayError is the failure of a request that the breaker held back.
type turnedAwayError struct{ why error } // the failure that it is open for

func (t turnedAwayError) Error() string { return "the breaker is open: " + t.why.Error() }

// kind is Exhausted where the endpoint is at its limit, else Unavailable: what is to be repaired was told when the breaker opened.
func (t turnedAwayError) kind() recaller.Kind {
	if recaller.KindOf(t.why) == recaller.Exhausted {
		return recaller.Exhausted
	}
	return recaller.Unavailable
}

const (
	maxProblem  = 64 << 10 // of a refusal's body
	longProblem = 1 << 10  // a longer one may quote the request, and tells nothing
)

// refusalError is an answer that is an HTTP error. What the endpoint wrote is read for its meaning and goes no further: it may quote
// what was sent.
type refusalError struct {
	status  int
	pause   time.Duration // after which it may be tried again, if told
	told    bool
	noRetry bool
	words   string // of a short one; in lower case
}

func (r *refusalError) Error() string { return fmt.Sprintf("status %d", r.status) }

func readRefusal(res *http.Response, now time.Time) *refusalError {
	r := &refusalError{status: res.StatusCode, noRetry: res.Header.Get("X-Should-Retry") == "false"}
	r.pause, r.told = endpoint.Pause(res.Header, now)
	raw, err := io.ReadAll(io.LimitReader(res.Body, maxProblem))
	if err != nil {
		return r // the status says enough
	}
	if len(raw) <= longProblem {
		r.words = strings.ToLower(string(raw))
	}
	return r
}

// kind says what the refusal means. Some endpoints answer 400 to a wrong key, an unknown model, or a width that it cannot make.
func (r *refusalError) kind() recaller.Kind {
	switch {
	case r.complains("api key", "api_key", "apikey"):
		return recaller.Unauthenticated
	case r.complains("model_not_found", "model not found", "not a valid model", "dimension", "does not support embed"):
		return recaller.NotFound
	}
	return endpoint.KindOf(r.status)
}

// complains reports whether a 400 or 422 has one of the words.
func (r *refusalError) complains(words ...string) bool {
	if r.status != http.StatusBadRequest && r.status != http.StatusUnprocessableEntity {
		return false
	}
	for _, w := range words {
		if strings.Contains(r.words, w) {
			return true
		}
	}
	return false
}

// meaning is what a refusal says to a client of ours.
func (r *refusalError) meaning() string {
	switch r.kind() {
	case recaller.Unauthenticated:
		return "the embedding endpoint refused the key"
	case recaller.NotFound:
		return "the embedding endpoint does not know this address or model, or cannot make the width that is configured"
	case recaller.Exhausted:
		return "the embedding endpoint is at its limit"
	case recaller.Unavailable:
		return fmt.Sprintf("the embedding endpoint failed with status %d", r.status)
	default:
		return fmt.Sprintf("the embedding endpoint refused the texts with status %d", r.status)
	}
}

// mayPass reports whether the same request may be answered a moment later: after a connection that failed or broke off, and where
// the endpoint is busy or down.
func mayPass(err error) bool {
	var r *refusalError
	var known *recaller.Error
	switch {
	case errors.As(err, &r):
		if r.noRetry || strings.Contains(r.words, "insufficient_quota") {
			return false
		}
		kind := r.kind()
		return kind == recaller.Unavailable || kind == recaller.Exhausted && r.status == http.StatusTooManyRequests
	case errors.As(err, &known), errors.As(err, new(turnedAwayError)), errors.Is(err, errBroken), isTimeout(err):
		return false
	}
	return true
}

// pauseOf is how long the endpoint asks to be left alone.
func pauseOf(err error) (d time.Duration, told bool) {
	var r *refusalError
	if !errors.As(err, &r) {
		return 0, false
	}
	return r.pause, r.told
}

func isTimeout(err error) bool {
	var timed net.Error
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) || errors.As(err, &timed) && timed.Timeout()
}

// timedOut is err, or that a request's time is over where that is why it failed.
func timedOut(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// kindOf gives a failure its kind, and takes out of it whatever may hold words that were sent or answered. Once ctx has ended,
// what fails without saying why fails for that reason.
func kindOf(ctx context.Context, err error) error {
	var known *recaller.Error
	var r *refusalError
	var away turnedAwayError
	switch {
	case errors.As(err, &known):
		return known
	case errors.As(err, &r):
		return recaller.Wrap(r.kind(), r, "%s", r.meaning())
	case errors.As(err, &away):
		return recaller.Wrap(away.kind(), away, "the embedding endpoint is left alone for a while: it failed too often, or asked for it")
	case errors.Is(ctx.Err(), context.Canceled), errors.Is(err, context.Canceled):
		return recaller.Wrap(recaller.Timeout, context.Canceled, "the embedding was not waited for")
	case ctx.Err() != nil, isTimeout(err):
		return recaller.Wrap(recaller.Timeout, context.DeadlineExceeded, "the embedding endpoint did not answer in time")
	case errors.Is(err, errBroken):
		return recaller.Wrap(recaller.Unavailable, errBroken, "the embedding endpoint's answer could not be read")
	}
	return recaller.Wrap(recaller.Unavailable, endpoint.Cause(err), "the connection to the embedding endpoint failed")
}
