package llm

import (
	"context"
	"errors"
	"net"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/endpoint"
	"github.com/recallerhq/recaller/internal/llm/wire"
)

// Failures that are no HTTP error.
var (
	errTurnedAway = errors.New("the breaker is open")
	errBroken     = errors.New("what came back is not what the endpoint should speak")
	errTooBig     = errors.New("what came back has no end")
)

// refused is the failure of a question that the model or the endpoint will not answer.
func refused(msg string) error { return recaller.Errorf(recaller.Invalid, "%s", msg) }

// finalError is a failure after which no other try makes sense.
type finalError struct{ error }

func (l finalError) Unwrap() error { return l.error }

func final(err error) error {
	if err == nil {
		return nil
	}
	return finalError{err}
}

func refusalOf(err error) *wire.Error {
	var r *wire.Error
	errors.As(err, &r)
	return r
}

func isTurnedAway(err error) bool { return errors.Is(err, errTurnedAway) }

// status is the HTTP status that a failure came with; 0: none.
func status(err error) int {
	if r := refusalOf(err); r != nil {
		return r.Status
	}
	return 0
}

// pauseOf is how long the endpoint asks to be left alone.
func pauseOf(err error) (d time.Duration, told bool) {
	if r := refusalOf(err); r != nil {
		return r.Pause, r.Told
	}
	return 0, false
}

// mayPass reports whether another try may succeed.
func mayPass(err error) bool {
	if errors.As(err, new(finalError)) || errors.Is(err, errTooBig) {
		return false
	}
	if r := refusalOf(err); r != nil {
		return r.MayPass()
	}
	return recaller.KindOf(err) != recaller.Invalid // a connection that failed, an answer that broke off
}

// isAway reports whether a kind says that the endpoint is away, rather than that it refuses the question.
func isAway(k recaller.Kind) bool {
	switch k {
	case recaller.Unavailable, recaller.Exhausted, recaller.Timeout, recaller.Unauthenticated, recaller.NotFound:
		return true
	default:
		return false
	}
}

// kindOf gives a failure its kind, and takes out of it whatever may hold words that were sent or answered. ctx is the
// question's: once it has ended, everything fails for that reason.
func kindOf(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	var known *recaller.Error
	var timed net.Error
	switch r := refusalOf(err); {
	case errors.As(err, &known):
		return known
	case r != nil:
		return recaller.Wrap(r.Kind(), r, "%s", r.Meaning())
	case errors.Is(err, errTurnedAway):
		return recaller.Wrap(recaller.Unavailable, err, "the model endpoint failed too often, and is left alone for a while")
	case errors.Is(ctx.Err(), context.Canceled), errors.Is(err, context.Canceled):
		return recaller.Wrap(recaller.Timeout, context.Canceled, "the model was not waited for")
	case ctx.Err() != nil, errors.Is(err, context.DeadlineExceeded), errors.As(err, &timed) && timed.Timeout():
		return recaller.Wrap(recaller.Timeout, context.DeadlineExceeded, "the model did not answer in time")
	case errors.Is(err, errTooBig):
		return recaller.Wrap(recaller.Invalid, errTooBig, "the model's answer is too long to be one")
	case errors.Is(err, errBroken):
		return recaller.Wrap(recaller.Unavailable, errBroken, "the model endpoint's answer could not be read")
	}
	return recaller.Wrap(recaller.Unavailable, endpoint.Cause(err), "the connection to the model endpoint failed")
}
