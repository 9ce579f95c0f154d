// Package carrier speaks to the API of a telephone platform: it has a text sent, or a telephone rung. Twilio does both,
// Telnyx sends texts.
//
// One Text or Ring is one request. It is not for trying again (jobs), nor for what comes in (telephony, texting), nor for
// who may be texted and when. Its errors hold no number, no word and no key.
package carrier

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
	"unicode/utf8"

	"github.com/recallerhq/recaller"
)

// Where the carriers' APIs are.
const (
	TwilioURL = "https://api.twilio.com"
	TelnyxURL = "https://api.telnyx.com/v2"
)

// DefaultTimeout bounds a request, its answer included.
const DefaultTimeout = 10 * time.Second

// Bounds of a request and its answer.
const (
	MaxWords  = 1600      // characters of a text, on every channel: Twilio's error 21617 (twilio.com/docs/api/errors/21617)
	maxAnswer = 256 << 10 // bytes of an answer that are read
)

// Settings are by what the carriers know us. The zero value can send nothing.
type Settings struct {
	TwilioAccount string   // the account's SID
	TwilioTokens  []string // its auth token; while one replaces another, both: the first that is taken counts
	TwilioURL     string   // empty: TwilioURL
	TelnyxKey     string
	TelnyxURL     string        // with the version; empty: TelnyxURL
	Timeout       time.Duration // 0: DefaultTimeout
}

// Client sends by the carriers. Safe for concurrent use. Make it with New.
type Client struct {
	s      Settings
	client *http.Client
}

// New returns a Client. It does no I/O.
func New(s Settings) *Client {
	s.TwilioURL = strings.TrimRight(cmp.Or(s.TwilioURL, TwilioURL), "/")
	s.TelnyxURL = strings.TrimRight(cmp.Or(s.TelnyxURL, TelnyxURL), "/")
	return &Client{s, &http.Client{
		Timeout:       cmp.Or(s.Timeout, DefaultTimeout),
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }, // the key is for the carrier
	}}
}

// Texts lists the carriers that texts can be sent by: those whose keys are there.
func (c *Client) Texts() (out []recaller.Carrier) {
	if c.s.TwilioAccount != "" && len(c.s.TwilioTokens) > 0 {
		out = append(out, recaller.CarrierTwilio)
	}
	if c.s.TelnyxKey != "" {
		out = append(out, recaller.CarrierTelnyx)
	}
	return out
}

// Rings lists the carriers that telephones can be rung by.
func (c *Client) Rings() []recaller.Carrier {
	return slices.DeleteFunc(c.Texts(), func(by recaller.Carrier) bool { return by == recaller.CarrierTelnyx })
}

// Text has a text sent, and returns the carrier's id of it. The carrier has taken it then; whether it arrives, it tells
// the address StatusTo.
//
// Errors are ErrOptedOut, Invalid (the carrier refuses this text, or this number), Unauthenticated and NotFound (it does
// not take our key, or does not know our account), Exhausted (too many at once), Unavailable (it cannot be reached, or is
// in trouble itself), and Timeout: it may have taken the text, and told us nothing. Who sends again after that may have
// it sent twice.
func (c *Client) Text(ctx context.Context, t recaller.PhoneText) (id string, err error) {
	switch {
	case !slices.Contains(c.Texts(), t.Carrier):
		return "", noKeys(t.Carrier)
	case t.Channel != recaller.ChannelSMS && t.Channel != recaller.ChannelWhatsApp:
		return "", recaller.Errorf(recaller.Invalid, "a text goes out by sms or whatsapp")
	case t.Words == "" || utf8.RuneCountInString(t.Words) > MaxWords:
		return "", recaller.Errorf(recaller.Invalid, "a text must have 1 to %d characters", MaxWords)
	case t.Carrier == recaller.CarrierTelnyx:
		return c.telnyxText(ctx, t)
	}
	return c.twilioText(ctx, t)
}

// Ring has a telephone rung, and returns the carrier's id of the call. What happens then, it asks and tells the
// addresses. Errors are those of Text.
func (c *Client) Ring(ctx context.Context, r recaller.PhoneRing) (id string, err error) {
	if !slices.Contains(c.Rings(), r.Carrier) {
		return "", noKeys(r.Carrier)
	}
	return c.twilioRing(ctx, r)
}

func noKeys(by recaller.Carrier) error {
	if !by.Valid() {
		return recaller.Errorf(recaller.Invalid, "the carrier must be one of %v", recaller.Carriers())
	}
	return recaller.Errorf(recaller.Unauthenticated, "there are no keys for %s", by)
}

// refusal is the cause of an error that came of an answer. The carrier's own words may hold the number, and are not kept.
type refusal struct {
	status int
	code   string // the carrier's number for what is wrong; empty: it told none
}

// Error names the status and the code.
func (r refusal) Error() string {
	if r.code == "" {
		return fmt.Sprintf("status %d", r.status)
	}
	return fmt.Sprintf("status %d, code %s", r.status, r.code)
}

// StatusCode returns the status of the answer.
func (r refusal) StatusCode() int { return r.status }

// Code returns the carrier's number for what is wrong, which its documentation explains; empty: it told none.
func (r refusal) Code() string { return r.code }

// stopped are the carriers' numbers for a text to somebody who told them to stop: twilio.com/docs/api/errors/21610,
// developers.telnyx.com/api/errors/40300. Telnyx sends the status 409 with it.
var stopped = map[recaller.Carrier]string{recaller.CarrierTwilio: "21610", recaller.CarrierTelnyx: "40300"}

// verdict says what a refusal means.
func verdict(by recaller.Carrier, r refusal) error {
	name := string(by)
	switch {
	case r.code != "" && r.code == stopped[by]:
		return recaller.ErrOptedOut
	case r.status == http.StatusUnauthorized || r.status == http.StatusForbidden:
		return recaller.Wrap(recaller.Unauthenticated, r, "%s does not take the key", name)
	case r.status == http.StatusNotFound || r.status < http.StatusBadRequest:
		return recaller.Wrap(recaller.NotFound, r, "%s does not know the account or the address", name)
	case r.status == http.StatusTooManyRequests || r.status == http.StatusPaymentRequired:
		return recaller.Wrap(recaller.Exhausted, r, "%s takes no more for now", name)
	case r.status >= http.StatusInternalServerError || r.status == http.StatusRequestTimeout:
		return recaller.Wrap(recaller.Unavailable, r, "%s is in trouble", name)
	}
	return recaller.Wrap(recaller.Invalid, r, "%s refuses it", name)
}

// send sends a request, and reads the answer into out. codes reads the carrier's number out of a refusal.
func (c *Client) send(by recaller.Carrier, req *http.Request, out any, code func(body []byte) string) error {
	var sent atomic.Bool
	ctx := httptrace.WithClientTrace(req.Context(), &httptrace.ClientTrace{
		WroteRequest: func(httptrace.WroteRequestInfo) { sent.Store(true) },
	})
	req.Header.Set("User-Agent", "recaller")
	req.Header.Set("Accept", "application/json")
	res, err := c.client.Do(req.WithContext(ctx))
	if err != nil {
		return unreached(by, err, sent.Load())
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	switch {
	case res.StatusCode > 299:
		return verdict(by, refusal{res.StatusCode, digits(code(body))})
	case err == nil:
		err = json.Unmarshal(body, out)
	}
	if err != nil { // it has taken it, and said so in a way that we cannot read
		return recaller.Errorf(recaller.Timeout, "the answer of %s could not be read: it may have taken it", by)
	}
	return nil
}

// digits is a code as carriers have them; empty: it is none.
func digits(code string) string {
	if len(code) > 12 || strings.Trim(code, "0123456789") != "" {
		return ""
	}
	return code
}

// unreached says why there was no answer. The client's own error names the address, so only its sort is told. sent: the
// request may have arrived.
func unreached(by recaller.Carrier, err error, sent bool) error {
	if sent {
		return recaller.Errorf(recaller.Timeout, "%s did not answer: it may have taken it", by)
	}
	var (
		name *net.DNSError
		slow net.Error
	)
	why := "the connection broke"
	switch {
	case errors.As(err, &name):
		why = "its name is not known"
	case errors.Is(err, syscall.ECONNREFUSED):
		why = "it refused the connection"
	case errors.As(err, &slow) && slow.Timeout():
		why = "the connection took too long"
	}
	return recaller.Errorf(recaller.Unavailable, "%s cannot be reached: %s", by, why)
}
