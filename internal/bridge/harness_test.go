package bridge_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/bridge"
	"github.com/recallerhq/recaller/internal/bridge/bridgetest"
	"github.com/recallerhq/recaller/internal/events"
	"github.com/recallerhq/recaller/internal/mediastream"
	"github.com/recallerhq/recaller/internal/rehearsal"
	"github.com/recallerhq/recaller/internal/tool"
)

// desk carries out tools: it notes them.
type desk struct {
	mu    sync.Mutex
	calls []string
	does  func(tool.Call) (tool.Result, error)
}

func (d *desk) Do(_ context.Context, c tool.Call) (tool.Result, error) {
	d.mu.Lock()
	d.calls = append(d.calls, fmt.Sprintf("%s %s %s %s", c.Tenant, c.Conversation, c.Name, c.Arguments))
	does := d.does
	d.mu.Unlock()
	if does != nil {
		return does(c)
	}
	return tool.Result{MemoryID: "m1", Action: recaller.MemoryCreated}, nil
}

// set says what tools do.
func (d *desk) set(does func(tool.Call) (tool.Result, error)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.does = does
}

func (d *desk) done() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.calls)
}

// stage is a call between a phone and a model that are not real.
type stage struct {
	*testing.T
	book    *bridgetest.Book
	desk    *desk
	bus     *events.Bus
	phone   *rehearsal.Phone
	model   *rehearsal.Model
	reg     *prometheus.Registry
	log     *bytes.Buffer
	bridge  *bridge.Bridge
	end     *bridgetest.End // the bridge's end of the telephone's socket
	stop    context.CancelFunc
	outcome chan bridge.Outcome
}

// plot says how a call is set.
type plot struct {
	wire  mediastream.Wire
	call  bridge.Call
	phone rehearsal.PhoneOptions
	model rehearsal.ModelOptions
	opts  bridge.Options
	room  int // of the telephone's socket; 0: much
	dial  func(*rehearsal.Model) bridge.Dialer

	at    string                          // where the log is poisoned
	spoil func(c bridge.Conn) bridge.Conn // the telephone's socket
}

// stages plays a story in a time of its own. A goroutine that goes on after it fails the test.
func stages(t *testing.T, p plot, story func(s *stage)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := set(t, p)
		story(s)
		s.stop()
		s.model.Wait()
	})
}

// stands makes a stage without a bridge.
func stands(t *testing.T, p plot) *stage {
	p.model.Now, p.model.Maker, p.model.Beta = time.Now, p.call.Provider.Maker, p.call.Provider.Beta
	return &stage{
		T: t, book: &bridgetest.Book{}, desk: &desk{}, bus: events.New(time.Now), reg: prometheus.NewRegistry(), log: &bytes.Buffer{},
		model: rehearsal.NewModel(p.model), outcome: make(chan bridge.Outcome, 1),
	}
}

// opens makes the bridge.
func (s *stage) opens(dial bridge.Dialer, p plot) {
	s.bridge = bridge.New(bridge.Deps{
		Dial: dial, Tools: s.desk, Turns: s.book, Events: s.bus, Log: slog.New(bridgetest.PoisonedLog{Handler: slog.NewTextHandler(s.log, nil), At: p.at}),
		Metrics: bridge.NewMetrics(s.reg), Now: time.Now,
	}, p.opts)
}

func set(t *testing.T, p plot) *stage {
	ctx, stop := context.WithCancel(t.Context())
	s := stands(t, p)
	s.stop = stop
	room := p.room
	if room == 0 {
		room = 4096
	}
	ours, theirs := bridgetest.Pipe(room)
	p.phone.Wire, p.phone.Start = p.wire, mediastream.Start{Stream: "MZ1", Call: "CA1", Parameters: map[string]string{"tok": "one"}}
	s.end, s.phone = ours, rehearsal.NewPhone(theirs, p.phone)
	dial := bridgetest.Dial(s.model)
	if p.dial != nil {
		dial = p.dial(s.model)
	}
	s.opens(dial, p)
	p.call.Tenant, p.call.Conversation, p.call.Caller = bridgetest.Tenant, bridgetest.Conversation, "ann"
	if p.call.Briefing == "" {
		p.call.Briefing = "You know Ann."
	}
	go func() {
		var conn bridge.Conn = ours
		if p.spoil != nil {
			conn = p.spoil(ours)
		}
		line := bridge.NewPhone(conn, p.wire)
		start, why := s.bridge.Begin(ctx, line)
		if why != "" || start.Parameters["tok"] != "one" {
			t.Errorf("the stream did not begin: %+v, %s", start, why)
		}
		s.outcome <- s.bridge.Run(ctx, line, p.call)
	}()
	if err := s.phone.Begin(ctx); err != nil {
		t.Fatal(err)
	}
	go func() {
		if err := s.phone.Run(ctx); err != nil && ctx.Err() == nil && err != bridgetest.ErrBroken { //nolint:errorlint // it is told as it is
			t.Errorf("the phone: %v", err)
		}
	}()
	return s
}

// pass lets time pass.
func (s *stage) pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// over waits for the end of the call.
func (s *stage) over(within time.Duration) bridge.Outcome {
	s.Helper()
	select {
	case o := <-s.outcome:
		return o
	case <-time.After(within):
		s.Fatalf("the call is not over after %s\n%s", within, s.log)
	}
	return bridge.Outcome{}
}

// hangUp has the caller hang up, and waits for the end.
func (s *stage) hangUp() bridge.Outcome {
	s.Helper()
	if err := s.phone.HangUp(s.Context()); err != nil {
		s.Fatal(err)
	}
	o := s.over(time.Minute)
	if o.Reason != bridge.HungUp {
		s.Errorf("got reason %q, want %q", o.Reason, bridge.HungUp)
	}
	return o
}

// says looks what was kept.
func (s *stage) says(want ...string) {
	s.Helper()
	if got := s.book.Said(); !slices.Equal(got, want) {
		s.Errorf("kept:\n%s\nwant:\n%s\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"), s.log)
	}
}

// clean looks that the model had nothing to refuse.
func (s *stage) clean() {
	s.Helper()
	if got := s.model.Faults(); len(got) > 0 {
		s.Errorf("the model refused: %v", got)
	}
}

// count returns a counter's value.
func (s *stage) count(name, label string) float64 {
	s.Helper()
	families, err := s.reg.Gather()
	if err != nil {
		s.Fatal(err)
	}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			if f.GetName() == name && (label == "" || m.GetLabel()[0].GetValue() == label) {
				return m.GetCounter().GetValue()
			}
		}
	}
	return 0
}

// caller's words, as the model hears them.
func listens(words ...string) func(int, int, []byte) (string, time.Duration) {
	n := 0
	return func(int, int, []byte) (string, time.Duration) {
		n++
		if n > len(words) {
			return "…", 0
		}
		return words[n-1], 150 * time.Millisecond
	}
}

// replies are given one after the other, over all sessions.
func replies(list ...rehearsal.Reply) func(rehearsal.Heard) rehearsal.Reply {
	n := 0
	return func(rehearsal.Heard) rehearsal.Reply {
		n++
		if n > len(list) {
			return rehearsal.Reply{Say: "Yes."}
		}
		return list[n-1]
	}
}

func object(text string) json.RawMessage { return json.RawMessage(text) }

// second is how long a caller speaks who says something.
const second = time.Second

// talks has the caller speak for a second.
func (s *stage) talks() { s.phone.Say(rehearsal.Tone(50, second)) }

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

// send sends texts as the telephone's platform; when the other side is gone it stops.
func (s *stage) send(texts ...string) {
	for _, text := range texts {
		if s.phone.Send(s.Context(), []byte(text)) != nil {
			return
		}
	}
}

// flood sends more frames than anybody speaks.
func (s *stage) flood(n int) {
	s.send(slices.Repeat([]string{`{"event":"media","streamSid":"MZ1","media":{"track":"inbound","payload":"////"}}`}, n)...)
}
