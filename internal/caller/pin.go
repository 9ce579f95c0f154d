package caller

import (
	"context"
	"crypto/rand"
	"crypto/subtle"

	"golang.org/x/crypto/argon2"

	"github.com/recallerhq/recaller"
)

// PINs is what the store keeps of callers' PINs.
type PINs interface {
	// SetPIN keeps the hash of a PIN; nil takes it away.
	SetPIN(
		ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, hash []byte,
	) (recaller.Caller, recaller.Change, error)
	// TryPIN counts a try, durably, and returns the hash if the try is allowed.
	TryPIN(ctx context.Context, tenant recaller.TenantID, in recaller.PINTry) (recaller.PINTried, error)
	// RightPIN forgets the wrong tries, if the hash is still the same.
	RightPIN(ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, hash []byte) error
}

// The cost of a hash: argon2id as OWASP advises it. A few digits are guessed by whoever has the hash however slow it is; it
// is sealed with the caller's key, and only who opens that has it.
const (
	pinSalt    = 16
	pinTime    = 2
	pinMemory  = 19 << 10 // KiB
	pinLength  = 32
	pinsAtWork = 2 // hashes that are made at once; others wait for their turn
)

// SetPIN keeps a caller's PIN as a slow, salted hash.
func (s *Service) SetPIN(
	ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, pin string,
) (recaller.Caller, error) {
	if !recaller.ValidPIN(pin) {
		return recaller.Caller{}, recaller.InvalidField("pin",
			"must be %d to %d digits, not all the same, and not rising or falling one by one", recaller.MinPIN, recaller.MaxPIN)
	}
	salt := make([]byte, pinSalt)
	rand.Read(salt) // it never fails
	hash, err := s.hash(ctx, salt, pin)
	if err != nil {
		return recaller.Caller{}, err
	}
	return s.putPIN(ctx, tenant, caller, append(salt, hash...))
}

// ClearPIN takes a caller's PIN away. Where there is none it changes nothing that anybody sees.
func (s *Service) ClearPIN(ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID) error {
	_, err := s.putPIN(ctx, tenant, caller, nil)
	return err
}

func (s *Service) putPIN(
	ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, hash []byte,
) (recaller.Caller, error) {
	c, change, err := s.PINs.SetPIN(ctx, tenant, caller, hash)
	if err != nil {
		return c, err
	}
	s.Live.HasPIN(tenant, caller, c.HasPIN)
	s.Changed(change)
	return c, nil
}

// TryPIN tells whether digits are a caller's PIN. The try is counted before they are compared, so that nobody has more
// tries by making them at the same time. A repeat of a request spends none; with other digits it is a Conflict. NotFound where the caller has none.
func (s *Service) TryPIN(
	ctx context.Context, tenant recaller.TenantID, in recaller.PINTry, pin string,
) (recaller.PINTried, error) {
	in.At = s.Now()
	in.Once.Request += "\x00" + pin // the store keeps a keyed digest of it
	out, err := s.PINs.TryPIN(ctx, tenant, in)
	kept := out.Hash
	out.Hash = nil
	if err != nil || len(kept) != pinSalt+pinLength {
		return out, err
	}
	hash, err := s.hash(ctx, kept[:pinSalt], pin)
	if err != nil || subtle.ConstantTimeCompare(hash, kept[pinSalt:]) == 0 {
		return out, err
	}
	if err := s.PINs.RightPIN(ctx, tenant, in.Caller, kept); err != nil {
		return out, err
	}
	return recaller.PINTried{Right: true, Left: recaller.MaxPINTries}, nil
}

// hash makes the hash of a PIN, when it is its turn.
func (s *Service) hash(ctx context.Context, salt []byte, pin string) ([]byte, error) {
	select {
	case s.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, recaller.Wrap(recaller.Unavailable, ctx.Err(), "too many PINs are checked at once")
	}
	defer func() { <-s.slots }()
	return argon2.IDKey([]byte(pin), salt, pinTime, pinMemory, 1, pinLength), nil
}
