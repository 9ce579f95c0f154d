package recaller

import (
	"errors"
	"maps"
	"slices"
)

// OAuth says whose access tokens a tenant takes at its address for MCP, and what they allow. The zero value: nobody's.
type OAuth struct {
	Issuer   string           // the authorization server, by the URL that its tokens have as iss
	Audience string           // what tokens must have in aud; empty: the tenant's address for MCP
	Scopes   map[string]Scope // what a scope value of a token allows; never ScopeAdmin
	// Caller is the claim that binds a connection to one caller: of a number (+49…), or, after "ext:", of an id of the
	// application's own. Empty: a token may ask about every caller of the tenant.
	Caller string
}

// Set reports whether there is an issuer.
func (o OAuth) Set() bool { return o.Issuer != "" }

// Protected is what everybody may know of a tenant that takes access tokens, so that clients can get one (RFC 9728).
type Protected struct {
	Resource string // the tenant's address for MCP
	Metadata string // where this is told
	Issuer   string
	Scopes   map[string]Scope
}

// Wanted returns the scope value that a token lacks for what needs a scope: of those that allow the least which is enough,
// the first by name. Empty: none does.
func (p Protected) Wanted(need Scope) []string {
	for _, s := range []Scope{ScopeRead, ScopeAgent} {
		for _, value := range slices.Sorted(maps.Keys(p.Scopes)) {
			if s.Allows(need) && p.Scopes[value] == s {
				return []string{value}
			}
		}
	}
	return nil
}

// Claims are what an access token says, once its signature, issuer, audience and times were found right.
type Claims struct {
	Subject string
	Scopes  []string
	All     map[string]any
}

// Access is what an access token lets in.
type Access struct {
	Tenant TenantID
	Key    KeyID // stands for issuer and subject, and tells neither
	Scope  Scope // the most that the token's scope values allow; empty: nothing
	Caller string
}

// ErrLapsed is the cause of an Unauthenticated error about an access token that was right until it expired. Whoever
// shows one has guessed nothing.
var ErrLapsed = errors.New("the access token has expired")
