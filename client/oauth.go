package client

import (
	"context"
	"net/http"

	"github.com/recallerhq/recaller"
)

// OAuthInput says whose access tokens a tenant takes over MCP.
type OAuthInput struct {
	Issuer      string                    `json:"issuer" doc:"The authorization server: an https URL, exactly as its tokens have it in iss. Its metadata (RFC 8414, or OpenID Connect Discovery) must lead to its keys." example:"https://login.example.com"`
	Audience    string                    `json:"audience,omitempty" doc:"What its tokens must have in aud; the tenant's MCP address by default. No other tenant may have the same with the same issuer." example:"https://memory.example.com/mcp"`
	Scopes      map[string]recaller.Scope `json:"scopes,omitempty" doc:"What a scope value of a token allows, read or agent; by default memory:read allows read, and memory:write agent. A token without one of these values is let in nowhere."`
	CallerClaim string                    `json:"caller_claim,omitempty" doc:"A claim that binds a connection to one caller: its name, if it has a number such as +4930901820, or ext: and its name, if it has an id of your own. A token without it is refused then." example:"ext:sub"`
}

// OAuth says whose access tokens a tenant takes over MCP, and where clients find that out.
type OAuth struct {
	Issuer      string                    `json:"issuer" doc:"The authorization server." example:"https://login.example.com"`
	Audience    string                    `json:"audience" doc:"What its tokens must have in aud." example:"https://memory.example.com/mcp"`
	Scopes      map[string]recaller.Scope `json:"scopes" doc:"What a scope value of a token allows."`
	CallerClaim string                    `json:"caller_claim,omitempty" doc:"The claim that binds a connection to one caller." example:"ext:sub"`
	Resource    string                    `json:"resource" doc:"The tenant's MCP address, for which clients ask for tokens." example:"https://memory.example.com/mcp"`
	Ready       bool                      `json:"ready" doc:"Whether the issuer's keys could be read just now. If not: it is away, mistyped, or on a host that the server may not ask; the log says why." example:"true"`
	MetadataURL string                    `json:"metadata_url" doc:"Where clients find the authorization server (RFC 9728); anybody may read it." example:"https://memory.example.com/.well-known/oauth-protected-resource/mcp"`
}

// OAuth reads whose access tokens the tenant takes. IsNotFound tells that it takes nobody's. It needs an admin key.
func (c *Client) OAuth(ctx context.Context) (OAuth, error) {
	var out OAuth
	return out, c.get(ctx, path("oauth"), nil, &out)
}

// SetOAuth sets whose access tokens the tenant takes. It needs an admin key.
func (c *Client) SetOAuth(ctx context.Context, in OAuthInput) (OAuth, error) {
	var out OAuth
	return out, c.do(ctx, request{method: http.MethodPut, path: path("oauth"), body: in, out: &out})
}

// DeleteOAuth has the tenant take no access tokens any more. It needs an admin key.
func (c *Client) DeleteOAuth(ctx context.Context) error {
	return c.do(ctx, request{method: http.MethodDelete, path: path("oauth")})
}
