package vault_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/vault"
	"github.com/recallerhq/recaller/internal/vault/vaulttest"
)

func TestDestroyedStaysDestroyed(t *testing.T) {
	store := vaulttest.NewMemory()
	v := vault.New(ring(t, keyA), store, vault.Options{})
	sealed := seal(t, v, ana, place, words)
	bob := vault.Scope{Tenant: "t1", Caller: "bob"}
	bobs := seal(t, v, bob, place, words)
	handle, err := v.Sealer(t.Context(), ana)
	if err != nil {
		t.Fatal(err)
	}
	fingerprint, err := v.Destroy(t.Context(), ana)
	if err != nil || len(fingerprint) != 16 {
		t.Fatalf("destroy: %q, %v; want 16 digits", fingerprint, err)
	}
	_, openErr := v.Open(t.Context(), ana, place, sealed)
	_, sealErr := v.Seal(t.Context(), ana, place, words)
	_, handleErr := handle.Open(place, sealed)
	_, otherErr := vault.New(ring(t, keyA), store, vault.Options{}).Open(t.Context(), ana, place, sealed)
	for what, err := range map[string]error{"open": openErr, "seal": sealErr, "old handle": handleErr, "another process": otherErr} {
		if !errors.Is(err, recaller.NotFound) {
			t.Errorf("%s: got %v, want not found", what, err)
		}
	}
	if again, err := v.Destroy(t.Context(), ana); again != fingerprint || err != nil {
		t.Errorf("destroyed again: %q, %v; want %q", again, err, fingerprint)
	}
	wantOpen(t, v, bob, place, bobs, words)

	never := vault.Scope{Tenant: "t1", Caller: "never sealed anything"}
	if f, err := v.Destroy(t.Context(), never); f != "" || err != nil {
		t.Errorf("destroy without a key: %q, %v; want nothing", f, err)
	}
	if _, err := v.Seal(t.Context(), never, place, words); !errors.Is(err, recaller.NotFound) {
		t.Errorf("a late writer: got %v, want not found", err)
	}
}

// Writers seal while the caller is erased: each either succeeded before, or learns that the caller is gone; and nothing
// that succeeded can be opened afterwards.
func TestDestroyRacesWithSeals(t *testing.T) {
	for round := range 50 {
		v := vault.New(ring(t, keyA), vaulttest.NewMemory(), vault.Options{CacheSize: 1 + round%3})
		scope := vault.Scope{Tenant: "t1", Caller: recaller.CallerID(fmt.Sprint("c", round))}
		var mu sync.Mutex
		var all [][]byte
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				for {
					sealed, err := v.Seal(t.Context(), scope, place, words)
					if errors.Is(err, recaller.NotFound) {
						return
					}
					if err != nil {
						t.Errorf("seal: %v", err)
						return
					}
					mu.Lock()
					all = append(all, sealed)
					mu.Unlock()
				}
			})
		}
		if _, err := v.Destroy(t.Context(), scope); err != nil {
			t.Fatal(err)
		}
		if _, err := v.Seal(t.Context(), scope, place, words); !errors.Is(err, recaller.NotFound) {
			t.Fatalf("after the destruction: got %v, want not found", err)
		}
		wg.Wait()
		for _, sealed := range all {
			if _, err := v.Open(t.Context(), scope, place, sealed); !errors.Is(err, recaller.NotFound) {
				t.Fatalf("open: got %v, want not found", err)
			}
		}
	}
}

// A reader that read the wrapped key just before its destruction must not put it back into memory just after.
func TestLateReaderBringsNoKeyBack(t *testing.T) {
	store := &slowStore{KeyStore: vaulttest.NewMemory()}
	v := vault.New(ring(t, keyA), store, vault.Options{})
	sealed := seal(t, vault.New(ring(t, keyA), store, vault.Options{}), ana, place, words)
	reading, goOn := make(chan struct{}), make(chan struct{})
	var once sync.Once
	store.afterKey = func() {
		once.Do(func() {
			close(reading)
			<-goOn
		})
	}
	result := make(chan error)
	go func() {
		_, err := v.Open(context.Background(), ana, place, sealed)
		result <- err
	}()
	<-reading
	if _, err := v.Destroy(t.Context(), ana); err != nil {
		t.Fatal(err)
	}
	close(goOn)
	if err := <-result; !errors.Is(err, recaller.NotFound) {
		t.Errorf("the late reader: got %v, want not found", err)
	}
	if _, err := v.Open(t.Context(), ana, place, sealed); !errors.Is(err, recaller.NotFound) {
		t.Errorf("the next reader: got %v, want not found", err)
	}
}
