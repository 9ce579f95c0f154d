package carrier

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
)

// whatsapp begins an address of WhatsApp's.
const whatsapp = "whatsapp:"

// made is what Twilio answers where it made something.
type made struct {
	SID string `json:"sid"`
}

func (c *Client) twilioText(ctx context.Context, t recaller.PhoneText) (string, error) {
	from, to := t.From, t.To
	if t.Channel == recaller.ChannelWhatsApp {
		from, to = whatsapp+from, whatsapp+to
	}
	form := url.Values{"From": {from}, "To": {to}, "Body": {t.Words}}
	if t.StatusTo != "" {
		form.Set("StatusCallback", t.StatusTo)
	}
	return c.twilio(ctx, "Messages", form)
}

func (c *Client) twilioRing(ctx context.Context, r recaller.PhoneRing) (string, error) {
	form := url.Values{"From": {r.From}, "To": {r.To}, "Url": {r.AnswerAt}}
	if r.StatusTo != "" {
		form.Set("StatusCallback", r.StatusTo)
		if len(r.Events) > 0 {
			form["StatusCallbackEvent"] = r.Events
		}
	}
	if r.Ringing > 0 {
		form.Set("Timeout", strconv.Itoa(int((r.Ringing+time.Second-1)/time.Second)))
	}
	if r.Detect != "" {
		form.Set("MachineDetection", r.Detect)
	}
	return c.twilio(ctx, "Calls", form)
}

// twilio has Twilio make something. A token that it does not take is followed by the next: while one replaces another,
// nobody can tell which of them counts.
func (c *Client) twilio(ctx context.Context, what string, form url.Values) (id string, err error) {
	address := c.s.TwilioURL + "/2010-04-01/Accounts/" + url.PathEscape(c.s.TwilioAccount) + "/" + what + ".json"
	for _, token := range c.s.TwilioTokens {
		req, bad := http.NewRequestWithContext(ctx, http.MethodPost, address, strings.NewReader(form.Encode()))
		if bad != nil {
			return "", recaller.Errorf(recaller.NotFound, "the address of twilio is not usable")
		}
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		req.SetBasicAuth(c.s.TwilioAccount, token)
		var got made
		if err = c.send(recaller.CarrierTwilio, req, &got, twilioCode); err == nil {
			return got.SID, nil
		}
		if recaller.KindOf(err) != recaller.Unauthenticated {
			return "", err
		}
	}
	return "", err
}

// twilioCode reads Twilio's number for what is wrong.
func twilioCode(body []byte) string {
	var told struct {
		Code json.Number `json:"code"`
	}
	_ = json.Unmarshal(body, &told) // the status says enough
	return told.Code.String()
}
