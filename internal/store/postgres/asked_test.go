package postgres_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/recallerhq/recaller/internal/pgtest"
	"github.com/recallerhq/recaller/internal/store"
	"github.com/recallerhq/recaller/internal/store/postgres"
	"github.com/recallerhq/recaller/internal/store/postgres/postgrestest"
	"github.com/recallerhq/recaller/internal/store/storetest"
)

// counting has a database count how often its functions are called, for connections that come after.
func counting(t *testing.T, db pgtest.Database) {
	t.Helper()
	super := connect(t, db.Super)
	name := pgx.Identifier{ask[string](t, super, `SELECT current_database()::text`)}.Sanitize()
	run(t, super, `ALTER DATABASE `+name+` SET track_functions = 'pl'`)
}

// asked tells how often the policies have asked for whom a transaction is; what earlier ones asked may count too.
func asked(t *testing.T, tx pgx.Tx) (n int) {
	t.Helper()
	err := tx.QueryRow(t.Context(), `SELECT coalesce(pg_stat_get_xact_function_calls('recaller_wall.claimed(text)'::regprocedure), 0)`).Scan(&n)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestAPolicyAsksOnceAStatement has statements see, change, make and remove many rows of every table: however many they
// are, what sees rows has the wall asked once, and what writes them once more, for the rows as they are then.
func TestAPolicyAsksOnceAStatement(t *testing.T) {
	t.Parallel()
	db, all := divided(t)
	counting(t, db)
	c := connect(t, db.App)
	for _, tb := range all {
		want := 1
		if tb.name == "tenants" || tb.name == "tenant_numbers" || tb.name == "jobs" {
			want = 2 // by the tenant and by the door
		}
		as(t, c, "t1", func(tx pgx.Tx) {
			before := asked(t, tx)
			asks := func(what string, most int, query string) {
				t.Helper()
				rows := touched(t, tx, query)
				now := asked(t, tx)
				if n := now - before; n < 1 || n > most {
					t.Errorf("%s: %s %d rows has the wall asked %d times, want 1 to %d", tb.name, what, rows, n, most)
				}
				before = now
			}
			asks("to see", want, `SELECT * FROM `+tb.name)
			asks("to lock", want, `SELECT * FROM `+tb.name+` FOR UPDATE`)
			asks("to change", 2*want, fmt.Sprintf(`UPDATE %[1]s SET %[2]s = %[2]s`, tb.name, tb.tenant()))
			asks("to find none of", want, `SELECT * FROM `+tb.name+` WHERE `+tb.tenant()+` = 't2'`)
			asks("to remove", want, `DELETE FROM `+tb.name)
		})
	}
}

// TestHowOftenTheWallIsAsked is what a turn and a briefing have the database check, each time.
func TestHowOftenTheWallIsAsked(t *testing.T) {
	t.Parallel()
	db := postgrestest.Database(t)
	counting(t, db)
	e, err := postgres.Open(t.Context(), db.App, postgrestest.Secrets(), postgres.Options{Connections: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	d := dataOn(t, db, e)
	past := d.Call("+15550000001")
	d.Say(past, 20)
	d.End(past)
	d.Remember(past.Caller.ID, 20)
	now := d.Call("+15550000001")
	d.Say(now, 2)
	for _, c := range []struct {
		what string
		do   func() error
		most int
	}{
		{"a turn: the caller's row, the conversation's, and the turn's", func() error { _, err := d.AppendTurns(t.Context(), "t", d.Appending(now, 1)); return err }, 5},
		{"fifty turns: each in a statement", func() error { _, err := d.AppendTurns(t.Context(), "t", d.Appending(now, 50)); return err }, 4 + 50},
		{"a briefing", func() error { _, err := d.Snapshot(t.Context(), "t", now.Caller.ID); return err }, 20},
		{"a read of one statement", func() error { _, err := d.ContentVersion(t.Context(), "t", now.Caller.ID); return err }, 1},
	} {
		before, err := e.Asked(t.Context())
		d.OK(err)
		d.OK(c.do())
		after, err := e.Asked(t.Context())
		d.OK(err)
		if n := after - before; n < 1 || n > c.most {
			t.Errorf("%s: the wall was asked %d times, want 1 to %d", c.what, n, c.most)
		}
	}
}

// TestAWallThatHasItsSecretIsUpgraded has a database that a server served before notes had a key of their own.
func TestAWallThatHasItsSecretIsUpgraded(t *testing.T) {
	t.Parallel()
	db := pgtest.Empty(t)
	if err := postgres.MigrateTo(t.Context(), db.Owner, db.AppRole(), 18); err != nil {
		t.Fatal(err)
	}
	run(t, connect(t, db.App), `SELECT recaller_wall.arm(decode(repeat('31', 32) || repeat('36', 32), 'hex'),
		decode(repeat('5b', 32) || repeat('5c', 32), 'hex'), decode('a16662c6b9d6eefc', 'hex'))`) // that of postgrestest.Secrets
	if err := postgres.Migrate(t.Context(), db.Owner, db.AppRole()); err != nil {
		t.Fatal(err)
	}
	e := open(t, db.App)
	if err := e.Write(t.Context(), "t1", "", func(tx store.Tx) error {
		_, err := tx.Exec(t.Context(), storetest.InsertJob, "t1", "kind", "own", "x", 0)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	as(t, connect(t, db.App), "t1", func(tx pgx.Tx) {
		if n := touched(t, tx, `SELECT * FROM jobs`); n != 1 {
			t.Errorf("%d rows are seen, want the tenant's own", n)
		}
	})
	if n := ask[int](t, connect(t, db.Super), `SELECT count(*) FROM pg_stats WHERE schemaname = 'recaller_wall' AND attname LIKE '%pad'`); n != 0 {
		t.Error("the catalogue has samples of the secret")
	}
}

// TestTheWallsFunctionsNameWhatTheyUse reads the functions that run as the owner without a search_path of their own:
// Postgres looks for the operator of a NULLIF, an IN or a CASE with a value wherever the role that asks says.
func TestTheWallsFunctionsNameWhatTheyUse(t *testing.T) {
	t.Parallel()
	db, _ := divided(t)
	rows, err := connect(t, db.Super).Query(t.Context(), `SELECT proname || ': ' || prosrc FROM pg_proc
		WHERE pronamespace = 'recaller_wall'::regnamespace AND proconfig IS NULL`)
	if err != nil {
		t.Fatal(err)
	}
	bodies, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(bodies) < 3 {
		t.Fatal(len(bodies), err)
	}
	for _, body := range bodies {
		name, _, _ := strings.Cut(body, ":")
		for line := range strings.Lines(body) {
			bare := strings.NewReplacer(":=", "", "OPERATOR(pg_catalog.=)", "", "OPERATOR(pg_catalog.<>)", "", "OPERATOR(pg_catalog.||)", "", "ERRCODE = ", "").Replace(line)
			for _, found := range []string{"NULLIF", " IN ", "CASE part", "BETWEEN", "DISTINCT", " = ", "<>", "||", " LIKE "} {
				if strings.Contains(bare, found) {
					t.Errorf("%s uses %q as the one who asks has it: %s", name, found, strings.TrimSpace(line))
				}
			}
		}
	}
}
