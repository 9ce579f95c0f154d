package telephony_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/conversation"
	"github.com/recallerhq/recaller/internal/telephony"
	"github.com/recallerhq/recaller/internal/telephony/telephonytest"
)

// switchboard is a desk with Telnyx's API behind it.
type switchboard struct {
	*desk
	api *telephonytest.Telnyx
}

func newSwitchboard(t *testing.T, p recaller.Telephone, change func(*telephony.Options)) *switchboard {
	t.Helper()
	b := &switchboard{api: telephonytest.NewTelnyx(t)}
	b.desk = newDesk(t, p, func(o *telephony.Options) {
		o.Commands, o.Again = telephony.Commands{Key: telephonytest.APIKey, BaseURL: b.api.URL + "/"}, time.Millisecond
		if change != nil {
			change(o)
		}
	})
	t.Cleanup(func() { b.door.Settle(t.Context()) })
	return b
}

// tells posts an event, twice: Telnyx may.
func (b *switchboard) tells(kind, call string, fields map[string]any) {
	b.t.Helper()
	for range 2 {
		if a := b.Event(b.t, telephony.VoicePath, kind, call, fields); a.Status != http.StatusOK {
			b.t.Fatalf("%s: got %d %s", kind, a.Status, a.Body)
		}
	}
}

func incoming(more map[string]any) map[string]any {
	out := map[string]any{"direction": "incoming", "state": "parked", "from": theirs, "to": ours}
	for k, v := range more {
		out[k] = v
	}
	return out
}

// does wants the nth command to be this, and returns the state that it gives the call.
func (b *switchboard) does(n int, call, action string, fields map[string]any) string {
	b.t.Helper()
	got := b.api.Await(b.t, n)
	if got.Call != call || got.Action != action {
		b.t.Fatalf("command %d: got %s of %s, want %s of %s", n, got.Action, got.Call, action, call)
	}
	for name, want := range fields {
		if got.Fields[name] != want {
			b.t.Errorf("%s: got %s %v, want %v", action, name, got.Fields[name], want)
		}
	}
	state, _ := got.Fields["client_state"].(string)
	return state
}

// Telnyx tells events, each of them twice, and gets one command for each.
func TestACallOfCallControlIsGreeted(t *testing.T) {
	t.Parallel()
	b := newSwitchboard(t, recaller.Telephone{Greeting: "Good morning!", Voice: "AWS.Polly.Amy-Neural", Language: "en-GB"}, nil)
	b.tells("call.initiated", "v3:a", incoming(map[string]any{"shaken_stir_attestation": "A", "shaken_stir_validated": true}))
	state := b.does(1, "v3:a", "answer", nil)
	b.tells("call.answered", "v3:a", map[string]any{"client_state": state})
	state = b.does(2, "v3:a", "speak", map[string]any{"payload": "Good morning!", "voice": "AWS.Polly.Amy-Neural", "language": "en-GB"})
	b.tells("call.speak.ended", "v3:a", map[string]any{"client_state": state})
	b.does(3, "v3:a", "hangup", nil)
	b.api.HangUp("v3:a")
	b.tells("call.hangup", "v3:a", map[string]any{
		"client_state": state, "from": theirs, "to": ours, "direction": "incoming", "hangup_cause": "normal_clearing",
		"start_time": "2026-08-01T10:00:00.000001Z", "end_time": "2026-08-01T10:00:30.000001Z",
	})
	got := b.core.call("v3:a")
	if got.Status != recaller.Completed || got.Duration != 30*time.Second || got.EndReason != "normal_clearing" {
		t.Errorf("got %+v, want a call of 30 s", got)
	}
	b.door.Settle(t.Context())
	if n := len(b.api.Commands()); n != 3 {
		t.Errorf("got %d commands, want 3", n)
	}
	start := b.core.starts[0]
	if start.Caller != (conversation.CallerRef{Phone: theirs}) || start.Attestation != (recaller.Attestation{Level: "A", Passed: true, Told: "A"}) ||
		start.PlatformIDs["telnyx"] != "v3:a" || start.PlatformIDs["telnyx_session"] != "session" || start.PlatformIDs["telnyx_leg"] != "leg" {
		t.Errorf("got %+v", start)
	}
	b.counted("telnyx", "call-ended", "ended", 2)
	if strings.Contains(b.log.String(), "5550001111") || strings.Contains(b.log.String(), "5550002222") {
		t.Error("the log tells who calls")
	}
}

func TestACallOfCallControlIsForwarded(t *testing.T) {
	t.Parallel()
	forward := recaller.Telephone{Answer: recaller.AnswerForward, ForwardTo: "sip:agent@example.com"}
	for cause, want := range map[string]recaller.Conversation{
		"user_busy":       {Status: recaller.Failed, EndReason: "user_busy"},
		"normal_clearing": {Status: recaller.Active},
	} {
		b := newSwitchboard(t, forward, nil)
		b.tells("call.initiated", "v3:a", incoming(nil))
		state := b.does(1, "v3:a", "answer", nil)
		b.tells("call.answered", "v3:a", map[string]any{"client_state": state})
		b.does(2, "v3:a", "transfer", map[string]any{"to": "sip:agent@example.com"})
		other, _ := b.api.Await(t, 2).Fields["target_leg_client_state"].(string)
		b.tells("call.initiated", "v3:b", map[string]any{"direction": "outgoing", "state": "bridging", "from": theirs, "to": "sip:agent@example.com", "client_state": other})
		b.tells("call.answered", "v3:b", map[string]any{"client_state": other})
		b.tells("call.hangup", "v3:b", map[string]any{"client_state": other, "hangup_cause": cause, "from": theirs, "to": "sip:agent@example.com"})
		got := b.core.call("v3:a")
		if got.Status != want.Status || got.EndReason != want.EndReason {
			t.Errorf("%s: got %+v, want %+v", cause, got, want)
		}
		if cause == "user_busy" {
			state = b.does(3, "v3:a", "speak", map[string]any{"language": "en-US"})
			b.tells("call.speak.ended", "v3:a", map[string]any{"client_state": state})
			b.does(4, "v3:a", "hangup", nil)
		}
		b.door.Settle(t.Context())
		if n, want := len(b.api.Commands()), map[string]int{"user_busy": 4, "normal_clearing": 2}[cause]; n != want {
			t.Errorf("%s: got %d commands, want %d", cause, n, want)
		}
	}
}

func TestACallOfCallControlGoesOnOverASocket(t *testing.T) {
	t.Parallel()
	b := newSwitchboard(t, recaller.Telephone{Answer: recaller.AnswerBridge}, sockets)
	b.tells("call.initiated", "v3:a", incoming(nil))
	b.does(1, "v3:a", "answer", map[string]any{
		"stream_url": "wss://calls.example.test/webhook/media", "stream_bidirectional_mode": "rtp", "stream_bidirectional_codec": "PCMU",
	})
	token, _ := b.api.Await(t, 1).Fields["stream_auth_token"].(string)
	if call, ok := b.tokens.Take("v3:a", token); !ok || call.Conversation != "conv-v3:a" {
		t.Errorf("got %+v, %v, want the call by its token", call, ok)
	}
	b.tells("call.initiated", "v3:a", incoming(nil))
	b.counted("telnyx", "voice", "replayed", 2)
}

// A forwarded call that is listened to is streamed beside it. Nothing that becomes of the stream reaches the call.
func TestACallOfCallControlIsListenedTo(t *testing.T) {
	t.Parallel()
	forward := recaller.Telephone{Answer: recaller.AnswerForward, ForwardTo: "sip:agent@example.com", Listen: true}
	b := newSwitchboard(t, forward, func(o *telephony.Options) {
		o.Sockets = map[recaller.TelephoneAnswer]telephony.Socket{recaller.AnswerForward: says(http.StatusGone)}
	})
	b.tells("call.initiated", "v3:a", incoming(nil))
	state := b.does(1, "v3:a", "answer", map[string]any{
		"stream_url": "wss://calls.example.test/webhook/listen", "stream_track": "both_tracks", "stream_bidirectional_mode": nil,
	})
	token, _ := b.api.Await(t, 1).Fields["stream_auth_token"].(string)
	b.tells("streaming.failed", "v3:a", map[string]any{"client_state": state})
	b.tells("call.answered", "v3:a", map[string]any{"client_state": state})
	state = b.does(2, "v3:a", "transfer", map[string]any{"to": "sip:agent@example.com"})
	line, ok := b.door.Take("v3:a", token)
	if !ok || line.Conversation != "conv-v3:a" {
		t.Fatalf("got %+v, %v, want the call by its token", line, ok)
	}
	b.tells("call.hangup", "v3:a", map[string]any{"client_state": state, "from": theirs, "to": ours, "direction": "incoming", "hangup_cause": "normal_clearing"})
	if got := b.core.call("v3:a"); got.Status != recaller.Active {
		t.Errorf("got %+v: it ended before all was kept that was said", got)
	}
	line.Over(t.Context(), nil)
	b.tells("streaming.stopped", "v3:a", map[string]any{"client_state": state})
	if got := b.core.call("v3:a"); got.Status != recaller.Completed || got.EndReason != "normal_clearing" {
		t.Errorf("got %+v, want the end that the platform told", got)
	}
	b.door.Settle(t.Context())
	if n := len(b.api.Commands()); n != 2 {
		t.Errorf("got %d commands, want 2", n)
	}
}

// What is nobody's, nothing of ours, or cannot be found out.
func TestEventsThatLeadToLittle(t *testing.T) {
	t.Parallel()
	b := newSwitchboard(t, recaller.Telephone{}, nil)
	b.tells("call.initiated", "v3:nobody", incoming(map[string]any{"to": "+15550009999"}))
	b.does(1, "v3:nobody", "hangup", nil)
	for kind, fields := range map[string]map[string]any{
		"call.initiated":        {"direction": "outgoing", "from": ours, "to": theirs},
		"call.answered":         {"client_state": "bm90IG91cnM=", "from": theirs, "to": ours},
		"call.speak.ended":      {"client_state": "%%%"},
		"call.bridged":          {"from": map[string]any{"phone_number": theirs}},
		"streaming.started":     {"call_control_id": 7},
		"call.speak.started":    nil,
		"message.received":      {"to": []any{ours}},
		"call.recording.saved":  {"recording_urls": map[string]any{"mp3": "https://example.com/1"}},
		"call.something.unsaid": nil,
	} {
		b.tells(kind, "v3:other", fields)
	}
	b.counted("telnyx", "voice", "ignored", 18)
	for body, fields := range map[string]map[string]any{
		"no id": {"call_control_id": ""}, "a number for an id": {"call_control_id": 7}, "an id of two lines": {"call_control_id": "a\nb"},
	} {
		if a := b.Event(t, telephony.VoicePath, "call.initiated", "", fields); a.Status != http.StatusUnprocessableEntity {
			t.Errorf("%s: got %d, want 422", body, a.Status)
		}
	}
	if len(b.core.starts) > 0 {
		t.Errorf("conversations began: %+v", b.core.starts)
	}
	b.core.set(func() { b.core.broken = recaller.Errorf(recaller.Unavailable, "the store is away") })
	b.tells("call.initiated", "v3:a", incoming(nil))
	state := b.does(2, "v3:a", "answer", nil)
	b.core.set(func() { b.core.broken = nil })
	b.tells("call.answered", "v3:a", map[string]any{"client_state": state})
	said, _ := b.api.Await(t, 3).Fields["payload"].(string)
	if b.does(3, "v3:a", "speak", nil); !strings.Contains(said, "try again in a few minutes") {
		t.Errorf("got %q, want that he is to try again", said)
	}
}

// A command is sent until it is taken, with one id. What Telnyx refuses is counted; a call that is over needs nothing more.
func TestCommandsAreSentUntilTheyAreTaken(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		statuses     []int
		tries, taken int
		failed       int
	}{
		"at once":         {nil, 1, 1, 0},
		"it fails twice":  {[]int{503, 500}, 3, 1, 0},
		"too many":        {[]int{429}, 2, 1, 0},
		"it is refused":   {[]int{403}, 1, 0, 1},
		"it makes no use": {[]int{422}, 1, 0, 1},
		"it never works":  {[]int{503, 503, 503, 503, 503, 503}, 5, 0, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newSwitchboard(t, recaller.Telephone{}, nil)
			b.api.Fail(c.statuses...)
			if a := b.Event(t, telephony.VoicePath, "call.initiated", "v3:a", incoming(nil)); a.Status != http.StatusOK {
				t.Errorf("got %d", a.Status)
			}
			b.door.Settle(t.Context())
			if b.api.Tries() != c.tries || len(b.api.Commands()) != c.taken || b.value("recaller_telephone_commands_failed_total", nil) != c.failed {
				t.Errorf("got %d tries, %d commands, %d failed; want %+v", b.api.Tries(), len(b.api.Commands()), b.value("recaller_telephone_commands_failed_total", nil), c)
			}
		})
	}
	b := newSwitchboard(t, recaller.Telephone{}, nil)
	b.api.HangUp("v3:a")
	b.tells("call.initiated", "v3:a", incoming(nil))
	b.door.Settle(t.Context())
	if n := b.value("recaller_telephone_commands_failed_total", nil); n != 0 {
		t.Errorf("a call that is over: %d failures are counted", n)
	}
}

func TestWithoutAnAPIKeyCallControlIsRefused(t *testing.T) {
	t.Parallel()
	d := newDesk(t, recaller.Telephone{}, nil)
	a := d.Event(t, telephony.VoicePath, "call.initiated", "v3:a", incoming(nil))
	if a.Status != http.StatusUnprocessableEntity || !strings.Contains(a.Body, "TELNYX_API_KEY") || len(d.core.starts) > 0 {
		t.Errorf("got %d %s, want 422 that says what is missing", a.Status, a.Body)
	}
	d.counted("telnyx", "voice", "no_api_key", 1)
}

// A call's beginning and its end come at the same moment, in whichever order: none stays open.
func TestBeginningsAndEndsAtOnce(t *testing.T) {
	t.Parallel()
	d := newDesk(t, recaller.Telephone{}, func(o *telephony.Options) { o.Patience = time.Minute })
	const calls = 200
	var wg sync.WaitGroup
	for i := range calls {
		id := telephonytest.ID("CA", i)
		wg.Go(func() { d.ring(id) })
		wg.Go(func() {
			d.Post(t, telephony.EndedPath, telephonytest.Over(id, theirs, ours, "completed", time.Second))
		})
	}
	wg.Wait()
	if err := d.door.Retry(t.Context()); err != nil { // on a busy machine some wait too long
		t.Fatal(err)
	}
	for i := range calls {
		if got := d.core.call(telephonytest.ID("CA", i)); got.Status != recaller.Completed {
			t.Fatalf("call %d: got %+v, want it to have ended", i, got)
		}
	}
}
