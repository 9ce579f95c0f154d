package vault

import (
	"bytes"
	"context"
	"strings"

	"github.com/recallerhq/recaller"
)

const (
	rotatePage   = 500
	rotatePasses = 8
)

// Rotate wraps every data key anew under the ring's current key-encryption key, and proves that each opens. It may run
// while others read and write, be cancelled, and be run again; what is done stays done. progress, if not nil, is told
// after every page. Only when all is done is the previous key no longer needed. Run it when every server has the new
// key as its current one: it fails with Conflict while one keeps wrapping under another.
func (v *Vault) Rotate(ctx context.Context, progress func(done, total int)) error {
	if err := v.prove(ctx); err != nil {
		return err
	}
	if progress == nil {
		progress = func(int, int) {}
	}
	total, err := v.store.CountKeys(ctx)
	if err != nil {
		return unavailable(err, "the keys could not be counted")
	}
	// The last pass finds nothing to do; by that it has opened every key as it now is.
	for range rotatePasses {
		stale, err := v.rotateKeys(ctx, total, progress)
		if err != nil {
			return err
		}
		progress = func(int, int) {}
		if stale == 0 {
			return v.rotateValues(ctx)
		}
	}
	return recaller.Errorf(recaller.Conflict, "keys are still being wrapped under an older key: give every server the new MEMORY_ENCRYPTION_KEY, then rotate again")
}

// rotateKeys is one pass over all data keys; it returns how many were not under the current key.
func (v *Vault) rotateKeys(ctx context.Context, total int, progress func(done, total int)) (stale int, err error) {
	var after Scope
	for done := 0; ; {
		if err := ctx.Err(); err != nil {
			return stale, recaller.Wrap(recaller.Timeout, err, "the rotation was stopped; run it again to go on")
		}
		page, err := v.store.Keys(ctx, after, rotatePage)
		if err != nil {
			return stale, unavailable(err, "the keys could not be listed")
		}
		n, err := v.rotatePage(ctx, page)
		if err != nil {
			return stale, err
		}
		stale += n
		done += len(page)
		progress(done, max(done, total))
		if len(page) < rotatePage {
			return stale, nil
		}
		after = page[len(page)-1].Scope
	}
}

// rotatePage rewraps what is stale in one page, in one commit. A key that is destroyed meanwhile stays destroyed: it no
// longer is what it was, so the store leaves it alone.
func (v *Vault) rotatePage(ctx context.Context, page []StoredKey) (stale int, err error) {
	ring := v.ring.Load()
	var changes []Rewrap
	for _, k := range page {
		secret, err := ring.unwrap(k)
		if err != nil {
			return 0, err
		}
		if !ring.stale(k.Wrapped) {
			continue
		}
		anew := ring.wrapKey(k.Scope, k.Fingerprint, secret)
		if back, err := ring.unwrap(anew); err != nil || !bytes.Equal(back, secret) {
			return 0, recaller.Errorf(recaller.Internal, "a rewrapped key does not open; nothing was changed")
		}
		changes = append(changes, Rewrap{Scope: k.Scope, Old: k.Wrapped, New: anew.Wrapped})
	}
	if len(changes) == 0 {
		return 0, nil
	}
	if _, err := v.store.ReplaceKeys(ctx, changes); err != nil {
		return 0, unavailable(err, "the rewrapped keys could not be stored")
	}
	return len(changes), nil
}

// rotateValues rewraps the signing key and the wall's secret, and then drops the check values of keys that nothing needs
// any more.
func (v *Vault) rotateValues(ctx context.Context) error {
	ring := v.ring.Load()
	values, err := v.store.Values(ctx)
	if err != nil {
		return unavailable(err, "the key store could not be read")
	}
	if old := values[signingName]; old != nil && ring.stale(old) {
		seed, err := ring.open(old, signingName)
		if err != nil {
			return err
		}
		if _, err := v.store.ReplaceValue(ctx, signingName, old, ring.wrap(seed, signingName)); err != nil {
			return unavailable(err, "the signing key could not be stored")
		}
	}
	if err := v.rotateWall(ctx, ring, values[wallName]); err != nil {
		return err
	}
	for name, value := range values {
		if !strings.HasPrefix(name, checkPrefix) || name == checkPrefix+ring.Current() {
			continue
		}
		if _, err := v.store.ReplaceValue(ctx, name, value, nil); err != nil {
			return unavailable(err, "the key check could not be removed")
		}
	}
	return nil
}

func (v *Vault) rotateWall(ctx context.Context, ring *Ring, old []byte) error {
	if len(old) < printSize || !ring.stale(old[printSize:]) {
		return nil
	}
	secret, err := unwrapWall(ring, old)
	if secret == nil || err != nil {
		return err
	}
	if _, err := v.store.ReplaceValue(ctx, wallName, old, wrapWall(ring, secret)); err != nil {
		return unavailable(err, "the wall's secret could not be stored")
	}
	return nil
}
