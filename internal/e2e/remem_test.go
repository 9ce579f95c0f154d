//go:build measure

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// The client of a document server as seed V prints it, word for word. `make remem-client` gets what it imports and says
// where it is; what goes over the wire is tried without it (app.TestAClientOfVWorksUnchanged).
func TestTheClientThatVPrints(t *testing.T) {
	python := os.Getenv("RECALLER_REMEM_PYTHON")
	if python == "" {
		t.Fatal("make remem-client runs it")
	}
	s := serve(t)
	out, err := exec.CommandContext(t.Context(), python, filepath.Join("..", "..", "tools", "remem", "voice.py"), s.url, s.key).CombinedOutput()
	t.Logf("%s", out)
	if err != nil {
		t.Error(err)
	}
}
