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

// Check proves that the ring has every key-encryption key that the stored data keys need, and leaves a check value for
// the current one. Where a key is missing it fails with Unavailable and says which, by its id. It reads a handful of
// rows, however many keys there are.
func (v *Vault) Check(ctx context.Context) error {
	v.wrapping.RLock()
	defer v.wrapping.RUnlock()
	return v.proveRing(ctx, v.ring.Load())
}

// proveRing is Check of one ring. The lock wrapping is held.
func (v *Vault) proveRing(ctx context.Context, ring *Ring) error {
	// Twice, because two servers with different keys may start at once on an empty store: each then sees the other's value.
	for range 2 {
		fresh, err := v.check(ctx, ring)
		if err != nil {
			return err
		}
		if !fresh {
			v.checked.Store(true)
			return nil
		}
	}
	v.checked.Store(true)
	return nil
}

// check is one look; fresh tells that it had to put the current key's check value.
func (v *Vault) check(ctx context.Context, ring *Ring) (fresh bool, err error) {
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
	name := checkPrefix + ring.Current()
	if values[name] != nil {
		return false, nil
	}
	_, err = v.store.PutValue(ctx, name, ring.wrap([]byte(name), name))
	if err != nil {
		return false, unavailable(err, "the key check could not be stored")
	}
	return true, nil
}

// ensureCheck runs Check once before the first key is wrapped, so that a server with a wrong key adds nothing to data
// that it cannot read.
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
