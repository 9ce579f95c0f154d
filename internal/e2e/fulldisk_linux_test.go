package e2e

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/recallerhq/recaller/client"
)

// A disk that fills up: 503 on writes, a clear word in the log, reads go on, all that was acknowledged is there, and
// with room again it goes on. A bound on the size of files works everywhere; where we may mount one, a real small disk
// too.
func TestADiskThatFillsUp(t *testing.T) {
	t.Parallel()
	t.Run("no file may grow further", func(t *testing.T) {
		t.Parallel()
		fillUp(t, func(s *server) *exec.Cmd { return s.within(`ulimit -f 8192`) }, "the disk takes no writes", nil)
	})
	t.Run("a small disk", func(t *testing.T) {
		t.Parallel()
		probe := namespaced(exec.Command("/bin/sh", "-c", `mount -t tmpfs tmpfs "$0"`, t.TempDir()))
		if err := probe.Run(); err != nil {
			t.Logf("no disk can be mounted here (%v): the bound on files has to do", err)
			return
		}
		fillUp(t, func(s *server) *exec.Cmd {
			return namespaced(s.within(`cp -a "$RECALLER_DATA" "$RECALLER_DATA.copy"; mount -t tmpfs -o size=8m tmpfs "$RECALLER_DATA"
				cp -a "$RECALLER_DATA.copy/." "$RECALLER_DATA"; head -c 3000000 /dev/zero > "$RECALLER_DATA/ballast"`))
		}, "the disk is full", func(s *server) error {
			return os.Remove(filepath.Join("/proc", strconv.Itoa(s.cmd.Process.Pid), "root", s.dir, "ballast"))
		})
	})
}

// within is the server after a few words to the shell.
func (s *server) within(script string) *exec.Cmd {
	cmd := s.command()
	cmd.Path, cmd.Args = "/bin/sh", []string{"sh", "-e", "-c", script + "\n" + `exec "$0" serve`, binary}
	return cmd
}

// namespaced gives a process its own view of the disks, in which it may mount.
func namespaced(cmd *exec.Cmd) *exec.Cmd {
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
	return cmd
}

// fillUp writes until the disk is full. freed, which may be nil, makes room.
func fillUp(t *testing.T, small func(*server) *exec.Cmd, says string, freed func(*server) error) {
	s := serve(t)
	before := phone{t, s.admin}.call("+14155550111", user("I need a repair of the fence."), agent("Yes."))
	s.stop()
	s.launch(small(s))
	p := phone{t, s.admin}
	call := p.ring("+14155550111")
	words := strings.Repeat("A long story about gardens. ", 1000)
	acknowledged, refusal := 0, error(nil)
	say := func() error {
		_, err := p.c.AddTurns(t.Context(), call.Conversation.ID, user(fmt.Sprintf("%d %s", acknowledged, words)))
		if err == nil {
			acknowledged++
		}
		return err
	}
	for refusal == nil && acknowledged < 2000 {
		refusal = say()
	}
	if r := refused(t, refusal, http.StatusServiceUnavailable); !strings.Contains(r.Detail, says) {
		t.Errorf("got %+v, want it said that %s", r, says)
	}
	whole := func(when string) {
		t.Helper()
		if rec := p.read(call.Conversation.ID); len(rec.Turns) != acknowledged || acknowledged < 10 {
			t.Errorf("%s: got %d turns, want the %d that were acknowledged", when, len(rec.Turns), acknowledged)
		}
	}
	whole("on the full disk")
	holds(t, "the briefing", p.briefing(before.Caller.ID), "fence")
	if !recalls(p.recall(before.Caller.ID, "repair"), "fence") {
		t.Error("nothing is recalled on a full disk")
	}
	if !strings.Contains(s.output.String(), says) {
		t.Errorf("the log does not say that %s", says)
	}
	if freed == nil {
		return
	}
	if err := freed(s); err != nil {
		t.Fatal(err)
	}
	if err := say(); err != nil {
		t.Errorf("with room again: got %v", err)
	}
	if _, err := p.c.StoreMemory(t.Context(), before.Caller.ID, client.MemoryInput{Type: "fact", Key: "pet", Value: "A cat"}); err != nil {
		t.Errorf("with room again: got %v", err)
	}
	whole("with room again")
}
