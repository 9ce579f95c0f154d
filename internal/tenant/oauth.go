package tenant

import (
	"context"
	"errors"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/recallerhq/recaller"
)

// Issuers checks access tokens; *oauth.Verifier does.
type Issuers interface {
	// Verify returns what a token of an issuer's for an audience says, or an Unauthenticated or Unavailable error.
	Verify(ctx context.Context, issuer, audience, token string) (recaller.Claims, error)
	// Acceptable reports whether a URL may be an issuer's, as far as it shows.
	Acceptable(issuer string) bool
	// Ready reports whether an issuer's keys can be had.
	Ready(ctx context.Context, issuer string) bool
}

// Bounds of what a tenant sets for access tokens.
const (
	maxIdentifier = 500 // bytes of an issuer, an audience
	maxScopes     = 20
	maxWord       = 100    // bytes of a scope value, the name of a claim
	external      = "ext:" // before the name of a claim: it has an id of the application's own, and no number
)

// MCPPath is where the door for MCP is: the tenant default's address. That of another tenant is below it, by its id.
const MCPPath = "/mcp"

// MetadataPath is where clients find by which access tokens an address is opened (RFC 9728); the path of the address follows.
const MetadataPath = "/.well-known/oauth-protected-resource"

// DefaultScopes are what scope values of tokens allow where a tenant says nothing of them.
func DefaultScopes() map[string]recaller.Scope {
	return map[string]recaller.Scope{"memory:read": recaller.ScopeRead, "memory:write": recaller.ScopeAgent}
}

// OAuth returns whose access tokens a tenant takes, the audience filled in; the zero value if nobody's.
func (s *Service) OAuth(ctx context.Context, tenant recaller.TenantID) (recaller.OAuth, error) {
	t, err := s.Tenant(ctx, tenant)
	if err != nil || !t.OAuth.Set() {
		return recaller.OAuth{}, err
	}
	o := t.OAuth
	o.Audience = s.audience(t)
	return o, nil
}

// IssuerReady reports whether the keys of an issuer can be had, by which its tokens are checked. It may take seconds.
func (s *Service) IssuerReady(ctx context.Context, issuer string) bool {
	return s.Issuers != nil && s.Issuers.Ready(ctx, issuer)
}

// SetOAuth sets whose access tokens a tenant takes. It fails with Conflict where the server does not know by which URL
// it is reached, and where another tenant has the same issuer with the same audience: its tokens would open both.
func (s *Service) SetOAuth(ctx context.Context, tenant recaller.TenantID, o recaller.OAuth) (recaller.OAuth, error) {
	if s.PublicURL == "" || s.Issuers == nil {
		return o, recaller.Errorf(recaller.Conflict,
			"access tokens need an address to be for: the operator has to set RECALLER_PUBLIC_URL first")
	}
	if len(o.Scopes) == 0 {
		o.Scopes = DefaultScopes()
	}
	if o.Audience == s.resource(tenant) {
		o.Audience = "" // it moves with the public URL
	}
	if err := s.validOAuth(o); err != nil {
		return o, err
	}
	if _, err := s.Update(ctx, tenant, func(t *recaller.Tenant) error {
		t.OAuth = o
		return nil
	}); err != nil {
		return o, err
	}
	return s.OAuth(ctx, tenant)
}

// DeleteOAuth has a tenant take no access tokens any more; none is no error. This process refuses them at once, others
// within ten seconds.
func (s *Service) DeleteOAuth(ctx context.Context, tenant recaller.TenantID) error {
	_, err := s.Update(ctx, tenant, func(t *recaller.Tenant) error {
		t.OAuth = recaller.OAuth{}
		return nil
	})
	return err
}

func (s *Service) validOAuth(o recaller.OAuth) error {
	if len(o.Issuer) > maxIdentifier || !s.Issuers.Acceptable(o.Issuer) {
		return recaller.InvalidField("issuer", "must be the https URL of an authorization server, without a query, of at most %d "+
			"bytes and on a public host: no other is asked, unless the server's RECALLER_WEBHOOK_ALLOW lists it", maxIdentifier)
	}
	if len(o.Audience) > maxIdentifier || odd(o.Audience) || s.ours(o.Audience) {
		return recaller.InvalidField("audience", "must be at most %d bytes without spaces, and not an address of this server's "+
			"other than the tenant's own, which it is by default", maxIdentifier)
	}
	if len(o.Scopes) > maxScopes {
		return recaller.InvalidField("scopes", "takes at most %d values", maxScopes)
	}
	for value, grants := range o.Scopes {
		if value == "" || len(value) > maxWord || strings.ContainsFunc(value, notScope) {
			return recaller.InvalidField("scopes", "must have names of 1 to %d characters of ASCII, without "+
				"spaces, quotation marks and backslashes, as scope values of tokens are", maxWord)
		}
		if grants != recaller.ScopeRead && grants != recaller.ScopeAgent {
			return recaller.InvalidField("scopes", "must allow read or agent: admin is for keys only")
		}
	}
	claim := strings.TrimPrefix(o.Caller, external)
	if len(claim) > maxWord || odd(claim) || claim == "" && o.Caller != "" {
		return recaller.InvalidField("caller_claim", "must be the name of a claim that has a number, or ext: and the name of one "+
			"that has an id of your own, of at most %d bytes", maxWord)
	}
	return nil
}

// odd reports whether a text has what no name of a thing has.
func odd(s string) bool {
	return !utf8.ValidString(s) || strings.ContainsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) })
}

// notScope reports whether a rune is none of those of a scope value (RFC 6749, 3.3).
func notScope(r rune) bool { return r <= ' ' || r > '~' || r == '"' || r == '\\' }

// resource is a tenant's address for MCP. Each tenant has its own, so that a token which is for it is for no other.
func (s *Service) resource(tenant recaller.TenantID) string {
	if tenant == recaller.DefaultTenant {
		return s.PublicURL + MCPPath
	}
	return s.PublicURL + MCPPath + "/" + url.PathEscape(string(tenant))
}

// ours reports whether an audience is the address of some tenant.
func (s *Service) ours(audience string) bool {
	rest, ok := strings.CutPrefix(audience, s.PublicURL+MCPPath)
	return ok && (rest == "" || rest[0] == '/')
}

// audience is what a token must be for.
func (s *Service) audience(t recaller.Tenant) string {
	if t.OAuth.Audience == "" || s.ours(t.OAuth.Audience) { // the latter: since the public URL changed
		return s.resource(t.ID)
	}
	return t.OAuth.Audience
}

// takes returns the settings of a tenant that takes access tokens; NotFound where there is none.
func (s *Service) takes(ctx context.Context, tenant recaller.TenantID) (recaller.Tenant, error) {
	if s.PublicURL == "" || s.Issuers == nil {
		return recaller.Tenant{}, recaller.Errorf(recaller.NotFound, "no access tokens are taken here")
	}
	t, err := s.Tenant(ctx, tenant)
	if err == nil && !t.OAuth.Set() || errors.Is(err, recaller.NotFound) {
		return t, recaller.Errorf(recaller.NotFound, "no access tokens are taken here")
	}
	return t, err
}

// Protected returns what everybody may know of a tenant that takes access tokens. NotFound, always the same, where it
// takes none and where there is no such tenant.
func (s *Service) Protected(ctx context.Context, tenant recaller.TenantID) (recaller.Protected, error) {
	t, err := s.takes(ctx, tenant)
	if err != nil {
		return recaller.Protected{}, err
	}
	p := recaller.Protected{Resource: s.resource(tenant), Issuer: t.OAuth.Issuer, Scopes: t.OAuth.Scopes}
	u, err := url.Parse(p.Resource)
	if err != nil {
		return p, recaller.Wrap(recaller.Internal, err, "the public URL is none")
	}
	p.Metadata = u.Scheme + "://" + u.Host + MetadataPath + u.EscapedPath()
	return p, nil
}

// Bearer returns what an access token lets in at a tenant's address. It fails with NotFound where the tenant takes none,
// and else as Issuers.Verify does.
func (s *Service) Bearer(ctx context.Context, tenant recaller.TenantID, token string) (recaller.Access, error) {
	t, err := s.takes(ctx, tenant)
	if err != nil {
		return recaller.Access{}, err
	}
	claims, err := s.Issuers.Verify(ctx, t.OAuth.Issuer, s.audience(t), token)
	if err != nil {
		return recaller.Access{}, err
	}
	alias, err := s.Store.Alias(ctx, tenant, t.OAuth.Issuer, claims.Subject)
	if err != nil {
		return recaller.Access{}, err
	}
	out := recaller.Access{Tenant: tenant, Key: recaller.KeyID("oauth_" + alias), Scope: granted(t.OAuth.Scopes, claims.Scopes)}
	if t.OAuth.Caller != "" {
		out.Caller, err = boundTo(t.OAuth.Caller, claims.All)
	}
	return out, err
}

// granted returns the most that a token's scope values allow; empty: nothing.
func granted(scopes map[string]recaller.Scope, values []string) recaller.Scope {
	var most recaller.Scope
	for _, v := range values {
		if g := scopes[v]; g.Allows(recaller.ScopeRead) && !most.Allows(g) {
			most = g
		}
	}
	return most
}

// boundTo reads whom a token is bound to.
func boundTo(setting string, claims map[string]any) (string, error) {
	name, isID := strings.CutPrefix(setting, external)
	value, _ := claims[name].(string)
	verified, told := claims[name+"_verified"].(bool) // as OpenID Connect has phone_number_verified
	switch {
	case value == "", told && !verified:
		return "", recaller.Errorf(recaller.Unauthenticated, "the access token does not say which caller it is bound to")
	case isID:
		return external + value, nil
	case value[0] != '+':
		return "", recaller.Errorf(recaller.Unauthenticated, "the access token names its caller by what is no number with + before it")
	}
	return value, nil
}
