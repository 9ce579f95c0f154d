package app

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/endpoint/endpointtest"
	"github.com/recallerhq/recaller/internal/llm/llmtest"
	"github.com/recallerhq/recaller/internal/relay"
	"github.com/recallerhq/recaller/internal/relay/relaytest"
	"github.com/recallerhq/recaller/internal/telephony"
	"github.com/recallerhq/recaller/internal/telephony/telephonytest"
)

// desk is a Recaller whose tenant has calls answered by the built-in agent, with a fake model.
type desk struct {
	*exchange
	model *llmtest.Provider
}

// clinic is the agent's model: it stores what it is told to remember, says what it knows, and hangs up on a goodbye.
func clinic(q llmtest.Request) llmtest.Said {
	last := q.Messages[len(q.Messages)-1]
	knows := strings.Contains(q.System, "penicillin")
	switch {
	case last.Role == "tool" && strings.Contains(last.Text, `"verified":true`):
		return llmtest.Said{Text: "Thank you, now I am sure."}
	case last.Role == "tool" && strings.Contains(last.Text, `"verified":false`):
		return llmtest.Said{Text: "That is not right."}
	case last.Role == "tool":
		return llmtest.Said{Text: "I have noted that."}
	case strings.Contains(last.Text, "my PIN"):
		pin, _ := json.Marshal(map[string]string{"pin": last.Text})
		return llmtest.Said{Calls: []llmtest.Call{{Name: "verify_caller", Arguments: string(pin)}}}
	case strings.Contains(last.Text, "Anna"):
		return llmtest.Said{Calls: []llmtest.Call{{Name: "someone_else", Arguments: `{"name":"Anna"}`}}}
	case strings.Contains(last.Text, "remember"):
		return llmtest.Said{Text: "One moment.", Calls: []llmtest.Call{{
			Name: "store_memory", Arguments: `{"memoryType":"fact","key":"allergy","value":"Allergic to penicillin","confidence":0.95}`,
		}}}
	case strings.Contains(last.Text, "allergic") && knows:
		return llmtest.Said{Text: "You are allergic to penicillin, as you told me before."}
	case strings.Contains(last.Text, "allergic"):
		return llmtest.Said{Text: "I do not know of any allergy."}
	case strings.Contains(last.Text, "Goodbye"):
		return llmtest.Said{Text: "Goodbye!", Calls: []llmtest.Call{{Name: "end_call", Arguments: "{}"}}}
	}
	return llmtest.Said{Text: "Yes, I am here."}
}

// answering puts up a desk. What is sent counts as heard at once, unless the options say otherwise.
func answering(t *testing.T, o relay.Options, env ...string) *desk {
	t.Helper()
	model := llmtest.NewTalking(clinic)
	provider := httptest.NewServer(model)
	t.Cleanup(provider.Close)
	env = append([]string{
		"TWILIO_AUTH_TOKEN=" + telephonytest.Token, "TELNYX_PUBLIC_KEY=" + telephonytest.PublicKey, "RECALLER_PUBLIC_URL=" + telephonytest.Public,
		"RECALLER_LLM_BASE_URL=" + provider.URL + "/v1", "RECALLER_LLM_MODEL=test-model", "RECALLER_LLM_WORDS=quoted", "RECALLER_WORKERS=1",
	}, env...)
	e := &exchange{house: build(t, t.TempDir(), Options{Relay: o, AgentPatience: 300 * time.Millisecond}, env...)}
	e.Platform = telephonytest.Platform{Server: e.url, Now: e.clock.Now}
	numbers, answer, greeting := []string{lakeside}, recaller.AnswerRelay, "Good morning, this is the clinic."
	e.set(client.TenantSettings{Numbers: &numbers, Telephone: &client.TelephonePatch{Answer: &answer, Greeting: &greeting}})
	return &desk{exchange: e, model: model}
}

// token has a call come in, and returns the token of its socket.
func (d *desk) token(id, from string) string {
	d.t.Helper()
	a := d.rings(id, from, lakeside, "Connect")
	r := a.XML.Find("ConversationRelay")
	if r.Attr("url") != "wss://calls.example.test/webhook/relay" || r.Attr("welcomeGreeting") == "" || a.XML.Find("Connect").Attr("action") == "" {
		d.t.Fatalf("got %s, want the socket's address and the greeting", a.Body)
	}
	return a.XML.Find("Parameter").Attr("value")
}

// signed is the header of a handshake.
func (d *desk) signed() http.Header {
	if d.Telnyx {
		return nil
	}
	return telephonytest.Platform{Address: "wss://calls.example.test"}.Sign(telephony.RelayPath, "", nil)
}

func (d *desk) open(setup relaytest.Setup) *relaytest.Socket {
	d.t.Helper()
	s, err := relaytest.Open(d.t.Context(), d.url+telephony.RelayPath, d.signed(), setup)
	if err != nil {
		d.t.Fatal(err)
	}
	d.t.Cleanup(func() { _ = s.Drop() })
	return s
}

// says has the caller say something, and wants the answer.
func (d *desk) says(s *relaytest.Socket, words, want string) {
	d.t.Helper()
	if err := s.Say(d.t.Context(), words, "en-US"); err != nil {
		d.t.Fatal(err)
	}
	got, pieces, err := s.Answer(d.t.Context())
	if err != nil || got != want || pieces < 2 && strings.Contains(want, " ") {
		d.t.Fatalf("%q was answered with %q in %d pieces, %v; want %q as it came", words, got, pieces, err, want)
	}
}

// over waits until a call has ended, and returns its turns: "user: …", with a dash behind one that was cut off.
func (d *desk) over(id string, status recaller.Status) []string {
	d.t.Helper()
	d.eventually("the call ends", func() bool {
		rec, err := d.Conversation(d.t.Context(), id)
		return err == nil && rec.Conversation.Status == status
	})
	return d.turns(id)
}

func (d *desk) turns(id string) (out []string) {
	d.t.Helper()
	for _, t := range d.read(id).Turns {
		text := string(t.Speaker) + ": " + t.Text
		if t.Interrupted {
			text += "—"
		}
		out = append(out, text)
	}
	return out
}

// metric is a counter whose label has a value.
func (d *desk) metric(name, value string) (n int) {
	d.t.Helper()
	families, err := d.app.registry.Gather()
	if err != nil {
		d.t.Fatal(err)
	}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			for _, l := range m.GetLabel() {
				if f.GetName() == name && l.GetValue() == value {
					n += int(m.GetCounter().GetValue())
				}
			}
		}
	}
	return n
}

func wantTurns(t *testing.T, got []string, want ...string) {
	t.Helper()
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got turns:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// atOnce has what is sent heard at once; never, not before it is told.
var (
	atOnce = relay.Options{Lead: 1, Speed: 1e9}
	never  = relay.Options{Speed: 1e-3}
)

// A call from ring to ring: the agent greets, answers as the words come, remembers by a tool, is interrupted, and says
// goodbye. The caller rings again, and it remembers. At Telnyx it is the same caller.
func TestACallOverARelay(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, env ...string) {
		d := answering(t, atOnce, env...)
		s := d.open(relaytest.Twilio("CA1", d.token("CA1", marta)))
		d.says(s, "What am I allergic to?", "I do not know of any allergy.")
		d.says(s, "Please remember: penicillin.", "One moment. I have noted that.")
		d.says(s, "So what am I allergic to?", "You are allergic to penicillin, as you told me before.") // W8: the new briefing
		d.says(s, "Goodbye.", "Goodbye!")
		if f, err := s.Next(t.Context()); err != nil || f.Type != "end" {
			t.Fatalf("got %+v, %v, want the platform told to hang up", f, err)
		}
		behind := func() { // who has heard a goodbye waits for no apology, also where the platform asks before we know that it has closed the socket
			t.Helper()
			d.wants(d.Post(t, telephony.EndedPath+"?after=socket", telephonytest.Over("CA1", marta, lakeside, "completed", time.Minute)), "Hangup")
		}
		behind()
		if err := s.HangUp(); err != nil {
			t.Error(err)
		}
		behind()
		wantTurns(t, d.over("CA1", recaller.Completed),
			"assistant: Good morning, this is the clinic.",
			"user: What am I allergic to?", "assistant: I do not know of any allergy.",
			"user: Please remember: penicillin.", "assistant: One moment. I have noted that.",
			"user: So what am I allergic to?", "assistant: You are allergic to penicillin, as you told me before.",
			"user: Goodbye.", "assistant: Goodbye!")

		d.Telnyx = true
		s = d.open(relaytest.Telnyx("v3:a", d.token("v3:a", marta)))
		d.says(s, "What am I allergic to?", "You are allergic to penicillin, as you told me before.")
		if err := s.HangUp(); err != nil {
			t.Error(err)
		}
		d.over("v3:a", recaller.Completed)
		if a, b := d.read("CA1").Conversation, d.read("v3:a").Conversation; a.CallerID != b.CallerID {
			t.Errorf("the calls are of %s and %s", a.CallerID, b.CallerID)
		}
		if d.metric("recaller_relay_sessions_total", "agent_hung_up") != 1 || d.metric("recaller_agent_answers_total", "model") != 5 {
			t.Error("the session and its answers are not counted")
		}
	})
}

// Where the tenant has no greeting the agent speaks first, and what it says is told to nobody twice: once it has spoken, its
// prompt has no greeting any more.
func TestTheAgentSpeaksFirstOverARelay(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, env ...string) {
		d := answering(t, atOnce, env...)
		d.set(client.TenantSettings{Telephone: &client.TelephonePatch{Greeting: ptr("")}, Profile: &client.ProfilePatch{Business: ptr("Lakeside Dental")}})
		token := d.rings("CA1", marta, lakeside, "Connect").XML.Find("Parameter").Attr("value")
		s := d.open(relaytest.Twilio("CA1", token))
		if got, _, err := s.Answer(t.Context()); err != nil || got != "Yes, I am here." {
			t.Fatalf("got %q, %v, want the agent to speak first", got, err)
		}
		d.says(s, "Hello?", "Yes, I am here.")
		d.eventually("the answer is kept", func() bool { return len(d.turns("CA1")) == 3 })
		if err := s.HangUp(); err != nil {
			t.Error(err)
		}
		wantTurns(t, d.over("CA1", recaller.Completed), "assistant: Yes, I am here.", "user: Hello?", "assistant: Yes, I am here.")
		asked := d.model.Requests()
		holds(t, "the first prompt", asked[0].System, "GREETING (use on first message):\nThanks for calling Lakeside Dental!", "store_memory")
		holds(t, "the second prompt", asked[1].System, "!GREETING", "!greet them", "store_memory")
	})
}

// What was not heard is not kept, wherever the interruption comes: in the greeting, in an answer that is out, amid one.
func TestInterruptionsOverARelay(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, env ...string) {
		d := answering(t, never, env...)
		s := d.open(relaytest.Twilio("CA1", d.token("CA1", marta)))
		tell := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		tell(s.Interrupt(t.Context(), "Good morning,", "460"))
		d.says(s, "Hello?", "Yes, I am here.")
		tell(s.Interrupt(t.Context(), "Yes, I a", 460))
		d.model.FailNext(endpointtest.HangAfterPiece())
		tell(s.Say(t.Context(), "Are you?", "en-US"))
		if f, err := s.Next(t.Context()); err != nil || f.Token == "" {
			t.Fatalf("got %+v, %v, want the first words", f, err)
		}
		tell(s.Interrupt(t.Context(), "Something else", 10))
		if words, _, err := s.Answer(t.Context()); err != nil || strings.Contains(words, "here") {
			t.Fatalf("got %q, %v, want the answer closed at once", words, err)
		}
		d.says(s, "Hello again?", "Yes, I am here.")
		tell(s.HangUp()) // the clock stands still: no time to hear anything
		wantTurns(t, d.over("CA1", recaller.Completed), "assistant: Good morning—", "user: Hello?", "assistant: Yes, I—", "user: Are you?", "user: Hello again?")
	})
}

// A socket without the right token, of another call, or whose token was taken, is closed, and nothing is kept of it. A
// handshake that is not the platform's does not get that far.
func TestForgedSockets(t *testing.T) {
	t.Parallel()
	d := answering(t, atOnce)
	first, second := d.token("CA1", marta), d.token("CA2", hillside)
	refused := func(name string, setup relaytest.Setup) {
		t.Helper()
		if code, why := d.open(setup).Over(t.Context()); code != 1008 || why != "forged" {
			t.Errorf("%s: closed with %d, %q", name, code, why)
		}
	}
	refused("a token of nobody's", relaytest.Twilio("CA1", "x"))
	refused("another call's", relaytest.Twilio("CA1", second))
	s := d.open(relaytest.Twilio("CA1", first))
	d.says(s, "Hello?", "Yes, I am here.")
	refused("one that was taken", relaytest.Twilio("CA1", first))
	d.says(s, "Still there?", "Yes, I am here.")
	forged := telephonytest.Platform{Token: "x", Address: "wss://calls.example.test"}.Sign(telephony.RelayPath, "", nil)
	if _, err := relaytest.Dial(t.Context(), d.url+telephony.RelayPath, forged); err == nil || !strings.Contains(err.Error(), "403") {
		t.Errorf("a forged handshake: got %v", err)
	}
	if n := len(d.turns("CA2")); n != 0 {
		t.Errorf("the other call has %d turns", n)
	}
	d.wants(d.Post(t, telephony.VoicePath, telephonytest.Ringing("CA1", marta, lakeside)), "Hangup") // the webhook again
	if d.metric("recaller_relay_sessions_total", "forged") != 3 {
		t.Error("they are not counted")
	}
}

// Calls at once do not hear one another.
func TestCallsOverRelaysAtOnce(t *testing.T) {
	t.Parallel()
	d := answering(t, atOnce)
	from := []string{marta, hillside}
	sockets := []*relaytest.Socket{d.open(relaytest.Twilio("CA0", d.token("CA0", from[0]))), d.open(relaytest.Twilio("CA1", d.token("CA1", from[1])))}
	var together sync.WaitGroup
	for i, s := range sockets {
		together.Go(func() {
			for range 5 {
				err := s.Say(t.Context(), "I am "+from[i], "en-US")
				words, _, failed := s.Answer(t.Context())
				if err != nil || failed != nil || words != "Yes, I am here." && !strings.HasPrefix(words, "I'm sorry") { // the model has few slots
					t.Errorf("got %q, %v, %v", words, err, failed)
				}
			}
		})
	}
	together.Wait()
	for i, s := range sockets {
		if err := s.HangUp(); err != nil {
			t.Error(err)
		}
		for _, turn := range d.over("CA"+strconv.Itoa(i), recaller.Completed) {
			if strings.Contains(turn, from[1-i]) {
				t.Errorf("call %d has %q", i, turn)
			}
		}
	}
}

// The model hangs, or fails: the caller hears a sentence, in his language, and the call goes on. He hangs up while it
// hangs: the call ends.
func TestTheModelIsAwayInACall(t *testing.T) {
	t.Parallel()
	d := answering(t, atOnce)
	s := d.open(relaytest.Twilio("CA1", d.token("CA1", marta)))
	d.model.Fail(endpointtest.Hang(nil))
	if err := s.Say(t.Context(), "Hallo?", "de-DE"); err != nil {
		t.Fatal(err)
	}
	words, _, err := s.Answer(t.Context())
	if err != nil || !strings.HasPrefix(words, "Entschuldigung") {
		t.Fatalf("got %q, %v, want an apology in German", words, err)
	}
	d.model.Heal()
	d.says(s, "Hello?", "Yes, I am here.")
	d.model.FailNext(endpointtest.Hang(nil))
	if err := s.Say(t.Context(), "And now?", "en-US"); err != nil {
		t.Fatal(err)
	}
	d.eventually("the model is asked", func() bool { return d.model.Requests()[len(d.model.Requests())-1].Result == "" })
	if err := s.HangUp(); err != nil {
		t.Error(err)
	}
	got := d.over("CA1", recaller.Completed)
	if n := len(got); n < 6 || got[n-1] != "user: And now?" {
		t.Errorf("got %q", got)
	}
}

// The store goes away amid a call: the call goes on, and what was said is written when it is back, in order.
func TestTheStoreIsAwayInACallOverARelay(t *testing.T) {
	t.Parallel()
	for name, state := range map[string]state{"away": away, "hangs": hangs} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			onBoth(t, func(t *testing.T, env ...string) {
				d := answering(t, atOnce, env...)
				s := d.open(relaytest.Twilio("CA1", d.token("CA1", marta)))
				d.says(s, "One?", "Yes, I am here.")
				d.eventually("the answer is kept", func() bool { return len(d.turns("CA1")) == 3 })
				d.store.is(state)
				d.says(s, "Two?", "Yes, I am here.")
				d.eventually("the turns are held", func() bool { _, turns := d.app.conversations.Waiting(); return turns == 2 })
				if err := s.HangUp(); err != nil {
					t.Error(err)
				}
				d.store.is(well)
				d.eventually("they are written", func() bool { return d.app.conversations.FlushHeld(t.Context()) == 0 })
				wantTurns(t, d.over("CA1", recaller.Completed), "assistant: Good morning, this is the clinic.",
					"user: One?", "assistant: Yes, I am here.", "user: Two?", "assistant: Yes, I am here.")
			})
		})
	}
}
