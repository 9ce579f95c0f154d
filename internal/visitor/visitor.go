// Package visitor is the format of the tokens by which visitors of web pages are known (spec P17): what a token says, how it is
// signed, and when it counts. A token is of one tenant, whose secret signs it, and is good until it lapses.
//
//	rcv1.<what it says, JSON in base64>.<HMAC-SHA256, in base64>
//
// It says who an application signed in, or holds 256 random bits, of which the caller's external id is a hash: who reads the
// list of callers has no token. It is signed and not sealed, so whoever holds one can read it.
//
// It is not for who may have a token, nor how long (tenant).
package visitor

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
)

// MaxToken bounds a token, in bytes.
const MaxToken = 2048

// Random is how many random bytes the token of an anonymous visitor holds.
const Random = 32

const (
	prefix = "rcv1."
	signed = "recaller web chat, visitor's token, 1"
	hashed = "recaller web chat, anonymous visitor, 1"
	idSize = 20 // bytes of the hash that are an anonymous visitor's id
)

// said is what a token says.
type said struct {
	ExternalID string `json:"x,omitempty"` // of who is signed in
	Name       string `json:"n,omitempty"`
	Random     []byte `json:"r,omitempty"` // of who is not
	Until      int64  `json:"e"`           // seconds since 1970
}

// Signed returns the token of somebody who is signed in.
func Signed(secret []byte, tenant recaller.TenantID, v recaller.Visitor) string {
	return sign(secret, tenant, said{ExternalID: v.ExternalID, Name: v.Name, Until: v.Until.Unix()})
}

// Anonymous returns the token of somebody nobody knows, and whom it makes him.
func Anonymous(secret []byte, tenant recaller.TenantID, random [Random]byte, until time.Time) (string, recaller.Visitor) {
	s := said{Random: random[:], Until: until.Unix()}
	return sign(secret, tenant, s), s.visitor()
}

func sign(secret []byte, tenant recaller.TenantID, s said) string {
	body, _ := json.Marshal(s) //nolint:errchkjson // texts, bytes and a number
	return prefix + base64.RawURLEncoding.EncodeToString(body) + "." + base64.RawURLEncoding.EncodeToString(seal(secret, tenant, body))
}

// seal is what proves that the tenant's server said it.
func seal(secret []byte, tenant recaller.TenantID, body []byte) []byte {
	h := hmac.New(sha256.New, secret)
	_, _ = h.Write([]byte(signed + "\x00" + string(tenant) + "\x00")) // never fails (hash.Hash)
	_, _ = h.Write(body)
	return h.Sum(nil)
}

// Errors of tokens that do not count. They do not tell what was wrong, but for one that has only lapsed.
var (
	errForged = recaller.Errorf(recaller.Unauthenticated, "the visitor's token is not one of this chat's")
	errLapsed = recaller.Wrap(recaller.Unauthenticated, recaller.ErrLapsed, "the visitor's token has lapsed")
)

// Read returns whose token it is. It fails as Unauthenticated; where the token counted until lately, recaller.ErrLapsed is
// the cause.
func Read(secret []byte, tenant recaller.TenantID, token string, now time.Time) (recaller.Visitor, error) {
	s, err := read(secret, tenant, token)
	if err != nil {
		return recaller.Visitor{}, err
	}
	v := s.visitor()
	if !now.Before(v.Until) {
		return recaller.Visitor{}, errLapsed
	}
	return v, nil
}

// Renewed is the token of the same anonymous visitor, good for longer. It takes one that counts.
func Renewed(secret []byte, tenant recaller.TenantID, token string, until time.Time) (string, error) {
	s, err := read(secret, tenant, token)
	if err != nil || s.Random == nil {
		return "", errForged
	}
	s.Until = until.Unix()
	return sign(secret, tenant, s), nil
}

func read(secret []byte, tenant recaller.TenantID, token string) (said, error) {
	rest, ok := strings.CutPrefix(token, prefix)
	body64, seal64, found := strings.Cut(rest, ".")
	if !ok || !found || len(token) > MaxToken || len(secret) == 0 {
		return said{}, errForged
	}
	enc := base64.RawURLEncoding.Strict()
	body, err := enc.DecodeString(body64)
	proof, err2 := enc.DecodeString(seal64)
	if err != nil || err2 != nil || !hmac.Equal(proof, seal(secret, tenant, body)) {
		return said{}, errForged
	}
	var s said
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields() // of a version that this one does not know
	if d.Decode(&s) != nil || (s.ExternalID == "") == (len(s.Random) != Random) {
		return said{}, errForged
	}
	return s, nil
}

// visitor is whom a token makes somebody.
func (s said) visitor() recaller.Visitor {
	v := recaller.Visitor{ExternalID: s.ExternalID, Name: s.Name, SignedIn: s.ExternalID != "", Until: time.Unix(s.Until, 0).UTC()}
	if !v.SignedIn {
		sum := sha256.Sum256(append([]byte(hashed), s.Random...))
		v.ExternalID = recaller.VisitorPrefix + base64.RawURLEncoding.EncodeToString(sum[:idSize])
	}
	return v
}
