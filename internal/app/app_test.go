package app

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/recallerhq/recaller/internal/config"
)

func newApp(t *testing.T, dir string) *App {
	t.Helper()
	cfg, err := config.Load(config.Options{Env: func(k string) (string, bool) {
		if k == "RECALLER_DATA" {
			return dir, true
		}
		return "", false
	}})
	if err != nil {
		t.Fatal(err)
	}
	a, err := New(context.Background(), cfg, Options{Log: slog.New(slog.NewTextHandler(io.Discard, nil)), Version: "test"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	if err := a.Start(context.Background()); err != nil {
		t.Fatal(err)
	}
	return a
}

func (a *App) do(t *testing.T, method, path, body string) (int, string) {
	t.Helper()
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer "+a.BootstrapKey())
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	w := httptest.NewRecorder()
	a.Handler().ServeHTTP(w, r)
	return w.Code, w.Body.String()
}

func TestSmoke(t *testing.T) {
	a := newApp(t, t.TempDir())
	code, body := a.do(t, http.MethodPost, "/v1/conversations", `{"caller":{"phone":"(555) 123-4567"},"external_id":"CA1"}`)
	t.Log(code, body)
	code, body = a.do(t, http.MethodPost, "/v1/conversations/CA1/turns", `{"turns":[{"speaker":"user","text":"Hi, my name is Bob and I need a repair at 742 Evergreen Terrace."},{"speaker":"assistant","text":"What is the problem?"}]}`)
	t.Log(code, body)
	code, body = a.do(t, http.MethodPost, "/v1/conversations/CA1/end", `{"duration_seconds":60}`)
	t.Log(code, body)
	code, body = a.do(t, http.MethodGet, "/v1/conversations/CA1", ``)
	t.Log(code, body)
	code, body = a.do(t, http.MethodGet, "/v1/callers?phone=5551234567", ``)
	t.Log(code, body)
}
