package client

import (
	"context"
	"net/http"
)

// Webhook is where the tenant hears of reminders that come due, in the form of Standard Webhooks.
type Webhook struct {
	URL    string `json:"url" doc:"Where requests are posted." example:"https://agent.example.com/hooks/recaller"`
	Secret string `json:"secret" doc:"What the requests are signed with: whsec_ and base64. Only admin keys see it." example:"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"`
}

// WebhookInput is a webhook to set.
type WebhookInput struct {
	URL    string `json:"url" doc:"Where to post; http or https." example:"https://agent.example.com/hooks/recaller"`
	Secret string `json:"secret,omitempty" doc:"What to sign with: whsec_ and the base64 of 24 to 64 bytes. If not said: the one there is, else a new one." example:"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"`
}

// Webhook reads the tenant's webhook. IsNotFound tells that there is none. It needs an admin key.
func (c *Client) Webhook(ctx context.Context) (Webhook, error) {
	var out Webhook
	return out, c.get(ctx, path("webhook"), nil, &out)
}

// SetWebhook sets the tenant's webhook. It needs an admin key.
func (c *Client) SetWebhook(ctx context.Context, in WebhookInput) (Webhook, error) {
	var out Webhook
	return out, c.do(ctx, request{method: http.MethodPut, path: path("webhook"), body: in, out: &out})
}

// DeleteWebhook removes the tenant's webhook. Reminders that come due then reach nobody. It needs an admin key.
func (c *Client) DeleteWebhook(ctx context.Context) error {
	return c.do(ctx, request{method: http.MethodDelete, path: path("webhook")})
}
