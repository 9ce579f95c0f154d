package telephony_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/conversation"
	"github.com/recallerhq/recaller/internal/telephony"
	"github.com/recallerhq/recaller/internal/telephony/signed"
	"github.com/recallerhq/recaller/internal/telephony/telephonytest"
)

func TestACallIsAnsweredAsTheTenantChose(t *testing.T) {
	t.Parallel()
	const nasty = `</Say><Dial>+1900</Dial> & "Ünï" <`
	for name, c := range map[string]struct {
		p     recaller.Telephone
		verbs string
		find  string
		attrs map[string]string
		text  string
	}{
		"nothing": {recaller.Telephone{}, "Say Hangup", "Say", map[string]string{"language": "en-US", "voice": ""}, "Nobody can take your call"},
		"German, nothing to say": {
			recaller.Telephone{Language: "de-AT", Voice: "Polly.Vicki"},
			"Say Hangup", "Say",
			map[string]string{"language": "de-AT", "voice": "Polly.Vicki"},
			"kann niemand Ihren Anruf",
		},
		"a language that we do not speak": {
			recaller.Telephone{Language: "fi-FI", Voice: "Polly.Suvi"},
			"Say Hangup", "Say",
			map[string]string{"language": "en-US", "voice": ""},
			"Nobody can take your call",
		},
		"a greeting": {
			recaller.Telephone{Greeting: nasty, Language: "fi-FI", Voice: "Polly.Suvi"},
			"Say Hangup", "Say",
			map[string]string{"language": "fi-FI", "voice": "Polly.Suvi"},
			nasty,
		},
		"a number": {
			recaller.Telephone{Answer: recaller.AnswerForward, ForwardTo: "+15550003333"}, "Dial", "Number", nil, "+15550003333",
		},
		"a SIP address": {
			recaller.Telephone{Answer: recaller.AnswerForward, ForwardTo: "sip:agent@example.com;transport=tls"},
			"Dial", "Sip", nil,
			"sip:agent@example.com;transport=tls",
		},
		"forwarding tells its end": {
			recaller.Telephone{Answer: recaller.AnswerForward, ForwardTo: "+15550003333"},
			"Dial", "Dial",
			map[string]string{"action": telephonytest.Public + "/webhook/call-ended?after=dial", "answerOnBridge": "true"},
			"",
		},
		"a relay": {
			recaller.Telephone{Answer: recaller.AnswerRelay, Greeting: nasty, Language: "en-GB"},
			"Connect", "ConversationRelay",
			map[string]string{"url": "wss://calls.example.test/webhook/relay", "welcomeGreeting": nasty, "language": "en-GB"},
			"",
		},
		"a bridge": {
			recaller.Telephone{Answer: recaller.AnswerBridge}, "Connect", "Stream", map[string]string{"url": "wss://calls.example.test/webhook/media"}, "",
		},
		"a stream tells its end": {
			recaller.Telephone{Answer: recaller.AnswerBridge},
			"Connect", "Connect",
			map[string]string{"action": telephonytest.Public + "/webhook/call-ended?after=socket"},
			"",
		},
		"a relay tells its end": {
			recaller.Telephone{Answer: recaller.AnswerRelay},
			"Connect", "Connect",
			map[string]string{"action": telephonytest.Public + "/webhook/call-ended?after=socket"},
			"",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, c.p, sockets)
			a := d.ring("CA1")
			d.want("the answer", a, http.StatusOK, c.verbs)
			found := a.XML.Find(c.find)
			if !strings.Contains(found.Text, c.text) {
				t.Errorf("got %q, want %q", found.Text, c.text)
			}
			for attr, want := range c.attrs {
				if got := found.Attr(attr); got != want {
					t.Errorf("%s: got %q, want %q", attr, got, want)
				}
			}
			d.counted("twilio", "voice", "answered", 1)
		})
	}
}

func TestAnAnswerThatCannotBeGivenIsAGreeting(t *testing.T) {
	t.Parallel()
	for _, a := range []recaller.TelephoneAnswer{recaller.AnswerRelay, recaller.AnswerBridge} {
		d := newDesk(t, recaller.Telephone{Answer: a}, nil)
		d.want(string(a), d.ring("CA1"), http.StatusOK, "Say Hangup")
	}
}

// Twilio's signatures have no time: a webhook that somebody got hold of can be sent again. It opens no second socket.
func TestAReplayedWebhookOpensNoSocket(t *testing.T) {
	t.Parallel()
	d := newDesk(t, recaller.Telephone{Answer: recaller.AnswerRelay}, sockets)
	token := func() string { return d.ring("CA1").XML.Find("Parameter").Attr("value") }
	first := token()
	if again := token(); first == "" || again != first {
		t.Fatalf("got %q and %q, want the same token for a webhook that comes again", first, again)
	}
	call, ok := d.tokens.Take("CA1", first)
	if !ok || call.ID != "CA1" || call.Tenant != "t1" || call.Conversation != "conv-CA1" {
		t.Errorf("got %+v, %v, want the call that rang", call, ok)
	}
	d.want("after the socket came", d.ring("CA1"), http.StatusOK, "Hangup")
	d.ring("CA2")
	d.clock.turn(telephony.TokenTTL)
	d.want("when no socket can come any more", d.ring("CA2"), http.StatusOK, "Hangup")
	d.Post(t, telephony.EndedPath, telephonytest.Over("CA3", theirs, ours, "completed", time.Second))
	d.want("after the end", d.ring("CA3"), http.StatusOK, "Connect")
	d.want("after the end, again", d.ring("CA3"), http.StatusOK, "Hangup")
	d.counted("twilio", "voice", "replayed", 3)
}

// The handshake of a socket is Twilio's, or Telnyx's, whose token is the handler's to look at.
func TestASocketIsThePlatforms(t *testing.T) {
	t.Parallel()
	d := newDesk(t, recaller.Telephone{}, sockets)
	get := func(path string, header http.Header) int {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, d.Server+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header = header
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		return res.StatusCode
	}
	sign := func(path string) http.Header {
		return http.Header{"X-Twilio-Signature": {signed.Signature(telephonytest.Token, "wss://calls.example.test"+path, nil)}}
	}
	if got := get(telephony.RelayPath, sign(telephony.RelayPath)); got != http.StatusTeapot {
		t.Errorf("Twilio's: got %d, want the handler's answer", got)
	}
	if got := get(telephony.MediaPath+"/", sign(telephony.MediaPath)); got != http.StatusGone {
		t.Errorf("with a slash at the end: got %d, want the handler's answer", got)
	}
	if got := get(telephony.MediaPath, http.Header{}); got != http.StatusGone {
		t.Errorf("Telnyx's: got %d, want the handler's answer", got)
	}
	if got := get(telephony.MediaPath, sign(telephony.RelayPath)); got != http.StatusForbidden {
		t.Errorf("that of another: got %d, want 403", got)
	}
	d.counted("twilio", "socket", "forged", 1)
	only := newDesk(t, recaller.Telephone{}, func(o *telephony.Options) { sockets(o); o.Telnyx = signed.Telnyx{} })
	d.Platform = only.Platform
	if got := get(telephony.MediaPath, http.Header{}); got != http.StatusForbidden {
		t.Errorf("not signed, and Telnyx is not set up: got %d, want 403", got)
	}
	d.Platform = newDesk(t, recaller.Telephone{}, nil).Platform
	if got := get(telephony.MediaPath, sign(telephony.MediaPath)); got != http.StatusNotFound {
		t.Errorf("no handler: got %d, want 404", got)
	}
}

// A store that looks at no context hangs. The call is answered within the patience all the same.
func TestACallIsAnsweredThoughTheStoreHangs(t *testing.T) {
	t.Parallel()
	d := newDesk(t, recaller.Telephone{}, func(o *telephony.Options) { o.Patience = 20 * time.Millisecond })
	hang := make(chan struct{})
	defer close(hang)
	d.core.set(func() { d.core.hang = hang })
	began := time.Now()
	d.want("a call", d.ring("CA1"), http.StatusOK, "Say Hangup")
	d.want("its end", d.Post(t, telephony.EndedPath, telephonytest.Over("CA1", theirs, ours, "completed", time.Second)), http.StatusOK, "")
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("it took %v", took)
	}
	d.counted("twilio", "voice", "unavailable", 1)
	d.counted("twilio", "call-ended", "kept", 1)
}

func TestACoreThatPanicsHangsUpOnNobody(t *testing.T) {
	t.Parallel()
	d := newDesk(t, recaller.Telephone{}, nil)
	d.core.set(func() { d.core.panics = true })
	d.want("a call", d.ring("CA1"), http.StatusOK, "Say Hangup")
}

// What is told while the store is away is carried out when it is back; what nobody ever rang for is dropped, and counted.
func TestEndsAreTriedAgain(t *testing.T) {
	t.Parallel()
	d := newDesk(t, recaller.Telephone{}, nil)
	d.ring("CA1")
	d.core.set(func() { d.core.broken = recaller.Errorf(recaller.Unavailable, "the store is away") })
	d.Post(t, telephony.EndedPath, telephonytest.Over("CA1", theirs, ours, "completed", 90*time.Second))
	if err := d.door.Retry(t.Context()); err == nil || d.core.call("CA1").Status != recaller.Active {
		t.Errorf("got %v and %+v while the store is away", err, d.core.call("CA1"))
	}
	d.core.set(func() { d.core.broken = nil })
	if err := d.door.Retry(t.Context()); err != nil {
		t.Error(err)
	}
	if got := d.core.call("CA1"); got.Status != recaller.Completed || got.Duration != 90*time.Second {
		t.Errorf("got %+v, want it to have ended", got)
	}
	d.Post(t, telephony.EndedPath, telephonytest.Over("CA9", theirs, ours, "completed", time.Second))
	d.clock.turn(2 * time.Hour)
	if err := d.door.Retry(t.Context()); err != nil {
		t.Error(err)
	}
	if got := d.value("recaller_telephone_ends_dropped_total", nil); got != 1 {
		t.Errorf("%d ends were dropped, want 1", got)
	}
}

// A beginning that takes longer than the platform can wait goes on. If the end was told meanwhile, the call ends after it.
func TestABeginningThatIsLateHasItsEnd(t *testing.T) {
	t.Parallel()
	for _, endFirst := range []bool{true, false} {
		d := newDesk(t, recaller.Telephone{}, func(o *telephony.Options) { o.Patience = 20 * time.Millisecond })
		slow, end := make(chan struct{}), telephonytest.Over("CA1", theirs, ours, "completed", time.Second)
		d.core.set(func() { d.core.slow = slow })
		if endFirst {
			d.Post(t, telephony.EndedPath, end)
		}
		d.want("a call", d.ring("CA1"), http.StatusOK, "Say Hangup")
		if !endFirst {
			d.Post(t, telephony.EndedPath, end)
		}
		d.counted("twilio", "voice", "degraded", 1)
		close(slow)
		for deadline := time.Now().Add(time.Minute); d.core.call("CA1").Status != recaller.Completed; {
			if time.Now().After(deadline) {
				t.Fatalf("the end first: %v: waited in vain for the call to end", endFirst)
			}
			if err := d.door.Retry(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// Ends that cannot be carried out do not stand in the way of others.
func TestManyEndsThatWait(t *testing.T) {
	t.Parallel()
	d := newDesk(t, recaller.Telephone{}, nil)
	recording := telephonytest.Over("", theirs, ours, "in-progress", 0)
	recording.Set("RecordingUrl", "https://recordings.example.com/1")
	for i := range 250 {
		id := telephonytest.ID("CA", i)
		d.ring(id)
		recording.Set("CallSid", id)
		d.Post(t, telephony.EndedPath, recording) // it is told before the end: that may be told elsewhere
	}
	last := telephonytest.ID("CA", 249)
	d.core.set(func() { d.core.calls[last].Status = recaller.Completed })
	for range 3 {
		if err := d.door.Retry(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if d.core.call(last).RecordingURL == "" {
		t.Error("the last recording was never tried again")
	}
}

// How a call ended, and with which recording, in the platforms' words.
func TestEndsAsPlatformsTellThem(t *testing.T) {
	t.Parallel()
	const link = "https://api.twilio.com/2010-04-01/Accounts/AC1/Recordings/RE1"
	for name, c := range map[string]struct {
		query  string
		fields map[string]string
		result string
		verbs  string
		want   recaller.Conversation
	}{
		"completed": {"", map[string]string{"CallStatus": "completed", "CallDuration": "42"}, "ended", "", recaller.Conversation{Status: recaller.Completed, EndReason: "completed", Duration: 42 * time.Second}},
		"busy":      {"", map[string]string{"CallStatus": "busy"}, "ended", "", recaller.Conversation{Status: recaller.Failed, EndReason: "busy"}},
		"no answer": {"", map[string]string{"CallStatus": "no-answer"}, "ended", "", recaller.Conversation{Status: recaller.Failed, EndReason: "no-answer"}},
		"canceled":  {"", map[string]string{"CallStatus": "canceled"}, "ended", "", recaller.Conversation{Status: recaller.Failed, EndReason: "canceled"}},
		"failed":    {"", map[string]string{"CallStatus": "failed"}, "ended", "", recaller.Conversation{Status: recaller.Failed, EndReason: "failed"}},
		"a length that is none": {
			"", map[string]string{"CallStatus": "completed", "CallDuration": "-5"}, "ended", "", recaller.Conversation{Status: recaller.Completed, EndReason: "completed"},
		},
		"with its recording": {
			"",
			map[string]string{"CallStatus": "completed", "RecordingUrl": link},
			"ended", "",
			recaller.Conversation{Status: recaller.Completed, EndReason: "completed", RecordingURL: link},
		},
		"a link that is none": {
			"", map[string]string{"CallStatus": "completed", "RecordingUrl": "javascript:alert(1)"}, "ended", "", recaller.Conversation{Status: recaller.Completed, EndReason: "completed"},
		},
		"it rings":            {"", map[string]string{"CallStatus": "ringing"}, "ignored", "", recaller.Conversation{Status: recaller.Active}},
		"somebody picked up":  {"", map[string]string{"CallStatus": "in-progress"}, "ignored", "", recaller.Conversation{Status: recaller.Active}},
		"a status of TeXML's": {"", map[string]string{"CallStatus": "answered"}, "ignored", "", recaller.Conversation{Status: recaller.Active}},
		"an unknown status":   {"", map[string]string{"CallStatus": "dancing"}, "ignored", "", recaller.Conversation{Status: recaller.Active}},
		"a recording begins": {
			"", map[string]string{"CallStatus": "", "RecordingUrl": link, "RecordingStatus": "in-progress"}, "ignored", "", recaller.Conversation{Status: recaller.Active},
		},
		"forwarded": {
			"?after=dial",
			map[string]string{"CallStatus": "in-progress", "DialCallStatus": "completed", "DialCallDuration": "7"},
			"ended", "Hangup",
			recaller.Conversation{Status: recaller.Completed, EndReason: "completed", Duration: 7 * time.Second},
		},
		"forwarded to nobody": {
			"?after=dial",
			map[string]string{"CallStatus": "in-progress", "DialCallStatus": "no-answer"},
			"ended", "Say Hangup",
			recaller.Conversation{Status: recaller.Failed, EndReason: "no-answer"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, recaller.Telephone{}, nil)
			d.ring("CA1")
			form := telephonytest.Ringing("CA1", theirs, ours)
			for k, v := range c.fields {
				form.Set(k, v)
			}
			for range 2 { // it may come again
				d.want("the answer", d.Post(t, telephony.EndedPath+c.query, form), http.StatusOK, c.verbs)
			}
			got := d.core.call("CA1")
			if got.Status != c.want.Status || got.EndReason != c.want.EndReason || got.Duration != c.want.Duration || got.RecordingURL != c.want.RecordingURL {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
			d.counted("twilio", "call-ended", c.result, 2)
		})
	}
}

// A recording has no number: the tenant is the one at whose number the call rang, or the one that the address names.
func TestARecordingFindsItsCall(t *testing.T) {
	t.Parallel()
	const link = "https://api.twilio.com/2010-04-01/Accounts/AC1/Recordings/RE1"
	d := newDesk(t, recaller.Telephone{}, nil)
	form := telephonytest.Ringing("CA1", "", "")
	for _, name := range []string{"From", "To", "Caller", "Called", "CallStatus", "Direction"} {
		form.Del(name)
	}
	form.Set("RecordingUrl", link)
	form.Set("RecordingStatus", "completed")
	d.ring("CA1")
	d.Post(t, telephony.EndedPath, form) // before the end: it is kept for that
	d.Post(t, telephony.EndedPath, telephonytest.Over("CA1", theirs, ours, "completed", time.Second))
	if got := d.core.call("CA1"); got.RecordingURL != link {
		t.Errorf("told before the end: got %q", got.RecordingURL)
	}
	d.ring("CA2")
	d.Post(t, telephony.EndedPath, telephonytest.Over("CA2", theirs, ours, "completed", time.Second))
	form.Set("CallSid", "CA2")
	d.Post(t, telephony.EndedPath, form)
	if got := d.core.call("CA2"); got.RecordingURL != link {
		t.Errorf("told after the end: got %q", got.RecordingURL)
	}
	d.counted("twilio", "call-ended", "recorded", 1)
	form.Set("CallSid", "CA3")
	d.Post(t, telephony.EndedPath, form)
	d.counted("twilio", "call-ended", "unknown_number", 1)
	d.core.set(func() { d.core.calls["CA3"] = &recaller.Conversation{Status: recaller.Completed} })
	d.Post(t, telephony.EndedPath+"?number=%2B15550002222", form)
	if got := d.core.call("CA3"); got.RecordingURL != link {
		t.Errorf("with the number in the address: got %q", got.RecordingURL)
	}
}

// Who calls, and what the network says of his number.
func TestWhoCalls(t *testing.T) {
	t.Parallel()
	type want struct {
		caller      conversation.CallerRef
		direction   recaller.Direction
		attestation recaller.Attestation
	}
	anonymous := conversation.CallerRef{Phone: "anonymous"}
	number := conversation.CallerRef{Phone: theirs}
	for name, c := range map[string]struct {
		fields map[string]string
		want
	}{
		"a number":         {nil, want{number, recaller.Inbound, recaller.Attestation{}}},
		"a client":         {map[string]string{"From": "client:alice"}, want{conversation.CallerRef{ExternalID: "client:alice"}, recaller.Inbound, recaller.Attestation{}}},
		"a SIP address":    {map[string]string{"From": "SIP:alice@example.com;tag=1"}, want{conversation.CallerRef{ExternalID: "sip:alice@example.com"}, recaller.Inbound, recaller.Attestation{}}},
		"a number by SIP":  {map[string]string{"From": "sip:+15550001111@example.com"}, want{conversation.CallerRef{Phone: "sip:+15550001111@example.com"}, recaller.Inbound, recaller.Attestation{}}},
		"a short code":     {map[string]string{"From": "12345"}, want{anonymous, recaller.Inbound, recaller.Attestation{}}},
		"nothing":          {map[string]string{"From": ""}, want{anonymous, recaller.Inbound, recaller.Attestation{}}},
		"a scheme only":    {map[string]string{"From": "client:"}, want{anonymous, recaller.Inbound, recaller.Attestation{}}},
		"a word":           {map[string]string{"From": "Restricted"}, want{conversation.CallerRef{Phone: "Restricted"}, recaller.Inbound, recaller.Attestation{}}},
		"a call of ours":   {map[string]string{"Direction": "outbound-api", "From": ours, "To": theirs}, want{number, recaller.Outbound, recaller.Attestation{}}},
		"attested":         {map[string]string{"StirVerstat": "TN-Validation-Passed-A"}, want{number, recaller.Inbound, recaller.Attestation{Level: "A", Passed: true, Told: "TN-Validation-Passed-A"}}},
		"attested poorly":  {map[string]string{"StirVerstat": "TN-Validation-Passed-C"}, want{number, recaller.Inbound, recaller.Attestation{Level: "C", Passed: true, Told: "TN-Validation-Passed-C"}}},
		"not right":        {map[string]string{"StirVerstat": "TN-Validation-Failed-A"}, want{number, recaller.Inbound, recaller.Attestation{Level: "A", Told: "TN-Validation-Failed-A"}}},
		"diverted":         {map[string]string{"StirVerstat": "TN-Validation-Passed-A-Diverted"}, want{number, recaller.Inbound, recaller.Attestation{Level: "A", Told: "TN-Validation-Passed-A-Diverted"}}},
		"not checked":      {map[string]string{"StirVerstat": "No-TN-Validation"}, want{number, recaller.Inbound, recaller.Attestation{Told: "No-TN-Validation"}}},
		"another word":     {map[string]string{"StirVerstat": "TN-Validation-Passed-Z"}, want{number, recaller.Inbound, recaller.Attestation{Told: "TN-Validation-Passed-Z"}}},
		"a word with ends": {map[string]string{"StirVerstat": "TN-Validation-Passed-A\n"}, want{number, recaller.Inbound, recaller.Attestation{}}},
		"TeXML's":          {map[string]string{"ShakenStirAttestation": "B"}, want{number, recaller.Inbound, recaller.Attestation{Level: "B", Told: "B"}}},
		"TeXML's, checked": {map[string]string{"ShakenStirAttestation": "A", "ShakenStirValidated": "True"}, want{number, recaller.Inbound, recaller.Attestation{Level: "A", Passed: true, Told: "A"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, recaller.Telephone{}, nil)
			form := telephonytest.Ringing("CA1", theirs, ours)
			for k, v := range c.fields {
				form.Set(k, v)
			}
			d.want("the answer", d.Post(t, telephony.VoicePath, form), http.StatusOK, "Say Hangup")
			got := d.core.starts[0]
			if got.Caller != c.caller || got.Direction != c.direction || got.Attestation != c.attestation || got.ExternalID != "CA1" || got.Channel != recaller.ChannelVoice {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
			if got.PlatformIDs["twilio"] != "CA1" || got.PlatformIDs["twilio_account"] == "" {
				t.Errorf("got ids %v", got.PlatformIDs)
			}
		})
	}
}

// What is not the platform's is refused and counted, and nothing of it is carried out.
func TestForgedWebhooksAreRefused(t *testing.T) {
	t.Parallel()
	d := newDesk(t, recaller.Telephone{}, nil)
	form := telephonytest.Ringing("CA1", theirs, ours)
	const formType = "application/x-www-form-urlencoded"
	good := d.Sign(telephony.VoicePath, form.Encode(), form)
	for name, c := range map[string]struct {
		platform string
		header   http.Header
		kind     string
		body     string
		status   int
	}{
		"no signature":          {"unknown", http.Header{}, formType, form.Encode(), http.StatusForbidden},
		"another body":          {"twilio", good, formType, form.Encode() + "&Digits=1", http.StatusForbidden},
		"no form":               {"twilio", good, "text/plain", form.Encode(), http.StatusForbidden},
		"JSON without its hash": {"twilio", good, "application/json", `{}`, http.StatusForbidden},
		"a form that is broken": {"twilio", good, formType, "CallSid=%zz", http.StatusForbidden},
		"Telnyx's of long ago":  {"telnyx", telephonytest.Platform{Telnyx: true, Now: func() time.Time { return d.clock.now().Add(-301 * time.Second) }}.Sign("", form.Encode(), nil), formType, form.Encode(), http.StatusForbidden},
		"Telnyx's, JSON":        {"telnyx", telephonytest.Platform{Telnyx: true, Now: d.clock.now}.Sign("", `{}`, nil), "application/json", `{}`, http.StatusUnprocessableEntity},
		"too large":             {"twilio", good, formType, strings.Repeat("a", 70<<10), http.StatusRequestEntityTooLarge},
	} {
		header := c.header.Clone()
		header.Set("Content-Type", c.kind)
		a, err := telephonytest.Send(t.Context(), d.Server+telephony.VoicePath, header, c.body)
		if err != nil || a.Status != c.status || a.Header.Get("Content-Type") != "application/problem+json" {
			t.Errorf("%s: got %d %s, %v; want %d", name, a.Status, a.Body, err, c.status)
		}
	}
	d.counted("unknown", "voice", "forged", 1)
	d.counted("twilio", "voice", "forged", 4)
	d.counted("telnyx", "voice", "forged", 1)
	d.counted("telnyx", "voice", "malformed", 1)
	form.Set("CallSid", "")
	d.want("no id", d.Post(t, telephony.VoicePath, form), http.StatusUnprocessableEntity, "")
	d.want("another path", d.Post(t, "/webhook/other", form), http.StatusNotFound, "")
	if len(d.core.starts) > 0 {
		t.Errorf("calls began: %+v", d.core.starts)
	}
	if log := d.log.String(); strings.Contains(log, "5550001111") || strings.Contains(log, "5550002222") || strings.Contains(log, "JOS") {
		t.Errorf("the log tells who calls: %s", log)
	}
}

func TestWithoutSecretsPlatformsAreRefused(t *testing.T) {
	t.Parallel()
	d := newDesk(t, recaller.Telephone{}, func(o *telephony.Options) { o.Twilio, o.Telnyx = signed.Twilio{}, signed.Telnyx{} })
	for _, isTelnyx := range []bool{false, true} {
		d.Telnyx = isTelnyx
		if a := d.ring("CA1"); a.Status != http.StatusForbidden || !strings.Contains(a.Body, "this server has no") {
			t.Errorf("got %d %s, want 403 that says what is missing", a.Status, a.Body)
		}
	}
	res, err := http.Get(d.Server + telephony.VoicePath)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusMethodNotAllowed || res.Header.Get("Allow") != http.MethodPost {
		t.Errorf("GET: got %d, want 405", res.StatusCode)
	}
}
