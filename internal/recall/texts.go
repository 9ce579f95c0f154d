package recall

import (
	"context"
	"slices"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/recall/index"
	"github.com/recallerhq/recaller/internal/recall/kind"
)

// This file is about texts of the kinds that are registered, those of callers and those of the tenant itself. The
// tenant's own texts have an index like a caller's, under the empty caller. Every recall of the tenant's callers ranks
// it beside theirs.

// Kind is a kind of texts: its row in the table of kinds, and where its texts come from. It is registered once, in
// Options.Kinds; Service.Kinds gives the table to whoever tells what was found.
type Kind struct {
	kind.Kind
	// Texts is required. It returns a caller's texts of the kind; of the empty caller, the tenant's own. They have every
	// write that was committed before the call. Recall owns the slice from then on. A write tells of itself by
	// Change.Texts.
	Texts func(ctx context.Context, t recaller.TenantID, c recaller.CallerID) ([]recaller.Text, error)
}

// House is what a Source can do if tenants have texts of their own. If a Source is not a House, none has.
type House interface {
	// HouseVersion returns the content version of a tenant's own texts of all kinds, by one cheap read; 0 if there were
	// never any. Each write of such a text raises it by one, and is told in a Change without a caller.
	HouseVersion(ctx context.Context, t recaller.TenantID) (int64, error)
}

// Kinds returns the kinds that the service knows. Whoever tells what was found tells it by them.
func (s *Service) Kinds() kind.Table { return s.table }

// asked returns the kinds that a query with these names asks for; none: all. It fails with Invalid for a name that no
// kind has.
func (s *Service) asked(names []recaller.HitKind) ([]recaller.HitKind, error) {
	for _, name := range names {
		if _, known := s.table.Of(name); !known {
			return nil, recaller.InvalidField("kinds", "must be among %s", s.table)
		}
	}
	named := func(k kind.Kind) bool { return k.Named }
	if len(names) > 0 || !slices.ContainsFunc(s.rows, named) {
		return names, nil
	}
	return s.table.Names(func(k kind.Kind) bool { return !named(k) }), nil
}

// texts reads a caller's texts of all kinds.
func (s *Service) texts(ctx context.Context, k key) ([]recaller.Text, error) {
	var all []recaller.Text
	for _, of := range s.kinds {
		some, err := of.Texts(ctx, k.tenant, k.caller)
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	return all, nil
}

// corpus reads all that an index is made of. Texts come last, so that none is older than the version.
func (s *Service) corpus(ctx context.Context, k key) (c recaller.Corpus, err error) {
	if k.house() {
		c.Version, err = s.house.HouseVersion(ctx, k.tenant)
	} else {
		c, err = s.src.Corpus(ctx, k.tenant, k.caller)
	}
	if err != nil {
		return c, err
	}
	c.Texts, err = s.texts(ctx, k)
	return c, err
}

// indexed makes an index of what was read.
func (s *Service) indexed(k key, c recaller.Corpus) *index.Index {
	if k.house() {
		return index.BuildHouse(c, s.weights, s.rows...)
	}
	return index.Build(c, s.weights, s.rows...)
}

// DegradedHouse is Result.Degraded if the tenant's own texts could not be read up to date.
const DegradedHouse = "the tenant's own texts unavailable"

// beside returns the entry of a tenant's own texts; nil if it has none. A caller's words are found without them: if
// they cannot be read, beside returns what there is of them, and why the result is degraded.
func (s *Service) beside(ctx context.Context, t recaller.TenantID) (e *entry, degraded string) {
	if s.house == nil {
		return nil, ""
	}
	k := key{tenant: t}
	version, err := s.house.HouseVersion(ctx, t)
	switch {
	case err != nil:
		if _, none := s.homeless.Load(t); none {
			return nil, ""
		}
		return s.cache.peek(k), DegradedHouse
	case version == 0:
		s.homeless.Store(t, true)
		return nil, ""
	}
	s.homeless.Delete(t)
	e = s.cache.get(k)
	for range maxBuilds {
		if e.behind(version) {
			s.await(ctx, e, version)
		}
		if !e.behind(version) {
			return e, ""
		}
		if s.build(ctx, e) != nil {
			break
		}
	}
	return e, DegradedHouse
}
