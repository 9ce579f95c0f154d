package mcpserver

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/admission"
)

// keyring lets one key in.
type keyring struct{}

func (keyring) Authenticate(context.Context, string) (recaller.APIKey, error) {
	return recaller.APIKey{ID: "k", Tenant: "t", Scope: recaller.ScopeAdmin}, nil
}

// broken are callers of whom the search has a fault of ours, with words in it.
type broken struct{ Callers }

func (broken) Find(context.Context, recaller.TenantID, string) (recaller.Caller, error) {
	panic("Quokka")
}

// settings are a tenant's.
type settings struct{}

func (settings) Tenant(context.Context, recaller.TenantID) (recaller.Tenant, error) {
	return recaller.Tenant{}, nil
}

func (settings) Protected(context.Context, recaller.TenantID) (recaller.Protected, error) {
	return recaller.Protected{}, recaller.NotFound
}

// The SDK runs each request on a goroutine of its own. A fault of ours in one costs its own request, and not the
// process; what it was about is in no answer and in no log.
func TestAPanicCostsItsOwnRequest(t *testing.T) {
	t.Parallel()
	var logs bytes.Buffer
	door, err := New(Deps{
		Gate: admission.New(keyring{}, slog.New(slog.NewTextHandler(&logs, nil)), admission.Options{}), Callers: broken{},
		Tenants: settings{}, Registerer: prometheus.NewRegistry(),
	}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(door)
	defer srv.Close()
	for _, body := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read_agent_memory","arguments":{"phoneNumber":"+15550199"}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"recaller://callers/+15550199/briefing"}}`,
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, srv.URL, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(res.Body)
		if closed := res.Body.Close(); err != nil || closed != nil {
			t.Fatal(err, closed)
		}
		if got := string(text); !strings.Contains(got, "something went wrong here") || strings.Contains(got, "Quokka") {
			t.Errorf("got %s, want a fault that tells nothing", got)
		}
	}
	if got := logs.String(); strings.Count(got, "panic in a request") != 2 || strings.Count(got, "level=ERROR msg=request ") != 2 || strings.Contains(got, "Quokka") || strings.Contains(got, "5550199") {
		t.Errorf("got the log %s", got)
	}
}
