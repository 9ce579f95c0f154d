package telephony

import (
	"mime"
	"net/http"
	"net/url"
	"time"

	"github.com/recallerhq/recaller/internal/httpdoor"
)

// The headers of signatures.
const (
	twilioHeader = "X-Twilio-Signature"
	telnyxHeader = "Telnyx-Signature-Ed25519"
	telnyxStamp  = "Telnyx-Timestamp"
)

// hook is a webhook that the platform sent: its form, and the query of the address that it was given.
type hook struct {
	platform platform
	form     url.Values
	query    url.Values
	text     *text  // of a text; nil: it is about a call
	event    *event // of Telnyx's Call Control API; nil: it is a form
}

// get returns a field of the form.
func (h hook) get(name string) string { return h.form.Get(name) }

// platformOf says who asks, by the header of his signature.
func platformOf(h http.Header) platform {
	switch {
	case h.Get(telnyxHeader) != "":
		return telnyx
	case h.Get(twilioHeader) != "":
		return twilio
	}
	return unknown
}

// read reads a webhook's body, once, and checks whose it is before anything else is done with it.
func (s *Server) read(x *exchange, w http.ResponseWriter, r *http.Request) (hook, error) {
	h := hook{platform: x.platform, query: r.URL.Query()}
	if err := s.ready(x); err != nil {
		return h, err
	}
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(bodyLimit)) //nolint:forbidigo // the network's clock; what cannot, has none
	body, err := httpdoor.Body(&x.Exchange, http.MaxBytesReader(w, r.Body, maxBody+1), maxBody)
	if err != nil {
		x.result = resultMalformed
		return h, err
	}
	media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	isForm := err == nil && media == "application/x-www-form-urlencoded"
	malformed := false
	if isForm {
		h.form, err = url.ParseQuery(string(body))
		malformed = err != nil
	}
	var right bool
	switch {
	case x.platform == telnyx:
		right = s.opts.Telnyx.Valid(r.Header.Get(telnyxHeader), r.Header.Get(telnyxStamp), body, s.Now())
	case isForm:
		right = !malformed && s.opts.Twilio.Form(r.Header.Get(twilioHeader), r.RequestURI, h.form)
	default:
		right = s.opts.Twilio.JSON(r.Header.Get(twilioHeader), r.RequestURI, body)
	}
	switch {
	case !right:
		return h, forged(x, "the signature is not the platform's: it must be made with this server's TWILIO_AUTH_TOKEN or "+
			"TELNYX_PUBLIC_KEY, for the address under RECALLER_PUBLIC_URL")
	case x.kind.texts() && !malformed && (isForm || x.platform == telnyx):
		return s.readText(x, h, body)
	case x.platform == telnyx && !isForm:
		return s.readEvent(x, h, body)
	case !isForm || malformed:
		x.result = resultMalformed
		return h, httpdoor.Simple(http.StatusUnsupportedMediaType, "invalid",
			"the webhook must be a form, as Twilio's and those of Telnyx's TeXML applications are")
	case len(callID(h)) == 0:
		x.result = resultMalformed
		return h, httpdoor.Simple(http.StatusUnprocessableEntity, "invalid", "CallSid: must be 1 to 256 characters of ASCII, without spaces")
	}
	return h, nil
}

// readEvent reads an event of the Call Control API.
func (s *Server) readEvent(x *exchange, h hook, body []byte) (hook, error) {
	var ok bool
	switch h.event, ok = readEvent(body); {
	case !ok:
		x.result = resultMalformed
		return h, httpdoor.Simple(http.StatusUnprocessableEntity, "invalid", "the body must be an event of Telnyx's, with its call_control_id")
	case !s.commands.ready():
		x.result = resultNoKey
		return h, httpdoor.Simple(http.StatusUnprocessableEntity, "invalid",
			"this server has no TELNYX_API_KEY: calls of the Call Control API cannot be answered; use a TeXML application")
	}
	x.kind = h.event.webhook()
	return h, nil
}

// ready refuses a platform whose signatures cannot be checked.
func (s *Server) ready(x *exchange) error {
	switch {
	case x.platform == telnyx && !s.opts.Telnyx.Ready():
		return forged(x, "this server has no TELNYX_PUBLIC_KEY: Telnyx's webhooks are refused")
	case x.platform == twilio && !s.opts.Twilio.Ready():
		return forged(x, "this server has no TWILIO_AUTH_TOKEN, or no RECALLER_PUBLIC_URL: Twilio's webhooks are refused")
	case x.platform == unknown:
		return forged(x, "there is no signature of a platform")
	}
	return nil
}

// forged refuses what is not the platform's, or cannot be told to be.
func forged(x *exchange, detail string) error {
	x.result = resultForged
	return httpdoor.Simple(http.StatusForbidden, "forbidden", detail)
}

// callID is the platform's id of the call; empty: it is none that can be kept.
func callID(h hook) string { return plain(h.get("CallSid")) }

// maxPlain bounds ids and words of the platform's, as conversations do.
const maxPlain = 256

// plain returns a text of visible ASCII; empty: it is another.
func plain(s string) string {
	if len(s) > maxPlain {
		return ""
	}
	for _, r := range s {
		if r <= ' ' || r > '~' {
			return ""
		}
	}
	return s
}
