package keyfile

import (
	"context"
	"database/sql"
	"errors"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/vault"
)

const (
	findKey    = `SELECT fingerprint, destroyed, wrapped FROM keys WHERE tenant = ? AND caller = ?`
	insertKey  = `INSERT INTO keys (tenant, caller, fingerprint, wrapped) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING`
	replaceKey = `UPDATE keys SET wrapped = ? WHERE tenant = ? AND caller = ? AND wrapped = ? AND destroyed = 0`
	destroyKey = `UPDATE keys SET destroyed = 1, wrapped = zeroblob(length(wrapped)) WHERE tenant = ? AND caller = ?`
	burnKey    = `INSERT INTO keys (tenant, caller, fingerprint, wrapped, destroyed) VALUES (?, ?, '', x'', 1) ON CONFLICT DO NOTHING`
	listKeys   = `SELECT tenant, caller, fingerprint, wrapped FROM keys
		WHERE (tenant, caller) > (?, ?) AND destroyed = 0 ORDER BY tenant, caller LIMIT ?`
	countKeys = `SELECT count(*) FROM keys WHERE destroyed = 0`

	findValue    = `SELECT value FROM named WHERE name = ?`
	insertValue  = `INSERT INTO named (name, value) VALUES (?, ?) ON CONFLICT DO NOTHING`
	replaceValue = `UPDATE named SET value = ? WHERE name = ? AND value = ?`
	removeValue  = `DELETE FROM named WHERE name = ? AND value = ?`
	listValues   = `SELECT name, value FROM named`
)

// statements are the writer's, prepared once on its connection.
type statements struct {
	find, insert, replace, destroy, burn              *sql.Stmt
	findValue, insertValue, replaceValue, removeValue *sql.Stmt
}

func prepareStatements(ctx context.Context, conn *sql.Conn) (s statements, err error) {
	for _, p := range []struct {
		stmt **sql.Stmt
		text string
	}{
		{&s.find, findKey},
		{&s.insert, insertKey},
		{&s.replace, replaceKey},
		{&s.destroy, destroyKey},
		{&s.burn, burnKey},
		{&s.findValue, findValue},
		{&s.insertValue, insertValue},
		{&s.replaceValue, replaceValue},
		{&s.removeValue, removeValue},
	} {
		if *p.stmt, err = conn.PrepareContext(ctx, p.text); err != nil { //nolint:sqlclosecheck // statements.close does
			return s, err
		}
	}
	return s, nil
}

func (s *statements) close() {
	for _, stmt := range []*sql.Stmt{s.find, s.insert, s.replace, s.destroy, s.burn, s.findValue, s.insertValue, s.replaceValue, s.removeValue} {
		_ = stmt.Close() // closing the file reports what matters
	}
}

// Key returns the scope's key or its tombstone. A read takes microseconds and is not interrupted by the context.
func (f *File) Key(ctx context.Context, scope vault.Scope) (vault.StoredKey, bool, error) {
	if err := ctx.Err(); err != nil {
		return vault.StoredKey{}, false, failure(err, "")
	}
	k, found, err := find(context.WithoutCancel(ctx), f.find, scope)
	if doubtful(err) {
		f.forget()
	}
	return k, found, failure(err, "the key store cannot be read")
}

// CallerKeys returns the keys and tombstones of a tenant's callers, one after the other: they are in this file.
func (f *File) CallerKeys(ctx context.Context, tenant recaller.TenantID, callers []recaller.CallerID) ([]vault.StoredKey, error) {
	list := make([]vault.StoredKey, 0, len(callers))
	for _, c := range callers {
		k, found, err := f.Key(ctx, vault.Scope{Tenant: tenant, Caller: c})
		if err != nil {
			return nil, err
		}
		if found {
			list = append(list, k)
		}
	}
	return list, nil
}

// PutKey stores a key unless there is one or a tombstone, and returns what is there once that is durable.
func (f *File) PutKey(ctx context.Context, key vault.StoredKey) (vault.StoredKey, error) {
	winner := key
	err := f.submit(ctx, &request{do: func(ctx context.Context, s *statements) error {
		n, err := affected(s.insert.ExecContext(ctx, string(key.Scope.Tenant), string(key.Scope.Caller), key.Fingerprint, key.Wrapped))
		if err != nil || n == 1 {
			return err
		}
		winner, _, err = find(ctx, s.find, key.Scope)
		return err
	}})
	if err != nil {
		return vault.StoredKey{}, err
	}
	return winner, nil
}

// DestroyKey overwrites the scope's key by zeros, leaves a tombstone, and empties the log, so that no file of the store
// holds the wrapped key any more.
func (f *File) DestroyKey(ctx context.Context, scope vault.Scope) (vault.StoredKey, error) {
	var tombstone vault.StoredKey
	err := f.submit(ctx, &request{scrub: true, do: func(ctx context.Context, s *statements) error {
		n, err := affected(s.destroy.ExecContext(ctx, string(scope.Tenant), string(scope.Caller)))
		if err != nil {
			return err
		}
		if n == 0 {
			if _, err := s.burn.ExecContext(ctx, string(scope.Tenant), string(scope.Caller)); err != nil {
				return err
			}
		}
		tombstone, _, err = find(ctx, s.find, scope)
		return err
	}})
	if err != nil {
		return vault.StoredKey{}, err
	}
	return tombstone, nil
}

// Keys lists the keys that are not destroyed, in order of tenant and caller.
func (f *File) Keys(ctx context.Context, after vault.Scope, limit int) ([]vault.StoredKey, error) {
	rows, err := f.read.QueryContext(ctx, listKeys, string(after.Tenant), string(after.Caller), limit)
	if err != nil {
		return nil, failure(err, "the key store cannot be read")
	}
	defer rows.Close()
	var list []vault.StoredKey
	for rows.Next() {
		var k vault.StoredKey
		if err := rows.Scan(&k.Scope.Tenant, &k.Scope.Caller, &k.Fingerprint, &k.Wrapped); err != nil {
			return nil, failure(err, "the key store cannot be read")
		}
		list = append(list, k)
	}
	return list, failure(rows.Err(), "the key store cannot be read")
}

// CountKeys counts the keys that are not destroyed.
func (f *File) CountKeys(ctx context.Context) (int, error) {
	var n int
	err := f.read.QueryRowContext(ctx, countKeys).Scan(&n)
	return n, failure(err, "the key store cannot be read")
}

// ReplaceKeys replaces, in one commit, those keys that still are what Old says.
func (f *File) ReplaceKeys(ctx context.Context, changes []vault.Rewrap) (int, error) {
	for _, c := range changes {
		if len(c.New) != len(c.Old) {
			return 0, recaller.Errorf(recaller.Internal, "a wrapped key can only be replaced by one of its length")
		}
	}
	replaced := 0
	err := f.submit(ctx, &request{do: func(ctx context.Context, s *statements) error {
		for _, c := range changes {
			n, err := affected(s.replace.ExecContext(ctx, c.New, string(c.Scope.Tenant), string(c.Scope.Caller), c.Old))
			if err != nil {
				return err
			}
			replaced += n
		}
		return nil
	}})
	if err != nil {
		return 0, err
	}
	return replaced, nil
}

// find reads one key with a statement of findKey.
func find(ctx context.Context, stmt *sql.Stmt, scope vault.Scope) (k vault.StoredKey, found bool, err error) {
	var destroyed bool
	k.Scope = scope
	err = stmt.QueryRowContext(ctx, string(scope.Tenant), string(scope.Caller)).Scan(&k.Fingerprint, &destroyed, &k.Wrapped)
	if errors.Is(err, sql.ErrNoRows) {
		return vault.StoredKey{}, false, nil
	}
	if err != nil {
		return vault.StoredKey{}, false, err
	}
	if destroyed {
		k.Wrapped = nil
	}
	return k, true, nil
}

func affected(result sql.Result, err error) (int, error) {
	if err != nil {
		return 0, err
	}
	n, err := result.RowsAffected()
	return int(n), err
}

// Tombstones lists what is left of the keys that were destroyed.
func (f *File) Tombstones(ctx context.Context) (list []vault.StoredKey, err error) {
	rows, err := f.read.QueryContext(ctx, `SELECT tenant, caller, fingerprint FROM keys WHERE destroyed = 1`)
	if err != nil {
		return nil, failure(err, "the key store cannot be read")
	}
	defer rows.Close()
	for rows.Next() {
		var k vault.StoredKey
		if err := rows.Scan(&k.Scope.Tenant, &k.Scope.Caller, &k.Fingerprint); err != nil {
			return nil, failure(err, "the key store cannot be read")
		}
		list = append(list, k)
	}
	return list, failure(rows.Err(), "the key store cannot be read")
}
