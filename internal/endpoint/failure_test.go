package endpoint

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"syscall"
	"testing"

	"github.com/recallerhq/recaller"
)

func TestAStatusHasAKind(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]recaller.Kind{
		301: recaller.NotFound, 307: recaller.NotFound, 404: recaller.NotFound, 405: recaller.NotFound,
		401: recaller.Unauthenticated, 403: recaller.Unauthenticated,
		402: recaller.Exhausted, 429: recaller.Exhausted,
		408: recaller.Unavailable, 409: recaller.Unavailable, 500: recaller.Unavailable, 503: recaller.Unavailable, 599: recaller.Unavailable,
		400: recaller.Invalid, 413: recaller.Invalid, 415: recaller.Invalid, 422: recaller.Invalid,
	} {
		if got := statusKind(status); got != want {
			t.Errorf("%d: got %q, want %q", status, got, want)
		}
	}
}

// Of a failure is told where a connection failed and how, whatever it is wrapped in, and nothing else.
func TestOfACauseIsToldWhatHoldsNoContent(t *testing.T) {
	t.Parallel()
	refused := &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
	unknown := &net.DNSError{Err: "no such host", Name: "models.example"}
	for _, test := range []struct {
		err  error
		want string
	}{
		{refused, refused.Error()},
		{unknown, unknown.Error()},
		{&net.OpError{Op: "dial", Net: "tcp", Err: unknown}, unknown.Error()},
		{syscall.ECONNRESET, syscall.ECONNRESET.Error()},
		{x509.UnknownAuthorityError{}, "the endpoint's certificate is not trusted"},
		{x509.HostnameError{Host: "said", Certificate: &x509.Certificate{}}, "the endpoint's certificate is not trusted"},
		{&tls.CertificateVerificationError{Err: errors.New("said")}, "the endpoint's certificate is not trusted"},
		{tls.RecordHeaderError{Msg: "said"}, "the endpoint does not speak TLS"},
		{io.EOF, "unexpected EOF"},
		{errors.New("said"), "*url.Error"},
	} {
		wrapped := &url.Error{Op: "Post", URL: "http://h/?said", Err: fmt.Errorf("said: %w", test.err)}
		if got := cause(wrapped).Error(); got != test.want {
			t.Errorf("%T: got %q, want %q", test.err, got, test.want)
		}
	}
}
