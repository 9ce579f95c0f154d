package admission

import (
	"crypto/sha256"
	"net/netip"
	"sync"
	"time"

	"github.com/recallerhq/recaller"
)

// DefaultFailures is how many sign-ins a minute may fail from one address, and with one key, before others are not
// looked at. Nobody guesses a key of 160 random bits; this keeps a loop gone wild, and who tries what has leaked
// elsewhere, from the store.
const DefaultFailures = 30

// attempts counts the sign-ins that failed lately. What worked before goes on where others fail: behind one proxy all
// have one address.
type attempts struct {
	addresses *Rates[netip.Prefix]
	secrets   *Rates[digest]

	mu     sync.RWMutex // guards what follows
	worked map[digest]struct{}
}

type digest [sha256.Size]byte

// newAttempts returns the counts of so many failures a minute; negative: no limit.
func newAttempts(aMinute int) *attempts {
	perSecond := float64(aMinute) / time.Minute.Seconds()
	return &attempts{
		addresses: NewRates[netip.Prefix](perSecond, aMinute), secrets: NewRates[digest](perSecond, aMinute),
		worked: map[digest]struct{}{},
	}
}

// check refuses a sign-in, as Exhausted, where too many failed.
func (s *attempts) check(from netip.Addr, secret digest, now time.Time) error {
	s.mu.RLock()
	_, worked := s.worked[secret]
	s.mu.RUnlock()
	if worked || !s.addresses.spent(Network(from), now) && !s.secrets.spent(secret, now) {
		return nil
	}
	return recaller.Errorf(recaller.Exhausted, "too many sign-ins failed from this address, or with this key; wait a minute")
}

// note takes in how a sign-in went. A key that does not work any more is forgotten.
func (s *attempts) note(from netip.Addr, secret digest, ok bool, now time.Time) {
	if !ok {
		s.mu.Lock()
		delete(s.worked, secret)
		s.mu.Unlock()
		s.addresses.Allow(Network(from), now)
		s.secrets.Allow(secret, now)
		return
	}
	s.mu.RLock()
	_, known := s.worked[secret]
	s.mu.RUnlock()
	if known {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.worked) >= maxKeys {
		clear(s.worked)
	}
	s.worked[secret] = struct{}{}
}

// Network is what one who asks has of addresses: one of IPv4, the lower half of IPv6.
func Network(ip netip.Addr) netip.Prefix {
	ip = ip.Unmap().WithZone("")
	bits := 32
	if ip.Is6() {
		bits = 64
	}
	p, err := ip.Prefix(bits)
	if err != nil {
		return netip.Prefix{} // no address was told: all of those are one
	}
	return p
}
