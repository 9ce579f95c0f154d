package endpoint

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"syscall"
	"time"

	"github.com/recallerhq/recaller"
)

// Failures of a request other than refusals.
var (
	// ErrBroken means that the answer is not what was asked for.
	ErrBroken = errors.New("what came back is not what the endpoint should speak")
	// ErrTooBig means that the answer is longer than any should be.
	ErrTooBig = errors.New("what came back has no end")
)

// finalError is a failure after which another try makes no sense.
type finalError struct{ error }

func (f finalError) Unwrap() error { return f.error }

// Final marks a failure that the same request would meet again. nil stays nil.
func Final(err error) error {
	if err == nil {
		return nil
	}
	return finalError{err}
}

// turnedAwayError is the failure of a request that the breaker held back.
type turnedAwayError struct{ why error } // the failure that opened it

func (t turnedAwayError) Error() string { return "the breaker is open: " + t.why.Error() }

// kind is Exhausted if the endpoint is at its limit, otherwise Unavailable. What must be repaired was told when the
// breaker opened.
func (t turnedAwayError) kind() recaller.Kind {
	if recaller.KindOf(t.why) == recaller.Exhausted {
		return recaller.Exhausted
	}
	return recaller.Unavailable
}

func refusalOf(err error) *RefusalError {
	var r *RefusalError
	errors.As(err, &r)
	return r
}

// pauseOf returns how long the endpoint asks to be left alone.
func pauseOf(err error) (d time.Duration, told bool) {
	if r := refusalOf(err); r != nil {
		return r.Pause, r.Told
	}
	return 0, false
}

// mayPass reports whether another try may succeed. A request that used up its time would be as slow again.
func mayPass(err error) bool {
	if errors.As(err, new(finalError)) || errors.Is(err, ErrTooBig) || errors.Is(err, context.DeadlineExceeded) {
		return false
	}
	if r := refusalOf(err); r != nil {
		return r.mayPass()
	}
	return !errors.As(err, new(*recaller.Error)) // otherwise a connection failed, or an answer broke off
}

// isAway reports whether a kind says that the endpoint is away, rather than that it refuses what it was asked.
func isAway(k recaller.Kind) bool {
	switch k {
	case recaller.Unavailable, recaller.Exhausted, recaller.Timeout, recaller.Unauthenticated, recaller.NotFound:
		return true
	default:
		return false
	}
}

// kind gives a failure its kind, and removes whatever may hold words that were sent or answered. If ctx has ended, a
// failure without a reason of its own fails for that.
func (c *Client) kind(ctx context.Context, err error) error {
	var known *recaller.Error
	var away turnedAwayError
	var timed net.Error
	name := c.s.Name
	switch r := refusalOf(err); {
	case errors.As(err, &known):
		return known
	case r != nil:
		return recaller.Wrap(r.Kind(), r, "%s", c.meaning(r))
	case errors.As(err, &away):
		return recaller.Wrap(away.kind(), away,
			"the %s is left alone for a while: it failed too often, or asked for it",
			name)
	case errors.Is(ctx.Err(), context.Canceled), errors.Is(err, context.Canceled):
		return recaller.Wrap(recaller.Timeout, context.Canceled, "the %s was not waited for", name)
	case ctx.Err() != nil, errors.Is(err, context.DeadlineExceeded), errors.As(err, &timed) && timed.Timeout():
		return recaller.Wrap(recaller.Timeout, context.DeadlineExceeded, "the %s did not answer in time", name)
	case errors.Is(err, ErrTooBig):
		return recaller.Wrap(recaller.Invalid, ErrTooBig, "the answer of the %s is too long to be one", name)
	case errors.Is(err, ErrBroken):
		return recaller.Wrap(recaller.Unavailable, ErrBroken, "the answer of the %s could not be read", name)
	}
	return recaller.Wrap(recaller.Unavailable, cause(err), "the connection to the %s failed", name)
}

// meaning returns what a refusal says to our own client.
func (c *Client) meaning(r *RefusalError) string {
	name := "the " + c.s.Name
	switch r.Kind() {
	case recaller.Unauthenticated:
		return name + " refused the key"
	case recaller.NotFound:
		return name + " does not know " + c.s.Unknown
	case recaller.Exhausted:
		return name + " is at its limit"
	case recaller.Unavailable:
		return fmt.Sprintf("%s failed with status %d", name, r.Status)
	default:
		return fmt.Sprintf("%s refused the %s with status %d", name, c.s.Sent, r.Status)
	}
}

// statusKind returns the kind of a status of 300 or more. Invalid: the endpoint refuses this request, and may take
// others.
func statusKind(status int) recaller.Kind {
	switch {
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return recaller.Unauthenticated
	case status == http.StatusNotFound, status == http.StatusMethodNotAllowed, status < http.StatusBadRequest:
		return recaller.NotFound
	case status == http.StatusTooManyRequests, status == http.StatusPaymentRequired:
		return recaller.Exhausted
	case status == http.StatusRequestTimeout, status == http.StatusConflict, status >= http.StatusInternalServerError:
		return recaller.Unavailable
	}
	return recaller.Invalid
}

// resultOf is the label of a failure's kind in metrics, of a closed set.
func resultOf(kind recaller.Kind) string {
	switch kind {
	case recaller.Invalid:
		return "invalid"
	case recaller.Timeout:
		return "timeout"
	case recaller.Exhausted:
		return "exhausted"
	case recaller.Unauthenticated:
		return "unauthenticated"
	case recaller.NotFound:
		return "not_found"
	default:
		return "unavailable"
	}
}

// cause keeps of a failure's cause only what cannot hold content: where a connection failed, and how.
func cause(err error) error {
	var (
		op      *net.OpError
		dns     *net.DNSError
		errno   syscall.Errno
		unknown x509.UnknownAuthorityError
		host    x509.HostnameError
		cert    *tls.CertificateVerificationError
		record  tls.RecordHeaderError
	)
	switch {
	case errors.As(err, &dns):
		return dns
	case errors.As(err, &op):
		return op
	case errors.As(err, &errno):
		return errno
	case errors.As(err, &unknown), errors.As(err, &host), errors.As(err, &cert):
		return errors.New("the endpoint's certificate is not trusted")
	case errors.As(err, &record):
		return errors.New("the endpoint does not speak TLS")
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return io.ErrUnexpectedEOF
	}
	return fmt.Errorf("%T", err)
}
