package vault_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/vault"
	"github.com/recallerhq/recaller/internal/vault/keyfile"
	"github.com/recallerhq/recaller/internal/vault/vaulttest"
)

// fill seals one value for each of n callers and one for the tenant.
func fill(t *testing.T, v *vault.Vault, n int) map[vault.Scope][]byte {
	t.Helper()
	sealed := map[vault.Scope][]byte{tenant: seal(t, v, tenant, place, words)}
	for i := range n {
		scope := vault.Scope{Tenant: "t1", Caller: recaller.CallerID(fmt.Sprintf("c%05d", i))}
		sealed[scope] = seal(t, v, scope, place, words)
	}
	return sealed
}

func TestRotationIsCompleteAndCanBeRepeated(t *testing.T) {
	store := vaulttest.NewMemory()
	sealed := fill(t, vault.New(ring(t, keyA), store, vault.Options{}), 1200)

	v := vault.New(ring(t, keyB, keyA), store, vault.Options{})
	if err := v.Check(t.Context()); err != nil {
		t.Fatalf("both keys in the ring: %v", err)
	}
	var last, total int
	for range 2 {
		if err := v.Rotate(t.Context(), func(done, of int) {
			if done < last && last != total {
				t.Errorf("progress went back from %d to %d", last, done)
			}
			last, total = done, of
		}); err != nil {
			t.Fatal(err)
		}
		if last != 1201 || total != 1201 {
			t.Errorf("progress ended at %d of %d, want 1201 of 1201", last, total)
		}
	}
	alone := vault.New(ring(t, keyB), store, vault.Options{})
	if err := alone.Check(t.Context()); err != nil {
		t.Errorf("the new key alone: %v", err)
	}
	if under, err := alone.Census(t.Context()); err != nil || len(under) != 1 || under[alone.Current()] != 1201 {
		t.Errorf("census: got %v, %v; want all 1201 under %s", under, err, alone.Current())
	}
	for scope, value := range sealed {
		wantOpen(t, alone, scope, place, value, words)
	}
	if err := vault.New(ring(t, keyA), store, vault.Options{}).Check(t.Context()); !errors.Is(err, recaller.Unavailable) {
		t.Errorf("the old key alone: got %v, want unavailable", err)
	}
}

// A rotation that is stopped halfway leaves everything readable with both keys, says so to who has only one, and goes
// on when it is run again.
func TestRotationCanBeStoppedAndGoesOn(t *testing.T) {
	store := vaulttest.NewMemory()
	sealed := fill(t, vault.New(ring(t, keyA), store, vault.Options{}), 1700)

	ctx, stop := context.WithCancel(t.Context())
	v := vault.New(ring(t, keyB, keyA), store, vault.Options{})
	err := v.Rotate(ctx, func(done, _ int) {
		if done >= 1000 {
			stop()
		}
	})
	if !errors.Is(err, recaller.Timeout) || !errors.Is(err, context.Canceled) {
		t.Fatalf("stopped: got %v, want timeout by cancellation", err)
	}
	for _, key := range []string{keyA, keyB} {
		if err := vault.New(ring(t, key), store, vault.Options{}).Check(t.Context()); !errors.Is(err, recaller.Unavailable) {
			t.Errorf("one key alone, halfway: got %v, want unavailable", err)
		}
	}
	both := vault.New(ring(t, keyB, keyA), store, vault.Options{})
	for scope, value := range sealed {
		wantOpen(t, both, scope, place, value, words)
	}
	if err := both.Rotate(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	alone := vault.New(ring(t, keyB), store, vault.Options{})
	for scope, value := range sealed {
		wantOpen(t, alone, scope, place, value, words)
	}
}

// Two servers with both keys go on sealing, opening, creating and erasing while a third rotates, on a real file.
func TestRotationWhileOthersWork(t *testing.T) {
	store, err := keyfile.Open(filepath.Join(t.TempDir(), "keys.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	sealed := fill(t, vault.New(ring(t, keyA), store, vault.Options{}), 600)
	doomed := vault.Scope{Tenant: "t1", Caller: "c00300"}

	var stop atomic.Bool
	var made sync.Map
	var wg sync.WaitGroup
	for server := range 2 {
		v := vault.New(ring(t, keyB, keyA), store, vault.Options{CacheSize: 16})
		wg.Go(func() {
			for i := 0; !stop.Load(); i++ {
				scope := vault.Scope{Tenant: "t1", Caller: recaller.CallerID(fmt.Sprintf("new-%d-%d", server, i))}
				value, err := v.Seal(context.Background(), scope, place, words)
				if err != nil {
					t.Errorf("seal: %v", err)
					return
				}
				made.Store(scope, value)
				old := vault.Scope{Tenant: "t1", Caller: recaller.CallerID(fmt.Sprintf("c%05d", i%300))}
				if _, err := v.Open(context.Background(), old, place, sealed[old]); err != nil {
					t.Errorf("open: %v", err)
					return
				}
			}
		})
	}
	rotating := vault.New(ring(t, keyB, keyA), store, vault.Options{})
	destroyed := false
	err = rotating.Rotate(t.Context(), func(int, int) {
		if !destroyed {
			destroyed = true
			if _, err := rotating.Destroy(context.Background(), doomed); err != nil {
				t.Error(err)
			}
		}
	})
	stop.Store(true)
	wg.Wait()
	if err != nil {
		t.Fatal(err)
	}
	alone := vault.New(ring(t, keyB), store, vault.Options{})
	if _, err := alone.Open(t.Context(), doomed, place, sealed[doomed]); !errors.Is(err, recaller.NotFound) {
		t.Errorf("erased during the rotation: got %v, want not found", err)
	}
	delete(sealed, doomed)
	for scope, value := range sealed {
		wantOpen(t, alone, scope, place, value, words)
	}
	made.Range(func(scope, value any) bool {
		wantOpen(t, alone, scope.(vault.Scope), place, value.([]byte), words)
		return true
	})
}

func TestRotationNeedsEveryKey(t *testing.T) {
	store := vaulttest.NewMemory()
	fill(t, vault.New(ring(t, keyA), store, vault.Options{}), 3)
	if err := vault.New(ring(t, keyB), store, vault.Options{}).Rotate(t.Context(), nil); !errors.Is(err, recaller.Unavailable) {
		t.Errorf("without the previous key: got %v, want unavailable", err)
	}
}
