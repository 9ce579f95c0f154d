package telephonytest

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// Texted is the form of a text that came in, as Twilio posts it. From a number with "whatsapp:" before it, it is one of
// WhatsApp's.
func Texted(id, from, to, words string) url.Values {
	f := url.Values{
		"MessageSid": {id}, "SmsSid": {id}, "SmsMessageSid": {id}, "AccountSid": {"AC00000000000000000000000000000001"}, "From": {from}, "To": {to},
		"Body": {words}, "NumMedia": {"0"}, "NumSegments": {"1"}, "SmsStatus": {"received"}, "ApiVersion": {"2010-04-01"},
		"FromCity": {"SPRINGFIELD"}, "FromCountry": {"US"},
	}
	if number, ok := strings.CutPrefix(from, "whatsapp:"); ok {
		f.Set("To", "whatsapp:"+strings.TrimPrefix(to, "whatsapp:"))
		f.Set("ProfileName", "Marta ❤")
		f.Set("WaId", strings.TrimPrefix(number, "+"))
	}
	return f
}

// Text posts a text as the platform does: Twilio a form, Telnyx an event.
func (p Platform) Text(tb testing.TB, path, id, from, to, words string) Answer {
	tb.Helper()
	if !p.Telnyx {
		return p.Post(tb, path, Texted(id, from, to, words))
	}
	kind := "SMS"
	if rest, ok := strings.CutPrefix(from, "whatsapp:"); ok {
		from, kind = rest, "WHATSAPP"
	}
	return p.Message(tb, path, "message.received", map[string]any{
		"id": id, "direction": "inbound", "type": kind, "text": words, "media": []any{},
		"from": map[string]any{"phone_number": from, "carrier": "T", "line_type": "Wireless"},
		"to":   []any{map[string]any{"phone_number": to, "status": "webhook_delivered"}}, "received_at": "2026-03-01T12:00:00.000+00:00",
	})
}

// Message posts an event about a text, as Telnyx does.
func (p Platform) Message(tb testing.TB, path, kind string, payload map[string]any) Answer {
	tb.Helper()
	raw, err := json.Marshal(map[string]any{
		"data": map[string]any{"record_type": "event", "event_type": kind, "id": "e-" + kind, "payload": payload}, "meta": map[string]any{"attempt": 1},
	})
	if err != nil {
		tb.Fatal(err)
	}
	header := http.Header{"Content-Type": {"application/json"}}
	maps.Copy(header, p.Sign(path, string(raw), nil))
	a, err := Send(tb.Context(), p.Server+path, header, string(raw))
	if err != nil {
		tb.Fatal(err)
	}
	return a
}
