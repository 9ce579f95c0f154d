package app

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/carrier/carriertest"
	written "github.com/recallerhq/recaller/internal/exchange"
	"github.com/recallerhq/recaller/internal/llm/llmtest"
	"github.com/recallerhq/recaller/internal/telephony"
	"github.com/recallerhq/recaller/internal/telephony/telephonytest"
	"github.com/recallerhq/recaller/internal/texting"
)

// mailbox is a Recaller whose tenant has texts answered by the built-in agent, with a fake model and a fake carrier.
type mailbox struct {
	*exchange
	model   *llmtest.Provider
	carrier *carriertest.Carrier
	n       int

	mu   sync.Mutex
	says func(llmtest.Request) llmtest.Said
}

// soon is how long a text waits for more in these stories.
const soon = 500 * time.Millisecond

func texted(t *testing.T, env ...string) *mailbox {
	t.Helper()
	return textedIn(t, Options{}, env...)
}

func textedIn(t *testing.T, o Options, env ...string) *mailbox {
	t.Helper()
	o.TextWait = soon
	m := &mailbox{carrier: carriertest.New(t), says: clinic}
	m.model = llmtest.NewTalking(func(q llmtest.Request) llmtest.Said {
		m.mu.Lock()
		defer m.mu.Unlock()
		return m.says(q)
	})
	provider := httptest.NewServer(m.model)
	t.Cleanup(provider.Close)
	env = append([]string{
		"TWILIO_AUTH_TOKEN=" + telephonytest.Token, "TELNYX_PUBLIC_KEY=" + telephonytest.PublicKey, "RECALLER_PUBLIC_URL=" + telephonytest.Public,
		"TWILIO_ACCOUNT_SID=" + carriertest.Account, "RECALLER_TWILIO_URL=" + m.carrier.URL,
		"TELNYX_API_KEY=" + carriertest.TelnyxKey, "RECALLER_TELNYX_URL=" + m.carrier.URL + "/v2",
		"RECALLER_LLM_BASE_URL=" + provider.URL + "/v1", "RECALLER_LLM_MODEL=test-model", "RECALLER_LLM_WORDS=quoted", "RECALLER_WORKERS=1",
	}, env...)
	m.exchange = &exchange{house: build(t, t.TempDir(), o, env...).start()}
	m.Platform = telephonytest.Platform{Server: m.url, Now: m.clock.Now}
	numbers, reply := []string{lakeside}, recaller.ReplyAgent
	m.set(client.TenantSettings{Numbers: &numbers, Texting: &client.TextingPatch{Reply: &reply}})
	return m
}

// texts has a text come in, and wants it to be taken.
func (m *mailbox) texts(from, words string) {
	m.t.Helper()
	m.n++
	m.textsAs("SM"+strconv.Itoa(m.n), from, words)
}

func (m *mailbox) textsAs(id, from, words string) {
	m.t.Helper()
	a := m.Text(m.t, telephony.TextPath, id, from, lakeside, words)
	if a.Status != http.StatusOK || a.XML.Names() != "" {
		m.t.Fatalf("%q: got %d %s", words, a.Status, a.Body)
	}
	m.passes()
}

// passes lets the time pass that a text waits for more.
func (m *mailbox) passes() {
	m.clock.turn(2 * soon)
	m.app.runner.Wake()
}

// goesOut wants the nth text that goes out to be this.
func (m *mailbox) goesOut(n int, to, words string) {
	m.t.Helper()
	got := m.carrier.WaitTexts(m.t, n)[n-1]
	if got.Words != words || got.To != to || strings.TrimPrefix(got.From, "whatsapp:") != lakeside || !strings.HasPrefix(got.StatusTo, telephonytest.Public+telephony.TextStatusPath) {
		m.t.Fatalf("got %+v, want %q to %s", got, words, to)
	}
}

// settled waits until no text waits to be answered.
func (m *mailbox) settled() {
	m.t.Helper()
	m.passes()
	m.eventually("no text waits", func() bool { return m.waiting(recaller.JobText) == 0 })
}

// said are the turns of the one conversation of somebody that is over, or goes on.
func (m *mailbox) said(which int) []string {
	m.t.Helper()
	list := m.all(m.Client)
	if which >= len(list) {
		m.t.Fatalf("there are %d conversations", len(list))
	}
	var out []string
	for _, t := range m.read(list[which].ID).Turns {
		out = append(out, string(t.Speaker)+": "+t.Text)
	}
	return out
}

// A number is texted, and the agent answers: by SMS and by WhatsApp, at Twilio and at Telnyx. The exchange is one
// conversation. It is over when it has been quiet for an hour, and is written up; the next text begins another.
func TestANumberIsTexted(t *testing.T) {
	t.Parallel()
	for name, how := range map[string]struct {
		telnyx  bool
		before  string // the number
		channel recaller.Channel
	}{
		"sms": {channel: recaller.ChannelSMS}, "whatsapp": {before: "whatsapp:", channel: recaller.ChannelWhatsApp},
		"telnyx": {telnyx: true, channel: recaller.ChannelSMS},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			onBoth(t, func(t *testing.T, env ...string) {
				m := texted(t, env...)
				m.Telnyx = how.telnyx
				m.texts(how.before+marta, "Hello, please remember that I am allergic to penicillin.")
				m.goesOut(1, how.before+marta, "One moment. I have noted that.")
				m.settled()
				m.clock.turn(59 * time.Minute)
				m.sweep(0)
				m.texts(how.before+marta, "Am I allergic to anything?")
				m.goesOut(2, how.before+marta, "You are allergic to penicillin, as you told me before.")
				m.settled()
				asked := m.model.Requests()
				holds(t, "the first prompt", asked[0].System, "greet them warmly", "store_memory")
				holds(t, "the last one", asked[len(asked)-1].System, "!greet them warmly", "store_memory") // they were greeted
				wantTurns(t, m.said(0), "user: Hello, please remember that I am allergic to penicillin.", "assistant: One moment. I have noted that.",
					"user: Am I allergic to anything?", "assistant: You are allergic to penicillin, as you told me before.")
				m.clock.turn(time.Hour)
				m.sweep(1)
				first := m.all(m.Client)[0]
				rec := m.writtenUp(first.ID)
				if c := rec.Conversation; c.Channel != how.channel || c.Status != recaller.Completed || c.EndReason != "idle" || c.Summary == nil {
					t.Errorf("got %+v, want it completed and written up", c)
				}
				m.texts(how.before+marta, "Are you there?")
				m.goesOut(3, how.before+marta, "Yes, I am here.")
				m.settled()
				if list := m.all(m.Client); len(list) != 2 || list[0].CallerID != list[1].CallerID {
					t.Errorf("got %+v, want two conversations of one caller", list)
				}
				wantTurns(t, m.said(0), "user: Are you there?", "assistant: Yes, I am here.")
			})
		})
	}
}

// sweep closes what is idle, and wants so many to be.
func (m *mailbox) sweep(want int) {
	m.t.Helper()
	if n, err := m.app.conversations.CloseIdle(m.t.Context()); err != nil || n != want {
		m.t.Fatalf("%d conversations were closed as idle, %v; want %d", n, err, want)
	}
}

// Who calls and who texts from one number is one person, with one memory: what he says by one way the agent knows by the
// other, and the briefing tells of both.
func TestACallAndATextShareOneMemory(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, env ...string) {
		m := texted(t, env...)
		m.texts(marta, "Please remember that I am allergic to penicillin.")
		m.goesOut(1, marta, "One moment. I have noted that.")
		m.settled()
		m.rings("CA1", marta, lakeside, "Say Hangup")
		rec := m.read("CA1")
		b, err := m.ConversationBriefing(t.Context(), rec.Conversation.ID, client.BriefingQuery{})
		if err != nil || !strings.Contains(b.Text, "penicillin") || !strings.Contains(b.Text, "The last chat is still open") {
			t.Errorf("the call is told %q, %v; want what was texted, and where it stands", b.Text, err)
		}
		m.say("CA1", "My daughter is called Sarah, and I need a table for two on Friday.")
		m.ends("CA1", marta, lakeside, "completed", time.Minute)
		m.writtenUp("CA1")
		m.texts("whatsapp:"+marta, "Am I allergic to anything?")
		m.goesOut(2, "whatsapp:"+marta, "You are allergic to penicillin, as you told me before.")
		m.settled()
		asked := m.model.Requests()
		if last := asked[len(asked)-1]; !strings.Contains(last.System, "Sarah") {
			t.Errorf("the agent of the text was told %q, want what was said in the call", last.System)
		}
		callers := map[string]bool{}
		channels := map[recaller.Channel]bool{}
		for _, c := range m.all(m.Client) {
			callers[c.CallerID], channels[c.Channel] = true, true
		}
		if len(callers) != 1 || len(channels) != 3 {
			t.Errorf("got %d callers over %v, want one over voice, sms and whatsapp", len(callers), channels)
		}
	})
}

// The same text twenty times at once, forged ones, and texts in a burst: each is one turn, and the burst has one answer.
func TestTextsThatComeAgainAndInABurst(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, env ...string) {
		m := texted(t, env...)
		var together sync.WaitGroup
		for i := range 60 {
			together.Go(func() {
				form := telephonytest.Texted("SM"+strconv.Itoa(i%3), marta, lakeside, fmt.Sprintf("Thought %d of three.", i%3+1))
				for {
					a, err := m.Try(t.Context(), telephony.TextPath, form)
					if err == nil && a.Status == http.StatusServiceUnavailable { // on a slow machine: then a platform sends it again
						continue
					}
					if err != nil || a.Status != http.StatusOK {
						t.Errorf("got %d %s, %v", a.Status, a.Body, err)
					}
					return
				}
			})
		}
		together.Wait()
		m.passes()
		m.goesOut(1, marta, "Yes, I am here.")
		m.settled()
		got := m.said(0)
		slices.Sort(got)
		wantTurns(t, got, "assistant: Yes, I am here.", "user: Thought 1 of three.", "user: Thought 2 of three.", "user: Thought 3 of three.")
		if n := len(m.carrier.Texts()); n != 1 || len(m.all(m.Client)) != 1 {
			t.Errorf("%d texts went out, in %d conversations; want one in one", n, len(m.all(m.Client)))
		}
	})
}

func TestForgedTexts(t *testing.T) {
	t.Parallel()
	m := texted(t)
	forger := m.Platform
	forger.Token = "ffffffffffffffffffffffffffffffff"
	real := telephonytest.Texted("SM1", marta, lakeside, "Hello")
	var together sync.WaitGroup
	for i := range 10 {
		together.Go(func() {
			for j := range 100 {
				form := telephonytest.Texted("SM"+strconv.Itoa(i*100+j), marta, lakeside, "Forged")
				path := telephony.TextPath
				if j%2 == 1 {
					path = telephony.TextStatusPath
				}
				send := forger.Try
				if j%4 == 0 { // a right signature, of another body
					send = func(ctx context.Context, path string, form url.Values) (telephonytest.Answer, error) {
						header := m.Sign(path, "", real)
						header.Set("Content-Type", "application/x-www-form-urlencoded")
						return telephonytest.Send(ctx, m.url+path, header, form.Encode())
					}
				}
				a, err := send(t.Context(), path, form)
				if err != nil || a.Status != http.StatusForbidden {
					t.Errorf("got %d, %v; want 403", a.Status, err)
				}
			}
		})
	}
	together.Wait()
	if n := m.counted("twilio", "message", "forged") + m.counted("twilio", "message-status", "forged"); n != 1000 {
		t.Errorf("%d were counted as forged, want 1000", n)
	}
	if len(m.all(m.Client)) != 0 || m.carrier.Asked() != 0 {
		t.Error("something came of a forged text")
	}
}

// STOP, HELP and START are told the number, and not the agent: they are obeyed, and are no turns. Who stopped is sent
// nothing, whatever he writes, and whoever wants to send it.
func TestStopHelpAndStart(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, env ...string) {
		m := texted(t, env...)
		peer := texting.Peer{Channel: recaller.ChannelSMS, Ours: lakeside, Theirs: marta}
		stopped := func(want bool) {
			t.Helper()
			if got, err := m.app.texting.Stopped(t.Context(), "default", peer); err != nil || got != want {
				t.Errorf("stopped: got %v, %v; want %v", got, err, want)
			}
		}
		name := "Lakeside Dental"
		m.set(client.TenantSettings{Profile: &client.ProfilePatch{Business: &name}})
		stopped(false)
		m.texts(marta, "help")
		m.goesOut(1, marta, "You are texting with the automatic assistant of Lakeside Dental. Reply STOP to get no more messages.")
		m.texts(marta, "YES") // he answers a question
		m.goesOut(2, marta, "Yes, I am here.")
		m.texts(marta, " Stop. ")
		m.goesOut(3, marta, "You will get no more messages from this number. Reply START to get them again.")
		stopped(true)
		m.textsAs("SM3", marta, " Stop. ") // it came again
		m.texts(marta, "STOPALL")
		m.texts(marta, "Are you there?")
		m.settled()
		if n := len(m.carrier.Texts()); n != 3 {
			t.Fatalf("%d texts went out, want nothing after the confirmation", n)
		}
		// By another way, and to another number, he did not stop.
		m.texts("whatsapp:"+marta, "Are you there?")
		m.goesOut(4, "whatsapp:"+marta, "Yes, I am here.")
		m.texts(marta, "Unstop")
		m.goesOut(5, marta, "You will get messages from this number again. Reply STOP to end them.")
		stopped(false)
		m.textsAs("SM3", marta, " Stop. ") // late, and again
		stopped(false)
		m.texts(marta, "Are you there now?")
		m.goesOut(6, marta, "Yes, I am here.")
		m.settled()
		wantTurns(t, m.said(1), "user: YES", "assistant: Yes, I am here.", "user: Are you there?", "user: Are you there now?",
			"assistant: Yes, I am here.")
		if n := len(m.carrier.Texts()); n != 6 {
			t.Errorf("%d texts went out, want 6", n)
		}
	})
}

// Twilio may answer STOP itself: with its advanced opt-out it says so, else it refuses what goes out.
func TestTheCarrierKnowsThatSomebodyStopped(t *testing.T) {
	t.Parallel()
	m := texted(t)
	peer := texting.Peer{Channel: recaller.ChannelSMS, Ours: lakeside, Theirs: marta}
	form := telephonytest.Texted("SM1", marta, lakeside, "Basta ya")
	form.Set("OptOutType", "STOP")
	m.wants(m.Post(t, telephony.TextPath, form), "")
	if got, err := m.app.texting.Stopped(t.Context(), "default", peer); err != nil || !got {
		t.Errorf("got %v, %v", got, err)
	}
	form = telephonytest.Texted("SM2", marta, lakeside, "start")
	form.Set("OptOutType", "START")
	m.wants(m.Post(t, telephony.TextPath, form), "")
	m.settled()
	m.carrier.Stop(marta)
	m.textsAs("SM3", marta, "Are you there?")
	m.settled()
	if got, err := m.app.texting.Stopped(t.Context(), "default", peer); err != nil || !got || len(m.carrier.Texts()) != 0 || m.carrier.Asked() != 1 {
		t.Errorf("got %v, %v after %d requests; want him stopped after one", got, err, m.carrier.Asked())
	}
}

func TestALongAnswerIsParted(t *testing.T) {
	t.Parallel()
	m := texted(t)
	sentence := "The boiler man comes on Tuesday between nine and eleven, and he brings the part with him. "
	m.mu.Lock()
	m.says = func(llmtest.Request) llmtest.Said { return llmtest.Said{Text: strings.Repeat(sentence, 12)} }
	m.mu.Unlock()
	m.carrier.Fail(1, http.StatusServiceUnavailable, 0)
	m.texts(marta, "When does he come?")
	m.eventually("the first try has failed", func() bool { return m.carrier.Asked() == 1 })
	m.eventually("the parts went out", func() bool { m.clock.turn(time.Minute); m.app.runner.Wake(); return len(m.carrier.Texts()) == 3 })
	m.settled()
	var all []string
	for _, p := range m.carrier.Texts() {
		if len(p.Words) > 459 || !strings.HasSuffix(p.Words, ".") {
			t.Errorf("a part is %q", p.Words)
		}
		all = append(all, p.Words)
	}
	if got, want := strings.Join(all, " "), strings.TrimSpace(strings.Repeat(sentence, 12)); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestMediaAreReferences(t *testing.T) {
	t.Parallel()
	m := texted(t)
	form := telephonytest.Texted("SM1", "whatsapp:"+marta, lakeside, "This is the leak")
	for name, value := range map[string]string{
		"NumMedia": "3", "MediaUrl0": "https://api.twilio.com/m/ME1", "MediaContentType0": "image/jpeg",
		"MediaUrl1": "https://api.twilio.com/m/ME2", "MediaContentType1": "audio/ogg", "MediaContentType2": "video/mp4",
		"Latitude": "52.52", "Longitude": "13.405", "Label": "At ho[me]", "Address": "Allee 1,\nBerlin",
	} {
		form.Set(name, value)
	}
	m.wants(m.Post(t, telephony.TextPath, form), "")
	m.settled()
	want := "user: [Image: https://api.twilio.com/m/ME1]\n[Voice: https://api.twilio.com/m/ME2]\n[Video: no link]\n" +
		"[Location: 52.52, 13.405, At home, Allee 1, Berlin]\nThis is the leak"
	if got := m.said(0); got[0] != want {
		t.Errorf("got %q, want %q", got[0], want)
	}
	form = telephonytest.Texted("SM2", "whatsapp:"+marta, lakeside, "")
	form.Set("ButtonText", "Yes, Tuesday")
	m.wants(m.Post(t, telephony.TextPath, form), "")
	m.wants(m.Post(t, telephony.TextPath, telephonytest.Texted("SM3", "whatsapp:"+marta, lakeside, " ")), "") // says nothing
	m.settled()
	m.Telnyx = true
	a := m.Message(t, telephony.TextPath, "message.received", map[string]any{
		"id": "m-4", "type": "MMS", "from": map[string]any{"phone_number": marta}, "to": lakeside, "text": "",
		"media": []any{map[string]any{"url": "https://media.telnyx.com/x.png", "content_type": "image/png"}},
	})
	if a.Status != http.StatusOK {
		t.Fatalf("got %d %s", a.Status, a.Body)
	}
	m.settled()
	if got := m.said(1); got[2] != "user: Yes, Tuesday" || len(got) != 4 {
		t.Errorf("got %q", got)
	}
	if got := m.said(0); got[0] != "user: [Image: https://media.telnyx.com/x.png]" {
		t.Errorf("got %q", got)
	}
	if who, err := m.Callers(t.Context(), client.Page{}); err != nil || len(who.Callers) != 1 || who.Callers[0].Name != "Marta ❤" {
		t.Errorf("got %+v, %v", who, err)
	}
}

// Nobody answers where the tenant does not want it, where the sender is no number, and where no tenant has the number.
func TestTextsThatAreNotAnswered(t *testing.T) {
	t.Parallel()
	m := texted(t)
	m.wants(m.Post(t, telephony.TextPath, telephonytest.Texted("SM1", marta, hillside, "Hello")), "")
	m.texts("24273", "Your code is 1234")
	m.texts("AMAZON", "Your parcel is there. Reply STOP to end.")
	none := recaller.ReplyNone
	m.set(client.TenantSettings{Texting: &client.TextingPatch{Reply: &none}})
	m.texts(marta, "Hello")
	m.settled()
	if list := m.all(m.Client); len(list) != 3 || m.carrier.Asked() != 0 {
		t.Errorf("got %d conversations and %d texts out, want three and none", len(list), m.carrier.Asked())
	}
	if n := m.counted("twilio", "message", "unknown_number"); n != 1 {
		t.Errorf("%d for an unknown number", n)
	}
}

func TestWhatBecomesOfTextsIsCounted(t *testing.T) {
	t.Parallel()
	m := texted(t)
	for _, status := range []string{"sent", "delivered", "undelivered", "failed", "made-up"} {
		form := telephonytest.Texted("SM1", lakeside, marta, "")
		form.Set("MessageStatus", status)
		m.wants(m.Post(t, telephony.TextStatusPath, form), "")
	}
	m.Telnyx = true
	m.Message(t, telephony.TextPath, "message.finalized", map[string]any{"id": "m1", "to": []any{map[string]any{"phone_number": marta, "status": "delivery_failed"}}})
	text, err := m.metrics()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`carrier="twilio",status="undelivered"} 1`, `carrier="twilio",status="other"} 1`, `carrier="telnyx",status="delivery_failed"} 1`} {
		if !strings.Contains(text, "recaller_telephone_texts_delivered_total{"+want) {
			t.Errorf("there is no %s", want)
		}
	}
	if len(m.all(m.Client)) != 0 {
		t.Error("a status is kept as a text")
	}
}

// What the carrier could not bring stands as such behind it: the agent, a call's briefing and whoever reads the record do not take
// it for read. A confirmation is no turn, and nor is what its status says. The log names no number and no word.
func TestATextThatDidNotArriveIsNotTakenForRead(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, env ...string) {
		logged := &notes{}
		m := textedIn(t, Options{Log: slog.New(slog.NewTextHandler(logged, nil))}, env...)
		fails := func(n int) {
			t.Helper()
			form := telephonytest.Texted("SM-out", lakeside, marta, "")
			form.Set("MessageStatus", "undelivered")
			form.Set("ErrorCode", "30005")
			m.wants(m.Post(t, strings.TrimPrefix(m.carrier.Texts()[n-1].StatusTo, telephonytest.Public), form), "")
		}
		m.texts(marta, "Are you there?")
		m.goesOut(1, marta, "Yes, I am here.")
		m.settled()
		fails(1)
		fails(1)
		m.texts(marta, "Help")
		m.carrier.WaitTexts(t, 2)
		m.settled()
		fails(2)
		wantTurns(t, m.said(0), "user: Are you there?", "assistant: Yes, I am here.", "assistant: "+written.NotDelivered)
		m.rings("CA1", marta, lakeside, "Say Hangup")
		b, err := m.ConversationBriefing(t.Context(), m.read("CA1").Conversation.ID, client.BriefingQuery{})
		if err != nil || !strings.Contains(b.Text, written.NotDelivered) {
			t.Errorf("the call is told %q, %v", b.Text, err)
		}
		m.texts(marta, "Are you there?")
		m.goesOut(3, marta, "Yes, I am here.")
		m.settled()
		var told string
		for _, q := range m.model.Requests() {
			told = q.Messages[max(0, len(q.Messages)-2)].Text
		}
		if !strings.Contains(told, written.NotDelivered) {
			t.Errorf("the agent was told %q before the last text", told)
		}
		m.clock.turn(time.Hour)
		m.sweep(2) // the call, too
		fails(3)   // too late for the record
		holds(t, "the log", logged.String(), "a text was not delivered", "code=30005", "!"+marta, "!"+lakeside, "!I am here")
	})
}

// What cannot be handed to the carrier was not read either.
func TestATextThatTheCarrierRefusedIsNotTakenForRead(t *testing.T) {
	t.Parallel()
	m := texted(t)
	m.carrier.Fail(1, http.StatusBadRequest, 21614)
	m.texts(marta, "Are you there?")
	m.eventually("it is refused", func() bool { return m.answers("refused") == 1 })
	m.settled()
	wantTurns(t, m.said(0), "user: Are you there?", "assistant: Yes, I am here.", "assistant: "+written.NotDelivered)
}

// Without a model, or without the keys of a carrier, the agent cannot be chosen.
func TestTheAgentCannotAnswerTexts(t *testing.T) {
	t.Parallel()
	for name, env := range map[string][]string{
		"no model":   {"TWILIO_ACCOUNT_SID=" + carriertest.Account},
		"no carrier": {"RECALLER_LLM_BASE_URL=http://127.0.0.1:1/v1", "RECALLER_LLM_MODEL=m"},
	} {
		e := connected(t, env...)
		reply, quiet := recaller.ReplyAgent, 0.5
		_, err := e.UpdateTenant(t.Context(), client.TenantPatch{TenantSettings: client.TenantSettings{Texting: &client.TextingPatch{Reply: &reply}}})
		wantStatus(t, err, http.StatusUnprocessableEntity)
		_, err = e.UpdateTenant(t.Context(), client.TenantPatch{TenantSettings: client.TenantSettings{Texting: &client.TextingPatch{QuietMinutes: &quiet}}})
		wantStatus(t, err, http.StatusUnprocessableEntity)
		if err == nil || !strings.Contains(err.Error(), "texting.quiet_minutes") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}
