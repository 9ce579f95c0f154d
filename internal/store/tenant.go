package store

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"math"

	"github.com/recallerhq/recaller"
)

// Tenant returns a tenant's settings as they were stored.
func (s *Store) Tenant(ctx context.Context, id recaller.TenantID) (recaller.Tenant, error) {
	b, err := s.unseal(ctx, id, "")
	if err != nil {
		return recaller.Tenant{}, notFound(err, "there is no such tenant")
	}
	var t recaller.Tenant
	err = s.WithTenant(ctx, id, Reading, func(tx Tx) error {
		t, err = b.readTenant(ctx, tx, id)
		return err
	})
	return t, err
}

func (b box) readTenant(ctx context.Context, tx Tx, id recaller.TenantID) (t recaller.Tenant, err error) {
	if err := tx.QueryAll(ctx, b.tenantQuery(id, &t)); err != nil {
		return t, err
	}
	if t.ID == "" {
		return t, recaller.Errorf(recaller.NotFound, "there is no such tenant")
	}
	return t, nil
}

// tenantQuery reads a tenant into t, which is left without an id if there is none.
func (b box) tenantQuery(id recaller.TenantID, t *recaller.Tenant) Query {
	return Query{
		SQL: `SELECT created_at, version, body FROM tenants WHERE id = $1`, Args: []any{id},
		Row: func(scan func(...any) error) error {
			var created, version int64
			var body []byte
			if err := scan(&created, &version, &body); err != nil {
				return err
			}
			err := b.get("tenants.body", string(id), body, t)
			t.ID, t.CreatedAt, t.Version = id, fromMicros(created), version
			if err != nil && damaged(err) {
				b.note(err, tenantAt(id))
				err = recaller.Wrap(recaller.Unavailable, tenantAt(id),
					"the settings of tenant %s are damaged: its calls are not served until they are back from a backup", id)
			}
			return err
		},
	}
}

func tenantAt(id recaller.TenantID) recaller.DamagedRow {
	return recaller.DamagedRow{Table: "tenants", ID: string(id)}
}

// TenantIDs lists every tenant, by age.
func (s *Store) TenantIDs(ctx context.Context) ([]recaller.TenantID, error) {
	var ids []recaller.TenantID
	err := s.WithSystem(ctx, Reading, func(tx Tx) error {
		return each(ctx, tx, `SELECT id FROM tenants ORDER BY created_at, id`, nil, func(r Rows) error {
			var id recaller.TenantID
			if err := r.Scan(&id); err != nil {
				return err
			}
			ids = append(ids, id)
			return nil
		})
	})
	return ids, err
}

// Tenants returns a page of the tenants, oldest first. One that does not open is marked Unreadable.
func (s *Store) Tenants(ctx context.Context, p recaller.Page) (list []recaller.Tenant, following string, err error) {
	c, limit, err := after(p)
	if err != nil {
		return nil, "", err
	}
	if p.Cursor == "" {
		c.At = math.MinInt64
	}
	var page []cursor
	err = s.WithSystem(ctx, Reading, func(tx Tx) error {
		query := `SELECT id, created_at FROM tenants WHERE (created_at, id) > ($1, $2) ORDER BY created_at, id LIMIT ` + itoa(limit+1)
		return each(ctx, tx, query, []any{c.At, c.ID}, func(r Rows) error {
			var of cursor
			err := r.Scan(&of.ID, &of.At)
			page = append(page, of)
			return err
		})
	})
	if err != nil {
		return nil, "", err
	}
	page, following = next(page, limit, func(of cursor) cursor { return of })
	list = make([]recaller.Tenant, 0, len(page))
	for _, of := range page {
		id := recaller.TenantID(of.ID)
		t, err := s.Tenant(ctx, id)
		if recaller.IsKeyMissing(err) || recaller.IsDamaged(err) {
			t, err = recaller.Tenant{ID: id, Unreadable: true}, nil
		}
		if err != nil {
			return nil, "", err
		}
		list = append(list, t)
	}
	return list, following, nil
}

// CreateTenant stores a tenant with its first key. A tenant that is there already is a Conflict. So is a number that
// belongs to another tenant; that error names the field.
func (s *Store) CreateTenant(ctx context.Context, t recaller.Tenant, k recaller.APIKey, hash []byte) error {
	b, err := s.unseal(ctx, t.ID, "")
	if errors.Is(err, recaller.NotFound) {
		b, err = s.seal(ctx, t.ID, "")
	}
	if err != nil {
		return err
	}
	body, err := b.put("tenants.body", string(t.ID), t)
	if err != nil {
		return err
	}
	label, err := b.putBound("api_keys.label", string(k.ID), binding{}.key(k, hash), k.Label)
	if err != nil {
		return err
	}
	n, err := s.numbering(ctx, t.ID)
	if err != nil {
		return err
	}
	err = s.WithTenant(ctx, t.ID, Writing, func(tx Tx) error {
		_, err := tx.Exec(ctx, `INSERT INTO tenants (id, created_at, body, version) VALUES ($1, $2, $3, $4)`,
			t.ID, micros(t.CreatedAt), body, unindexed+1)
		if err != nil {
			return err
		}
		if err := n.move(ctx, tx, nil, leads(t)); err != nil {
			return err
		}
		return insertKey(ctx, tx, k, hash, label)
	})
	if errors.Is(err, errTaken) {
		return s.taken(ctx, n, leads(t))
	}
	return err
}

// UpdateTenant replaces a tenant's settings, and with them which numbers lead to it. It fails with Conflict if the
// settings changed since t was read (no field is named: read and change them again), if a number belongs to another
// tenant, and if the environment changes while there are callers. Versions of the persona are stored with them; those
// that are there stay as they are.
func (s *Store) UpdateTenant(ctx context.Context, t recaller.Tenant, made ...recaller.Persona) error {
	return s.changeTenant(ctx, t, func(b box, tx Tx) error {
		for _, p := range made {
			if err := b.insertPersona(ctx, tx, t.ID, p); err != nil {
				return err
			}
		}
		return nil
	})
}

// changeTenant writes a tenant's settings and runs more, in one commit.
func (s *Store) changeTenant(ctx context.Context, t recaller.Tenant, more func(box, Tx) error) error {
	b, err := s.unseal(ctx, t.ID, "")
	if err != nil {
		return err
	}
	body, err := b.put("tenants.body", string(t.ID), t)
	if err != nil {
		return err
	}
	n, err := s.numbering(ctx, t.ID)
	if err != nil {
		return err
	}
	err = s.WithTenant(ctx, t.ID, Writing, func(tx Tx) error {
		old, err := b.readTenant(ctx, tx, t.ID)
		if err != nil {
			return err
		}
		if old.WithDefaults().Environment != t.WithDefaults().Environment {
			if err := noCallers(ctx, tx, t.ID); err != nil {
				return err
			}
		}
		changed, err := tx.Exec(ctx, `UPDATE tenants SET body = $2, version = version + 1 WHERE id = $1
			AND version = $3`,
			t.ID, body, t.Version)
		if err != nil {
			return err
		}
		if changed == 0 {
			return recaller.Errorf(recaller.Conflict, "the settings were changed by another request meanwhile; try again")
		}
		if t.Version == unindexed {
			old.Numbers = nil
		}
		if err := n.move(ctx, tx, leads(old), leads(t)); err != nil {
			return err
		}
		return more(b, tx)
	})
	if errors.Is(err, errTaken) {
		return s.taken(ctx, n, leads(t))
	}
	return err
}

// noCallers fails with Conflict if the tenant has callers: trials must not become real, nor real callers trials.
func noCallers(ctx context.Context, tx Tx, tenant recaller.TenantID) error {
	var one int
	err := tx.QueryRow(ctx, `SELECT 1 FROM callers WHERE tenant_id = $1 AND id > '' ORDER BY id LIMIT 1`,
		[]any{tenant}, &one)
	switch {
	case err == nil:
		return &recaller.Error{
			Kind: recaller.Conflict, Field: "environment",
			Msg: "cannot change while the tenant has callers: trials and real callers are kept apart; make another tenant",
		}
	case recaller.KindOf(err) == recaller.NotFound:
		return nil
	}
	return err
}

// Packs returns the tables of a tenant's own keyword packs as JSON, by name.
func (s *Store) Packs(ctx context.Context, tenant recaller.TenantID) (map[string]json.RawMessage, error) {
	b, err := s.unseal(ctx, tenant, "")
	if err != nil {
		return nil, notFound(err, "there is no such tenant")
	}
	var sealed []byte
	err = s.WithTenant(ctx, tenant, Reading, func(tx Tx) error {
		return tx.QueryRow(ctx, `SELECT packs FROM tenants WHERE id = $1`, []any{tenant}, &sealed)
	})
	if err != nil || sealed == nil {
		return nil, notFound(err, "there is no such tenant")
	}
	var packs map[string]json.RawMessage
	if err := b.get("tenants.packs", string(tenant), sealed, &packs); err != nil {
		return nil, b.leaveOut(err, recaller.DamagedRow{Table: "tenants", ID: string(tenant) + ".packs"})
	}
	return packs, nil
}

// PutPacks is UpdateTenant, with all of the tenant's own keyword packs.
func (s *Store) PutPacks(ctx context.Context, t recaller.Tenant, packs map[string]json.RawMessage) error {
	return s.changeTenant(ctx, t, func(b box, tx Tx) error {
		sealed, err := b.put("tenants.packs", string(t.ID), packs)
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `UPDATE tenants SET packs = $2 WHERE id = $1`, t.ID, sealed)
		return err
	})
}

// notFound replaces the message of a NotFound error. Other errors stay.
func notFound(err error, msg string) error {
	if err != nil && recaller.KindOf(err) == recaller.NotFound {
		return recaller.Errorf(recaller.NotFound, "%s", msg)
	}
	return err
}

// tokenRecord names a record that is found by a blind token.
func tokenRecord(token []byte) string { return hex.EncodeToString(token) }
