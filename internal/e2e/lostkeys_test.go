package e2e

import (
	"context"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"github.com/recallerhq/recaller/internal/pgtest"
	"github.com/recallerhq/recaller/internal/vault/keytable"
)

// lost is said of a key store that has nothing of the data's.
const lost = `key store in the database of RECALLER_.* lacks the keys of the data.*: restore the keys from their backup, or set RECALLER_KEYS_DATABASE_URL`

// everyVerb are some of those that open the data, and those that look at the keys.
var everyVerb = []string{"serve", "doctor", "briefing +14155550101", "keys status"}

// A wrong master key, or keys that are lost, elsewhere, or another installation's: on Postgres too the server does not
// start, says what it needs, and touches nothing. No verb that opens the data does either. Where keys are lost nothing
// calls that well, whoever migrates in between.
func TestItRefusesToStartOnPostgresDataItCannotRead(t *testing.T) {
	t.Parallel()
	s := withACall(t, pgtest.Prepared(t, schemas(t), migrate), pgtest.Database{})
	apart := withACall(t, pgtest.Prepared(t, schemas(t), migrate), keyStore(t))
	another := withACall(t, pgtest.Prepared(t, schemas(t), migrate), pgtest.Database{}) // under the same master key
	other := keyOf("other")

	for _, c := range []lostKeys{
		{of: s, name: "another master key", env: []string{"MEMORY_ENCRYPTION_KEY=" + other}, says: `key [0-9a-f]{6,}; .*: set the right key`, found: everyVerb},
		{of: s, name: "the keys are another installation's", keys: another.data, says: `another installation's.*restore the keys`, found: []string{"serve", "briefing +14155550101"}},
		{of: s, name: "the key store is empty", keys: keyStore(t), says: lost},
		{
			of: s, name: "the keys are lost", says: `no schema recaller_keys.*restore them`,
			before: `ALTER SCHEMA recaller_keys RENAME TO kept`, after: `DROP SCHEMA recaller_keys CASCADE; ALTER SCHEMA kept RENAME TO recaller_keys`,
		},
		{
			of: apart, name: "it is forgotten where the keys are", says: `no schema recaller_keys.*RECALLER_KEYS_DATABASE_URL`,
			before: `DROP SCHEMA recaller_keys CASCADE`, after: `DROP SCHEMA recaller_keys CASCADE`,
		},
	} {
		if said := c.happens(t); strings.Contains(said, other) || strings.Contains(said, masterKey) {
			t.Errorf("%s: it said the key itself: %q", c.name, said)
		}
	}
	for _, i := range []installation{s, apart} { // with its own keys again
		again := serveOn(t, i.dir, i.env(i.keys)...)
		holds(t, "the briefing afterwards", phone{t, again.admin}.ring("+14155550101").Briefing.Text, "repair")
	}
}

// installation is a server that has stopped.
type installation struct {
	dir        string
	data, keys pgtest.Database // keys: none if they are with the data
}

// withACall makes an installation that has had a call.
func withACall(t *testing.T, data, keys pgtest.Database) installation {
	t.Helper()
	i := installation{filepath.Join(t.TempDir(), "data"), data, keys}
	s := serveOn(t, i.dir, i.env(keys)...)
	phone{t, s.admin}.call("+14155550101", user("I need a repair."), agent("Yes."))
	s.stop()
	return i
}

// env are the settings with which it finds its keys in a database.
func (i installation) env(keys pgtest.Database) []string {
	env := append(onDatabase(i.data), "RECALLER_OWNER_DATABASE_URL="+i.data.Owner)
	if keys.App == "" {
		return env
	}
	return append(env, "RECALLER_KEYS_DATABASE_URL="+keys.App, "RECALLER_KEYS_OWNER_DATABASE_URL="+keys.Owner)
}

// keyStore is a database for keys, with none in it.
func keyStore(t *testing.T) pgtest.Database {
	t.Helper()
	db := pgtest.Empty(t)
	if err := keytable.Migrate(t.Context(), db.Owner, db.AppRole()); err != nil {
		t.Fatal(err)
	}
	return db
}

// lostKeys is an installation whose keys are not what it needs.
type lostKeys struct {
	of            installation
	name          string
	keys          pgtest.Database // where it looks for them; none: with the data
	env           []string
	before, after string   // run in the database of the data
	says          string   // a pattern
	found         []string // by which verbs; none: by all, and by migrate
}

// happens tries everything that opens the data, and returns what was said.
func (c lostKeys) happens(t *testing.T) (said string) {
	t.Helper()
	sql(t, c.of.data, c.before)
	defer sql(t, c.of.data, c.after)
	if c.found != nil {
		return c.refuse(t, c.says, c.found)
	}
	said = c.refuse(t, c.says, everyVerb)
	out, err := c.command("migrate").CombinedOutput() // as before a first start
	if err == nil || !regexp.MustCompile(lost).Match(out) {
		t.Errorf("%s: migrate: got %v, %q, want it to match %q", c.name, err, out, lost)
	}
	return said + string(out) + c.refuse(t, lost, everyVerb[:2])
}

// refuse wants verbs to fail.
func (c lostKeys) refuse(t *testing.T, says string, verbs []string) (said string) {
	t.Helper()
	for _, verb := range verbs {
		said += c.refused(t, says, verb)
	}
	return said
}

func (c lostKeys) command(line string) *exec.Cmd {
	return (&server{dir: c.of.dir, env: append(c.of.env(c.keys), c.env...)}).command(strings.Fields(line)...)
}

// refused runs a verb that must fail, with a reason, and change nothing.
func (c lostKeys) refused(t *testing.T, says, verb string) string {
	t.Helper()
	before := c.tables(t)
	out, err := c.command(verb).CombinedOutput()
	if err == nil || !regexp.MustCompile(says).Match(out) || regexp.MustCompile(`goroutine|panic`).Match(out) {
		t.Errorf("%s: %s: got %v, %q, want it to match %q", c.name, verb, err, out, says)
	}
	if !cmp.Equal(before, c.tables(t)) {
		t.Errorf("%s: %s: the data or the keys were touched", c.name, verb)
	}
	return string(out)
}

// tables are those of the data, and those of the keys.
func (c lostKeys) tables(t *testing.T) []map[string][]byte {
	t.Helper()
	all := []map[string][]byte{tables(t, c.of.data)}
	if c.keys.Super != "" {
		all = append(all, tables(t, c.keys))
	}
	return all
}

// sql runs statements as a superuser.
func sql(t *testing.T, db pgtest.Database, statements string) {
	t.Helper()
	c, err := pgx.Connect(context.Background(), db.Super)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close(context.Background()) }()
	if _, err := c.Exec(context.Background(), statements); err != nil {
		t.Fatalf("%s: %v", statements, err)
	}
}
