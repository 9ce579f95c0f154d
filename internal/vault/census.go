package vault

import (
	"context"
	"encoding/hex"
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
