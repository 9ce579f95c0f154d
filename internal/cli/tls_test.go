package cli

import (
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/recallerhq/recaller/internal/config"
)

func TestAServerIsAskedAsItIsServed(t *testing.T) {
	t.Parallel()
	for want, cfg := range map[string]config.Config{
		"http://127.0.0.1:8787":      {Addr: ":8787"},
		"https://127.0.0.1:443":      {Addr: "0.0.0.0:443", TLS: config.TLS{Cert: "c", Key: "k"}},
		"https://memory.example:443": {Addr: ":443", TLS: config.TLS{Domains: []string{"memory.example", "other.example"}}},
	} {
		if got := serverURL(cfg, cfg.Addr); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// A certificate that no authority vouches for is good enough for who has its file, and for its server only.
func TestTheCertificateOfTheSettingsIsTrusted(t *testing.T) {
	t.Parallel()
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }))
	t.Cleanup(server.Close)
	path := filepath.Join(t.TempDir(), "cert.pem")
	if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	cfg := config.Config{Addr: strings.TrimPrefix(server.URL, "https://"), TLS: config.TLS{Cert: path, Key: "k"}}
	client := &http.Client{Transport: trusting(cfg, server.URL)}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	res, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if trusting(cfg, "https://elsewhere.example") != nil {
		t.Error("it is trusted elsewhere too")
	}
}
