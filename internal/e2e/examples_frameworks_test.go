//go:build measure

package e2e

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/recallerhq/recaller"
)

// The examples for frameworks are run in these, which are packages of Python's: make examples gets them, and runs this.

// python is the interpreter that has the packages.
func python(t *testing.T) string {
	t.Helper()
	name := os.Getenv("RECALLER_EXAMPLES")
	if _, err := exec.LookPath(name); err != nil {
		t.Fatal("RECALLER_EXAMPLES names no Python with livekit-agents and pipecat-ai: `make examples` makes one")
	}
	return name
}

// hooked runs an example in the framework that it is for, and looks at what its page says is seen, and at what is kept.
func hooked(t *testing.T, name string, kept map[string]string) {
	t.Helper()
	interpreter := python(t)
	s := serve(t)
	out := shell(t, name, interpreter+" ../testdata/"+name+"_call.py", "RECALLER="+s.url, "KEY="+s.key)
	for _, f := range page(t, name) {
		if f.kind != "text" {
			continue
		}
		for _, line := range strings.Split(strings.TrimSpace(f.text), "\n") {
			if !shows(out, line) {
				t.Errorf("the page says %q; got\n%s", line, out)
			}
		}
	}
	for id, want := range kept {
		record, err := s.admin.Conversation(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		var said []string
		for _, turn := range record.Turns {
			text := string(turn.Speaker) + ": " + turn.Text
			if turn.Interrupted {
				text += " —"
			}
			said = append(said, text)
		}
		if got := strings.Join(said, " / "); got != want || record.Conversation.Status != recaller.Completed {
			t.Errorf("%s is %s, and has %q; want %q", id, record.Conversation.Status, got, want)
		}
	}
}

func TestExampleLiveKit(t *testing.T) {
	t.Parallel()
	hooked(t, "livekit", map[string]string{
		"RM1": "assistant: All right. / user: My greyhound is called Bruno. / assistant: All right. / assistant: I will have a l —",
	})
}

func TestExamplePipecat(t *testing.T) {
	t.Parallel()
	hooked(t, "pipecat", map[string]string{
		"PC1": "user: My boiler is twelve years old.", "PC2": "user: How old is my boiler?", "PC3": "assistant: Twelve ye —",
	})
}
