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

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/pgtest"
	"github.com/recallerhq/recaller/internal/store"
	"github.com/recallerhq/recaller/internal/store/postgres"
	"github.com/recallerhq/recaller/internal/store/postgres/postgrestest"
	"github.com/recallerhq/recaller/internal/store/storetest"
)

// rowsEach is how many rows each of the two tenants has in each table.
const rowsEach = 60

// divided is a database in which t1 and t2 have rows in every table that there is.
func divided(t *testing.T) (db pgtest.Database, all []table) {
	t.Helper()
	db = postgrestest.Database(t)
	open(t, db.App) // which sets the secret
	super := connect(t, db.Super)
	all = tables(t, super)
	for _, tb := range all {
		n := 2 * rowsEach
		if tb.name == "tenants" {
			n = 2
		}
		tb.fill(t, super, n, `CASE WHEN i % 2 = 0 THEN 't2' ELSE 't1' END`, nil)
	}
	return db, all
}

// as runs fn in a transaction for a tenant, by raw SQL, and undoes it.
func as(t *testing.T, c *pgx.Conn, tenant string, fn func(pgx.Tx)) {
	t.Helper()
	tx, err := c.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback(context.Background()) }()
	if tenant != "" {
		claim(t, tx, "", tenant, "")
	}
	fn(tx)
}

// claim claims as the server does, with the right secret.
func claim(t *testing.T, tx pgx.Tx, door, tenant, caller string) {
	t.Helper()
	if _, err := tx.Exec(t.Context(), postgres.Enter, "", door, tenant, caller, hash(t, "", door, tenant, caller)); err != nil {
		t.Fatal(err)
	}
}

func hash(t *testing.T, session, door, tenant, caller string) []byte {
	t.Helper()
	secret, err := postgrestest.Secrets().WallSecret(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return postgres.Hash(secret, session, door, tenant, caller)
}

// touched runs a statement and tells how many rows it saw or changed.
func touched(t *testing.T, tx pgx.Tx, query string, args ...any) int64 {
	t.Helper()
	tag, err := tx.Exec(t.Context(), query, args...)
	if err != nil {
		t.Errorf("%s: %v", query, err)
	}
	return tag.RowsAffected()
}

// refused wants a statement to be denied, and goes on after it.
func refused(t *testing.T, tx pgx.Tx, query string, args ...any) {
	t.Helper()
	inner, err := tx.Begin(t.Context()) // a savepoint
	if err != nil {
		t.Fatal(err)
	}
	tag, err := inner.Exec(t.Context(), query, args...)
	var denied *pgconn.PgError
	if !errors.As(err, &denied) || denied.Code != "42501" {
		t.Errorf("%s: got %v (%d rows), want it denied", query, err, tag.RowsAffected())
	}
	if err := inner.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// theirs makes a row of a tenant with the columns of another row.
func (tb table) theirs(tenant string) string { return tb.madeOf(tb.tenant(), tenant) }

// madeOf makes a row with one column of its own, and the others of another row.
func (tb table) madeOf(column, value string) string {
	var names, values []string
	for _, c := range tb.columns {
		names = append(names, c.name)
		if c.name == column {
			values = append(values, "'"+value+"'")
		} else {
			values = append(values, c.name)
		}
	}
	return fmt.Sprintf(`INSERT INTO %[1]s (%[2]s) SELECT %[3]s FROM %[1]s LIMIT 1`, tb.name, strings.Join(names, ", "), strings.Join(values, ", "))
}

// TestWall tries, by raw SQL, as the role that serves and as the role that owns the tables, to reach the rows of no
// tenant and of another tenant, in every table that the catalog lists.
func TestWall(t *testing.T) {
	t.Parallel()
	db, all := divided(t)
	for who, url := range map[string]string{"the role that serves": db.App, "the owner": db.Owner} {
		t.Run(who, func(t *testing.T) {
			t.Parallel()
			c := connect(t, url)
			for _, tb := range all {
				as(t, c, "", func(tx pgx.Tx) { tb.shut(t, tx) })
				as(t, c, "t1", func(tx pgx.Tx) { tb.shutTo(t, tx, "t2") })
			}
		})
	}
}

// shut wants a table to be empty without a tenant.
func (tb table) shut(t *testing.T, tx pgx.Tx) {
	t.Helper()
	for _, query := range []string{`SELECT * FROM ` + tb.name, `UPDATE ` + tb.name + ` SET ` + tb.tenant() + ` = 't1'`, `DELETE FROM ` + tb.name} {
		if n := touched(t, tx, query); n != 0 {
			t.Errorf("without a tenant: %s: %d rows", query, n)
		}
	}
	claim(t, tx, "", "", "")
	if n := touched(t, tx, `SELECT * FROM `+tb.name); n != 0 {
		t.Errorf("with an empty tenant: %s: %d rows", tb.name, n)
	}
}

// shutTo wants a tenant's transaction to have all of its own rows of a table, and none of another's.
func (tb table) shutTo(t *testing.T, tx pgx.Tx, other string) {
	t.Helper()
	want := int64(rowsEach)
	if tb.name == "tenants" {
		want = 1
	}
	if n := touched(t, tx, `SELECT * FROM `+tb.name); n != want {
		t.Errorf("%s: %d rows are seen, want the tenant's own %d", tb.name, n, want)
	}
	mine := tb.tenant()
	for _, query := range []string{
		`SELECT * FROM ` + tb.name + ` WHERE ` + mine + ` = $1`, `SELECT * FROM ` + tb.name + ` WHERE ` + mine + ` = $1 FOR UPDATE`,
		`UPDATE ` + tb.name + ` SET ` + mine + ` = 't1' WHERE ` + mine + ` = $1`, `DELETE FROM ` + tb.name + ` WHERE ` + mine + ` = $1`,
	} {
		if n := touched(t, tx, query, other); n != 0 {
			t.Errorf("%s: %d rows of another tenant", query, n)
		}
	}
	refused(t, tx, tb.theirs(other))
	refused(t, tx, `UPDATE `+tb.name+` SET `+mine+` = $1`, other) // to push rows over the wall
	if n := touched(t, tx, `DELETE FROM `+tb.name); n != want {
		t.Errorf("%s: %d rows can be removed, want the tenant's own %d", tb.name, n, want)
	}
}

// TestTenThousandProbes looks, as one tenant, for every id, token and label that another tenant has.
func TestTenThousandProbes(t *testing.T) {
	t.Parallel()
	db, all := divided(t)
	super, c := connect(t, db.Super), connect(t, db.App)
	probes := 0
	for _, tb := range all {
		for _, col := range tb.columns {
			if col.typ != "text" && col.typ != "bytea" {
				continue
			}
			rows, err := super.Query(t.Context(), fmt.Sprintf(`SELECT %s FROM %s WHERE %s = 't2'`, col.name, tb.name, tb.tenant()))
			if err != nil {
				t.Fatal(err)
			}
			values, err := pgx.CollectRows(rows, pgx.RowTo[any])
			if err != nil {
				t.Fatal(err)
			}
			as(t, c, "t1", func(tx pgx.Tx) {
				var b pgx.Batch
				for _, v := range values {
					for _, query := range []string{`SELECT 1 FROM %[1]s WHERE %[2]s = $1`, `UPDATE %[1]s SET %[2]s = %[2]s WHERE %[2]s = $1`, `DELETE FROM %[1]s WHERE %[2]s = $1`} {
						b.Queue(fmt.Sprintf(query, tb.name, col.name), v).Exec(func(tag pgconn.CommandTag) error {
							if tag.RowsAffected() != 0 {
								t.Errorf("%s.%s: a value of another tenant was found", tb.name, col.name)
							}
							return nil
						})
						probes++
					}
				}
				if err := tx.SendBatch(t.Context(), &b).Close(); err != nil {
					t.Fatal(err)
				}
			})
		}
	}
	if probes < 10_000 {
		t.Errorf("only %d probes", probes)
	}
	t.Logf("%d probes", probes)
	for _, tb := range all {
		if n := ask[int](t, super, `SELECT count(*) FROM `+tb.name+` WHERE `+tb.tenant()+` = 't2'`); n != rowsEach && tb.name != "tenants" {
			t.Errorf("%s: the other tenant has %d rows, want its %d", tb.name, n, rowsEach)
		}
	}
}

// TestSystemDoor is about what is listed across tenants: which there are, their numbers, their jobs, and nothing else.
func TestSystemDoor(t *testing.T) {
	t.Parallel()
	db, all := divided(t)
	c := connect(t, db.App)
	listed := map[string]int64{"tenants": 2, "tenant_numbers": 2 * rowsEach, "jobs": 2 * rowsEach}
	for _, tb := range all {
		as(t, c, "", func(tx pgx.Tx) {
			claim(t, tx, "system", "", "")
			if n := touched(t, tx, `SELECT * FROM `+tb.name); n != listed[tb.name] {
				t.Errorf("%s: %d rows through the system's door, want %d", tb.name, n, listed[tb.name])
			}
			if tb.name == "jobs" {
				return // which may be claimed and finished there
			}
			if n := touched(t, tx, `UPDATE `+tb.name+` SET `+tb.tenant()+` = 't1'`) + touched(t, tx, `DELETE FROM `+tb.name); n != 0 {
				t.Errorf("%s: %d rows can be changed through the system's door", tb.name, n)
			}
			if listed[tb.name] > 0 {
				refused(t, tx, tb.theirs("t3"))
			}
		})
	}
}

// TestServingRoleIsSmall has the role that serves try what only the owner may do.
func TestServingRoleIsSmall(t *testing.T) {
	t.Parallel()
	db, all := divided(t)
	owner := ask[string](t, connect(t, db.Owner), `SELECT current_user::text`)
	as(t, connect(t, db.App), "t1", func(tx pgx.Tx) {
		for _, tb := range all {
			refused(t, tx, `TRUNCATE `+tb.name)
			refused(t, tx, `ALTER TABLE `+tb.name+` DISABLE ROW LEVEL SECURITY`)
			refused(t, tx, `ALTER TABLE `+tb.name+` NO FORCE ROW LEVEL SECURITY`)
			refused(t, tx, `ALTER POLICY tenant ON `+tb.name+` USING (TRUE)`)
			refused(t, tx, `CREATE POLICY mine ON `+tb.name+` USING (TRUE)`)
			refused(t, tx, `DROP TABLE `+tb.name)
		}
		refused(t, tx, `SET LOCAL ROLE `+owner)
		refused(t, tx, `CREATE TABLE public.mine (id INT)`)
		refused(t, tx, `UPDATE goose_db_version SET version_id = 1`)
		refused(t, tx, `COPY callers TO PROGRAM 'cat'`)
		refused(t, tx, `SELECT pg_read_file('postgresql.conf')`)
		touched(t, tx, `SET LOCAL row_security = off`) // then a query fails rather than to leave rows out
		refused(t, tx, `SELECT * FROM memories`)
	})
}

// TestTenantEndsWithTransaction has transactions of many tenants share few connections, some of which fail, panic or
// are cancelled: none sees another's rows, and nothing is left on a connection.
func TestTenantEndsWithTransaction(t *testing.T) {
	t.Parallel()
	const tenants, transactions = 20, 400
	db := postgrestest.Database(t)
	e := open(t, db.App) // eight connections
	ctx := context.Background()
	for i := range tenants {
		tenant := recaller.TenantID(fmt.Sprint("t", i))
		err := e.Write(ctx, tenant, "", func(tx store.Tx) error {
			_, err := tx.Exec(ctx, storetest.InsertJob, tenant, "kind", "own", "x", 0)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	var wg sync.WaitGroup
	for i := range transactions {
		wg.Go(func() { visit(t, e, i, recaller.TenantID(fmt.Sprint("t", i%tenants))) })
	}
	wg.Wait()

	left, err := e.Left(ctx, 8)
	if err != nil || left != "" {
		t.Errorf("on the engine's connections %q is left (%v)", left, err)
	}
	c := connect(t, db.App)
	as(t, c, "t1", func(tx pgx.Tx) { touched(t, tx, `SELECT 1`) })
	if n := ask[int](t, c, `SELECT count(*) FROM jobs`); n != 0 {
		t.Errorf("after its transaction %d rows are seen", n)
	}
}

// visit is one of many transactions: it wants to see its tenant's row alone, whoever had the connection before.
func visit(t *testing.T, e *postgres.Engine, i int, tenant recaller.TenantID) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	look := func(tx store.Tx) error {
		var n int
		var whose string
		if err := tx.QueryRow(ctx, `SELECT count(*), min(tenant_id) FROM jobs`, nil, &n, &whose); err != nil {
			return err
		}
		if n != 1 || whose != string(tenant) {
			t.Errorf("%s sees %d rows, the first of %s", tenant, n, whose)
		}
		return nil
	}
	var err error
	switch i % 6 {
	case 0, 1:
		err = e.Read(ctx, tenant, "", look)
	case 2:
		err = e.Write(ctx, tenant, "", look)
	case 3:
		_ = e.Write(ctx, tenant, "", func(tx store.Tx) error {
			_ = look(tx)
			_, err := tx.Exec(ctx, `SELECT 1 / 0`)
			return err
		})
	case 4:
		_ = e.Read(ctx, tenant, "", func(tx store.Tx) error {
			_ = look(tx)
			cancel()
			_, err := tx.Exec(ctx, `SELECT pg_sleep(60)`)
			return err
		})
	case 5:
		err = e.ReadSystem(ctx, func(tx store.Tx) error {
			var n int
			if err := tx.QueryRow(ctx, `SELECT count(*) FROM jobs`, nil, &n); err != nil {
				return err
			}
			if n != 20 {
				t.Errorf("the system sees %d jobs, want 20", n)
			}
			return nil
		})
	}
	if err != nil {
		t.Errorf("%s: %v", tenant, err)
	}
}
