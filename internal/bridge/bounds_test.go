package bridge_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
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
)

func TestSocketsThatDoNotBegin(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		sends  []string
		closes bool
		want   bridge.Reason
		takes  time.Duration
	}{
		{"nothing comes", nil, false, bridge.NoStart, 5 * time.Second},
		{"it only connects", []string{`{"event":"connected"}`}, false, bridge.NoStart, 5 * time.Second},
		{"it goes away", nil, true, bridge.NoStart, 0},
		{"it ends", []string{`{"event":"stop"}`}, false, bridge.NoStart, 0},
		{"something else comes, and comes", slices.Repeat([]string{`{"event":"weather"}`, `nonsense`}, 25), false, bridge.Flooded, 0},
		{"another form", []string{`{"event":"start","streamSid":"s","start":{"mediaFormat":{"encoding":"audio/l16","sampleRate":16000}}}`}, false, bridge.BadForm, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ours, theirs := bridgetest.Pipe(64)
				reg := prometheus.NewRegistry()
				b := bridge.New(bridge.Deps{Log: quiet(), Metrics: bridge.NewMetrics(reg), Now: time.Now}, bridge.Options{})
				for _, text := range test.sends {
					if err := theirs.Write(t.Context(), []byte(text)); err != nil {
						t.Fatal(err)
					}
				}
				if test.closes {
					_ = theirs.Drop() // always nil
				}
				began := time.Now()
				_, why := b.Begin(t.Context(), bridge.NewPhone(ours, mediastream.Twilio))
				if took := time.Since(began); why != test.want || took != test.takes {
					t.Errorf("got %q after %s, want %q after %s", why, took, test.want, test.takes)
				}
			})
		})
	}
}

// bound is what has lasted too long, or comes too often.
type bound struct {
	name  string
	plot  plot
	story func(s *stage)
	want  bridge.Reason
	after time.Duration // at the soonest
	until time.Duration // at the latest
	count string        // a cause that is counted
}

func bounds() []bound {
	never := func(rehearsal.Heard) rehearsal.Reply { return rehearsal.Reply{Silent: true} }
	first := bridge.Call{SpeaksFirst: true}
	return []bound{
		{"the telephone falls silent", plot{}, func(s *stage) { s.phone.Mute() }, bridge.Lost, 15 * second, 16 * second, ""},
		{"the telephone's socket breaks", plot{}, func(s *stage) { _ = s.end.Drop() }, bridge.Lost, 0, second, ""},
		{"the platform closes without a word", plot{}, func(s *stage) { _ = s.end.Close() }, bridge.HungUp, 0, second, ""},
		{
			"the telephone takes nothing",
			plot{room: 8, call: first, phone: rehearsal.PhoneOptions{Full: true}, model: rehearsal.ModelOptions{Think: replies(rehearsal.Reply{Say: long})}},
			nil, bridge.Lost, 10 * second, 12 * second, "",
		},
		{"more frames than a telephone sends", plot{room: 1}, func(s *stage) { s.flood(3000) }, bridge.Flooded, 0, second, ""},
		{"frames that are none", plot{room: 1}, func(s *stage) { s.send(slices.Repeat([]string{"{"}, 100)...) }, bridge.Flooded, 0, second, ""},
		{"a few of them", plot{opts: bridge.Options{Longest: 10 * second}}, func(s *stage) { s.send("{", `{"event":"media"}`, `{"event":"weather"}`) }, bridge.TooLong, 9 * second, 11 * second, ""},
		{"too long a call", plot{opts: bridge.Options{Longest: time.Minute}}, nil, bridge.TooLong, time.Minute, 61 * second, ""},
		{"the model never listens", plot{model: rehearsal.ModelOptions{}, dial: deaf}, nil, bridge.Broken, 20 * second, 21 * second, "opening"},
		{"the model does not answer", plot{call: first, model: rehearsal.ModelOptions{Think: never}}, nil, bridge.Broken, 40 * second, 41 * second, "silent"},
		{"the model does not answer the caller", plot{model: rehearsal.ModelOptions{Think: never}}, func(s *stage) { s.talks() }, bridge.Broken, 40 * second, 44 * second, "silent"},
		{
			"the model fails, and again",
			plot{call: first, model: rehearsal.ModelOptions{Think: func(rehearsal.Heard) rehearsal.Reply { return rehearsal.Reply{Fail: true} }}},
			nil, bridge.Broken, 0, 5 * second, "failed",
		},
		{"the model's key is refused", plot{model: rehearsal.ModelOptions{Refuse: func(n int) error {
			if n > 1 {
				return fmt.Errorf("dialled %d times", n)
			}
			return recaller.Errorf(recaller.Unauthenticated, "no")
		}}}, nil, bridge.Broken, 0, second, "dial"},
		{"the model is away", plot{model: rehearsal.ModelOptions{Refuse: func(int) error { return errors.New("away") }}}, nil, bridge.Broken, 0, second, "dial"},
		{"its settings are refused", plot{call: bridge.Call{Provider: bridge.Provider{TurnDetection: object(`null`)}}, dial: picky}, nil, bridge.Broken, 0, second, "refused"},
		{"somebody else ends the conversation", plot{}, func(s *stage) {
			s.bus.Publish("acme", "conv", events.Event{Type: events.Ended, Status: recaller.Completed})
		}, bridge.Elsewhere, 0, second, ""},
		{"the server stops", plot{}, func(s *stage) { s.stop() }, bridge.Stopped, 0, second, ""},
	}
}

func TestBounds(t *testing.T) {
	tests := bounds()
	for _, test := range bounds() {
		if test.count == "failed" || test.count == "refused" {
			continue // Deepgram has other words for that
		}
		test.name, test.plot.call.Provider.Maker = test.name+", Deepgram", bridge.Deepgram
		tests = append(tests, test)
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			stages(t, test.plot, func(s *stage) {
				s.pass(500 * time.Millisecond)
				began := time.Now()
				if test.story != nil {
					test.story(s)
				}
				until := test.until
				if until == 0 {
					until = time.Minute
				}
				o := s.over(until)
				if took := time.Since(began); o.Reason != test.want || took < test.after-second {
					s.Errorf("got %q after %s, want %q after %s\n%s", o.Reason, took, test.want, test.after, s.log)
				}
				if s.count("recaller_bridge_calls_total", string(test.want)) != 1 {
					s.Error("the call is not counted")
				}
				if test.count != "" && s.count("recaller_bridge_breaks_total", test.count) == 0 {
					s.Errorf("no break %q is counted\n%s", test.count, s.log)
				}
				if n := s.model.Sessions(); test.want == bridge.Broken && n > 2 {
					s.Errorf("the model was dialled %d times", n)
				}
			})
		})
	}
}

// deaf is a model that takes all and says nothing.
func deaf(*rehearsal.Model) bridge.Dialer {
	return func(context.Context, bridge.Provider) (bridge.Conn, error) {
		ours, _ := bridgetest.Pipe(4096)
		return ours, nil
	}
}

// picky is a model that refuses what it is told at the beginning.
func picky(*rehearsal.Model) bridge.Dialer {
	return func(ctx context.Context, _ bridge.Provider) (bridge.Conn, error) {
		ours, theirs := bridgetest.Pipe(4096)
		return ours, theirs.Write(ctx, []byte(`{"type":"error","error":{"type":"invalid_request_error","code":"invalid_value"}}`))
	}
}

func TestAudioThatThePhoneHasNotPlayedIsBounded(t *testing.T) {
	stages(t, plot{
		call: bridge.Call{SpeaksFirst: true}, opts: bridge.Options{Ahead: 2 * second},
		model: rehearsal.ModelOptions{Speed: 2, Think: replies(rehearsal.Reply{Say: long})},
	}, func(s *stage) {
		s.pass(10 * second)
		if s.phone.Clears() != 1 || s.count("recaller_bridge_cuts_total", "backlog") != 1 {
			s.Errorf("playback was cleared %d times", s.phone.Clears())
		}
		if got := len(s.phone.Heard()) / mediastream.BytesPerMS; got > 3000 {
			s.Errorf("%d ms were played", got)
		}
		if got, want := s.model.Got()[2:], []string{"conversation.item.truncate", "response.cancel"}; !slices.Equal(got, want) {
			s.Errorf("the model was told %q, want %q", got, want)
		}
		kept := s.book.Said()
		if len(kept) != 1 || !strings.HasSuffix(kept[0], " —") {
			s.Errorf("kept %q", kept)
		}
		s.hangUp()
	})
}

func TestTurnsAreKeptThoughTheStoreIsAwayForAWhile(t *testing.T) {
	stages(t, plot{call: bridge.Call{Greeting: "Hello."}, model: rehearsal.ModelOptions{Think: replies(rehearsal.Reply{Say: "Hello."}, rehearsal.Reply{Say: "Five."}), Listen: listens("When?")}}, func(s *stage) {
		s.book.Fails(func(n int) error {
			if n <= 3 {
				return recaller.Errorf(recaller.Unavailable, "away")
			}
			return nil
		})
		s.pass(2 * second)
		s.talks()
		s.pass(8 * second)
		s.says("assistant: Hello.", "user: When?", "assistant: Five.")
		s.hangUp()
	})
}

func TestATurnThatCannotBeKeptIsToldInTheLogWithoutItsWords(t *testing.T) {
	stages(t, plot{call: bridge.Call{Greeting: "Hello."}, model: rehearsal.ModelOptions{Think: replies(rehearsal.Reply{Say: "Hello."}, rehearsal.Reply{Say: "Five."}), Listen: listens("When?")}}, func(s *stage) {
		s.book.Fails(func(n int) error {
			if n == 2 {
				return recaller.Errorf(recaller.Conflict, "the conversation has ended")
			}
			return nil
		})
		s.pass(2 * second)
		s.talks()
		s.pass(8 * second)
		s.says("assistant: Hello.", "assistant: Five.")
		o := s.hangUp()
		if o.Kept != 2 || o.Unkept != 1 || s.count("recaller_bridge_unkept_turns_total", "") != 1 {
			s.Errorf("got %+v", o)
		}
		log := s.log.String()
		if !strings.Contains(log, "was not kept") {
			s.Errorf("nothing is told of it:\n%s", log)
		}
		for _, words := range []string{"Hello", "When", "Five", "Ann", "dog"} {
			if strings.Contains(log, words) {
				s.Errorf("the log has %q:\n%s", words, log)
			}
		}
	})
}

func TestAPhoneThatSendsNoMarksBack(t *testing.T) {
	stages(t, plot{call: bridge.Call{Greeting: "Hello."}, phone: rehearsal.PhoneOptions{Deaf: true}, model: rehearsal.ModelOptions{Think: replies(rehearsal.Reply{Say: "Hello."})}}, func(s *stage) {
		s.pass(4 * second)
		s.says()
		s.pass(4 * second)
		s.says("assistant: Hello.")
		s.hangUp()
	})
}

func TestKeysAreToldToTheModelAndKeptNowhere(t *testing.T) {
	var told []string
	stages(t, plot{model: rehearsal.ModelOptions{Think: func(h rehearsal.Heard) rehearsal.Reply {
		told = h.Items
		return rehearsal.Reply{Say: "Thanks."}
	}}}, func(s *stage) {
		s.pass(second)
		for _, digit := range []string{"1", "2", "3", "4"} {
			if err := s.phone.Press(s.Context(), digit); err != nil {
				s.Fatal(err)
			}
			s.pass(500 * time.Millisecond)
		}
		s.pass(5 * second)
		if want := []string{"system: The caller pressed these keys of the telephone: 1234"}; !slices.Equal(told, want) {
			s.Errorf("the model was told %q, want %q", told, want)
		}
		s.says("assistant: Thanks.")
		s.hangUp()
		s.clean()
	})
}

func TestWhatIsSaidBeforeTheModelListensReachesIt(t *testing.T) {
	var heard []byte
	stages(t, plot{
		dial: func(m *rehearsal.Model) bridge.Dialer {
			return func(ctx context.Context, p bridge.Provider) (bridge.Conn, error) {
				time.Sleep(2 * second)
				return bridgetest.Dial(m)(ctx, p)
			}
		},
		model: rehearsal.ModelOptions{Think: func(h rehearsal.Heard) rehearsal.Reply {
			heard = h.Audio
			return rehearsal.Reply{Say: "Hello."}
		}},
	}, func(s *stage) {
		s.talks()
		s.pass(6 * second)
		if string(heard) != string(rehearsal.Tone(50, second)) {
			s.Errorf("the model heard %d bytes", len(heard))
		}
		s.hangUp()
	})
}

// unanswered is a socket whose pings nobody answers.
type unanswered struct{ bridge.Conn }

func (unanswered) Ping(context.Context) error { return errors.New("no pong") }

func TestPingsThatNobodyAnswers(t *testing.T) {
	t.Run("the model", func(t *testing.T) {
		stages(t, plot{dial: func(m *rehearsal.Model) bridge.Dialer {
			return func(ctx context.Context, p bridge.Provider) (bridge.Conn, error) {
				c, err := bridgetest.Dial(m)(ctx, p)
				return unanswered{c}, err
			}
		}}, func(s *stage) {
			if o := s.over(time.Minute); o.Reason != bridge.Broken || o.Lasted < 40*second {
				s.Errorf("got %+v", o)
			}
		})
	})
	t.Run("the telephone, which still speaks", func(t *testing.T) {
		stages(t, plot{spoil: func(c bridge.Conn) bridge.Conn { return unanswered{c} }}, func(s *stage) {
			s.pass(2 * time.Minute)
			s.hangUp()
		})
	})
	t.Run("the telephone, which is silent", func(t *testing.T) {
		stages(t, plot{spoil: func(c bridge.Conn) bridge.Conn { return unanswered{c} }}, func(s *stage) {
			s.pass(12 * second)
			s.phone.Mute()
			if o := s.over(10 * second); o.Reason != bridge.Lost {
				s.Errorf("got %+v", o)
			}
		})
	})
}

func TestTheEndWaitsForNobodyForever(t *testing.T) {
	stages(t, plot{call: bridge.Call{Greeting: "Hello."}, model: rehearsal.ModelOptions{Think: replies(rehearsal.Reply{Say: "Hello."})}}, func(s *stage) {
		s.book.Fails(func(int) error { return recaller.Errorf(recaller.Unavailable, "away") })
		s.desk.set(nil)
		s.pass(3 * second)
		began := time.Now()
		if o := s.hangUp(); o.Unkept != 1 || time.Since(began) > 11*second {
			s.Errorf("got %+v after %s", o, time.Since(began))
		}
	})
}
