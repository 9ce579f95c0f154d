package client

import (
	"context"
	"net/http"
)

// Health is what the health checks answer when all is well.
type Health struct {
	Status string `json:"status" enum:"ok,ready" doc:"ok: the process runs; ready: it can serve." example:"ok"`
}

// Healthy asks whether the server runs.
func (c *Client) Healthy(ctx context.Context) error {
	return c.do(ctx, request{method: http.MethodGet, path: "/healthz", once: true})
}

// Ready asks whether the server can serve; the error says what is missing.
func (c *Client) Ready(ctx context.Context) error {
	return c.do(ctx, request{method: http.MethodGet, path: "/readyz", once: true})
}

// OpenAPI reads the description of the API, as JSON.
func (c *Client) OpenAPI(ctx context.Context) ([]byte, error) {
	var out []byte
	return out, c.do(ctx, request{method: http.MethodGet, path: "/openapi.json", out: &out})
}

// OpenAPIYAML reads the description of the API, as YAML.
func (c *Client) OpenAPIYAML(ctx context.Context) ([]byte, error) {
	var out []byte
	return out, c.do(ctx, request{method: http.MethodGet, path: "/openapi.yaml", out: &out})
}

// Metrics reads the server's metrics in Prometheus' text format.
func (c *Client) Metrics(ctx context.Context) ([]byte, error) {
	var out []byte
	return out, c.do(ctx, request{method: http.MethodGet, path: "/metrics", out: &out})
}
