package pgtest

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"github.com/jackc/pgx/v5"
)

// Programs are Postgres's own of a server's version or a newer one.
type Programs struct {
	dir string
}

// FindPrograms looks for pg_dump and psql: in the PATH, where distributions put them, and beside the server that
// tools/postgres starts. Where no version is new enough the test is skipped, and says so.
func FindPrograms(t testing.TB, db Database) Programs {
	t.Helper()
	c, err := pgx.Connect(t.Context(), db.Super)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close(context.Background()) }()
	var number int
	if err := c.QueryRow(t.Context(), `SELECT current_setting('server_version_num')::int / 10000`).Scan(&number); err != nil {
		t.Fatal(err)
	}
	dirs := filepath.SplitList(os.Getenv("PATH")) //nolint:forbidigo // where programs are is no setting of the product
	for _, pattern := range []string{"/usr/lib/postgresql/*/bin", filepath.Join(os.TempDir(), "recaller-postgres-*", "dist", "*", "*", "bin")} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		dirs = append(dirs, found...)
	}
	for _, dir := range dirs {
		if versionOf(t, filepath.Join(dir, "pg_dump")) >= number && versionOf(t, filepath.Join(dir, "psql")) >= number {
			return Programs{dir}
		}
	}
	t.Skipf("no pg_dump and psql of version %d or newer are to be had: the documented backup is not tried", number)
	return Programs{}
}

var major = regexp.MustCompile(`\) (\d+)`)

// versionOf is the major version of a program; 0: it does not run.
func versionOf(t testing.TB, program string) int {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), program, "--version").Output() //nolint:gosec // programs of the machine
	if err != nil {
		return 0
	}
	m := major.FindSubmatch(out)
	if m == nil {
		return 0
	}
	n, err := strconv.Atoi(string(m[1]))
	if err != nil {
		return 0
	}
	return n
}

// Dump writes what pg_dump says of a database into a file.
func (p Programs) Dump(t testing.TB, db Database, file string, options ...string) {
	t.Helper()
	p.run(t, "pg_dump", append(options, "--file", file, "--dbname", db.Super)...)
}

// Load has psql carry a dump out in a database.
func (p Programs) Load(t testing.TB, db Database, file string) {
	t.Helper()
	p.run(t, "psql", "--no-psqlrc", "--quiet", "--set", "ON_ERROR_STOP=1", "--file", file, "--dbname", db.Super)
}

func (p Programs) run(t testing.TB, program string, args ...string) {
	t.Helper()
	if out, err := exec.CommandContext(t.Context(), filepath.Join(p.dir, program), args...).CombinedOutput(); err != nil { //nolint:gosec // as above
		t.Fatalf("%s: %v\n%s", program, err, out)
	}
}
