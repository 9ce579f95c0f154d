package e2e

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/recallerhq/recaller/internal/cli"
)

// childClock, if set, makes this test program the command line of the product, all of it, but with a clock that jumps
// when it is told to. The binary itself has no such clock, and no fake one can be put under it: Go asks the kernel.
const childClock = "RECALLER_E2E_CLOCK"

// clocked is the main function of such a process. Each line of its input is how far the clock is off from then on.
func clocked() int {
	var off atomic.Int64
	told, _ := time.ParseDuration(os.Getenv(childClock)) // a test of ours has set it
	off.Store(int64(told))
	go func() {
		for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
			if d, err := time.ParseDuration(lines.Text()); err == nil {
				off.Store(int64(d))
			}
		}
	}()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return cli.Main(ctx, cli.Process{
		Args: os.Args[1:], Env: os.Environ(), Stdin: strings.NewReader(""), Stdout: os.Stdout, Stderr: os.Stderr,
		Now: func() time.Time {
			return time.Now().Add(time.Duration(off.Load())).Round(0).UTC().Truncate(time.Microsecond)
		},
	})
}

// clockedCommand makes a command of the binary one of this program with a clock, which is off by so much. set makes it jump.
func clockedCommand(cmd *exec.Cmd, off time.Duration) (set func(off time.Duration) error, err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd.Path, cmd.Args = self, append([]string{self}, cmd.Args[1:]...)
	cmd.Env = append(slices.Clone(cmd.Env), childClock+"="+off.String())
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	return func(off time.Duration) error {
		_, err := in.Write([]byte(off.String() + "\n"))
		return err
	}, nil
}
