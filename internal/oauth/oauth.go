// Package oauth checks access tokens of OAuth 2.1 authorization servers: signed JWTs by the profile of RFC 9068. The keys
// are those that the issuer publishes (RFC 8414, OpenID Connect Discovery, RFC 7517), read through the guard of
// addresses that tenants choose (endpoint/outward).
//
// Who trusts which issuer, and what a token's scopes allow, is not known here (tenant). No error and no line of the log
// holds a token, or a part of one.
package oauth

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	jose "github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/endpoint/outward"
)

// Bounds of a token.
const (
	maxToken = 16 << 10 // bytes
	leeway   = 30 * time.Second
)

// algorithms are those by which a token may be signed: none of them has a secret that a reader must know, too.
func algorithms() []jose.SignatureAlgorithm {
	return []jose.SignatureAlgorithm{jose.RS256, jose.PS256, jose.ES256, jose.EdDSA}
}

// Options are the settings; Now and Log are required.
type Options struct {
	Transport http.RoundTripper // nil: one that reaches public addresses, and what is Allowed
	Allowed   outward.Allowed   // what the operator lists
	Now       func() time.Time
	Log       *slog.Logger
}

// Verifier checks tokens, and holds the keys of their issuers. Safe for concurrent use. Make it with New.
type Verifier struct {
	client *http.Client
	now    func() time.Time
	log    *slog.Logger
	reach  outward.Allowed
	life   context.Context // of what reads keys
	end    context.CancelFunc

	mu      sync.Mutex // guards what follows
	issuers map[string]*keys
}

// New returns a Verifier.
func New(opts Options) *Verifier {
	if opts.Transport == nil {
		opts.Transport = outward.Transport(opts.Allowed)
	}
	v := &Verifier{
		client: &http.Client{
			Transport:     opts.Transport,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		now: opts.Now, log: opts.Log, reach: opts.Allowed, issuers: map[string]*keys{},
	}
	v.life, v.end = context.WithCancel(context.Background())
	return v
}

// Close ends what is being read.
func (v *Verifier) Close() { v.end() }

// claims are the claims that are looked at.
type claims struct {
	jwt.Claims
	Scope words `json:"scope"` // RFC 9068
	Scp   words `json:"scp"`   // what some issuers call it
}

// Verify returns what a token of the issuer's for the audience says. It fails with Unauthenticated where the token is
// not right, of which recaller.ErrLapsed is the cause where it was until lately, and with Unavailable where the issuer's
// keys cannot be had.
func (v *Verifier) Verify(ctx context.Context, issuer, audience, token string) (recaller.Claims, error) {
	none := recaller.Claims{}
	if len(token) > maxToken {
		return none, refused("is longer than %d bytes", maxToken)
	}
	t, err := jwt.ParseSigned(token, algorithms())
	if err != nil || len(t.Headers) != 1 {
		return none, refused("is no JWT that is signed with RS256, PS256, ES256 or EdDSA")
	}
	if !typed(t.Headers[0]) {
		return none, refused("is of another type than at+jwt")
	}
	var said jwt.Claims
	if t.UnsafeClaimsWithoutVerification(&said) != nil || said.Issuer != issuer {
		return none, refused("is of another issuer than the tenant's")
	}
	key, err := v.key(ctx, issuer, t.Headers[0])
	if err != nil {
		return none, err
	}
	var c claims
	var all map[string]any
	if t.Claims(key, &c, &all) != nil {
		return none, refused("has no signature of its issuer over claims that can be read")
	}
	if err := c.check(issuer, audience, v.now()); err != nil {
		return none, err
	}
	return recaller.Claims{Subject: c.Subject, Scopes: append(c.Scope, c.Scp...), All: all}, nil
}

// typed reports whether a token may be an access token by its type. Many issuers say JWT, or nothing; what is certainly
// another thing (a logout, an event, a proof) is none.
func typed(h jose.Header) bool {
	typ, _ := h.ExtraHeaders[jose.HeaderType].(string)
	switch strings.TrimPrefix(strings.ToLower(typ), "application/") {
	case "", "jwt", "at+jwt":
		return true
	}
	return false
}

func (c claims) check(issuer, audience string, now time.Time) error {
	err := c.ValidateWithLeeway(jwt.Expected{Issuer: issuer, AnyAudience: jwt.Audience{audience}, Time: now}, leeway)
	switch {
	case c.Expiry == nil:
		return refused("has no exp, the time when it expires")
	case c.Subject == "":
		return refused("has no sub, whom it is of")
	case errors.Is(err, jwt.ErrInvalidAudience):
		return refused("is for another resource: its aud lacks the tenant's audience")
	case errors.Is(err, jwt.ErrExpired):
		return recaller.Wrap(recaller.Unauthenticated, recaller.ErrLapsed, "the access token has expired")
	case err != nil:
		return refused("is not valid yet")
	}
	return nil
}

// refused says what is wrong with a token, never what it holds.
func refused(what string, args ...any) error {
	return recaller.Errorf(recaller.Unauthenticated, "the access token "+what, args...)
}
