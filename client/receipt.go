package client

import (
	"context"

	"github.com/recallerhq/recaller"
)

// ReceiptCheck tells what holds of a receipt that somebody kept.
type ReceiptCheck struct {
	Intact bool `json:"intact" doc:"The signature is of the key that the receipt names, over every word of it." example:"true"`
	Ours   bool `json:"ours" doc:"And that key is this installation's: it was issued here." example:"true"`
}

// CheckReceipt checks the receipt of an erasure, however old.
func (c *Client) CheckReceipt(ctx context.Context, r recaller.Receipt) (ReceiptCheck, error) {
	var out ReceiptCheck
	return out, c.post(ctx, path("receipts", "check"), r, &out)
}
