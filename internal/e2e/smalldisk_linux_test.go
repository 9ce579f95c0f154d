//go:build measure

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
)

// What is told of a disk on which no file may grow is tried here on a real small disk, too. It is mounted in a namespace of
// the server's own, which not every machine allows: make small-disk runs this, and fails where that cannot be done.

func TestASmallDiskThatFillsUp(t *testing.T) {
	t.Parallel()
	fillUp(t, func(s *server) *exec.Cmd {
		return s.onDisk("size=12m", `head -c 7000000 /dev/zero > "$RECALLER_DATA/ballast"`)
	}, "the disk is full", (*server).makeRoom)
}

func TestAStartOnASmallDiskThatIsFull(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*server){"after a stop": (*server).stop, "after kill -9": (*server).kill} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			startFull(t, end, func(s *server) *exec.Cmd {
				return s.onDisk("size=8m", `cat /dev/zero > "$RECALLER_DATA/ballast" 2>/dev/null || true`)
			}, (*server).makeRoom)
		})
	}
}

// onDisk is the server with its data on a small disk of its own, after a few words to the shell.
func (s *server) onDisk(options, script string) *exec.Cmd {
	return namespaced(s.within(`cp -a "$RECALLER_DATA" "$RECALLER_DATA.copy"; mount -t tmpfs -o ` + options + ` tmpfs "$RECALLER_DATA"
		cp -a "$RECALLER_DATA.copy/." "$RECALLER_DATA"; rm -r "$RECALLER_DATA.copy"; ` + script))
}

// makeRoom takes the ballast off the server's disk.
func (s *server) makeRoom() error {
	return os.Remove(filepath.Join("/proc", strconv.Itoa(s.cmd.Process.Pid), "root", s.dir, "ballast"))
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
