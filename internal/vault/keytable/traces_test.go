package keytable_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/recallerhq/recaller/internal/pgtest"
	"github.com/recallerhq/recaller/internal/vault"
	"github.com/recallerhq/recaller/internal/vault/keytable"
)

// Erasure: no file of the server but its log may hold a byte of a destroyed key, wherever Postgres moved its row to in
// the meantime; nor the log, once it was reused.
func TestDestroyedKeysLeaveNoTrace(t *testing.T) {
	t.Parallel()
	const keys, destroyed = 2000, 40
	db := ownDatabase(t, pgtest.OwnServer(t))
	super := connect(t, db.Super)
	k := open(t, db.App)
	rng := newRand(2)
	blobs := putMany(t, k, rng, keys)
	former := rewrap(t, k, rng, blobs)
	exec(t, super, `ANALYZE`)
	exec(t, super, `CHECKPOINT`)

	dir := dataFolder(t, super)
	doomed := rng.Perm(keys)[:destroyed]
	if left := traces(t, dir, blobs, doomed); left["tables"] != destroyed {
		t.Fatalf("before the destruction the files show %d of %d keys: the test would find nothing", left["tables"], destroyed)
	}
	if left := traces(t, dir, former, rng.Perm(keys)); left["tables"] != 0 {
		t.Errorf("after the rotation the files hold %d of the former keys", left["tables"])
	}
	for n, i := range doomed {
		if _, err := k.DestroyKey(t.Context(), caller(i)); err != nil {
			t.Fatal(err)
		}
		if n == 0 || n == destroyed-1 {
			exec(t, super, `CHECKPOINT`)
			if left := traces(t, dir, blobs, doomed[:n+1]); left["tables"] != 0 {
				t.Errorf("after %d destructions the files still hold %d of those keys", n+1, left["tables"])
			}
		}
	}
	wantNoTraces(t, db.App)
	for i := range blobs {
		got, found, err := k.Key(t.Context(), caller(i))
		if err != nil || !found || (!got.Destroyed() && !bytes.Equal(got.Wrapped, blobs[i])) {
			t.Fatalf("key %d is not what it was: found %v, %v", i, found, err)
		}
	}

	if left := traces(t, dir, blobs, doomed); left["log"] == 0 {
		t.Error("the log holds none of the keys: the package comment warns of nothing")
	}
	exec(t, super, `ALTER SYSTEM SET wal_recycle = off`)
	exec(t, super, `SELECT pg_reload_conf()`)
	super = connect(t, db.Super) // it has the new setting for sure
	for range 2 {
		exec(t, super, `SELECT pg_switch_wal()`)
		exec(t, super, `CHECKPOINT`)
	}
	if left := traces(t, dir, blobs, doomed); left["log"] != 0 {
		t.Errorf("with wal_recycle off the log still holds %d keys after a checkpoint", left["log"])
	}
}

// A transaction that began before a destruction may still see the key, so its copy must stay until that has ended. The
// destruction does not fail for it, the mark tells, and whoever comes next removes the copy.
func TestATransactionThatIsOlderHoldsTheCopyBack(t *testing.T) {
	t.Parallel()
	db := database(t)
	k := open(t, db.App)
	key := vault.StoredKey{Scope: caller(1), Fingerprint: "f", Wrapped: []byte("wrapped")}
	if _, err := k.PutKey(t.Context(), key); err != nil {
		t.Fatal(err)
	}
	old := connect(t, db.Super)
	exec(t, old, `BEGIN ISOLATION LEVEL REPEATABLE READ`)
	exec(t, old, `SELECT count(*) FROM pg_class`) // it has a snapshot, and no lock on the keys

	tombstone, err := k.DestroyKey(t.Context(), key.Scope)
	if err != nil || !tombstone.Destroyed() || tombstone.Fingerprint != "f" {
		t.Fatalf("got destroyed %v, %v", tombstone.Destroyed(), err)
	}
	if f := finding(t, db.App, "traces"); f.Problem == "" {
		t.Errorf("an older transaction is open, and Inspect finds no traces: %+v", f)
	}
	var seen []byte
	if err := old.QueryRow(t.Context(), `SELECT wrapped FROM recaller_keys.keys`).Scan(&seen); err != nil || string(seen) != "wrapped" {
		t.Errorf("the older transaction, which the copy was kept for, sees %q, %v", seen, err)
	}
	exec(t, old, `COMMIT`)
	if _, err := k.DestroyKey(t.Context(), key.Scope); err != nil {
		t.Fatal(err)
	}
	wantNoTraces(t, db.App)
}

// A dump of the keys holds every part for as long as it takes. Keys are destroyed and looked up meanwhile, and nobody
// waits behind who would write a part anew.
func TestADumpOfTheKeysBlocksNobody(t *testing.T) {
	t.Parallel()
	db := database(t)
	k := open(t, db.App)
	putMany(t, k, newRand(5), 20)
	dump := connect(t, db.Super)
	exec(t, dump, `BEGIN ISOLATION LEVEL REPEATABLE READ`)
	exec(t, dump, `LOCK TABLE recaller_keys.keys IN ACCESS SHARE MODE`) // as pg_dump does
	destroyed := make(chan error, 1)
	go func() {
		_, err := k.DestroyKey(t.Context(), caller(1))
		destroyed <- err
	}()
	for reading := true; reading; {
		select {
		case err := <-destroyed:
			if err != nil {
				t.Fatal(err)
			}
			reading = false
		default:
		}
		if _, found, err := k.Key(t.Context(), caller(1)); err != nil || !found {
			t.Fatalf("during the dump: found %v, %v", found, err)
		}
	}
	if got, _, err := k.Key(t.Context(), caller(1)); err != nil || !got.Destroyed() {
		t.Errorf("after the destruction: destroyed %v, %v", got.Destroyed(), err)
	}
	if f := finding(t, db.App, "traces"); f.Problem == "" {
		t.Error("the part was written anew while the dump read it: the test shows nothing")
	}
	exec(t, dump, `COMMIT`)
	if _, err := k.DestroyKey(t.Context(), caller(1)); err != nil {
		t.Fatal(err)
	}
	wantNoTraces(t, db.App)
}

// A crash after the commit of a destruction and before the part was written anew: the next opening completes it.
func TestInterruptedDestructionIsCompletedAtOpen(t *testing.T) {
	t.Parallel()
	db := database(t)
	k := open(t, db.App)
	putMany(t, k, newRand(3), 10)
	if err := k.Close(); err != nil {
		t.Fatal(err)
	}
	// Another connection stands in for the process that crashes: it commits as DestroyKey does, and no more.
	dying := connect(t, db.App)
	err := pgx.BeginFunc(t.Context(), dying, func(tx pgx.Tx) error {
		_, err := tx.Exec(t.Context(), `SELECT set_config('recaller.tenant', 't1', TRUE)`)
		if err == nil {
			_, err = tx.Exec(t.Context(), keytable.DestroyKeySQL, string(caller(4).Tenant), string(caller(4).Caller))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if f := finding(t, db.App, "traces"); f.Problem == "" {
		t.Fatal("the crash left no trace: the test would find nothing")
	}
	survivor := open(t, db.App)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	for finding(t, db.App, "traces").Problem != "" {
		if ctx.Err() != nil {
			t.Fatal("the traces are still there")
		}
	}
	if got, found, err := survivor.Key(t.Context(), caller(4)); !got.Destroyed() || !found || err != nil {
		t.Errorf("got destroyed %v, found %v, error %v", got.Destroyed(), found, err)
	}
}

// ownDatabase migrates a database on a server of the test's own.
func ownDatabase(t testing.TB, s *pgtest.Server) pgtest.Database {
	t.Helper()
	db := s.Database()
	if err := migrate(t.Context(), db); err != nil {
		t.Fatal(err)
	}
	return db
}

// putMany puts keys in a random order, by many at once, and returns what was wrapped.
func putMany(t testing.TB, k vault.KeyStore, rng *rand.Rand, keys int) [][]byte {
	t.Helper()
	blobs := make([][]byte, keys)
	for i := range blobs {
		blobs[i] = wrapped(rng)
	}
	order := rng.Perm(keys)
	var wg sync.WaitGroup
	for w := range 16 {
		wg.Go(func() {
			for n := w; n < keys; n += 16 {
				i := order[n]
				if _, err := k.PutKey(t.Context(), vault.StoredKey{Scope: caller(i), Fingerprint: "f", Wrapped: blobs[i]}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	return blobs
}

// rewrap replaces all keys in blobs and ends as a rotation does, and returns the former ones.
func rewrap(t *testing.T, k vault.KeyStore, rng *rand.Rand, blobs [][]byte) (former [][]byte) {
	t.Helper()
	const page = 500
	for from := 0; from < len(blobs); from += page {
		var changes []vault.Rewrap
		for i := from; i < min(from+page, len(blobs)); i++ {
			former = append(former, blobs[i])
			changes = append(changes, vault.Rewrap{Scope: caller(i), Old: blobs[i], New: wrapped(rng)})
			blobs[i] = changes[len(changes)-1].New
		}
		if n, err := k.ReplaceKeys(t.Context(), changes); n != len(changes) || err != nil {
			t.Fatalf("replaced %d, %v; want %d", n, err, len(changes))
		}
	}
	if _, err := k.PutValue(t.Context(), "check", []byte("former")); err != nil {
		t.Fatal(err)
	}
	if done, err := k.ReplaceValue(t.Context(), "check", []byte("former"), nil); !done || err != nil {
		t.Fatalf("the rotation's last step: %v, %v", done, err)
	}
	return former
}

// dataFolder finds the server's files.
func dataFolder(t *testing.T, c *pgx.Conn) (dir string) {
	t.Helper()
	if err := c.QueryRow(t.Context(), `SHOW data_directory`).Scan(&dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

// traces counts the keys of which 16 bytes in a row stand in some file of the server: of its "log", or of its "tables",
// which is all the rest, indexes and catalogue included.
func traces(t *testing.T, dir string, blobs [][]byte, which []int) map[string]int {
	t.Helper()
	want := newPieces(blobs, which)
	found := map[string]map[int]bool{"log": {}, "tables": {}}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) || (err == nil && !entry.Type().IsRegular()) {
			return nil
		}
		if err != nil {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		where := "tables"
		if strings.Contains(path, "pg_wal") {
			where = "log"
		}
		want.find(content, found[where])
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return map[string]int{"log": len(found["log"]), "tables": len(found["tables"])}
}

// pieces are every 16 bytes of some keys that begin at a multiple of 8.
type pieces struct {
	of     map[[16]byte]int
	begins []bool // by their first three bytes
}

func newPieces(blobs [][]byte, which []int) pieces {
	p := pieces{of: map[[16]byte]int{}, begins: make([]bool, 1<<24)}
	for _, i := range which {
		for from := 0; from+16 <= len(blobs[i]); from += 8 {
			piece := [16]byte(blobs[i][from:])
			p.of[piece] = i
			p.begins[int(piece[0])<<16|int(piece[1])<<8|int(piece[2])] = true
		}
	}
	return p
}

// find adds the keys of which a piece stands in content.
//
//go:norace
func (p pieces) find(content []byte, found map[int]bool) {
	for at := 0; at+16 <= len(content); at++ {
		if !p.begins[int(content[at])<<16|int(content[at+1])<<8|int(content[at+2])] {
			continue
		}
		if i, ok := p.of[[16]byte(content[at:])]; ok {
			found[i] = true
		}
	}
}

func finding(t testing.TB, url, name string) keytable.Finding {
	t.Helper()
	list, err := keytable.Inspect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range list {
		if f.Name == name {
			return f
		}
	}
	t.Fatalf("no finding %q in %+v", name, list)
	return keytable.Finding{}
}

func wantNoTraces(t *testing.T, url string) {
	t.Helper()
	if f := finding(t, url, "traces"); f.Problem != "" {
		t.Errorf("traces are left: %s", f.Found)
	}
}
