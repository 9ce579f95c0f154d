package endpoint

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"syscall"

	"github.com/recallerhq/recaller"
)

// KindOf says what a status of 300 or more means; Invalid: that the endpoint refuses this request, and may take others.
func KindOf(status int) recaller.Kind {
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

// Result is the label of a failure's kind in metrics, of a closed set.
func Result(kind recaller.Kind) string {
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

// Cause keeps of a failed exchange's cause what is known to hold no content: where a connection failed, and how.
func Cause(err error) error {
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
