package oauth

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	jose "github.com/go-jose/go-jose/v4"

	"github.com/recallerhq/recaller"
)

func TestATokenOfTheIssuerIsTaken(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	now := b.clock.now()
	for name, token := range map[string]string{
		"RS256":              b.signed("rsa", nil),
		"PS256":              sign(t, jose.PS256, signers()["rsa"], "rsa", "at+jwt", b.said(now, nil)),
		"ES256":              b.signed("ec", nil),
		"EdDSA":              b.signed("ed", nil),
		"a type of old":      sign(t, jose.ES256, signers()["ec"], "ec", "JWT", b.said(now, nil)),
		"no type":            sign(t, jose.ES256, signers()["ec"], "ec", "", b.said(now, nil)),
		"the type in full":   sign(t, jose.ES256, signers()["ec"], "ec", "application/at+jwt", b.said(now, nil)),
		"the only key of it": sign(t, jose.EdDSA, signers()["ed"], "", "at+jwt", b.said(now, nil)),
		"several audiences":  b.signed("ec", map[string]any{"aud": []string{"other", audience}}),
		"a clock behind":     b.signed("ec", map[string]any{"exp": now.Add(-20 * time.Second).Unix()}),
		"a clock ahead":      b.signed("ec", map[string]any{"iat": now.Add(20 * time.Second).Unix(), "nbf": now.Add(20 * time.Second).Unix()}),
		"scp, a list":        b.signed("ec", map[string]any{"scope": nil, "scp": []string{"memory:read", "other"}}),
	} {
		c, err := b.Verify(t.Context(), b.URL, audience, token)
		if err != nil || c.Subject != "user-17" || !slices.Equal(c.Scopes, []string{"memory:read", "other"}) || c.All["client_id"] != "c" {
			t.Errorf("%s: got %+v, %v", name, c, err)
		}
	}
	if n := b.asked.Load(); n != 1 {
		t.Errorf("the issuer was asked for its keys %d times, want once", n)
	}
}

func TestTokensThatAreRefused(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	now, ec := b.clock.now(), signers()["ec"]
	good := b.signed("ec", nil)
	part := strings.Split(good, ".")
	raw := func(header, claims string) string {
		return base64.RawURLEncoding.EncodeToString([]byte(header)) + "." + base64.RawURLEncoding.EncodeToString([]byte(claims)) + "."
	}
	public, err := x509.MarshalPKIXPublicKey(&signers()["rsa"].(*rsa.PrivateKey).PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	weak, err := rsa.GenerateKey(rand.Reader, 1024)
	if err != nil {
		t.Fatal(err)
	}
	b.set(func() { b.keys["weak"] = weak })
	sealed, err := jose.NewEncrypter(jose.A128GCM, jose.Recipient{Algorithm: jose.RSA_OAEP, Key: &signers()["rsa"].(*rsa.PrivateKey).PublicKey}, nil)
	if err != nil {
		t.Fatal(err)
	}
	jwe, err := sealed.Encrypt([]byte(good))
	if err != nil {
		t.Fatal(err)
	}
	encrypted, err := jwe.CompactSerialize()
	if err != nil {
		t.Fatal(err)
	}
	with := func(claims map[string]any) string { return b.signed("ec", claims) }
	for name, token := range map[string]string{
		"nothing":                       "",
		"no token":                      "ey.ey.ey",
		"another issuer":                with(map[string]any{"iss": "https://elsewhere.example"}),
		"an issuer with a slash":        with(map[string]any{"iss": b.URL + "/"}),
		"no issuer":                     with(map[string]any{"iss": nil}),
		"the audience of another":       with(map[string]any{"aud": audience + "/other"}),
		"a part of the audience":        with(map[string]any{"aud": "https://memory.example.com"}),
		"no audience":                   with(map[string]any{"aud": nil}),
		"expired":                       with(map[string]any{"exp": now.Add(-time.Minute).Unix()}),
		"no exp":                        with(map[string]any{"exp": nil}),
		"exp that is no number":         with(map[string]any{"exp": "soon"}),
		"not yet valid":                 with(map[string]any{"nbf": now.Add(time.Minute).Unix()}),
		"issued in the future":          with(map[string]any{"iat": now.Add(time.Minute).Unix()}),
		"no subject":                    with(map[string]any{"sub": nil}),
		"a scope that is no text":       with(map[string]any{"scope": 5}),
		"alg none":                      raw(`{"alg":"none","kid":"ec"}`, `{"iss":"`+b.URL+`"}`),
		"alg None, with a signature":    raw(`{"alg":"None","kid":"ec"}`, `{"iss":"`+b.URL+`"}`) + part[2],
		"HS256 with the public key":     sign(t, jose.HS256, public, "rsa", "at+jwt", b.said(now, nil)),
		"HS256 with the id of a key":    sign(t, jose.HS256, []byte(strings.Repeat("rsa", 20)), "rsa", "at+jwt", b.said(now, nil)),
		"RS384":                         sign(t, jose.RS384, signers()["rsa"], "rsa", "at+jwt", b.said(now, nil)),
		"a key that is not its own":     sign(t, jose.ES256, signers()["ec2"], "ec", "at+jwt", b.said(now, nil)),
		"an id that nobody has":         sign(t, jose.ES256, ec, "unknown", "at+jwt", b.said(now, nil)),
		"the id of a key of RSA":        sign(t, jose.ES256, ec, "rsa", "at+jwt", b.said(now, nil)),
		"a key that is too short":       sign(t, jose.RS256, weak, "weak", "at+jwt", b.said(now, nil)),
		"other claims":                  part[0] + "." + base64.RawURLEncoding.EncodeToString([]byte(`{"iss":"`+b.URL+`","exp":9999999999}`)) + "." + part[2],
		"another signature":             part[0] + "." + part[1] + "." + strings.Repeat("A", len(part[2])),
		"no signature":                  part[0] + "." + part[1] + ".",
		"the signature of another one":  part[0] + "." + part[1] + "." + strings.Split(with(map[string]any{"jti": "2"}), ".")[2],
		"encrypted":                     encrypted,
		"too long":                      with(map[string]any{"pad": strings.Repeat("x", 16<<10)}),
		"a logout":                      sign(t, jose.ES256, ec, "ec", "logout+jwt", b.said(now, nil)),
		"a proof":                       sign(t, jose.ES256, ec, "ec", "dpop+jwt", b.said(now, nil)),
		"the form with several signers": `{"payload":"` + part[1] + `","signatures":[{"protected":"` + part[0] + `","signature":"` + part[2] + `"}]}`,
	} {
		c, err := b.Verify(t.Context(), b.URL, audience, token)
		if !errors.Is(err, recaller.Unauthenticated) || c.Subject != "" || errors.Is(err, recaller.ErrLapsed) != (name == "expired") {
			t.Errorf("%s: got %+v, %v; want it refused", name, c, err)
			continue
		}
		for _, secret := range append(strings.Split(token, "."), "user-17", "elsewhere", b.URL) {
			if len(secret) > 3 && strings.Contains(err.Error(), secret) {
				t.Errorf("%s: the error %q holds a part of the token", name, err)
			}
		}
	}
	if _, err := b.Verify(t.Context(), b.URL, audience, good); err != nil {
		t.Errorf("the good one: %v", err)
	}
}

// An issuer changes its keys: the new one is taken at once, the old one is gone with the next reading.
func TestKeysAreRotated(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	old := b.signed("ec", nil)
	verify := func(token string) error { _, err := b.Verify(t.Context(), b.URL, audience, token); return err }
	if err := verify(old); err != nil {
		t.Fatal(err)
	}
	b.set(func() { delete(b.keys, "ec"); b.keys["ec2"] = signers()["ec2"] })
	b.clock.after(between)
	if err := verify(b.signed("ec2", nil)); err != nil {
		t.Errorf("the new key: %v", err)
	}
	if err := verify(old); !errors.Is(err, recaller.Unauthenticated) {
		t.Errorf("the old key: got %v, want it refused", err)
	}
}

// A flood of made-up ids of keys becomes no flood at the issuer, and keeps nobody out.
func TestAFloodOfUnknownKeys(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	good := b.signed("ec", nil)
	var all sync.WaitGroup
	for range 50 {
		odd := sign(t, jose.ES256, signers()["ec2"], rand.Text(), "at+jwt", b.said(b.clock.now(), nil))
		all.Go(func() {
			if _, err := b.Verify(t.Context(), b.URL, audience, odd); !errors.Is(err, recaller.Unauthenticated) {
				t.Errorf("got %v, want it refused", err)
			}
		})
		all.Go(func() {
			if _, err := b.Verify(t.Context(), b.URL, audience, good); err != nil {
				t.Errorf("a good one meanwhile: %v", err)
			}
		})
	}
	all.Wait()
	if n := b.asked.Load(); n != 1 {
		t.Errorf("the issuer was asked %d times, want once", n)
	}
}

// While an issuer is away its keys serve for some hours; afterwards, and where none were read, it is not the token's
// fault.
func TestWhileTheIssuerIsAway(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	verify := func(kid string) error {
		_, err := b.Verify(t.Context(), b.URL, audience, b.signed(kid, nil))
		return err
	}
	b.set(func() { b.away = true })
	if err := verify("ec"); !errors.Is(err, recaller.Unavailable) {
		t.Errorf("at first: got %v, want it unavailable", err)
	}
	b.set(func() { b.away = false })
	b.clock.after(between)
	if err := verify("ec"); err != nil {
		t.Fatal(err)
	}
	b.set(func() { b.away = true })
	for _, later := range []time.Duration{freshFor, time.Hour, staleFor - freshFor - time.Hour - time.Minute} {
		b.clock.after(later)
		if err := verify("ec"); err != nil {
			t.Errorf("%v later: %v", later, err)
		}
	}
	b.settle()
	if err := verify("ec2"); !errors.Is(err, recaller.Unavailable) {
		t.Errorf("a key that may be new: got %v, want it unavailable", err)
	}
	b.clock.after(2 * time.Minute)
	if err := verify("ec"); !errors.Is(err, recaller.Unavailable) {
		t.Errorf("after %v: got %v, want it unavailable", staleFor, err)
	}
	b.set(func() { b.away = false })
	b.clock.after(between)
	if err := verify("ec"); err != nil {
		t.Errorf("back again: %v", err)
	}
}

// settle waits until nobody asks the issuer.
func (b *bench) settle() {
	k := b.keysOf(b.URL)
	k.mu.Lock()
	reading := k.reading
	k.mu.Unlock()
	if reading != nil {
		<-reading
	}
}

// Metadata is found in each place where it may be, and believed of its own issuer only.
func TestWhereKeysAreFound(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		path   string
		places []string
		tell   map[string]any
		found  bool
	}{
		"RFC 8414":                    {"", []string{"/.well-known/oauth-authorization-server"}, nil, true},
		"OpenID":                      {"", []string{"/.well-known/openid-configuration"}, nil, true},
		"RFC 8414, with a path":       {"/a/v2", []string{"/.well-known/oauth-authorization-server/a/v2"}, nil, true},
		"OpenID, with a path":         {"/a/v2", []string{"/a/v2/.well-known/openid-configuration"}, nil, true},
		"OpenID, by the way of 8414":  {"/a", []string{"/.well-known/openid-configuration/a"}, nil, true},
		"a slash at the end":          {"/", []string{"/.well-known/openid-configuration"}, nil, true},
		"nowhere":                     {"", nil, nil, false},
		"another's":                   {"", []string{"/.well-known/oauth-authorization-server"}, map[string]any{"issuer": "https://elsewhere.example"}, false},
		"keys that are nowhere":       {"", []string{"/.well-known/oauth-authorization-server"}, map[string]any{"jwks_uri": ""}, false},
		"keys in the clear":           {"", []string{"/.well-known/oauth-authorization-server"}, map[string]any{"jwks_uri": "http://keys.example"}, false},
		"keys of an inner network":    {"", []string{"/.well-known/oauth-authorization-server"}, map[string]any{"jwks_uri": "https://10.0.0.1/keys"}, false},
		"keys of a file":              {"", []string{"/.well-known/oauth-authorization-server"}, map[string]any{"jwks_uri": "file:///etc/passwd"}, false},
		"metadata that is too large":  {"", []string{"/.well-known/oauth-authorization-server"}, map[string]any{"pad": strings.Repeat("x", maxDocument)}, false},
		"metadata that is of a guess": {"/a", []string{"/.well-known/oauth-authorization-server"}, nil, false},
	} {
		b := newBench(t)
		at := b.URL + c.path
		b.set(func() {
			b.places, b.tell = c.places, map[string]any{"issuer": at}
			for k, v := range c.tell {
				b.tell[k] = v
			}
		})
		_, err := b.Verify(t.Context(), at, audience, b.signed("ec", map[string]any{"iss": at}))
		if c.found && err != nil || !c.found && !errors.Is(err, recaller.Unavailable) {
			t.Errorf("%s: got %v, want found %v", name, err, c.found)
		}
	}
}

// An issuer cannot send the server to where it may not go itself: not by its address, and not by a redirect.
func TestIssuersAreGuarded(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	reached := false
	inner := newIssuer(t)
	inner.Config.Handler = http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached = true })
	b.Config.Handler = http.RedirectHandler(inner.URL, http.StatusFound)
	if _, err := b.Verify(t.Context(), b.URL, audience, b.signed("ec", nil)); !errors.Is(err, recaller.Unavailable) || reached {
		t.Errorf("a redirect: got %v, followed %v", err, reached)
	}
	strict := New(Options{Now: b.clock.now, Log: b.log})
	defer strict.Close()
	token := sign(t, jose.ES256, signers()["ec"], "ec", "at+jwt", b.said(b.clock.now(), map[string]any{"iss": inner.URL}))
	if _, err := strict.Verify(t.Context(), inner.URL, audience, token); !errors.Is(err, recaller.Unavailable) || reached {
		t.Errorf("an inner address: got %v, asked %v", err, reached)
	}
	for address, want := range map[string]bool{
		"https://login.example.com": true, "https://login.example.com/a/v2.0": true, "http://127.0.0.1:8080": true, "http://localhost": true,
		"http://login.example.com": false, "https://": false, "ftp://login.example.com": false, "login.example.com": false,
		"https://ann@login.example.com": false, "https://login.example.com?x=1": false, "https://login.example.com#x": false,
		"https://10.0.0.1": false, "https://169.254.169.254": false, "https://a.localhost": true, "": false, "https://\x00": false,
	} {
		if got := b.Acceptable(address); got != want {
			t.Errorf("%q: got acceptable %v, want %v", address, got, want)
		}
	}
}
