package carrier

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/recallerhq/recaller"
)

func (c *Client) telnyxText(ctx context.Context, t recaller.PhoneText) (string, error) {
	ask := map[string]string{"from": t.From, "to": t.To, "text": t.Words}
	if t.Channel == recaller.ChannelWhatsApp {
		return "", recaller.Errorf(recaller.Invalid, "texts of WhatsApp go out by twilio only")
	}
	if t.StatusTo != "" {
		ask["webhook_url"] = t.StatusTo
	}
	body, err := json.Marshal(ask)
	if err != nil {
		return "", recaller.Wrap(recaller.Internal, err, "write a text")
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.s.TelnyxURL+"/messages", bytes.NewReader(body))
	if err != nil {
		return "", recaller.Errorf(recaller.NotFound, "the address of telnyx is not usable")
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+c.s.TelnyxKey)
	var got struct {
		Data struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	err = c.send(recaller.CarrierTelnyx, req, &got, telnyxCode)
	return got.Data.ID, err
}

// telnyxCode reads Telnyx's number for what is wrong: a text or a number.
func telnyxCode(body []byte) string {
	var told struct {
		Errors []struct {
			Code json.RawMessage `json:"code"`
		} `json:"errors"`
	}
	if json.Unmarshal(body, &told) != nil || len(told.Errors) == 0 {
		return ""
	}
	return strings.Trim(string(told.Errors[0].Code), `"`)
}
