//go:build measure

package e2e

import (
	"os"
	"path/filepath"
	"testing"
)

// The official clients in Python and TypeScript, over HTTP and over standard input. `make mcp-clients` gets them and
// says where they are.
func TestOfficialClientsOfMCP(t *testing.T) {
	python, node, packages := os.Getenv("RECALLER_MCP_PYTHON"), os.Getenv("RECALLER_MCP_NODE"), os.Getenv("MCP_PACKAGES")
	if python == "" || node == "" {
		t.Fatal("make mcp-clients runs it")
	}
	s := serve(t)
	for _, client := range [][]string{{python, "client.py"}, {node, "client.mjs"}} {
		cmd := s.command()
		cmd.Path, cmd.Args = client[0], []string{
			client[0], filepath.Join("..", "..", "tools", "mcp", client[1]), s.url + "/mcp", s.key, binary, "mcp", "--server", s.url,
		}
		cmd.Env = append(cmd.Env, "MCP_PACKAGES="+packages)
		out, err := cmd.CombinedOutput()
		t.Logf("%s", out)
		if err != nil {
			t.Errorf("%s: %v", client[1], err)
		}
	}
}
