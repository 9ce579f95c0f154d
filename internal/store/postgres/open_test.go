package postgres_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/pgtest"
	"github.com/recallerhq/recaller/internal/store/postgres"
	"github.com/recallerhq/recaller/internal/store/postgres/postgrestest"
)

// newRole makes a role of the test's own, for the roles of the tests' databases are everybody's, lets it serve, and
// returns its URL.
func newRole(t *testing.T, db pgtest.Database, rights string) (name, as string) {
	t.Helper()
	name = "recaller_test_" + strings.ToLower(rand.Text()[:12])
	super := connect(t, db.Super)
	run(t, super, `CREATE ROLE `+name+` LOGIN PASSWORD 'secret' `+rights)
	t.Cleanup(func() { run(t, connect(t, db.Super), `DROP OWNED BY `+name, `DROP ROLE `+name) })
	if err := postgres.Migrate(t.Context(), db.Owner, name); err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(db.App)
	if err != nil {
		t.Fatal(err)
	}
	u.User = url.UserPassword(name, "secret")
	return name, u.String()
}

// refuses wants Open to fail, and its message to hold some words.
func refuses(t *testing.T, url string, words ...string) {
	t.Helper()
	e, err := postgres.Open(t.Context(), url, postgrestest.Secrets(), postgres.Options{})
	if err == nil {
		_ = e.Close()
	}
	wantKind(t, "open", err, recaller.Unavailable)
	for _, w := range words {
		if !strings.Contains(fmt.Sprint(err), w) {
			t.Errorf("got %v, want it to say %q", err, w)
		}
	}
}

// TestRefusesRoles opens as roles that could see past the policies.
func TestRefusesRoles(t *testing.T) { //nolint:tparallel // they share a database
	t.Parallel()
	const past = "can see past the policies"
	db := postgrestest.Database(t)
	owner := ask[string](t, connect(t, db.Owner), `SELECT current_user::text`)
	refuses(t, db.Super, past, "BYPASSRLS")
	refuses(t, db.Owner, past, owner)
	for what, rights := range map[string]string{"a superuser": "SUPERUSER", "free of policies": "BYPASSRLS", "a maker of roles": "CREATEROLE"} {
		t.Run(what, func(t *testing.T) {
			name, url := newRole(t, db, rights)
			refuses(t, url, past, "role "+name, name)
		})
	}
	t.Run("one that may become another", func(t *testing.T) {
		bypass, _ := newRole(t, db, "BYPASSRLS")
		middle, _ := newRole(t, db, "IN ROLE "+bypass)
		_, url := newRole(t, db, "NOINHERIT IN ROLE "+middle)
		refuses(t, url, past, bypass)
	})
	t.Run("one that may become the owner", func(t *testing.T) {
		_, url := newRole(t, db, "IN ROLE "+owner)
		refuses(t, url, past, owner)
	})
	t.Run("one that reads files", func(t *testing.T) {
		_, url := newRole(t, db, "IN ROLE pg_read_server_files")
		refuses(t, url, past, "pg_read_server_files")
	})
	t.Run("one that put on another's clothes", func(t *testing.T) {
		name, _ := newRole(t, db, "")
		refuses(t, with(t, db.Super, "role", name), past)
	})
	t.Run("an ordinary one is taken", func(t *testing.T) {
		_, url := newRole(t, db, "")
		open(t, url)
	})
}

// TestRefusesSchemas opens databases whose wall has a gap, or which are not this program's.
func TestRefusesSchemas(t *testing.T) {
	t.Parallel()
	for what, c := range map[string]struct {
		breaks []string // as the superuser
		says   []string
	}{
		"no policy":               {[]string{`DROP POLICY tenant ON memories`}, []string{"row-level security", "on memories:"}},
		"no security":             {[]string{`ALTER TABLE turns DISABLE ROW LEVEL SECURITY`}, []string{"on turns:"}},
		"not forced":              {[]string{`ALTER TABLE callers NO FORCE ROW LEVEL SECURITY`, `ALTER TABLE jobs NO FORCE ROW LEVEL SECURITY`}, []string{"on callers, jobs:"}},
		"a policy that is open":   {[]string{`ALTER POLICY tenant ON memories USING (TRUE)`}, []string{"on memories:"}},
		"one that is half open":   {[]string{`ALTER POLICY tenant ON memories USING (tenant_id = (SELECT recaller_wall.claimed('tenant')) OR confidence > 0)`}, []string{"on memories:"}},
		"one that lets in":        {[]string{`ALTER POLICY tenant ON memories WITH CHECK (TRUE)`}, []string{"on memories:"}},
		"a second policy":         {[]string{`CREATE POLICY more ON identities FOR SELECT USING (TRUE)`}, []string{"on identities:"}},
		"a door where none is":    {[]string{`CREATE POLICY system ON memories FOR SELECT USING ((SELECT recaller_wall.claimed('door')) = 'system')`}, []string{"on memories:"}},
		"a door with a wider use": {[]string{`DROP POLICY system ON tenants`, `CREATE POLICY system ON tenants USING ((SELECT recaller_wall.claimed('door')) = 'system')`}, []string{"on tenants:"}},
		"a new table":             {[]string{`CREATE TABLE notes (tenant_id TEXT, body TEXT)`, `GRANT SELECT ON notes TO PUBLIC`}, []string{"on notes:"}},
		"no wall of callers":      {[]string{`ALTER POLICY tenant ON memories USING (tenant_id = (SELECT recaller_wall.claimed('tenant')))`}, []string{"on memories:"}},
		"one that is wider":       {[]string{`ALTER POLICY tenant ON receipts USING (CASE (SELECT recaller_wall.claimed('rows')) WHEN tenant_id || E'\n' THEN TRUE WHEN tenant_id || E'\n' || caller THEN TRUE ELSE TRUE END)`}, []string{"on receipts:"}},
		"a view":                  {[]string{`CREATE VIEW seen AS SELECT * FROM memories`, `GRANT SELECT ON seen TO PUBLIC`}, []string{"on seen:"}},
		"a column of a view":      {[]string{`CREATE MATERIALIZED VIEW kept AS SELECT * FROM memories`, `GRANT SELECT (tenant_id) ON kept TO PUBLIC`}, []string{"on kept:"}},
		"more than it needs":      {[]string{`GRANT TRUNCATE ON memories TO PUBLIC`}, []string{"REVOKE TRUNCATE", "ON memories"}},
		"another schema first":    {[]string{`CREATE SCHEMA other`, `GRANT USAGE ON SCHEMA other TO PUBLIC`, `CREATE TABLE other.memories (id INT)`, `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET search_path = other, public', current_database()); END $$`}, []string{"search_path", "memories"}},
		"no schema public":        {[]string{`CREATE SCHEMA other`, `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET search_path = other', current_database()); END $$`}, []string{"search_path"}},
		"commits that are no use": {[]string{`DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET synchronous_commit = off', current_database()); END $$`}, []string{"synchronous_commit is off"}},
		"a newer schema":          {[]string{`INSERT INTO goose_db_version (version_id, is_applied) VALUES (9999, TRUE)`}, []string{"schema 9999", "newer Recaller"}},
		"an older extension":      {[]string{`UPDATE pg_extension SET extversion = '0.7.4' WHERE extname = 'vector'`}, []string{"version 0.7.4", "0.8.0"}},
		"no extension":            {[]string{`DROP EXTENSION vector CASCADE`}, []string{"no extension vector", "recaller migrate"}},
		"a secret that is shown":  {[]string{`GRANT SELECT (inner_pad) ON recaller_wall.secret TO PUBLIC`}, []string{"can reach the secret", "REVOKE ALL ON recaller_wall.secret"}},
		"a function that lies":    {[]string{`CREATE OR REPLACE FUNCTION recaller_wall.claimed(part TEXT) RETURNS TEXT LANGUAGE plpgsql STABLE SECURITY DEFINER AS $$ BEGIN RETURN 't2'; END $$`}, []string{"not what the migrations made: claimed"}},
		"one that is loosened":    {[]string{`ALTER FUNCTION recaller_wall.arm RESET search_path`}, []string{"not what the migrations made: arm"}},
		"a function more":         {[]string{`CREATE FUNCTION recaller_wall.more() RETURNS INT LANGUAGE sql AS 'SELECT 1'`}, []string{"not what the migrations made: more"}},
		"a maker of functions":    {[]string{`GRANT CREATE ON SCHEMA recaller_wall TO PUBLIC`}, []string{"REVOKE CREATE ON SCHEMA recaller_wall"}},
		"no right to claim":       {[]string{`REVOKE USAGE ON SCHEMA recaller_wall FROM recaller_test_app`}, []string{"may not use the functions", "recaller migrate"}},
		"no wall":                 {[]string{`ALTER SCHEMA recaller_wall RENAME TO gone`}, []string{"recaller_wall", "is missing"}},
		"another's secret":        {[]string{`UPDATE recaller_wall.secret SET outer_pad = inner_pad`}, []string{"is not the key store's", "recaller migrate --wall"}},
		"no right to it":          {[]string{`REVOKE ALL ON ALL TABLES IN SCHEMA public FROM recaller_test_app`}, []string{"may not use the tables", "recaller migrate"}},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			db := postgrestest.Database(t)
			e := open(t, db.App)
			if err := e.Check(t.Context()); err != nil {
				t.Fatalf("before: %v", err)
			}
			run(t, connect(t, db.Super), c.breaks...)
			refuses(t, db.App, c.says...)
			wantKind(t, "check", e.Check(t.Context()), recaller.Unavailable)
		})
	}
}

func TestRefusesWhatIsNotReady(t *testing.T) {
	t.Parallel()
	refuses(t, pgtest.Bare(t).App, "no tables yet", "recaller migrate")
	refuses(t, pgtest.Empty(t).App, "no tables yet", "recaller migrate")
	keys := pgtest.Empty(t)
	run(t, connect(t, keys.Owner), `CREATE SCHEMA recaller_keys`)
	refuses(t, keys.App, "has the keys of an installation", "are exchanged")
	old := pgtest.Empty(t)
	if err := postgres.MigrateTo(t.Context(), old.Owner, old.AppRole(), 2); err != nil {
		t.Fatal(err)
	}
	refuses(t, old.App, "schema 2", "recaller migrate")

	u, err := url.Parse(old.App)
	if err != nil {
		t.Fatal(err)
	}
	u.Path = "/no_such_database"
	refuses(t, u.String(), "no such database")
	refuses(t, "postgres://somebody:secret@127.0.0.1:1/x?connect_timeout=2", "the store is away")

	for what, bad := range map[string]string{"no URL": "postgres://u:hunter2@host:notaport/db", "a wrong setting": "postgres://u:hunter2@host/db?pool_max_conns=many", "another database": "mysql://u:hunter2@host/db"} {
		_, err := postgres.Open(t.Context(), bad, postgrestest.Secrets(), postgres.Options{})
		wantKind(t, what, err, recaller.Invalid)
		if strings.Contains(fmt.Sprintf("%+v", err), "hunter2") {
			t.Errorf("%s: the error tells the password", what)
		}
	}
}

func TestInspectTellsWhatIsThere(t *testing.T) {
	t.Parallel()
	db := postgrestest.Database(t)
	list, err := postgres.Inspect(t.Context(), db.App)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range list {
		names = append(names, f.Name)
		if f.Problem != "" || f.Found == "" {
			t.Errorf("%s: found %q, problem %q", f.Name, f.Found, f.Problem)
		}
	}
	if got := strings.Join(names, ", "); got != "server, durability, schema, extension vector, role, wall, policies" {
		t.Errorf("looked at %s", got)
	}
	_, err = postgres.Inspect(t.Context(), "postgres://somebody@127.0.0.1:1/x?connect_timeout=2")
	wantKind(t, "no server", err, recaller.Unavailable)

	if _, err := postgres.Inspect(t.Context(), db.Super); err != nil {
		t.Errorf("problems are found, not errors: %v", err)
	}
	for number, old := range map[int]bool{140_019: true, 150_000: false, 180_001: false} {
		if got := postgres.TooOld(number, "x") != ""; got != old {
			t.Errorf("server %d: too old is %v, want %v", number, got, old)
		}
	}
	for version, old := range map[string]bool{"0.7.4": true, "0.8.0": false, "0.10.0": false, "0.8": true, "1.0": false, "0.8.0.1": false, "": true} {
		if got := postgres.Older(version, "0.8.0"); got != old {
			t.Errorf("extension %q: older is %v, want %v", version, got, old)
		}
	}
}

func TestMigrateAgainAndAtOnce(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	db := pgtest.Bare(t) // so that the extension is made at once, too
	const processes = 6
	done := make(chan error, processes)
	for range processes {
		go func() { done <- postgres.Migrate(ctx, db.Super, db.AppRole()) }()
	}
	for range processes {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	super := connect(t, db.Super)
	if n := ask[int](t, super, `SELECT count(*) - count(DISTINCT version_id) FROM goose_db_version`); n != 0 {
		t.Errorf("%d migrations ran twice", n)
	}
	d := dataOn(t, db, open(t, db.App))
	o := d.Call("+15550000001")
	d.OK(postgres.Migrate(ctx, db.Super, db.AppRole()))
	if _, err := d.Caller(ctx, "t", o.Caller.ID); err != nil {
		t.Errorf("after it was migrated again: %v", err)
	}

	held := connect(t, db.Super) // somebody else migrates, and takes long
	run(t, held, fmt.Sprintf(`SELECT pg_advisory_lock(%d)`, 0x7265_6361_6c6d_6967))
	short, cancel := context.WithCancel(ctx)
	cancel()
	err := postgres.Migrate(short, db.Super, db.AppRole())
	wantKind(t, "while another migrates", err, recaller.Timeout)
}

func TestMigrateRefuses(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db := pgtest.Empty(t)
	says := func(err error, kind recaller.Kind, words ...string) {
		t.Helper()
		wantKind(t, "migrate", err, kind)
		for _, w := range words {
			if !strings.Contains(fmt.Sprint(err), w) {
				t.Errorf("got %v, want it to say %q", err, w)
			}
		}
	}
	says(postgres.Migrate(ctx, db.App, db.AppRole()), recaller.Invalid, "would own the tables")
	says(postgres.Migrate(ctx, with(t, db.Super, "role", db.AppRole()), db.AppRole()), recaller.Invalid, "would own the tables")
	says(postgres.Migrate(ctx, db.Owner, `no"body`), recaller.NotFound, `CREATE ROLE "no""body"`)
	// With the two URLs exchanged: to grant the role what it lacks would make the server's role the owner.
	exchanged := postgres.Migrate(ctx, db.App, "recaller_test_owner")
	says(exchanged, recaller.Forbidden, "are the two exchanged?")
	if strings.Contains(fmt.Sprint(exchanged), "GRANT") {
		t.Errorf("got %v: it must advise no such right", exchanged)
	}
	keys := pgtest.Empty(t)
	run(t, connect(t, keys.Owner), `CREATE SCHEMA recaller_keys`)
	says(postgres.Migrate(ctx, keys.Owner, keys.AppRole()), recaller.Invalid, "has the keys of an installation", "are exchanged")
	says(postgres.Migrate(ctx, with(t, db.Owner, "search_path", "pg_catalog,public"), db.AppRole()), recaller.Invalid, "search_path")
	says(postgres.Migrate(ctx, "postgres://u:hunter2@host:notaport/db", db.AppRole()), recaller.Invalid, "URL cannot be read")
	says(postgres.Migrate(ctx, "postgres://u@127.0.0.1:1/db?connect_timeout=2", db.AppRole()), recaller.Unavailable)
	if n := ask[int](t, connect(t, db.Super), `SELECT count(*) FROM pg_tables WHERE schemaname = 'public'`); n != 0 {
		t.Errorf("%d tables were made by what was refused", n)
	}
	if err := postgres.Migrate(ctx, with(t, db.Owner, "pool_max_conns", "3"), db.AppRole()); err != nil {
		t.Errorf("with a setting of the pool: %v", err)
	}
	says(postgres.Migrate(ctx, db.Super, "recaller_test_owner"), recaller.Invalid, "owns the tables already", "are exchanged")
	run(t, connect(t, db.Super), `INSERT INTO goose_db_version (version_id, is_applied) VALUES (9999, TRUE)`)
	says(postgres.Migrate(ctx, db.Owner, db.AppRole()), recaller.Unavailable, "schema 9999", "newer Recaller")

	bare := pgtest.Bare(t)
	if err := postgres.Migrate(ctx, bare.Owner, bare.AppRole()); err != nil { // where the extension may be made by a superuser only
		says(err, recaller.Unavailable, "CREATE EXTENSION vector")
	}
}
