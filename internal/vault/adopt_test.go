package vault_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/vault"
	"github.com/recallerhq/recaller/internal/vault/vaulttest"
)

// One server takes a new key up and rotates, while callers come, speak and are erased.
func TestAServerRotatesWhileItServes(t *testing.T) {
	store := vaulttest.NewMemory()
	v := vault.New(ring(t, keyA), store, vault.Options{CacheSize: 16}) // few, so that keys are read anew all the time
	sealed := fill(t, v, 700)

	var group sync.WaitGroup
	stop := make(chan struct{})
	for worker := range 4 {
		group.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				fresh := vault.Scope{Tenant: "t1", Caller: recaller.CallerID(fmt.Sprintf("new-%d-%d", worker, i))}
				value, err := v.Seal(t.Context(), fresh, place, words)
				if err != nil {
					t.Errorf("seal for a new caller: %v", err)
					return
				}
				wantOpen(t, v, fresh, place, value, words)
				old := vault.Scope{Tenant: "t1", Caller: recaller.CallerID(fmt.Sprintf("c%05d", i%700))}
				wantOpen(t, v, old, place, sealed[old], words)
			}
		})
	}
	err := errors.Join(v.Adopt(t.Context(), ring(t, keyB, keyA)), v.Rotate(t.Context(), nil))
	close(stop)
	group.Wait()
	if err != nil {
		t.Fatal(err)
	}
	alone := vault.New(ring(t, keyB), store, vault.Options{})
	if err := alone.Check(t.Context()); err != nil {
		t.Errorf("the new key alone: %v", err)
	}
	keys, err := store.Keys(t.Context(), vault.Scope{}, 1_000_000)
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range keys {
		if _, err := alone.Opener(t.Context(), k.Scope); err != nil {
			t.Fatalf("the key of %s does not open under the new key: %v", k.Scope.Caller, err)
		}
	}
}

func TestARingThatLacksAKeyIsNotAdopted(t *testing.T) {
	store := vaulttest.NewMemory()
	v := vault.New(ring(t, keyA), store, vault.Options{})
	sealed := fill(t, v, 1)
	if err := v.Adopt(t.Context(), ring(t, keyB)); !errors.Is(err, recaller.Unavailable) {
		t.Fatalf("got %v, want unavailable", err)
	}
	wantOpen(t, v, tenant, place, sealed[tenant], words)
	if err := v.Check(t.Context()); err != nil {
		t.Errorf("the ring that it had: %v", err)
	}
}
