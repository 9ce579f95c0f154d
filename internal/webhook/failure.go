package webhook

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"strconv"
	"syscall"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/endpoint/outward"
)

// status is the cause of an error that came of an answer.
type status int

// Error names the status.
func (s status) Error() string { return "status " + strconv.Itoa(int(s)) }

// StatusCode returns the status of the answer.
func (s status) StatusCode() int { return int(s) }

// verdict says what an answer's status means.
func verdict(code int) error {
	switch {
	case code >= 200 && code <= 299:
		return nil
	case code >= 500, code == http.StatusRequestTimeout, code == http.StatusTooManyRequests:
		return recaller.Wrap(recaller.Unavailable, status(code), "the webhook asked for later")
	}
	return recaller.Wrap(recaller.Invalid, status(code), "the webhook refused it")
}

// unreached says why there was no answer. The client's own error names the address, so only its sort is told.
func unreached(ctx context.Context, err error) error {
	var slow net.Error
	if errors.As(err, &slow) && slow.Timeout() {
		return recaller.Errorf(recaller.Timeout, "the webhook did not answer in time")
	}
	if ctx.Err() != nil {
		return recaller.Wrap(recaller.Timeout, ctx.Err(), "the webhook was not waited for")
	}
	return recaller.Errorf(recaller.Unavailable, "the webhook cannot be reached: %s", obstacle(err))
}

// obstacle is what kept a request from its receiver, from a closed set.
func obstacle(err error) string {
	var (
		name    *net.DNSError
		cert    *tls.CertificateVerificationError
		unknown x509.UnknownAuthorityError
		alert   tls.AlertError
		record  tls.RecordHeaderError
	)
	switch {
	case errors.Is(err, outward.ErrInner):
		return "its address is not public, and RECALLER_WEBHOOK_ALLOW does not list it"
	case errors.As(err, &name):
		return "its name is not known"
	case errors.As(err, &cert), errors.As(err, &unknown), errors.As(err, &alert), errors.As(err, &record):
		return "it has no valid certificate"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "it refused the connection"
	}
	return "the connection broke"
}
