package store

import (
	"context"
	"strconv"

	"github.com/recallerhq/recaller"
)

// personaBody is what is sealed of a version of a persona.
type personaBody struct {
	Text  string `json:"text"`
	Label string `json:"label,omitempty"`
}

// insertPersona stores a version. One that is there stays as it is.
func (b box) insertPersona(ctx context.Context, tx Tx, tenant recaller.TenantID, p recaller.Persona) error {
	body, err := b.putBound("personas.body", strconv.Itoa(p.Version), binding{}.persona(p), personaBody{p.Text, p.Label})
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `INSERT INTO personas (tenant_id, version, created_at, body) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`,
		tenant, p.Version, micros(p.CreatedAt), body)
	return err
}

// Personas lists the versions of a tenant's persona, newest first. One that is damaged, or missing, is noted and left out.
func (s *Store) Personas(
	ctx context.Context, tenant recaller.TenantID, page recaller.Page,
) (list []recaller.Persona, following string, err error) {
	c, limit, err := after(page)
	if err != nil {
		return nil, "", err
	}
	below := 0 // the newest one
	if page.Cursor != "" {
		below = max(c.Version, 1)
	}
	list, left, err := s.personas(ctx, tenant, below, limit)
	if err == nil && left > 1 {
		following = cursor{Version: left}.String()
	}
	return list, following, err
}

// Persona returns a version of a tenant's persona.
func (s *Store) Persona(ctx context.Context, tenant recaller.TenantID, version int) (recaller.Persona, error) {
	if version < 1 {
		return recaller.Persona{}, noSuchPersona()
	}
	ctx, damage := recaller.WithDamage(ctx)
	list, _, err := s.personas(ctx, tenant, version+1, 1)
	switch {
	case err != nil:
		return recaller.Persona{}, err
	case damage.Count() > 0:
		return recaller.Persona{}, recaller.Wrap(recaller.Unavailable, personaAt(version), "version %d of the persona is damaged", version)
	case len(list) == 0 || list[0].Version != version:
		return recaller.Persona{}, noSuchPersona()
	}
	return list[0], nil
}

func noSuchPersona() error {
	return recaller.Errorf(recaller.NotFound, "there is no such version of the persona")
}

// personas reads versions from the one below a number downwards; 0: from the newest. left is the last one that it looked
// for.
func (s *Store) personas(
	ctx context.Context, tenant recaller.TenantID, below, most int,
) (list []recaller.Persona, left int, err error) {
	b, err := s.unseal(ctx, tenant, "")
	if err != nil {
		return nil, 0, notFound(err, "there is no such tenant")
	}
	var t recaller.Tenant
	found := map[int]sealedPersona{}
	err = s.WithTenant(ctx, tenant, Reading, func(tx Tx) error {
		if t, err = b.readTenant(ctx, tx, tenant); err != nil {
			return err
		}
		t = t.WithDefaults()
		if below == 0 || below > t.Personas {
			below = t.Personas + 1
		}
		left = max(below-most, 1)
		return tx.QueryAll(ctx, Query{
			SQL:  `SELECT version, created_at, body FROM personas WHERE tenant_id = $1 AND version >= $2 AND version < $3`,
			Args: []any{tenant, left, below},
			Row: func(scan func(...any) error) error {
				p, err := scanPersona(scan)
				found[p.Version] = p
				return err
			},
		})
	})
	if err != nil {
		return nil, 0, err
	}
	for version := below - 1; version >= left; version-- {
		p, err := b.openPersona(t, version, found)
		if err == nil {
			list = append(list, p)
		} else if err := b.leaveOut(err, personaAt(version)); err != nil {
			return nil, 0, err
		}
	}
	return list, left, nil
}

// sealedPersona is a version before the tenant's key opened it.
type sealedPersona struct {
	recaller.Persona
	body []byte
}

func scanPersona(scan func(...any) error) (p sealedPersona, err error) {
	var created int64
	err = scan(&p.Version, &created, &p.body)
	p.CreatedAt = fromMicros(created)
	return p, err
}

// openPersona opens a version. The first one of a tenant that has had one persona only is in its settings, and nowhere
// else.
func (b box) openPersona(t recaller.Tenant, version int, found map[int]sealedPersona) (recaller.Persona, error) {
	row, ok := found[version]
	p := row.Persona
	p.Active = version == t.Persona
	if !ok && version == 1 && t.Personas == 1 && p.Active {
		p.Version, p.Text, p.CreatedAt = 1, t.Profile.Personality, t.CreatedAt
		return p, nil
	}
	if !ok {
		return p, personaAt(version)
	}
	var body personaBody
	err := b.getBound("personas.body", strconv.Itoa(version), binding{}.persona(p), row.body, &body)
	p.Text, p.Label = body.Text, body.Label
	return p, err
}

func personaAt(version int) recaller.DamagedRow {
	return recaller.DamagedRow{Table: "personas", ID: strconv.Itoa(version)}
}

// examinePersonas opens all versions, and returns how many there are.
func (s *Store) examinePersonas(ctx context.Context, tenant recaller.TenantID) (n int, err error) {
	for below := 0; ; {
		list, left, err := s.personas(ctx, tenant, below, maxPage)
		if recaller.IsDamaged(err) {
			return n, nil // the settings are, which is noted
		}
		n += len(list)
		if err != nil || left <= 1 {
			return n, err
		}
		below = left
	}
}
