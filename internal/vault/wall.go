package vault

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"

	"github.com/recallerhq/recaller"
)

const (
	wallName  = "wall secret"
	wallSize  = 32
	printSize = 8
)

// WallSecret returns the secret by which a server proves to its database for whom a transaction is; nil: there is none
// yet, or it is damaged.
func (v *Vault) WallSecret(ctx context.Context) ([]byte, error) {
	values, err := v.store.Values(ctx)
	if err != nil {
		return nil, unavailable(err, "the key store could not be read")
	}
	return unwrapWall(v.ring.Load(), values[wallName])
}

// MakeWallSecret makes the secret, durably, unless there is one, and returns the one that is there. Servers that start
// at once agree on one.
func (v *Vault) MakeWallSecret(ctx context.Context) ([]byte, error) {
	v.wrapping.RLock()
	defer v.wrapping.RUnlock()
	ring := v.ring.Load()
	if err := v.ensureCheck(ctx, ring); err != nil {
		return nil, err
	}
	secret := make([]byte, wallSize)
	rand.Read(secret) // never fails (crypto/rand)
	fresh := wrapWall(ring, secret)
	blob, err := v.store.PutValue(ctx, wallName, fresh)
	if err != nil {
		return nil, unavailable(err, "the wall's secret could not be stored")
	}
	there, err := unwrapWall(ring, blob)
	if there != nil || err != nil {
		return there, err
	}
	replaced, err := v.store.ReplaceValue(ctx, wallName, blob, fresh)
	if err != nil {
		return nil, unavailable(err, "the wall's secret could not be stored")
	}
	if !replaced {
		return nil, recaller.Errorf(recaller.Unavailable, "another server is making the wall's secret: try again")
	}
	return secret, nil
}

func wrapWall(ring *Ring, secret []byte) []byte {
	return append(PrintOf(secret), ring.wrap(secret, wallName)...)
}

// unwrapWall opens a secret; nil: there is none, or it is damaged.
func unwrapWall(ring *Ring, blob []byte) ([]byte, error) {
	if len(blob) < printSize {
		return nil, nil
	}
	secret, err := ring.open(blob[printSize:], wallName)
	if recaller.KindOf(err) == recaller.Internal && err != nil {
		return nil, nil //nolint:nilerr // one that is damaged is as good as none
	}
	if err != nil || len(secret) != wallSize || !bytes.Equal(PrintOf(secret), blob[:printSize]) {
		return nil, err
	}
	return secret, nil
}

// PrintOf names a secret without telling it.
func PrintOf(secret []byte) []byte {
	sum := sha256.Sum256(append([]byte("recaller wall print\n"), secret...))
	return sum[:printSize]
}

// WallPrint returns the print of the secret that a key store has; nil: it has none. It needs no key-encryption key.
func WallPrint(ctx context.Context, store KeyStore) ([]byte, error) {
	values, err := store.Values(ctx)
	if err != nil {
		return nil, unavailable(err, "the key store could not be read")
	}
	if blob := values[wallName]; len(blob) > printSize {
		return blob[:printSize], nil
	}
	return nil, nil
}
