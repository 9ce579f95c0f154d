package vault

import (
	"context"
	"encoding/hex"
	"maps"
	"slices"
	"strings"

	"github.com/recallerhq/recaller"
)

// checkPrefix begins the name of a check value; the id of the key-encryption key follows. There is one for every key
// that may have wrapped something in the store.
const checkPrefix = "check/"

// Check proves that the ring has every key-encryption key that the stored data keys need. Where one is missing it fails
// with Unavailable and says which, by its id. It reads a handful of rows, however many keys there are, and writes
// nothing: a key-encryption key gets its check value with the first thing that it wraps.
func (v *Vault) Check(ctx context.Context) error {
	v.wrapping.RLock()
	defer v.wrapping.RUnlock()
	there, err := v.opens(ctx, v.ring.Load())
	if there {
		v.checked.Store(true)
	}
	return err
}

// prove is Check, and leaves a check value for the current key.
func (v *Vault) prove(ctx context.Context) error {
	v.wrapping.RLock()
	defer v.wrapping.RUnlock()
	return v.proveRing(ctx, v.ring.Load())
}

// proveRing is prove of one ring. The lock wrapping is held.
func (v *Vault) proveRing(ctx context.Context, ring *Ring) error {
	name := checkPrefix + ring.Current()
	// Twice, because two servers with different keys may start at once on an empty store: each then sees the other's
	// value.
	for range 2 {
		there, err := v.opens(ctx, ring)
		if err != nil {
			return err
		}
		if there {
			break
		}
		if _, err := v.store.PutValue(ctx, name, ring.wrap([]byte(name), name)); err != nil {
			return unavailable(err, "the key check could not be stored")
		}
	}
	v.checked.Store(true)
	return nil
}

// opens is one look at the check values; there tells that the current key has its own.
func (v *Vault) opens(ctx context.Context, ring *Ring) (there bool, err error) {
	values, err := v.store.Values(ctx)
	if err != nil {
		return false, unavailable(err, "the key store could not be read")
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		id, ok := strings.CutPrefix(name, checkPrefix)
		if !ok {
			continue
		}
		if err := ring.opensCheck(id, values[name]); err != nil {
			return false, err
		}
	}
	return values[checkPrefix+ring.Current()] != nil, nil
}

// ensureCheck proves the ring once before the first key is wrapped, so that a server with a wrong key adds nothing to
// data that it cannot read.
func (v *Vault) ensureCheck(ctx context.Context, ring *Ring) error {
	if v.checked.Load() {
		return nil
	}
	return v.proveRing(ctx, ring)
}

// opensCheck proves that the ring has the key with this id.
func (r *Ring) opensCheck(id string, blob []byte) error {
	raw, err := hex.DecodeString(id)
	if err != nil || len(raw) != kekIDSize {
		return recaller.Errorf(recaller.Internal, "the key check is damaged")
	}
	if r.byID[[kekIDSize]byte(raw)] == nil {
		return r.lacks([kekIDSize]byte(raw))
	}
	name := checkPrefix + id
	secret, err := r.open(blob, name)
	if err != nil || string(secret) != name {
		return recaller.Errorf(recaller.Unavailable,
			"the key check of key %s does not open: MEMORY_ENCRYPTION_KEY is another key with the same id, or the key store is damaged", id)
	}
	return nil
}
