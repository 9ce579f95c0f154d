package e2e

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/recallerhq/recaller/internal/vault/keyfile"
)

// A wrong key, a lost key, a folder in use: the server does not start, says what it needs, and touches nothing.
func TestItRefusesToStartOnDataItCannotRead(t *testing.T) {
	t.Parallel()
	first, other, third := keyOf("first"), keyOf("other"), keyOf("third")
	made := serve(t) // makes a key of its own
	phone{t, made.admin}.call("+14155550101", user("I need a repair."), agent("Yes."))
	made.stop()
	given := serve(t, "MEMORY_ENCRYPTION_KEY="+first)
	phone{t, given.admin}.call("+14155550101", user("I need a repair."), agent("Yes."))
	given.stop()
	inUse := serve(t)

	for _, c := range []refusal{
		{"another key is given", given, []string{"MEMORY_ENCRYPTION_KEY=" + other}, nil, `key [0-9a-f]{6,}`},
		{"the key is not given", given, nil, nil, `(?i)key`},
		{"another key than the one it made", made, []string{"MEMORY_ENCRYPTION_KEY=" + other}, nil, `key [0-9a-f]{6,}`},
		{"the key file is lost", made, nil, lose("master/master.key"), `master\.key is missing`},
		{"the keys are lost", made, nil, lose("keys/keys.db"), `keys\.db is missing`},
		{"the key store is a new one", made, nil, emptyKeys, `keys\.db lacks the key of tenant default`},
		{"the key store is another's", given, []string{"MEMORY_ENCRYPTION_KEY=" + first}, othersKeys(t, first), `keys\.db is another installation's`},
		{"the key file is another", made, nil, replace("master/master.key", third), `key [0-9a-f]{6,}`},
		{"the key file is not a key", made, nil, replace("master/master.key", "hello"), `does not hold 64 hexadecimal digits`},
		{"another server has the folder", inUse, nil, nil, `in use by another`},
	} {
		out := c.happens(t)
		if strings.Contains(out, other) || strings.Contains(out, third) {
			t.Errorf("%s: it said the key itself: %q", c.name, out)
		}
	}
	made.start() // with its own keys in place again
	holds(t, "the briefing afterwards", phone{t, made.admin}.ring("+14155550101").Briefing.Text, "repair")
	given.start()
	holds(t, "the briefing afterwards", phone{t, given.admin}.ring("+14155550101").Briefing.Text, "repair")
}

// refusal is a start that must fail.
type refusal struct {
	name   string
	s      *server // whose folder it is
	env    []string
	before func(t *testing.T, dir string) (undo func()) // may be nil
	says   string                                       // a pattern
}

// happens tries to start, and returns what was said. One refusal comes after the other: they share folders.
func (c refusal) happens(t *testing.T) string {
	t.Helper()
	if c.before != nil {
		defer c.before(t, c.s.dir)()
	}
	before := fingerprint(t, c.s.dir)
	out, err := (&server{t: t, dir: c.s.dir, env: c.env}).command("serve").CombinedOutput()
	if err == nil {
		t.Errorf("%s: it started\n%s", c.name, out)
	}
	if !regexp.MustCompile(c.says).Match(out) || regexp.MustCompile(`goroutine|panic`).Match(out) {
		t.Errorf("%s: got %q, want it to match %q", c.name, out, c.says)
	}
	if after := fingerprint(t, c.s.dir); after != before && !c.s.running() { // else its files change under its own hands
		t.Errorf("%s: the data was touched:\n%s\nbefore:\n%s", c.name, after, before)
	}
	return string(out)
}

// keyOf makes an encryption key.
func keyOf(seed string) string {
	sum := sha256.Sum256([]byte(seed))
	return hex.EncodeToString(sum[:])
}

// lose takes a file away.
func lose(name string) func(*testing.T, string) func() {
	return func(t *testing.T, dir string) func() {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.Rename(path, path+".lost"); err != nil {
			t.Fatal(err)
		}
		return func() {
			if err := os.Rename(path+".lost", path); err != nil {
				t.Error(err)
			}
		}
	}
}

// emptyKeys puts a key store in place of the one that there is, with nothing in it.
func emptyKeys(t *testing.T, dir string) func() {
	t.Helper()
	undo := lose("keys/keys.db")(t, dir)
	store, err := keyfile.Open(filepath.Join(dir, "keys", "keys.db"))
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	return undo
}

// othersKeys puts the key store of another installation, under the same master key, in place of the one that there is.
func othersKeys(t *testing.T, master string) func(*testing.T, string) func() {
	t.Helper()
	other := serve(t, "MEMORY_ENCRYPTION_KEY="+master)
	other.stop()
	return func(t *testing.T, dir string) func() {
		t.Helper()
		undo := lose("keys/keys.db")(t, dir)
		raw, err := os.ReadFile(filepath.Join(other.dir, "keys", "keys.db"))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "keys", "keys.db"), raw, 0o600); err != nil {
			t.Fatal(err)
		}
		return undo
	}
}

// replace puts other content into a file.
func replace(name, content string) func(*testing.T, string) func() {
	return func(t *testing.T, dir string) func() {
		t.Helper()
		undo := lose(name)(t, dir)
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		return undo
	}
}

// fingerprint tells the content of a folder's files, but for the lock, which is empty, and the files that SQLite keeps
// beside a database while it reads it.
func fingerprint(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(path, "-shm") {
			return err
		}
		raw, err := os.ReadFile(path)
		if len(raw) > 0 {
			sum := sha256.Sum256(raw)
			b.WriteString(strings.TrimPrefix(path, dir) + " " + hex.EncodeToString(sum[:6]) + "\n")
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}
