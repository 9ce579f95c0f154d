package tenant

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/recallerhq/recaller"
)

// BootstrapKey is the id of the key that the operator configures (RECALLER_API_KEY, or the one in the data folder).
// There is one at a time, an admin key of the tenant `default`.
const BootstrapKey recaller.KeyID = "bootstrap"

// revoked is the scope of what is kept of a bootstrap key that was deleted: it allows nothing, and is shown to nobody.
const revoked recaller.Scope = "revoked"

const maxLabel = 200 // bytes

// Ensure creates the tenant `default` if it does not exist, and makes bootstrap its bootstrap key. A former bootstrap
// key stops working, because changing it is meant to shut it out. Keys made over the API stay. A bootstrap key that was
// deleted over the API stays deleted: Ensure then makes none, and fails with Forbidden, after which all else works.
func (s *Service) Ensure(ctx context.Context, t recaller.Tenant, bootstrap string) error {
	defer s.keys.forget(func([sha256.Size]byte, recaller.APIKey) bool { return true })
	if tenantOf(bootstrap) != recaller.DefaultTenant {
		return recaller.InvalidField("RECALLER_API_KEY", "must not begin with %s, unless it is a key of the tenant %s",
			keyPrefix, recaller.DefaultTenant)
	}
	t.ID, t.CreatedAt = recaller.DefaultTenant, s.Now()
	t = t.WithDefaults()
	if err := validate(&t); err != nil {
		return err
	}
	key := recaller.APIKey{
		ID: BootstrapKey, Tenant: t.ID, Scope: recaller.ScopeAdmin, Label: "bootstrap", CreatedAt: s.Now(),
	}
	err := s.Store.CreateTenant(ctx, t, key, hash(bootstrap))
	if !errors.Is(err, recaller.Conflict) {
		return err
	}
	found, err := s.Store.KeyByHash(ctx, t.ID, hash(bootstrap))
	switch {
	case err == nil && found.ID == BootstrapKey:
		return nil
	case err == nil && found.Scope == revoked:
		return recaller.Errorf(recaller.Forbidden, "the bootstrap key was deleted over the API")
	case err == nil && found.Scope != recaller.ScopeAdmin:
		return recaller.Errorf(recaller.Conflict,
			"RECALLER_API_KEY is a key that was made with the scope %s: choose another", found.Scope)
	case err != nil && !errors.Is(err, recaller.NotFound):
		return err
	}
	if err := s.Store.DeleteKey(ctx, t.ID, BootstrapKey); err != nil && !errors.Is(err, recaller.NotFound) {
		return err
	}
	if found.ID != "" { // an admin key made over the API serves as well
		return nil
	}
	err = s.Store.CreateKey(ctx, key, hash(bootstrap))
	if errors.Is(err, recaller.Conflict) { // a row has its hash that cannot be read: nobody is let in by it
		return recaller.Errorf(recaller.Forbidden, "the row of the bootstrap key is damaged")
	}
	return err
}

// CreateKey makes a key of the tenant's. It returns the secret, which is shown this once, and stored only as a hash.
func (s *Service) CreateKey(
	ctx context.Context, tenant recaller.TenantID, scope recaller.Scope, label string,
) (recaller.APIKey, string, error) {
	switch {
	case !scope.Valid():
		return recaller.APIKey{}, "", recaller.InvalidField("scope", "must be admin, agent or read")
	case len(label) > maxLabel:
		return recaller.APIKey{}, "", recaller.InvalidField("label", "must be at most %d bytes", maxLabel)
	case !utf8.ValidString(label) || strings.ContainsFunc(label, unicode.IsControl):
		return recaller.APIKey{}, "", recaller.InvalidField("label", "must be UTF-8 without control characters")
	}
	key, secret := s.newKey(tenant, scope, label)
	if err := s.Store.CreateKey(ctx, key, hash(secret)); err != nil {
		return recaller.APIKey{}, "", err
	}
	return key, secret, nil
}

// Keys lists a tenant's keys, without the secrets.
func (s *Service) Keys(ctx context.Context, tenant recaller.TenantID) ([]recaller.APIKey, error) {
	all, err := s.Store.Keys(ctx, tenant)
	return slices.DeleteFunc(all, func(k recaller.APIKey) bool { return k.Scope == revoked }), err
}

// DeleteKey ends a key. This process refuses it at once, others within ten seconds. The bootstrap key does not come back
// at the next start. The last admin key of a tenant is refused as a Conflict: nobody could make another.
func (s *Service) DeleteKey(ctx context.Context, tenant recaller.TenantID, id recaller.KeyID) error {
	// Also after an error: the key may be gone although its proof failed.
	defer s.keys.forget(func(_ [sha256.Size]byte, k recaller.APIKey) bool { return k.Tenant == tenant && k.ID == id })
	s.ending.Lock() // else two admin keys end each other
	defer s.ending.Unlock()
	all, err := s.Keys(ctx, tenant)
	if err != nil {
		return err
	}
	last := !slices.ContainsFunc(all, func(k recaller.APIKey) bool { return k.ID != id && k.Scope == recaller.ScopeAdmin })
	if i := slices.IndexFunc(all, func(k recaller.APIKey) bool { return k.ID == id }); i >= 0 && last &&
		all[i].Scope == recaller.ScopeAdmin {
		return recaller.Errorf(recaller.Conflict, "it is the tenant's last admin key: make another one first")
	}
	if tenant == recaller.DefaultTenant && id == BootstrapKey {
		return s.Store.RevokeKey(ctx, tenant, id, recaller.APIKey{
			ID: recaller.KeyID("revoked_" + s.NewID()), Tenant: tenant, Scope: revoked, CreatedAt: s.Now(),
		})
	}
	return s.Store.DeleteKey(ctx, tenant, id)
}

// Authenticate returns the key that a secret belongs to, or fails with Unauthenticated.
func (s *Service) Authenticate(ctx context.Context, secret string) (recaller.APIKey, error) {
	if secret == "" {
		return recaller.APIKey{}, recaller.Errorf(recaller.Unauthenticated,
			"needs an API key: Authorization: Bearer KEY, or X-API-Key: KEY")
	}
	k, err := s.keys.get(ctx, sha256.Sum256([]byte(secret)), func(ctx context.Context) (recaller.APIKey, error) {
		return s.Store.KeyByHash(ctx, tenantOf(secret), hash(secret))
	})
	if errors.Is(err, recaller.NotFound) || err == nil && k.Scope == revoked {
		return recaller.APIKey{}, recaller.Errorf(recaller.Unauthenticated, "the API key is not known")
	}
	return k, err
}

// A key made here names its tenant, so that it is looked up behind the tenant's door: rk_<tenant>_<secret>. Any other
// key is the operator's choice, and belongs to the tenant `default`.
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

// hash returns what is stored of a key. A single SHA-256 is enough for secrets of 160 random bits. It is for the
// operator to choose the bootstrap key well.
func hash(secret string) []byte {
	sum := sha256.Sum256([]byte("recaller api key\x00" + secret))
	return sum[:]
}
