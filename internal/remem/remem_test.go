package remem_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/remem"
)

// server answers as it is told to, and keeps what it was sent.
type server struct {
	*httptest.Server
	status int
	answer string
	sent   []string
}

func newServer(t *testing.T) *server {
	s := &server{status: 201, answer: `{"id": "there-1"}`}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		s.sent = append(s.sent, r.Method+" "+r.URL.EscapedPath()+" "+r.Header.Get("X-API-Key")+" "+r.Header.Get("Idempotency-Key")+" "+string(raw))
		if r.Method == http.MethodPut && strings.HasSuffix(r.URL.Path, "/gone") {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		w.WriteHeader(s.status)
		_, _ = io.WriteString(w, s.answer)
	}))
	t.Cleanup(s.Close)
	return s
}

var paper = recaller.Document{ID: "d1", Version: 2, Title: "Voice Call Summary — 2026-02-06 11:15 PM", Content: "tea", Source: "voice-call", Tags: []string{"voice-session", "phone-call"}}

const posted = `POST /v1/documents secret d1.2 {"title":"Voice Call Summary — 2026-02-06 11:15 PM","content":"tea","source":"voice-call","tags":"voice-session, phone-call"}`

// V's own requests: a document is created once, and its words are replaced from then on.
func TestADocumentIsDeliveredAsVDoes(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	c := remem.New(s.URL+"/", "secret", nil)
	for _, step := range []struct{ remote, id, sent string }{
		{"", "there-1", posted},
		{"there/1", "there/1", `PUT /v1/documents/there%2F1 secret d1.2 {"content":"tea","mode":"replace"}`},
		{"gone", "there-1", posted}, // after it was not found
	} {
		id, err := c.Deliver(t.Context(), step.remote, paper)
		if got := s.sent[len(s.sent)-1]; err != nil || id != step.id || got != step.sent {
			t.Errorf("%q: got %q, %v by\n%s", step.remote, id, err, got)
		}
	}
	for answer, want := range map[string]string{`{"id": 17}`: "17", `{}`: "", `oops`: ""} {
		s.answer = answer
		if id, err := c.Deliver(t.Context(), "", paper); err != nil || id != want {
			t.Errorf("%s: got %q, %v", answer, id, err)
		}
	}
}

func TestFailuresOfADelivery(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	c := remem.New(s.URL, "secret", nil)
	for status, kind := range map[int]recaller.Kind{
		500: recaller.Unavailable, 503: recaller.Unavailable, 429: recaller.Unavailable, 408: recaller.Unavailable,
		400: recaller.Invalid, 401: recaller.Invalid, 302: recaller.Invalid, 404: recaller.Invalid,
	} {
		s.status, s.answer = status, "tea with the secret"
		_, err := c.Deliver(t.Context(), "", paper)
		if !errors.Is(err, kind) {
			t.Errorf("%d: got %v, want %s", status, err, kind)
		}
		if strings.Contains(err.Error(), "tea") || strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "127.0.0.1") {
			t.Errorf("%d: the error tells too much: %v", status, err)
		}
	}
	s.Close()
	if _, err := c.Deliver(t.Context(), "", paper); !errors.Is(err, recaller.Unavailable) || strings.Contains(err.Error(), "127.0.0.1") {
		t.Errorf("away: got %v", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Deliver(ended, "", paper); !errors.Is(err, recaller.Timeout) {
		t.Errorf("not waited for: got %v", err)
	}
}
