package vault

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"

	"github.com/recallerhq/recaller"
)

const signingName = "receipt key"

// Signer signs erasure receipts with Ed25519. It is safe for concurrent use. Printing it shows the id of its key.
type Signer struct{ private ed25519.PrivateKey }

// Signer returns the signer of this installation. Its key is made once, durably, and kept wrapped in the key store.
func (v *Vault) Signer(ctx context.Context) (*Signer, error) {
	v.signMu.Lock()
	defer v.signMu.Unlock()
	if v.signer != nil {
		return v.signer, nil
	}
	values, err := v.store.Values(ctx)
	if err != nil {
		return nil, unavailable(err, "the key store could not be read")
	}
	blob := values[signingName]
	if blob == nil {
		if blob, err = v.makeSigner(ctx); err != nil {
			return nil, err
		}
	}
	seed, err := v.ring.Load().open(blob, signingName)
	if err != nil {
		return nil, err
	}
	if len(seed) != ed25519.SeedSize {
		return nil, recaller.Errorf(recaller.Internal, "the signing key is damaged")
	}
	v.signer = &Signer{private: ed25519.NewKeyFromSeed(seed)}
	return v.signer, nil
}

func (v *Vault) makeSigner(ctx context.Context) ([]byte, error) {
	v.wrapping.RLock()
	defer v.wrapping.RUnlock()
	ring := v.ring.Load()
	if err := v.ensureCheck(ctx, ring); err != nil {
		return nil, err
	}
	seed := make([]byte, ed25519.SeedSize)
	rand.Read(seed) // never fails (crypto/rand)
	blob, err := v.store.PutValue(ctx, signingName, ring.wrap(seed, signingName))
	if err != nil {
		return nil, unavailable(err, "the signing key could not be stored")
	}
	return blob, nil
}

// Sign returns the Ed25519 signature of the message, as any Ed25519 tool verifies it.
func (s *Signer) Sign(message []byte) []byte { return ed25519.Sign(s.private, message) }

// Public returns the key that verifies; it may be published.
func (s *Signer) Public() ed25519.PublicKey {
	return append(ed25519.PublicKey(nil), s.private[ed25519.SeedSize:]...)
}

// ID returns a short name of the signing key: 16 hexadecimal digits of the SHA-256 of the public key.
func (s *Signer) ID() string {
	sum := sha256.Sum256(s.private[ed25519.SeedSize:])
	return hexString(sum[:8])
}

// String shows the id of the key.
func (s *Signer) String() string { return "signer(" + s.ID() + ")" }

// GoString is String.
func (s *Signer) GoString() string { return s.String() }
