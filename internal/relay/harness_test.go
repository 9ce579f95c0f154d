package relay_test

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/admission"
	"github.com/recallerhq/recaller/internal/agent"
	"github.com/recallerhq/recaller/internal/briefing"
	"github.com/recallerhq/recaller/internal/conversation"
	"github.com/recallerhq/recaller/internal/relay"
	"github.com/recallerhq/recaller/internal/relay/relaytest"
	"github.com/recallerhq/recaller/internal/telephony"
	"github.com/recallerhq/recaller/internal/telephony/signed"
	"github.com/recallerhq/recaller/internal/telephony/telephonytest"
)

// core stands in for the use cases: one call's turns, and an agent that does what the test says.
type core struct {
	mu       sync.Mutex
	turns    []recaller.Turn
	tries    int
	ends     []conversation.End
	marks    []string
	briefing recaller.Briefing
	briefs   func() recaller.Briefing // not nil: makes them, with the lock held
	with     recaller.CallerID        // who speaks, as far as is known
	from     int                      // which turn is the first of theirs
	broken   error                    // not nil: what everything but the agent fails with; only who speaks is known
	unknown  error                    // not nil: that is not known, either
	asked    []agent.Asking
	answer   func(ctx context.Context, in agent.Asking, say func(string) error) (agent.Answer, error)
}

func (c *core) AddTurns(_ context.Context, _ recaller.TenantID, _ string, once recaller.Once, in []conversation.TurnInput) ([]recaller.Turn, bool, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.tries++; c.broken != nil {
		return nil, false, c.broken
	}
	c.marks = append(c.marks, once.Token)
	var out []recaller.Turn
	for _, t := range in {
		out = append(out, recaller.Turn{
			Number: len(c.turns) - c.from, Speaker: t.Speaker, Text: strings.ReplaceAll(t.Text, "4711", "[masked]"), Interrupted: t.Interrupted, At: t.At,
		})
		c.turns = append(c.turns, out...)
	}
	return out, true, nil
}

func (c *core) Find(context.Context, recaller.TenantID, string) (recaller.Conversation, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return recaller.Conversation{Caller: c.with, Turns: len(c.turns) - c.from}, c.unknown
}

// hands has somebody else speak: the last turns go along.
func (c *core) hands(to recaller.CallerID, along int) {
	c.set(func() { c.with, c.from = to, len(c.turns)-along })
}

func (c *core) Briefing(context.Context, recaller.TenantID, string, briefing.Request) (recaller.Briefing, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.briefs != nil {
		return c.briefs(), nil
	}
	return c.briefing, c.broken
}

func (c *core) End(_ context.Context, _ recaller.TenantID, _ string, in conversation.End) (recaller.Conversation, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ends = append(c.ends, in)
	return recaller.Conversation{}, c.broken
}

// ByNumber, Start and Recorded are for the door.
func (c *core) ByNumber(context.Context, string) (recaller.Tenant, error) {
	return recaller.Tenant{ID: "t1"}, nil
}

func (c *core) Start(context.Context, recaller.TenantID, conversation.Start) (conversation.Started, error) {
	return conversation.Started{}, recaller.Unavailable
}

func (c *core) Recorded(context.Context, recaller.TenantID, string, string) error { return nil }

func (c *core) Answer(ctx context.Context, in agent.Asking, say func(string) error) (agent.Answer, error) {
	c.mu.Lock()
	c.asked = append(c.asked, in)
	answer := c.answer
	c.mu.Unlock()
	return answer(ctx, in, say)
}

func (c *core) set(change func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	change()
}

// said lists the turns that were kept: "user: …", with a dash behind one that was cut off.
func (c *core) said() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var out []string
	for _, t := range c.turns {
		text := string(t.Speaker) + ": " + t.Text
		if t.Interrupted {
			text += "—"
		}
		out = append(out, text)
	}
	return out
}

// says is an agent that says pieces.
func says(pieces ...string) func(context.Context, agent.Asking, func(string) error) (agent.Answer, error) {
	return func(_ context.Context, _ agent.Asking, say func(string) error) (agent.Answer, error) {
		for _, p := range pieces {
			if err := say(p); err != nil {
				return agent.Answer{Interrupted: true}, err
			}
		}
		return agent.Answer{}, nil
	}
}

// line is a server with one call, whose socket is awaited, behind its door.
type line struct {
	telephonytest.Platform
	t      *testing.T
	core   *core
	door   *telephony.Server
	tokens *telephony.Tokens
	reg    *prometheus.Registry
	log    *buffer
	url    string
	stop   context.CancelFunc // the server drains

	mu  sync.Mutex
	now time.Time
}

type buffer struct {
	mu sync.Mutex
	bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Buffer.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Buffer.String()
}

func (l *line) clock() time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.now
}

func (l *line) turn(d time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.now = l.now.Add(d)
}

func newLine(t *testing.T, o relay.Options, answer func(context.Context, agent.Asking, func(string) error) (agent.Answer, error)) *line {
	t.Helper()
	l := &line{t: t, core: &core{answer: answer}, reg: prometheus.NewRegistry(), log: &buffer{}, now: time.Unix(1_760_000_000, 0).UTC()}
	l.tokens = telephony.NewTokens(l.clock)
	log := slog.New(slog.NewTextHandler(l.log, nil))
	server, err := relay.New(relay.Deps{Conversations: l.core, Agent: l.core, Log: log, Registerer: l.reg, Now: l.clock}, o)
	if err != nil {
		t.Fatal(err)
	}
	telnyx, err := signed.NewTelnyx(telephonytest.PublicKey) // whose handshakes are not signed
	if err != nil {
		t.Fatal(err)
	}
	l.door, err = telephony.New(telephony.Deps{
		Gate: admission.New(nil, log, admission.Options{}), Tenants: l.core, Conversations: l.core, Tokens: l.tokens, Log: log,
		Registerer: l.reg, Now: l.clock,
	}, telephony.Options{Telnyx: telnyx, Sockets: map[recaller.TelephoneAnswer]telephony.Socket{recaller.AnswerRelay: server}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	l.stop = stop
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { l.door.ServeHTTP(w, r.WithContext(ctx)) }))
	t.Cleanup(func() { stop(); srv.Close() })
	l.Platform = telephonytest.Platform{Server: srv.URL, Telnyx: true, Now: l.clock}
	l.url = srv.URL + telephony.RelayPath
	return l
}

// rings issues the token of a call.
func (l *line) rings(c telephony.Call) string {
	l.t.Helper()
	c.Tenant, c.Greeting = "t1", cmp.Or(c.Greeting, " ") // one that is no turn: these stories begin with the caller
	token, ok := l.tokens.Issue(c)
	if !ok {
		l.t.Fatal("there is no token")
	}
	return token
}

func (l *line) open(setup relaytest.Setup) *relaytest.Socket {
	l.t.Helper()
	s, err := relaytest.Open(l.t.Context(), l.url, nil, setup)
	if err != nil {
		l.t.Fatal(err)
	}
	l.t.Cleanup(func() { _ = s.Drop() })
	return s
}

// call opens the socket of a call.
func (l *line) call(c telephony.Call) *relaytest.Socket {
	l.t.Helper()
	return l.open(relaytest.Twilio(c.ID, l.rings(c)))
}

func (l *line) do(err error) {
	l.t.Helper()
	if err != nil {
		l.t.Fatal(err)
	}
}

// answered wants an answer.
func (l *line) answered(s *relaytest.Socket, want string) {
	l.t.Helper()
	if got, _, err := s.Answer(l.t.Context()); err != nil || got != want {
		l.t.Fatalf("got %q, %v; want %q", got, err, want)
	}
}

func (l *line) eventually(what string, ask func() bool) {
	l.t.Helper()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.After(time.Minute); !ask(); {
		select {
		case <-tick.C:
		case <-deadline:
			l.t.Fatalf("waited in vain: %s; kept is %q; the log:\n%s", what, l.core.said(), l.log)
		}
	}
}

// kept waits for the turns that are kept.
func (l *line) kept(want ...string) {
	l.t.Helper()
	l.eventually("the turns are kept", func() bool { return slices.Equal(l.core.said(), want) })
}

// over waits for the end of the call's conversation, and for its reason.
func (l *line) over(status recaller.Status, why string) {
	l.t.Helper()
	l.eventually("the conversation ends", func() bool {
		l.core.mu.Lock()
		defer l.core.mu.Unlock()
		return len(l.core.ends) > 0
	})
	l.core.mu.Lock()
	defer l.core.mu.Unlock()
	if got := l.core.ends[0]; len(l.core.ends) != 1 || got.Status != status || got.Reason != why {
		l.t.Errorf("got %+v, want one end, %s for %s", l.core.ends, status, why)
	}
	l.counted("recaller_relay_sessions_total", "result", why, 1)
}

// counted waits until a metric is as it should be: the other side may hear of an end before it is counted.
func (l *line) counted(name, label, value string, want int) {
	l.t.Helper()
	l.eventually(fmt.Sprintf("%s{%s=%q} is %d", name, label, value, want), func() bool {
		families, err := l.reg.Gather()
		if err != nil {
			l.t.Fatal(err)
		}
		for _, f := range families {
			for _, m := range f.GetMetric() {
				if f.GetName() == name && m.GetLabel()[0].GetName() == label && m.GetLabel()[0].GetValue() == value {
					return int(m.GetCounter().GetValue()) == want
				}
			}
		}
		return want == 0
	})
}
