package ears_test

import (
	"bytes"
	"context"
	"errors"
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
	"github.com/recallerhq/recaller/internal/conversation"
	"github.com/recallerhq/recaller/internal/ears"
	"github.com/recallerhq/recaller/internal/events"
	"github.com/recallerhq/recaller/internal/mediastream"
	"github.com/recallerhq/recaller/internal/rehearsal"
)

// book keeps turns in memory, once by their token.
type book struct {
	mu    sync.Mutex
	lines []string
	turns []conversation.TurnInput
	once  map[string]bool
	away  int // how many calls fail
}

func (b *book) AddTurns(
	_ context.Context, _ recaller.TenantID, _ string, once recaller.Once, in []conversation.TurnInput,
) ([]recaller.Turn, bool, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.away--; b.away >= 0 {
		return nil, false, recaller.Errorf(recaller.Unavailable, "away")
	}
	if once.Token == "" || b.once[once.Token] {
		return nil, false, recaller.Errorf(recaller.Internal, "%q", once.Token)
	}
	b.once[once.Token] = true
	for _, t := range in {
		b.lines, b.turns = append(b.lines, string(t.Speaker)+": "+t.Text), append(b.turns, t)
	}
	return nil, true, nil
}

// stage is a call that is listened to.
type stage struct {
	*testing.T
	book       *book
	phone      *rehearsal.Phone
	recogniser *rehearsal.Recogniser
	log        bytes.Buffer
	bus        *events.Bus
	reg        *prometheus.Registry
	stop       context.CancelFunc
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

func stages(t *testing.T, name string, o rehearsal.RecogniserOptions, opts ears.Options, story func(s *stage)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		s := &stage{T: t, book: &book{once: map[string]bool{}}, bus: events.New(time.Now), reg: prometheus.NewRegistry(), stop: stop, outcome: make(chan ears.Outcome, 1)}
		how := listens[name]
		o.Now, o.Flux, o.Noisy = time.Now, strings.HasPrefix(how.model, "flux"), how.noisy
		if o.Listen == nil {
			o.Listen = words
		}
		s.recogniser = rehearsal.NewRecogniser(o)
		e := ears.New(ears.Deps{
			Dial: func(ctx context.Context, language string) (bridge.Conn, error) {
				ours, theirs := bridgetest.Pipe(4096)
				if language != "en" {
					t.Errorf("the language is %q", language)
				}
				return ours, s.recogniser.Serve(context.WithoutCancel(ctx), theirs)
			},
			Wire: ears.Recogniser{Model: how.model}.Wire(), Turns: s.book, Events: s.bus, Log: slog.New(slog.NewTextHandler(&s.log, nil)),
			Metrics: ears.NewMetrics(s.reg), Now: time.Now,
		}, opts)
		ours, theirs := bridgetest.Pipe(4096)
		s.phone = rehearsal.NewPhone(theirs, rehearsal.PhoneOptions{Wire: how.wire, Both: true, Swap: 7, Start: mediastream.Start{Stream: "MZ1", Call: "CA1"}})
		go func() {
			line := bridge.NewPhone(ours, how.wire)
			if _, why := bridge.ReadStart(ctx, line, time.Second); why != "" {
				t.Error(why)
			}
			s.outcome <- e.Listen(ctx, line, ears.Call{Tenant: "acme", Conversation: "conv", Language: "en"})
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
	s.book.mu.Lock()
	defer s.book.mu.Unlock()
	if !slices.Equal(s.book.lines, want) {
		s.Errorf("kept %q, want %q\n%s", s.book.lines, want, &s.log)
	}
}

const second = time.Second

func TestBothSidesAreHeardInOrder(t *testing.T) {
	for name := range listens {
		t.Run(name, func(t *testing.T) {
			stages(t, name, rehearsal.RecogniserOptions{}, ears.Options{}, func(s *stage) {
				s.phone.Tell(rehearsal.Tone(50, second))
				s.pass(3 * second)
				s.phone.Say(rehearsal.Tone(10, 3*second))
				s.pass(second)
				s.phone.Tell(rehearsal.Tone(52, 300*time.Millisecond)) // into the caller's sentence
				s.pass(5 * second)
				s.says("assistant: Good morning, Lakeside.", "user: I have a question.", "assistant: Go ahead.")
				if at := s.book.turns[1]; *at.Confidence < 0.89 || *at.Confidence > 0.91 {
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
	stages(t, "Twilio", rehearsal.RecogniserOptions{Break: func(n int) time.Duration {
		if n <= 2 {
			return 5 * second
		}
		return 0
	}}, ears.Options{}, func(s *stage) {
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
			stages(t, "Twilio", rehearsal.RecogniserOptions{Refuse: func(int) error { return refuse }}, ears.Options{}, func(s *stage) {
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
			stages(t, "Twilio", rehearsal.RecogniserOptions{}, ears.Options{Longest: 40 * second}, func(s *stage) {
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
	stages(t, "Twilio", rehearsal.RecogniserOptions{}, ears.Options{}, func(s *stage) {
		s.book.away = 3
		s.phone.Tell(rehearsal.Tone(50, second))
		s.pass(8 * second)
		s.says("assistant: Good morning, Lakeside.")
	})
}
