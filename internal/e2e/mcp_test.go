package e2e

import (
	"context"
	"encoding/json"
	"net/http"
	"os/exec"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// bearer signs each request with a key.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

// model is a client of the door for MCP.
type model struct {
	*mcp.ClientSession
	t *testing.T
}

func connected(t *testing.T, to mcp.Transport) model {
	t.Helper()
	c := mcp.NewClient(&mcp.Implementation{Name: "e2e", Version: "1"}, nil)
	s, err := c.Connect(t.Context(), to, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return model{s, t}
}

func (m model) call(tool string, args map[string]any) string {
	m.t.Helper()
	res, err := m.CallTool(m.t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil || res.IsError {
		m.t.Fatalf("%s: got %+v, %v", tool, res, err)
	}
	text, err := json.Marshal(res.StructuredContent)
	if err != nil {
		m.t.Fatal(err)
	}
	return string(text)
}

// H6 over MCP: what the agent saved one second before the line dropped is there for the next call, although the process
// was killed in between, over HTTP and over standard input alike.
func TestTheDisconnectionOverMCP(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, on backing) {
		s := serveIn(t, on)
		http := func() mcp.Transport {
			return &mcp.StreamableClientTransport{Endpoint: s.url + "/mcp", HTTPClient: &http.Client{Transport: bearer(s.key)}, DisableStandaloneSSE: true}
		}
		const number = "+1-555-0199"
		connected(t, http()).call("update_agent_memory", map[string]any{
			"phoneNumber": number, "summary": "User reporting leak under sink at 742 Evergreen Terrace", "intent": "job_creation",
			"stagingData": `{"address": "742 Evergreen Terrace", "issue": "leaking pipes"}`,
		})
		s.restart()

		m := connected(t, http())
		holds(t, "the return", m.call("read_agent_memory", map[string]any{"phoneNumber": number}),
			`"found":true`, `"address":"742 Evergreen Terrace"`, "leak under sink")
		holds(t, "the greeting", phone{t, s.admin}.ring("+15550199").Briefing.Text, "742 Evergreen Terrace")

		stdio := connected(t, &mcp.CommandTransport{Command: s.command("mcp", "--server", s.url)})
		holds(t, "the same over standard input", stdio.call("read_agent_memory", map[string]any{"phoneNumber": number}), `"found":true`)
		stdio.call("update_agent_memory", map[string]any{"phoneNumber": number, "summary": "Job created", "intent": "completed"})
		holds(t, "after it was cleared", m.call("read_agent_memory", map[string]any{"phoneNumber": number}), `"found":false`)
	})
}

// `recaller mcp` works with nothing but the binary: without a server it opens the data itself, and with one beside it, it
// finds the key that the folder keeps.
func TestMCPOverStandardInput(t *testing.T) {
	t.Parallel()
	s := serve(t)
	s.stop()
	alone := connected(t, &mcp.CommandTransport{Command: s.command("mcp", "--caller", "+15550123")})
	alone.call("update_agent_memory", map[string]any{"summary": "Wants a quote for the roof", "intent": "quote"})
	if _, err := alone.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "recaller://caller/briefing"}); err != nil {
		t.Error(err)
	}
	if err := alone.Close(); err != nil {
		t.Errorf("it does not end with its standard input: %v", err)
	}
	s.start()
	got, err := s.admin.Checkpoint(context.Background(), "+15550123")
	if err != nil || got.Summary != "Wants a quote for the roof" {
		t.Errorf("got %+v, %v", got, err)
	}

	beside := connected(t, &mcp.CommandTransport{Command: s.command("mcp", "--server", s.url)})
	holds(t, "beside the server", beside.call("read_agent_memory", map[string]any{"phoneNumber": "+15550123"}), "quote for the roof")

	wrong := s.command("mcp", "--server", s.url)
	wrong.Env = append(wrong.Env, "RECALLER_API_KEY=rk_wrong_wrong_wrong_wrong_wrong_wrong_")
	wrong.Stdin = strings.NewReader("{nonsense\n" + `{"jsonrpc":"2.0","id":"a","method":"ping"}` + "\n" + `{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n")
	out := talk(t, wrong)
	holds(t, "what is no JSON", out, `"code":-32700`, `"id":null`)
	holds(t, "a wrong key", out, `"id":"a"`, "RECALLER_API_KEY", "!nonsense")
}

// talk runs a command to its end, and returns what it printed.
func talk(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v", cmd.Args, err)
	}
	return string(out)
}
