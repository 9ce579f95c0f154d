package keytable_test

import (
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/pgtest"
	"github.com/recallerhq/recaller/internal/vault"
	"github.com/recallerhq/recaller/internal/vault/keytable"
)

func TestMigrateTwiceAndByManyAtOnce(t *testing.T) {
	t.Parallel()
	db := pgtest.Bare(t) // no extension is needed
	var wg sync.WaitGroup
	for range 6 {
		wg.Go(func() {
			if err := migrate(t.Context(), db); err != nil {
				t.Errorf("at once with others: %v", err)
			}
		})
	}
	wg.Wait()
	k := open(t, db.App)
	key := vault.StoredKey{Scope: caller(1), Fingerprint: "f", Wrapped: []byte("wrapped")}
	if _, err := k.PutKey(t.Context(), key); err != nil {
		t.Fatal(err)
	}
	if err := migrate(t.Context(), db); err != nil {
		t.Fatalf("again, beside a server: %v", err)
	}
	got, _, err := k.Key(t.Context(), key.Scope)
	if diff := cmp.Diff(key, got); diff != "" || err != nil {
		t.Errorf("after another migration: %v\n%s", err, diff)
	}
}

// The data's own migrations keep their count in the schema public: neither is taken for the other.
func TestMigrateCountsItsVersionsApart(t *testing.T) {
	t.Parallel()
	db := pgtest.Bare(t)
	owner := connect(t, db.Owner)
	super := connect(t, db.Super)
	exec(t, super, `GRANT CREATE ON SCHEMA public TO PUBLIC`)
	exec(t, owner, `CREATE TABLE goose_db_version (id SERIAL, version_id BIGINT, is_applied BOOLEAN, tstamp TIMESTAMP DEFAULT now())`)
	exec(t, owner, `INSERT INTO goose_db_version (version_id, is_applied) VALUES (0, TRUE), (1, TRUE), (2, TRUE), (3, TRUE)`)
	if err := migrate(t.Context(), db); err != nil {
		t.Fatal(err)
	}
	if f := finding(t, db.App, "schema"); f.Found != "1" || f.Problem != "" {
		t.Errorf("got %+v, want schema 1", f)
	}
}

func TestMigrateIsRefused(t *testing.T) {
	t.Parallel()
	db := pgtest.Bare(t)
	for _, test := range []struct {
		name, url, role string
		kind            recaller.Kind
		says            string
	}{
		{"as the server's role", db.App, db.AppRole(), recaller.Invalid, "migrate as another role"},
		{"for a role that is not there", db.Owner, "nobody \"here", recaller.NotFound, `CREATE ROLE "nobody ""here"`},
		{"without the right to make a schema", db.App, "recaller_test_owner", recaller.Unavailable, "are the two exchanged?"},
		{"by a URL that is none", "postgres://u:hunter2@host:port/x", db.AppRole(), recaller.Invalid, "cannot be read"},
	} {
		err := keytable.Migrate(t.Context(), test.url, test.role)
		if !errors.Is(err, test.kind) || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: got %v, want %s that says %q", test.name, err, test.kind, test.says)
		}
		if err != nil && strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: the error shows the password", test.name)
		}
	}
}

func TestOpenRefusesWhatItCannotRelyOn(t *testing.T) {
	t.Parallel()
	db := database(t)
	super := connect(t, db.Super)
	refuse := func(name, url, says string) {
		t.Helper()
		k, err := keytable.Open(t.Context(), url)
		if !errors.Is(err, recaller.Unavailable) || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: got %v, want unavailable that says %q", name, err, says)
		}
		if err == nil {
			_ = k.Close()
		}
	}
	refuse("no schema", pgtest.Bare(t).App, "run `recaller migrate`")
	refuse("a superuser", db.Super, "can see past the policies")
	refuse("the owner", db.Owner, "does not own the tables")

	exec(t, super, `ALTER TABLE recaller_keys.keys NO FORCE ROW LEVEL SECURITY`)
	refuse("a policy that the owner escapes", db.App, "not forced")
	exec(t, super, `ALTER TABLE recaller_keys.keys FORCE ROW LEVEL SECURITY`)
	exec(t, super, `GRANT SELECT ON recaller_keys.keys_07 TO `+db.AppRole())
	refuse("a part that may be asked beside its table", db.App, "keys_07")
	exec(t, super, `REVOKE SELECT ON recaller_keys.keys_07 FROM `+db.AppRole())
	exec(t, super, `INSERT INTO recaller_keys.goose_db_version (version_id, is_applied) VALUES (99, TRUE)`)
	refuse("a newer schema", db.App, "made by a newer Recaller")
	exec(t, super, `DELETE FROM recaller_keys.goose_db_version WHERE version_id = 99`)
	refuse("writes that are not durable", db.App+"&options=-csynchronous_commit%3Doff", "before they are durable")

	open(t, db.App) // everything is as it was
	if _, err := keytable.Open(t.Context(), "postgres://u:hunter2@host:port/x"); !errors.Is(err, recaller.Invalid) || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("a URL that is none: got %v", err)
	}
}

func TestInspectFindsNothingWrongWithANewStore(t *testing.T) {
	t.Parallel()
	list, err := keytable.Inspect(t.Context(), database(t).App)
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
	if diff := cmp.Diff([]string{"server", "commits", "schema", "role", "policies", "log", "traces"}, names); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
}
