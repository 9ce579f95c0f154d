// Command recaller is the memory of agents that talk to people: the server, and the tools to use it from a terminal.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	_ "time/tzdata" // time zones on machines that have none

	"github.com/recallerhq/recaller/internal/cli"
)

// version is set by the linker (see the Makefile).
var version = ""

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the program at once
	code := cli.Main(ctx, cli.Process{
		Version: version,
		Args:    os.Args[1:],
		Env:     os.Environ(),
		Stdin:   os.Stdin,
		Stdout:  os.Stdout,
		Stderr:  os.Stderr,
	})
	stop()
	os.Exit(code)
}
