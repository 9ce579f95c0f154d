package vault

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/recallerhq/recaller"
)

const (
	keySize         = 32
	kekIDSize       = 4
	fingerprintSize = 8
	wrapVersion     = 1
	wrapHeader      = 1 + kekIDSize
)

// The labels under which HKDF derives from a key. They are part of the format.
const (
	labelKEK         = "recaller/v1 key-encryption key id"
	labelFingerprint = "recaller/v1 data key fingerprint"
	labelSeal        = "recaller/v1 seal"
	labelBlind       = "recaller/v1 blind"
)

// Ring holds the key-encryption keys: the current one wraps, the previous ones only open. It does not change; a
// rotation begins with a ring that has a new current key. Printing a ring shows the ids of its keys.
type Ring struct {
	current *kek
	byID    map[[kekIDSize]byte]*kek
}

// kek is one key-encryption key. The key itself is not kept, only the cipher made of it.
type kek struct {
	id   [kekIDSize]byte
	aead cipher.AEAD // random nonces
}

func (k *kek) String() string { return hex.EncodeToString(k.id[:]) }

// NewRing makes a ring of keys written as 64 hexadecimal digits. An error names the variable at fault and what was
// expected, never the key.
func NewRing(current string, previous ...string) (*Ring, error) {
	first, err := parseKEK("MEMORY_ENCRYPTION_KEY", current)
	if err != nil {
		return nil, err
	}
	r := &Ring{current: first, byID: map[[kekIDSize]byte]*kek{first.id: first}}
	for _, text := range previous {
		k, err := parseKEK("MEMORY_ENCRYPTION_KEY_PREVIOUS", text)
		if err != nil {
			return nil, err
		}
		if r.byID[k.id] == nil {
			r.byID[k.id] = k
		}
	}
	return r, nil
}

// Current returns the short id of the key that wraps: 8 hexadecimal digits that tell nothing else about it.
func (r *Ring) Current() string { return r.current.String() }

// String shows the ids of the ring's keys, the current one first.
func (r *Ring) String() string {
	ids := []string{r.Current()}
	for _, k := range r.byID {
		if k != r.current {
			ids = append(ids, k.String())
		}
	}
	return "ring(" + strings.Join(ids, " ") + ")"
}

// GoString is String.
func (r *Ring) GoString() string { return r.String() }

func parseKEK(variable, text string) (*kek, error) {
	key, err := hex.DecodeString(strings.TrimSpace(text))
	if err != nil || len(key) != keySize {
		return nil, &recaller.Error{Kind: recaller.Invalid, Field: variable, Msg: "expected 64 hexadecimal digits (32 bytes)"}
	}
	if strings.Count(string(key), string(key[:1])) == keySize {
		return nil, &recaller.Error{Kind: recaller.Invalid, Field: variable, Msg: "expected a random key, not one byte repeated"}
	}
	id, err := derive(key, labelKEK, kekIDSize)
	if err != nil {
		return nil, err
	}
	aead, err := newGCM(key)
	if err != nil {
		return nil, err
	}
	return &kek{id: [kekIDSize]byte(id), aead: aead}, nil
}

// wrap seals a secret under the current key. kind and names say what it is; it unwraps as nothing else.
func (r *Ring) wrap(secret []byte, kind string, names ...string) []byte {
	k := r.current
	blob := append([]byte{wrapVersion}, k.id[:]...)
	return k.aead.Seal(blob, nil, secret, wrapAAD(blob, kind, names))
}

// open unwraps a secret with whichever key of the ring wrapped it.
func (r *Ring) open(blob []byte, kind string, names ...string) ([]byte, error) {
	id, ok := wrappedBy(blob)
	if !ok {
		return nil, recaller.Errorf(recaller.Internal, "a stored key is damaged")
	}
	k := r.byID[id]
	if k == nil {
		return nil, r.lacks(id)
	}
	secret, err := k.aead.Open(nil, nil, blob[wrapHeader:], wrapAAD(blob[:wrapHeader], kind, names))
	if err != nil {
		return nil, recaller.Wrap(recaller.Internal, err, "a stored key is damaged")
	}
	return secret, nil
}

// lacks is the error for what was wrapped by a key that the ring does not have.
func (r *Ring) lacks(id [kekIDSize]byte) error {
	return recaller.Errorf(recaller.Unavailable,
		"the data was sealed with key %x; MEMORY_ENCRYPTION_KEY is key %s: set the right key", id, r.Current())
}

func (r *Ring) wrapKey(scope Scope, fingerprint string, secret []byte) StoredKey {
	return StoredKey{
		Scope: scope, Fingerprint: fingerprint,
		Wrapped: r.wrap(secret, "data key", string(scope.Tenant), string(scope.Caller), fingerprint),
	}
}

func (r *Ring) unwrap(k StoredKey) ([]byte, error) {
	secret, err := r.open(k.Wrapped, "data key", string(k.Scope.Tenant), string(k.Scope.Caller), k.Fingerprint)
	if err == nil && len(secret) != keySize {
		return nil, recaller.Errorf(recaller.Internal, "a stored key is damaged")
	}
	return secret, err
}

// stale reports whether a blob was wrapped by another key than the current one.
func (r *Ring) stale(blob []byte) bool {
	id, ok := wrappedBy(blob)
	return !ok || id != r.current.id
}

// wrappedBy reads the id of the key that wrapped a blob.
func wrappedBy(blob []byte) (id [kekIDSize]byte, ok bool) {
	if len(blob) < wrapHeader || blob[0] != wrapVersion {
		return id, false
	}
	return [kekIDSize]byte(blob[1:wrapHeader]), true
}

func wrapAAD(header []byte, kind string, names []string) []byte {
	aad := appendFramed(nil, string(header))
	aad = appendFramed(aad, kind)
	for _, n := range names {
		aad = appendFramed(aad, n)
	}
	return aad
}

// derive makes n bytes from a uniformly random key, independent for each label.
func derive(key []byte, label string, n int) ([]byte, error) {
	out, err := hkdf.Expand(sha256.New, key, label, n)
	if err != nil {
		return nil, fmt.Errorf("derive a key: %w", err)
	}
	return out, nil
}

// newGCM returns AES-256-GCM that puts a random 96-bit nonce in front of what it seals.
func newGCM(key []byte) (cipher.AEAD, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("make a cipher: %w", err)
	}
	return cipher.NewGCMWithRandomNonce(block)
}

// NewKey returns a new random key-encryption key as 64 hexadecimal digits.
func NewKey() string {
	key := make([]byte, keySize)
	rand.Read(key) // never fails (crypto/rand)
	return hexString(key)
}

func hexString(b []byte) string { return hex.EncodeToString(b) }
