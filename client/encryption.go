package client

import (
	"context"
	"net/http"
)

// Encryption says how the data is sealed.
type Encryption struct {
	MasterKeyID         string         `json:"master_key_id" doc:"The id of the key-encryption key; it says nothing of the key." example:"5f2c9a70"`
	From                string         `json:"from" enum:"file,environment" doc:"Where that key came from at the start." example:"file"`
	DataKeys            int            `json:"data_keys" doc:"How many data keys there are: one for each caller and tenant." example:"120"`
	DataKeysByMasterKey map[string]int `json:"data_keys_by_master_key_id" doc:"How many of them each key-encryption key wraps; one entry when no rotation is under way."`
	Rotating            *Rotation      `json:"rotating,omitempty" doc:"How far a rotation is; left out if none was begun since the start."`
}

// Rotation is how far a change of the key-encryption key is.
type Rotation struct {
	Running bool `json:"running" doc:"It goes on." example:"true"`
	Failed  bool `json:"failed,omitempty" doc:"It ended before it was through; it may be begun again, and goes on where it was." example:"false"`
	Done    int  `json:"done" doc:"Data keys that are wrapped anew." example:"80"`
	Total   int  `json:"total" doc:"Data keys to wrap anew." example:"120"`
}

// Encryption reads how the data is sealed. It needs an admin key of the tenant default.
func (c *Client) Encryption(ctx context.Context) (Encryption, error) {
	var out Encryption
	return out, c.get(ctx, path("encryption"), nil, &out)
}

// RotateEncryption begins to wrap every data key with a new key-encryption key. While a rotation runs, it changes
// nothing and tells how far that one is. It needs an admin key of the tenant default. It is never retried: once a
// rotation is done, a repeat begins another.
func (c *Client) RotateEncryption(ctx context.Context) (Encryption, error) {
	var out Encryption
	return out, c.do(ctx, request{method: http.MethodPost, path: path("encryption", "rotate"), out: &out, once: true})
}
