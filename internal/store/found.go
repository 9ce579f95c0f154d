package store

import (
	"context"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/memory/decide"
)

// knownKeys is what the rules must know of all memories of a caller. It is read before the transaction that stores what
// was found in a conversation: there is one writer, and opening a caller's two thousand memories would hold up every
// other write. The transaction only checks that the caller's content version is still the same.
type knownKeys struct {
	version int64
	keys    decide.Keys
}

func (s *Store) knownKeys(ctx context.Context, w memoryWrite) (k knownKeys, err error) {
	var active, gone []recaller.Memory
	err = s.OfCaller(ctx, w.tenant, w.caller, func(tx Tx) error {
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
