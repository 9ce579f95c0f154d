package vault

import (
	"context"
	"encoding/hex"

	"github.com/recallerhq/recaller"
)

// Census counts the data keys that are not destroyed by the short id of the key-encryption key that wrapped them. It
// reads every key.
func (v *Vault) Census(ctx context.Context) (map[string]int, error) {
	under := map[string]int{}
	var after Scope
	for {
		page, err := v.store.Keys(ctx, after, rotatePage)
		if err != nil {
			return nil, unavailable(err, "the keys could not be listed")
		}
		for _, k := range page {
			if id, ok := wrappedBy(k.Wrapped); ok {
				under[hex.EncodeToString(id[:])]++
			}
		}
		if len(page) < rotatePage {
			return under, nil
		}
		after = page[len(page)-1].Scope
	}
}

// Current returns the short id of the key-encryption key that wraps.
func (v *Vault) Current() string { return v.ring.Load().Current() }

// PutBack stores a key that is missing, as a backup of the key store has it, wrapped by the current key-encryption key.
// It takes the place of one that is damaged, and of no other. A tombstone stays one: of a key that was destroyed since,
// and of one that is destroyed in the backup nothing is stored. It fails, and stores nothing, where the key does not
// open.
func (v *Vault) PutBack(ctx context.Context, key StoredKey) error {
	if key.Destroyed() {
		return nil
	}
	v.wrapping.RLock()
	defer v.wrapping.RUnlock()
	ring := v.ring.Load()
	secret, err := ring.unwrap(key)
	if err != nil {
		return err
	}
	if err := v.ensureCheck(ctx, ring); err != nil {
		return err
	}
	fresh := ring.wrapKey(key.Scope, key.Fingerprint, secret)
	has, err := v.store.PutKey(ctx, fresh)
	if err != nil || has.Destroyed() {
		return err
	}
	if _, err := ring.unwrap(has); recaller.KindOf(err) != recaller.Internal || err == nil {
		return err // it is there, or under another key-encryption key
	}
	_, err = v.store.ReplaceKeys(ctx, []Rewrap{{Scope: key.Scope, Old: has.Wrapped, New: fresh.Wrapped}})
	return err
}
