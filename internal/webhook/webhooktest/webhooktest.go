// Package webhooktest is a tenant's webhook for tests: it checks signatures with the official library, and answers as it is
// told.
package webhooktest

import (
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// Secret is that of the webhook.
const Secret = "whsec_CQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJ" //nolint:gosec // of tests

// Request is one that the receiver got.
type Request struct{ ID, Body string }

// Receiver is the webhook. What is not signed with the secret fails the test. Safe for concurrent use.
type Receiver struct {
	*httptest.Server
	Arrived chan struct{} // has one for each request, a hundred at most

	tb     testing.TB
	mu     sync.Mutex
	got    []Request
	status int
	meet   func()
}

// New starts a receiver that takes all.
func New(tb testing.TB) *Receiver {
	tb.Helper()
	r := &Receiver{tb: tb, status: http.StatusNoContent, Arrived: make(chan struct{}, 100)}
	r.Server = httptest.NewServer(r)
	tb.Cleanup(r.Close)
	return r
}

// ServeHTTP takes a request.
func (r *Receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	body, _ := io.ReadAll(req.Body)
	verifier, err := standardwebhooks.NewWebhook(Secret)
	if err == nil {
		err = verifier.VerifyIgnoringTimestamp(body, req.Header)
	}
	if err != nil {
		r.tb.Errorf("the signature is not right: %v", err)
	}
	r.got = append(r.got, Request{req.Header.Get("webhook-id"), string(body)})
	select {
	case r.Arrived <- struct{}{}:
	default:
	}
	if r.meet != nil {
		r.meet()
	}
	w.WriteHeader(r.status)
	_, _ = io.WriteString(w, "a secret of the receiver's")
}

// Answers sets what is answered from now on, and what is done before; nil: nothing.
func (r *Receiver) Answers(status int, meet func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.status, r.meet = status, meet
}

// Take returns what was received since the last time.
func (r *Receiver) Take() []Request {
	r.mu.Lock()
	defer r.mu.Unlock()
	got := r.got
	r.got = nil
	return got
}
