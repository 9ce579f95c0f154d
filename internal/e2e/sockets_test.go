package e2e

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/tidwall/gjson"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
	callbridge "github.com/recallerhq/recaller/internal/bridge"
	"github.com/recallerhq/recaller/internal/llm/llmtest"
	"github.com/recallerhq/recaller/internal/mediastream"
	"github.com/recallerhq/recaller/internal/realtime"
	"github.com/recallerhq/recaller/internal/rehearsal"
	"github.com/recallerhq/recaller/internal/relay/relaytest"
	"github.com/recallerhq/recaller/internal/telephony"
	"github.com/recallerhq/recaller/internal/telephony/telephonytest"
)

// switchboard is where the calls of the stories below ring.
const switchboard = "+14155550199"

// callsKilled is how many calls over sockets are under way when the server is killed (make kill-calls: many more).
func callsKilled(t *testing.T) int {
	t.Helper()
	text := os.Getenv("RECALLER_KILLED_CALLS")
	if text == "" {
		return 40
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("RECALLER_KILLED_CALLS must be a number: %v", err)
	}
	return n
}

// kill -9 amid bridged calls. In a call over a socket nobody is answered, so what counts as acknowledged is what somebody
// could see: a turn that a listener was told of, and a memory of which the model was told that it is stored. All of it is
// there once. Who called is told that something went wrong, the call was cut off, and in the next one the model knows.
func TestKillNineAmidBridgedCalls(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, on backing) {
		m := &brain{sure: map[string]bool{}}
		model := rehearsal.NewModel(rehearsal.ModelOptions{
			Now: time.Now, Pause: 100 * time.Millisecond, Speed: 20, Think: m.think,
			Listen: func(session, n int, _ []byte) (string, time.Duration) {
				return fmt.Sprintf("In session %d I say %d.", session, n), 20 * time.Millisecond
			},
		})
		provider := httptest.NewServer(model)
		t.Cleanup(provider.Close)
		s := serveIn(t, on, "TWILIO_AUTH_TOKEN="+telephonytest.Token, "RECALLER_PUBLIC_URL="+telephonytest.Public,
			"RECALLER_REALTIME_URL="+provider.URL+"/v1/realtime")
		x := ringAll(t, s, recaller.AnswerBridge)
		x.killedAmid(func(ctx context.Context, c *caller, token string) error {
			phone, err := c.telephone(ctx, s, token)
			if err != nil {
				return err
			}
			for n := range 100 { // he speaks, and is silent for a while
				phone.Say(rehearsal.Tone(n, 200*time.Millisecond))
				phone.Say(slices.Repeat([]byte{rehearsal.Quiet}, 800*mediastream.BytesPerMS))
			}
			return phone.Run(ctx)
		})
		for _, c := range x.callers {
			x.wantOver(c, nil)
		}
		kept, values := map[string]bool{}, map[string]int{}
		for _, c := range x.callers {
			for more, page := true, (client.Page{Limit: 200}); more; more = page.Cursor != "" {
				list, err := s.admin.Memories(t.Context(), c.who, client.MemoryFilter{Page: page})
				if err != nil {
					t.Fatal(err)
				}
				for _, one := range list.Memories {
					kept[one.ID] = true
					values[one.Value]++
				}
				page.Cursor = list.NextCursor
			}
		}
		m.mu.Lock()
		lost := 0
		for id := range m.sure {
			if !kept[id] {
				lost++
			}
		}
		if lost > 0 {
			t.Errorf("%d of %d memories that were acknowledged are not there", lost, len(m.sure))
		}
		for _, n := range values {
			if n != 1 {
				t.Errorf("a memory is there %d times", n)
			}
		}
		t.Logf("%d calls: %d turns and %d memories were acknowledged", len(x.callers), x.acknowledged.Load(), len(m.sure))
		m.mu.Unlock()

		c, before := x.callers[0], len(model.Updates())
		c.id = "CA-next"
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		phone, err := c.telephone(ctx, s, x.token(c))
		if err != nil {
			t.Fatal(err)
		}
		go func() { _ = phone.Run(ctx) }()
		eventually(t, "the model is told whom it speaks to", func() bool { return len(model.Updates()) > before })
		holds(t, "what the model is told", model.Updates()[before], "broke off", "I say ")
	})
}

// kill -9 amid calls over ConversationRelay. Besides, what the caller said is kept before it is answered: whoever heard
// a word of an answer was acknowledged.
func TestKillNineAmidRelayedCalls(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, on backing) {
		model := llmtest.NewTalking(func(q llmtest.Request) llmtest.Said {
			return llmtest.Said{Text: "I heard: " + q.Messages[len(q.Messages)-1].Text}
		})
		provider := httptest.NewServer(model)
		t.Cleanup(provider.Close)
		s := serveIn(t, on, "TWILIO_AUTH_TOKEN="+telephonytest.Token, "RECALLER_PUBLIC_URL="+telephonytest.Public,
			"RECALLER_LLM_BASE_URL="+provider.URL+"/v1", "RECALLER_LLM_MODEL=test-model", "RECALLER_LLM_WORDS=quoted", "RECALLER_LLM_CONCURRENCY=64")
		x := ringAll(t, s, recaller.AnswerRelay)
		x.killedAmid(func(ctx context.Context, c *caller, token string) error {
			socket, err := c.relay(ctx, s, token)
			if err != nil {
				return err
			}
			if _, _, err := socket.Answer(ctx); err != nil { // the agent speaks first
				return err
			}
			pause := time.NewTicker(200 * time.Millisecond) // nobody speaks faster: a store that cannot keep up is another story
			defer pause.Stop()
			for n := 1; ; n++ {
				select {
				case <-pause.C:
				case <-ctx.Done():
					return ctx.Err()
				}
				words := fmt.Sprintf("Here is %s, for the %dth time.", c.id, n)
				if err := socket.Say(ctx, words, "en-US"); err != nil {
					return err
				}
				if f, err := socket.Next(ctx); err != nil || f.Token == "" {
					return errors.Join(err, ctx.Err())
				}
				c.answered(words)
				if _, _, err := socket.Answer(ctx); err != nil {
					return err
				}
			}
		})
		answers := 0
		for _, c := range x.callers {
			x.wantOver(c, map[string]string{"SessionStatus": "failed"})
			answers += len(c.heard)
		}
		t.Logf("%d calls: %d turns were told, %d were answered", len(x.callers), x.acknowledged.Load(), answers)

		c := x.callers[0]
		c.id = "CA-next"
		socket, err := c.relay(t.Context(), s, x.token(c))
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := socket.Answer(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := socket.Say(t.Context(), "Hello again.", "en-US"); err != nil {
			t.Fatal(err)
		}
		if _, _, err := socket.Answer(t.Context()); err != nil {
			t.Fatal(err)
		}
		asked := model.Requests()
		holds(t, "what the agent is told", asked[len(asked)-1].System, "broke off")
		if err := socket.HangUp(); err != nil {
			t.Error(err)
		}
	})
}

// brain is a realtime model that answers, and stores something each third time. It knows what it was told is stored.
type brain struct {
	mu   sync.Mutex
	sure map[string]bool // the ids of the memories that it was told are stored
}

func (b *brain) think(in rehearsal.Heard) rehearsal.Reply {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, r := range in.Results { // the store may be slow: it is not always of what was asked last
		if id := gjson.Get(r, "memoryId").String(); id != "" && gjson.Get(r, "success").Bool() {
			b.sure[id] = true
		}
	}
	if in.N%3 == 2 {
		value := fmt.Sprintf("Caller %d has told the %dth thing", in.Session, in.N)
		return rehearsal.Reply{Calls: []realtime.Call{{Name: "store_memory", Arguments: fmt.Appendf(nil, `{"memory_type":"fact","key":"thing %d","value":%q}`, in.N, value)}}}
	}
	return rehearsal.Reply{Say: fmt.Sprintf("To caller %d I answer %d.", in.Session, in.N), Audio: rehearsal.Tone(in.N, 100*time.Millisecond)}
}

// caller is somebody on the telephone, and what was acknowledged of his call.
type caller struct {
	id, number string
	who        string // the caller's id
	mu         sync.Mutex
	told       []client.Turn // that a listener was told of
	heard      []string      // what he said that was answered
}

func (c *caller) answered(words string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.heard = append(c.heard, words)
}

// telephone opens a socket for sound, and says whose it is.
func (c *caller) telephone(ctx context.Context, s *server, token string) (*rehearsal.Phone, error) {
	conn, _, err := websocket.Dial(ctx, s.url+telephony.MediaPath, &websocket.DialOptions{HTTPHeader: handshake(telephony.MediaPath)})
	if err != nil {
		return nil, err
	}
	phone := rehearsal.NewPhone(callbridge.Socket(conn, 1<<20), rehearsal.PhoneOptions{Start: mediastream.Start{
		Stream: "MZ1", Call: c.id, Parameters: map[string]string{telephony.TokenParameter: token},
	}})
	return phone, phone.Begin(ctx)
}

func (c *caller) relay(ctx context.Context, s *server, token string) (*relaytest.Socket, error) {
	return relaytest.Open(ctx, s.url+telephony.RelayPath, handshake(telephony.RelayPath), relaytest.Twilio(c.id, token))
}

// handshake signs the opening of a socket.
func handshake(path string) http.Header {
	return telephonytest.Platform{Address: "wss" + strings.TrimPrefix(telephonytest.Public, "https")}.Sign(path, "", nil)
}

// exchange is a server with many calls.
type exchange struct {
	*server
	callers      []*caller
	acknowledged atomic.Int64 // turns
}

// ringAll sets how calls are answered.
func ringAll(t *testing.T, s *server, answer recaller.TelephoneAnswer) *exchange {
	t.Helper()
	numbers, yes := []string{switchboard}, true
	_, err := s.admin.UpdateTenant(context.Background(), client.TenantPatch{TenantSettings: client.TenantSettings{
		Numbers: &numbers, MemoryTools: &yes, Telephone: &client.TelephonePatch{Answer: &answer},
	}})
	if err != nil {
		t.Fatal(err)
	}
	x := &exchange{server: s}
	for n := range callsKilled(t) {
		x.callers = append(x.callers, &caller{id: fmt.Sprintf("CA%d", n), number: number()})
	}
	return x
}

func (x *exchange) platform() telephonytest.Platform { return telephonytest.Platform{Server: x.url} }

// token has a call come in, and returns the token of its socket.
func (x *exchange) token(c *caller) string {
	x.t.Helper()
	var a telephonytest.Answer
	eventually(x.t, "the call is answered", func() bool { // on a busy machine the platform may ask more than once
		a = x.platform().Post(x.t, telephony.VoicePath, telephonytest.Ringing(c.id, c.number, switchboard))
		return a.XML.Names() == "Connect"
	})
	return a.XML.Find("Parameter").Attr("value")
}

// listen notes the turns of a call that a listener is told of, until the server is gone.
func (x *exchange) listen(ctx context.Context, c *caller) {
	for e, err := range x.admin.Events(ctx, c.id) {
		if err != nil {
			return
		}
		c.mu.Lock()
		c.told = append(c.told, e.Turns...)
		c.mu.Unlock()
		x.acknowledged.Add(int64(len(e.Turns)))
	}
}

// killedAmid has all call and talk, kills the server amid it, and starts it again.
func (x *exchange) killedAmid(talk func(ctx context.Context, c *caller, token string) error) {
	x.t.Helper()
	ctx, hangUp := context.WithCancel(context.Background())
	defer hangUp()
	var calls sync.WaitGroup
	broke := make(chan error, len(x.callers))
	tokens := make([]string, len(x.callers))
	for i, c := range x.callers {
		tokens[i] = x.token(c)
	}
	for i, c := range x.callers {
		calls.Go(func() { x.listen(ctx, c) })
		calls.Go(func() { broke <- talk(ctx, c, tokens[i]) })
	}
	eventually(x.t, "all of them talk", func() bool {
		if len(broke) > 0 {
			x.t.Fatalf("a call broke: %v\n%s", <-broke, x.output.tail())
		}
		return x.acknowledged.Load() > int64(6*len(x.callers))
	})
	x.kill()
	hangUp()
	calls.Wait()
	x.start()
}

// wantOver has the platform ask what comes behind the socket of a call, and tell its end; and wants it cut off, with all
// that was acknowledged in it once.
func (x *exchange) wantOver(c *caller, says map[string]string) {
	x.t.Helper()
	form := telephonytest.Ringing(c.id, c.number, switchboard)
	form.Set("CallStatus", "in-progress")
	for k, v := range says {
		form.Set(k, v)
	}
	if a := x.platform().Post(x.t, telephony.EndedPath+"?after=socket", form); a.XML.Names() != "Say Hangup" {
		x.t.Errorf("got %s, want a word of apology", a.Body)
	}
	x.platform().Post(x.t, telephony.EndedPath, telephonytest.Over(c.id, c.number, switchboard, "completed", time.Minute))
	rec := phone{x.t, x.admin}.read(c.id)
	c.who = rec.Conversation.CallerID
	if rec.Conversation.Status != recaller.Failed || rec.Conversation.EndReason != "cut off" {
		x.t.Errorf("got %s, %q, want failed, cut off", rec.Conversation.Status, rec.Conversation.EndReason)
	}
	by, texts := map[string]client.Turn{}, map[string]int{}
	for i, turn := range rec.Turns {
		if turn.Number != i {
			x.t.Errorf("turn %d has the number %d", i, turn.Number)
		}
		by[turn.ID] = turn
		texts[turn.Text]++
	}
	for text, n := range texts {
		if n > 1 {
			x.t.Errorf("a turn of %d bytes is there %d times", len(text), n)
		}
	}
	for _, turn := range c.told {
		if got := by[turn.ID]; got.Text != turn.Text || got.Number != turn.Number {
			x.t.Errorf("turn %d, which a listener was told of, is not there", turn.Number)
		}
	}
	for _, words := range c.heard {
		if texts[words] != 1 {
			x.t.Errorf("what the caller said, and was answered, is there %d times", texts[words])
		}
	}
}
