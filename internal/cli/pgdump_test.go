package cli_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/recallerhq/recaller/internal/cli"
	"github.com/recallerhq/recaller/internal/pgtest"
)

// docs/operations.md: pg_dump of the data first, of the keys second; both restored, all of it is there. With keys that
// are older than the data, who came since is quarantined until his key is put back from a newer dump.
func TestTheDocumentedBackupOfPostgres(t *testing.T) {
	t.Parallel()
	b, db := onPostgres(t)
	programs := pgtest.FindPrograms(t, db)
	b.env = append(b.env, "RECALLER_OWNER_DATABASE_URL="+db.Owner)
	b.must("migrate")
	b.must("replay", "testdata/plumber.txt", "--phone", maria)
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name+".sql") }
	programs.Dump(t, db, file("older-keys"), "--schema=recaller_keys")
	b.must("replay", "testdata/plumber.txt", "--phone", later, "--no-wrapup")
	programs.Dump(t, db, file("data"), "--exclude-schema=recaller_keys")
	programs.Dump(t, db, file("keys"), "--schema=recaller_keys")

	restored := func(files ...string) *bench {
		to := pgtest.Bare(t)
		for _, f := range files {
			programs.Load(t, to, file(f))
		}
		with := setup(t)
		with.env = append(with.env, "RECALLER_DATABASE_URL="+to.App, "MEMORY_ENCRYPTION_KEY="+strings.Repeat("5e0f", 16))
		return with
	}
	whole := restored("data", "keys")
	want(t, "doctor", whole.must("doctor"), "ok    data: policies", "ok    keys", "ok    missing keys", "none: every tenant and caller has a key")
	want(t, "the briefing", whole.must("briefing", maria), "Maria Lopez")
	want(t, "the other's", whole.must("briefing", later), "A returning caller")

	old := restored("data", "older-keys")
	r := old.run("doctor")
	if r.code != cli.ExitFailed {
		t.Errorf("doctor with older keys: exit %d", r.code)
	}
	want(t, "doctor with older keys", r.out, "fail  missing keys", "is quarantined")
	want(t, "who has a key", old.must("briefing", maria), "Maria Lopez")
	newer := pgtest.Bare(t)
	programs.Load(t, newer, file("keys"))
	want(t, "keys add", old.must("keys", "add", newer.App), "Put back: 1 key")
	want(t, "whose key is back", old.must("briefing", later), "A returning caller")
}
