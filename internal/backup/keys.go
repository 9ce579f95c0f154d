package backup

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"strings"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/vault"
	"github.com/recallerhq/recaller/internal/vault/keyfile"
	"github.com/recallerhq/recaller/internal/vault/keytable"
)

// AddKeys puts those keys back that are missing from a store and are in a backup of the keys: a file, the newest of a
// folder, or a key store on Postgres. It adds no key that does not open. It works in the data folder.
func AddKeys(
	ctx context.Context, data, from string, ring *vault.Ring, to vault.KeyStore, missing []recaller.KeyMissing,
) (err error) {
	if strings.HasPrefix(from, "postgres://") || strings.HasPrefix(from, "postgresql://") {
		keys, err := keytable.Open(ctx, from)
		if err != nil {
			return err
		}
		return errors.Join(addKeys(ctx, keys, ring, to, missing), keys.Close())
	}
	path, err := newest(from, keysPrefix)
	if err != nil {
		return err
	}
	tmp, leave, err := workspace(data)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, leave()) }()
	file := filepath.Join(tmp, keysName)
	if err := fromSealed(path, ring, kindKeys, func(r io.Reader) error { return writeFile(file, r) }); err != nil {
		return err
	}
	keys, err := keyfile.Open(file) //nolint:contextcheck // opening waits for nobody
	if err != nil {
		return err
	}
	return errors.Join(addKeys(ctx, keys, ring, to, missing), keys.Close())
}

func addKeys(
	ctx context.Context, from vault.KeyStore, ring *vault.Ring, to vault.KeyStore, missing []recaller.KeyMissing,
) error {
	v := vault.New(ring, to, vault.Options{})
	for _, m := range missing {
		scope := vault.Scope{Tenant: m.Tenant, Caller: m.Caller}
		key, found, err := from.Key(ctx, scope)
		if err != nil {
			return err
		}
		if !found {
			continue
		}
		if err := v.PutBack(ctx, key); err != nil {
			return err
		}
	}
	return nil
}
