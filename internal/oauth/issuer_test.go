package oauth

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	jose "github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"github.com/recallerhq/recaller/internal/endpoint/outward"
)

const audience = "https://memory.example.com/mcp"

// issuer is a small authorization server: it publishes keys, and signs what it is told.
type issuer struct {
	*testing.T
	*httptest.Server
	asked atomic.Int64 // for keys

	mu     sync.Mutex // guards what follows
	keys   map[string]any
	places []string       // where its metadata is
	tell   map[string]any // other things than it should, in its metadata
	away   bool
}

// signers are made once: keys of RSA take a while.
var signers = sync.OnceValue(func() map[string]any {
	must := func(key any, err error) any {
		if err != nil {
			panic(err)
		}
		return key
	}
	_, ed, err := ed25519.GenerateKey(rand.Reader)
	return map[string]any{
		"rsa": must(rsa.GenerateKey(rand.Reader, 2048)), "ed": must(ed, err),
		"ec": must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader)), "ec2": must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader)),
	}
})

// newIssuer starts one that has the keys rsa, ec and ed.
func newIssuer(t *testing.T) *issuer {
	i := &issuer{T: t, keys: maps.Clone(signers()), places: []string{"/.well-known/oauth-authorization-server"}}
	delete(i.keys, "ec2")
	i.Server = httptest.NewServer(i)
	t.Cleanup(i.Close)
	return i
}

// ServeHTTP answers with metadata and keys.
func (i *issuer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	i.mu.Lock()
	defer i.mu.Unlock()
	switch {
	case i.away:
		w.WriteHeader(http.StatusBadGateway)
	case r.URL.Path == "/keys":
		i.asked.Add(1)
		set := jose.JSONWebKeySet{}
		for id, key := range i.keys {
			set.Keys = append(set.Keys, jose.JSONWebKey{Key: key.(crypto.Signer).Public(), KeyID: id, Use: "sig"})
		}
		_ = json.NewEncoder(w).Encode(set)
	default:
		for _, p := range i.places {
			if r.URL.Path == p {
				told := map[string]any{"issuer": i.URL, "jwks_uri": i.URL + "/keys"}
				maps.Copy(told, i.tell)
				_ = json.NewEncoder(w).Encode(told)
				return
			}
		}
		http.NotFound(w, r)
	}
}

// set changes the server while it runs.
func (i *issuer) set(change func()) {
	i.mu.Lock()
	defer i.mu.Unlock()
	change()
}

// said are the claims of a good token, with changes; a nil takes a claim out.
func (i *issuer) said(now time.Time, with map[string]any) map[string]any {
	c := map[string]any{
		"iss": i.URL, "aud": audience, "sub": "user-17", "scope": "memory:read other", "client_id": "c", "jti": "1",
		"iat": now.Unix(), "exp": now.Add(time.Hour).Unix(),
	}
	maps.Copy(c, with)
	maps.DeleteFunc(c, func(_ string, v any) bool { return v == nil })
	return c
}

// sign makes a token; kid and typ may be empty.
func sign(t *testing.T, alg jose.SignatureAlgorithm, key any, kid, typ string, claims any) string {
	t.Helper()
	o := &jose.SignerOptions{}
	if kid != "" {
		o.WithHeader("kid", kid)
	}
	if typ != "" {
		o.WithHeader("typ", typ)
	}
	s, err := jose.NewSigner(jose.SigningKey{Algorithm: alg, Key: key}, o)
	if err != nil {
		t.Fatal(err)
	}
	token, err := jwt.Signed(s).Claims(claims).Serialize()
	if err != nil {
		t.Fatal(err)
	}
	return token
}

// clock is a clock that goes on when it is told to.
type clock struct{ at atomic.Int64 }

func (c *clock) now() time.Time        { return time.UnixMicro(c.at.Load()) }
func (c *clock) after(d time.Duration) { c.at.Add(d.Microseconds()) }

// bench is an issuer, and a verifier that may ask it.
type bench struct {
	*issuer
	*Verifier
	clock *clock
}

func newBench(t *testing.T) *bench {
	t.Helper()
	b := &bench{issuer: newIssuer(t), clock: &clock{}}
	b.clock.at.Store(time.Now().UnixMicro())
	b.Verifier = New(Options{
		Allowed: outward.Allowed{Networks: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}},
		Now:     b.clock.now, Log: slog.New(slog.DiscardHandler),
	})
	t.Cleanup(b.Verifier.Close)
	return b
}

// signed makes a token of the issuer's, as it is by the standard, with changes of its claims.
func (b *bench) signed(kid string, with map[string]any) string {
	b.T.Helper()
	alg := map[string]jose.SignatureAlgorithm{"rsa": jose.RS256, "ec": jose.ES256, "ec2": jose.ES256, "ed": jose.EdDSA}[kid]
	return sign(b.T, alg, signers()[kid], kid, "at+jwt", b.said(b.clock.now(), with))
}
