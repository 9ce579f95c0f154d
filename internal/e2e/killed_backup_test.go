package e2e

import (
	"bytes"
	"context"
	database "database/sql"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
)

// A backup works on an unsealed copy. If it is killed, nobody who is erased afterwards stands in what it left: that goes
// before the receipt is signed, with the next start, and with the next backup. What a living backup works in stays, and
// the receipt says so.
func TestNobodyErasedStandsInWhatAKilledBackupLeft(t *testing.T) {
	t.Parallel()
	s, to := serve(t), t.TempDir()
	p := phone{t, s.admin}
	ann := p.call("+14155550101", user("I need an electrician."), agent("Certainly.")).Caller.ID
	bob := p.call("+14155550102", user("I need a plumber."), agent("Certainly.")).Caller.ID
	cid := p.call("+14155550103", user("I need a gardener."), agent("Certainly.")).Caller.ID
	long := client.ImportRequest{
		Caller: client.CallerRef{Phone: "+14155550104"}, StartedAt: time.Now().AddDate(0, -1, 0), Wrapup: new(bool),
		Turns: slices.Repeat([]client.TurnInput{user(strings.Repeat("word ", 1000))}, 1500), // so that a backup takes a while
	}
	imported, err := p.c.ImportConversation(t.Context(), long)
	if err != nil {
		t.Fatal(err)
	}
	fourth := imported.Conversation.CallerID
	eventually(t, "their calls can be found", func() bool {
		have := readable(t, filepath.Join(s.dir, "recaller.db"))
		return len(have[ann]) > 1 && len(have[bob]) > 1 && len(have[cid]) > 1
	})

	running, work := interrupted(t, s, to)
	traces := readable(t, filepath.Join(work, "recaller.db"))
	if len(traces) != 4 {
		t.Fatalf("the copy has tokens and embeddings of %d callers, want 4", len(traces))
	}
	if got := erased(p, ann); !slices.Equal(got, []recaller.Remain{recaller.RemainBackup}) {
		t.Errorf("erased while a backup runs: got %q to remain, want what it works in", got)
	}
	if _, err := os.Stat(work); err != nil {
		t.Errorf("what a living backup works in is gone: %v", err)
	}
	die(t, running)
	if got := erased(p, bob); len(got) != 0 {
		t.Errorf("erased after it was killed: got %q to remain, want nothing", got)
	}
	wantTraces(t, s.dir, traces, cid, fourth)

	running, work = interrupted(t, s, to)
	die(t, running)
	s.stop()
	s.start()
	wantGone(t, "after a start", work)

	running, work = interrupted(t, s, to)
	die(t, running)
	for _, args := range [][]string{{"backup", to}, {"doctor"}} {
		if out, err := s.command(args...).CombinedOutput(); err != nil {
			t.Errorf("%s: %v: %s", args[0], err, out)
		}
	}
	wantGone(t, "after the next backup", work)
	if left := partial(to); len(left) != 0 {
		t.Errorf("beside the backups there are %q, want nothing", left)
	}
	erased(phone{t, s.admin}, cid)
	wantTraces(t, s.dir, traces, fourth)
}

// erased erases somebody, and returns where something of him remains.
func erased(p phone, caller string) []recaller.Remain {
	p.t.Helper()
	r, err := p.c.EraseCaller(context.Background(), caller)
	if err != nil {
		p.t.Fatal(err)
	}
	return r.Remains
}

// interrupted has a backup run, and stops it while its copy is whole in its folder of work and it writes to where the
// backup is to be.
func interrupted(t *testing.T, s *server, to string) (running *exec.Cmd, work string) {
	t.Helper()
	for range 50 {
		before := partial(to)
		cmd := s.command("backup", to)
		said := &logbook{}
		cmd.Stdout, cmd.Stderr = said, said
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		over := make(chan struct{})
		go func() { _ = cmd.Wait(); close(over) }()
		for tick := time.NewTicker(time.Millisecond / 4); ; {
			select {
			case <-tick.C:
			case <-over:
			}
			if now := partial(to); (len(now) == 0 || slices.Equal(now, before)) && !isClosed(over) {
				continue
			}
			tick.Stop()
			break
		}
		_ = cmd.Process.Signal(syscall.SIGSTOP)
		left, err := filepath.Glob(filepath.Join(s.dir, "backup-work-*", "recaller.db"))
		if err == nil && len(left) == 1 && !isClosed(over) {
			return cmd, filepath.Dir(left[0])
		}
		_ = cmd.Process.Kill()
		<-over
		if cmd.ProcessState.Exited() && !cmd.ProcessState.Success() {
			t.Fatalf("the backup failed: %s", said)
		}
	}
	t.Fatal("no backup could be stopped in the middle")
	return nil, ""
}

// partial are the files of backups that are not whole.
func partial(to string) []string {
	list, _ := filepath.Glob(filepath.Join(to, ".*")) // the pattern is sound
	return list
}

func isClosed(c chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// die kills a process, and waits until it is gone.
func die(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the backup is gone", func() bool { return cmd.Process.Signal(syscall.Signal(0)) != nil })
}

func wantGone(t *testing.T, when, work string) {
	t.Helper()
	if _, err := os.Stat(work); err == nil {
		t.Errorf("%s: what a killed backup worked in is there", when)
	}
}

// readable returns what a database file has unsealed of each caller: the tokens that he is found by, and the embeddings.
func readable(t *testing.T, path string) map[string][][]byte {
	t.Helper()
	db, err := database.Open("sqlite", "file:"+path+"?_pragma=busy_timeout(5000)")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	rows, err := db.QueryContext(t.Context(), `SELECT caller_id, token FROM identities
		UNION SELECT caller_id, vector FROM conversation_embeddings UNION SELECT caller_id, vector FROM document_embeddings
		UNION SELECT caller_id, token FROM document_tags`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	all := map[string][][]byte{}
	for rows.Next() {
		var caller string
		var raw []byte
		if err := rows.Scan(&caller, &raw); err != nil {
			t.Fatal(err)
		}
		all[caller] = append(all[caller], raw)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

// wantTraces looks through every file of a folder: it has traces of those who stay, and of nobody else. What one who
// stays has too, such as the token of a tag that every call gets, is no trace of anybody.
func wantTraces(t *testing.T, dir string, traces map[string][][]byte, stay ...string) {
	t.Helper()
	found := map[string]int{}
	shared := func(caller string, trace []byte) bool {
		return slices.ContainsFunc(stay, func(other string) bool {
			return other != caller && slices.ContainsFunc(traces[other], func(has []byte) bool { return bytes.Equal(has, trace) })
		})
	}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		raw, err := os.ReadFile(path)
		for caller, list := range traces {
			for _, trace := range list {
				if bytes.Contains(raw, trace) && !shared(caller, trace) {
					found[caller]++
				}
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for caller := range traces {
		if there := found[caller] > 0; there != slices.Contains(stay, caller) {
			t.Errorf("in the data folder there are %d tokens and embeddings of a caller; he stays: %v", found[caller], !there)
		}
	}
}
