package keytable_test

import (
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/vault"
)

const insufficient = "42501" // insufficient_privilege: by a right that is missing, or by a policy

// tenants puts keys of three tenants and returns them.
func tenants(t *testing.T, k vault.KeyStore) (all []vault.StoredKey) {
	t.Helper()
	rng := newRand(7)
	for tenant := range 3 {
		for i := range 20 {
			key := vault.StoredKey{Scope: caller(i), Fingerprint: "f", Wrapped: wrapped(rng)}
			key.Scope.Tenant = recaller.TenantID(fmt.Sprint("t", tenant))
			if _, err := k.PutKey(t.Context(), key); err != nil {
				t.Fatal(err)
			}
			all = append(all, key)
		}
	}
	return all
}

// The wall between tenants, asked by raw SQL as the role that the server runs as: what a fault in our code could do.
func TestOneTenantsDoorShowsNoOthersKeys(t *testing.T) {
	t.Parallel()
	db := database(t)
	tenants(t, open(t, db.App))
	c := connect(t, db.App)
	count := func(door, sql string) (n int) {
		t.Helper()
		tx, err := c.Begin(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = tx.Rollback(t.Context()) }()
		if _, err := tx.Exec(t.Context(), door); err != nil {
			t.Fatal(err)
		}
		if err := tx.QueryRow(t.Context(), sql).Scan(&n); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		return n
	}
	const (
		noDoor = `SELECT 1`
		t1     = `SELECT set_config('recaller.tenant', 't1', TRUE)`
		system = `SELECT set_config('recaller.door', 'system', TRUE)`
		update = `WITH done AS (UPDATE recaller_keys.keys SET destroyed = TRUE, wrapped = '' RETURNING 1) SELECT count(*) FROM done`
	)
	for _, test := range []struct {
		name, door, sql string
		want            int
	}{
		{"no door", noDoor, `SELECT count(*) FROM recaller_keys.keys`, 0},
		{"no door, to write", noDoor, update, 0},
		{"a tenant's own", t1, `SELECT count(*) FROM recaller_keys.keys`, 20},
		{"another tenant's", t1, `SELECT count(*) FROM recaller_keys.keys WHERE tenant <> 't1'`, 0},
		{"another tenant's, to write", t1, update, 20},
		{"named values by a tenant's door", t1, `SELECT count(*) FROM recaller_keys.named`, 0},
		{"the lists' door", system, `SELECT count(*) FROM recaller_keys.keys`, 60},
	} {
		if got := count(test.door, test.sql); got != test.want {
			t.Errorf("%s: got %d rows, want %d", test.name, got, test.want)
		}
	}
}

// What the server has no need of it is not allowed.
func TestTheServersRoleMayDoNoMoreThanItNeeds(t *testing.T) {
	t.Parallel()
	db := database(t)
	tenants(t, open(t, db.App))
	c := connect(t, db.App)
	const t1, system = `SELECT set_config('recaller.tenant', 't1', TRUE)`, `SELECT set_config('recaller.door', 'system', TRUE)`
	for _, test := range []struct{ name, door, sql string }{
		{"a key for another tenant", t1, `INSERT INTO recaller_keys.keys VALUES ('t2', 'new', '', FALSE, 'x')`},
		{"a key by the lists' door", system, `INSERT INTO recaller_keys.keys VALUES ('t2', 'new', '', FALSE, 'x')`},
		{"a key for nobody", `SELECT 1`, `INSERT INTO recaller_keys.keys VALUES ('', 'new', '', FALSE, 'x')`},
		{"moving a key to another tenant", t1, `UPDATE recaller_keys.keys SET tenant = 't2'`},
		{"removing a tombstone", t1, `DELETE FROM recaller_keys.keys`},
		{"emptying the table", system, `TRUNCATE recaller_keys.keys`},
		{"a part beside its table", system, `SELECT * FROM recaller_keys.keys_00`},
		{"writing into a part", t1, `UPDATE recaller_keys.keys_00 SET wrapped = ''`},
		{"a value by a tenant's door", t1, `INSERT INTO recaller_keys.named VALUES ('name', 'x')`},
		{"taking a mark away", system, `DELETE FROM recaller_keys.traces`},
		{"a table of its own", `SELECT 1`, `CREATE TABLE recaller_keys.mine (i INT)`},
		{"lifting a policy", `SELECT 1`, `ALTER TABLE recaller_keys.keys NO FORCE ROW LEVEL SECURITY`},
		{"writing another version", `SELECT 1`, `INSERT INTO recaller_keys.goose_db_version (version_id, is_applied) VALUES (99, TRUE)`},
	} {
		err := pgx.BeginFunc(t.Context(), c, func(tx pgx.Tx) error {
			if _, err := tx.Exec(t.Context(), test.door); err != nil {
				return err
			}
			_, err := tx.Exec(t.Context(), test.sql)
			return err
		})
		var refused *pgconn.PgError
		if !errors.As(err, &refused) || (refused.Code != insufficient && !strings.Contains(refused.Message, "must be owner")) {
			t.Errorf("%s: got %v, want that it is refused", test.name, err)
		}
	}
	for _, part := range []string{"keys", "goose_db_version", "traces", "keys_64", "pg_class", `keys_00; DROP TABLE recaller_keys.traces`} {
		if _, err := c.Exec(t.Context(), `SELECT recaller_keys.rewrite($1)`, part); err == nil || !strings.Contains(err.Error(), "no such part") {
			t.Errorf("writing %q anew: got %v, want that it is refused", part, err)
		}
	}
}

// A dump of everything but the schema recaller_keys is a backup of the data: nothing in it is of a key, nor is what the
// database keeps for itself about its tables.
func TestADumpOfTheDataHoldsNoKey(t *testing.T) {
	t.Parallel()
	db := database(t)
	k := open(t, db.App)
	keys := tenants(t, k)
	value := wrapped(newRand(8))
	if _, err := k.PutValue(t.Context(), "receipt key", value); err != nil {
		t.Fatal(err)
	}
	secrets := []string{hex.EncodeToString(value)}
	for _, key := range keys {
		secrets = append(secrets, hex.EncodeToString(key.Wrapped))
	}
	c := connect(t, db.Super)
	exec(t, c, `ANALYZE`)
	exec(t, c, `ANALYZE recaller_keys.keys, recaller_keys.named`)
	inside := held(t, c, `= 'recaller_keys'`, secrets)
	if inside != len(secrets) {
		t.Fatalf("the schema itself shows %d of %d: the test would find nothing", inside, len(secrets))
	}
	if n := held(t, c, `<> 'recaller_keys'`, secrets); n != 0 {
		t.Errorf("outside of the schema %d of %d keys are to be found", n, len(secrets))
	}
}

// held counts the secrets that stand, as text, in some row of the tables of schemas that match.
func held(t *testing.T, c *pgx.Conn, schemas string, secrets []string) int {
	t.Helper()
	rows, err := c.Query(t.Context(), `SELECT format('%I.%I', n.nspname, t.relname) FROM pg_class t JOIN pg_namespace n ON n.oid = t.relnamespace
		WHERE t.relkind IN ('r', 'm') AND n.nspname `+schemas)
	if err != nil {
		t.Fatal(err)
	}
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, table := range tables {
		rows, err := c.Query(t.Context(), `SELECT x::text FROM `+table+` x`)
		if err != nil {
			t.Fatal(err)
		}
		lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			t.Fatalf("%s: %v", table, err)
		}
		for _, line := range lines {
			for _, s := range secrets {
				if strings.Contains(line, s) {
					found[s] = true
				}
			}
		}
	}
	return len(found)
}
