package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/recallerhq/recaller/internal/pgtest"
	"github.com/recallerhq/recaller/internal/store"
	"github.com/recallerhq/recaller/internal/store/postgres"
	"github.com/recallerhq/recaller/internal/store/postgres/postgrestest"
	"github.com/recallerhq/recaller/internal/vault"
	"github.com/recallerhq/recaller/internal/vault/vaulttest"
)

// noted is what a transaction's own SQL can read of its claim.
func noted(t *testing.T, tx pgx.Tx) (note string) {
	t.Helper()
	if err := tx.QueryRow(t.Context(), `SELECT current_setting('recaller.wall', TRUE)`).Scan(&note); err != nil {
		t.Fatal(err)
	}
	return note
}

// finds wants the memories of the two tenants to be seen as given, with whatever the settings are by then.
func finds(t *testing.T, tx pgx.Tx, what string, t1, t2 int64) {
	t.Helper()
	for tenant, want := range map[string]int64{"t1": t1, "t2": t2} {
		if got := touched(t, tx, `SELECT * FROM public.memories WHERE tenant_id OPERATOR(pg_catalog.=) $1`, tenant); got != want {
			t.Errorf("%s: %d rows of %s are seen, want %d", what, got, tenant, want)
		}
	}
}

// TestNoSQLClaimsAnotherTenant is about SQL that came from data and runs in a transaction for t1, as the role that
// serves: whatever it sets, t2 stays out of its reach, and so does the list of tenants.
func TestNoSQLClaimsAnotherTenant(t *testing.T) {
	t.Parallel()
	db, _ := divided(t)
	c := connect(t, db.App)
	var earlier string
	as(t, c, "t2", func(tx pgx.Tx) {
		earlier = noted(t, tx)
		finds(t, tx, "the tenant's own", 0, rowsEach)
	})
	for what, note := range map[string]func(own string) string{
		"another tenant under its own seal": func(own string) string { return strings.Replace(own, "\nt1", "\nt2", 1) },
		"the system's door":                 func(own string) string { return strings.Replace(own, "\n", "\nsystem", 1) },
		"a claim of an earlier transaction": func(string) string { return earlier },
		"no seal":                           func(string) string { return "\n\nt2\n" },
		"a seal that is none":               func(string) string { return strings.Repeat("0", 64) + "\n\nt2\n" },
		"one line more":                     func(own string) string { return own + "\nt2" },
		"nothing":                           func(string) string { return "" },
	} {
		as(t, c, "t1", func(tx pgx.Tx) {
			own := noted(t, tx)
			for _, name := range []string{"recaller.tenant", "recaller.door", "recaller.caller"} { // as it was once done
				touched(t, tx, `SELECT set_config($1, $2, TRUE)`, name, map[bool]string{true: "system", false: "t2"}[name == "recaller.door"])
			}
			finds(t, tx, what+", before", rowsEach, 0)
			touched(t, tx, `SELECT set_config('recaller.wall', $1, TRUE)`, note(own))
			finds(t, tx, what, 0, 0)
			if n := touched(t, tx, `SELECT * FROM tenants`); n != 0 {
				t.Errorf("%s: %d tenants are seen, want none", what, n)
			}
		})
	}
	as(t, connect(t, db.App), "t1", func(tx pgx.Tx) { // in the middle of one statement
		n := touched(t, tx, `WITH s AS MATERIALIZED (SELECT set_config('recaller.wall', replace(current_setting('recaller.wall'), 't1', 't2'), TRUE))
			SELECT m.* FROM s, LATERAL (SELECT * FROM memories WHERE tenant_id = 't2' AND s IS NOT NULL) m`)
		if n != 0 {
			t.Errorf("in the middle of a statement: %d rows of t2", n)
		}
	})
}

// forged wants enter to refuse a claim, and goes on after it.
func forged(t *testing.T, tx pgx.Tx, what string, args ...any) {
	t.Helper()
	inner, err := tx.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	_, err = inner.Exec(t.Context(), postgres.Enter, args...)
	var refused *pgconn.PgError
	if !errors.As(err, &refused) || refused.Code != "RC001" {
		t.Errorf("%s: got %v, want no such claim", what, err)
	}
	if err := inner.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// TestAClaimIsNotForged has SQL ask for a claim that the server did not make, and for one that it made for another
// process, as a log of parameters would show it.
func TestAClaimIsNotForged(t *testing.T) {
	t.Parallel()
	db, _ := divided(t)
	here, there := connect(t, db.App), connect(t, db.App)
	session := fmt.Sprint(there.PgConn().PID())
	as(t, here, "t1", func(tx pgx.Tx) {
		right := hash(t, "", "", "t1", "")
		for what, args := range map[string][]any{
			"no hash":                {"", "", "t2", "", nil},
			"an empty one":           {"", "", "t2", "", []byte{}},
			"another tenant's":       {"", "", "t2", "", right},
			"the system's door":      {"", "system", "", "", right},
			"parts that are moved":   {"", "\nt1", "", "", right},
			"the seal as a hash":     {"", "", "t2", "", []byte(noted(t, tx)[:32])},
			"of another process":     {session, "", "t2", "", hash(t, session, "", "t2", "")},
			"as if it were for any":  {"", "", "t2", "", hash(t, session, "", "t2", "")},
			"a caller's for all":     {"", "", "t1", "", hash(t, "", "", "t1", "c1")},
			"with another's secret":  {"", "", "t2", "", postgres.Hash([]byte("another"), "", "", "t2", "")},
			"nothing where parts go": {nil, nil, nil, nil, right},
		} {
			forged(t, tx, what, args...)
		}
		finds(t, tx, "after all that", rowsEach, 0)
	})
	tx, err := there.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback(context.Background()) }()
	if _, err := tx.Exec(t.Context(), postgres.Enter, session, "", "t2", "", hash(t, session, "", "t2", "")); err != nil {
		t.Fatal(err)
	}
	finds(t, tx, "in its own process", 0, rowsEach)
}

// TestTheSecretIsOutOfReach has the role that serves try to read, set, or go around what proves claims.
func TestTheSecretIsOutOfReach(t *testing.T) {
	t.Parallel()
	db, _ := divided(t)
	c := connect(t, db.App)
	as(t, c, "t1", func(tx pgx.Tx) {
		for _, query := range []string{
			`SELECT * FROM recaller_wall.secret`, `SELECT count(*) FROM recaller_wall.secret`, `TABLE recaller_wall.secret`,
			`INSERT INTO recaller_wall.secret VALUES (FALSE, '', '', '')`, `UPDATE recaller_wall.secret SET inner_pad = ''`, `DELETE FROM recaller_wall.secret`,
			`TRUNCATE recaller_wall.secret`, `COPY recaller_wall.secret TO STDOUT`, `LOCK TABLE recaller_wall.secret`,
			`CREATE TABLE recaller_wall.mine (id INT)`, `CREATE FUNCTION recaller_wall.mine() RETURNS INT LANGUAGE sql AS 'SELECT 1'`,
			`SELECT recaller_wall.seal('', 't2', '')`, `ALTER FUNCTION recaller_wall.enter SECURITY INVOKER`,
			`CREATE OR REPLACE FUNCTION recaller_wall.claimed(part TEXT) RETURNS TEXT LANGUAGE sql AS 'SELECT ''t2'''`,
			`DROP FUNCTION recaller_wall.claimed CASCADE`, `ALTER SCHEMA recaller_wall RENAME TO mine`, `DROP SCHEMA recaller_wall CASCADE`,
		} {
			refused(t, tx, query)
		}
		var again bool
		pad := make([]byte, 64)
		if err := tx.QueryRow(t.Context(), `SELECT recaller_wall.arm($1, $1, 'mine')`, pad).Scan(&again); err != nil || again {
			t.Errorf("the secret is set a second time: %v, %v", again, err)
		}
		var tenants, these *bool
		if err := tx.QueryRow(t.Context(), `SELECT * FROM recaller_wall.holds('{t2}')`).Scan(&tenants, &these); err != nil || tenants != nil || these != nil {
			t.Errorf("it tells which tenants there are: %v, %v, %v", tenants, these, err)
		}
		finds(t, tx, "after all that", rowsEach, 0)
	})
	if n := ask[int](t, connect(t, db.Super), `SELECT count(*) FROM pg_stats WHERE schemaname = 'recaller_wall' AND attname LIKE '%pad'`); n != 0 {
		t.Error("the catalogue has samples of the secret")
	}
}

// TestNothingComesBeforeTheWallsFunctions puts types, functions and operators of the role's own before those that the
// wall uses. None is run as the owner, and the wall stands.
func TestNothingComesBeforeTheWallsFunctions(t *testing.T) {
	t.Parallel()
	db, _ := divided(t)
	super := connect(t, db.Super)
	run(t, super, `CREATE SCHEMA evil`, `GRANT ALL ON SCHEMA evil TO PUBLIC`)
	c := connect(t, db.App)
	run(t, c,
		`CREATE FUNCTION evil.mark(TEXT) RETURNS TEXT LANGUAGE plpgsql AS $$ BEGIN IF current_user OPERATOR(pg_catalog.<>) session_user THEN PERFORM pg_catalog.set_config('evil.ran', $1, FALSE); END IF; RETURN $1; END $$`,
		`CREATE FUNCTION evil.claimed(TEXT) RETURNS TEXT LANGUAGE sql AS $$ SELECT evil.mark('t2') $$`,
		`CREATE FUNCTION evil.sha256(BYTEA) RETURNS BYTEA LANGUAGE sql AS $$ SELECT evil.mark('x')::bytea $$`,
		`CREATE FUNCTION evil.current_setting(TEXT, BOOLEAN) RETURNS TEXT LANGUAGE sql AS $$ SELECT evil.mark('t2') $$`,
		`CREATE FUNCTION evil.same(TEXT, TEXT) RETURNS BOOLEAN LANGUAGE sql AS $$ SELECT evil.mark('x') IS NOT NULL $$`,
		`CREATE FUNCTION evil.sameb(BYTEA, BYTEA) RETURNS BOOLEAN LANGUAGE sql AS $$ SELECT evil.mark('x') IS NOT NULL $$`,
		`CREATE OPERATOR evil.= (LEFTARG = TEXT, RIGHTARG = TEXT, FUNCTION = evil.same)`,
		`CREATE OPERATOR evil.= (LEFTARG = BYTEA, RIGHTARG = BYTEA, FUNCTION = evil.sameb)`,
		`CREATE OPERATOR evil.<> (LEFTARG = TEXT, RIGHTARG = TEXT, FUNCTION = evil.same)`,
		`CREATE DOMAIN pg_temp.text AS pg_catalog.text CHECK (evil.mark('x') IS NOT NULL)`,
		`CREATE DOMAIN pg_temp.bytea AS pg_catalog.bytea CHECK (evil.mark('x') IS NOT NULL)`,
		`CREATE DOMAIN pg_temp.boolean AS pg_catalog.bool CHECK (evil.mark('x') IS NOT NULL)`,
		`CREATE TEMP TABLE secret (one BOOL, inner_pad pg_catalog.bytea, outer_pad pg_catalog.bytea, print pg_catalog.bytea)`,
		`SET search_path = evil, pg_temp, recaller_wall, public, pg_catalog`,
	)
	as(t, c, "t1", func(tx pgx.Tx) {
		finds(t, tx, "with other functions first", rowsEach, 0)
		pad := make([]byte, 64)
		touched(t, tx, `SELECT recaller_wall.arm($1::pg_catalog.bytea, $1::pg_catalog.bytea, ''::pg_catalog.bytea), recaller_wall.armed(), recaller_wall.holds('{t2}'::pg_catalog.text[])`, pad)
		forged(t, tx, "with other functions first", "", "", "t2", "", pad)
		finds(t, tx, "after all that", rowsEach, 0)
		if touched(t, tx, `SELECT 1 WHERE pg_catalog.current_setting('evil.ran', TRUE) IS NOT NULL`) != 0 {
			t.Error("a function of the role's own was run as the owner")
		}
	})
}

// TestServersThatStartAtOnceAgree starts several on a database that no server has had.
func TestServersThatStartAtOnceAgree(t *testing.T) {
	t.Parallel()
	db := postgrestest.Database(t)
	ring, err := vault.NewRing(vault.NewKey())
	if err != nil {
		t.Fatal(err)
	}
	keys := vaulttest.NewMemory()
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() { serveOnce(t, db, vault.New(ring, keys, vault.Options{})) })
	}
	wg.Wait()
	_, err = postgres.Open(t.Context(), db.App, postgrestest.Secrets(), postgres.Options{})
	if err == nil || !strings.Contains(err.Error(), "recaller migrate --wall") {
		t.Errorf("with another secret: got %v, want it to say what to do", err)
	}
	if err := postgres.ForgetSecret(t.Context(), db.Owner); err != nil {
		t.Fatal(err)
	}
	open(t, db.App) // with the secret of the tests
}

// TestAServerThatStartsBetweenAnothersLooks has one server make its whole first start after another saw no secret in the
// key store.
func TestAServerThatStartsBetweenAnothersLooks(t *testing.T) {
	t.Parallel()
	db := postgrestest.Database(t)
	ring, err := vault.NewRing(vault.NewKey())
	if err != nil {
		t.Fatal(err)
	}
	v := vault.New(ring, vaulttest.NewMemory(), vault.Options{})
	serveOnce(t, db, overtaken{v, func() { serveOnce(t, db, v) }})
}

// overtaken tells of the secret what was true before something else happened.
type overtaken struct {
	*vault.Vault
	meanwhile func()
}

func (o overtaken) WallSecret(ctx context.Context) ([]byte, error) {
	secret, err := o.Vault.WallSecret(ctx)
	o.meanwhile()
	return secret, err
}

func serveOnce(t *testing.T, db pgtest.Database, v postgres.Secrets) {
	e, err := postgres.Open(t.Context(), db.App, v, postgres.Options{Connections: 1})
	if err != nil {
		t.Error(err)
		return
	}
	defer func() { _ = e.Close() }()
	if err := e.Read(t.Context(), "t", "", func(tx store.Tx) error {
		_, err := tx.Exec(t.Context(), `SELECT 1 FROM tenants`)
		return err
	}); err != nil {
		t.Error(err)
	}
}

// TestNoCallerReachesAnother is about SQL that came from data and runs in a transaction for a caller of t1, in every table
// that has rows of callers: the rows of the tenant's other callers are out of its reach.
func TestNoCallerReachesAnother(t *testing.T) {
	t.Parallel()
	db, all := divided(t)
	super, c := connect(t, db.Super), connect(t, db.App)
	tried := 0
	for _, tb := range all {
		col := tb.caller()
		if col == "" {
			continue
		}
		rows, err := super.Query(t.Context(), fmt.Sprintf(`SELECT %s FROM %s WHERE tenant_id = 't1' ORDER BY 1 LIMIT 2`, col, tb.name))
		if err != nil {
			t.Fatal(err)
		}
		two, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil || len(two) != 2 {
			t.Fatal(two, err)
		}
		as(t, c, "t1", func(tx pgx.Tx) { tb.keepsApart(t, tx, two[0], two[1]) })
		tried++
	}
	if tried < 15 {
		t.Errorf("only %d tables have rows of callers", tried)
	}
}

// keepsApart wants a transaction for a caller to have his one row of a table, and none of another's.
func (tb table) keepsApart(t *testing.T, tx pgx.Tx, own, other string) {
	t.Helper()
	claim(t, tx, "", "t1", own)
	col := tb.caller()
	mine := strings.Replace(noted(t, tx), own, other, 1)
	if n := touched(t, tx, `SELECT * FROM `+tb.name); n != 1 {
		t.Errorf("%s: %d rows are seen, want the caller's own", tb.name, n)
	}
	for _, query := range []string{
		`SELECT * FROM ` + tb.name + ` WHERE ` + col + ` = $1`, `SELECT * FROM ` + tb.name + ` WHERE ` + col + ` = $1 FOR UPDATE`,
		`UPDATE ` + tb.name + ` SET tenant_id = 't1' WHERE ` + col + ` = $1`, `DELETE FROM ` + tb.name + ` WHERE ` + col + ` = $1`,
	} {
		if n := touched(t, tx, query, other); n != 0 {
			t.Errorf("%s: %d rows of another caller", query, n)
		}
	}
	refused(t, tx, tb.madeOf(col, other))
	refused(t, tx, `UPDATE `+tb.name+` SET `+col+` = $1`, other)
	refused(t, tx, `UPDATE `+tb.name+` SET `+col+` = ''`)
	forged(t, tx, "all callers, by a caller's hash", "", "", "t1", "", hash(t, "", "", "t1", own))
	touched(t, tx, `SELECT set_config('recaller.wall', $1, TRUE)`, mine)
	if n := touched(t, tx, `SELECT * FROM `+tb.name); n != 0 {
		t.Errorf("%s: %d rows are seen by a note that was changed", tb.name, n)
	}
}
