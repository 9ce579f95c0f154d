// Package telephonytest plays telephone platforms for tests: it signs webhooks as Twilio and Telnyx do, posts them, and
// reads the answer as they would. Its signatures are made here, not by the code that is tested.
package telephonytest

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/sha1" //nolint:gosec // Twilio signs with HMAC-SHA1
	"encoding/base64"
	"encoding/hex"
	"encoding/xml"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// The secrets of the platforms of tests.
const (
	Token     = "0123456789abcdef0123456789abcdef"             // Twilio's auth token
	Public    = "https://calls.example.test"                   // what the platforms call
	PublicKey = "6kpsY+KcUgq+9VB7Ey7F+ZVHdq6+vnuSQh7qaRRG0iw=" // of Telnyx
)

// Platform is Twilio, or Telnyx with a TeXML application, that calls a server.
type Platform struct {
	Server  string           // where the server is in fact
	Address string           // what is signed before the path; empty: Public
	Token   string           // of Twilio; empty: Token
	Telnyx  bool             // it signs as Telnyx does
	Now     func() time.Time // of Telnyx's stamp
}

// Answer is what a webhook was answered with.
type Answer struct {
	Status int
	Body   string
	Header http.Header
	XML    Verb // the Response; its zero value where the body is none
}

// Verb is an element of TwiML.
type Verb struct {
	XMLName xml.Name
	Attrs   []xml.Attr `xml:",any,attr"`
	Text    string     `xml:",chardata"`
	Verbs   []Verb     `xml:",any"`
}

// Attr returns an attribute.
func (v Verb) Attr(name string) string {
	for _, a := range v.Attrs {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// Names lists what is to be done, in order: "Say Hangup".
func (v Verb) Names() string {
	var out []string
	for _, verb := range v.Verbs {
		out = append(out, verb.XMLName.Local)
	}
	return strings.Join(out, " ")
}

// Find returns the first element with a name, at any depth; its zero value: there is none.
func (v Verb) Find(name string) Verb {
	for _, verb := range v.Verbs {
		if verb.XMLName.Local == name {
			return verb
		}
		if found := verb.Find(name); found.XMLName.Local != "" {
			return found
		}
	}
	return Verb{}
}

// Ringing is the form of a call that rings, as Twilio posts it.
func Ringing(call, from, to string) url.Values {
	return url.Values{
		"CallSid": {call}, "AccountSid": {"AC00000000000000000000000000000001"}, "From": {from}, "To": {to}, "Caller": {from}, "Called": {to},
		"CallStatus": {"ringing"}, "Direction": {"inbound"}, "ApiVersion": {"2010-04-01"}, "FromCity": {""}, "CallerName": {"JOSÉ Q"},
	}
}

// Over is the form of a call that is over.
func Over(call, from, to, status string, length time.Duration) url.Values {
	f := Ringing(call, from, to)
	f.Set("CallStatus", status)
	f.Set("CallDuration", strconv.Itoa(int(length.Seconds())))
	f.Set("CallbackSource", "call-progress-events")
	f.Set("SequenceNumber", "3")
	return f
}

// Post signs a form and posts it. Of the server's answer it wants that it can be read.
func (p Platform) Post(tb testing.TB, target string, form url.Values) Answer {
	tb.Helper()
	a, err := p.Try(tb.Context(), target, form)
	if err != nil {
		tb.Fatal(err)
	}
	return a
}

// Try is Post where it may fail.
func (p Platform) Try(ctx context.Context, target string, form url.Values) (Answer, error) {
	header := http.Header{"Content-Type": {"application/x-www-form-urlencoded; charset=UTF-8"}}
	body := form.Encode()
	maps.Copy(header, p.Sign(target, body, form))
	return Send(ctx, p.Server+target, header, body)
}

// Sign returns the headers of a webhook.
func (p Platform) Sign(target, body string, form url.Values) http.Header {
	if p.Telnyx {
		stamp := strconv.FormatInt(p.Now().Unix(), 10)
		key := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{7}, ed25519.SeedSize))
		sig := ed25519.Sign(key, []byte(stamp+"|"+body))
		return http.Header{
			http.CanonicalHeaderKey("telnyx-signature-ed25519"): {base64.StdEncoding.EncodeToString(sig)},
			http.CanonicalHeaderKey("telnyx-timestamp"):         {stamp},
		}
	}
	address, token := p.Address, p.Token
	if address == "" {
		address = Public
	}
	if token == "" {
		token = Token
	}
	mac := hmac.New(sha1.New, []byte(token))
	mac.Write([]byte(address + target))
	for _, name := range slices.Sorted(maps.Keys(form)) {
		values := slices.Clone(form[name])
		slices.Sort(values)
		for _, v := range slices.Compact(values) {
			mac.Write([]byte(name + v))
		}
	}
	return http.Header{http.CanonicalHeaderKey("x-twilio-signature"): {base64.StdEncoding.EncodeToString(mac.Sum(nil))}}
}

// Send posts a body with headers, and reads the answer.
func Send(ctx context.Context, address string, header http.Header, body string) (Answer, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, strings.NewReader(body))
	if err != nil {
		return Answer{}, err
	}
	maps.Copy(req.Header, header)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return Answer{}, err
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		return Answer{}, err
	}
	a := Answer{Status: res.StatusCode, Body: string(raw), Header: res.Header}
	if strings.HasPrefix(res.Header.Get("Content-Type"), "text/xml") {
		if err := xml.Unmarshal(raw, &a.XML); err != nil {
			return a, fmt.Errorf("the answer is no XML: %w", err)
		}
	}
	return a, nil
}

// ID makes an id as Twilio has them, of a number.
func ID(kind string, n int) string {
	return kind + hex.EncodeToString([]byte(fmt.Sprintf("%016d", n)))
}
