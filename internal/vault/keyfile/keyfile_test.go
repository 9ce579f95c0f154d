package keyfile_test

import (
	"bufio"
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/vault"
	"github.com/recallerhq/recaller/internal/vault/keyfile"
	"github.com/recallerhq/recaller/internal/vault/vaulttest"
)

// childEnv makes the test binary a process that puts keys until it is killed.
const childEnv = "KEYFILE_TEST_CHILD"

func TestMain(m *testing.M) {
	if path := os.Getenv(childEnv); path != "" {
		putForever(path)
	}
	os.Exit(m.Run())
}

func open(t testing.TB, path string) *keyfile.File {
	t.Helper()
	f, err := keyfile.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return f
}

func storePath(t testing.TB) string { return filepath.Join(t.TempDir(), "keys", "keys.db") }

func caller(i int) vault.Scope {
	return vault.Scope{Tenant: "t1", Caller: recaller.CallerID(fmt.Sprintf("caller-%06d", i))}
}

// wrapped is a stand-in for a wrapped key: as long as one, and as random.
func wrapped(rng *rand.Rand) []byte {
	b := make([]byte, 65)
	for i := range b {
		b[i] = byte(rng.UintN(256))
	}
	return b
}

func TestConform(t *testing.T) {
	vaulttest.Conform(t, func(t *testing.T) vault.KeyStore { return open(t, storePath(t)) })
}

func TestMemoryConforms(t *testing.T) {
	vaulttest.Conform(t, func(*testing.T) vault.KeyStore { return vaulttest.NewMemory() })
}

func TestKeysOutliveTheProcess(t *testing.T) {
	path := storePath(t)
	rng := rand.New(rand.NewPCG(1, 1))
	key := vault.StoredKey{Scope: caller(1), Fingerprint: "f1", Wrapped: wrapped(rng)}
	f := open(t, path)
	if _, err := f.PutKey(t.Context(), key); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	got, found, err := open(t, path).Key(t.Context(), key.Scope)
	if err != nil || !found || !bytes.Equal(got.Wrapped, key.Wrapped) {
		t.Errorf("after reopening: found %v, error %v, same %v", found, err, bytes.Equal(got.Wrapped, key.Wrapped))
	}
	for name, mode := range map[string]os.FileMode{path: 0o600, filepath.Dir(path): 0o700} {
		info, err := os.Stat(name)
		if err != nil || info.Mode().Perm() != mode {
			t.Errorf("mode of %s: %v, %v; want %v", filepath.Base(name), info.Mode().Perm(), err, mode)
		}
	}
}

func TestClosedFileAnswersUnavailable(t *testing.T) {
	f := open(t, storePath(t))
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	_, err := f.PutKey(t.Context(), vault.StoredKey{Scope: caller(1), Wrapped: []byte("x")})
	if !errors.Is(err, recaller.Unavailable) {
		t.Errorf("put: got %v, want unavailable", err)
	}
	if _, _, err := f.Key(t.Context(), caller(1)); !errors.Is(err, recaller.Unavailable) {
		t.Errorf("key: got %v, want unavailable", err)
	}
}

func TestOpenRefusesWhatIsNotAKeyStore(t *testing.T) {
	path := filepath.Join(t.TempDir(), "keys.db")
	if err := os.WriteFile(path, bytes.Repeat([]byte("not a database "), 1000), 0o600); err != nil {
		t.Fatal(err)
	}
	if f, err := keyfile.Open(path); !errors.Is(err, recaller.Unavailable) {
		t.Errorf("got %v, %v; want unavailable", f, err)
	}
}

// Erasure: no file of the store may hold a byte of a destroyed key, wherever SQLite moved its row to in the meantime.
func TestDestroyedKeysLeaveNoTrace(t *testing.T) {
	const keys, destroyed = 3000, 60
	path := storePath(t)
	f := open(t, path)
	rng := rand.New(rand.NewPCG(2, 2))
	blobs := make([][]byte, keys)
	order := rng.Perm(keys)
	for i := range blobs {
		blobs[i] = wrapped(rng)
	}
	var wg sync.WaitGroup
	for w := range 32 {
		wg.Go(func() {
			for n := w; n < keys; n += 32 {
				i := order[n] // random order: the index is split everywhere
				if _, err := f.PutKey(t.Context(), vault.StoredKey{Scope: caller(i), Fingerprint: "f", Wrapped: blobs[i]}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	rewrap(t, f, rng, blobs)

	doomed := rng.Perm(keys)[:destroyed]
	if left := traces(t, path, blobs, doomed); left != destroyed {
		t.Fatalf("before the destruction the files show %d of %d keys: the test would find nothing", left, destroyed)
	}
	for n, i := range doomed {
		if _, err := f.DestroyKey(t.Context(), caller(i)); err != nil {
			t.Fatal(err)
		}
		if n == 0 || n == destroyed-1 {
			if left := traces(t, path, blobs, doomed[:n+1]); left != 0 {
				t.Errorf("after %d destructions the files still hold %d of those keys", n+1, left)
			}
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if left := traces(t, path, blobs, doomed); left != 0 {
		t.Errorf("after closing the files hold %d destroyed keys", left)
	}
	again := open(t, path)
	for i := range blobs {
		k, found, err := again.Key(t.Context(), caller(i))
		if err != nil || !found {
			t.Fatalf("key %d: found %v, error %v", i, found, err)
		}
		if !k.Destroyed() && !bytes.Equal(k.Wrapped, blobs[i]) {
			t.Errorf("key %d is not what it was", i)
		}
	}
}

// A crash after the commit of a destruction and before the log was emptied: the next opening completes it.
func TestInterruptedDestructionIsCompletedAtOpen(t *testing.T) {
	path := storePath(t)
	f := open(t, path)
	blobs := [][]byte{wrapped(rand.New(rand.NewPCG(3, 3)))}
	if _, err := f.PutKey(t.Context(), vault.StoredKey{Scope: caller(0), Fingerprint: "f", Wrapped: blobs[0]}); err != nil {
		t.Fatal(err)
	}
	// Another connection stands in for the process that crashes: it commits as DestroyKey does, and no more.
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec("UPDATE keys SET destroyed = 1, wrapped = zeroblob(length(wrapped))"); err != nil {
		t.Fatal(err)
	}
	after := storePath(t)
	if err := os.CopyFS(filepath.Dir(after), os.DirFS(filepath.Dir(path))); err != nil {
		t.Fatal(err)
	}
	if traces(t, after, blobs, []int{0}) != 1 {
		t.Fatal("the crash left no trace: the test would find nothing")
	}
	survivor := open(t, after)
	if left := traces(t, after, blobs, []int{0}); left != 0 {
		t.Error("the destroyed key is still in the files")
	}
	if k, found, err := survivor.Key(t.Context(), caller(0)); !k.Destroyed() || !found || err != nil {
		t.Errorf("got destroyed %v, found %v, error %v", k.Destroyed(), found, err)
	}
}

// rewrap replaces all keys, as a rotation does, and proves that the former ones are gone too once the rotation's last
// step has emptied the log.
func rewrap(t *testing.T, f *keyfile.File, rng *rand.Rand, blobs [][]byte) {
	t.Helper()
	changes := make([]vault.Rewrap, len(blobs))
	for i := range blobs {
		changes[i] = vault.Rewrap{Scope: caller(i), Old: blobs[i], New: wrapped(rng)}
		blobs[i] = changes[i].New
	}
	if n, err := f.ReplaceKeys(t.Context(), changes); n != len(blobs) || err != nil {
		t.Fatalf("replaced %d, %v; want %d", n, err, len(blobs))
	}
}

// traces counts the keys of which 16 bytes in a row stand in some file of the store's folder.
func traces(t *testing.T, path string, blobs [][]byte, which []int) int {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(filepath.Dir(path), "*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("files: %v, %v", files, err)
	}
	found := map[int]bool{}
	for _, name := range files {
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range which {
			for from := 0; from+16 <= len(blobs[i]); from += 8 {
				if bytes.Contains(content, blobs[i][from:from+16]) {
					found[i] = true
				}
			}
		}
	}
	return len(found)
}

// A process is killed while 64 writers put keys: every key that was acknowledged is there afterwards.
func TestAcknowledgedKeysSurviveKill(t *testing.T) {
	path := storePath(t)
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"="+path)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	var acked []string
	for len(acked) < 1500 && lines.Scan() {
		acked = append(acked, lines.Text())
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	for lines.Scan() {
		acked = append(acked, lines.Text())
	}
	_ = cmd.Wait() // "signal: killed"
	if len(acked) < 1500 {
		t.Fatalf("the process put only %d keys", len(acked))
	}
	f := open(t, path)
	for _, id := range acked {
		k, found, err := f.Key(t.Context(), vault.Scope{Tenant: "t1", Caller: recaller.CallerID(id)})
		if err != nil || !found || string(k.Wrapped) != "wrapped "+id {
			t.Fatalf("acknowledged key %s of %d: found %v, error %v, %q", id, len(acked), found, err, k.Wrapped)
		}
	}
}

func putForever(path string) {
	f, err := keyfile.Open(path)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	for w := range 64 {
		go func() {
			for i := 0; ; i++ {
				id := fmt.Sprintf("%d-%d", w, i)
				_, err := f.PutKey(context.Background(), vault.StoredKey{Scope: vault.Scope{Tenant: "t1", Caller: recaller.CallerID(id)}, Wrapped: []byte("wrapped " + id)})
				if err != nil {
					fmt.Fprintln(os.Stderr, err)
					os.Exit(1)
				}
				os.Stdout.WriteString(id + "\n") // one write: whole lines
			}
		}()
	}
	select {}
}

func TestOpenIsFast(t *testing.T) {
	path := storePath(t)
	f := open(t, path)
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	best := time.Hour
	for range 5 {
		start := time.Now()
		f, err := keyfile.Open(path)
		best = min(best, time.Since(start))
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if best > 20*time.Millisecond {
		t.Errorf("opening took %v at best, want at most 20ms", best)
	}
	t.Logf("opening took %v at best of 5", best)
}

func BenchmarkPutKey64(b *testing.B) {
	f := open(b, storePath(b))
	blob := []byte(strings.Repeat("k", 65))
	var wg sync.WaitGroup
	b.ResetTimer()
	for w := range 64 {
		wg.Go(func() {
			for i := w; i < b.N; i += 64 {
				if _, err := f.PutKey(b.Context(), vault.StoredKey{Scope: caller(i), Fingerprint: "0123456789abcdef", Wrapped: blob}); err != nil {
					b.Error(err)
				}
			}
		})
	}
	wg.Wait()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "keys/s")
}

func BenchmarkPutKeyAlone(b *testing.B) {
	f := open(b, storePath(b))
	blob := []byte(strings.Repeat("k", 65))
	for i := 0; b.Loop(); i++ {
		if _, err := f.PutKey(b.Context(), vault.StoredKey{Scope: caller(i), Fingerprint: "0123456789abcdef", Wrapped: blob}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkKey(b *testing.B) {
	f := open(b, storePath(b))
	if _, err := f.PutKey(b.Context(), vault.StoredKey{Scope: caller(1), Wrapped: []byte(strings.Repeat("k", 65))}); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, _, err := f.Key(b.Context(), caller(1)); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDestroyKey(b *testing.B) {
	f := open(b, storePath(b))
	for i := 0; b.Loop(); i++ {
		b.StopTimer()
		if _, err := f.PutKey(b.Context(), vault.StoredKey{Scope: caller(i), Wrapped: []byte(strings.Repeat("k", 65))}); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
		if _, err := f.DestroyKey(b.Context(), caller(i)); err != nil {
			b.Fatal(err)
		}
	}
}
