package e2e

import (
	"bufio"
	"bytes"
	"context"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/pgtest"
)

// Patience with a process. A machine with two busy cores and the race detector is slow, a server that hangs is forever.
const patience = 2 * time.Minute

// server is `recaller serve` as a process of its own.
type server struct {
	t   testing.TB
	dir string          // the data folder
	env []string        // beside what every server gets
	db  pgtest.Database // where it is on Postgres
	// full: it starts where nothing can be written, so it is not waited for until it is ready
	full bool

	cmd    *exec.Cmd
	url    string
	key    string // the bootstrap key
	api    *description
	admin  *client.Client
	output *logbook // stdout and stderr of every start
	exited chan struct{}
}

// serve starts a server on a folder of its own. It is stopped at the end of the test, which fails if that goes wrong.
func serve(t testing.TB, env ...string) *server {
	t.Helper()
	return serveOn(t, filepath.Join(t.TempDir(), "data"), env...)
}

// serveOn starts a server on a given folder.
func serveOn(t testing.TB, dir string, env ...string) *server {
	t.Helper()
	s := &server{t: t, dir: dir, env: env, output: &logbook{}}
	s.start()
	t.Cleanup(func() {
		if s.running() {
			s.stop()
		}
	})
	return s
}

// command is a command line of the program with this server's environment and nothing of the tester's.
func (s *server) command(args ...string) *exec.Cmd {
	cmd := exec.Command(binary, args...)
	cmd.Env = append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + s.dir, "RECALLER_DATA=" + s.dir, "RECALLER_ADDR=127.0.0.1:0",
		"RECALLER_LOG_FORMAT=json", "RECALLER_LOG_LEVEL=debug", "RECALLER_RATE_LIMIT=0",
		"RECALLER_BRIEFING_DEADLINE=10s", // a slow machine is no outage
		"RECALLER_WEBHOOK_ALLOW=127.0.0.0/8", "RECALLER_SIGNIN_FAILURES=0",
		"GORACE=halt_on_error=1",
	}, s.env...)
	return cmd
}

var serving = regexp.MustCompile(`serving\s+(http://\S+)`)

// start runs the process until it serves.
func (s *server) start() {
	s.t.Helper()
	s.launch(s.command("serve"))
}

func (s *server) launch(cmd *exec.Cmd) {
	s.t.Helper()
	s.spawn(cmd)
	key, err := os.ReadFile(filepath.Join(s.dir, "keys", "api.key"))
	if err != nil {
		s.t.Fatal(err)
	}
	s.key = strings.TrimSpace(string(key))
	s.ready()
	s.admin = s.client(s.t, s.key)
}

// spawn runs a process until it says where it serves.
func (s *server) spawn(cmd *exec.Cmd) {
	s.t.Helper()
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	cmd.Stderr = s.output
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.cmd, s.exited = cmd, make(chan struct{})
	address := make(chan string, 1)
	go func(exited chan struct{}) {
		defer close(exited)
		for lines := bufio.NewScanner(stdout); lines.Scan(); {
			_, _ = s.output.Write(append(lines.Bytes(), '\n'))
			if m := serving.FindStringSubmatch(lines.Text()); m != nil {
				address <- m[1]
			}
		}
		_ = cmd.Wait()
	}(s.exited)
	select {
	case s.url = <-address:
	case <-s.exited:
		s.t.Fatalf("the server did not start: %v\n%s", cmd.ProcessState, s.output)
	case <-time.After(patience):
		_ = cmd.Process.Kill()
		s.t.Fatalf("the server did not start in time\n%s", s.output)
	}
}

// ready waits until the server takes requests, and reads what it says of itself.
func (s *server) ready() {
	s.t.Helper()
	c, err := client.New(s.url, s.key, client.WithRetries(0))
	if err != nil {
		s.t.Fatal(err)
	}
	if !s.full {
		eventually(s.t, "the server is ready", func() bool { return c.Ready(context.Background()) == nil })
	}
	raw, err := c.OpenAPI(context.Background())
	if err != nil {
		s.t.Fatal(err)
	}
	s.api = describe(s.t, raw)
}

// client speaks to the server with a key; it never retries, and holds every answer against the description.
func (s *server) client(t testing.TB, key string) *client.Client {
	t.Helper()
	c, err := client.New(s.url, key, client.WithRetries(0), client.WithHTTPClient(&http.Client{
		Transport: checked{t: t, api: s.api, next: http.DefaultTransport},
	}))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func (s *server) running() bool {
	select {
	case <-s.exited:
		return false
	default:
		return true
	}
}

// kill is kill -9.
func (s *server) kill() {
	s.t.Helper()
	if err := s.cmd.Process.Kill(); err != nil {
		s.t.Fatal(err)
	}
	<-s.exited
}

// stop asks the server to end, and wants it to end well.
func (s *server) stop() {
	s.t.Helper()
	_ = s.cmd.Process.Signal(syscall.SIGTERM) // an error: it has ended, which ended tells
	s.ended()
}

// ended waits for a server that was asked to end, and wants it to end well.
func (s *server) ended() {
	s.t.Helper()
	select {
	case <-s.exited:
	case <-time.After(patience):
		_ = s.cmd.Process.Kill()
		s.t.Errorf("the server did not stop in time\n%s", s.output.tail())
		return
	}
	if code := s.cmd.ProcessState.ExitCode(); code != 0 {
		s.t.Errorf("got exit code %d, want 0\n%s", code, s.output.tail())
	}
	for _, bad := range []string{"panic", "DATA RACE"} {
		if strings.Contains(s.output.String(), bad) {
			s.t.Errorf("the log has %q\n%s", bad, s.output.tail())
		}
	}
}

// restart is a crash and a new start.
func (s *server) restart() {
	s.t.Helper()
	s.kill()
	s.start()
}

// houses are the servers, one on each store, that stories share when they need none of their own: they use callers that
// nobody else has.
var houses = map[backing]*shared{onSQLite: {}, onPostgres: {}}

type shared struct {
	once sync.Once
	s    *server
	dir  string
	drop func() error // the database
}

// house opens the shared server on a store.
func house(t testing.TB, on backing) *server {
	t.Helper()
	return houses[on].open(t, on)
}

func (h *shared) open(t testing.TB, on backing) *server {
	t.Helper()
	h.once.Do(func() {
		dir, err := os.MkdirTemp("", "recaller-e2e-data-")
		if err != nil {
			t.Fatal(err)
		}
		h.dir = dir
		h.s = &server{t: t, dir: filepath.Join(dir, "data"), output: &logbook{}}
		if on == onPostgres {
			var db pgtest.Database
			db, h.drop = pgtest.Kept(t, schemas(t), migrate)
			h.s.env = onDatabase(db)
		}
		h.s.start()
	})
	if h.s == nil || h.s.admin == nil {
		t.Fatal("the shared server did not start")
	}
	view := *h.s // with this story's own t
	view.t, view.admin = t, h.s.client(t, h.s.key)
	return &view
}

// close stops it. What it has to say about races and panics it says by its exit code.
func (h *shared) close() {
	if h.s == nil || h.s.cmd == nil {
		return
	}
	_ = h.s.cmd.Process.Signal(syscall.SIGTERM) // it ends either way
	<-h.s.exited
	_ = os.RemoveAll(h.dir)
	if h.drop != nil {
		_ = h.drop() // what is left is found by who looks after the tests' Postgres
	}
}

// eventually asks until the answer is yes. Nothing tells from outside when background work is done, so it is asked for.
func eventually(t testing.TB, what string, ask func() bool) {
	t.Helper()
	tick := time.NewTicker(3 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.After(patience); ; {
		if ask() {
			return
		}
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("waited %v in vain: %s", patience, what)
		}
	}
}

// logbook keeps what a process says.
type logbook struct {
	// read, if set, is given each line, and only the end of the whole is kept
	read func(line string)

	mu   sync.Mutex // guards the rest
	buf  bytes.Buffer
	line []byte // the beginning of one that is not over
}

// readerKeeps is how much a logbook keeps whose lines are read.
const readerKeeps = 256 << 10

func (l *logbook) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.read != nil {
		l.line = append(l.line, p...)
		for {
			i := bytes.IndexByte(l.line, '\n')
			if i < 0 {
				break
			}
			l.read(string(l.line[:i]))
			l.line = l.line[i+1:]
		}
		if over := l.buf.Len() - readerKeeps; over > readerKeeps {
			l.buf.Next(over)
		}
	}
	return l.buf.Write(p)
}

func (l *logbook) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

// tail is enough of the log to see what went wrong.
func (l *logbook) tail() string {
	s := l.String()
	return s[max(0, len(s)-4000):]
}
