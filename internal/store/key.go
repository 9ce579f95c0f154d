package store

import (
	"context"
	"strconv"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/vault"
)

// CreateKey stores an API key by its hash.
func (s *Store) CreateKey(ctx context.Context, k recaller.APIKey, hash []byte) error {
	b, err := s.unseal(ctx, k.Tenant, "")
	if err != nil {
		return err
	}
	label, err := b.putBound("api_keys.label", string(k.ID), binding{}.key(k, hash), k.Label)
	if err != nil {
		return err
	}
	return s.WithTenant(ctx, k.Tenant, Writing, func(tx Tx) error { return insertKey(ctx, tx, k, hash, label) })
}

func insertKey(ctx context.Context, tx Tx, k recaller.APIKey, hash, label []byte) error {
	_, err := tx.Exec(ctx, `INSERT INTO api_keys (tenant_id, id, hash, scope, label, created_at)
		VALUES ($1, $2, $3, $4, $5, $6)`,
		k.Tenant, k.ID, hash, k.Scope, label, micros(k.CreatedAt))
	return err
}

const keyColumns = `id, hash, scope, label, created_at`

// KeyByHash finds a key that has not been deleted. A tenant that does not exist has none. A key whose row is not what was
// written is none.
func (s *Store) KeyByHash(ctx context.Context, tenant recaller.TenantID, hash []byte) (recaller.APIKey, error) {
	list, err := s.keys(ctx, tenant, `SELECT `+keyColumns+` FROM api_keys WHERE tenant_id = $1
		AND hash = $2`, tenant, hash)
	if err == nil && len(list) == 0 {
		err = recaller.Errorf(recaller.NotFound, "there is no such key")
	}
	if err != nil {
		return recaller.APIKey{}, err
	}
	return list[0], nil
}

// Keys lists a tenant's keys, oldest first.
func (s *Store) Keys(ctx context.Context, tenant recaller.TenantID) ([]recaller.APIKey, error) {
	return s.keys(ctx, tenant, `SELECT `+keyColumns+` FROM api_keys WHERE tenant_id = $1
		ORDER BY created_at, id`, tenant)
}

func (s *Store) keys(
	ctx context.Context, tenant recaller.TenantID, query string, args ...any,
) ([]recaller.APIKey, error) {
	var rows []sealedKey
	err := s.ask(ctx, tenant, "", Query{SQL: query, Args: args, Row: func(scan func(...any) error) error {
		k, err := scanKey(scan)
		k.Tenant = tenant
		rows = append(rows, k)
		return err
	}})
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	b, err := s.unseal(ctx, tenant, "")
	if err != nil {
		return nil, err
	}
	list := make([]recaller.APIKey, 0, len(rows))
	for _, k := range rows {
		err := s.openKey(ctx, b, &k)
		if err == nil {
			list = append(list, k.APIKey)
			continue
		}
		if err := b.leaveOut(err, recaller.DamagedRow{Table: "api_keys", ID: string(k.ID)}); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// openKey opens an API key. It fails with a DamagedRow for one that was deleted and is there again.
func (s *Store) openKey(ctx context.Context, b box, k *sealedKey) error {
	err := b.getBound("api_keys.label", string(k.ID), binding{}.key(k.APIKey, k.hash), k.label, &k.Label)
	if err != nil {
		return err
	}
	ended, err := s.vault.Ended(ctx, keyScope(k.APIKey))
	if err == nil && ended {
		err = damagedAt("api_keys", string(k.ID))
	}
	return err
}

// sealedKey is an API key's row before the tenant's key opened it.
type sealedKey struct {
	recaller.APIKey
	hash, label []byte
}

func scanKey(scan func(...any) error) (k sealedKey, err error) {
	var created int64
	err = scan(&k.ID, &k.hash, &k.Scope, &k.label, &created)
	k.CreatedAt = fromMicros(created)
	return k, err
}

// DeleteKey removes a key, for good: it leaves a tombstone with the keys of the data, so that nobody brings the row back.
func (s *Store) DeleteKey(ctx context.Context, tenant recaller.TenantID, id recaller.KeyID) error {
	if _, err := s.endKey(ctx, tenant, id); err != nil {
		return err
	}
	return s.WithTenant(ctx, tenant, Writing, func(tx Tx) error { return deleteKey(ctx, tx, tenant, id) })
}

// RevokeKey is DeleteKey, and keeps the key's hash with a revoked one in its place, so that the secret can never be a key
// again.
func (s *Store) RevokeKey(
	ctx context.Context, tenant recaller.TenantID, id recaller.KeyID, revoked recaller.APIKey,
) error {
	ended, err := s.endKey(ctx, tenant, id)
	if err != nil {
		return err
	}
	b, err := s.unseal(ctx, tenant, "")
	if err != nil {
		return err
	}
	label, err := b.putBound("api_keys.label", string(revoked.ID), binding{}.key(revoked, ended.hash), revoked.Label)
	if err != nil {
		return err
	}
	return s.WithTenant(ctx, tenant, Writing, func(tx Tx) error {
		if err := deleteKey(ctx, tx, tenant, id); err != nil {
			return err
		}
		return insertKey(ctx, tx, revoked, ended.hash, label)
	})
}

// endKey leaves the tombstone of a key, from which on it is none, whatever becomes of its row.
func (s *Store) endKey(ctx context.Context, tenant recaller.TenantID, id recaller.KeyID) (k sealedKey, err error) {
	err = s.WithTenant(ctx, tenant, Reading, func(tx Tx) (err error) {
		k, err = scanKey(func(dest ...any) error {
			return tx.QueryRow(ctx, `SELECT `+keyColumns+` FROM api_keys WHERE tenant_id = $1 AND id = $2`,
				[]any{tenant, id}, dest...)
		})
		return err
	})
	if err != nil {
		return k, notFound(err, "there is no such key")
	}
	k.Tenant = tenant
	_, err = s.vault.Destroy(ctx, keyScope(k.APIKey))
	return k, err
}

func deleteKey(ctx context.Context, tx Tx, tenant recaller.TenantID, id recaller.KeyID) error {
	n, err := tx.Exec(ctx, `DELETE FROM api_keys WHERE tenant_id = $1 AND id = $2`, tenant, id)
	if err == nil && n == 0 {
		return recaller.Errorf(recaller.NotFound, "there is no such key")
	}
	return err
}

// keyScope is where the tombstone of an API key is. One that is made later under the same id is another.
func keyScope(k recaller.APIKey) vault.Scope {
	caller := "api key " + string(k.ID) + " " + strconv.FormatInt(micros(k.CreatedAt), 10)
	return vault.Scope{Tenant: k.Tenant, Caller: recaller.CallerID(caller)}
}
