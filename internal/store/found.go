package store

import (
	"context"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/memory/decide"
)

// knownKeys are what the rules have to know of all memories of a caller. It is read before the transaction that stores
// what was found in a conversation: there is one writer, and to open a caller's two thousand memories would hold up
// every other write. In the transaction it is enough to see that the caller's content is still the same version.
type knownKeys struct {
	version int64
	keys    decide.Keys
}

func (s *Store) knownKeys(ctx context.Context, w memoryWrite) (k knownKeys, err error) {
	var active, gone []recaller.Memory
	err = s.WithTenant(ctx, w.tenant, Reading, func(tx Tx) error {
		if k.version, err = contentVersion(ctx, tx, w.tenant, w.caller); err != nil {
			return err
		}
		return tx.QueryAll(ctx,
			w.box.activeQuery(w.tenant, w.caller, maxActive, &active), w.box.forgottenQuery(w.tenant, w.caller, &gone))
	})
	k.keys = decide.KeysOf(active, gone)
	return k, err
}

// current fails with errRaced where the caller's content changed since the keys were read.
func (k knownKeys) current(ctx context.Context, tx Tx, w memoryWrite) error {
	now, err := contentVersion(ctx, tx, w.tenant, w.caller)
	if err == nil && now != k.version {
		err = errRaced
	}
	return err
}
