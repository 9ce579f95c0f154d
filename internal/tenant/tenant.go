// Package tenant is the use cases of tenants and their API keys: settings, creation, authentication (spec sections 2.1
// and 4). It keeps settings and known keys in memory for a moment, because every request needs them.
//
// It is not for the wall between tenants: that is the store's tenant door.
package tenant

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"strings"
	"sync"
	"time"

	"github.com/recallerhq/recaller"
)

// Store is what this package asks of the store.
type Store interface {
	Tenant(ctx context.Context, id recaller.TenantID) (recaller.Tenant, error)
	Tenants(ctx context.Context) ([]recaller.Tenant, error)
	// CreateTenant stores a tenant with its first key. A tenant that is there already is a Conflict.
	CreateTenant(ctx context.Context, t recaller.Tenant, k recaller.APIKey, hash []byte) error
	UpdateTenant(ctx context.Context, t recaller.Tenant) error

	CreateKey(ctx context.Context, k recaller.APIKey, hash []byte) error
	// KeyByHash finds a key that has not been deleted.
	KeyByHash(ctx context.Context, tenant recaller.TenantID, hash []byte) (recaller.APIKey, error)
	Keys(ctx context.Context, tenant recaller.TenantID) ([]recaller.APIKey, error)
	DeleteKey(ctx context.Context, tenant recaller.TenantID, id recaller.KeyID) error
}

// Deps are what a Service needs; all are required.
type Deps struct {
	Store Store
	Now   func() time.Time
	NewID func() string
}

// Service carries out the use cases. Safe for concurrent use.
type Service struct {
	Deps
	mu       sync.Mutex // guards the caches; never held over I/O
	settings map[recaller.TenantID]cached[recaller.Tenant]
	keys     map[[sha256.Size]byte]cached[recaller.APIKey]
}

type cached[T any] struct {
	value T
	until time.Time
}

// Caches live so long: the time in which a change made by another process may go unseen. Changes of this process are
// seen at once.
const cacheFor = 10 * time.Second

// maxCached bounds each cache; past it the cache starts anew.
const maxCached = 10000

// New returns a Service.
func New(deps Deps) *Service {
	s := &Service{Deps: deps}
	s.forget()
	return s
}

func (s *Service) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.settings = map[recaller.TenantID]cached[recaller.Tenant]{}
	s.keys = map[[sha256.Size]byte]cached[recaller.APIKey]{}
}

// Tenant returns a tenant's settings, defaults filled in.
func (s *Service) Tenant(ctx context.Context, id recaller.TenantID) (recaller.Tenant, error) {
	now := s.Now()
	s.mu.Lock()
	c, ok := s.settings[id]
	s.mu.Unlock()
	if ok && now.Before(c.until) {
		return c.value, nil
	}
	t, err := s.Store.Tenant(ctx, id)
	if err != nil {
		if ok && recaller.KindOf(err) != recaller.NotFound {
			return c.value, nil // the store is away: settings that were true a moment ago keep calls going
		}
		return t, err
	}
	t = t.WithDefaults()
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.settings) >= maxCached {
		s.settings = map[recaller.TenantID]cached[recaller.Tenant]{}
	}
	s.settings[id] = cached[recaller.Tenant]{t, now.Add(cacheFor)}
	return t, nil
}

// Known returns the settings of a tenant that are in memory, however old; it never waits.
func (s *Service) Known(id recaller.TenantID) (recaller.Tenant, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, ok := s.settings[id]
	return c.value, ok
}

// List returns every tenant, by age.
func (s *Service) List(ctx context.Context) ([]recaller.Tenant, error) {
	list, err := s.Store.Tenants(ctx)
	for i := range list {
		list[i] = list[i].WithDefaults()
	}
	return list, err
}

// Create makes a tenant with an agent key, which is returned and shown this once.
func (s *Service) Create(ctx context.Context, t recaller.Tenant) (recaller.Tenant, string, error) {
	if strings.TrimSpace(t.Name) == "" {
		return t, "", recaller.InvalidField("name", "must not be empty")
	}
	t.ID, t.CreatedAt = recaller.TenantID(s.NewID()), s.Now()
	t = t.WithDefaults()
	if err := validate(&t); err != nil {
		return t, "", err
	}
	key, secret := s.newKey(t.ID, recaller.ScopeAgent, "first key")
	err := s.Store.CreateTenant(ctx, t, key, hash(secret))
	return t, secret, err
}

// Ensure creates the tenant `default` with the bootstrap key if it is not there, or adds the key if it is new.
func (s *Service) Ensure(ctx context.Context, t recaller.Tenant, bootstrap string) error {
	defer s.forget()
	t.ID, t.CreatedAt = recaller.DefaultTenant, s.Now()
	t = t.WithDefaults()
	if err := validate(&t); err != nil {
		return err
	}
	key := recaller.APIKey{ID: recaller.KeyID(s.NewID()), Tenant: t.ID, Scope: recaller.ScopeAdmin, Label: "bootstrap", CreatedAt: s.Now()}
	err := s.Store.CreateTenant(ctx, t, key, hash(bootstrap))
	if recaller.KindOf(err) != recaller.Conflict {
		return err
	}
	if _, err := s.Store.KeyByHash(ctx, t.ID, hash(bootstrap)); recaller.KindOf(err) != recaller.NotFound || err == nil {
		return err
	}
	return s.Store.CreateKey(ctx, key, hash(bootstrap))
}

// Update changes a tenant's settings by a function on its present ones.
func (s *Service) Update(ctx context.Context, id recaller.TenantID, change func(*recaller.Tenant) error) (recaller.Tenant, error) {
	t, err := s.Store.Tenant(ctx, id)
	if err != nil {
		return t, err
	}
	t = t.WithDefaults()
	if err := change(&t); err != nil {
		return t, err
	}
	if err := validate(&t); err != nil {
		return t, err
	}
	defer s.forget()
	return t, s.Store.UpdateTenant(ctx, t)
}

// CreateKey makes a key of the tenant's; the secret is shown this once and stored only as a hash.
func (s *Service) CreateKey(ctx context.Context, tenant recaller.TenantID, scope recaller.Scope, label string) (recaller.APIKey, string, error) {
	if !scope.Valid() {
		return recaller.APIKey{}, "", recaller.InvalidField("scope", "must be admin, agent or read")
	}
	if len(label) > 200 {
		return recaller.APIKey{}, "", recaller.InvalidField("label", "must be at most 200 bytes")
	}
	key, secret := s.newKey(tenant, scope, label)
	return key, secret, s.Store.CreateKey(ctx, key, hash(secret))
}

// Keys lists a tenant's keys, without the secrets.
func (s *Service) Keys(ctx context.Context, tenant recaller.TenantID) ([]recaller.APIKey, error) {
	return s.Store.Keys(ctx, tenant)
}

// DeleteKey ends a key. This process refuses it at once, others within ten seconds.
func (s *Service) DeleteKey(ctx context.Context, tenant recaller.TenantID, id recaller.KeyID) error {
	defer s.forget()
	return s.Store.DeleteKey(ctx, tenant, id)
}

// Authenticate returns the key that a secret belongs to, or an Unauthenticated error.
func (s *Service) Authenticate(ctx context.Context, secret string) (recaller.APIKey, error) {
	if secret == "" {
		return recaller.APIKey{}, recaller.Errorf(recaller.Unauthenticated, "needs an API key: Authorization: Bearer KEY, or X-API-Key: KEY")
	}
	id, now := sha256.Sum256([]byte(secret)), s.Now()
	s.mu.Lock()
	c, ok := s.keys[id]
	s.mu.Unlock()
	if ok && now.Before(c.until) {
		return c.value, nil
	}
	k, err := s.Store.KeyByHash(ctx, tenantOf(secret), hash(secret))
	switch recaller.KindOf(err) {
	case recaller.NotFound:
		return k, recaller.Errorf(recaller.Unauthenticated, "the API key is not known")
	default:
		if err != nil && ok {
			return c.value, nil // the store is away: a key that was good a moment ago keeps calls going
		}
		if err != nil {
			return k, err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.keys) >= maxCached {
		s.keys = map[[sha256.Size]byte]cached[recaller.APIKey]{}
	}
	s.keys[id] = cached[recaller.APIKey]{k, now.Add(cacheFor)}
	return k, nil
}

// A key made here names its tenant, so that it is looked up inside the tenant's wall: rk_<tenant>_<secret>.
// Any other key is one that an operator chose, and belongs to the tenant `default`.
const keyPrefix = "rk_"

func (s *Service) newKey(tenant recaller.TenantID, scope recaller.Scope, label string) (recaller.APIKey, string) {
	k := recaller.APIKey{ID: recaller.KeyID(s.NewID()), Tenant: tenant, Scope: scope, Label: label, CreatedAt: s.Now()}
	return k, keyPrefix + string(tenant) + "_" + RandomSecret()
}

// RandomSecret returns 160 bits from the system's source of randomness, in lower-case letters and digits.
func RandomSecret() string {
	var b [20]byte
	_, _ = rand.Read(b[:]) // never fails (crypto/rand)
	return strings.ToLower(base32.StdEncoding.EncodeToString(b[:]))
}

func tenantOf(secret string) recaller.TenantID {
	rest, ok := strings.CutPrefix(secret, keyPrefix)
	if !ok {
		return recaller.DefaultTenant
	}
	tenant, _, ok := strings.Cut(rest, "_")
	if !ok || tenant == "" {
		return recaller.DefaultTenant
	}
	return recaller.TenantID(tenant)
}

// hash is what is stored of a key. A single SHA-256 is enough for secrets of 160 random bits; the bootstrap key is an
// operator's to choose well.
func hash(secret string) []byte {
	sum := sha256.Sum256([]byte("recaller api key\x00" + secret))
	return sum[:]
}
