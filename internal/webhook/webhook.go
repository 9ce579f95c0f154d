// Package webhook sends what a tenant is to be told to the address that it gave, signed in the form of Standard
// Webhooks (https://www.standardwebhooks.com), so that the receiver can prove where a request comes from and throw away
// a repeat.
//
// One Send is one request. It is not for trying again (jobs), nor for what is sent and when (reminder, notify).
package webhook

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/endpoint/outward"
)

// DefaultTimeout bounds a request, its answer included.
const DefaultTimeout = 10 * time.Second

// maxAnswer is how much of an answer is read, so that its connection can serve again.
const maxAnswer = 64 << 10

// The headers of Standard Webhooks.
const (
	HeaderID        = "Webhook-Id"        // the same for every try at one event: receivers tell repeats by it
	HeaderTimestamp = "Webhook-Timestamp" // seconds since 1970, of this try
	HeaderSignature = "Webhook-Signature" // "v1," and base64; while two secrets count, one of each with a space between
)

// Options adjusts a Sender.
type Options struct {
	Transport http.RoundTripper // nil: one that reaches public addresses, and what is Allowed
	Allowed   outward.Allowed   // what the operator lists
	Timeout   time.Duration     // 0: DefaultTimeout
}

// Sender sends webhooks. Safe for concurrent use. Make it with New.
type Sender struct{ client *http.Client }

// New returns a Sender.
func New(opts Options) *Sender {
	if opts.Timeout <= 0 {
		opts.Timeout = DefaultTimeout
	}
	if opts.Transport == nil {
		opts.Transport = outward.Transport(opts.Allowed)
	}
	return &Sender{&http.Client{
		Transport:     opts.Transport,
		Timeout:       opts.Timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// Send posts a JSON body to a webhook, signed with its secret, and with the one before while that counts. nil: the receiver answered with a status of 200 to 299.
// Errors are Invalid (it refused, redirected, or the webhook is not usable), Timeout, and Unavailable (it could not be
// reached, or is in trouble itself: it answered with 5xx, 408 or 429). An error that came of an answer has a cause with
// a method StatusCode. No error holds the address, which may be secret, nor the body.
func (s *Sender) Send(ctx context.Context, hook recaller.Webhook, id string, at time.Time, body []byte) error {
	req, err := request(ctx, hook, id, at, body)
	if err != nil {
		return err
	}
	res, err := s.client.Do(req)
	if err != nil {
		return unreached(ctx, err)
	}
	defer res.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, maxAnswer)) // the status says all
	return verdict(res.StatusCode)
}

func request(ctx context.Context, hook recaller.Webhook, id string, at time.Time, body []byte) (*http.Request, error) {
	var keys [][]byte
	for _, secret := range hook.Secrets(at) {
		key, err := secretKey(secret)
		if err != nil {
			return nil, err
		}
		keys = append(keys, key)
	}
	u, err := url.Parse(hook.URL)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Hostname() == "" {
		return nil, recaller.Errorf(recaller.Invalid, "the webhook's address is not an http or https URL")
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, u.String(), bytes.NewReader(body))
	if err != nil {
		return nil, recaller.Errorf(recaller.Invalid, "the webhook's address is not usable")
	}
	seconds := strconv.FormatInt(at.Unix(), 10)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "recaller")
	req.Header.Set(HeaderID, id)
	req.Header.Set(HeaderTimestamp, seconds)
	signatures := make([]string, len(keys))
	for i, key := range keys {
		signatures[i] = sign(key, id, seconds, body)
	}
	req.Header.Set(HeaderSignature, strings.Join(signatures, " "))
	return req, nil
}

// sign returns the signature of a request: of its id, time and body.
func sign(key []byte, id, seconds string, body []byte) string {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id + "." + seconds + "."))
	mac.Write(body)
	return "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

// secretKey returns the bytes of a webhook's secret: base64 after "whsec_". The error does not hold it.
func secretKey(secret string) ([]byte, error) {
	text, ok := strings.CutPrefix(secret, "whsec_")
	key, err := base64.StdEncoding.DecodeString(text)
	if !ok || err != nil || len(key) == 0 {
		return nil, recaller.Errorf(recaller.Invalid, "the webhook's secret is not whsec_ and base64")
	}
	return key, nil
}
