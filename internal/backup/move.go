package backup

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/config"
	"github.com/recallerhq/recaller/internal/store"
	"github.com/recallerhq/recaller/internal/store/postgres"
	"github.com/recallerhq/recaller/internal/store/sqlite"
	"github.com/recallerhq/recaller/internal/vault"
	"github.com/recallerhq/recaller/internal/vault/keyfile"
	"github.com/recallerhq/recaller/internal/vault/keytable"
)

// Moved says what a move copied.
type Moved struct {
	Rows        map[string]int64 // by table
	Keys        int
	Tombstones  int
	Quarantined []recaller.KeyMissing // whose keys were missing before
}

// Move copies an installation on SQLite, which nobody else may use meanwhile, into an empty one on Postgres, and proves
// the copy: every row is read back and compared, and the keys open it. The source stays as it is. A move that was cut
// short can be run again: the tenants come last, and until then the target counts as empty.
func Move(ctx context.Context, from Folder, ring *vault.Ring, to config.Databases) (out Moved, err error) {
	claim, err := postgres.Hold(ctx, to.Data.Reveal(), func(error) {})
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, claim.Release()) }()
	m := mover{path: from.Database}
	if m.from, err = sqlite.OpenReading(ctx, from.Database); err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, m.from.Close()) }()
	old, err := keyfile.Open(from.Keys) //nolint:contextcheck // opening waits for nobody
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, old.Close()) }()
	keys, err := keytable.Open(ctx, to.KeyStore().Reveal())
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, keys.Close()) }()
	if err := vault.New(ring, old, vault.Options{}).Check(ctx); err != nil {
		return out, err
	}
	target := vault.New(ring, keys, vault.Options{})
	if m.to, err = postgres.Open(ctx, to.Data.Reveal(), target, postgres.Options{Connections: 4, Patience: wholeTable}); err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, m.to.Close()) }()
	there, err := store.New(m.to, nil).TenantIDs(ctx)
	if err != nil {
		return out, err
	}
	if len(there) > 0 {
		return out, recaller.Errorf(recaller.Conflict, "the database has tenants already: move into an empty one")
	}
	if out.Keys, out.Tombstones, err = moveKeys(ctx, old, keys); err != nil {
		return out, err
	}
	if out.Rows, err = m.run(ctx); err != nil {
		return out, err
	}
	if err := m.to.Refresh(ctx); err != nil {
		return out, err
	}
	out.Quarantined, err = m.proveKeys(ctx, ring, old, keys)
	return out, err
}

// proveKeys proves that the keys open as much in the target as they did in the source.
func (m *mover) proveKeys(ctx context.Context, ring *vault.Ring, old, keys vault.KeyStore) ([]recaller.KeyMissing, error) {
	before, err := store.New(m.from, vault.New(ring, old, vault.Options{})).Quarantined(ctx)
	if err != nil {
		return nil, err
	}
	v := vault.New(ring, keys, vault.Options{})
	if err := v.Check(ctx); err != nil {
		return nil, err
	}
	s := store.New(m.to, v)
	if err := tenantsOpen(ctx, s); err != nil {
		return nil, err
	}
	after, err := s.Quarantined(ctx)
	if err == nil && !slices.Equal(before, after) {
		err = recaller.Errorf(recaller.Internal, "keys are missing in the target that are in the source")
	}
	return after, err
}

// moveKeys copies the wrapped keys as they are, the tombstones before.
func moveKeys(ctx context.Context, from *keyfile.File, to vault.KeyStore) (keys, tombstones int, err error) {
	values, err := from.Values(ctx)
	if err != nil {
		return 0, 0, err
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if _, err := to.PutValue(ctx, name, values[name]); err != nil {
			return 0, 0, err
		}
	}
	gone, err := from.Tombstones(ctx)
	if err != nil {
		return 0, 0, err
	}
	for _, k := range gone {
		if k.Fingerprint != "" { // it is kept with a tombstone, so there must have been a key
			k.Wrapped = make([]byte, 1)
			if _, err := to.PutKey(ctx, k); err != nil {
				return 0, 0, err
			}
		}
		if _, err := to.DestroyKey(ctx, k.Scope); err != nil {
			return 0, 0, err
		}
	}
	const page = 500
	for after := (vault.Scope{}); ; {
		list, err := from.Keys(ctx, after, page)
		if err != nil {
			return 0, 0, err
		}
		for _, k := range list {
			if _, err := to.PutKey(ctx, k); err != nil {
				return 0, 0, err
			}
		}
		if keys += len(list); len(list) < page {
			return keys, len(gone), nil
		}
		after = list[len(list)-1].Scope
	}
}
