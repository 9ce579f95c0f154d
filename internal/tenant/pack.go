package tenant

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/wrapup/label"
)

// maxPacks bounds a tenant's own keyword packs. Each has at most label.MaxPackBytes.
const maxPacks = 8

// PackInfo describes a keyword pack that a tenant may use.
type PackInfo struct {
	Name  string
	Own   bool // the tenant's own, in place of ours of that name, if there is one
	InUse bool // the tenant's settings name it
}

// PackList lists the keyword packs that a tenant may use: ours, then its own.
func (s *Service) PackList(ctx context.Context, tenant recaller.TenantID) ([]PackInfo, error) {
	t, err := s.Tenant(ctx, tenant)
	if err != nil {
		return nil, err
	}
	names := label.Builtin()
	for _, own := range t.OwnPacks {
		if !slices.Contains(names, own) {
			names = append(names, own)
		}
	}
	out := make([]PackInfo, len(names))
	for i, name := range names {
		out[i] = PackInfo{Name: name, Own: slices.Contains(t.OwnPacks, name), InUse: slices.Contains(t.Packs, name)}
	}
	return out, nil
}

// Pack returns a keyword pack as JSON: the tenant's own, else ours.
func (s *Service) Pack(ctx context.Context, tenant recaller.TenantID, name string) ([]byte, error) {
	t, err := s.Tenant(ctx, tenant)
	if err != nil {
		return nil, err
	}
	if slices.Contains(t.OwnPacks, name) {
		own, err := s.Store.Packs(ctx, tenant)
		if raw := own[name]; raw != nil || err != nil {
			return raw, err
		}
	}
	raw, ok := label.Source(name)
	if !ok {
		return nil, noSuchPack()
	}
	return raw, nil
}

// Packs returns the keyword packs of a tenant's settings, in their order (spec 2.5). A pack that is unknown, or that
// this version cannot read, is Invalid.
func (s *Service) Packs(ctx context.Context, t recaller.Tenant) ([]label.Pack, error) {
	if !slices.ContainsFunc(t.Packs, func(name string) bool { return slices.Contains(t.OwnPacks, name) }) {
		return label.Packs(t.Packs)
	}
	own, err := s.Store.Packs(ctx, t.ID)
	if err != nil {
		return nil, err
	}
	out := make([]label.Pack, 0, len(t.Packs))
	for _, name := range t.Packs {
		if raw := own[name]; raw != nil {
			p, err := label.ParsePack(raw)
			if err != nil {
				return nil, err
			}
			out = append(out, p)
			continue
		}
		if slices.Contains(t.OwnPacks, name) { // deleted since the settings were read
			s.settings.doubt(t.ID)
			return nil, recaller.Errorf(recaller.Unavailable, "the tenant's settings are changing")
		}
		ours, err := label.Packs([]string{name})
		if err != nil {
			return nil, err
		}
		out = append(out, ours...)
	}
	return out, nil
}

// PutPack makes or replaces a keyword pack of the tenant's own. It counts once the tenant's settings name it. It takes
// the place of ours of that name.
func (s *Service) PutPack(ctx context.Context, tenant recaller.TenantID, name string, raw []byte) error {
	p, err := label.ParsePack(raw)
	if err != nil {
		return err
	}
	if p.Name() != name {
		return recaller.InvalidField("name", "must be the name that the pack is stored under")
	}
	return s.changePacks(ctx, tenant, func(t *recaller.Tenant, own map[string]json.RawMessage) error {
		own[name] = raw
		if len(own) > maxPacks {
			return recaller.Errorf(recaller.Conflict,
				"a tenant has at most %d keyword packs of its own: delete one first", maxPacks)
		}
		return nil
	})
}

// DeletePack deletes a keyword pack of the tenant's own. A pack in use can be deleted only if one of ours has its name,
// which then takes its place.
func (s *Service) DeletePack(ctx context.Context, tenant recaller.TenantID, name string) error {
	return s.changePacks(ctx, tenant, func(t *recaller.Tenant, own map[string]json.RawMessage) error {
		if own[name] == nil {
			return noSuchPack()
		}
		if slices.Contains(t.Packs, name) && !slices.Contains(label.Builtin(), name) {
			return recaller.Errorf(recaller.Conflict, "the pack is in use: take it out of the tenant's packs first")
		}
		delete(own, name)
		return nil
	})
}

// changePacks changes a tenant's own keyword packs and the list of their names in one commit.
func (s *Service) changePacks(
	ctx context.Context, tenant recaller.TenantID, change func(*recaller.Tenant, map[string]json.RawMessage) error,
) error {
	var own map[string]json.RawMessage
	_, err := s.update(ctx, tenant, func(t *recaller.Tenant) error {
		stored, err := s.Store.Packs(ctx, tenant) // read after the settings: a change in between fails the write
		if err != nil {
			return err
		}
		if own = maps.Clone(stored); own == nil {
			own = map[string]json.RawMessage{}
		}
		if err := change(t, own); err != nil {
			return err
		}
		t.OwnPacks = slices.Sorted(maps.Keys(own))
		return nil
	}, func(ctx context.Context, _ recaller.Tenant, t *recaller.Tenant) error {
		return s.Store.PutPacks(ctx, *t, own)
	})
	return err
}

func noSuchPack() error { return recaller.Errorf(recaller.NotFound, "there is no such keyword pack") }
