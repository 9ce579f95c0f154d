package keyfile_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/vault/keyfile"
)

func TestMasterIsMadeOnceAndKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "keys", "master.key")
	key, created, err := keyfile.LoadOrCreateMaster(path)
	if err != nil || !created || len(key) != 64 {
		t.Fatalf("first: %d digits, created %v, error %v", len(key), created, err)
	}
	again, created, err := keyfile.LoadOrCreateMaster(path, path)
	if err != nil || created || again != key {
		t.Errorf("second: same %v, created %v, error %v", again == key, created, err)
	}
	content, err := os.ReadFile(path)
	if err != nil || string(content) != key+"\n" {
		t.Errorf("the file does not hold the key and a newline (%d bytes, %v)", len(content), err)
	}
	for name, want := range map[string]os.FileMode{path: 0o600, filepath.Dir(path): 0o700} {
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != want {
			t.Errorf("mode of %s: got %v, %v; want %v", filepath.Base(name), info.Mode().Perm(), err, want)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".*")); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestManyWhoStartAtOnceGetOneMaster(t *testing.T) {
	path := filepath.Join(t.TempDir(), "keys", "master.key")
	keys := make([]string, 16)
	var makers sync.Map
	var wg sync.WaitGroup
	for i := range keys {
		wg.Go(func() {
			key, created, err := keyfile.LoadOrCreateMaster(path)
			if err != nil {
				t.Error(err)
			}
			if created {
				makers.Store(i, true)
			}
			keys[i] = key
		})
	}
	wg.Wait()
	count := 0
	makers.Range(func(any, any) bool { count++; return true })
	if count != 1 {
		t.Errorf("%d say that they made the key, want 1", count)
	}
	for i, key := range keys {
		if key != keys[0] {
			t.Errorf("starter %d has another key than starter 0", i)
		}
	}
}

func TestMasterIsRefused(t *testing.T) {
	good := strings.Repeat("0123456789abcdef", 4)
	for name, test := range map[string]struct {
		content string
		mode    os.FileMode
		says    string
	}{
		"readable by others": {good + "\n", 0o644, "chmod 600"},
		"readable by group":  {good + "\n", 0o640, "chmod 600"},
		"empty":              {"", 0o600, "64 hexadecimal digits"},
		"too short":          {good[:62] + "\n", 0o600, "64 hexadecimal digits"},
		"too long":           {good + "00\n", 0o600, "64 hexadecimal digits"},
		"not hexadecimal":    {strings.Repeat("xyz!", 16) + "\n", 0o600, "64 hexadecimal digits"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "master.key")
			if err := os.WriteFile(path, []byte(test.content), test.mode); err != nil {
				t.Fatal(err)
			}
			key, created, err := keyfile.LoadOrCreateMaster(path)
			if !errors.Is(err, recaller.Unavailable) || key != "" || created {
				t.Fatalf("got %v, created %v; want unavailable", err, created)
			}
			if !strings.Contains(err.Error(), test.says) {
				t.Errorf("got %q, want it to say %q", err, test.says)
			}
			if text := strings.TrimSpace(test.content); text != "" && strings.Contains(err.Error(), text) {
				t.Error("the error tells what the file holds")
			}
			if now, _ := os.ReadFile(path); string(now) != test.content {
				t.Error("the file was changed")
			}
		})
	}
}

func TestMissingMasterIsNotReplacedWhereDataNeedsIt(t *testing.T) {
	dir := t.TempDir()
	path, data := filepath.Join(dir, "keys", "master.key"), filepath.Join(dir, "recaller.db")
	if err := os.WriteFile(data, []byte("sealed"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, _, err := keyfile.LoadOrCreateMaster(path, filepath.Join(dir, "keys", "keys.db"), data)
	if !errors.Is(err, recaller.Unavailable) || !strings.Contains(err.Error(), "missing") {
		t.Errorf("got %v, want unavailable that says what is missing", err)
	}
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("a key file was made: %v", err)
	}
}

func TestMasterFolderOpenToOthersIsRefused(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "keys")
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	_, _, err := keyfile.LoadOrCreateMaster(filepath.Join(dir, "master.key"))
	if !errors.Is(err, recaller.Unavailable) || !strings.Contains(err.Error(), "cannot be made") {
		t.Errorf("got %v, want unavailable", err)
	}
}
