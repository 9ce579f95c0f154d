//go:build measure

package app

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The official conformance suite of MCP, against a whole server. `make mcp-conformance` says where the suite is
// (RECALLER_MCP_SUITE: a command), and which build it runs on (RECALLER_MCP_BUILD).
func TestConformanceOfMCP(t *testing.T) {
	suite, of := os.Getenv("RECALLER_MCP_SUITE"), os.Getenv("RECALLER_MCP_BUILD")
	if suite == "" {
		t.Fatal("make mcp-conformance runs it")
	}
	h := build(t, t.TempDir(), Options{})
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Header.Set("Authorization", "Bearer "+h.app.BootstrapKey()) // the suite knows no keys
		h.app.Handler().ServeHTTP(w, r)
	}))
	defer front.Close()
	for _, revision := range [][]string{{"--requirements", "2026-07-28"}, {"--spec-version", "2025-11-25", "--suite", "all"}} {
		t.Run(revision[1], func(t *testing.T) {
			baseline, err := filepath.Abs(filepath.Join("testdata", "mcp-"+of+"-"+revision[1]+".yml"))
			if err != nil {
				t.Fatal(err)
			}
			args := append(strings.Fields(suite)[1:], "server", "--url", front.URL+"/mcp", "--expected-failures", baseline, "-o", t.TempDir())
			cmd := exec.CommandContext(t.Context(), strings.Fields(suite)[0], append(args, revision...)...)
			out, err := cmd.CombinedOutput()
			t.Logf("%s", out)
			if err != nil {
				t.Errorf("%v: what fails and is not expected to, or is and does not, stands above", err)
			}
		})
	}
}
