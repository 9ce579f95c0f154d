// Package tenant holds the use cases of tenants and their API keys: settings, creation, authentication (spec sections
// 2.1 and 4). It keeps settings and known keys in memory for a moment, because every request needs them.
//
// It is not the wall between tenants: that is the store's tenant door.
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
	Tenants(ctx context.Context, page recaller.Page) (list []recaller.Tenant, next string, err error)
	// TenantByNumber returns the tenant that a number in E.164 form belongs to.
	TenantByNumber(ctx context.Context, number string) (recaller.TenantID, error)
	// CreateTenant stores a tenant with its first key. Conflict if the tenant exists, or if a number belongs to
	// another.
	CreateTenant(ctx context.Context, t recaller.Tenant, k recaller.APIKey, hash []byte) error
	// UpdateTenant replaces the settings. Conflict if something stands against that; the error names the field. A
	// Conflict without a field means that the settings changed since t was read. Versions of the persona are stored with
	// them; those that are there stay as they are.
	UpdateTenant(ctx context.Context, t recaller.Tenant, made ...recaller.Persona) error
	// Personas lists the versions of the persona, newest first; Persona returns one.
	Personas(ctx context.Context, tenant recaller.TenantID, page recaller.Page) (list []recaller.Persona, next string, err error)
	Persona(ctx context.Context, tenant recaller.TenantID, version int) (recaller.Persona, error)
	// Packs returns the tenant's own keyword packs, by name. PutPacks is UpdateTenant together with all of them.
	Packs(ctx context.Context, tenant recaller.TenantID) (map[string]json.RawMessage, error)
	PutPacks(ctx context.Context, t recaller.Tenant, packs map[string]json.RawMessage) error

	CreateKey(ctx context.Context, k recaller.APIKey, hash []byte) error
	// KeyByHash finds a key that has not been deleted.
	KeyByHash(ctx context.Context, tenant recaller.TenantID, hash []byte) (recaller.APIKey, error)
	Keys(ctx context.Context, tenant recaller.TenantID) ([]recaller.APIKey, error)
	DeleteKey(ctx context.Context, tenant recaller.TenantID, id recaller.KeyID) error
	// RevokeKey replaces a key by another one with its hash.
	RevokeKey(ctx context.Context, tenant recaller.TenantID, id recaller.KeyID, revoked recaller.APIKey) error
	// Alias returns a name for whom an issuer knows as a subject: the same each time, and nobody can tell whom it stands for.
	Alias(ctx context.Context, tenant recaller.TenantID, issuer, subject string) (string, error)
}

// Deps are what a Service needs; all but Changed and what says so are required.
type Deps struct {
	Store   Store
	Now     func() time.Time
	NewID   func() string
	Changed func(recaller.TenantID) // told after this process has changed a tenant's settings
	// Reachable reports whether webhooks may have a host, as far as it shows; nil: every host. Who sends checks it again.
	Reachable func(host string) bool
	Issuers   Issuers // checks access tokens; nil: none is taken
	// Answers are those that calls can be answered with here; nil: all.
	Answers   []recaller.TelephoneAnswer
	NoEars    bool                 // no recogniser is configured, so forwarded calls cannot be listened to
	Mute      bool                 // the server can neither ring nor text of its own accord
	Replies   []recaller.TextReply // that texts can have here; nil: all
	NoAgent   bool                 // no language model is configured, so the built-in agent can answer nobody
	PublicURL string               // by which clients reach the server, without a slash at the end; empty: no access token is taken
}

// Service carries out the use cases. Safe for concurrent use.
type Service struct {
	Deps
	settings *cache[recaller.TenantID, recaller.Tenant]
	keys     *cache[[sha256.Size]byte, recaller.APIKey] // by a digest of the secret
	personas *cache[versionOf, recaller.Persona]
	numbers  *cache[string, recaller.TenantID] // by number
	ending   sync.Mutex                        // held over I/O, because who ends a key looks at the others
	updating sync.Mutex                        // held over I/O, because an update reads what it changes
}

// New returns a Service.
func New(deps Deps) *Service {
	return &Service{
		Deps: deps,
		settings: newCache[recaller.TenantID, recaller.Tenant](deps.Now,
			func(id recaller.TenantID) string { return string(id) }),
		keys: newCache[[sha256.Size]byte, recaller.APIKey](deps.Now,
			func(id [sha256.Size]byte) string { return string(id[:]) }),
		personas: newCache[versionOf, recaller.Persona](deps.Now, versionOf.String),
		numbers:  newCache[string, recaller.TenantID](deps.Now, func(number string) string { return number }),
	}
}

// Tenant returns a tenant's settings, with the defaults filled in. It sees the changes of this process at once, those
// of others within ten seconds. While the store is away, older settings serve.
func (s *Service) Tenant(ctx context.Context, id recaller.TenantID) (recaller.Tenant, error) {
	return s.settings.get(ctx, id, func(ctx context.Context) (recaller.Tenant, error) {
		t, err := s.Store.Tenant(ctx, id)
		return t.WithDefaults(), err
	})
}

// Known returns a tenant's settings in memory, however old. It never waits.
func (s *Service) Known(id recaller.TenantID) (recaller.Tenant, bool) { return s.settings.known(id) }

// List returns a page of the tenants, oldest first, and of these only those of an environment, unless that is empty: such
// a page may be short, or empty, though another follows.
func (s *Service) List(
	ctx context.Context, environment string, page recaller.Page,
) (list []recaller.Tenant, next string, err error) {
	list, next, err = s.Store.Tenants(ctx, page)
	for i := range list {
		list[i] = list[i].WithDefaults()
	}
	return slices.DeleteFunc(list, func(t recaller.Tenant) bool {
		return environment != "" && t.Environment != environment
	}), next, err
}

// Create makes a tenant with an admin key, which it returns. The key is shown this once.
func (s *Service) Create(ctx context.Context, t recaller.Tenant) (recaller.Tenant, string, error) {
	t.ID, t.CreatedAt, t.Numbers = recaller.TenantID(s.NewID()), s.Now(), slices.Clone(t.Numbers)
	t.Prompts, t.OwnPacks, t.Persona, t.Personas = maps.Clone(t.Prompts), nil, 0, 0
	t = t.WithDefaults()
	if err := validate(&t); err != nil {
		return t, "", err
	}
	if err := s.possible(&recaller.Tenant{}, &t); err != nil {
		return t, "", err
	}
	key, secret := s.newKey(t.ID, recaller.ScopeAdmin, "first key")
	if err := s.Store.CreateTenant(ctx, t, key, hash(secret)); err != nil {
		return t, "", err
	}
	return t, secret, nil
}

// maxRaces bounds how often an update is tried again because others came first.
const maxRaces = 20

// Update applies change to a tenant's settings. It does so again if another process changed them meanwhile. ID and age
// stay. This process sees the change at once.
func (s *Service) Update(
	ctx context.Context, id recaller.TenantID, change func(*recaller.Tenant) error,
) (recaller.Tenant, error) {
	return s.update(ctx, id, change, s.settle(""))
}

// update reads settings, changes them, and has them written; write gets those that were read too.
func (s *Service) update(
	ctx context.Context, id recaller.TenantID, change func(*recaller.Tenant) error,
	write func(ctx context.Context, old recaller.Tenant, t *recaller.Tenant) error,
) (t recaller.Tenant, err error) {
	s.updating.Lock()
	defer s.updating.Unlock()
	for range maxRaces {
		var old recaller.Tenant
		if old, t, err = s.changed(ctx, id, change); err != nil {
			return t, err
		}
		if err = write(ctx, old, &t); !raced(err) {
			break
		}
	}
	s.numbers.forget(func(number string, owner recaller.TenantID) bool {
		return owner == id || slices.Contains(t.Numbers, number)
	})
	if err != nil {
		s.settings.doubt(id) // the write may have happened
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
func (s *Service) changed(
	ctx context.Context, id recaller.TenantID, change func(*recaller.Tenant) error,
) (old, t recaller.Tenant, err error) {
	t, err = s.Store.Tenant(ctx, id)
	if err != nil {
		return old, t, err
	}
	t = t.WithDefaults()
	old = t
	if err := change(&t); err != nil {
		return old, t, err
	}
	t.ID, t.CreatedAt, t.Version = id, old.CreatedAt, old.Version
	t.Numbers, t.Prompts = slices.Clone(t.Numbers), maps.Clone(t.Prompts)
	if err := validate(&t); err != nil {
		return old, t, err
	}
	return old, t, s.possible(&old, &t)
}

// possible checks that the server can do what is chosen, if it is another than before.
func (s *Service) possible(old, t *recaller.Tenant) error {
	return errors.Join(s.answerable(old, t), s.audible(old, t), s.textable(old, t), s.chatted(old, t), s.reachable(old, t))
}

// raced reports whether a write failed because others came first.
func raced(err error) bool {
	var e *recaller.Error
	return errors.As(err, &e) && e.Kind == recaller.Conflict && e.Field == ""
}
