package vault

import (
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"sync"
	"sync/atomic"

	"github.com/recallerhq/recaller"
)

// The versions of a sealed value; see the package comment. A bound value has that of its key and toBound.
const (
	versionCaller = 1
	versionTenant = 2
	toBound       = 2
)

// BlindSize is the length of a blind token in bytes.
const BlindSize = 16

// dataKey is an unwrapped data key, ready for use by many goroutines. Of a caller it keeps the key alone, for many callers
// are held: the cipher, which is twenty times as large and made in a microsecond, lives as long as a Sealer.
type dataKey struct {
	version   byte
	seal      []byte      // of a caller
	aead      cipher.AEAD // of a tenant
	prefix    []byte      // of the additional data: what is the same for all values of the scope
	destroyed atomic.Bool
	blind     *sync.Pool // of hash.Hash under the blinding key; nil for a caller's key
	aads      *sync.Pool
}

func newDataKey(scope Scope, secret []byte, aads *sync.Pool) (*dataKey, error) {
	k := &dataKey{version: versionCaller, aads: aads}
	seal, err := derive(secret, labelSeal, keySize)
	if err != nil {
		return nil, err
	}
	if scope.Caller == "" {
		k.version = versionTenant
		if k.aead, err = newXAES(seal); err != nil {
			return nil, err
		}
		if k.blind, err = newBlinding(secret); err != nil {
			return nil, err
		}
	} else {
		k.seal = seal
	}
	k.prefix = appendFramed([]byte{k.version}, string(scope.Tenant))
	k.prefix = appendFramed(k.prefix, string(scope.Caller))
	return k, nil
}

// sealer returns a handle of the key.
func (k *dataKey) sealer() (Sealer, error) {
	if k.aead != nil {
		return Sealer{key: k, aead: k.aead}, nil
	}
	aead, err := newGCM(k.seal)
	return Sealer{key: k, aead: aead}, err
}

// Sealer seals and opens values of one tenant or caller. It is safe for concurrent use, and small: copy it. The zero
// Sealer opens nothing. A Sealer that outlives its key's destruction in this process answers NotFound as a rule; only
// one got from the vault afterwards is sure to.
type Sealer struct {
	key  *dataKey
	aead cipher.AEAD // puts its random nonce in front
}

// Overhead is by how many bytes a sealed value is longer than its plaintext.
func (s Sealer) Overhead() int {
	if s.key == nil {
		return 0
	}
	return 1 + s.aead.Overhead()
}

// Seal returns the sealed plaintext.
func (s Sealer) Seal(place Place, plaintext []byte) ([]byte, error) {
	return s.AppendSeal(make([]byte, 0, s.Overhead()+len(plaintext)), place, plaintext)
}

// AppendSeal appends the sealed plaintext to dst, whose spare capacity must not overlap the plaintext.
func (s Sealer) AppendSeal(dst []byte, place Place, plaintext []byte) ([]byte, error) {
	if err := s.usable(); err != nil {
		return nil, err
	}
	aad := s.key.aad(place)
	defer s.key.aads.Put(aad)
	return s.aead.Seal(append(dst, s.key.versionAt(place)), nil, plaintext, *aad), nil
}

// Open returns the plaintext of a sealed value.
func (s Sealer) Open(place Place, sealed []byte) ([]byte, error) {
	return s.AppendOpen(make([]byte, 0, max(0, len(sealed)-s.Overhead())), place, sealed)
}

// AppendOpen appends the plaintext of a sealed value to dst, whose spare capacity must not overlap sealed. It fails
// with Internal if the value is damaged or was sealed for another place, caller or tenant.
func (s Sealer) AppendOpen(dst []byte, place Place, sealed []byte) ([]byte, error) {
	if err := s.usable(); err != nil {
		return nil, err
	}
	if len(sealed) == 0 || sealed[0] != s.key.versionAt(place) {
		return nil, recaller.Errorf(recaller.Internal, "a stored value is damaged")
	}
	aad := s.key.aad(place)
	defer s.key.aads.Put(aad)
	out, err := s.aead.Open(dst, nil, sealed[1:], *aad)
	if err != nil {
		return nil, recaller.Wrap(recaller.Internal, err, "a stored value is damaged")
	}
	return out, nil
}

func (s Sealer) usable() error {
	if s.key == nil {
		return recaller.Errorf(recaller.Internal, "a sealer without a key was used")
	}
	if s.key.destroyed.Load() {
		return recaller.Errorf(recaller.NotFound, "the key of this data was destroyed")
	}
	return nil
}

// versionAt is the version of the key's values at a place.
func (k *dataKey) versionAt(place Place) byte {
	if len(place.Bound) > 0 {
		return k.version + toBound
	}
	return k.version
}

// IsBound reports whether a sealed value was sealed with what its row shows (Place.Bound).
func IsBound(sealed []byte) bool { return len(sealed) > 0 && sealed[0] > toBound }

// aad is the additional data for a place: version, tenant, caller, table, record and what is bound, each framed by its
// length, so that no two places have the same. The buffer goes back to the pool.
func (k *dataKey) aad(place Place) *[]byte {
	buf := k.aads.Get().(*[]byte)
	b := append((*buf)[:0], k.prefix...)
	b = appendFramed(b, place.Table)
	b = appendFramed(b, place.Record)
	if len(place.Bound) > 0 {
		b = appendFramed(b, place.Bound)
	}
	*buf = b
	return buf
}

func newAADPool() *sync.Pool {
	return &sync.Pool{New: func() any {
		b := make([]byte, 0, 256)
		return &b
	}}
}

// appendFramed appends s behind its length.
func appendFramed[T string | []byte](b []byte, s T) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// Blinder makes blind tokens of one tenant. It is safe for concurrent use. Get one from a vault.
type Blinder struct{ macs *sync.Pool }

// mac is a keyed hash with the room for its input and output, so that a token costs no garbage.
type mac struct {
	hash.Hash
	in  []byte
	out [sha256.Size]byte
}

func newBlinding(secret []byte) (*sync.Pool, error) {
	key, err := derive(secret, labelBlind, keySize)
	if err != nil {
		return nil, err
	}
	return &sync.Pool{New: func() any { return &mac{Hash: hmac.New(sha256.New, key)} }}, nil
}

// Blind returns the token of a value: HMAC-SHA256 of purpose and value, cut to BlindSize bytes.
func (b Blinder) Blind(purpose, value string) []byte {
	return b.AppendBlind(make([]byte, 0, BlindSize), purpose, value)
}

// AppendBlind appends the token of a value to dst.
func (b Blinder) AppendBlind(dst []byte, purpose, value string) []byte {
	m := b.macs.Get().(*mac)
	defer b.macs.Put(m)
	m.Reset()
	m.in = append(appendFramed(m.in[:0], purpose), value...)
	m.Write(m.in)
	clear(m.in) // the value may be a number or a name; it need not stay
	return append(dst, m.Sum(m.out[:0])[:BlindSize]...)
}
