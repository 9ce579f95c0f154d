package e2e

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/app"
	"github.com/recallerhq/recaller/internal/config"
	"github.com/recallerhq/recaller/internal/endpoint/endpointtest"
	"github.com/recallerhq/recaller/internal/llm/llmtest"
)

const writeUpCall = "CA-writeup"

// kill -9 between any two commits of a write-up by a model, right before the one or right after the other, and while the
// model is asked each time: once it has been started again, all of it is there, once, as if nothing had happened.
func TestAWriteUpThatIsKilledAnywhereIsDoneOnce(t *testing.T) {
	t.Parallel()
	base := filepath.Join(t.TempDir(), "data")
	provider := httptest.NewServer(llmtest.New(nil))
	t.Cleanup(provider.Close)
	endedCall(t, base, provider.URL)
	undisturbed := copied(t, base)
	if died := runChild(t, undisturbed, provider.URL, "", nil); died {
		t.Fatal("the undisturbed write-up died")
	}
	want := outcomeOf(t, undisturbed, provider.URL)
	if len(want.Memories) < 2 || want.Summary == "" || want.SummaryBy != "test-model" {
		t.Fatalf("the undisturbed write-up came to %+v: not enough to lose", want)
	}
	check := func(t *testing.T, dir string) {
		t.Helper()
		if died := runChild(t, dir, provider.URL, "", nil); died {
			t.Fatal("it died again")
		}
		if diff := cmp.Diff(want, outcomeOf(t, dir, provider.URL)); diff != "" {
			t.Errorf("(-undisturbed +killed and started again):\n%s", diff)
		}
	}
	for _, when := range []string{"before", "after"} {
		t.Run(when+" every other commit", func(t *testing.T) {
			t.Parallel()
			n := 1
			for ; ; n += 2 { // after the second is much the same as before the third
				dir := copied(t, base)
				if died := runChild(t, dir, provider.URL, fmt.Sprintf("%s %d", when, n), nil); !died {
					break
				}
				check(t, dir)
			}
			if n < 10 {
				t.Errorf("a write-up has %d commits: some were not seen", n-1)
			}
		})
	}
	for ask := 1; ask <= 2; ask++ { // the summary, the memories
		t.Run(fmt.Sprintf("while the model is asked for the %d. time", ask), func(t *testing.T) {
			t.Parallel()
			dir, doomed := copied(t, base), make(chan func(), 1)
			killer := httptest.NewServer(llmtest.New(func(q llmtest.Request) string {
				if q.N == ask {
					(<-doomed)()
				}
				return llmtest.Answer(q)
			}))
			t.Cleanup(killer.Close)
			if died := runChild(t, dir, killer.URL, "", doomed); !died {
				t.Fatal("it was not killed")
			}
			check(t, dir)
		})
	}
}

// The model is away, and the process is killed after each commit until what the rules remember meanwhile is written:
// started again with a model that answers, it leaves what it would have left.
func TestInterimMemoriesOfAProcessThatIsKilledGiveWay(t *testing.T) { //nolint:tparallel // a part of it only closes the folder
	t.Parallel()
	base := filepath.Join(t.TempDir(), "data")
	provider := httptest.NewServer(llmtest.New(nil))
	t.Cleanup(provider.Close)
	down := llmtest.New(nil)
	down.Fail(endpointtest.Unauthorized())
	away := httptest.NewServer(down)
	t.Cleanup(away.Close)
	endedCall(t, base, provider.URL)
	undisturbed := copied(t, base)
	if died := runChild(t, undisturbed, provider.URL, "", nil); died {
		t.Fatal("the undisturbed write-up died")
	}
	want := outcomeOf(t, undisturbed, provider.URL)
	for n, interim := 1, 0; interim == 0; n++ {
		dir := copied(t, base)
		if died := runChild(t, dir, away.URL, fmt.Sprintf("after %d", n), nil); !died {
			t.Fatal("it was not killed")
		}
		left := outcomeOf(t, dir, provider.URL)
		if interim = left.Interim; interim != left.Versions {
			t.Errorf("after commit %d: got %+v, want all memories marked", n, left)
		}
		if died := runChild(t, dir, provider.URL, "", nil); died {
			t.Fatal("it died again")
		}
		if diff := cmp.Diff(want, outcomeOf(t, dir, provider.URL)); diff != "" {
			t.Errorf("after commit %d (-undisturbed +killed and started again):\n%s", n, diff)
		}
	}
}

// outcome is what a write-up leaves, without what is different each time: ids and times.
type outcome struct {
	Memories  map[string]string // key → value
	Versions  int
	Interim   int
	Summary   string
	SummaryBy string
	Steps     []string
	Name      string
}

// endedCall makes a data folder with a call that has ended and waits for its write-up.
func endedCall(t *testing.T, dir, model string) {
	t.Helper()
	t.Run("a call", func(t *testing.T) { // so that the folder is closed again
		p := phone{t, opened(t, dir, model)}
		p.start(client.StartRequest{Caller: client.CallerRef{Phone: "+14155550123"}, ExternalID: writeUpCall})
		p.say(writeUpCall, agent("Hello, who is speaking?"), user("Hello, my name is Rosa Klein."), agent("What can I do for you?"),
			user("My boiler is broken, and my dog is Max."), user("I love gardening."), agent("We will send somebody."))
		p.end(writeUpCall, client.EndRequest{DurationSeconds: 120})
	})
}

// opened opens a data folder in this process, without its jobs, until the test ends or close is called.
func opened(t *testing.T, dir, model string) *client.Client {
	t.Helper()
	env := childEnv(dir, model)
	cfg, err := config.Load(config.Options{Env: func(name string) (string, bool) { v, ok := env[name]; return v, ok }})
	if err != nil {
		t.Fatal(err)
	}
	a, err := app.New(context.Background(), cfg, app.Options{Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(a.Handler())
	t.Cleanup(sync.OnceFunc(func() {
		server.Close()
		if err := a.Close(context.Background()); err != nil {
			t.Error(err)
		}
	}))
	c, err := client.New(server.URL, a.BootstrapKey())
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func childEnv(dir, model string) map[string]string {
	return map[string]string{
		"RECALLER_DATA": dir, "RECALLER_LLM_BASE_URL": model + "/v1", "RECALLER_LLM_MODEL": "test-model", "RECALLER_LLM_WORDS": "own", "RECALLER_BRIEFING_DEADLINE": "10s",
	}
}

// outcomeOf reads what the write-up of a folder's call left.
func outcomeOf(t *testing.T, dir, model string) (out outcome) {
	t.Helper()
	t.Run("outcome", func(t *testing.T) { // so that the folder is closed again
		p := phone{t, opened(t, dir, model)}
		rec := p.read(writeUpCall)
		out.Memories = map[string]string{}
		list, err := p.c.Memories(t.Context(), rec.Conversation.CallerID, client.MemoryFilter{Statuses: []recaller.MemoryStatus{
			recaller.MemoryActive, recaller.MemorySuperseded, recaller.MemoryForgotten,
		}})
		if err != nil {
			t.Fatal(err)
		}
		out.Versions = len(list.Memories)
		for _, m := range list.Memories {
			out.Memories[m.Key] = m.Value
			if m.Interim {
				out.Interim++
			}
		}
		if s := rec.Conversation.Summary; s != nil {
			out.Summary, out.SummaryBy = s.Brief, s.By
		}
		for _, step := range rec.Wrapup.Steps {
			out.Steps = append(out.Steps, fmt.Sprintf("%s %s by %s, %d stored", step.Step, step.State, step.By, step.Stored))
		}
		who, err := p.c.Caller(t.Context(), rec.Conversation.CallerID)
		if err != nil {
			t.Fatal(err)
		}
		out.Name = who.Name
	})
	return out
}

func copied(t *testing.T, dir string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "data")
	if err := os.CopyFS(to, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	for _, private := range []string{"keys", "master", "master/master.key", "keys/api.key", "keys/keys.db"} { // CopyFS adds what the umask leaves
		info, err := os.Stat(filepath.Join(dir, private))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(filepath.Join(to, private), info.Mode().Perm()); err != nil {
			t.Fatal(err)
		}
	}
	return to
}

// runChild writes the call up in a process of its own, and reports whether that died by kill -9. What it is to die of
// is said by dies; or killed, if it is not nil, gets what kills it and waits for its death.
func runChild(t *testing.T, dir, model, dies string, killed chan<- func()) (died bool) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, childConversation + "=" + writeUpCall, childDies + "=" + dies}
	for name, v := range childEnv(dir, model) {
		cmd.Env = append(cmd.Env, name+"="+v)
	}
	said := &logbook{}
	cmd.Stdout, cmd.Stderr = said, said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	dead := make(chan struct{})
	if killed != nil {
		killed <- func() {
			_ = cmd.Process.Kill() // an error: it is dead already
			<-dead
		}
	}
	err := cmd.Wait()
	close(dead)
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() && status.Signal() == syscall.SIGKILL {
			return true
		}
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	return false
}
