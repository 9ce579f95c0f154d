package ears_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/bridge"
	"github.com/recallerhq/recaller/internal/bridge/bridgetest"
	"github.com/recallerhq/recaller/internal/ears"
	"github.com/recallerhq/recaller/internal/events"
	"github.com/recallerhq/recaller/internal/mediastream"
	"github.com/recallerhq/recaller/internal/rehearsal"
)

// stage is a call that is listened to.
type stage struct {
	*testing.T
	book       *bridgetest.Book
	phone      *rehearsal.Phone
	recogniser *rehearsal.Recogniser
	log        bytes.Buffer
	bus        *events.Bus
	reg        *prometheus.Registry
	stop       context.CancelFunc
	dials      atomic.Int32
	outcome    chan ears.Outcome
}

// words are what each tone says.
func words(audio []byte) []string {
	switch audio[0] {
	case 11:
		return []string{"I have", "a question."}
	case 12:
		return []string{"Goodbye."}
	case 51:
		return []string{"Good morning, Lakeside."}
	}
	return []string{"Go ahead."}
}

var listens = map[string]struct {
	model string
	wire  mediastream.Wire
	noisy bool
}{"Twilio": {"nova-3", mediastream.Twilio, false}, "Telnyx, in noise": {"nova-3", mediastream.Telnyx, true}, "Flux": {"flux-general-en", mediastream.Twilio, false}}

// plot says how a call is set.
type plot struct {
	name  string // of listens; empty: Twilio
	hears rehearsal.RecogniserOptions
	opts  ears.Options
	dial  func(n int, c bridge.Conn) (spoilt bridge.Conn, alone bool) // the n-th connection to a recogniser; alone: there is none
	spoil func(c bridge.Conn) bridge.Conn                             // the telephone's socket
	at    string                                                      // where the log is poisoned
}

// stages plays a story in a time of its own. A goroutine that goes on after it fails the test.
func stages(t *testing.T, p plot, story func(s *stage)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		s := &stage{T: t, book: &bridgetest.Book{}, bus: events.New(time.Now), reg: prometheus.NewRegistry(), stop: stop, outcome: make(chan ears.Outcome, 1)}
		how := listens[cmp.Or(p.name, "Twilio")]
		p.hears.Now, p.hears.Flux, p.hears.Noisy = time.Now, strings.HasPrefix(how.model, "flux"), how.noisy
		if p.hears.Listen == nil {
			p.hears.Listen = words
		}
		s.recogniser = rehearsal.NewRecogniser(p.hears)
		e := ears.New(ears.Deps{
			Dial: s.dial(p), Wire: ears.Recogniser{Model: how.model}.Wire(), Turns: s.book, Events: s.bus,
			Log:     slog.New(bridgetest.PoisonedLog{Handler: slog.NewTextHandler(&s.log, nil), At: p.at}),
			Metrics: ears.NewMetrics(s.reg), Now: time.Now,
		}, p.opts)
		ours, theirs := bridgetest.Pipe(4096)
		s.phone = rehearsal.NewPhone(theirs, rehearsal.PhoneOptions{Wire: how.wire, Both: true, Swap: 7, Start: mediastream.Start{Stream: "MZ1", Call: "CA1"}})
		go func() {
			var conn bridge.Conn = ours
			if p.spoil != nil {
				conn = p.spoil(ours)
			}
			line := bridge.NewPhone(conn, how.wire)
			if _, why := bridge.ReadStart(ctx, line, time.Second); why != "" {
				t.Error(why)
			}
			s.outcome <- e.Listen(ctx, line, ears.Call{Tenant: bridgetest.Tenant, Conversation: bridgetest.Conversation, Language: "en"})
		}()
		if err := s.phone.Begin(ctx); err != nil {
			t.Fatal(err)
		}
		go func() { _ = s.phone.Run(ctx) }()
		story(s)
		s.stop()
		s.recogniser.Wait()
	})
}

// dial connects a side to the recogniser.
func (s *stage) dial(p plot) ears.Dialer {
	return func(ctx context.Context, language string) (bridge.Conn, error) {
		if language != "en" {
			s.Errorf("the language is %q", language)
		}
		ours, theirs := bridgetest.Pipe(4096)
		var conn bridge.Conn = ours
		if p.dial != nil {
			spoilt, alone := p.dial(int(s.dials.Add(1)), ours)
			if conn = spoilt; alone {
				return conn, nil
			}
		}
		return conn, s.recogniser.Serve(context.WithoutCancel(ctx), theirs)
	}
}

func (s *stage) pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

func (s *stage) over(want bridge.Reason) ears.Outcome {
	s.Helper()
	select {
	case o := <-s.outcome:
		if o.Reason != want {
			s.Errorf("got %q, want %q", o.Reason, want)
		}
		return o
	case <-time.After(time.Minute):
		s.Fatalf("it is not over\n%s", &s.log)
	}
	return ears.Outcome{}
}

func (s *stage) says(want ...string) {
	s.Helper()
	if got := s.book.Said(); !slices.Equal(got, want) {
		s.Errorf("kept %q, want %q\n%s", got, want, &s.log)
	}
}

const second = time.Second

func TestBothSidesAreHeardInOrder(t *testing.T) {
	for name := range listens {
		t.Run(name, func(t *testing.T) {
			stages(t, plot{name: name}, func(s *stage) {
				s.phone.Tell(rehearsal.Tone(50, second))
				s.pass(3 * second)
				s.phone.Say(rehearsal.Tone(10, 3*second))
				s.pass(second)
				s.phone.Tell(rehearsal.Tone(52, 300*time.Millisecond)) // into the caller's sentence
				s.pass(5 * second)
				s.says("assistant: Good morning, Lakeside.", "user: I have a question.", "assistant: Go ahead.")
				if at := s.book.Turns()[1]; *at.Confidence < 0.89 || *at.Confidence > 0.91 {
					s.Errorf("got %+v", at)
				}
				s.phone.Say(rehearsal.Tone(11, second))
				s.pass(900 * time.Millisecond) // and he hangs up in the middle
				if err := s.phone.HangUp(s.Context()); err != nil {
					s.Fatal(err)
				}
				if o := s.over(bridge.HungUp); o.Kept != 4 || o.Unkept != 0 {
					s.Errorf("got %+v", o)
				}
				s.says("assistant: Good morning, Lakeside.", "user: I have a question.", "assistant: Go ahead.", "user: Goodbye.")
				if strings.Contains(s.log.String(), "Goodbye") {
					s.Error("the log has words")
				}
			})
		})
	}
}

func TestARecogniserThatBreaksOnce(t *testing.T) {
	stages(t, plot{hears: rehearsal.RecogniserOptions{Break: func(n int) time.Duration {
		if n <= 2 {
			return 5 * second
		}
		return 0
	}}}, func(s *stage) {
		s.phone.Tell(rehearsal.Tone(50, second))
		s.pass(4500 * time.Millisecond)
		s.phone.Say(rehearsal.Tone(10, 2*second)) // it breaks in the middle, and what was said is heard again
		s.pass(6 * second)
		s.says("assistant: Good morning, Lakeside.", "user: I have a question.")
		if n := s.recogniser.Sessions(); n != 4 {
			s.Errorf("%d sessions", n)
		}
		if err := s.phone.HangUp(s.Context()); err != nil {
			s.Fatal(err)
		}
		s.over(bridge.HungUp)
	})
}

func TestRecognisersThatAreAway(t *testing.T) {
	for name, refuse := range map[string]error{"away": errors.New("away"), "the key is wrong": recaller.Errorf(recaller.Unauthenticated, "no")} {
		t.Run(name, func(t *testing.T) {
			stages(t, plot{hears: rehearsal.RecogniserOptions{Refuse: func(int) error { return refuse }}}, func(s *stage) {
				if o := s.over(bridge.Broken); o.Lasted > second {
					s.Errorf("got %+v", o)
				}
				if n := s.recogniser.Sessions(); n > 4 {
					s.Errorf("it was dialled %d times", n)
				}
			})
		})
	}
}

func TestWhatBoundsListening(t *testing.T) {
	tests := map[string]struct {
		story func(s *stage)
		want  bridge.Reason
	}{
		"the telephone falls silent":             {func(s *stage) { s.phone.Mute() }, bridge.Lost},
		"more frames than come from a telephone": {func(s *stage) { s.flood() }, bridge.Flooded},
		"somebody else ends the conversation":    {func(s *stage) { s.bus.Publish("acme", "conv", events.Event{Type: events.Ended}) }, bridge.Elsewhere},
		"the server stops":                       {func(s *stage) { s.stop() }, bridge.Stopped},
		"too long":                               {func(s *stage) { s.pass(45 * second) }, bridge.TooLong},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			stages(t, plot{opts: ears.Options{Longest: 40 * second}}, func(s *stage) {
				s.phone.Tell(rehearsal.Tone(50, second))
				s.pass(3 * second)
				test.story(s)
				s.over(test.want)
				s.says("assistant: Good morning, Lakeside.")
			})
		})
	}
}

func (s *stage) flood() {
	for range 3000 {
		if s.phone.Send(s.Context(), []byte(`{"event":"media","streamSid":"MZ1","media":{"track":"inbound","payload":"////"}}`)) != nil {
			return
		}
	}
}

func TestTurnsAreKeptThoughTheStoreIsAway(t *testing.T) {
	stages(t, plot{}, func(s *stage) {
		s.book.Fails(func(n int) error {
			if n > 3 {
				return nil
			}
			return recaller.Errorf(recaller.Unavailable, "away")
		})
		s.phone.Tell(rehearsal.Tone(50, second))
		s.pass(8 * second)
		s.says("assistant: Good morning, Lakeside.")
	})
}
