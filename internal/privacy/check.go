package privacy

import (
	"bytes"
	"context"
	"crypto/ed25519"

	"github.com/recallerhq/recaller"
)

// Check is what can be said of a receipt that somebody kept (B6).
type Check struct {
	Intact bool // the signature is of the key that the receipt names, over every word of it
	Ours   bool // and that key is this installation's
}

// CheckReceipt checks a receipt, however old: it needs nothing of the tenant's data.
func (s *Service) CheckReceipt(ctx context.Context, r recaller.Receipt) (Check, error) {
	if len(r.PublicKey) != ed25519.PublicKeySize {
		return Check{}, recaller.InvalidField("public_key", "must be an Ed25519 key: %d bytes in base64", ed25519.PublicKeySize)
	}
	if len(r.Signature) != ed25519.SignatureSize {
		return Check{}, recaller.InvalidField("signature", "must be an Ed25519 signature: %d bytes in base64", ed25519.SignatureSize)
	}
	signed := SignedBytes(r)
	c := Check{Intact: ed25519.Verify(r.PublicKey, signed, r.Signature)}
	if !c.Intact {
		return c, nil
	}
	_, public, err := s.Vault.Sign(ctx, signed)
	c.Ours = err == nil && bytes.Equal(public, r.PublicKey)
	return c, err
}
