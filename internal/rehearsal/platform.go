package rehearsal

import (
	"context"
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/coder/websocket"

	"github.com/recallerhq/recaller/internal/bridge"
	"github.com/recallerhq/recaller/internal/mediastream"
	"github.com/recallerhq/recaller/internal/telephony/signed"
)

// Platform is a telephone platform, Twilio, by which one call comes in: it posts the webhooks of the call, signed, does
// what it is answered, and opens the socket for sound.
type Platform struct {
	Base   string // of the server, as it knows itself: RECALLER_PUBLIC_URL
	Token  string // by which it signs
	Client *http.Client
	Call   string // its id
	From   string
	To     string
}

// Answer is what a webhook was answered with.
type Answer struct {
	Status int
	Body   string
	Verbs  []string // of its TwiML
	Stream string   // the address of the socket; empty: there is to be none
	Next   string   // what is asked when the socket is over
	Params map[string]string
	Spoken string // what the caller hears of the platform itself
}

// The webhooks.
const (
	voicePath = "/webhook/voice"
	endPath   = "/webhook/call-ended"
)

// Ring tells that the call comes in.
func (p Platform) Ring(ctx context.Context) (Answer, error) {
	return p.post(ctx, p.Base+voicePath, p.form("ringing"))
}

// Over tells that the call is over, and how long it took.
func (p Platform) Over(ctx context.Context, took time.Duration) (Answer, error) {
	form := p.form("completed")
	form.Set("CallDuration", strconv.Itoa(int(took.Round(time.Second).Seconds())))
	form.Set("CallbackSource", "call-progress-events")
	form.Set("SequenceNumber", "3")
	return p.post(ctx, p.Base+endPath, form)
}

// After asks what comes next, now that the server has closed the socket.
func (p Platform) After(ctx context.Context, a Answer) (Answer, error) {
	return p.post(ctx, a.Next, p.form("in-progress"))
}

func (p Platform) form(status string) url.Values {
	return url.Values{
		"CallSid": {p.Call}, "AccountSid": {account}, "From": {p.From}, "To": {p.To}, "Caller": {p.From}, "Called": {p.To},
		"CallStatus": {status}, "Direction": {"inbound"}, "ApiVersion": {"2010-04-01"},
	}
}

// account is the id of an account that nobody has.
const account = "AC00000000000000000000000000000000"

// maxAnswer bounds what is read of an answer.
const maxAnswer = 64 << 10

func (p Platform) post(ctx context.Context, address string, form url.Values) (Answer, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, strings.NewReader(form.Encode()))
	if err != nil {
		return Answer{}, err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set(signature, signed.Signature(p.Token, address, form))
	res, err := p.Client.Do(req)
	if err != nil {
		return Answer{}, err
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	if err != nil {
		return Answer{}, err
	}
	if res.StatusCode != http.StatusOK {
		return Answer{}, fmt.Errorf("the webhook %s was answered with %d", req.URL.Path, res.StatusCode)
	}
	return read(res.StatusCode, raw)
}

const signature = "X-Twilio-Signature"

// verb is an element of TwiML.
type verb struct {
	XMLName xml.Name
	Attrs   []xml.Attr `xml:",any,attr"`
	Text    string     `xml:",chardata"`
	Verbs   []verb     `xml:",any"`
}

func (v verb) attr(name string) string {
	for _, a := range v.Attrs {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// read reads an answer as the platform does. One without a body asks for nothing.
func read(status int, raw []byte) (Answer, error) {
	a := Answer{Status: status, Body: string(raw), Params: map[string]string{}}
	if len(raw) == 0 {
		return a, nil
	}
	var response verb
	if err := xml.Unmarshal(raw, &response); err != nil {
		return a, fmt.Errorf("the answer is no TwiML: %w", err)
	}
	for _, v := range response.Verbs {
		a.Verbs = append(a.Verbs, v.XMLName.Local)
		if v.XMLName.Local == "Say" {
			a.Spoken = strings.TrimSpace(a.Spoken + " " + v.Text)
		}
		for _, inner := range v.Verbs {
			if inner.XMLName.Local != "Stream" {
				continue
			}
			a.Stream, a.Next = inner.attr("url"), v.attr("action")
			for _, param := range inner.Verbs {
				a.Params[param.attr("name")] = param.attr("value")
			}
		}
	}
	return a, nil
}

// Open opens the socket that an answer asks for, and says which stream it is.
func (p Platform) Open(ctx context.Context, a Answer, o PhoneOptions) (*Phone, error) {
	c, _, err := websocket.Dial(ctx, a.Stream, &websocket.DialOptions{ //nolint:bodyclose // the library closes it
		HTTPClient: p.Client, HTTPHeader: http.Header{signature: {signed.Signature(p.Token, a.Stream, nil)}},
	})
	if err != nil {
		return nil, fmt.Errorf("open the socket of the call: %w", err)
	}
	o.Start = mediastream.Start{
		Stream: "MZ" + strings.TrimPrefix(p.Call, "CA"), Account: account, Call: p.Call, Parameters: a.Params,
	}
	phone := NewPhone(bridge.Socket(c, maxMessage), o)
	if err := phone.Begin(ctx); err != nil {
		_ = phone.Drop() // the first error tells more
		return nil, err
	}
	return phone, nil
}

// maxMessage bounds a frame that is read: a few seconds of sound.
const maxMessage = 1 << 20
