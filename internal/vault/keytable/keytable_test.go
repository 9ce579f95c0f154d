package keytable_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/pgtest"
	"github.com/recallerhq/recaller/internal/vault"
	"github.com/recallerhq/recaller/internal/vault/keytable"
	"github.com/recallerhq/recaller/internal/vault/vaulttest"
)

// database returns a database with the key store's schema and nothing in it.
func database(t testing.TB) pgtest.Database {
	t.Helper()
	schema := "keytable"
	for _, file := range []string{"migration/0001_keys.sql", "migrate.go"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		schema += string(text)
	}
	return pgtest.Prepared(t, schema, migrate)
}

func migrate(ctx context.Context, db pgtest.Database) error {
	return keytable.Migrate(ctx, db.Owner, db.AppRole())
}

func open(t testing.TB, url string) *keytable.Keys {
	t.Helper()
	k, err := keytable.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := k.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return k
}

// connect opens a connection of the test's own, to do what no Keys would.
func connect(t testing.TB, url string) *pgx.Conn {
	t.Helper()
	c, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close(context.Background()) })
	return c
}

func exec(t testing.TB, c *pgx.Conn, sql string, args ...any) {
	t.Helper()
	if _, err := c.Exec(t.Context(), sql, args...); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

func caller(i int) vault.Scope {
	return vault.Scope{Tenant: "t1", Caller: recaller.CallerID(fmt.Sprintf("caller-%06d", i))}
}

func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, seed)) }

// wrapped is a stand-in for a wrapped key: as long as one, and as random.
func wrapped(rng *rand.Rand) []byte {
	b := make([]byte, 65)
	for i := range b {
		b[i] = byte(rng.UintN(256))
	}
	return b
}

func TestConform(t *testing.T) {
	t.Parallel()
	vaulttest.Conform(t, func(t *testing.T) vault.KeyStore { return open(t, database(t).App) })
}

// The vault itself on it: what was sealed opens in another process, a rotation leaves it so, and a destruction ends it.
func TestAVaultWorksOnIt(t *testing.T) {
	t.Parallel()
	db := database(t)
	place := vault.Place{Table: "turns", Record: "1"}
	first, second := vault.NewKey(), vault.NewKey()
	vaultWith := func(current string, previous ...string) *vault.Vault {
		t.Helper()
		ring, err := vault.NewRing(current, previous...)
		if err != nil {
			t.Fatal(err)
		}
		return vault.New(ring, open(t, db.App), vault.Options{})
	}
	sealed, err := vaultWith(first).Seal(t.Context(), caller(1), place, []byte("said"))
	if err != nil {
		t.Fatal(err)
	}
	rotating := vaultWith(second, first)
	if err := rotating.Rotate(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	after := vaultWith(second)
	if got, err := after.Open(t.Context(), caller(1), place, sealed); err != nil || string(got) != "said" {
		t.Fatalf("after the rotation: %q, %v", got, err)
	}
	fingerprint, err := after.Destroy(t.Context(), caller(1))
	if err != nil || fingerprint == "" {
		t.Fatalf("destroy: fingerprint %q, %v", fingerprint, err)
	}
	if _, err := vaultWith(second).Open(t.Context(), caller(1), place, sealed); !errors.Is(err, recaller.NotFound) {
		t.Errorf("open after the destruction: got %v, want not found", err)
	}
}

// Two processes put and destroy the same keys. Whatever comes first: both see the same, and after a destruction was
// acknowledged nobody sees a key.
func TestTwoProcessesRace(t *testing.T) {
	t.Parallel()
	db := database(t)
	processes := []*keytable.Keys{open(t, db.App), open(t, db.App)}
	const keys = 60
	var gone [keys]atomic.Bool
	var alive atomic.Int64
	var wg sync.WaitGroup
	for p, k := range processes {
		for i := range keys {
			wg.Go(func() {
				rng := rand.New(rand.NewPCG(uint64(p), uint64(i)))
				before := gone[i].Load()
				got, err := k.PutKey(t.Context(), vault.StoredKey{Scope: caller(i), Fingerprint: fmt.Sprint(p), Wrapped: wrapped(rng)})
				switch {
				case err != nil:
					t.Errorf("put %d: %v", i, err)
				case before && !got.Destroyed():
					t.Errorf("key %d came back after its destruction", i)
				case !got.Destroyed():
					alive.Add(1)
				}
			})
			if i%len(processes) != p {
				continue
			}
			wg.Go(func() {
				if _, err := k.DestroyKey(t.Context(), caller(i)); err != nil {
					t.Errorf("destroy %d: %v", i, err)
				}
				gone[i].Store(true)
			})
		}
	}
	wg.Wait()
	for i := range keys {
		var seen [2]vault.StoredKey
		for p, k := range processes {
			got, found, err := k.Key(t.Context(), caller(i))
			if err != nil || !found || !got.Destroyed() {
				t.Errorf("key %d in process %d: found %v, destroyed %v, %v", i, p, found, got.Destroyed(), err)
			}
			seen[p] = got
		}
		if diff := cmp.Diff(seen[0], seen[1]); diff != "" {
			t.Errorf("key %d differs between the processes:\n%s", i, diff)
		}
	}
	t.Logf("%d of %d puts came before the destruction", alive.Load(), 2*keys)
}

func TestClosedStoreAnswersUnavailable(t *testing.T) {
	t.Parallel()
	k := open(t, database(t).App)
	if err := k.Close(); err != nil {
		t.Fatal(err)
	}
	_, err := k.PutKey(t.Context(), vault.StoredKey{Scope: caller(1), Wrapped: []byte("x")})
	if !errors.Is(err, recaller.Unavailable) {
		t.Errorf("put: got %v, want unavailable", err)
	}
	if _, _, err := k.Key(t.Context(), caller(1)); !errors.Is(err, recaller.Unavailable) {
		t.Errorf("key: got %v, want unavailable", err)
	}
}

func TestALateAnswerIsATimeout(t *testing.T) {
	t.Parallel()
	db := database(t)
	k := open(t, db.App)
	other := connect(t, db.Super)
	exec(t, other, `BEGIN; LOCK TABLE recaller_keys.keys IN ACCESS EXCLUSIVE MODE`)
	ctx, cancel := context.WithTimeout(t.Context(), 1)
	defer cancel()
	if _, _, err := k.Key(ctx, caller(1)); !errors.Is(err, recaller.Timeout) {
		t.Errorf("got %v, want timeout", err)
	}
	exec(t, other, `ROLLBACK`)
	if _, found, err := k.Key(t.Context(), caller(1)); found || err != nil {
		t.Errorf("afterwards: found %v, %v", found, err)
	}
}

// What the server cannot take is refused by an error that quotes nothing of it.
func TestErrorsQuoteNoKey(t *testing.T) {
	t.Parallel()
	db := database(t)
	k := open(t, db.App)
	secret := bytes.Repeat([]byte("KEYMATERIAL"), 2000) // larger than a page: plain values are not stored elsewhere
	owner := connect(t, db.Super)
	fail := func(what string, err error) {
		t.Helper()
		if !errors.Is(err, recaller.Unavailable) {
			t.Errorf("%s: got %v, want unavailable", what, err)
			return
		}
		for _, part := range []string{"KEYMATERIAL", "4b45594d", "75 77 65"} {
			if strings.Contains(err.Error(), part) {
				t.Errorf("%s: the error quotes the key", what)
			}
		}
	}
	_, err := k.PutKey(t.Context(), vault.StoredKey{Scope: caller(1), Wrapped: secret})
	fail("too large a key", err)
	_, err = k.PutValue(t.Context(), "name", secret)
	fail("too large a value", err)
	exec(t, owner, `ALTER TABLE recaller_keys.keys ADD CONSTRAINT small CHECK (length(wrapped) < 5)`)
	_, err = k.PutKey(t.Context(), vault.StoredKey{Scope: caller(1), Wrapped: secret[:100]})
	fail("a failing check, whose details quote the row", err)
	_, _, err = k.Key(t.Context(), vault.Scope{Tenant: "t1", Caller: "a\x00b"})
	fail("an id that is no text", err)
}
