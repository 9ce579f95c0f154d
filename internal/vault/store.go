package vault

import (
	"context"

	"github.com/recallerhq/recaller"
)

// StoredKey is a wrapped data key as the key store holds it.
type StoredKey struct {
	Scope       Scope
	Fingerprint string // names the data key without telling it; kept after the key is destroyed
	Wrapped     []byte // nil once destroyed
}

// Destroyed reports whether only the tombstone of the key is left.
func (k StoredKey) Destroyed() bool { return len(k.Wrapped) == 0 }

// Rewrap replaces one wrapped key by the same key wrapped anew.
type Rewrap struct {
	Scope    Scope
	Old, New []byte
}

// KeyStore keeps wrapped data keys and a few small wrapped values. Every write is durable before it returns.
// Implementations are safe for concurrent use by many processes and pass vaulttest.Conform.
type KeyStore interface {
	// Key returns the scope's key or its tombstone, and whether there is either.
	Key(ctx context.Context, scope Scope) (key StoredKey, found bool, err error)
	// CallerKeys returns those keys and tombstones that callers of a tenant have, at most one for each, in no order.
	CallerKeys(ctx context.Context, tenant recaller.TenantID, callers []recaller.CallerID) ([]StoredKey, error)
	// PutKey stores a key unless the scope has one or a tombstone, and returns what the scope has afterwards.
	PutKey(ctx context.Context, key StoredKey) (StoredKey, error)
	// DestroyKey leaves a tombstone in place of the scope's key, and of the wrapped key no trace in any file of the store,
	// as far as the store can reach: an implementation says what it cannot. Where there was no key it leaves a tombstone
	// without a fingerprint. Repeating it changes nothing.
	DestroyKey(ctx context.Context, scope Scope) (tombstone StoredKey, err error)
	// Keys lists keys that are not destroyed, in order of tenant and caller, from the first one after the given scope;
	// fewer than limit means that there are no more.
	Keys(ctx context.Context, after Scope, limit int) ([]StoredKey, error)
	// CountKeys counts the keys that are not destroyed.
	CountKeys(ctx context.Context) (int, error)
	// ReplaceKeys replaces those keys that still are what Old says, all in one commit, and returns how many.
	ReplaceKeys(ctx context.Context, changes []Rewrap) (int, error)

	// Values returns all named values.
	Values(ctx context.Context) (map[string][]byte, error)
	// PutValue stores a named value unless there is one, and returns what is there afterwards.
	PutValue(ctx context.Context, name string, value []byte) ([]byte, error)
	// ReplaceValue replaces a named value if it still is old, and reports whether it did; a nil value removes it.
	ReplaceValue(ctx context.Context, name string, old, value []byte) (bool, error)
}
