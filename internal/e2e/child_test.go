package e2e

import (
	"context"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/app"
	"github.com/recallerhq/recaller/internal/config"
	"github.com/recallerhq/recaller/internal/store"
)

// A child is this test program started again, as a server that writes up what waits for it and then ends. It can be
// told to die, as by kill -9, at any one of its commits, which no signal from outside hits so exactly.
const (
	childConversation = "RECALLER_E2E_CHILD" // the conversation to write up; set: this process is a child
	childDies         = "RECALLER_E2E_DIES"  // "before 7": at its seventh commit, which is not carried out; "after 7": once it is
)

// mortal is an engine that kills its process at one of its commits.
type mortal struct {
	store.Engine
	at     int64
	after  bool
	commit *atomic.Int64
}

func (m mortal) die() {
	_ = syscall.Kill(os.Getpid(), syscall.SIGKILL) // cannot fail, and nothing would be left to tell
	select {}
}

func (m mortal) write(do func() error) error {
	mine := m.commit.Add(1) == m.at
	if mine && !m.after {
		m.die()
	}
	err := do()
	if mine {
		m.die()
	}
	return err
}

// Write is a commit.
func (m mortal) Write(ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, fn func(store.Tx) error) error {
	return m.write(func() error { return m.Engine.Write(ctx, tenant, caller, fn) })
}

// WriteSystem is a commit.
func (m mortal) WriteSystem(ctx context.Context, fn func(store.Tx) error) error {
	return m.write(func() error { return m.Engine.WriteSystem(ctx, fn) })
}

// child is the main function of a child process. It returns the exit code.
func child() int {
	if err := writeUp(os.Getenv(childConversation)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func writeUp(conversation string) (err error) {
	ctx := context.Background()
	cfg, err := config.Load(config.Options{Env: os.LookupEnv})
	if err != nil {
		return err
	}
	opts := app.Options{Log: slog.New(slog.DiscardHandler)}
	if when, at, ok := strings.Cut(os.Getenv(childDies), " "); ok {
		n, err := strconv.ParseInt(at, 10, 64)
		if err != nil {
			return err
		}
		opts.Wrap = func(e store.Engine) store.Engine {
			return mortal{Engine: e, at: n, after: when == "after", commit: &atomic.Int64{}}
		}
	}
	a, err := app.New(ctx, cfg, opts)
	if err != nil {
		return err
	}
	defer func() {
		if closed := a.Close(ctx); err == nil {
			err = closed
		}
	}()
	if err := a.Start(ctx); err != nil {
		return err
	}
	server := httptest.NewServer(a.Handler())
	defer server.Close()
	c, err := client.New(server.URL, a.BootstrapKey())
	if err != nil {
		return err
	}
	return settled(ctx, c, conversation)
}

// settled waits until a conversation is written up and no job is left.
func settled(ctx context.Context, c *client.Client, conversation string) error {
	tick := time.NewTicker(3 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.After(patience); ; {
		rec, err := c.Conversation(ctx, conversation)
		if err != nil {
			return err
		}
		metrics, err := c.Metrics(ctx)
		if err != nil {
			return err
		}
		if rec.Wrapup.Done && strings.Contains(string(metrics), "recaller_jobs_waiting 0\n") {
			return nil
		}
		select {
		case <-tick.C:
		case <-deadline:
			return fmt.Errorf("the conversation was not written up in time: %+v", rec.Wrapup)
		}
	}
}
