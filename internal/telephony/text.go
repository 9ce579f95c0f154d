package telephony

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/httpdoor"
	"github.com/recallerhq/recaller/internal/sms"
	"github.com/recallerhq/recaller/internal/texting"
)

// Texts takes texts that came in; *texting.Service does.
type Texts interface {
	Take(ctx context.Context, t recaller.Tenant, in texting.Incoming) (texting.Taken, error)
	Undelivered(ctx context.Context, t recaller.Tenant, out texting.Outgoing) error
}

// Bounds of a text.
const (
	maxPieces  = 10       // of media
	maxLink    = 2000     // bytes
	maxWord    = 200      // bytes of a name, an address
	maxWritten = 16 << 10 // bytes of words; what is longer is none of a telephone's
)

// text is a text that a platform tells of, or what it says became of one that we sent.
type text struct {
	texting.Incoming
	status string // of one of ours, which Incoming has as if it had come back; empty: it came in
	code   string // why one of ours was not delivered
}

// undelivered reports whether it says that one of ours did not arrive. That a carrier does not know is no such status.
func (t *text) undelivered() bool {
	return slices.Contains([]string{"undelivered", "failed", "delivery_failed", "sending_failed"}, t.status)
}

// readText reads a webhook about texts.
func (s *Server) readText(x *exchange, h hook, body []byte) (hook, error) {
	var t text
	var ok bool
	if h.form != nil {
		t, ok = formText(h.form, x.kind)
	} else {
		t, ok = telnyxText(body)
	}
	if !ok {
		x.result = resultMalformed
		return h, httpdoor.Simple(http.StatusUnprocessableEntity, "invalid",
			"the body must be a text with its id (MessageSid, or the payload's id), From and To; of at most 16 kB")
	}
	if t.status != "" {
		x.kind = kindTextStatus
	}
	h.text = &t
	return h, nil
}

// formText reads Twilio's form.
func formText(f url.Values, k kind) (t text, ok bool) {
	t.Carrier, t.Channel = recaller.CarrierTwilio, recaller.ChannelSMS
	t.ID = plain(cmp.Or(f.Get("MessageSid"), f.Get("SmsSid")))
	from, whatsapp := strings.CutPrefix(f.Get("From"), "whatsapp:")
	t.Ours, t.Theirs = strings.TrimPrefix(f.Get("To"), "whatsapp:"), from
	if whatsapp {
		t.Channel = recaller.ChannelWhatsApp
	}
	if k == kindTextStatus {
		t.status, t.code = plain(cmp.Or(f.Get("MessageStatus"), f.Get("SmsStatus"))), plain(f.Get("ErrorCode"))
		t.Ours, t.Theirs = t.Theirs, t.Ours
		return t, t.ID != "" && t.status != ""
	}
	t.Name = line(f.Get("ProfileName"))
	t.Told = toldBy(f.Get("OptOutType"))
	var refs []string
	n, _ := strconv.Atoi(f.Get("NumMedia")) // none, if it is no number
	for i := range min(max(n, 0), maxPieces) {
		at := strconv.Itoa(i)
		refs = append(refs, reference(f.Get("MediaContentType"+at), f.Get("MediaUrl"+at)))
	}
	refs = append(refs, place(f.Get("Latitude"), f.Get("Longitude"), f.Get("Label"), f.Get("Address")))
	t.Text = written(cmp.Or(f.Get("Body"), f.Get("ButtonText")), refs)
	return t, t.ID != "" && t.Theirs != "" && t.Ours != "" && len(t.Text) <= maxWritten
}

// toldBy is what Twilio took a text for, and has answered.
func toldBy(word string) sms.Command {
	switch strings.ToUpper(word) {
	case "STOP":
		return sms.Stop
	case "START":
		return sms.Start
	case "HELP":
		return sms.Help
	}
	return sms.None
}

// number is one of Telnyx's: an object, or a text.
type number struct {
	Number string
	Status string
}

// UnmarshalJSON reads it.
func (n *number) UnmarshalJSON(raw []byte) error {
	if json.Unmarshal(raw, &n.Number) == nil {
		return nil
	}
	var in struct {
		Number string `json:"phone_number"`
		Status string `json:"status"`
	}
	err := json.Unmarshal(raw, &in)
	n.Number, n.Status = in.Number, in.Status
	return err
}

// numbers are a list of them, or one.
type numbers []number

// UnmarshalJSON reads them.
func (n *numbers) UnmarshalJSON(raw []byte) error {
	var list []number
	if json.Unmarshal(raw, &list) == nil {
		*n = list
		return nil
	}
	var one number
	err := json.Unmarshal(raw, &one)
	*n = numbers{one}
	return err
}

// message is what Telnyx tells of a text. Fields that are not there, or null, are empty.
type message struct {
	ID     string `json:"id"`
	Errors []struct {
		Code string `json:"code"`
	} `json:"errors"`
	From  number  `json:"from"`
	To    numbers `json:"to"`
	Text  string  `json:"text"`
	Type  string  `json:"type"`
	Media []struct {
		URL  string `json:"url"`
		Type string `json:"content_type"`
	} `json:"media"`
}

// telnyxText reads an event of Telnyx's. One of another kind is a status that counts for nothing, whatever it looks like.
func telnyxText(body []byte) (t text, ok bool) {
	var in struct {
		Data struct {
			Kind    string          `json:"event_type"`
			Payload json.RawMessage `json:"payload"`
		} `json:"data"`
	}
	if json.Unmarshal(body, &in) != nil || in.Data.Kind == "" {
		return t, false
	}
	var m message
	bad := json.Unmarshal(in.Data.Payload, &m)
	t.Carrier, t.Channel, t.ID = recaller.CarrierTelnyx, recaller.ChannelSMS, plain(m.ID)
	if strings.EqualFold(m.Type, "WHATSAPP") {
		t.Channel = recaller.ChannelWhatsApp
	}
	t.Theirs = strings.TrimPrefix(m.From.Number, "whatsapp:")
	if len(m.To) > 0 {
		t.Ours = strings.TrimPrefix(m.To[0].Number, "whatsapp:")
	}
	if in.Data.Kind != "message.received" {
		t.status, t.Ours, t.Theirs = "other", t.Theirs, t.Ours
		if in.Data.Kind == "message.finalized" && len(m.To) > 0 {
			t.status = cmp.Or(plain(m.To[0].Status), t.status)
		}
		if len(m.Errors) > 0 {
			t.code = plain(m.Errors[0].Code)
		}
		return t, true
	}
	var refs []string
	for i := range min(len(m.Media), maxPieces) {
		refs = append(refs, reference(m.Media[i].Type, m.Media[i].URL))
	}
	t.Text = written(m.Text, refs)
	return t, bad == nil && t.ID != "" && t.Theirs != "" && t.Ours != "" && len(t.Text) <= maxWritten
}

// reference is how media stand in a text: of which sort they are, and where. Nothing is fetched.
func reference(contentType, link string) string {
	if len(link) > maxLink || strings.ContainsAny(link, "[]\n\r\x00 ") || link == "" {
		link = "no link"
	}
	sort := "File"
	switch kind, _, _ := strings.Cut(contentType, "/"); strings.ToLower(kind) {
	case "image":
		sort = "Image"
	case "audio":
		sort = "Voice"
	case "video":
		sort = "Video"
	}
	return "[" + sort + ": " + link + "]"
}

// place is how somebody's position stands in a text.
func place(latitude, longitude, label, address string) string {
	_, bad := strconv.ParseFloat(latitude, 64)
	_, worse := strconv.ParseFloat(longitude, 64)
	if errors.Join(bad, worse) != nil {
		return ""
	}
	out := "[Location: " + latitude + ", " + longitude
	for _, word := range []string{line(label), line(address)} {
		if word != "" {
			out += ", " + word
		}
	}
	return out + "]"
}

// line is a name or an address in one line; empty: it is too long to be one.
func line(s string) string {
	s = strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		if strings.ContainsRune("[]\x00", r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, ""))), " ")
	if len(s) > maxWord {
		return ""
	}
	return s
}

// written is what is kept of a text: references before the words.
func written(words string, refs []string) string {
	words = strings.TrimSpace(strings.ReplaceAll(strings.ToValidUTF8(words, "\ufffd"), "\x00", ""))
	var out []string
	for _, r := range refs {
		if r != "" {
			out = append(out, r)
		}
	}
	if words != "" {
		out = append(out, words)
	}
	return strings.Join(out, "\n")
}

// texted answers a webhook about texts: once the text is kept, or carried out, and not before. Where that fails it is held
// in memory, too, and tried again: platforms do not send all of them again.
func (s *Server) texted(ctx context.Context, x *exchange, w http.ResponseWriter, h hook) error {
	t := *h.text
	if t.status != "" {
		return s.stands(ctx, x, w, h)
	}
	key := string(t.Carrier) + " " + t.ID
	s.metrics.textsDropped.Add(float64(s.texts.hold(key, t.Incoming)))
	took, err := asked(ctx, s, func(ctx context.Context) (result, error) { return s.take(ctx, t.Incoming) })
	if err != nil {
		x.result = resultUnavailable
		s.Log.WarnContext(ctx, "a text waits", "platform", string(x.platform), "kind", string(recaller.KindOf(err)), "err", err)
		return recaller.Errorf(recaller.Unavailable, "the text cannot be kept now; send it again")
	}
	s.texts.drop(key)
	x.result = took
	return s.silence(x, w)
}

// stands answers a webhook about a text of ours. That it did not arrive is kept; if that fails, platforms that try again do.
func (s *Server) stands(ctx context.Context, x *exchange, w http.ResponseWriter, h hook) error {
	t := *h.text
	x.result = resultStatus
	s.metrics.delivery(t.Carrier, t.status)
	if !t.undelivered() {
		return s.silence(x, w)
	}
	_, err := asked(ctx, s, func(ctx context.Context) (struct{}, error) {
		tenant, err := s.Tenants.ByNumber(ctx, t.Ours)
		if err != nil {
			return struct{}{}, err
		}
		return struct{}{}, s.Texts.Undelivered(ctx, tenant, texting.Outgoing{
			Carrier: t.Carrier, Channel: t.Channel, Ours: t.Ours, Theirs: t.Theirs, Mark: h.query.Get(texting.MarkParameter), Code: t.code,
		})
	})
	if err != nil && !nobodys(err) {
		x.result = resultUnavailable
		return recaller.Errorf(recaller.Unavailable, "what became of the text cannot be kept now; send it again")
	}
	return s.silence(x, w)
}

// silence is the answer to a text: what is replied goes out by itself.
func (s *Server) silence(x *exchange, w http.ResponseWriter) error {
	if x.platform == telnyx {
		return nil // 200
	}
	body, err := twiml{}.write()
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/xml; charset=utf-8")
	_, _ = w.Write(body) // the platform is gone: nobody is left to tell
	return nil
}

// take finds out whose a text is, and has it taken.
func (s *Server) take(ctx context.Context, in texting.Incoming) (result, error) {
	t, err := s.Tenants.ByNumber(ctx, in.Ours)
	if nobodys(err) {
		return resultNobody, nil
	}
	if err != nil {
		return "", err
	}
	took, err := s.Texts.Take(ctx, t, in)
	switch {
	case err != nil:
		return "", err
	case took == texting.Obeyed || took == texting.Again:
		return resultCommand, nil
	case took == texting.Nothing:
		return resultIgnored, nil
	case took == texting.Refused:
		return resultRefused, nil
	}
	return resultText, nil
}
