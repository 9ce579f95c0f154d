package cli_test

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/recallerhq/recaller/internal/cli"
)

// serving has a server on the bench's data until stop is called.
func (b *bench) serving() (stop func()) {
	b.t.Helper()
	b.env = append(b.env, "RECALLER_ADDR="+unusedAddr(b.t))
	ctx, cancel := context.WithCancel(b.t.Context())
	var out watched
	over := make(chan int, 1)
	go func() {
		over <- cli.Main(ctx, cli.Process{Args: []string{"serve"}, Env: b.env, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &bytes.Buffer{}})
	}()
	out.until(b.t, "model ")
	return func() {
		cancel()
		if code := <-over; code != cli.ExitOK {
			b.t.Errorf("serve: exit %d", code)
		}
	}
}

// beside is a bench on another folder, with the master key of this one.
func (b *bench) beside() *bench {
	b.t.Helper()
	other := setup(b.t)
	key := filepath.Join(other.data, "master", "master.key")
	raw, err := os.ReadFile(filepath.Join(b.data, "master", "master.key"))
	if err == nil {
		err = os.MkdirAll(filepath.Dir(key), 0o700)
	}
	if err == nil {
		err = os.WriteFile(key, raw, 0o600)
	}
	if err != nil {
		b.t.Fatal(err)
	}
	return other
}

const (
	later = "+15550100143" // rings after the backup
	gone  = "+15550100144" // is erased after it
)

// P8: a backup is made while the server serves, data and keys apart, both sealed; the master key is in neither. Restored
// elsewhere, all of it is there; beside the keys of today, what was erased since stays erased, and who came since waits.
func TestABackupOfAServerThatServesIsRestored(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.must("replay", "testdata/plumber.txt", "--phone", gone)
	stop := b.serving()
	b.must("replay", "testdata/plumber.txt", "--phone", maria)
	data, keys := filepath.Join(t.TempDir(), "data"), filepath.Join(t.TempDir(), "keys")
	want(t, "backup", b.must("backup", data, "--keys", keys), "Both were opened: 1 tenant, 2 callers, 2 conversations", data, keys)
	b.must("replay", "testdata/plumber.txt", "--phone", later)
	b.must("erase", gone, "--yes")
	stop()
	b.sealed(data, keys)
	if r := b.run("backup", filepath.Join(b.data, "within")); r.code == cli.ExitOK || !strings.Contains(r.err, "lost with it") {
		t.Errorf("a backup within the data folder: exit %d, %q", r.code, r.err)
	}

	elsewhere := b.beside()
	want(t, "restore", elsewhere.must("restore", data, "--keys", keys), "1 tenant, 2 callers, 2 conversations")
	want(t, "the briefing", elsewhere.must("briefing", maria), "Maria Lopez")
	want(t, "doctor", elsewhere.must("doctor"), "ok    missing keys none")
	if r := elsewhere.run("restore", data, "--keys", keys); r.code != cli.ExitFailed || !strings.Contains(r.err, "move it away first") {
		t.Errorf("over data that is there: exit %d, %q", r.code, r.err)
	}

	for _, name := range []string{"recaller.db", "recaller.db-wal", "recaller.db-shm"} { // the data is lost, the keys are not
		if err := os.Remove(filepath.Join(b.data, name)); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
	}
	want(t, "restore beside today's keys", b.run("restore", data, "--keys", keys).err, "the key store that was there stays")
	want(t, "the briefing", b.must("briefing", maria), "Maria Lopez")
	if r := b.run("briefing", gone); strings.Contains(r.out, "Maria Lopez") {
		t.Errorf("who was erased is back:\n%s", r.out)
	}
}

// sealed wants nothing of the data, and no key, to be readable in a backup, and no rest of it in the data folder.
func (b *bench) sealed(dirs ...string) {
	b.t.Helper()
	master, err := os.ReadFile(filepath.Join(b.data, "master", "master.key"))
	if err != nil {
		b.t.Fatal(err)
	}
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			text, err := os.ReadFile(path)
			for _, word := range [][]byte{bytes.TrimSpace(master), []byte("Lopez"), []byte("SQLite format"), []byte("tenant"), []byte("rk_default")} {
				if bytes.Contains(text, word) {
					b.t.Errorf("%s holds %q", filepath.Base(path), word[:4])
				}
			}
			return err
		})
		if err != nil {
			b.t.Error(err)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(b.data, "backup-*")); len(left) > 0 {
		b.t.Errorf("left behind: %v", left)
	}
}

// A backup that is damaged, or under another master key, is refused before anything is put in its place.
func TestABackupThatDoesNotOpenIsNotRestored(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.must("replay", "testdata/plumber.txt", "--phone", maria, "--no-wrapup")
	dir := t.TempDir()
	b.must("backup", dir)
	other := setup(t)
	for what, env := range map[string]string{
		"the master key is not there": "MEMORY_ENCRYPTION_KEY=",
		"set the right key":           "MEMORY_ENCRYPTION_KEY=" + strings.Repeat("0a1b", 16),
	} {
		with := &bench{t: t, data: other.data, env: append(other.env[:len(other.env):len(other.env)], env)}
		if r := with.run("restore", dir); r.code != cli.ExitFailed || !strings.Contains(r.err, what) {
			t.Errorf("exit %d, %q; want it to say %q", r.code, r.err, what)
		}
	}
	other = b.beside()
	for _, pattern := range []string{"recaller-data-*", "recaller-keys-*"} {
		list, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil || len(list) != 1 {
			t.Fatal(list, err)
		}
		well, err := os.ReadFile(list[0])
		if err != nil {
			t.Fatal(err)
		}
		bad := bytes.Clone(well)
		bad[len(bad)/2] ^= 1
		for what, content := range map[string][]byte{"flipped": bad, "cut": well[:len(well)-100]} {
			if err := os.WriteFile(list[0], content, 0o600); err != nil {
				t.Fatal(err)
			}
			if r := other.run("restore", dir); r.code != cli.ExitFailed || !strings.Contains(r.err, "damaged or cut short") {
				t.Errorf("%s %s: exit %d, %q", pattern, what, r.code, r.err)
			}
		}
		if err := os.WriteFile(list[0], well, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"recaller.db", filepath.Join("keys", "keys.db")} {
		if _, err := os.Stat(filepath.Join(other.data, name)); !os.IsNotExist(err) {
			t.Errorf("%s was put in its place", name)
		}
	}
	other.must("restore", dir)
}

// Keys that are older than the data: who came since is quarantined until his key is put back from a newer backup.
func TestAMissingKeyIsPutBackFromABackup(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.must("replay", "testdata/plumber.txt", "--phone", maria, "--no-wrapup")
	old, newer := t.TempDir(), t.TempDir()
	b.must("backup", t.TempDir(), "--keys", old)
	b.must("replay", "testdata/plumber.txt", "--phone", later, "--no-wrapup")
	b.must("backup", newer)

	other := b.beside()
	other.must("restore", newer, "--keys", old)
	r := other.run("doctor")
	want(t, "doctor", r.out, "fail  missing keys caller ", "is quarantined", "recaller keys add")
	want(t, "who has a key", other.must("briefing", maria), "A returning caller")
	if r := other.run("keys", "add", old); r.code != cli.ExitFailed || !strings.Contains(r.err, "1 key not in this backup") {
		t.Errorf("from the old one: exit %d, %q", r.code, r.err)
	}
	want(t, "keys add", other.must("keys", "add", newer), "Put back: 1 key")
	want(t, "keys add again", other.must("keys", "add", newer), "No key is missing.")
	if r := other.run("keys", "add", filepath.Join(newer, "nowhere")); r.code != cli.ExitFailed || !strings.Contains(r.err, "there is no backup at") {
		t.Errorf("a backup that is not there: exit %d, %s", r.code, r.err)
	}
	want(t, "whose key is back", other.must("briefing", later), "A returning caller")
	want(t, "doctor", other.must("doctor"), "ok    missing keys none")
}
