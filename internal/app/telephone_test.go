package app

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/telephony"
	"github.com/recallerhq/recaller/internal/telephony/telephonytest"
)

// The numbers of these stories.
const (
	lakeside = "+15550002222" // of the tenant default
	hillside = "+15550003333" // of another
	marta    = "+15550001111" // who calls
)

// exchange is a Recaller whose tenant has a number, with a platform that brings calls.
type exchange struct {
	*house
	telephonytest.Platform
}

func connected(t *testing.T, env ...string) *exchange {
	t.Helper()
	env = append([]string{
		"TWILIO_AUTH_TOKEN=" + telephonytest.Token, "TELNYX_PUBLIC_KEY=" + telephonytest.PublicKey, "RECALLER_PUBLIC_URL=" + telephonytest.Public,
	}, env...)
	e := &exchange{house: build(t, t.TempDir(), Options{}, env...).start()}
	e.Platform = telephonytest.Platform{Server: e.url, Now: e.clock.Now}
	numbers := []string{lakeside}
	e.set(client.TenantSettings{Numbers: &numbers})
	return e
}

func (e *exchange) set(s client.TenantSettings) client.Tenant {
	e.t.Helper()
	out, err := e.UpdateTenant(e.t.Context(), client.TenantPatch{TenantSettings: s})
	if err != nil {
		e.t.Fatal(err)
	}
	return out
}

func (e *exchange) choose(p client.TelephonePatch) client.Telephone {
	e.t.Helper()
	return e.set(client.TenantSettings{Telephone: &p}).Telephone
}

// rings has a call come in, and wants what is to be done with it.
func (e *exchange) rings(id, from, to, verbs string) telephonytest.Answer {
	e.t.Helper()
	return e.wants(e.Post(e.t, telephony.VoicePath, telephonytest.Ringing(id, from, to)), verbs)
}

func (e *exchange) wants(a telephonytest.Answer, verbs string) telephonytest.Answer {
	e.t.Helper()
	if a.Status != http.StatusOK || a.XML.Names() != verbs {
		e.t.Fatalf("got %d, %q, %s; want %q", a.Status, a.XML.Names(), a.Body, verbs)
	}
	return a
}

func (e *exchange) ends(id, from, to, status string, length time.Duration) {
	e.t.Helper()
	e.wants(e.Post(e.t, telephony.EndedPath, telephonytest.Over(id, from, to, status, length)), "")
}

// all lists the conversations of the client's tenant.
func (e *exchange) all(c *client.Client) []client.Conversation {
	e.t.Helper()
	list, err := c.Conversations(e.t.Context(), client.ConversationFilter{})
	if err != nil {
		e.t.Fatal(err)
	}
	return list.Conversations
}

// counted is how many requests to a webhook had one of the results, as the metrics tell it.
func (e *exchange) counted(platform, webhook string, results ...string) (n int) {
	e.t.Helper()
	text, err := e.metrics()
	if err != nil {
		e.t.Fatal(err)
	}
	for _, result := range results {
		line := fmt.Sprintf("recaller_telephone_requests_total{platform=%q,result=%q,webhook=%q} ", platform, result, webhook)
		if _, rest, ok := strings.Cut(text, line); ok {
			value, _, _ := strings.Cut(rest, "\n")
			one, err := strconv.Atoi(value)
			if err != nil {
				e.t.Fatal(err)
			}
			n += one
		}
	}
	return n
}

// metrics are the server's.
func (e *exchange) metrics() (string, error) {
	req, err := http.NewRequestWithContext(e.t.Context(), http.MethodGet, e.url+"/metrics", nil)
	if err != nil {
		return "", err
	}
	req.Header.Set("Authorization", "Bearer "+e.app.BootstrapKey())
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	return string(body), err
}

// A number rings, and the call is a conversation of whoever calls from his number: at Twilio and at Telnyx (P14). The same
// webhook, twenty times at once, is one call; its end, told twice, is one end. What the network said of the number is
// kept.
func TestANumberRings(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, env ...string) {
		e := connected(t, env...)
		form := telephonytest.Ringing("CA1", marta, lakeside)
		form.Set("StirVerstat", "TN-Validation-Passed-A")
		var together sync.WaitGroup
		for range 20 {
			together.Go(func() {
				a, err := e.Try(t.Context(), telephony.VoicePath, form)
				if err != nil || a.Status != http.StatusOK || a.XML.Names() != "Say Hangup" {
					t.Errorf("got %d %s, %v", a.Status, a.Body, err)
				}
			})
		}
		together.Wait()
		list := e.all(e.Client)
		if len(list) != 1 {
			t.Fatalf("got %d conversations, want one", len(list))
		}
		got := list[0]
		if got.ExternalID != "CA1" || got.Channel != recaller.ChannelVoice || got.Direction != recaller.Inbound || got.Status != recaller.Active || got.PlatformIDs["twilio"] != "CA1" {
			t.Errorf("got %+v", got)
		}
		if want := (client.Attestation{Level: "A", Passed: true, Told: "TN-Validation-Passed-A"}); got.Attestation != want {
			t.Errorf("got %+v, want %+v", got.Attestation, want)
		}
		who, err := e.Caller(t.Context(), got.CallerID)
		if err != nil || who.Phone != marta {
			t.Errorf("got %+v, %v, want the caller by his number", who, err)
		}
		e.ends("CA1", marta, lakeside, "completed", 42*time.Second)
		e.ends("CA1", marta, lakeside, "busy", time.Second)
		recording := url.Values{"CallSid": {"CA1"}, "RecordingUrl": {"https://recordings.example.com/1"}, "RecordingStatus": {"completed"}}
		for range 2 {
			e.wants(e.Post(t, telephony.EndedPath, recording), "")
		}
		got = e.read("CA1").Conversation
		if got.Status != recaller.Completed || got.DurationSeconds != 42 || got.EndReason != "completed" || got.RecordingURL != "https://recordings.example.com/1" || got.Attestation.Level != "A" {
			t.Errorf("got %+v, want it to have ended after 42 s", got)
		}

		e.Telnyx = true
		form = telephonytest.Ringing("v3:abc", marta, lakeside)
		form.Set("ShakenStirAttestation", "B")
		e.wants(e.Post(t, telephony.VoicePath, form), "Say Hangup")
		e.ends("v3:abc", marta, lakeside, "no-answer", 0)
		second := e.read("v3:abc").Conversation
		if second.CallerID != got.CallerID || second.Status != recaller.Failed || second.EndReason != "no-answer" || second.PlatformIDs["telnyx"] != "v3:abc" || second.Attestation.Told != "B" || second.Attestation.Passed {
			t.Errorf("got %+v, want a call of the same caller that nobody took", second)
		}
		if n := e.counted("twilio", "voice", "answered", "degraded", "unavailable"); n != 20 { // on a busy machine some wait too long for the store
			t.Errorf("%d webhooks are counted, want 20", n)
		}
	})
}

// Telnyx's Call Control API tells events and is told commands: the call is one conversation all the same.
func TestANumberRingsAtCallControl(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, env ...string) {
		api := telephonytest.NewTelnyx(t)
		e := connected(t, append(env, "TELNYX_API_KEY="+telephonytest.APIKey, "RECALLER_TELNYX_URL="+api.URL)...)
		tell := func(kind string, fields map[string]any) {
			t.Helper()
			for range 2 {
				if a := e.Event(t, telephony.VoicePath, kind, "v3:a", fields); a.Status != http.StatusOK {
					t.Fatalf("%s: got %d %s", kind, a.Status, a.Body)
				}
			}
		}
		state := func(n int, action string) map[string]any {
			t.Helper()
			got := api.Await(t, n)
			if got.Action != action || got.Call != "v3:a" {
				t.Fatalf("got %+v, want %s", got, action)
			}
			return map[string]any{"client_state": got.Fields["client_state"]}
		}
		tell("call.initiated", map[string]any{"direction": "incoming", "state": "parked", "from": marta, "to": lakeside, "shaken_stir_attestation": "A", "shaken_stir_validated": true})
		tell("call.answered", state(1, "answer"))
		tell("call.speak.ended", state(2, "speak"))
		state(3, "hangup")
		tell("call.hangup", map[string]any{
			"direction": "incoming", "from": marta, "to": lakeside, "hangup_cause": "normal_clearing",
			"start_time": "2026-08-01T10:00:00.000001Z", "end_time": "2026-08-01T10:00:07.000001Z",
		})
		got := e.read("v3:a").Conversation
		who, err := e.Caller(t.Context(), got.CallerID)
		if err != nil || who.Phone != marta || got.Status != recaller.Completed || got.DurationSeconds != 7 || !got.Attestation.Passed || got.PlatformIDs["telnyx_session"] != "session" {
			t.Errorf("got %+v of %+v, %v", got, who, err)
		}
		if n := len(e.all(e.Client)); n != 1 {
			t.Errorf("got %d conversations, want 1", n)
		}
	})
}

// Who withholds his number is nobody that is known, and nobody that will be: each such call is of somebody new.
func TestWithheldNumbersAreNobodys(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, env ...string) {
		e := connected(t, env...)
		callers := map[string]bool{}
		for i, from := range []string{"anonymous", "Restricted", "+266696687", "", "unknown", "sip:anonymous@anonymous.invalid", "7378742833"} {
			id := telephonytest.ID("CA", i)
			for range 2 {
				e.rings(id, from, lakeside, "Say Hangup")
			}
			e.ends(id, from, lakeside, "completed", time.Second)
			got := e.read(id).Conversation
			who, err := e.Caller(t.Context(), got.CallerID)
			if err != nil || who.Phone != "" || who.ExternalID != "" || callers[got.CallerID] || got.Status != recaller.Completed {
				t.Errorf("%q: got %+v of %+v, %v; want somebody new without a number", from, got, who, err)
			}
			callers[got.CallerID] = true
		}
		if n := len(e.all(e.Client)); n != len(callers) {
			t.Errorf("got %d conversations, want %d", n, len(callers))
		}
	})
}

// The tenant is the one whose number was called. A number that nobody has leads to nobody.
func TestACallGoesToWhoseNumberWasCalled(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, env ...string) {
		e := connected(t, env...)
		numbers, greeting, answer := []string{hillside}, "Hillside Golf.", recaller.AnswerGreeting
		made, err := e.CreateTenant(t.Context(), client.NewTenant{Name: "Hillside", TenantSettings: client.TenantSettings{
			Numbers: &numbers, Telephone: &client.TelephonePatch{Answer: &answer, Greeting: &greeting},
		}})
		if err != nil {
			t.Fatal(err)
		}
		golf, err := client.New(e.url, made.APIKey, client.WithRetries(0))
		if err != nil {
			t.Fatal(err)
		}
		e.rings("CA1", marta, lakeside, "Say Hangup")
		a := e.rings("CA1", marta, hillside, "Say Hangup") // the same id too
		if got := a.XML.Find("Say").Text; got != greeting {
			t.Errorf("got %q, want the other tenant's greeting", got)
		}
		e.ends("CA1", marta, hillside, "completed", time.Second)
		ours, theirs := e.all(e.Client), e.all(golf)
		if len(ours) != 1 || len(theirs) != 1 || ours[0].CallerID == theirs[0].CallerID {
			t.Fatalf("got %+v and %+v, want one call each, of callers that have nothing to do with one another", ours, theirs)
		}
		if ours[0].Status != recaller.Active || theirs[0].Status != recaller.Completed {
			t.Errorf("got %s and %s: the end of the one call ended the other", ours[0].Status, theirs[0].Status)
		}
		a = e.rings("CA2", marta, "+15550009999", "Say Hangup")
		holds(t, "the answer", a.XML.Find("Say").Text, "not in service")
		e.ends("CA2", marta, "+15550009999", "completed", time.Second)
		if len(e.all(e.Client))+len(e.all(golf)) != 2 {
			t.Error("a call to nobody's number is a conversation of somebody's")
		}
		if n := e.counted("twilio", "voice", "unknown_number"); n != 1 {
			t.Errorf("%d are counted, want 1", n)
		}
	})
}

// Webhooks come in any order: a call whose end is told first has ended once it began, with its length.
func TestAnEndThatComesFirst(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, env ...string) {
		e := connected(t, env...)
		e.ends("CA1", marta, lakeside, "completed", 30*time.Second)
		if n := len(e.all(e.Client)); n != 0 {
			t.Fatalf("got %d conversations of an end alone", n)
		}
		for range 2 {
			e.rings("CA1", marta, lakeside, "Say Hangup")
		}
		e.ends("CA1", marta, lakeside, "completed", 30*time.Second)
		if got := e.read("CA1").Conversation; got.Status != recaller.Completed || got.DurationSeconds != 30 {
			t.Errorf("got %+v, want it to have ended after 30 s", got)
		}
	})
}

// The store is away, hangs, or has no room: who calls is answered as the tenant chose, and the call is written when it is
// back. Right after a start nobody knows whose the number is: then he is told to try again.
func TestACallWhileTheStoreIsAway(t *testing.T) {
	t.Parallel()
	for name, state := range map[string]state{"away": away, "hangs": hangs, "full": full} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			onBoth(t, func(t *testing.T, env ...string) {
				e := connected(t, env...)
				forward, to := recaller.AnswerForward, hillside
				e.choose(client.TelephonePatch{Answer: &forward, ForwardTo: &to})
				e.rings("CA0", marta, lakeside, "Dial") // the tenant is known
				e.store.is(state)
				began := time.Now()
				for range 2 {
					e.rings("CA1", marta, lakeside, "Dial")
				}
				if took := time.Since(began); took > 10*time.Second {
					t.Errorf("the answers took %v", took)
				}
				e.ends("CA1", marta, lakeside, "completed", 20*time.Second)
				e.ends("CA0", marta, lakeside, "completed", 10*time.Second)
				e.store.is(well)
				e.app.conversations.FlushHeld(t.Context())
				for id, length := range map[string]float64{"CA0": 10, "CA1": 20} {
					e.eventually("the call is written", func() bool {
						rec, err := e.Conversation(t.Context(), id)
						return err == nil && rec.Conversation.Status == recaller.Completed && rec.Conversation.DurationSeconds == length
					})
				}
				e.eventually("both are in the store", func() bool { return len(e.all(e.Client)) >= 2 }) // what is held is read, but not listed
				if n := len(e.all(e.Client)); n != 2 {
					t.Errorf("got %d conversations, want 2", n)
				}
			})
		})
	}
}

func TestACallRightAfterAStartWhileTheStoreIsAway(t *testing.T) {
	t.Parallel()
	e := connected(t)
	for _, state := range []state{away, hangs} {
		e.store.is(state)
		a := e.rings("CA1", marta, lakeside, "Say Hangup")
		holds(t, "the answer", a.XML.Find("Say").Text, "try again in a few minutes")
		e.store.is(well)
	}
	e.rings("CA1", marta, lakeside, "Say Hangup")
}

// What is signed is the address that the platform calls: with the scheme's port or without, and with a fragment that it
// was given. While one token replaces another both are right. All else is forged, refused and counted.
func TestForgedWebhooks(t *testing.T) {
	t.Parallel()
	const old = "fedcba9876543210fedcba9876543210"
	e := connected(t, "TWILIO_AUTH_TOKEN="+telephonytest.Token+","+old, "RECALLER_TWILIO_FRAGMENT=rc=2&rp=all")
	form := telephonytest.Ringing("CA1", marta, lakeside)
	for name, p := range map[string]telephonytest.Platform{
		"the old token":     {Token: old},
		"the scheme's port": {Address: telephonytest.Public + ":443"},
	} {
		p.Server = e.url
		if a := p.Post(t, telephony.VoicePath, form); a.Status != http.StatusOK {
			t.Errorf("%s: got %d %s", name, a.Status, a.Body)
		}
	}
	body := form.Encode()
	send := func(header http.Header, body string) int {
		t.Helper()
		header = header.Clone()
		header.Set("Content-Type", "application/x-www-form-urlencoded")
		a, err := telephonytest.Send(t.Context(), e.url+telephony.VoicePath, header, body)
		if err != nil {
			t.Fatal(err)
		}
		return a.Status
	}
	if got := send(e.Sign(telephony.VoicePath+"#rc=2&rp=all", body, form), body); got != http.StatusOK {
		t.Errorf("a fragment that is signed: got %d", got)
	}
	good := e.Sign(telephony.VoicePath, body, form)
	forged := map[string]http.Header{
		"no signature":      {},
		"another token":     telephonytest.Platform{Token: "x"}.Sign(telephony.VoicePath, body, form),
		"another host":      telephonytest.Platform{Address: "https://evil.example"}.Sign(telephony.VoicePath, body, form),
		"plain HTTP":        telephonytest.Platform{Address: "http://calls.example.test"}.Sign(telephony.VoicePath, body, form),
		"another webhook":   e.Sign(telephony.EndedPath, body, form),
		"an old one, moved": {"Telnyx-Signature-Ed25519": good["X-Twilio-Signature"], "Telnyx-Timestamp": {"1"}},
	}
	for name, header := range forged {
		if got := send(header, body); got != http.StatusForbidden {
			t.Errorf("%s: got %d, want 403", name, got)
		}
	}
	for range 200 {
		if got := send(good, body+"&Digits=1"); got != http.StatusForbidden {
			t.Fatalf("another body: got %d, want 403", got)
		}
	}
	if n := e.counted("twilio", "voice", "forged"); n != 204 {
		t.Errorf("%d are counted, want 204", n)
	}
	if n := len(e.all(e.Client)); n != 1 {
		t.Errorf("got %d conversations, want that of the calls that were right", n)
	}
}

// How calls are answered is the tenant's to say. What is wrong with it is named, and an answer that the server cannot give
// is refused.
func TestATenantChoosesHowCallsAreAnswered(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, env ...string) {
		e := connected(t, env...)
		if got, err := e.Tenant(t.Context()); err != nil || got.Telephone != (client.Telephone{Answer: recaller.AnswerGreeting}) {
			t.Errorf("by default: got %+v, %v", got.Telephone, err)
		}
		text := func(s string) *string { return &s }
		answer := func(a recaller.TelephoneAnswer) *recaller.TelephoneAnswer { return &a }
		for name, c := range map[string]struct {
			p     client.TelephonePatch
			field string
		}{
			"a relay":              {client.TelephonePatch{Answer: answer(recaller.AnswerRelay)}, "telephone.answer"},
			"a bridge":             {client.TelephonePatch{Answer: answer(recaller.AnswerBridge)}, "telephone.answer"},
			"to nowhere":           {client.TelephonePatch{Answer: answer(recaller.AnswerForward)}, "telephone.forward_to"},
			"to itself":            {client.TelephonePatch{ForwardTo: text("(555) 000-2222")}, "telephone.forward_to"},
			"to a word":            {client.TelephonePatch{ForwardTo: text("the desk")}, "telephone.forward_to"},
			"to SIP without a one": {client.TelephonePatch{ForwardTo: text("sip:example.com")}, "telephone.forward_to"},
			"with a password":      {client.TelephonePatch{ForwardTo: text("sip:a:b@example.com")}, "telephone.forward_to"},
			"a language of none":   {client.TelephonePatch{Language: text("klingon!")}, "telephone.language"},
			"a voice of none":      {client.TelephonePatch{Voice: text(`a" b="`)}, "telephone.voice"},
			"too much to say":      {client.TelephonePatch{Greeting: text(strings.Repeat("x", 4001))}, "telephone.greeting"},
		} {
			_, err := e.UpdateTenant(t.Context(), client.TenantPatch{TenantSettings: client.TenantSettings{Telephone: &c.p}})
			var p *client.Problem
			if !errors.As(err, &p) || p.Status != http.StatusUnprocessableEntity || p.Field != c.field {
				t.Errorf("%s: got %v, want a 422 that names %s", name, err, c.field)
			}
		}
		got := e.choose(client.TelephonePatch{
			Answer: answer(recaller.AnswerForward), ForwardTo: text("(555) 000-3333"), Greeting: text("Good morning!"), Language: text("EN-gb"), Voice: text("Polly.Amy-Neural"),
		})
		want := client.Telephone{Answer: recaller.AnswerForward, ForwardTo: hillside, Greeting: "Good morning!", Language: "en-GB", Voice: "Polly.Amy-Neural"}
		if got != want {
			t.Errorf("got %+v, want %+v", got, want)
		}
		a := e.rings("CA1", marta, lakeside, "Dial")
		if to := a.XML.Find("Number").Text; to != hillside {
			t.Errorf("forwarded to %q", to)
		}
		over := telephonytest.Ringing("CA1", marta, lakeside)
		over.Set("CallStatus", "in-progress")
		over.Set("DialCallStatus", "busy")
		e.wants(e.Post(t, telephony.EndedPath+"?after=dial", over), "Say Hangup")
		if c := e.read("CA1").Conversation; c.Status != recaller.Failed || c.EndReason != "busy" {
			t.Errorf("got %+v, want a call that nobody took", c)
		}
		e.choose(client.TelephonePatch{Answer: answer(recaller.AnswerForward), ForwardTo: text("SIP:agent@pbx.example.com:5061;transport=tls")})
		a = e.rings("CA2", marta, lakeside, "Dial")
		if to := a.XML.Find("Sip").Text; to != "sip:agent@pbx.example.com:5061;transport=tls" {
			t.Errorf("forwarded to %q", to)
		}
		if got = e.choose(client.TelephonePatch{Answer: answer(recaller.AnswerGreeting), ForwardTo: text("")}); got.ForwardTo != "" || got.Greeting != "Good morning!" {
			t.Errorf("got %+v, want one field cleared, and the others as they were", got)
		}
		a = e.rings("CA3", marta, lakeside, "Say Hangup")
		if s := a.XML.Find("Say"); s.Text != "Good morning!" || s.Attr("voice") != "Polly.Amy-Neural" || s.Attr("language") != "en-GB" {
			t.Errorf("got %+v", s)
		}
	})
}
