package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// The examples are run as their pages say: what is between ```bash and the next fence is typed where the server runs (its
// exports are its environment), each ```sh is typed in a second terminal, in the folder of the example, and what a ```text
// behind it says is seen; "…" stands for anything. What a ```json says is to be set at a platform: its addresses are ones
// that the server has.

// examples is the folder of the examples.
const examples = "../../examples"

// fence is a block of a page.
type fence struct{ kind, text string }

var fences = regexp.MustCompile("(?ms)^```([a-z]+)\n(.*?)^```$")

func page(t *testing.T, name string) []fence {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(examples, name, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	var out []fence
	for _, m := range fences.FindAllStringSubmatch(string(raw), -1) {
		out = append(out, fence{m[1], m[2]})
	}
	return out
}

// needs fails a test whose programs are not there: what the examples are typed with is a part of what tests need.
func needs(t *testing.T, programs ...string) {
	t.Helper()
	for _, name := range programs {
		if _, err := exec.LookPath(name); err != nil {
			t.Fatalf("%s is not installed, and examples/ are run with it: apt-get install bash curl openssl python3, or as your system has them", name)
		}
	}
}

// shell runs a script in the folder of an example, with nothing of the tester's environment.
func shell(t *testing.T, name, script string, env ...string) string {
	t.Helper()
	folder, err := filepath.Abs(filepath.Join(examples, name))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "-euo", "pipefail", "-c", "trap 'kill $(jobs -p) 2>/dev/null || true' EXIT\n"+script)
	cmd.Dir, cmd.Env = folder, append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "PYTHONDONTWRITEBYTECODE=1"}, env...)
	cmd.WaitDelay = 5 * time.Second
	var out, complaint bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaint
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s\n%s", err, out.String(), complaint.String())
	}
	return out.String()
}

// free is a port that nobody listens on, for now.
func free(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
}

// exported are the variables that a script exports.
func exported(t *testing.T, name, script string, env []string) []string {
	t.Helper()
	var out []string
	for _, m := range regexp.MustCompile(`(?m)^export .*$`).FindAllString(script, -1) {
		for _, v := range regexp.MustCompile(`([A-Z_]+)=`).FindAllStringSubmatch(m, -1) {
			out = append(out, v[1])
		}
	}
	script = strings.ReplaceAll(script, "recaller serve\n", "")
	for _, v := range out {
		script += `printf '%s=%s\0' ` + v + ` "$` + v + `"` + "\n"
	}
	lines := strings.Split(strings.TrimSuffix(shell(t, name, script, env...), "\x00"), "\x00")
	return append(lines[:len(lines):len(lines)], env...)
}

// follow does what the page of an example says.
func follow(t *testing.T, name string, env ...string) {
	t.Helper()
	needs(t, "bash", "curl")
	env = append(env, "STUB_PORT="+free(t), "SCRATCH="+t.TempDir(), "RECALLER_PROXY_DEADLINE=10s") // a slow machine is no outage
	var script []string
	var seen []string // what each step should show
	var s *server
	for _, f := range page(t, name) {
		switch f.kind {
		case "bash":
			if !strings.Contains(f.text, "recaller serve\n") || s != nil {
				t.Fatalf("one block starts the server, by `recaller serve`, before the others; got\n%s", f.text)
			}
			env = exported(t, name, f.text, env)
			s = serve(t, env...)
			env = append(env, "RECALLER="+s.url, "KEY="+s.key)
		case "sh":
			script, seen = append(script, f.text), append(seen, "")
		case "text":
			if len(seen) == 0 {
				t.Fatal("what is seen stands behind what is typed")
			}
			seen[len(seen)-1] = f.text
		case "json":
			configures(t, s, f.text)
		default:
			t.Errorf("a block of the kind %q is not tried by anybody", f.kind)
		}
	}
	if s == nil || len(script) == 0 {
		t.Fatal("there is nothing to be typed")
	}
	const step = "\x1e"
	out := strings.Split(shell(t, name, strings.Join(script, "\nprintf '\\036'\n"), env...), step)
	for i, want := range seen {
		for _, line := range strings.Split(strings.TrimSpace(want), "\n") {
			if !shows(out[i], line) {
				t.Errorf("step %d does not show %q; it shows\n%s", i+1, line, out[i])
			}
		}
	}
}

// shows reports whether a text has a line, in which "…" stands for anything.
func shows(text, line string) bool {
	var parts []string
	for _, part := range strings.Split(strings.TrimSpace(line), "…") {
		parts = append(parts, regexp.QuoteMeta(part))
	}
	return regexp.MustCompile(strings.Join(parts, ".*")).MatchString(text)
}

// configures looks at what is set at a platform: it is JSON, and its addresses are ones that a POST is expected at.
func configures(t *testing.T, s *server, text string) {
	t.Helper()
	if !json.Valid([]byte(text)) {
		t.Errorf("what is to be set is no JSON:\n%s", text)
	}
	for _, m := range regexp.MustCompile(`"(X-[A-Za-z-]+)"`).FindAllStringSubmatch(text, -1) {
		if !documented(t, m[1]) {
			t.Errorf("no page knows the header %s", m[1])
		}
	}
	for _, m := range regexp.MustCompile(`https://memory\.example\.com(/[^"]*)`).FindAllStringSubmatch(text, -1) {
		path := m[1]
		if path == "/v1" { // a base: the platform adds the rest
			path = "/v1/chat/completions"
		}
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+path, strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if res.StatusCode == http.StatusNotFound || res.StatusCode == http.StatusMethodNotAllowed {
			t.Errorf("%s is answered with %d", m[0], res.StatusCode)
		}
	}
}

// documented reports whether the pages of the proxy or of MCP know a header.
func documented(t *testing.T, header string) bool {
	t.Helper()
	for _, page := range []string{"proxy.md", "mcp.md"} {
		raw, err := os.ReadFile(filepath.Join("..", "..", "docs", page))
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(raw, []byte("`"+header)) {
			return true
		}
	}
	return false
}

func TestExamplePythonAgent(t *testing.T) {
	t.Parallel()
	needs(t, "python3")
	raw, err := os.ReadFile(filepath.Join(examples, "python-agent", "agent.py"))
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(raw, []byte("\n")); n > 60 {
		t.Errorf("the agent in sixty lines has %d", n)
	}
	follow(t, "python-agent")
}

func TestExampleTwilio(t *testing.T) {
	t.Parallel()
	needs(t, "openssl")
	follow(t, "twilio")
}

func TestExampleTelnyx(t *testing.T) {
	t.Parallel()
	needs(t, "openssl")
	follow(t, "telnyx")
}

func TestExampleElevenLabs(t *testing.T) {
	t.Parallel()
	needs(t, "python3")
	follow(t, "elevenlabs")
}

func TestExampleVapi(t *testing.T) {
	t.Parallel()
	needs(t, "python3")
	follow(t, "vapi")
}
