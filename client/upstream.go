package client

import (
	"context"
	"net/http"
)

// Upstream is where the tenant's requests through the proxy go on to. Its key is told to nobody.
type Upstream struct {
	BaseURL   string `json:"base_url" doc:"The endpoint, with its version." example:"https://api.openai.com/v1"`
	Model     string `json:"model,omitempty" doc:"The model that is asked for, whatever a request names; left out: the one that it names." example:"gpt-4.1-mini"`
	APIKeySet bool   `json:"api_key_set" doc:"Whether there is a key, for requests that bring none of the provider's own. It is never shown." example:"true"`
}

// UpstreamInput is an upstream to set.
type UpstreamInput struct {
	BaseURL string  `json:"base_url" doc:"An endpoint that speaks OpenAI's protocol, with its version; http or https, on a public host." example:"https://api.openai.com/v1"`
	Model   string  `json:"model,omitempty" doc:"The model to ask for, whatever a request names. If not said: the one that it names." example:"gpt-4.1-mini"`
	APIKey  *string `json:"api_key,omitempty" doc:"Its key, for requests that bring none of the provider's own. If not said: the one there is stays, unless base_url changes; empty: none." example:"sk-proj-T3BlbkFJ"`
}

// Upstream reads where the tenant's requests through the proxy go on to. IsNotFound tells that it has none of its own. It
// needs an admin key.
func (c *Client) Upstream(ctx context.Context) (Upstream, error) {
	var out Upstream
	return out, c.get(ctx, path("upstream"), nil, &out)
}

// SetUpstream sets where the tenant's requests through the proxy go on to. It needs an admin key.
func (c *Client) SetUpstream(ctx context.Context, in UpstreamInput) (Upstream, error) {
	var out Upstream
	return out, c.do(ctx, request{method: http.MethodPut, path: path("upstream"), body: in, out: &out})
}

// DeleteUpstream has the tenant's requests go on to the server's own upstream again. It needs an admin key.
func (c *Client) DeleteUpstream(ctx context.Context) error {
	return c.do(ctx, request{method: http.MethodDelete, path: path("upstream")})
}
