package backup

import (
	"os"
	"path/filepath"
	"testing"
)

// What somebody works in stays, whoever looks; what nobody works in goes, and nothing else does.
func TestOnlyWhatNobodyWorksInGoes(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "odd [name]")
	working, leave, err := workspace(data)
	if err != nil {
		t.Fatal(err)
	}
	dead := filepath.Join(data, workPrefix+"1")
	mine := filepath.Join(data, "backup-of-mine")
	for _, path := range []string{working, dead, mine} {
		for _, name := range []string{databaseName, keysName, filepath.Join(archiveName, "t", "c.rec")} {
			if err := os.MkdirAll(filepath.Dir(filepath.Join(path, name)), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(path, name), []byte("unsealed"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := os.Symlink(mine, filepath.Join(data, workPrefix+"2")); err != nil {
		t.Fatal(err)
	}
	wanted := func(when string, wantRemoved int, wantWorking bool, there, gone []string) {
		t.Helper()
		removed, busy, err := Discard(data)
		if err != nil || removed != wantRemoved || busy != wantWorking {
			t.Errorf("%s: got %d removed, working %v (%v), want %d, %v", when, removed, busy, err, wantRemoved, wantWorking)
		}
		for _, path := range there {
			if _, err := os.Stat(filepath.Join(path, databaseName)); err != nil {
				t.Errorf("%s: %v", when, err)
			}
		}
		for _, path := range gone {
			if _, err := os.Stat(path); !os.IsNotExist(err) {
				t.Errorf("%s: got %v, want it gone", when, err)
			}
		}
	}
	wanted("while somebody works", 1, true, []string{working, mine}, []string{dead})
	other, leaveOther, err := workspace(data) // another backup, at the same time
	if err != nil || other == working {
		t.Fatal(other, err)
	}
	wanted("while two work", 0, true, []string{working, mine}, nil)
	if err := leaveOther(); err != nil {
		t.Error(err)
	}
	if err := leave(); err != nil {
		t.Error(err)
	}
	wanted("when they are done", 0, false, []string{mine}, []string{working, other})
	if _, _, err := Discard(filepath.Join(data, "nowhere")); err != nil {
		t.Errorf("without a folder: %v", err)
	}
}

// A file that is being sealed is not swept by who seals another in the same folder; one that a killed run left is.
func TestFilesThatAreBeingSealedStay(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	dead := filepath.Join(dir, partialPrefix+"1")
	if err := os.WriteFile(dead, []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	one, release, err := partial(dir)
	if err != nil {
		t.Fatal(err)
	}
	two, releaseTwo, err := partial(dir)
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{one.Name(): true, two.Name(): true, dead: false} {
		if _, err := os.Stat(path); (err == nil) != want {
			t.Errorf("%s: got %v, want it there: %v", filepath.Base(path), err, want)
		}
	}
	for _, done := range []func() error{release, releaseTwo, one.Close, two.Close} {
		if err := done(); err != nil {
			t.Error(err)
		}
	}
}
