package keyfile_test

import (
	"path/filepath"
	"testing"

	"github.com/recallerhq/recaller/internal/vault/keyfile"
)

func TestANextMasterWaitsBesideTheOneInForce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "keys", "master.key")
	load := func(what string, f func() (string, error)) string {
		t.Helper()
		key, err := f()
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		return key
	}
	inForce := func() (string, error) { key, _, err := keyfile.LoadOrCreateMaster(path); return key, err }
	first := load("the first", inForce)
	if _, pending, err := keyfile.PendingMaster(path); pending || err != nil {
		t.Fatalf("before a rotation: got pending %v, %v", pending, err)
	}
	next := load("the next", func() (string, error) { return keyfile.NextMaster(path) })
	if next == first {
		t.Fatal("the next key is the one in force")
	}
	again := load("the next, again", func() (string, error) { return keyfile.NextMaster(path) })
	if again != next {
		t.Error("a rotation that goes on makes another key")
	}
	if key, pending, err := keyfile.PendingMaster(path); key != next || !pending || err != nil {
		t.Errorf("during a rotation: got pending %v, %v", pending, err)
	}
	if got := load("in force", inForce); got != first {
		t.Error("the key in force changed before its time")
	}
	if err := keyfile.PromoteMaster(path); err != nil {
		t.Fatal(err)
	}
	if got := load("in force", inForce); got != next {
		t.Error("the next key is not in force after its promotion")
	}
	if _, pending, _ := keyfile.PendingMaster(path); pending {
		t.Error("a key still waits after the promotion")
	}
	if err := keyfile.PromoteMaster(path); err == nil {
		t.Error("there was nothing to promote, and no error")
	}
}
