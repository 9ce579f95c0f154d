package vault_test

import (
	"bytes"
	"sync"
	"testing"

	"github.com/recallerhq/recaller/internal/vault"
	"github.com/recallerhq/recaller/internal/vault/vaulttest"
)

// wallSecret is the secret that a store has; nil: none.
func wallSecret(t *testing.T, store vault.KeyStore, keys ...string) []byte {
	t.Helper()
	secret, err := vault.New(ring(t, keys[0], keys[1:]...), store, vault.Options{}).WallSecret(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return secret
}

func TestServersThatStartAtOnceAgreeOnTheWallsSecret(t *testing.T) {
	store := vaulttest.NewMemory()
	if got := wallSecret(t, store, keyA); got != nil {
		t.Errorf("got %d bytes before there is one, want none", len(got))
	}
	var wg sync.WaitGroup
	made := make([][]byte, 8)
	for i := range made {
		wg.Go(func() {
			made[i], _ = vault.New(ring(t, keyA), store, vault.Options{}).MakeWallSecret(t.Context())
		})
	}
	wg.Wait()
	for i, secret := range made {
		if len(secret) != 32 || !bytes.Equal(secret, made[0]) {
			t.Errorf("server %d has %d bytes of its own, want the 32 of the first", i, len(secret))
		}
	}
	print, err := vault.WallPrint(t.Context(), store)
	if err != nil || !bytes.Equal(print, vault.PrintOf(made[0])) {
		t.Errorf("its print is %x, %v; want %x", print, err, vault.PrintOf(made[0]))
	}
	if values, err := store.Values(t.Context()); err != nil || bytes.Contains(values["wall secret"], made[0]) {
		t.Errorf("the store has it unwrapped, or cannot be read: %v", err)
	}
}

func TestTheWallsSecretOutlivesARotation(t *testing.T) {
	store := vaulttest.NewMemory()
	before, err := vault.New(ring(t, keyA), store, vault.Options{}).MakeWallSecret(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := vault.New(ring(t, keyB, keyA), store, vault.Options{}).Rotate(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if got := wallSecret(t, store, keyB); !bytes.Equal(got, before) {
		t.Errorf("got %x under the new key, want what it was", got)
	}
}

func TestADamagedSecretOfTheWallIsMadeAnew(t *testing.T) {
	store := vaulttest.NewMemory()
	v := vault.New(ring(t, keyA), store, vault.Options{})
	if _, err := v.MakeWallSecret(t.Context()); err != nil {
		t.Fatal(err)
	}
	values, err := store.Values(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	blob := values["wall secret"]
	damaged := append(bytes.Clone(blob[:len(blob)-1]), blob[len(blob)-1]^1)
	if _, err := store.ReplaceValue(t.Context(), "wall secret", blob, damaged); err != nil {
		t.Fatal(err)
	}
	if got := wallSecret(t, store, keyA); got != nil {
		t.Error("a damaged secret opens")
	}
	anew, err := v.MakeWallSecret(t.Context())
	if err != nil || !bytes.Equal(anew, wallSecret(t, store, keyA)) {
		t.Errorf("it was not made anew: %v", err)
	}
}
