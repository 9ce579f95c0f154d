// Package vault seals what people said and what identifies them (spec W5, 2.2, B6). Every caller has a data key of its
// own, and every tenant one for what belongs to no caller; data keys are wrapped by a key-encryption key and kept in a
// key store apart from the data, so that destroying one caller's key makes every copy of the caller's data unreadable,
// backups included.
//
// What may be relied on: a sealed value opens only under the tenant, caller, table and record it was sealed for; a
// destroyed key never comes back; nothing here logs, and no error holds a key or a plaintext.
//
// # Formats
//
// A sealed value begins with a version byte. 1, for what belongs to a caller: AES-256-GCM, 96-bit random nonce. 2, for
// what belongs to a tenant: XAES-256-GCM (C2SP), 192-bit random nonce, of which half derives a subkey for each message.
// 3 and 4 are 1 and 2 of values that answer for readable columns of their row as well (Place.Bound): where one of those
// was changed, the value does not open.
// The two ciphers differ because of how often a key may be used: random 96-bit nonces are safe for 2^32 messages under one key,
// which no caller comes near, but which a tenant with thousands of writes a second would pass in ten days; XAES-256-GCM
// is safe for 2^80, so a tenant's key never has to be changed and blind tokens stay valid. The sealing key, the
// blinding key and the fingerprint are all derived from the data key with HKDF-SHA256 under labels of their own.
// Sealing does not hide lengths.
//
// It is not for deciding what must be sealed (the store does), nor for hashing API keys.
package vault

import (
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/recallerhq/recaller"
)

// Scope says whose key seals a value. An empty Caller means the tenant's own key.
type Scope struct {
	Tenant recaller.TenantID
	Caller recaller.CallerID
}

// Place says where a sealed value is kept; it opens nowhere else. Where a row holds more than one sealed value, Table
// names the column too ("memory.value"), else two values of one row could be exchanged.
//
// Bound is what the value answers for besides: the columns of its row that the database can read, in a spelling that is
// the same for the same columns only. Empty: none.
type Place struct {
	Table  string
	Record string
	Bound  []byte
}

// Options adjusts a vault; the zero value is usable.
type Options struct {
	CacheSize int // how many unwrapped data keys are held in memory, about 1 kB each; 0: 10,000
}

// Vault seals and opens values. It is safe for concurrent use.
type Vault struct {
	ring     atomic.Pointer[Ring]
	wrapping sync.RWMutex // held for reading from choosing a ring to storing what it wrapped, for writing to exchange it

	store   KeyStore
	cache   *cache
	aads    *sync.Pool
	checked atomic.Bool // the current key-encryption key has its check value
	signMu  sync.Mutex  // guards signer
	signer  *Signer
}

// New returns a vault over the ring's keys and the store's wrapped ones. It does no I/O: call Check before serving.
func New(ring *Ring, store KeyStore, opts Options) *Vault {
	if opts.CacheSize <= 0 {
		opts.CacheSize = 10_000
	}
	v := &Vault{store: store, cache: newCache(opts.CacheSize), aads: newAADPool()}
	v.ring.Store(ring)
	return v
}

// Adopt exchanges the ring while others seal and open: a rotation begins with one that has a new current key besides
// those that it had. It fails, and changes nothing, where the new ring lacks a key that the data needs (as Check). When
// it returns, nothing is wrapped under a former key any more.
func (v *Vault) Adopt(ctx context.Context, ring *Ring) error {
	v.wrapping.Lock()
	defer v.wrapping.Unlock()
	if err := v.proveRing(ctx, ring); err != nil {
		return err
	}
	v.ring.Store(ring)
	return nil
}

// Seal seals one value under the scope's key, which is made, durably, if there is none yet. It fails with NotFound if
// the key was destroyed.
func (v *Vault) Seal(ctx context.Context, scope Scope, place Place, plaintext []byte) ([]byte, error) {
	s, err := v.Sealer(ctx, scope)
	if err != nil {
		return nil, err
	}
	return s.Seal(place, plaintext)
}

// Open opens one sealed value. It fails with NotFound if the scope's key was destroyed or never made, with Internal if
// the value is damaged or was sealed for another place, and with Unavailable if the key cannot be had.
func (v *Vault) Open(ctx context.Context, scope Scope, place Place, sealed []byte) ([]byte, error) {
	s, err := v.Opener(ctx, scope)
	if err != nil {
		return nil, err
	}
	return s.Open(place, sealed)
}

// Sealer returns a handle that seals and opens the scope's values without further look-ups. The key is made, durably,
// if there is none yet. Get one for each piece of work, and do not keep it.
func (v *Vault) Sealer(ctx context.Context, scope Scope) (Sealer, error) {
	return v.sealer(ctx, scope, true)
}

// ErrNoKey says that the key store has no key of a scope, nor a tombstone; or one that is damaged. Its kind is NotFound.
// Whether a key is missing, or there never was one, the vault cannot tell.
var ErrNoKey = recaller.Errorf(recaller.NotFound, "there is no key for this data")

// Opener is Sealer for readers: where the scope has no key it fails with ErrNoKey and makes none.
func (v *Vault) Opener(ctx context.Context, scope Scope) (Sealer, error) {
	return v.sealer(ctx, scope, false)
}

func (v *Vault) sealer(ctx context.Context, scope Scope, create bool) (Sealer, error) {
	k, err := v.key(ctx, scope, create)
	if err != nil {
		return Sealer{}, err
	}
	return k.sealer()
}

// Openers is Opener for callers of one tenant, whose keys are looked up at once. Those whose key was destroyed have
// none, nor have those without a key.
func (v *Vault) Openers(ctx context.Context, tenant recaller.TenantID, callers []recaller.CallerID) (map[recaller.CallerID]Sealer, error) {
	if tenant == "" {
		return nil, errNoTenant()
	}
	out := make(map[recaller.CallerID]Sealer, len(callers))
	epochs := map[recaller.CallerID]uint64{}
	var missing []recaller.CallerID
	for _, c := range callers {
		k, epoch := v.cache.get(Scope{Tenant: tenant, Caller: c})
		if k != nil {
			s, err := k.sealer()
			if err != nil {
				return nil, err
			}
			out[c] = s
			continue
		}
		if _, twice := epochs[c]; !twice {
			epochs[c], missing = epoch, append(missing, c)
		}
	}
	if len(missing) == 0 {
		return out, nil
	}
	list, err := v.store.CallerKeys(ctx, tenant, missing)
	if err != nil {
		return nil, unavailable(err, "the key store could not be read")
	}
	for _, stored := range list {
		if stored.Destroyed() {
			continue
		}
		k, err := v.unwrapped(stored)
		if errors.Is(err, ErrNoKey) {
			continue
		}
		if err != nil {
			return nil, err
		}
		// One that was destroyed meanwhile, or beside which another was, is looked up anew.
		c := stored.Scope.Caller
		opener := func() (Sealer, error) { return v.Opener(ctx, stored.Scope) }
		if k, ok := v.cache.put(stored.Scope, k, epochs[c]); ok {
			opener = k.sealer
		}
		switch s, err := opener(); {
		case err == nil:
			out[c] = s
		case recaller.KindOf(err) != recaller.NotFound:
			return nil, err
		}
	}
	return out, nil
}

// Blind returns the blind token of a value: 16 bytes that are the same for the same tenant, purpose and value, and tell
// nothing of the value to who lacks the tenant's key. The purpose keeps tokens of different columns from matching.
func (v *Vault) Blind(ctx context.Context, tenant recaller.TenantID, purpose, value string) ([]byte, error) {
	b, err := v.Blinder(ctx, tenant)
	if err != nil {
		return nil, err
	}
	return b.Blind(purpose, value), nil
}

// Blinder returns a handle that makes many blind tokens of one tenant without further look-ups. It makes no key.
func (v *Vault) Blinder(ctx context.Context, tenant recaller.TenantID) (Blinder, error) {
	k, err := v.key(ctx, Scope{Tenant: tenant}, false)
	if err != nil {
		return Blinder{}, err
	}
	return Blinder{macs: k.blind}, nil
}

// Destroy destroys the scope's data key for ever and returns its fingerprint, which says nothing about the key but that
// it was this one; it is empty if there was no key. The scope can never have a key again. Destroying twice gives the
// same answer. Destroying a tenant's own key leaves the keys of its callers: destroy those as well.
func (v *Vault) Destroy(ctx context.Context, scope Scope) (fingerprint string, err error) {
	if scope.Tenant == "" {
		return "", errNoTenant()
	}
	defer v.cache.drop(scope) // also after an error: the key may be gone although the proof of it failed
	gone, err := v.store.DestroyKey(ctx, scope)
	if err != nil {
		return "", unavailable(err, "the key could not be destroyed")
	}
	return gone.Fingerprint, nil
}

// key returns the scope's unwrapped data key, from memory if it is there.
func (v *Vault) key(ctx context.Context, scope Scope, create bool) (*dataKey, error) {
	if scope.Tenant == "" {
		return nil, errNoTenant()
	}
	for {
		k, epoch := v.cache.get(scope)
		if k != nil {
			return k, nil
		}
		k, err := v.load(ctx, scope, create)
		if err != nil {
			return nil, err
		}
		// A key destroyed between load and put must not come back into the cache: put refuses, and the next look finds
		// the tombstone.
		if k, ok := v.cache.put(scope, k, epoch); ok {
			return k, nil
		}
	}
}

// load reads and unwraps the scope's key from the store.
func (v *Vault) load(ctx context.Context, scope Scope, create bool) (*dataKey, error) {
	stored, found, err := v.store.Key(ctx, scope)
	if err != nil {
		return nil, unavailable(err, "the key store could not be read")
	}
	if !found && !create {
		return nil, ErrNoKey
	}
	if !found {
		if stored, err = v.make(ctx, scope); err != nil {
			return nil, err
		}
	}
	if stored.Destroyed() {
		return nil, recaller.Errorf(recaller.NotFound, "the key of this data was destroyed")
	}
	return v.unwrapped(stored)
}

// Missing returns those of the callers of whom the key store has neither a key that opens nor a tombstone.
func (v *Vault) Missing(
	ctx context.Context, tenant recaller.TenantID, callers []recaller.CallerID,
) ([]recaller.CallerID, error) {
	if len(callers) == 0 {
		return nil, nil
	}
	list, err := v.store.CallerKeys(ctx, tenant, callers)
	if err != nil {
		return nil, unavailable(err, "the key store could not be read")
	}
	there := make(map[recaller.CallerID]bool, len(list))
	for _, k := range list {
		_, err := v.ring.Load().unwrap(k)
		there[k.Scope.Caller] = k.Destroyed() || err == nil
	}
	return slices.DeleteFunc(slices.Clone(callers), func(c recaller.CallerID) bool { return there[c] }), nil
}

// unwrapped is a key that the store has, ready for use. One that is damaged is as good as none.
func (v *Vault) unwrapped(stored StoredKey) (*dataKey, error) {
	secret, err := v.ring.Load().unwrap(stored)
	if recaller.KindOf(err) == recaller.Internal && err != nil {
		return nil, ErrNoKey
	}
	if err != nil {
		return nil, err
	}
	return newDataKey(stored.Scope, secret, v.aads)
}

// make puts a new data key into the store, and returns the one that is there afterwards: another's, if it was first.
func (v *Vault) make(ctx context.Context, scope Scope) (StoredKey, error) {
	v.wrapping.RLock()
	defer v.wrapping.RUnlock()
	ring := v.ring.Load()
	if err := v.ensureCheck(ctx, ring); err != nil {
		return StoredKey{}, err
	}
	secret := make([]byte, keySize)
	rand.Read(secret) // never fails (crypto/rand)
	fingerprint, err := derive(secret, labelFingerprint, fingerprintSize)
	if err != nil {
		return StoredKey{}, err
	}
	fresh := ring.wrapKey(scope, hexString(fingerprint), secret)
	stored, err := v.store.PutKey(ctx, fresh)
	if err != nil {
		return StoredKey{}, unavailable(err, "the key could not be stored")
	}
	return stored, nil
}

// unavailable gives a key store's error a kind, unless it has one.
func unavailable(err error, msg string) error {
	if recaller.KindOf(err) != recaller.Internal {
		return err
	}
	return recaller.Wrap(recaller.Unavailable, err, "%s", msg)
}

func errNoTenant() error { return recaller.Errorf(recaller.Internal, "a key needs a tenant") }
