package cli_test

import (
	"bytes"
	"context"
	"flag"
	"io"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/recallerhq/recaller/internal/cli"
)

var update = flag.Bool("update", false, "write what the tests expect")

// ran is one command line that was run.
type ran struct {
	code     int
	out, err string
}

// bench runs command lines on one data folder, with nothing else listening.
type bench struct {
	t    *testing.T
	data string
	env  []string
}

func setup(t *testing.T) *bench {
	t.Helper()
	data := filepath.Join(t.TempDir(), "data")
	return &bench{t: t, data: data, env: []string{"RECALLER_DATA=" + data, "RECALLER_ADDR=" + nobody}}
}

// nobody is an address where no server is: ports below 1024 are not given to tests that run beside.
const nobody = "127.0.0.1:1"

// unusedAddr is an address that nobody listens on, for now.
func unusedAddr(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}

func (b *bench) run(args ...string) ran { return b.typing("", args...) }

func (b *bench) typing(input string, args ...string) ran {
	b.t.Helper()
	return b.runIn(b.t.Context(), strings.NewReader(input), args...)
}

func (b *bench) runIn(ctx context.Context, in io.Reader, args ...string) ran {
	b.t.Helper()
	var out, err bytes.Buffer
	code := cli.Main(ctx, cli.Process{Version: "v1.2.3", Args: args, Env: b.env, Stdin: in, Stdout: &out, Stderr: &err})
	return ran{code, out.String(), err.String()}
}

// must runs a command line that has to work, and returns what it printed.
func (b *bench) must(args ...string) string {
	b.t.Helper()
	r := b.run(args...)
	if r.code != cli.ExitOK {
		b.t.Fatalf("recaller %s: exit %d\n%s%s", strings.Join(args, " "), r.code, r.out, r.err)
	}
	return r.out
}

func want(t *testing.T, what, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%s lacks %q:\n%s", what, part, text)
		}
	}
}

const maria = "+15550100142"

func TestWhatWasReplayedIsRememberedWithNothingRunning(t *testing.T) {
	t.Parallel()
	b := setup(t)
	replayed := b.run("replay", "testdata/plumber.txt", "--phone", maria, "--at", "2026-10-02T14:05")
	if replayed.code != cli.ExitOK {
		t.Fatalf("replay: exit %d\n%s", replayed.code, replayed.err)
	}
	want(t, "replay", replayed.out, "2026-10-02 14:05", maria)
	want(t, "replay's stderr", replayed.err, "1 conversation, 6 turns")

	want(t, "briefing", b.must("briefing", maria), "Maria Lopez", "October 2, 2026")
	want(t, "briefing in JSON", b.must("briefing", maria, "--json"), `"parts": [`, `"tokens": `)
	want(t, "memories", b.must("memories", maria), "TYPE", "cats")

	recalled := b.must("recall", maria, "what noise does the boiler make", "--explain")
	want(t, "recall", recalled, " 1. 2 Oct 2026, the caller, turn 1 of replay-", "terrible noise", "why: ", "bm25 +", "(#1)", "words: ", "nois ")

	again := b.must("replay", "testdata/plumber.txt", "--phone", maria, "--at", "2026-10-02T14:05")
	want(t, "replaying again", again, "(was there already)")

	id := regexp.MustCompile(`replay-[0-9a-f]+`).FindString(recalled)
	words := b.must("transcript", id)
	want(t, "transcript", words, "ASSISTANT: Lakeside Plumbing", "USER: Hello, my name is Maria Lopez.")
	if got := strings.Count(words, "\n"); got != 6 {
		t.Errorf("transcript has %d lines, want 6", got)
	}
}

func TestATranscriptThatWasPrintedCanBeReplayed(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.must("replay", "testdata/plumber.txt", "--phone", maria, "--no-wrapup")
	id := regexp.MustCompile(`replay-[0-9a-f]+`).FindString(b.must("recall", maria, "boiler"))
	printed := b.must("transcript", id)
	r := b.typing(printed, "replay", "-", "--phone", "ext:copy", "--no-wrapup")
	if r.code != cli.ExitOK {
		t.Fatalf("replay: exit %d\n%s", r.code, r.err)
	}
	copied := regexp.MustCompile(`replay-[0-9a-f]+`).FindString(b.must("recall", "ext:copy", "boiler"))
	if diff := cmp.Diff(printed, b.must("transcript", copied)); diff != "" {
		t.Errorf("the copy (-first +second):\n%s", diff)
	}
}

func TestExportAndErase(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.must("replay", "testdata/plumber.txt", "--phone", maria)
	want(t, "export", b.must("export", maria), `"text": "Hello, my name is Maria Lopez. The boiler`)

	file := filepath.Join(t.TempDir(), "maria.json")
	b.must("export", maria, "-o", file)
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("export's file: %v, %v; want one for its owner only", info, err)
	}
	if r := b.run("export", maria, "-o", file); r.code != cli.ExitFailed {
		t.Errorf("export over a file: exit %d, want %d", r.code, cli.ExitFailed)
	}

	if r := b.run("erase", maria); r.code != cli.ExitUsage || !strings.Contains(r.err, "--yes") {
		t.Errorf("erase without a terminal: exit %d, %q; want to be told of --yes", r.code, r.err)
	}
	want(t, "erase", b.must("erase", maria, "--yes"), "Erased on", "Key destroyed", "Receipt")
	if r := b.run("briefing", maria); r.code != cli.ExitFailed || !strings.Contains(r.err, "nobody is known as "+maria) {
		t.Errorf("after the erasure: exit %d, %q", r.code, r.err)
	}
}

func TestLiveReplayEndsAsACallDoes(t *testing.T) {
	t.Parallel()
	b := setup(t)
	out := b.must("replay", "testdata/plumber.txt", "--phone", maria, "--as", "live", "--json")
	want(t, "live replay", out, `"status": "completed"`, `"turn_count": 6`, `"summary": {`)
	if strings.Contains(out, `"imported": true`) {
		t.Error("a live call was imported")
	}
}

func TestErrorsSayWhatToDo(t *testing.T) {
	b := setup(t) // one data folder, which one process has at a time
	b.must("replay", "testdata/plumber.txt", "--phone", maria, "--no-wrapup")
	tests := []struct {
		name string
		args []string
		code int
		says []string
	}{
		{"no such verb", []string{"cll", maria}, cli.ExitUsage, []string{`did you mean "call"?`, "--help"}},
		{"a verb misspelt", []string{"calll", maria}, cli.ExitUsage, []string{`did you mean "call"?`, "--help"}},
		{"what two verbs begin with", []string{"rec", maria}, cli.ExitUsage, []string{`did you mean one of "recall", "receipt"?`}},
		{"what no verb begins with", []string{"vall", maria}, cli.ExitUsage, []string{`did you mean one of "call"`, `"eval"`}},
		{"no such flag", []string{"recall", maria, "x", "--explian"}, cli.ExitUsage, []string{"--explian", "`recaller recall --help`"}},
		{"no phone", []string{"briefing"}, cli.ExitUsage, []string{"<phone>"}},
		{"an empty phone", []string{"briefing", ""}, cli.ExitUsage, []string{"PHONE is empty"}},
		{"no number", []string{"briefing", "call me"}, cli.ExitUsage, []string{`"call me" is no phone number`, "+1 555"}},
		{"no number to call", []string{"call", "12"}, cli.ExitUsage, []string{`"12" is no phone number`}},
		{"a stranger", []string{"recall", "+15550100199", "cats"}, cli.ExitFailed, []string{"nobody is known as +15550100199"}},
		{"a stranger's id", []string{"memories", "ext:nobody"}, cli.ExitFailed, []string{"nobody is known as ext:nobody"}},
		{"no such conversation", []string{"transcript", "nothing"}, cli.ExitFailed, []string{"no such conversation"}},
		{"no such file", []string{"replay", "missing.txt"}, cli.ExitFailed, []string{"missing.txt: no such file or directory"}},
		{"a folder", []string{"replay", "testdata"}, cli.ExitUsage, []string{"testdata is a folder"}},
		{"a malformed line", []string{"replay", "testdata/malformed.jsonl"}, cli.ExitFailed, []string{"testdata/malformed.jsonl: line 2", "speaker"}},
		{"nobody called", []string{"replay", "testdata/plumber.txt"}, cli.ExitFailed, []string{"say who called with --phone"}},
		{"no time", []string{"recall", maria, "cats", "--as-of", "soon"}, cli.ExitUsage, []string{`--as-of: "soon" is no time`}},
		{"no such kind", []string{"recall", maria, "cats", "--kind", "letter"}, cli.ExitUsage, []string{"--kind"}},
		{"no server there", []string{"briefing", maria, "--server", "http://" + nobody}, cli.ExitFailed, []string{"no server answers at http://", "recaller serve"}},
		{"no URL", []string{"briefing", maria, "--server", "localhost"}, cli.ExitFailed, []string{"localhost"}},
		{"no such setting", []string{"config", "--set", "adr=x"}, cli.ExitUsage, []string{"adr"}},
		{"a rotation without the old key", []string{"keys", "rotate", "--set", "encryption-key=" + strings.Repeat("0a1b", 16)}, cli.ExitFailed, []string{"the data was sealed with key"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := b.run(test.args...)
			if r.code != test.code {
				t.Errorf("exit %d, want %d", r.code, test.code)
			}
			if r.out != "" {
				t.Errorf("an error on stdout: %q", r.out)
			}
			if !strings.HasPrefix(r.err, "recaller: ") {
				t.Errorf("stderr %q, want it to begin with the program's name", r.err)
			}
			want(t, "stderr", r.err, test.says...)
		})
	}
}

func TestNothingIsKeptOfAFileThatIsMalformed(t *testing.T) {
	t.Parallel()
	b := setup(t)
	if r := b.run("replay", "testdata/plumber.txt", "testdata/malformed.jsonl", "--phone", maria); r.code != cli.ExitFailed {
		t.Fatalf("exit %d", r.code)
	}
	if _, err := os.Stat(b.data); !os.IsNotExist(err) {
		t.Error("the data folder was made although nothing could be kept")
	}
}

func TestVerbsSpeakToTheServerThatRuns(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.env = append(b.env, "RECALLER_ADDR="+unusedAddr(t))
	ctx, stop := context.WithCancel(t.Context())
	var out watched
	var logged bytes.Buffer
	over := make(chan int, 1)
	go func() {
		over <- cli.Main(ctx, cli.Process{Args: []string{"serve"}, Env: b.env, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &logged})
	}()
	banner := out.until(t, "model ")
	want(t, "banner", banner, "serving", "http://127.0.0.1:", "/docs", b.data, "shown this once", "rk_default_")

	verbose := b.run("replay", "testdata/plumber.txt", "--phone", maria, "-v")
	if verbose.code != cli.ExitOK {
		t.Fatalf("replay: exit %d\n%s", verbose.code, verbose.err)
	}
	want(t, "replay -v", verbose.err, "speaking to the server at http://127.0.0.1:")
	want(t, "briefing", b.must("briefing", maria), "Maria Lopez")
	want(t, "doctor", b.must("doctor"), "ready at http://", "the server takes it", "in use by a server")

	stranger := b.env
	b.env = append(b.env[:len(b.env):len(b.env)], "RECALLER_API_KEY=rk_default_wrong_0123456789abcdef")
	if r := b.run("briefing", maria); r.code != cli.ExitFailed || !strings.Contains(r.err, "set RECALLER_API_KEY") {
		t.Errorf("a wrong key: exit %d, %q", r.code, r.err)
	}
	b.env = append(stranger[:len(stranger):len(stranger)], "RECALLER_ADDR="+nobody)
	if r := b.run("briefing", maria); r.code != cli.ExitFailed || !strings.Contains(r.err, "in use by another") {
		t.Errorf("data that a server elsewhere has: exit %d, %q", r.code, r.err)
	}
	stop()
	if code := <-over; code != cli.ExitOK {
		t.Errorf("serve: exit %d\n%s", code, logged.String())
	}
}

// watched is output that somebody waits for.
type watched struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (w *watched) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.Write(p)
}

func (w *watched) until(t *testing.T, part string) string {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(20 * time.Second)
	for {
		w.mu.Lock()
		text := w.text.String()
		w.mu.Unlock()
		if strings.Contains(text, part) {
			return text
		}
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("waited for %q in vain; there is:\n%s", part, text)
		}
	}
}
