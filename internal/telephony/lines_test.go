package telephony_test

import (
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/conversation"
	"github.com/recallerhq/recaller/internal/telephony"
	"github.com/recallerhq/recaller/internal/telephony/telephonytest"
)

var bridgedCall = recaller.Telephone{Answer: recaller.AnswerBridge, Language: "de-AT"}

// pick has a call come in, and its socket.
func (d *desk) pick(id string) *telephony.Line {
	d.t.Helper()
	a := d.ring(id)
	line, ok := d.door.Take(id, "another", a.XML.Find("Parameter").Attr("value"))
	if !ok {
		d.t.Fatalf("got %s, want a token", a.Body)
	}
	return line
}

// Times are told by the clock where the caller's number is, if no other is known: reminders come due by it.
func TestALineHasTheCallersTime(t *testing.T) {
	t.Parallel()
	d := newDesk(t, bridgedCall, sockets)
	d.core.set(func() {
		d.core.tenant.TimeZone = "Europe/Berlin"
		d.core.who = recaller.Caller{ID: "dana", Identities: []recaller.Identity{{Kind: recaller.IdentityPhone, Value: "+14155552671"}}}
	})
	if got := d.pick("CA1"); got.TimeZone != "America/Los_Angeles" || got.Caller != "dana" {
		t.Errorf("got %q for %q, want the time of California for dana", got.TimeZone, got.Caller)
	}
	d.core.set(func() { d.core.who = recaller.Caller{ID: "withheld"} })
	if got := d.pick("CA2"); got.TimeZone != "Europe/Berlin" {
		t.Errorf("got %q, want the tenant's time", got.TimeZone)
	}
}

// Who leads a call over a socket ends its conversation, whatever the platform told before; what the platform knows of the
// length and of the recording is kept. What it tells later adds the recording.
func TestWhoLeadsACallEndsIt(t *testing.T) {
	t.Parallel()
	d := newDesk(t, bridgedCall, sockets)
	over := telephonytest.Over("CA1", theirs, ours, "completed", 42*time.Second)
	over.Set("RecordingUrl", "https://recordings.example.com/1")
	line := d.pick("CA1")
	for range 2 {
		d.want("the end is told", d.Post(t, telephony.EndedPath, over), http.StatusOK, "")
		if err := d.door.Retry(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if got := d.core.call("CA1"); got.Status != recaller.Active {
		t.Fatalf("got %+v: it ended before all that was said was kept", got)
	}
	line.Over(t.Context(), &conversation.End{Status: recaller.Failed, Reason: "broken", Duration: 40 * time.Second})
	got := d.core.call("CA1")
	if got.Status != recaller.Failed || got.EndReason != "broken" || got.Duration != 42*time.Second || got.RecordingURL != "https://recordings.example.com/1" {
		t.Errorf("got %+v, want the end of who led it, with the platform's length and recording", got)
	}

	line = d.pick("CA2")
	line.Over(t.Context(), &conversation.End{Status: recaller.Completed, Reason: "ended", Duration: 40 * time.Second})
	over.Set("CallSid", "CA2")
	d.Post(t, telephony.EndedPath, over)
	got = d.core.call("CA2")
	if got.EndReason != "ended" || got.Duration != 40*time.Second || got.RecordingURL != "https://recordings.example.com/1" {
		t.Errorf("got %+v, want the end that was told first, with the recording", got)
	}
}

// Behind a stream the platform asks what comes next: a word of apology where the caller waits for one, in the tenant's
// language. A call whose socket never came has failed.
func TestWhatComesBehindAStream(t *testing.T) {
	t.Parallel()
	d := newDesk(t, bridgedCall, sockets)
	next := func(id string) telephonytest.Answer {
		t.Helper()
		form := telephonytest.Ringing(id, theirs, ours)
		form.Set("CallStatus", "in-progress")
		return d.Post(t, telephony.EndedPath+"?after=socket", form)
	}
	a := d.ring("CA1")
	if c := a.XML.Find("Connect"); c.Attr("action") != telephonytest.Public+telephony.EndedPath+"?after=socket" || c.Find("Stream").Attr("bidirectionalMode") != "" {
		t.Errorf("got %s", a.Body)
	}
	for range 2 {
		d.want("no socket came", next("CA1"), http.StatusOK, "Say Hangup")
	}
	if got := d.core.call("CA1"); got.Status != recaller.Failed || got.EndReason != "no socket" {
		t.Errorf("got %+v, want a call that failed", got)
	}
	line := d.pick("CA2")
	a = next("CA2")
	d.want("the connection broke", a, http.StatusOK, "Say Hangup")
	if s := a.XML.Find("Say"); !strings.HasPrefix(s.Text, "Entschuldigung") || s.Attr("language") != "de-AT" {
		t.Errorf("got %+v, want an apology in German", s)
	}
	line.Leave(t.Context(), true)
	d.want("the model broke", next("CA2"), http.StatusOK, "Say Hangup")
	line.Leave(t.Context(), false)
	d.want("it ended well", next("CA2"), http.StatusOK, "Hangup")
	if got := d.core.call("CA2"); got.Status != recaller.Active {
		t.Errorf("got %+v: what was said last is not kept yet", got)
	}
	line.Over(t.Context(), &conversation.End{Status: recaller.Completed})
	d.want("all is kept", next("CA2"), http.StatusOK, "Hangup")

	d.Telnyx = true
	a = d.ring("v3:a")
	if s := a.XML.Find("Stream"); s.Attr("bidirectionalMode") != "rtp" || s.Attr("bidirectionalCodec") != "PCMU" {
		t.Errorf("got %s, want Telnyx to send and take sound as telephones have it", a.Body)
	}
}

// A forwarded call that is listened to is streamed beside it, at either platform.
func TestAForwardedCallIsStreamedBesideIt(t *testing.T) {
	t.Parallel()
	d := newDesk(t, recaller.Telephone{Answer: recaller.AnswerForward, ForwardTo: "+15550003333", Listen: true}, func(o *telephony.Options) {
		o.Sockets = map[recaller.TelephoneAnswer]telephony.Socket{recaller.AnswerForward: says(http.StatusGone)}
	})
	for id, isTelnyx := range map[string]bool{"CA1": false, "v3:a": true} {
		d.Telnyx = isTelnyx
		a := d.ring(id)
		d.want(id, a, http.StatusOK, "Start Dial")
		s := a.XML.Find("Start").Find("Stream")
		if s.Attr("track") != "both_tracks" || s.Attr("bidirectionalMode") != "" || !strings.HasSuffix(s.Attr("url"), telephony.ListenPath) || s.Find("Parameter").Attr("value") == "" {
			t.Errorf("got %s, want both sides streamed, and none taken", a.Body)
		}
	}
}

// A call whose conversation could not begin has nowhere to keep what is said: it is not bridged.
func TestACallWithoutAConversationIsNotBridged(t *testing.T) {
	t.Parallel()
	for verbs, forward := range map[string]string{"Dial": "+15550004444", "Say Hangup": ""} {
		d := newDesk(t, recaller.Telephone{Answer: recaller.AnswerBridge, ForwardTo: forward}, func(o *telephony.Options) {
			sockets(o)
			o.Patience = 20 * time.Millisecond
		})
		slow := make(chan struct{})
		d.core.set(func() { d.core.slow = slow })
		d.want("the store is away", d.ring("CA1"), http.StatusOK, verbs)
		close(slow)
	}
}

// At Call Control commands say what comes behind a stream.
func TestALineOfCallControl(t *testing.T) {
	t.Parallel()
	api := telephonytest.NewTelnyx(t)
	d := newDesk(t, bridgedCall, func(o *telephony.Options) {
		sockets(o)
		o.Commands = telephony.Commands{Key: telephonytest.APIKey, BaseURL: api.URL}
	})
	n := 0
	wants := func(call, action string) map[string]any {
		t.Helper()
		n++
		got := api.Await(t, n)
		if got.Call != call || got.Action != action {
			t.Fatalf("got %+v, want %s", got, action)
		}
		return got.Fields
	}
	picked := func(id string) (*telephony.Line, any) {
		t.Helper()
		d.Event(t, telephony.VoicePath, "call.initiated", id, map[string]any{"direction": "incoming", "state": "parked", "from": theirs, "to": ours})
		with := wants(id, "answer")
		token, _ := with["stream_auth_token"].(string)
		line, ok := d.door.Take(id, token)
		if !ok || with["stream_url"] != "wss://"+strings.TrimPrefix(telephonytest.Public, "https://")+telephony.MediaPath {
			t.Fatalf("got %+v", with)
		}
		return line, with["client_state"]
	}
	line, state := picked("v3:a")
	line.Leave(t.Context(), false)
	wants("v3:a", "hangup")
	d.Event(t, telephony.VoicePath, "streaming.stopped", "v3:a", map[string]any{"client_state": state})
	line, _ = picked("v3:b")
	line.Leave(t.Context(), true)
	if said, _ := wants("v3:b", "speak")["payload"].(string); !strings.HasPrefix(said, "Entschuldigung") {
		t.Errorf("got %q, want an apology in German", said)
	}
	line, _ = picked("v3:c")
	d.Event(t, telephony.VoicePath, "call.hangup", "v3:c", map[string]any{"direction": "incoming", "from": theirs, "to": ours, "hangup_cause": "normal_clearing"})
	line.Leave(t.Context(), false) // nobody is there
	d.Event(t, telephony.VoicePath, "call.initiated", "v3:d", map[string]any{"direction": "incoming", "state": "parked", "from": theirs, "to": ours})
	with := wants("v3:d", "answer")
	for range 2 {
		d.Event(t, telephony.VoicePath, "streaming.failed", "v3:d", map[string]any{"client_state": with["client_state"]})
	}
	wants("v3:d", "speak")
	d.door.Settle(t.Context())
	if got := len(api.Commands()); got != n {
		t.Errorf("got %d commands, want %d", got, n)
	}
}

// A recording that is told while the call goes on waits for its end.
func TestARecordingOfACallThatGoesOn(t *testing.T) {
	t.Parallel()
	d := newDesk(t, bridgedCall, sockets)
	line := d.pick("CA1")
	form := url.Values{"CallSid": {"CA1"}, "RecordingUrl": {"https://recordings.example.com/1"}, "RecordingStatus": {"completed"}}
	d.Post(t, telephony.EndedPath+"?number="+url.QueryEscape(ours), form)
	line.Over(t.Context(), &conversation.End{Status: recaller.Completed})
	if got := d.core.call("CA1"); got.RecordingURL != "https://recordings.example.com/1" || got.Status != recaller.Completed {
		t.Errorf("got %+v, want the recording", got)
	}
}

// taker is a socket that takes its call by the header of its handshake, says so, and does something.
type taker func(line *telephony.Line)

func (f taker) Serve(w http.ResponseWriter, r *http.Request, take telephony.Take) {
	line, ok := take(r.Header.Get("Call"), r.Header.Get("Token"))
	if !ok {
		w.WriteHeader(http.StatusForbidden)
		return
	}
	f(line)
}

// open opens a socket of Telnyx's, which signs none.
func (d *desk) open(call, token string) (status int) {
	d.t.Helper()
	r, err := http.NewRequestWithContext(d.t.Context(), http.MethodGet, d.Server+telephony.MediaPath, nil)
	if err != nil {
		d.t.Fatal(err)
	}
	r.Header.Set("Call", call)
	r.Header.Set("Token", token)
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0
	}
	_ = res.Body.Close()
	return res.StatusCode
}

// A socket whose handler crashes, or forgets to say that it is over, leaves no line open: the end that the platform tells
// is carried out.
func TestASocketThatCrashesLeavesNoLineOpen(t *testing.T) {
	t.Parallel()
	for name, do := range map[string]func(*telephony.Line){"crashes": func(*telephony.Line) { panic("in a socket") }, "forgets": func(*telephony.Line) {}} {
		d := newDesk(t, bridgedCall, func(o *telephony.Options) {
			o.Sockets = map[recaller.TelephoneAnswer]telephony.Socket{recaller.AnswerBridge: taker(do)}
		})
		d.open("CA1", d.ring("CA1").XML.Find("Parameter").Attr("value"))
		d.want(name, d.Post(t, telephony.EndedPath, telephonytest.Over("CA1", theirs, ours, "completed", time.Second)), http.StatusOK, "")
		if got := d.core.call("CA1"); got.Status != recaller.Completed || got.EndReason != "completed" {
			t.Errorf("%s: got %+v, want the end that was told", name, got)
		}
	}
}

// Few sockets may be open of whom it is not known whose they are. One that is known leaves its place to another.
func TestSocketsOfStrangersAreFew(t *testing.T) {
	t.Parallel()
	here, leave := make(chan struct{}), make(chan struct{})
	d := newDesk(t, bridgedCall, func(o *telephony.Options) {
		o.Strangers = 1
		o.Sockets = map[recaller.TelephoneAnswer]telephony.Socket{
			recaller.AnswerRelay:  taker(nil),
			recaller.AnswerBridge: taker(func(*telephony.Line) { here <- struct{}{}; <-leave }),
		}
	})
	token := func(id string) string { return d.ring(id).XML.Find("Parameter").Attr("value") }
	var calls sync.WaitGroup
	for _, id := range []string{"CA1", "CA2"} { // the second finds the place of the first free
		token := token(id)
		calls.Go(func() { d.open(id, token) })
		<-here
	}
	if got := d.open("CA3", "another"); got != http.StatusForbidden {
		t.Errorf("a stranger: got %d, want 403", got)
	}
	close(leave)
	calls.Wait()
}

// A call that a process led which is gone has been cut off, unless the platform knows better; who calls is told.
func TestACallThatNobodyLeadsAnyMore(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		telephone recaller.Telephone
		session   string
		verbs     string
		want      conversation.End
	}{
		"a stream":               {bridgedCall, "", "Say Hangup", conversation.End{Status: recaller.Failed, Reason: "cut off"}},
		"a session that failed":  {recaller.Telephone{Answer: recaller.AnswerRelay}, "failed", "Say Hangup", conversation.End{Status: recaller.Failed, Reason: "cut off"}},
		"a session that did not": {recaller.Telephone{Answer: recaller.AnswerRelay}, "ended", "Hangup", conversation.End{Status: recaller.Completed, Reason: "completed"}},
	} {
		d := newDesk(t, c.telephone, sockets)
		d.core.set(func() { d.core.calls["CA1"] = &recaller.Conversation{ID: "c1", Status: recaller.Active} })
		form := telephonytest.Ringing("CA1", theirs, ours)
		form.Set("CallStatus", "in-progress")
		if c.session != "" {
			form.Set("SessionStatus", c.session)
		}
		for range 2 {
			d.want(name, d.Post(t, telephony.EndedPath+"?after=socket", form), http.StatusOK, c.verbs)
		}
		if got := d.core.call("CA1"); got.Status != c.want.Status || got.EndReason != c.want.Reason {
			t.Errorf("%s: got %+v, want %+v", name, got, c.want)
		}
	}
}
