package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/recallerhq/recaller/internal/cli"
	"github.com/recallerhq/recaller/internal/pgtest"
)

// onPostgres is setup with the data on Postgres, in a database that has nothing in it yet.
func onPostgres(t *testing.T) (*bench, pgtest.Database) {
	t.Helper()
	b, db := setup(t), pgtest.Empty(t)
	b.env = append(b.env, "RECALLER_DATABASE_URL="+db.App, "MEMORY_ENCRYPTION_KEY="+strings.Repeat("5e0f", 16))
	return b, db
}

// From an empty database to a caller who is remembered: every verb works on Postgres as on the data folder.
func TestAnInstallationOnPostgres(t *testing.T) {
	t.Parallel()
	b, db := onPostgres(t)
	before := b.run("doctor")
	want(t, "doctor before migrate", before.out, "fail  data: schema", "run `recaller migrate`")
	if before.code != cli.ExitFailed {
		t.Errorf("doctor before migrate: exit %d, want %d", before.code, cli.ExitFailed)
	}
	refused := b.run("briefing", maria)
	if refused.code != cli.ExitFailed {
		t.Errorf("briefing before migrate: exit %d, want %d", refused.code, cli.ExitFailed)
	}
	want(t, "briefing before migrate", refused.err, "run `recaller migrate`")

	b.env = append(b.env, "RECALLER_OWNER_DATABASE_URL="+db.Owner)
	want(t, "migrate", b.must("migrate"), "Migrated: the tables are there")
	want(t, "migrate again", b.must("migrate"), "Migrated: the tables are there")
	b.env = b.env[:len(b.env)-1]

	if r := b.run("replay", "testdata/plumber.txt", "--phone", maria, "--at", "2026-10-02T14:05"); r.code != cli.ExitOK {
		t.Fatalf("replay: exit %d\n%s", r.code, r.err)
	}
	want(t, "briefing", b.must("briefing", maria), "Maria Lopez")
	want(t, "recall", b.must("recall", maria, "what noise does the boiler make"), "terrible noise")
	want(t, "keys status", b.must("keys", "status"), "the key opens the data")
	want(t, "doctor", b.must("doctor"), "ok    data: server", "ok    data: extension vector", "ok    data: schema", "ok    data: role", "ok    data: policies", "ok    keys: schema", "the master key opens the data")

	receipt := filepath.Join(t.TempDir(), "receipt.json")
	if err := os.WriteFile(receipt, []byte(b.must("erase", maria, "--yes", "--json")), 0o600); err != nil {
		t.Fatal(err)
	}
	want(t, "receipt", b.must("receipt", receipt), "Holds: not a word was changed")
	if b.run("briefing", maria).code == cli.ExitOK {
		t.Error("who was erased is known")
	}
}

// What is missing or wrong is said by the name of its setting, and no password is shown.
func TestMigrateSaysWhatItNeeds(t *testing.T) {
	t.Parallel()
	b, db := onPostgres(t)
	lacks := func(what string, env []string, code int, says ...string) {
		t.Helper()
		with := &bench{t: t, data: b.data, env: env}
		r := with.run("migrate")
		if r.code != code {
			t.Errorf("%s: exit %d, want %d", what, r.code, code)
		}
		want(t, what, r.err, says...)
		if strings.Contains(r.err+r.out, "recaller-test@") || strings.Contains(r.err+r.out, ":recaller-test") {
			t.Errorf("%s: a password is shown: %s", what, r.err)
		}
	}
	data := "RECALLER_DATABASE_URL=" + db.App
	lacks("no Postgres", setup(t).env, cli.ExitUsage, "RECALLER_DATABASE_URL")
	lacks("no owner", []string{data}, cli.ExitUsage, "RECALLER_OWNER_DATABASE_URL")
	lacks("the server's own role", []string{data, "RECALLER_OWNER_DATABASE_URL=" + db.App}, cli.ExitUsage, "would own the tables")
	lacks("keys elsewhere", []string{data, "RECALLER_OWNER_DATABASE_URL=" + db.Owner, "RECALLER_KEYS_DATABASE_URL=" + db.App}, cli.ExitUsage, "RECALLER_KEYS_OWNER_DATABASE_URL")
	lacks("no such server", []string{data, "RECALLER_OWNER_DATABASE_URL=postgres://o:recaller-test@127.0.0.1:1/x"}, cli.ExitFailed, "the store is away")

	b.env = append(b.env, "RECALLER_OWNER_DATABASE_URL="+db.Owner)
	b.must("migrate")
	keyless := &bench{t: t, data: b.data, env: []string{"RECALLER_DATA=" + b.data, "RECALLER_ADDR=" + nobody, data}}
	if r := keyless.run("briefing", maria); r.code != cli.ExitUsage {
		t.Errorf("without a key: exit %d, want %d", r.code, cli.ExitUsage)
	} else {
		want(t, "without a key", r.err, "MEMORY_ENCRYPTION_KEY", "required with Postgres")
	}
}

// A table whose policy somebody lifted keeps the server from starting, and the doctor names it.
func TestADoctorSeesALiftedPolicy(t *testing.T) {
	t.Parallel()
	b, db := onPostgres(t)
	b.env = append(b.env, "RECALLER_OWNER_DATABASE_URL="+db.Owner)
	b.must("migrate")
	c, err := pgx.Connect(t.Context(), db.Owner)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Exec(t.Context(), `ALTER TABLE turns NO FORCE ROW LEVEL SECURITY`); err != nil {
		t.Fatal(err)
	}
	if err := c.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	r := b.run("doctor")
	if r.code != cli.ExitFailed {
		t.Errorf("doctor: exit %d, want %d", r.code, cli.ExitFailed)
	}
	want(t, "doctor", r.out, "fail  data: policies", "turns")
	want(t, "briefing", b.run("briefing", maria).err, "row-level security", "turns")
}

// The secret of the wall is lost with the key store's values: nothing opens the data until the owner has the database
// forget it, and then all is as before.
func TestALostSecretOfTheWallIsMadeAnew(t *testing.T) {
	t.Parallel()
	b, db := onPostgres(t)
	b.env = append(b.env, "RECALLER_OWNER_DATABASE_URL="+db.Owner)
	b.must("migrate")
	want(t, "doctor before the first start", b.must("doctor"), "ok    data: wall", "no secret yet", "ok    missing keys           not looked at before the first start")
	b.must("replay", "testdata/plumber.txt", "--phone", maria, "--at", "2026-10-02T14:05")
	want(t, "doctor after it", b.must("doctor"), "ok    data: wall", "secret ")
	c, err := pgx.Connect(t.Context(), db.Super)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close(t.Context()) }()
	if _, err := c.Exec(t.Context(), `DELETE FROM recaller_keys.named WHERE name = 'wall secret'`); err != nil {
		t.Fatal(err)
	}
	for _, verb := range []string{"briefing " + maria, "doctor", "keys status"} {
		r := b.run(strings.Fields(verb)...)
		if r.code != cli.ExitFailed || !strings.Contains(r.out+r.err, "secret of its wall") || !strings.Contains(r.out+r.err, "recaller migrate --wall") {
			t.Errorf("%s: exit %d, want it to say what to do\n%s%s", verb, r.code, r.out, r.err)
		}
	}
	want(t, "migrate", b.must("migrate", "--wall"), "Forgotten: the secret of the wall")
	want(t, "briefing", b.must("briefing", maria), "Maria Lopez")
	want(t, "doctor at the end", b.must("doctor"), "ok    data: wall", "secret ")
}
