package cli_test

import (
	"database/sql"
	"path/filepath"
	"strings"
	"testing"

	"github.com/recallerhq/recaller/internal/cli"
)

// Keys from a backup that is older than the data: the doctor names whose are missing, and what to do.
func TestTheDoctorNamesWhoseKeyIsMissing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.must("replay", "testdata/plumber.txt", "--phone", maria)
	want(t, "doctor", b.must("doctor"), "ok    missing keys none")
	db, err := sql.Open("sqlite", filepath.Join(b.data, "keys", "keys.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	var caller string
	if err := db.QueryRowContext(t.Context(), `DELETE FROM keys WHERE caller <> '' RETURNING caller`).Scan(&caller); err != nil {
		t.Fatal(err)
	}
	r := b.run("doctor")
	if r.code != cli.ExitFailed || !strings.Contains(r.out, "caller "+caller+" of tenant default is quarantined") || !strings.Contains(r.out, "newer backup of the keys") {
		t.Errorf("exit %d, want it to name %s\n%s", r.code, caller, r.out)
	}
}
