package telephony

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/conversation"
)

// Telnyx's Call Control API tells events, and is told by commands what to do. What the next event needs to know goes with
// a command as client_state, which Telnyx gives back and signs; so any process can go on with a call.

// event is what happened to a call.
type event struct {
	kind    string
	payload payload
	state   state
}

// payload is what is read of an event. Fields that are not there, or null, are empty.
type payload struct {
	Call        string `json:"call_control_id"`
	Session     string `json:"call_session_id"`
	Leg         string `json:"call_leg_id"`
	State       string `json:"client_state"`
	Direction   string `json:"direction"`
	Stage       string `json:"state"`
	From        string `json:"from"`
	To          string `json:"to"`
	Attestation string `json:"shaken_stir_attestation"`
	Validated   any    `json:"shaken_stir_validated"`
	Cause       string `json:"hangup_cause"`
	Start       string `json:"start_time"`
	End         string `json:"end_time"`
}

// state is our client_state.
type state struct {
	Number string `json:"number,omitempty"` // the tenant's
	Of     string `json:"of,omitempty"`     // of a call that another was forwarded to: the other
	Sorry  bool   `json:"sorry,omitempty"`  // it could not be found out whose call it is
	Plain  bool   `json:"plain,omitempty"`  // it was picked up without a socket that leads it
	// Listened says that it is streamed beside what is done with it: whatever becomes of that, the call goes on.
	Listened bool `json:"listened,omitempty"`
}

func (s state) encode() string {
	raw, _ := json.Marshal(s) // strings and a bool: it cannot fail
	return base64.StdEncoding.EncodeToString(raw)
}

// readEvent reads an event; false: it is none. A client_state of somebody else's is none of ours.
func readEvent(body []byte) (*event, bool) {
	var in struct {
		Data struct {
			Kind    string          `json:"event_type"`
			Payload json.RawMessage `json:"payload"`
		} `json:"data"`
	}
	if json.Unmarshal(body, &in) != nil || in.Data.Kind == "" {
		return nil, false
	}
	e := &event{kind: in.Data.Kind}
	switch e.kind {
	case "call.initiated", "call.answered", "call.speak.ended", "call.hangup", "streaming.failed", "streaming.stopped":
	default: // nothing that counts here, whatever it looks like
		return e, true
	}
	if json.Unmarshal(in.Data.Payload, &e.payload) != nil || plain(e.payload.Call) == "" {
		return nil, false
	}
	if raw, err := base64.StdEncoding.DecodeString(e.payload.State); err == nil && json.Unmarshal(raw, &e.state) != nil {
		e.state = state{}
	}
	return e, true
}

// webhook is for what a form would be posted.
func (e *event) webhook() kind {
	if e.kind == "call.hangup" {
		return kindEnded
	}
	return kindVoice
}

// call is the call of an event, as callOf reads it of a form.
func (e *event) call() call {
	p := e.payload
	c := call{
		control: true, id: p.Call, ours: p.To, theirs: p.From, direction: recaller.Inbound, ids: map[string]string{string(telnyx): p.Call},
		attestation: recaller.Attestation{Told: plain(p.Attestation), Level: attested(p.Attestation)},
	}
	c.attestation.Passed = c.attestation.Level != "" && fmt.Sprint(p.Validated) == "true"
	if p.Direction == "outgoing" {
		c.ours, c.theirs, c.direction = c.theirs, c.ours, recaller.Outbound
	}
	for name, id := range map[string]string{"_session": p.Session, "_leg": p.Leg} {
		if id = plain(id); id != "" {
			c.ids[string(telnyx)+name] = id
		}
	}
	c.ours = cmp.Or(e.state.Number, c.ours)
	return c
}

// happened carries out an event.
func (s *Server) happened(ctx context.Context, e *event) result {
	switch e.kind {
	case "call.initiated":
		if e.payload.Direction == "incoming" && e.payload.Stage != "bridging" {
			return s.initiated(ctx, e.call())
		}
	case "call.answered":
		if e.state.Number != "" && e.state.Of == "" {
			return s.goOn(ctx, e)
		}
	case "call.speak.ended":
		if e.state.Number != "" {
			return s.command(ctx, resultAnswered, e.payload.Call, "hangup", "spoken", nil)
		}
	case "streaming.failed", "streaming.stopped":
		if came, _ := s.lines.of(e.payload.Call); e.state.Number != "" && !e.state.Listened && !came {
			return s.unconnected(ctx, e)
		}
	case "call.hangup":
		if e.state.Of != "" {
			return s.notReached(ctx, e)
		}
		n := notice{number: e.call().ours, end: e.end()}
		return s.over(ctx, e.payload.Call, n).result
	}
	return resultIgnored
}

// initiated picks a call up, and begins its conversation. A call to nobody's number is not picked up.
func (s *Server) initiated(ctx context.Context, c call) result {
	t, err := s.whose(ctx, c.ours)
	st := state{Number: c.ours}
	switch {
	case nobodys(err):
		return s.command(ctx, resultNobody, c.id, "hangup", "nobody", nil)
	case err != nil:
		st.Sorry = true
		return s.command(ctx, resultUnavailable, c.id, "answer", "", map[string]any{"client_state": st.encode()})
	}
	started, r, failed := s.begin(ctx, t, c)
	with := map[string]any{}
	switch s.chosen(t, started, failed) {
	case recaller.AnswerBridge:
		token, ok := s.token(t, c, started, failed)
		if !ok {
			return resultReplayed // Telnyx knows the first answer by its id
		}
		with = s.streaming(MediaPath, token, "inbound_track")
		with["stream_bidirectional_mode"], with["stream_bidirectional_codec"] = streamMode, streamCodec
	case recaller.AnswerForward:
		st.Plain = true
		if token := s.listening(t, c, started, failed); token != "" {
			st.Listened = true
			with = s.streaming(ListenPath, token, "both_tracks")
		}
	default:
		st.Plain = true
	}
	with["client_state"] = st.encode()
	return s.command(ctx, r, c.id, "answer", "", with)
}

// streaming are the fields of an answer that open a socket for sound.
func (s *Server) streaming(path, token, track string) map[string]any {
	return map[string]any{
		"stream_url": s.socket(path), "stream_track": track,
		"stream_auth_token": token, "custom_parameters": []map[string]string{{"name": TokenParameter, "value": token}},
	}
}

// goOn has a call that was picked up go on as the tenant chose. A relay needs a TeXML application: it is greeted here.
func (s *Server) goOn(ctx context.Context, e *event) result {
	id := e.payload.Call
	t, err := s.whose(ctx, e.state.Number)
	if err != nil || e.state.Sorry {
		return s.speak(ctx, resultUnavailable, id, told(t.Telephone, notNow), e.state)
	}
	answer := s.possible(t.Telephone.Answer)
	if answer == recaller.AnswerBridge && e.state.Plain {
		answer = unbridged(t)
	}
	switch answer {
	case recaller.AnswerBridge:
		return resultAnswered // the socket opens by itself
	case recaller.AnswerForward:
		return s.command(ctx, resultAnswered, id, "transfer", "", map[string]any{
			"to": t.Telephone.ForwardTo, "client_state": e.state.encode(),
			"target_leg_client_state": state{Number: e.state.Number, Of: id}.encode(),
		})
	default:
		return s.speak(ctx, resultAnswered, id, greeted(t), e.state)
	}
}

// notReached tells who calls that nobody answered where his call was forwarded to, and ends the conversation.
func (s *Server) notReached(ctx context.Context, e *event) result {
	if completed(e.payload.Cause) {
		return resultIgnored // they talked; the end of the call itself is told, too
	}
	r := s.over(ctx, e.state.Of, notice{number: e.state.Number, end: e.end()})
	return s.speak(ctx, r.result, e.state.Of, told(r.telephone, noAnswer), state{Number: e.state.Number})
}

// speak says what an answer in TwiML would, and has the event of its end lead to a hang-up.
func (s *Server) speak(ctx context.Context, r result, id string, what twiml, st state) result {
	text, _ := what.Verbs[0].(say)
	with := map[string]any{"payload": text.Text, "voice": cmp.Or(text.Voice, "female"), "client_state": st.encode()}
	with["language"] = cmp.Or(text.Language, "en-US")
	return s.command(ctx, r, id, "speak", text.Text, with)
}

// command sends a command beside the request: Telnyx wants its event answered at once.
func (s *Server) command(ctx context.Context, r result, id, action, purpose string, fields map[string]any) result {
	select {
	case s.asking <- struct{}{}:
	default:
		s.Log.WarnContext(ctx, "too many commands to Telnyx are under way", "command", action)
		return resultBusy
	}
	ctx = context.WithoutCancel(ctx)
	s.beside(func() {
		defer func() { <-s.asking }()
		if err := s.commands.do(ctx, id, action, purpose, fields); err != nil {
			s.metrics.refused.Inc()
			s.Log.WarnContext(ctx, "a call does not go on: Telnyx took no command", "command", action, "err", err)
		}
	})
	return r
}

// beside does something beside the requests. A defect of ours in it ends it, and nothing else.
func (s *Server) beside(do func()) {
	s.working.Go(func() {
		defer func() {
			if crash := recover(); crash != nil { // what it says may hold words
				s.Log.Error("panic beside the telephone's requests", "stack", string(debug.Stack()))
			}
		}()
		do()
	})
}

// Settle waits for what goes on beside the requests, until ctx ends. There must be no request any more, nor a Retry.
func (s *Server) Settle(ctx context.Context) {
	done := make(chan struct{})
	go func() { s.working.Wait(); close(done) }()
	select {
	case <-done:
	case <-ctx.Done():
	}
	_ = s.retryTexts(ctx, 0) // whose they are was not told that they are kept
}

// end is how a call ended.
func (e *event) end() *conversation.End {
	end := &conversation.End{Status: recaller.Completed, Reason: plain(e.payload.Cause)}
	if !completed(e.payload.Cause) {
		end.Status = recaller.Failed
	}
	from, err := time.Parse(time.RFC3339Nano, e.payload.Start)
	to, bad := time.Parse(time.RFC3339Nano, e.payload.End)
	if length := to.Sub(from); errors.Join(err, bad) == nil && length > 0 && length < maxLength {
		end.Duration = length
	}
	return end
}

// completed reports whether a call ended as calls do: all other causes say why it did not come about, or broke off.
func completed(cause string) bool { return cause == "normal_clearing" }
