package telephony

import (
	"encoding/json"
	"encoding/xml"
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/recallerhq/recaller"
)

// Whatever Telnyx tells, an event has a kind, and one that counts has an id that can be kept.
func FuzzEvent(f *testing.F) {
	f.Add(`{"data":{"event_type":"call.initiated","payload":{"call_control_id":"v3:a","direction":"incoming","from":null,"to":"+1555"}}}`)
	f.Add(`{"data":{"event_type":"call.hangup","payload":{"call_control_id":"v3:a","client_state":"e30=","start_time":"2026-08-01T10:00:00Z","shaken_stir_validated":"yes"}}}`)
	f.Add(`{"data":{"event_type":"message.received","payload":[]}}`)
	f.Fuzz(func(t *testing.T, body string) {
		e, ok := readEvent([]byte(body))
		if !ok {
			return
		}
		if end := e.end(); e.kind == "" || end.Duration < 0 || end.Duration > maxLength {
			t.Errorf("got %+v", e)
		}
		if e.kind == "call.initiated" && (plain(e.call().id) == "" || e.call().attestation.Passed && e.call().attestation.Level == "") {
			t.Errorf("got %+v", e.call())
		}
	})
}

// Whatever a form says, what is made of it can be kept, and whatever a tenant has said, the answer is XML that says it.
func FuzzForm(f *testing.F) {
	f.Add("CallSid=CA1&From=%2B1555&To=sip%3Aa%40b&StirVerstat=TN-Validation-Passed-A&RecordingUrl=https%3A%2F%2Fa", "Good <morning> & \"hello\"")
	f.Add("CallSid=%00&From=client%3A&Direction=outbound-api&CallDuration=999999999999", "\x00\u202e")
	f.Fuzz(func(t *testing.T, body, greeting string) {
		form, err := url.ParseQuery(body)
		if err != nil {
			return
		}
		h := hook{platform: twilio, form: form, query: form}
		c := callOf(h)
		for _, s := range []string{c.id, c.attestation.Told, c.ids["twilio_account"]} {
			if len(s) > maxPlain || strings.ContainsAny(s, "\x00\n ") {
				t.Errorf("got %q", s)
			}
		}
		if who := callerOf(c.theirs, "US"); (who.Phone == "") == (who.ExternalID == "") {
			t.Errorf("got %+v, want one of the two", who)
		}
		if n, ok := noticeOf(h); ok && n.end == nil && n.recording == "" || n.end != nil && n.end.Duration < 0 {
			t.Errorf("got %+v", n)
		}
		out, err := greeted(recaller.Tenant{Telephone: recaller.Telephone{Greeting: greeting}}).write()
		if err != nil {
			t.Fatal(err)
		}
		var back struct {
			Said string `xml:"Say"`
		}
		if err := xml.Unmarshal(out, &back); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		if plain, _ := json.Marshal(greeting); utf8.ValidString(greeting) && !strings.ContainsAny(string(plain), "\\\r") && greeting != "" && back.Said != greeting {
			t.Errorf("got %q, want %q", back.Said, greeting)
		}
	})
}
