package visitor_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/visitor"
)

var (
	secret = []byte("0123456789abcdef0123456789abcdef")
	now    = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	until  = now.Add(time.Hour)
)

const tenant = recaller.TenantID("t1")

// A token says who somebody is until it lapses, to the tenant whose secret signed it.
func TestATokenSaysWhoSomebodyIs(t *testing.T) {
	t.Parallel()
	want := recaller.Visitor{ExternalID: "kundin ö/7", Name: "Anna Weber", SignedIn: true, Until: until}
	token := visitor.Signed(secret, tenant, want)
	if got, err := visitor.Read(secret, tenant, token, now); err != nil || got != want {
		t.Errorf("got %+v, %v", got, err)
	}
	if _, err := visitor.Read(secret, tenant, token, until); !errors.Is(err, recaller.Unauthenticated) || !errors.Is(err, recaller.ErrLapsed) {
		t.Errorf("lapsed: got %v", err)
	}
	for what, read := range map[string]func() (recaller.Visitor, error){
		"another tenant": func() (recaller.Visitor, error) { return visitor.Read(secret, "t2", token, now) },
		"another secret": func() (recaller.Visitor, error) { return visitor.Read([]byte("another"), tenant, token, now) },
		"no secret": func() (recaller.Visitor, error) {
			return visitor.Read(nil, tenant, visitor.Signed(nil, tenant, want), now)
		},
		"a byte more":     func() (recaller.Visitor, error) { return visitor.Read(secret, tenant, token+"A", now) },
		"a space":         func() (recaller.Visitor, error) { return visitor.Read(secret, tenant, token+" ", now) },
		"another version": func() (recaller.Visitor, error) { return visitor.Read(secret, tenant, "rcv2"+token[4:], now) },
		"nobody": func() (recaller.Visitor, error) {
			return visitor.Read(secret, tenant, visitor.Signed(secret, tenant, recaller.Visitor{Until: until}), now)
		},
		"what is not known": func() (recaller.Visitor, error) {
			return visitor.Read(secret, tenant, sealed(`{"x":"a","e":4102444800,"admin":true}`), now)
		},
		"both kinds": func() (recaller.Visitor, error) {
			return visitor.Read(secret, tenant, sealed(`{"x":"a","r":"`+base64.StdEncoding.EncodeToString(make([]byte, 32))+`","e":4102444800}`), now)
		},
		"too little random": func() (recaller.Visitor, error) {
			return visitor.Read(secret, tenant, sealed(`{"r":"AAAA","e":4102444800}`), now)
		},
		"empty": func() (recaller.Visitor, error) { return visitor.Read(secret, tenant, "", now) },
	} {
		if got, err := read(); !errors.Is(err, recaller.Unauthenticated) || errors.Is(err, recaller.ErrLapsed) || got != (recaller.Visitor{}) {
			t.Errorf("%s: got %+v, %v", what, got, err)
		}
	}
}

// sealed signs whatever it is given, as the package does.
func sealed(body string) string {
	h := hmac.New(sha256.New, secret)
	h.Write([]byte("recaller web chat, visitor's token, 1\x00t1\x00" + body))
	enc := base64.RawURLEncoding
	return "rcv1." + enc.EncodeToString([]byte(body)) + "." + enc.EncodeToString(h.Sum(nil))
}

// Whoever nobody knows is the same caller each time, also with a token that was renewed, and his id tells nothing of the token.
func TestAnAnonymousVisitorStaysTheSame(t *testing.T) {
	t.Parallel()
	random := [visitor.Random]byte{1, 2, 3}
	token, who := visitor.Anonymous(secret, tenant, random, until)
	if !strings.HasPrefix(who.ExternalID, recaller.VisitorPrefix) || len(who.ExternalID) < 38 || who.SignedIn || who.Until != until {
		t.Errorf("got %+v", who)
	}
	if got, err := visitor.Read(secret, tenant, token, now); err != nil || got != who {
		t.Errorf("got %+v, %v", got, err)
	}
	longer, err := visitor.Renewed(secret, tenant, token, until.Add(time.Hour))
	got, err2 := visitor.Read(secret, tenant, longer, until)
	if err != nil || err2 != nil || got.ExternalID != who.ExternalID || got.Until != until.Add(time.Hour) {
		t.Errorf("got %+v, %v, %v", got, err, err2)
	}
	if _, other := visitor.Anonymous(secret, tenant, [visitor.Random]byte{1, 2, 4}, until); other.ExternalID == who.ExternalID {
		t.Error("two visitors are one")
	}
	if _, err := visitor.Renewed(secret, tenant, visitor.Signed(secret, tenant, recaller.Visitor{ExternalID: "a", Until: until}), until); err == nil {
		t.Error("who is signed in is renewed by nobody but his application")
	}
}

// Nothing that somebody makes up is a token.
func FuzzToken(f *testing.F) {
	token, _ := visitor.Anonymous(secret, tenant, [visitor.Random]byte{}, until)
	f.Add(token)
	f.Add("rcv1..")
	f.Add("rcv1.e30.")
	f.Fuzz(func(t *testing.T, made string) {
		if v, err := visitor.Read(secret, tenant, made, now); err == nil && made != token {
			t.Errorf("%q makes somebody %+v", made, v)
		}
	})
}
