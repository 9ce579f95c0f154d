// Package tenant is the use cases of tenants and their API keys: settings, creation, authentication (spec sections 2.1
// and 4). It keeps settings and known keys in memory for a moment, because every request needs them.
//
// It is not for the wall between tenants: that is the store's tenant door.
package tenant

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/recallerhq/recaller"
)

// Store is what this package asks of the store.
type Store interface {
	Tenant(ctx context.Context, id recaller.TenantID) (recaller.Tenant, error)
	Tenants(ctx context.Context) ([]recaller.Tenant, error)
	// TenantByNumber finds the tenant that a number in E.164 form belongs to.
	TenantByNumber(ctx context.Context, number string) (recaller.TenantID, error)
	// CreateTenant stores a tenant with its first key. A tenant that is there already is a Conflict, and so is a number
	// that belongs to another.
	CreateTenant(ctx context.Context, t recaller.Tenant, k recaller.APIKey, hash []byte) error
	// UpdateTenant replaces the settings. It fails with Conflict where something stands against that, whose field is
	// named; a Conflict without a field means that they changed since t was read.
	UpdateTenant(ctx context.Context, t recaller.Tenant) error
	// Packs returns the tables of a tenant's own keyword packs, by name; PutPacks is UpdateTenant, with all of them.
	Packs(ctx context.Context, tenant recaller.TenantID) (map[string]json.RawMessage, error)
	PutPacks(ctx context.Context, t recaller.Tenant, packs map[string]json.RawMessage) error

	CreateKey(ctx context.Context, k recaller.APIKey, hash []byte) error
	// KeyByHash finds a key that has not been deleted.
	KeyByHash(ctx context.Context, tenant recaller.TenantID, hash []byte) (recaller.APIKey, error)
	Keys(ctx context.Context, tenant recaller.TenantID) ([]recaller.APIKey, error)
	DeleteKey(ctx context.Context, tenant recaller.TenantID, id recaller.KeyID) error
}

// Deps are what a Service needs; all but Changed are required.
type Deps struct {
	Store   Store
	Now     func() time.Time
	NewID   func() string
	Changed func(recaller.TenantID) // told after this process has changed a tenant's settings
}

// Service carries out the use cases. Safe for concurrent use.
type Service struct {
	Deps
	settings *cache[recaller.TenantID, recaller.Tenant]
	keys     *cache[[sha256.Size]byte, recaller.APIKey] // by a digest of the secret
	numbers  *cache[string, recaller.TenantID]          // by number
	updating sync.Mutex                                 // held over I/O: an update reads what it changes
}

// New returns a Service.
func New(deps Deps) *Service {
	return &Service{
		Deps:     deps,
		settings: newCache[recaller.TenantID, recaller.Tenant](deps.Now, func(id recaller.TenantID) string { return string(id) }),
		keys:     newCache[[sha256.Size]byte, recaller.APIKey](deps.Now, func(id [sha256.Size]byte) string { return string(id[:]) }),
		numbers:  newCache[string, recaller.TenantID](deps.Now, func(number string) string { return number }),
	}
}

// Tenant returns a tenant's settings, defaults filled in. They are as this process last changed them; a change by
// another may go unseen for ten seconds. While the store is away, settings that were read before serve.
func (s *Service) Tenant(ctx context.Context, id recaller.TenantID) (recaller.Tenant, error) {
	return s.settings.get(ctx, id, func(ctx context.Context) (recaller.Tenant, error) {
		t, err := s.Store.Tenant(ctx, id)
		return t.WithDefaults(), err
	})
}

// Known returns the settings of a tenant that are in memory, however old; it never waits.
func (s *Service) Known(id recaller.TenantID) (recaller.Tenant, bool) { return s.settings.known(id) }

// List returns every tenant, by age.
func (s *Service) List(ctx context.Context) ([]recaller.Tenant, error) {
	list, err := s.Store.Tenants(ctx)
	for i := range list {
		list[i] = list[i].WithDefaults()
	}
	return list, err
}

// Create makes a tenant with an admin key of its own, which is returned and shown this once.
func (s *Service) Create(ctx context.Context, t recaller.Tenant) (recaller.Tenant, string, error) {
	t.ID, t.CreatedAt, t.Numbers = recaller.TenantID(s.NewID()), s.Now(), slices.Clone(t.Numbers)
	t.Prompts, t.OwnPacks = maps.Clone(t.Prompts), nil
	t = t.WithDefaults()
	if err := validate(&t); err != nil {
		return t, "", err
	}
	key, secret := s.newKey(t.ID, recaller.ScopeAdmin, "first key")
	if err := s.Store.CreateTenant(ctx, t, key, hash(secret)); err != nil {
		return t, "", err
	}
	return t, secret, nil
}

// maxRaces bounds how often an update is tried that others come before.
const maxRaces = 20

// Update changes a tenant's settings by a function on its present ones, which runs again where another process changed
// them meanwhile; id and age stay. This process sees the change at once.
func (s *Service) Update(ctx context.Context, id recaller.TenantID, change func(*recaller.Tenant) error) (recaller.Tenant, error) {
	return s.update(ctx, id, change, s.Store.UpdateTenant)
}

func (s *Service) update(
	ctx context.Context, id recaller.TenantID, change func(*recaller.Tenant) error, write func(context.Context, recaller.Tenant) error,
) (t recaller.Tenant, err error) {
	s.updating.Lock()
	defer s.updating.Unlock()
	for range maxRaces {
		if t, err = s.changed(ctx, id, change); err != nil {
			return t, err
		}
		if err = write(ctx, t); !raced(err) {
			break
		}
	}
	s.numbers.forget(func(number string, owner recaller.TenantID) bool {
		return owner == id || slices.Contains(t.Numbers, number)
	})
	if err != nil {
		s.settings.doubt(id) // it may have been carried out
		return t, err
	}
	t.Version++
	s.settings.set(id, t)
	if s.Changed != nil {
		s.Changed(id)
	}
	return t, nil
}

// changed reads a tenant and changes what was read.
func (s *Service) changed(ctx context.Context, id recaller.TenantID, change func(*recaller.Tenant) error) (recaller.Tenant, error) {
	t, err := s.Store.Tenant(ctx, id)
	if err != nil {
		return t, err
	}
	t = t.WithDefaults()
	created, version := t.CreatedAt, t.Version
	if err := change(&t); err != nil {
		return t, err
	}
	t.ID, t.CreatedAt, t.Version, t.Numbers, t.Prompts = id, created, version, slices.Clone(t.Numbers), maps.Clone(t.Prompts)
	return t, validate(&t)
}

// raced reports whether a write failed because others came before.
func raced(err error) bool {
	var e *recaller.Error
	return errors.As(err, &e) && e.Kind == recaller.Conflict && e.Field == ""
}
