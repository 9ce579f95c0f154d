package client

import (
	"context"
	"net/http"
	"time"

	"github.com/recallerhq/recaller"
)

// Key is what is known of an API key; the key itself is never stored.
type Key struct {
	ID        string         `json:"id" doc:"Its id; it is not the key." example:"0199b7a2-6f1e-7c3a-9a51-0d6c5e1f2a40"`
	Scope     recaller.Scope `json:"scope" enum:"admin,agent,read" doc:"What it may do; each scope includes the weaker ones." example:"agent"`
	Label     string         `json:"label" doc:"What you called it." example:"phone line"`
	CreatedAt time.Time      `json:"created_at" doc:"When it was made." example:"2026-01-05T08:00:00Z"`
}

// KeyInput is a key to make.
type KeyInput struct {
	Scope recaller.Scope `json:"scope" enum:"admin,agent,read" doc:"What it may do: admin everything; agent read and write callers, conversations and memories; read only read." example:"agent"`
	Label string         `json:"label,omitempty" doc:"What you call it, at most 200 bytes." example:"phone line"`
}

// KeyResponse is a key that was made.
type KeyResponse struct {
	Key    Key    `json:"key" doc:"What is known of the key."`
	APIKey string `json:"api_key" doc:"The key. It is shown this once."`
}

// KeyList is every key of a tenant.
type KeyList struct {
	Keys    []Key `json:"keys" nullable:"false" doc:"The keys, without the secrets."`
	Damaged int   `json:"damaged,omitempty" doc:"How many stored rows of the list are damaged: they are left out, or marked unreadable. The log and recaller doctor name them; left out where there are none." example:"1"`
}

// CreateKey makes a key of the tenant's. It needs an admin key, and is never retried: a repeat would make another.
func (c *Client) CreateKey(ctx context.Context, in KeyInput) (KeyResponse, error) {
	var out KeyResponse
	return out, c.do(ctx, request{method: http.MethodPost, path: path("keys"), body: in, out: &out, once: true})
}

// Keys lists the tenant's keys. It needs an admin key.
func (c *Client) Keys(ctx context.Context) ([]Key, error) {
	var out KeyList
	err := c.get(ctx, path("keys"), nil, &out)
	return out.Keys, err
}

// DeleteKey ends a key. It needs an admin key.
func (c *Client) DeleteKey(ctx context.Context, id string) error {
	return c.do(ctx, request{method: http.MethodDelete, path: path("keys", id)})
}
