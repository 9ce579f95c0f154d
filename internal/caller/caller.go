// Package caller holds the use cases of callers: finding them by an identity, listing them, and setting what an
// operator knows of them (spec P1, P12, section 4), merging and splitting them (B1). Conversations create callers, because they see them first; Introduce creates those
// of whom something is told before they ever rang.
//
// It does not normalise identities (identity) or erase callers (privacy).
package caller

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/identity"
)

// Store is what this package asks of the store.
type Store interface {
	Caller(ctx context.Context, tenant recaller.TenantID, id recaller.CallerID) (recaller.Caller, error)
	CallerByIdentity(ctx context.Context, tenant recaller.TenantID, id recaller.Identity) (recaller.Caller, error)
	Callers(
		ctx context.Context, tenant recaller.TenantID, page recaller.Page,
	) (list []recaller.Caller, next string, err error)
	// Introduce returns the caller with an identity, who is created if nobody has it.
	Introduce(ctx context.Context, tenant recaller.TenantID, in recaller.Introducing) (recaller.Caller, error)
	UpdateCaller(
		ctx context.Context, tenant recaller.TenantID, id recaller.CallerID, p recaller.CallerPatch,
	) (recaller.Caller, recaller.Change, error)
}

// Tenants returns the settings of a tenant, with the defaults filled in.
type Tenants interface {
	Tenant(ctx context.Context, id recaller.TenantID) (recaller.Tenant, error)
}

// Deps are what a Service needs; all are required.
type Deps struct {
	Store   Store
	Mover   Mover
	PINs    PINs
	Tenants Tenants
	Files   Files
	Live    Live
	Changed func(recaller.Change)
	// Anew is told of callers some of whose words went or came.
	Anew  func(recaller.TenantID, recaller.CallerID)
	Now   func() time.Time
	NewID func() string
}

// Service carries out the use cases. Safe for concurrent use.
type Service struct {
	Deps
	slots chan struct{} // of hashes that are made at once
}

// New returns a Service.
func New(deps Deps) *Service { return &Service{Deps: deps, slots: make(chan struct{}, pinsAtWork)} }

// Get returns a caller by id.
func (s *Service) Get(ctx context.Context, tenant recaller.TenantID, id recaller.CallerID) (recaller.Caller, error) {
	return s.Store.Caller(ctx, tenant, id)
}

// ByPhone returns the caller with a number, which it reads under the tenant's default region (spec 2.4). A withheld
// number is nobody's.
func (s *Service) ByPhone(ctx context.Context, tenantID recaller.TenantID, raw string) (recaller.Caller, error) {
	tenant, err := s.Tenants.Tenant(ctx, tenantID)
	if err != nil {
		return recaller.Caller{}, err
	}
	number, err := identity.Phone(raw, tenant.DefaultRegion)
	if errors.Is(err, identity.ErrWithheld) {
		return recaller.Caller{}, recaller.Wrap(recaller.NotFound, err, "nobody is known by a number that is withheld")
	}
	if err != nil {
		return recaller.Caller{}, err
	}
	return s.Store.CallerByIdentity(ctx, tenantID, recaller.Identity{Kind: recaller.IdentityPhone, Value: number})
}

// ByExternalID returns the caller with an id of the application's own.
func (s *Service) ByExternalID(ctx context.Context, tenant recaller.TenantID, raw string) (recaller.Caller, error) {
	id, err := identity.ExternalID(raw)
	if err != nil {
		return recaller.Caller{}, err
	}
	return s.Store.CallerByIdentity(ctx, tenant, recaller.Identity{Kind: recaller.IdentityExternal, Value: id})
}

// external marks a reference that is an id of the application's own.
const external = "ext:"

// Find returns the caller whom a reference means: a phone number in any spelling, "ext:" and an id of the application's
// own, or the id that a caller has here. What is none of these is nobody's: NotFound. But a text that begins with + or
// ext: can only be a number or an id, so the fault in it is told.
func (s *Service) Find(ctx context.Context, tenantID recaller.TenantID, ref string) (recaller.Caller, error) {
	ref = strings.TrimSpace(ref)
	if id, ok := strings.CutPrefix(ref, external); ok {
		return s.ByExternalID(ctx, tenantID, id)
	}
	c, err := s.ByPhone(ctx, tenantID, ref)
	if errors.Is(err, recaller.Invalid) && !strings.HasPrefix(ref, "+") {
		return s.Get(ctx, tenantID, recaller.CallerID(ref))
	}
	return c, err
}

// Introduce is Find, but makes a caller of a number, or of an id of the application's own, that nobody has yet.
func (s *Service) Introduce(ctx context.Context, tenantID recaller.TenantID, ref string) (recaller.Caller, error) {
	c, err := s.Find(ctx, tenantID, ref)
	if !errors.Is(err, recaller.NotFound) {
		return c, err
	}
	is, bad := s.Identity(ctx, tenantID, ref)
	if errors.Is(bad, identity.ErrWithheld) {
		return c, bad // to be told why: nobody can be made of it
	}
	if errors.Is(bad, recaller.Invalid) {
		return c, err
	}
	if bad != nil {
		return c, bad
	}
	return s.Store.Introduce(ctx, tenantID, recaller.Introducing{
		Identities: []recaller.Identity{is}, NewCaller: recaller.CallerID(s.NewID()), At: s.Now(),
	})
}

// Identity returns the identity that a reference of Find names, in its one spelling. Whether anybody has it is not asked.
// It fails with Invalid if the reference names none: then it may be the id that a caller has here.
func (s *Service) Identity(ctx context.Context, tenantID recaller.TenantID, ref string) (recaller.Identity, error) {
	ref = strings.TrimSpace(ref)
	if id, ok := strings.CutPrefix(ref, external); ok {
		value, err := identity.ExternalID(id)
		return recaller.Identity{Kind: recaller.IdentityExternal, Value: value}, err
	}
	tenant, err := s.Tenants.Tenant(ctx, tenantID)
	if err != nil {
		return recaller.Identity{}, err
	}
	value, err := identity.Phone(ref, tenant.DefaultRegion)
	return recaller.Identity{Kind: recaller.IdentityPhone, Value: value}, err
}

// List returns callers, last seen first, with the cursor of the next page.
func (s *Service) List(
	ctx context.Context, tenant recaller.TenantID, page recaller.Page,
) ([]recaller.Caller, string, error) {
	return s.Store.Callers(ctx, tenant, page)
}

// Update sets a caller's name or time zone. An empty name or zone clears it.
func (s *Service) Update(
	ctx context.Context, tenant recaller.TenantID, id recaller.CallerID, p recaller.CallerPatch,
) (recaller.Caller, error) {
	if err := validate(p); err != nil {
		return recaller.Caller{}, err
	}
	p.NameSource, p.At = recaller.NameSet, s.Now()
	c, change, err := s.Store.UpdateCaller(ctx, tenant, id, p)
	if err == nil {
		s.Changed(change)
	}
	return c, err
}

func validate(p recaller.CallerPatch) error {
	switch {
	case p.Name == nil && p.TimeZone == nil:
		return recaller.Errorf(recaller.Invalid, "needs at least one field to change")
	case p.Name == nil:
	default:
		if err := recaller.ValidName(*p.Name); err != nil {
			return err
		}
	}
	if p.TimeZone == nil || *p.TimeZone == "" {
		return nil
	}
	if _, err := time.LoadLocation(*p.TimeZone); err != nil || *p.TimeZone == "Local" {
		return recaller.InvalidField("time_zone", "must be an IANA time zone such as Europe/Berlin")
	}
	return nil
}
