package pgtest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// sandbox is a folder of the script's own with the only programs that it finds. They may write down in the file calls
// what they were called with.
type sandbox struct {
	t     *testing.T
	dir   string
	home  string // the script's
	calls string
}

// newSandbox has what every system has; more names further programs, which may be missing on this one.
func newSandbox(t *testing.T, more ...string) sandbox {
	t.Helper()
	dir, err := os.MkdirTemp("", "recaller-script-") // not t.TempDir: the server's user must get there
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	s := sandbox{t, dir, filepath.Join(dir, "home"), filepath.Join(dir, "calls")}
	s.write("bin/readme", "")
	s.write("calls", "")
	for _, path := range []string{dir, s.calls} {
		if err := os.Chmod(path, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range slices.Concat(more, strings.Fields("bash cat chmod chown env head id mkdir mktemp mv rm sed seq setpriv sleep tail touch")) {
		if path, err := exec.LookPath(name); err == nil {
			if err := os.Symlink(path, filepath.Join(dir, "bin", name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	return s
}

// write writes a file of the sandbox, in a folder that is made if it is not there.
func (s sandbox) write(name, text string) {
	s.t.Helper()
	path := filepath.Join(s.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		s.t.Fatal(err)
	}
}

// fake makes a program, in place of the system's.
func (s sandbox) fake(name, body string) {
	s.t.Helper()
	if err := os.RemoveAll(filepath.Join(s.dir, name)); err != nil {
		s.t.Fatal(err)
	}
	s.write(name, "#!"+filepath.Join(s.dir, "bin/bash")+"\nnote() { echo \"$@\" >>"+s.calls+"; }\n"+body+"\n")
}

// wheel makes one of the versions 97 and 98, as if it had been fetched, in which nothing is done. None has those
// otherwise.
func (s sandbox) wheel() {
	s.t.Helper()
	s.write("home/dist/ready", "")
	for _, version := range []string{"97", "98"} {
		bin := "home/dist/wheel/pginstall" + version + "/bin/"
		s.fake(bin+"postgres", "echo 'postgres (PostgreSQL) "+version+".1'")
		s.fake(bin+"initdb", "true")
		s.fake(bin+"pg_ctl", `note pg_ctl "$@"`)
		s.fake(bin+"pg_isready", "exit 2")
	}
}

// run runs the script with the sandbox's programs alone. env comes last.
func (s sandbox) run(env []string, args ...string) (out string, err error) {
	s.t.Helper()
	path, err := scriptPath()
	if err != nil {
		s.t.Fatal(err)
	}
	cmd := exec.CommandContext(s.t.Context(), path, args...)
	cmd.Env = append([]string{"PATH=" + filepath.Join(s.dir, "bin"), "RECALLER_TEST_POSTGRES_HOME=" + s.home}, env...)
	text, err := cmd.CombinedOutput()
	return strings.TrimSpace(string(text)), err
}

// called is what the programs wrote down.
func (s sandbox) called() string {
	s.t.Helper()
	raw, err := os.ReadFile(s.calls)
	if err != nil {
		s.t.Fatal(err)
	}
	return string(raw)
}

func version(v string) []string { return []string{"RECALLER_TEST_POSTGRES_VERSION=" + v} }

const given = "postgres://me@db.example/postgres"

func TestAURLThatIsGivenNeedsNothingElse(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	got, err := s.run([]string{"RECALLER_TEST_POSTGRES_URL=" + given}, "url")
	if err != nil || got != given {
		t.Errorf("got %q, %v; want the URL that was given, without a lock", got, err)
	}
	if _, err := os.Stat(s.home); err == nil {
		t.Error("got a folder, want none")
	}
}

func TestEachVersionHasAServerOfItsOwn(t *testing.T) {
	t.Parallel()
	s := newSandbox(t, "flock", "perl")
	s.wheel()
	for _, v := range []string{"97", "98"} {
		got, err := s.run(version(v), "url")
		if want := "postgres://postgres@/postgres?host=" + s.home + "/shared-" + v; err != nil || got != want {
			t.Errorf("got %q, %v; want %q", got, err, want)
		}
	}
	if got, err := s.run(version("99"), "url"); err == nil || !strings.Contains(got, "no Postgres 99") {
		t.Errorf("a version that is not there: got %q, %v", got, err)
	}
	s.fake("bin/docker", `case $1 in inspect) exit 1 ;; run) note "$@" ;; port) echo 127.0.0.1:7 ;; esac`)
	got, err := s.run(version("98"), "url")
	if want := "postgres://postgres@127.0.0.1:7/postgres?sslmode=disable"; err != nil || got != want {
		t.Errorf("in a container: got %q, %v; want %q", got, err, want)
	}
	for _, want := range []string{"--name recaller-test-postgres-98 ", " pgvector/pgvector:pg98 "} {
		if !strings.Contains(s.called(), want) {
			t.Errorf("the container was run with %q, want %q in it", s.called(), want)
		}
	}
}

// Where there is no room the data are where they always are.
func TestDataAreInMemoryWhereThereIsRoom(t *testing.T) {
	t.Parallel()
	s := newSandbox(t, "flock", "perl")
	s.wheel()
	s.fake("bin/df", "true")
	const free = `case "$*" in *MemAvailable*) echo %s ;; *) echo %s ;; esac`
	const much, little = "8388608", "8388607"
	s.write("m/readme", "")
	inMemory := filepath.Join(s.dir, "m", "recaller"+strings.ReplaceAll(s.home, "/", "-"))
	env := append(version("97"), "RECALLER_TEST_POSTGRES_MEMORY="+filepath.Join(s.dir, "m"))
	for _, test := range []struct{ name, mounted, awk, want string }{
		{"no memory to be had", "1", fmt.Sprintf(free, much, much), s.home},
		{"the folder is small", "0", fmt.Sprintf(free, much, little), s.home},
		{"the machine is small", "0", fmt.Sprintf(free, little, much), s.home},
		{"room enough", "0", fmt.Sprintf(free, much, much), inMemory},
		{"a server is there already", "0", fmt.Sprintf(free, little, little), inMemory},
	} {
		s.fake("bin/grep", "exit "+test.mounted)
		s.fake("bin/awk", test.awk)
		got, err := s.run(env, "url", "memory")
		if want := "postgres://postgres@/postgres?host=" + test.want + "/shared-97"; err != nil || got != want {
			t.Errorf("%s: got %q, %v; want %q", test.name, got, err, want)
		}
	}
	if got, err := s.run(env, "stop"); err != nil {
		t.Errorf("got %q, %v", got, err)
	}
	if _, err := os.Stat(inMemory); err == nil {
		t.Error("the folder in memory is left behind")
	}
}

func TestWhatIsMissingIsSaid(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		args []string
		want string
	}{
		{"for the shared server", []string{"url"}, "RECALLER_TEST_POSTGRES_URL, docker or podman will do as well"},
		{"for a server that a test halts", []string{"start", "own"}, "RECALLER_TEST_POSTGRES_URL, docker and podman do not help here"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := newSandbox(t, "flock", "perl")
			env := version("99")
			if test.args[0] == "start" {
				s.fake("bin/docker", "true")
				env = append(env, "RECALLER_TEST_POSTGRES_URL="+given)
			}
			got, err := s.run(env, test.args...)
			if err == nil || !strings.Contains(got, "the machine's own Postgres 99 with pgvector, or python3 with pip") || !strings.Contains(got, test.want) {
				t.Errorf("got %q, %v; want %q", got, err, test.want)
			}
		})
	}
}

func TestAWheelThatDoesNotUnpackIsNotUsed(t *testing.T) {
	t.Parallel()
	s := newSandbox(t, "flock", "perl")
	s.fake("bin/python3", `case $2 in pip) : >half.whl; mkdir -p wheel/pginstall/bin; : >wheel/pginstall/bin/postgres ;; *) exit 1 ;; esac`)
	if got, err := s.run(version("99"), "url"); err == nil || !strings.Contains(got, "could not be fetched and unpacked") {
		t.Errorf("got %q, %v; want it said", got, err)
	}
	left, err := os.ReadDir(s.home)
	if err != nil || len(left) != 1 || left[0].Name() != "lock" {
		t.Errorf("got %v, %v; want nothing left but the lock", left, err)
	}
}

func TestStoppingForgetsAServerThatCrashed(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		answers string // what pg_isready ends with
		halted  bool
	}{{"crashed", "2", false}, {"running", "0", true}} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := newSandbox(t, "flock", "perl")
			s.wheel()
			for _, v := range []string{"97", "98"} {
				s.fake("home/dist/wheel/pginstall"+v+"/bin/pg_isready", "exit "+test.answers)
				s.write("home/shared-"+v+"/data/postmaster.pid", fmt.Sprintln(os.Getpid())) // which is not the server
			}
			if got, err := s.run(version("97"), "stop"); err != nil {
				t.Errorf("got %q, %v", got, err)
			}
			if left, err := filepath.Glob(filepath.Join(s.home, "shared*")); err != nil || len(left) != 0 {
				t.Errorf("got %q left, %v; want none", left, err)
			}
			if got := s.called(); strings.Contains(got, "-m immediate -w stop") != test.halted {
				t.Errorf("pg_ctl was called with %q; want a server halted: %t", got, test.halted)
			}
		})
	}
}

// The one that is at work has the lock, whichever program takes it.
func TestOneWorksAtATime(t *testing.T) {
	t.Parallel()
	for with, free := range map[string]string{
		"flock": `flock -n "$lock" true`,
		"perl":  `perl -e 'open(F, "<", $ARGV[0]) && flock(F, 6) or exit 1' "$lock"`,
		"none":  `false`,
	} {
		t.Run("with "+with, func(t *testing.T) {
			t.Parallel()
			s := newSandbox(t, with)
			s.wheel()
			s.fake("home/dist/wheel/pginstall97/bin/initdb", "lock="+s.home+"/lock\nif "+free+"; then note free; else note held; fi")
			got, err := s.run(version("97"), "url")
			if _, missing := exec.LookPath(with); missing != nil {
				if err == nil || !strings.Contains(got, "needs flock or perl") {
					t.Errorf("got %q, %v; want it said what is needed", got, err)
				}
				return
			}
			if err != nil || !strings.Contains(s.called(), "held") || strings.Contains(s.called(), "free") {
				t.Errorf("got %q, %v, and %q; want the lock held", got, err, s.called())
			}
		})
	}
}

// The group of nobody is nogroup on some systems and nobody on others.
func TestRootServesAsNobodyInNobodysGroup(t *testing.T) {
	t.Parallel()
	s := newSandbox(t, "flock", "perl")
	s.wheel()
	s.fake("bin/id", `case $1 in -u) echo 0 ;; *) echo staff ;; esac`)
	s.fake("bin/chown", `note chown "$@"`)
	s.fake("bin/setpriv", `note setpriv "$@"; shift 3; exec "$@"`)
	if got, err := s.run(version("97"), "url"); err != nil {
		t.Fatalf("%s: %v", got, err)
	}
	for _, want := range []string{"chown nobody:staff ", "setpriv --reuid=nobody --regid=staff "} {
		if !strings.Contains(s.called(), want) {
			t.Errorf("got %q, want %q in it", s.called(), want)
		}
	}
}
