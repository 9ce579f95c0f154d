package cli_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/recallerhq/recaller/internal/cli"
)

// A server of one folder runs: --data with another folder means that other one, and with its own reaches the server.
func TestDataIsTheFolderThatIsMeant(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.env = append(b.env, "RECALLER_ADDR="+unusedAddr(t))
	ctx, stop := context.WithCancel(t.Context())
	over := make(chan int, 1)
	var out watched
	var logged bytes.Buffer
	go func() {
		over <- cli.Main(ctx, cli.Process{Args: []string{"serve"}, Env: b.env, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &logged})
	}()
	defer func() {
		stop()
		<-over
	}()
	out.until(t, "model ")
	other := filepath.Join(t.TempDir(), "other")
	b.must("replay", "testdata/plumber.txt", "--phone", maria, "--data", other)
	want(t, "the other folder", b.must("briefing", maria, "--data", other), "Conversation History")
	if r := b.run("briefing", maria); r.code == cli.ExitOK {
		t.Errorf("the server's folder has what went to the other:\n%s", r.out)
	}
	if r := b.run("briefing", maria, "--data", b.data); !strings.Contains(r.err, "nobody is known") {
		t.Errorf("the server's own folder: got exit %d, %q; want the server's answer", r.code, r.err)
	}
}

// What only the server can judge, a number for one, is asked before anything of a file is kept.
func TestABadFileIsNotKeptInPart(t *testing.T) {
	t.Parallel()
	b := setup(t)
	file := filepath.Join(t.TempDir(), "calls.jsonl")
	const good = `{"caller":{"phone":"` + maria + `"},"started_at":"2026-03-01T10:00:00Z","turns":[{"speaker":"user","text":"hello"}]}`
	for name, bad := range map[string]string{
		"caller.phone":  strings.Replace(good, maria, "12", 1),
		"recording_url": strings.Replace(good, `"turns"`, `"recording_url":"ftp://x","turns"`, 1),
		"turns[0].at":   strings.Replace(good, `"text"`, `"at":"2999-01-01T00:00:00Z","text"`, 1),
	} {
		if err := os.WriteFile(file, []byte(good+"\n"+bad+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		r := b.run("replay", file)
		if r.code == cli.ExitOK || !strings.Contains(r.err, "conversation 2: "+name) {
			t.Errorf("%s: got exit %d, %q; want the second conversation refused", name, r.code, r.err)
		}
		if r := b.run("briefing", maria); r.code == cli.ExitOK {
			t.Errorf("%s: part of a bad file was kept:\n%s", name, r.out)
		}
	}
}
