package bridge_test

import (
	"context"
	"strings"
	"testing"

	"github.com/recallerhq/recaller/internal/bridge"
	"github.com/recallerhq/recaller/internal/bridge/bridgetest"
	"github.com/recallerhq/recaller/internal/realtime"
	"github.com/recallerhq/recaller/internal/rehearsal"
	"github.com/recallerhq/recaller/internal/tool"
)

// A defect of ours, in whatever works for a call, ends that call and nothing else: the process goes on, nothing of the call
// does, what was said is kept, and whoever leads the call is told.
func TestADefectEndsItsCall(t *testing.T) {
	telephone := func(in string) plot {
		return plot{spoil: func(c bridge.Conn) bridge.Conn { return bridgetest.Poison{Conn: c, In: in} }}
	}
	model := func(in string) plot {
		return plot{dial: func(m *rehearsal.Model) bridge.Dialer {
			return func(ctx context.Context, p bridge.Provider) (bridge.Conn, error) {
				c, err := bridgetest.Dial(m)(ctx, p)
				return bridgetest.Poison{Conn: c, In: in}, err
			}
		}}
	}
	places := map[string]plot{
		"reading the telephone": telephone("read"),
		"writing to it":         telephone("write"),
		"its ping":              telephone("ping"),
		"dialling the model": {dial: func(*rehearsal.Model) bridge.Dialer {
			return func(context.Context, bridge.Provider) (bridge.Conn, error) { panic("poisoned") }
		}},
		"reading the model":      model("read"),
		"writing to it, and all": model("write"),
		"its pings":              model("ping"),
		"the loop":               {at: "the model's socket broke"},
		"the beginning":          {at: "a call is bridged"},
	}
	for name, p := range places {
		t.Run(name, func(t *testing.T) {
			var left []bridge.Outcome
			p.call = bridge.Call{Greeting: "Hello.", Leaving: func(o bridge.Outcome) { left = append(left, o) }}
			p.model.Think = replies(rehearsal.Reply{Say: "Hello."}, rehearsal.Reply{Say: long, Break: name == "the loop"})
			stages(t, p, func(s *stage) {
				s.talks()
				o := s.over(30 * second)
				if o.Reason != bridge.Crashed || !o.Apologise() || len(left) != 1 || left[0].Reason != bridge.Crashed {
					s.Errorf("got %+v, and told %+v", o, left)
				}
				if log := s.log.String(); strings.Count(log, "panic in a call over a media stream") != 1 || strings.Contains(log, "poisoned") {
					s.Errorf("the log says\n%s", log)
				}
			})
		})
	}
}

// At the end of a call, too: it ended as it did, and all of it is kept.
func TestADefectAtTheEnd(t *testing.T) {
	for name, p := range map[string]plot{
		"saying goodbye to the telephone": {spoil: func(c bridge.Conn) bridge.Conn { return bridgetest.Poison{Conn: c, In: "close"} }},
		"saying goodbye to the model": {dial: func(m *rehearsal.Model) bridge.Dialer {
			return func(ctx context.Context, p bridge.Provider) (bridge.Conn, error) {
				c, err := bridgetest.Dial(m)(ctx, p)
				return bridgetest.Poison{Conn: c, In: "close"}, err
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			p.model.Listen, p.model.Think = listens("Goodbye."), replies(rehearsal.Reply{Say: "Bye."})
			stages(t, p, func(s *stage) {
				s.talks()
				s.pass(5 * second)
				s.hangUp()
				s.says("user: Goodbye.", "assistant: Bye.")
			})
		})
	}
}

// A tool that crashes has not worked, and a turn that the store crashes on is not kept: the call goes on.
func TestADefectBehindACall(t *testing.T) {
	heard := []string{}
	stages(t, plot{model: rehearsal.ModelOptions{
		Listen: listens("Remember it.", "Hello?"),
		Think: func(h rehearsal.Heard) rehearsal.Reply {
			heard = append(heard, h.Results...)
			if h.N == 1 {
				return rehearsal.Reply{Calls: []realtime.Call{{Name: "recall", Arguments: object(`{"query":"x"}`)}}}
			}
			return rehearsal.Reply{Say: "Yes."}
		},
	}}, func(s *stage) {
		s.desk.set(func(tool.Call) (tool.Result, error) { panic("poisoned") })
		s.book.Fails(func(n int) error {
			if n == 1 {
				panic("poisoned")
			}
			return nil
		})
		s.talks()
		s.pass(10 * second)
		s.talks()
		s.pass(10 * second)
		if o := s.hangUp(); o.Unkept != 1 || o.Kept != 3 {
			s.Errorf("got %+v", o)
		}
		s.says("assistant: Yes.", "user: Hello?", "assistant: Yes.")
		if len(heard) != 1 || !strings.Contains(heard[0], `"success":false`) {
			s.Errorf("the model was told %q", heard)
		}
	})
}
