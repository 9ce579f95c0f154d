package oauth

import (
	"context"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"log/slog"
	"sync"
	"time"

	jose "github.com/go-jose/go-jose/v4"

	"github.com/recallerhq/recaller"
)

// How long keys serve, and how often an issuer is asked for them.
const (
	freshFor   = 15 * time.Minute // after that they are read anew, while those that are held serve
	staleFor   = 6 * time.Hour    // how long they serve while the issuer is away
	between    = 10 * time.Second // from one reading to the next, whatever tokens come
	readFor    = 10 * time.Second // bounds a reading
	maxIssuers = 1000             // past it those that are held are dropped
	minRSA     = 2048             // bits
)

// keys are those of one issuer.
type keys struct {
	mu      sync.Mutex // guards what follows; never held over I/O
	held    []jose.JSONWebKey
	read    time.Time     // when they were read; zero: never
	asked   time.Time     // when the issuer was asked last
	failed  bool          // it did not answer as it should
	reading chan struct{} // closed once it has answered; nil: nobody asks
}

// key returns the key that a token's header names. A key that is not held has the issuer asked anew, if that was not
// just done: who makes ids up is no reason to ask.
func (v *Verifier) key(ctx context.Context, issuer string, h jose.Header) (any, error) {
	k := v.keysOf(issuer)
	key, found, wait := v.look(ctx, issuer, k, h)
	if found {
		return key, nil
	}
	if wait != nil {
		select {
		case <-wait:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		if key, found, _ = v.look(ctx, issuer, k, h); found {
			return key, nil
		}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.failed {
		return nil, recaller.Errorf(recaller.Unavailable, "the keys of the issuer cannot be read now; try again later")
	}
	return nil, refused("is signed with a key that the issuer does not have")
}

// Ready reports whether the keys of an issuer can be had, and reads them anew if that was not just done.
func (v *Verifier) Ready(ctx context.Context, issuer string) bool {
	k := v.keysOf(issuer)
	if _, _, wait := v.look(ctx, issuer, k, jose.Header{}); wait != nil { // no key has this header
		select {
		case <-wait:
		case <-ctx.Done():
		}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	return !k.failed && len(k.held) > 0
}

// keysOf returns what is held of an issuer.
func (v *Verifier) keysOf(issuer string) *keys {
	v.mu.Lock()
	defer v.mu.Unlock()
	k := v.issuers[issuer]
	if k == nil {
		if len(v.issuers) >= maxIssuers {
			clear(v.issuers)
		}
		k = &keys{}
		v.issuers[issuer] = k
	}
	return k
}

// look returns a key that is held, or what to wait for: a reading that is under way, or one that it begins. nil: it is
// not the time to ask.
func (v *Verifier) look(
	ctx context.Context, issuer string, k *keys, h jose.Header,
) (key any, found bool, wait <-chan struct{}) {
	now := v.now()
	k.mu.Lock()
	defer k.mu.Unlock()
	age := now.Sub(k.read)
	key, found = pick(k.held, h)
	found = found && age < staleFor
	if found && age < freshFor {
		return key, true, nil
	}
	if k.reading == nil && (k.asked.IsZero() || now.Sub(k.asked) >= between) {
		k.asked, k.reading = now, make(chan struct{})
		go v.refresh(context.WithoutCancel(ctx), issuer, k) // others wait for it, too
	}
	return key, found, k.reading
}

// refresh reads an issuer's keys anew. What it does not list any more is gone.
func (v *Verifier) refresh(ctx context.Context, issuer string, k *keys) {
	ctx, cancel := context.WithTimeout(ctx, readFor)
	defer cancel()
	defer context.AfterFunc(v.life, cancel)() //nolint:contextcheck // it ends with the verifier, too
	held, err := v.published(ctx, issuer)
	if err != nil && v.life.Err() == nil {
		v.log.Warn("the keys of an issuer could not be read", slog.String("issuer", issuer), slog.String("err", err.Error()))
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.failed = err != nil; !k.failed {
		k.held, k.read = held, v.now()
	}
	close(k.reading)
	k.reading = nil
}

// pick returns the key that a header names, or, where it names none, the only one that fits.
func pick(held []jose.JSONWebKey, h jose.Header) (any, bool) {
	var fit []any
	for _, k := range held {
		if (h.KeyID == "" || k.KeyID == h.KeyID) && (k.Algorithm == "" || k.Algorithm == h.Algorithm) &&
			fits(k.Key, jose.SignatureAlgorithm(h.Algorithm)) {
			fit = append(fit, k.Key)
		}
	}
	if len(fit) == 1 || h.KeyID != "" && len(fit) > 0 {
		return fit[0], true
	}
	return nil, false
}

// fits reports whether a key is one for an algorithm, and strong enough.
func fits(key any, alg jose.SignatureAlgorithm) bool {
	switch key := key.(type) {
	case *rsa.PublicKey:
		return (alg == jose.RS256 || alg == jose.PS256) && key.N.BitLen() >= minRSA
	case *ecdsa.PublicKey:
		return alg == jose.ES256 && key.Curve == elliptic.P256()
	case ed25519.PublicKey:
		return alg == jose.EdDSA
	}
	return false
}
