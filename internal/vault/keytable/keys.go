package keytable

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/vault"
)

const (
	// A plan is made for each key: one that fits all looks into 64 parts, and takes five times as long.
	enter = `SELECT set_config('recaller.tenant', $1, TRUE), set_config('recaller.door', $2, TRUE), set_config('plan_cache_mode', 'force_custom_plan', TRUE)`

	findKey = `SELECT fingerprint, destroyed, wrapped FROM recaller_keys.keys WHERE tenant = $1 AND caller = $2`
	// One plan fits all lists: to make it takes longer than to look.
	generic  = `SELECT set_config('plan_cache_mode', 'force_generic_plan', TRUE)`
	findKeys = `SELECT k.caller, k.fingerprint, k.destroyed, k.wrapped FROM unnest($2::text[]) w (caller)
		CROSS JOIN LATERAL (SELECT caller, fingerprint, destroyed, wrapped FROM recaller_keys.keys WHERE tenant = $1 AND caller = w.caller OFFSET 0) k`
	insertKey = `INSERT INTO recaller_keys.keys (tenant, caller, fingerprint, wrapped) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`
	// Not an update and then an insert: a key that is put at the same moment would slip between them.
	destroyKey = `WITH gone AS (
			INSERT INTO recaller_keys.keys (tenant, caller, fingerprint, destroyed, wrapped) VALUES ($1, $2, '', TRUE, '')
			ON CONFLICT (tenant, caller) DO UPDATE SET destroyed = TRUE, wrapped = '' WHERE NOT keys.destroyed
			RETURNING tableoid)
		INSERT INTO recaller_keys.traces (part, xid)
		SELECT c.relname, pg_current_xact_id() FROM gone JOIN pg_catalog.pg_class c ON c.oid = gone.tableoid`
	findTombstone = `SELECT k.fingerprint, c.relname, EXISTS (SELECT 1 FROM recaller_keys.traces t WHERE t.part = c.relname)
		FROM recaller_keys.keys k JOIN pg_catalog.pg_class c ON c.oid = k.tableoid WHERE k.tenant = $1 AND k.caller = $2`
	replaceKeys = `WITH done AS (
			UPDATE recaller_keys.keys k SET wrapped = w.new
			FROM unnest($1::text[], $2::text[], $3::bytea[], $4::bytea[]) AS w (tenant, caller, old, new)
			WHERE k.tenant = w.tenant AND k.caller = w.caller AND k.wrapped = w.old AND NOT k.destroyed
			RETURNING k.tableoid),
		marked AS (
			INSERT INTO recaller_keys.traces (part, xid)
			SELECT DISTINCT c.relname, pg_current_xact_id() FROM done JOIN pg_catalog.pg_class c ON c.oid = done.tableoid)
		SELECT count(*) FROM done`
	listKeys = `SELECT tenant, caller, fingerprint, wrapped FROM recaller_keys.keys
		WHERE (tenant, caller) > ($1, $2) AND NOT destroyed ORDER BY tenant, caller LIMIT $3`
	countKeys = `SELECT count(*) FROM recaller_keys.keys WHERE NOT destroyed`
)

const (
	cannotRead  = "the key store cannot be read"
	cannotWrite = "the key store cannot be written"
)

// Key returns the scope's key or its tombstone, in one round trip.
func (k *Keys) Key(ctx context.Context, scope vault.Scope) (key vault.StoredKey, found bool, err error) {
	err = k.repeat(ctx, door{tenant: scope.Tenant}, func(b *pgx.Batch) {
		queueFind(b, scope, &key, &found)
	})
	if err != nil {
		return vault.StoredKey{}, false, failure(err, cannotRead)
	}
	return key, found, nil
}

// CallerKeys returns the keys and tombstones of a tenant's callers, in one round trip.
func (k *Keys) CallerKeys(ctx context.Context, tenant recaller.TenantID, callers []recaller.CallerID) (list []vault.StoredKey, err error) {
	wanted := make([]string, len(callers))
	for i, c := range callers {
		wanted[i] = string(c)
	}
	err = k.repeat(ctx, door{tenant: tenant}, func(b *pgx.Batch) {
		b.Queue(generic)
		b.Queue(findKeys, string(tenant), wanted).Query(func(rows pgx.Rows) (err error) {
			list, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (key vault.StoredKey, err error) {
				var destroyed bool
				key.Scope.Tenant = tenant
				if err = row.Scan(&key.Scope.Caller, &key.Fingerprint, &destroyed, &key.Wrapped); destroyed {
					key.Wrapped = nil
				}
				return key, err
			})
			return err
		})
	})
	if err != nil {
		return nil, failure(err, cannotRead)
	}
	return list, nil
}

// PutKey stores a key unless there is one or a tombstone, and returns what is there, in one round trip.
func (k *Keys) PutKey(ctx context.Context, key vault.StoredKey) (winner vault.StoredKey, err error) {
	var found bool
	err = k.repeat(ctx, door{tenant: key.Scope.Tenant}, func(b *pgx.Batch) {
		b.Queue(insertKey, string(key.Scope.Tenant), string(key.Scope.Caller), key.Fingerprint, key.Wrapped)
		queueFind(b, key.Scope, &winner, &found)
	})
	if err == nil && !found {
		err = recaller.Errorf(recaller.Internal, "a key that was put is not there")
	}
	if err != nil {
		return vault.StoredKey{}, failure(err, cannotWrite)
	}
	return winner, nil
}

// DestroyKey puts a tombstone in place of the scope's key and writes its part of the table anew. Where that cannot be
// done at once it does not fail, because nothing finds the key any more: the package comment says what is left of it,
// where, and until when.
func (k *Keys) DestroyKey(ctx context.Context, scope vault.Scope) (vault.StoredKey, error) {
	tombstone := vault.StoredKey{Scope: scope}
	var part string
	var marked bool
	err := k.repeat(ctx, door{tenant: scope.Tenant}, func(b *pgx.Batch) {
		b.Queue(destroyKey, string(scope.Tenant), string(scope.Caller))
		b.Queue(findTombstone, string(scope.Tenant), string(scope.Caller)).QueryRow(func(row pgx.Row) error {
			return row.Scan(&tombstone.Fingerprint, &part, &marked)
		})
	})
	if err != nil {
		return vault.StoredKey{}, failure(err, cannotWrite)
	}
	if marked {
		k.clear(ctx, afterDestruction, part)
	}
	return tombstone, nil
}

// Keys lists the keys that are not destroyed, in order of tenant and caller.
func (k *Keys) Keys(ctx context.Context, after vault.Scope, limit int) (list []vault.StoredKey, err error) {
	err = k.repeat(ctx, door{system: true}, func(b *pgx.Batch) {
		b.Queue(listKeys, string(after.Tenant), string(after.Caller), limit).Query(func(rows pgx.Rows) (err error) {
			list, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (key vault.StoredKey, err error) {
				err = row.Scan(&key.Scope.Tenant, &key.Scope.Caller, &key.Fingerprint, &key.Wrapped)
				return key, err
			})
			return err
		})
	})
	if err != nil {
		return nil, failure(err, cannotRead)
	}
	return list, nil
}

// CountKeys counts the keys that are not destroyed.
func (k *Keys) CountKeys(ctx context.Context) (n int, err error) {
	err = k.repeat(ctx, door{system: true}, func(b *pgx.Batch) {
		b.Queue(countKeys).QueryRow(func(row pgx.Row) error { return row.Scan(&n) })
	})
	return n, failure(err, cannotRead)
}

// ReplaceKeys replaces, in one commit, those keys that still are what Old says. The former ones are left in the tables'
// files until the rotation's last step, a ReplaceValue, or the next start.
func (k *Keys) ReplaceKeys(ctx context.Context, changes []vault.Rewrap) (n int, err error) {
	tenants, callers := make([]string, len(changes)), make([]string, len(changes))
	olds, news := make([][]byte, len(changes)), make([][]byte, len(changes))
	for i, c := range changes {
		tenants[i], callers[i], olds[i], news[i] = string(c.Scope.Tenant), string(c.Scope.Caller), c.Old, c.New
	}
	err = k.run(ctx, door{system: true}, func(b *pgx.Batch) {
		b.Queue(replaceKeys, tenants, callers, olds, news).QueryRow(func(row pgx.Row) error { return row.Scan(&n) })
	})
	if err != nil {
		return 0, failure(err, cannotWrite)
	}
	return n, nil
}

// queueFind asks for one key.
func queueFind(b *pgx.Batch, scope vault.Scope, key *vault.StoredKey, found *bool) {
	b.Queue(findKey, string(scope.Tenant), string(scope.Caller)).QueryRow(func(row pgx.Row) error {
		var destroyed bool
		*key, *found = vault.StoredKey{Scope: scope}, false
		err := row.Scan(&key.Fingerprint, &destroyed, &key.Wrapped)
		if errors.Is(err, pgx.ErrNoRows) {
			*key = vault.StoredKey{}
			return nil
		}
		if destroyed {
			key.Wrapped = nil
		}
		*found = err == nil
		return err
	})
}
