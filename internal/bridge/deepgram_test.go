package bridge_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/recallerhq/recaller/internal/bridge"
	"github.com/recallerhq/recaller/internal/realtime"
	"github.com/recallerhq/recaller/internal/rehearsal"
	"github.com/recallerhq/recaller/internal/tool"
)

// What is other with Deepgram's agent than with the other makers' models, whose stories it has, too.

func deepgram(call bridge.Call) bridge.Call {
	call.Provider.Maker = bridge.Deepgram
	return call
}

func TestKeysAreToldToDeepgramsAgentInTheCallersNameAndAreNoTurn(t *testing.T) {
	var asked string
	stages(t, plot{call: deepgram(bridge.Call{}), model: rehearsal.ModelOptions{Think: func(h rehearsal.Heard) rehearsal.Reply {
		asked = h.Asked
		return rehearsal.Reply{Say: "Thanks."}
	}}}, func(s *stage) {
		s.pass(second)
		for _, digit := range []string{"1", "2", "#"} {
			if err := s.phone.Press(s.Context(), digit); err != nil {
				s.Fatal(err)
			}
		}
		s.pass(4 * second)
		if want := "The caller pressed these keys of the telephone: 12#"; asked != want {
			s.Errorf("the agent was told %q, want %q", asked, want)
		}
		s.says("assistant: Thanks.") // though the agent tells again what it was told
		s.hangUp()
		s.clean()
	})
}

func TestACallThatIsCancelledIsToldNothing(t *testing.T) {
	call := []realtime.Call{{Name: "store_memory", Arguments: object(`{}`)}}
	stages(t, plot{call: deepgram(bridge.Call{}), model: rehearsal.ModelOptions{
		Listen: listens("My dog is Rex.", "I mean Max."),
		Think:  replies(rehearsal.Reply{Calls: call, Takes: true}, rehearsal.Reply{Calls: call}, rehearsal.Reply{Say: "Max."}),
	}}, func(s *stage) {
		s.desk.set(func(tool.Call) (tool.Result, error) {
			time.Sleep(second)
			return tool.Result{MemoryID: "m1"}, nil
		})
		s.talks()
		s.pass(5 * second)
		s.talks()
		s.pass(6 * second)
		if got, want := s.model.Got(), []string{"Settings", "FunctionCallResponse"}; !slices.Equal(got, want) {
			s.Errorf("the agent was told %q, want %q", got, want)
		}
		s.says("user: My dog is Rex.", "user: I mean Max.", "assistant: Max.")
		s.hangUp()
		s.clean()
	})
}

func TestAGoodbyeThatIsCancelledIsNone(t *testing.T) {
	stages(t, plot{call: deepgram(bridge.Call{}), model: rehearsal.ModelOptions{
		Listen: listens("Bye. No, wait."),
		Think:  replies(rehearsal.Reply{Say: "Goodbye.", Calls: []realtime.Call{{Name: "end_call", Arguments: object(`{}`)}}, Takes: true}),
	}}, func(s *stage) {
		s.talks()
		s.pass(40 * second)
		s.hangUp()
	})
}

func TestAnAgentThatOnlyCallsIsCutOff(t *testing.T) {
	stages(t, plot{call: deepgram(bridge.Call{}), model: rehearsal.ModelOptions{Listen: listens("Hello?"), Think: func(rehearsal.Heard) rehearsal.Reply {
		return rehearsal.Reply{Calls: []realtime.Call{{Name: "list_reminders", Arguments: object(`{}`)}}}
	}}}, func(s *stage) {
		s.talks()
		if o := s.over(time.Minute); o.Reason != bridge.Broken || s.count("recaller_bridge_breaks_total", "failed") != 2 {
			s.Errorf("got %+v", o)
		}
		if n := len(s.desk.done()); n != 18 { // nine in each of two sessions
			s.Errorf("%d calls were carried out", n)
		}
	})
}

func TestASessionOverWhichNothingGoesIsKeptOpen(t *testing.T) {
	stages(t, plot{call: deepgram(bridge.Call{}), opts: bridge.Options{Quiet: 40 * second}, model: rehearsal.ModelOptions{Think: replies(rehearsal.Reply{Say: "Yes?"})}}, func(s *stage) {
		s.pass(second)
		s.phone.Mute()
		s.pass(35 * second)
		if got, want := s.model.Got(), []string{"Settings", "KeepAlive", "KeepAlive", "KeepAlive", "KeepAlive"}; !slices.Equal(got, want) {
			s.Errorf("the agent was told %q, want %q", got, want)
		}
		if s.model.Sessions() != 1 || s.count("recaller_bridge_breaks_total", "socket") != 0 {
			s.Error("the session broke")
		}
		s.clean()
	})
}

func TestSettingsThatDeepgramRefuses(t *testing.T) {
	stages(t, plot{call: deepgram(bridge.Call{Provider: bridge.Provider{Model: "open_ai/"}})}, func(s *stage) {
		if o := s.over(5 * second); o.Reason != bridge.Broken || !o.Apologise() || s.count("recaller_bridge_breaks_total", "refused") != 2 {
			s.Errorf("got %+v", o)
		}
		if got := s.model.Faults(); !slices.Equal(got, []string{"INVALID_SETTINGS", "INVALID_SETTINGS"}) {
			s.Errorf("got %q", got)
		}
	})
}

func TestAnAgentWhoseThinkingFailsIsAskedOnce(t *testing.T) {
	stages(t, plot{call: deepgram(bridge.Call{}), model: rehearsal.ModelOptions{
		Listen: listens("Hello?"), Think: replies(rehearsal.Reply{Fault: "THINK_REQUEST_FAILED"}, rehearsal.Reply{Say: "Hi."}),
	}}, func(s *stage) {
		s.talks()
		s.pass(20 * second)
		s.says("user: Hello?", "assistant: Hi.")
		if o := s.hangUp(); o.Retried {
			s.Errorf("got %+v", o)
		}
		if log := s.log.String(); !strings.Contains(log, "code=THINK_REQUEST_FAILED") {
			s.Errorf("the fault is not told:\n%s", log)
		}
	})
}

func TestTheLastWordsToDeepgramAreKeptThoughTheCallerHangsUp(t *testing.T) {
	for name, until := range map[string]time.Duration{"in the middle of them": 600 * time.Millisecond, "before they are written": 1600 * time.Millisecond} {
		t.Run(name, func(t *testing.T) {
			stages(t, plot{call: deepgram(bridge.Call{}), model: rehearsal.ModelOptions{Listen: listens("Goodbye then."), Think: replies(rehearsal.Reply{Say: long})}}, func(s *stage) {
				s.pass(second)
				s.talks()
				s.pass(until)
				s.hangUp()
				if kept := s.book.Said(); len(kept) == 0 || kept[0] != "user: Goodbye then." {
					s.Errorf("kept %q", kept)
				}
				s.clean()
			})
		})
	}
}
