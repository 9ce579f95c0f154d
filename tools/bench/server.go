package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// build makes the server's program from this source.
func build(ctx context.Context, path string) error {
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", path, "github.com/recallerhq/recaller/cmd/recaller") //nolint:gosec // a path of ours
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build the server: %w\n%s", err, out)
	}
	return nil
}

// server is a `recaller serve` at work.
type server struct {
	cmd   *exec.Cmd
	addr  string
	key   string
	log   *os.File
	ready time.Duration // from exec to the first 200 of /readyz
}

// readyWithin is how long a start may take before it counts as failed.
const readyWithin = 2 * time.Minute

// serve starts the server on the data folder and waits until it is ready.
func (b *bench) serve(ctx context.Context) (*server, error) {
	key, err := os.ReadFile(filepath.Join(b.data, apiKeyFile))
	if err != nil {
		return nil, err
	}
	s := &server{key: strings.TrimSpace(string(key))}
	if s.addr, err = freeAddr(ctx); err != nil {
		return nil, err
	}
	if s.log, err = os.Create(filepath.Join(b.data, "server.log")); err != nil {
		return nil, err
	}
	s.cmd = exec.CommandContext(ctx, b.binary, "serve", "--addr", s.addr) //nolint:gosec // the program to measure
	s.cmd.Stdout, s.cmd.Stderr = s.log, s.log
	s.cmd.Env = os.Environ()
	for name, v := range b.settings() {
		s.cmd.Env = append(s.cmd.Env, name+"="+v)
	}
	began := time.Now()
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	for time.Since(began) < readyWithin {
		if s.answers(ctx) {
			s.ready = time.Since(began)
			return s, nil
		}
		if s.cmd.Process.Signal(syscall.Signal(0)) != nil {
			break
		}
		time.Sleep(500 * time.Microsecond)
	}
	tail, _ := os.ReadFile(s.log.Name())
	return nil, errors.Join(fmt.Errorf("the server did not get ready: %s", tail), s.kill())
}

func (s *server) answers(ctx context.Context) bool {
	c, err := dial(ctx, s.addr, s.key)
	if err != nil {
		return false
	}
	defer c.close()
	_, err = c.do("GET", "/readyz", nil, "")
	return err == nil
}

func freeAddr(ctx context.Context) (string, error) {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}

// stop ends the server as an operator would.
func (s *server) stop() error {
	err := s.cmd.Process.Signal(syscall.SIGTERM)
	return errors.Join(err, s.cmd.Wait(), s.log.Close())
}

// kill ends it as a crash would.
func (s *server) kill() error {
	err := s.cmd.Process.Kill()
	_ = s.cmd.Wait() // it was killed: that is its error
	return errors.Join(err, s.log.Close())
}

// usage is how much memory a process holds, in bytes.
type usage struct{ RSS, PSS int64 }

func (s *server) usage() (u usage, err error) {
	pid := strconv.Itoa(s.cmd.Process.Pid)
	if u.RSS, err = procField("/proc/"+pid+"/status", "VmRSS:"); err != nil {
		return u, err
	}
	u.PSS, err = procField("/proc/"+pid+"/smaps_rollup", "Pss:")
	return u, err
}

// processor is how long the server's process has had a core, in all its threads.
func (s *server) processor() (time.Duration, error) {
	raw, err := os.ReadFile("/proc/" + strconv.Itoa(s.cmd.Process.Pid) + "/stat")
	if err != nil {
		return 0, err
	}
	_, rest, _ := bytes.Cut(raw, []byte(") ")) // a process's name may have blanks
	f := strings.Fields(string(rest))
	if len(f) < 13 {
		return 0, errors.New("the processor time of the server cannot be read")
	}
	user, err := strconv.ParseInt(f[11], 10, 64)
	system, err2 := strconv.ParseInt(f[12], 10, 64)
	const tick = 10 * time.Millisecond // USER_HZ, on every Linux that Go runs on
	return time.Duration(user+system) * tick, errors.Join(err, err2)
}

// procField reads a line such as "VmRSS:  1234 kB".
func procField(path, name string) (int64, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	for line := range bytes.Lines(raw) {
		if f := strings.Fields(string(line)); len(f) >= 2 && f[0] == name {
			kb, err := strconv.ParseInt(f[1], 10, 64)
			return kb << 10, err
		}
	}
	return 0, fmt.Errorf("%s has no %s", path, name)
}
