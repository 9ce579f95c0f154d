package bridge_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/bridge"
	"github.com/recallerhq/recaller/internal/events"
	"github.com/recallerhq/recaller/internal/mediastream"
	"github.com/recallerhq/recaller/internal/realtime"
	"github.com/recallerhq/recaller/internal/rehearsal"
	"github.com/recallerhq/recaller/internal/tool"
)

// sides are the telephones and the models that a story is told with.
var sides = []struct {
	name     string
	wire     mediastream.Wire
	provider bridge.Provider
	swap     int
}{
	{"Twilio, OpenAI", mediastream.Twilio, bridge.Provider{}, 0},
	{"Twilio, OpenAI's older names", mediastream.Twilio, bridge.Provider{Beta: true}, 0},
	{"Telnyx, xAI", mediastream.Telnyx, bridge.Provider{Maker: bridge.XAI}, 7},
	{"Twilio, Deepgram", mediastream.Twilio, bridge.Provider{Maker: bridge.Deepgram}, 0},
	{"Telnyx, Deepgram", mediastream.Telnyx, bridge.Provider{Maker: bridge.Deepgram}, 7},
}

func TestAGreetingAndATurnEachWay(t *testing.T) {
	for _, side := range sides {
		t.Run(side.name, func(t *testing.T) {
			heard := []byte{}
			think := replies(rehearsal.Reply{Say: "Hello, this is the shop."}, rehearsal.Reply{Say: "We are open until five."})
			stages(t, plot{
				wire: side.wire, call: bridge.Call{Provider: side.provider, Greeting: "Hello, this is the shop."}, phone: rehearsal.PhoneOptions{Swap: side.swap},
				model: rehearsal.ModelOptions{Listen: listens("When do you close?"), Think: func(h rehearsal.Heard) rehearsal.Reply {
					heard = append(heard, h.Audio...)
					return think(h)
				}},
			}, func(s *stage) {
				s.pass(4 * second)
				s.says("assistant: Hello, this is the shop.")
				s.talks()
				s.pass(6 * second)
				s.says("assistant: Hello, this is the shop.", "user: When do you close?", "assistant: We are open until five.")
				if got, want := string(heard), string(rehearsal.Tone(50, second)); got != want {
					s.Errorf("the model heard %d bytes, want the %d that were said", len(got), len(want))
				}
				want := string(rehearsal.Tone(1, 24*60*time.Millisecond)) + string(rehearsal.Tone(2, 23*60*time.Millisecond))
				if got := string(s.phone.Heard()); got != want {
					s.Errorf("the caller heard %d bytes, want the %d that were made", len(got), len(want))
				}
				o := s.hangUp()
				if o.Kept != 3 || o.Unkept != 0 || o.Retried {
					s.Errorf("got %+v, want three turns", o)
				}
				s.clean()
			})
		})
	}
}

func TestATranscriptThatComesAfterTheAnswer(t *testing.T) {
	stages(t, plot{model: rehearsal.ModelOptions{
		Listen: func(int, int, []byte) (string, time.Duration) { return "When do you close?", 5 * second },
		Think:  replies(rehearsal.Reply{Say: "At five."}),
	}}, func(s *stage) {
		s.talks()
		s.pass(4 * second)
		s.says() // the answer is played, but what it answers is not known yet
		s.pass(4 * second)
		s.says("user: When do you close?", "assistant: At five.")
		if got := s.book.Turns()[0].Confidence; got == nil || *got < 0.9 || *got > 0.91 {
			s.Errorf("got confidence %v, want that of the recogniser", got)
		}
		s.hangUp()
	})
}

const long = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"

func TestWhatIsSpokenOverIsKeptAsFarAsItWasHeard(t *testing.T) {
	for _, side := range sides {
		t.Run(side.name, func(t *testing.T) {
			stages(t, plot{
				wire: side.wire, call: bridge.Call{Provider: side.provider, SpeaksFirst: true}, phone: rehearsal.PhoneOptions{Swap: side.swap},
				model: rehearsal.ModelOptions{Listen: listens("Stop, please."), Think: replies(rehearsal.Reply{Say: long}, rehearsal.Reply{Say: "Sure."})},
			}, func(s *stage) {
				s.pass(2500 * time.Millisecond) // all of it is sent by then, and some is played
				s.talks()
				s.pass(6 * second)
				heard := strings.Count(string(s.phone.Heard()), string(rehearsal.Tone(1, time.Millisecond))[:1]) / mediastream.BytesPerMS
				cuts := s.model.Cuts()
				if isTold := side.provider.Maker != bridge.Deepgram; isTold && (len(cuts) != 1 || heard-cuts[0].MS > 100 || cuts[0].MS > heard) {
					s.Errorf("the caller heard %d ms, and the model was told %v", heard, cuts)
				}
				if s.phone.Clears() != 1 || s.count("recaller_bridge_cuts_total", "caller") != 1 {
					s.Errorf("playback was cleared %d times, counted %v", s.phone.Clears(), s.count("recaller_bridge_cuts_total", "caller"))
				}
				kept := s.book.Said()
				if len(kept) != 3 || kept[1] != "user: Stop, please." || kept[2] != "assistant: Sure." {
					s.Fatalf("kept %q", kept)
				}
				words, isCut := strings.CutSuffix(strings.TrimPrefix(kept[0], "assistant: "), " —")
				share := float64(len(words)) / float64(len(long)) * float64(len(long)*60) // ms of audio that its words take
				if !isCut || !strings.HasPrefix(long, words) || share > float64(heard) || share < float64(heard)-900 {
					s.Errorf("kept %q of what was heard for %d ms", words, heard)
				}
				s.hangUp()
				s.clean()
			})
		})
	}
}

func TestWhatIsBeingMadeIsCutOffToo(t *testing.T) {
	// The model makes audio no faster than it is spoken, so it is still at it when the caller speaks.
	stages(t, plot{
		call:  bridge.Call{SpeaksFirst: true},
		model: rehearsal.ModelOptions{Speed: 1, Listen: listens("Stop."), Think: replies(rehearsal.Reply{Say: long}, rehearsal.Reply{Say: "Sure."})},
	}, func(s *stage) {
		s.pass(2 * second)
		s.talks()
		s.pass(6 * second)
		kept := s.book.Said()
		if len(kept) != 3 || !strings.HasSuffix(kept[0], " —") || len(kept[0]) > len(long)/2 || kept[1] != "user: Stop." {
			s.Errorf("kept %q", kept)
		}
		s.hangUp()
		s.clean()
	})
}

func TestHangingUpInTheMiddleKeepsWhatWasHeard(t *testing.T) {
	stages(t, plot{call: bridge.Call{SpeaksFirst: true}, model: rehearsal.ModelOptions{Think: replies(rehearsal.Reply{Say: long})}}, func(s *stage) {
		s.pass(2500 * time.Millisecond)
		s.hangUp()
		kept, heard := s.book.Said(), len(s.phone.Heard())/mediastream.BytesPerMS
		if len(kept) != 1 {
			s.Fatalf("kept %q", kept)
		}
		words, isCut := strings.CutSuffix(strings.TrimPrefix(kept[0], "assistant: "), " —")
		if ms := len(words) * 60; !isCut || !strings.HasPrefix(long, words) || ms > heard || ms < heard-900 {
			s.Errorf("kept %q of what was heard for %d ms", words, heard)
		}
	})
}

func TestAMemoryIsStoredAndTheModelIsBriefedAnew(t *testing.T) {
	for _, side := range sides {
		t.Run(side.name, func(t *testing.T) {
			call := realtime.Call{Name: "store_memory", Arguments: object(`{"memory_type":"fact","key":"dog","value":"Rex"}`)}
			var results [][]string
			think := replies(rehearsal.Reply{Say: long, Calls: []realtime.Call{call}}, rehearsal.Reply{Say: "What a name."})
			stages(t, plot{wire: side.wire, call: bridge.Call{Provider: side.provider, Prompt: "You are Joe."}, model: rehearsal.ModelOptions{
				Listen: listens("My dog is Rex."), Think: func(h rehearsal.Heard) rehearsal.Reply {
					results = append(results, h.Results)
					return think(h)
				},
			}}, func(s *stage) {
				s.desk.set(func(tool.Call) (tool.Result, error) {
					time.Sleep(2 * second) // the store is slow, and nobody waits for it
					s.bus.Publish("acme", "conv", events.Event{Type: events.BriefingUpdated, Briefing: &recaller.Briefing{Text: "Ann has a dog, Rex."}})
					return tool.Result{MemoryID: "m1", Action: recaller.MemoryCreated}, nil
				})
				s.talks()
				s.pass(5 * second)
				before := len(s.phone.Heard())
				s.pass(second)
				if got := len(s.phone.Heard()) - before; got < 1000*mediastream.BytesPerMS*98/100 {
					s.Errorf("while the tool works %d bytes are played in a second", got)
				}
				s.pass(8 * second)
				if got, want := s.desk.done(), []string{`acme conv store_memory {"memory_type":"fact","key":"dog","value":"Rex"}`}; !slices.Equal(got, want) {
					s.Errorf("carried out %q, want %q", got, want)
				}
				if got, want := s.model.Updates(), []string{"You are Joe.\n\nYou know Ann.", "You are Joe.\n\nAnn has a dog, Rex."}; !slices.Equal(got, want) {
					s.Errorf("the model was told %q, want %q", got, want)
				}
				if len(results) != 2 || len(results[1]) != 1 || results[1][0] != `{"success":true,"memoryId":"m1","action":"created"}` {
					s.Errorf("the model was told the results %q", results)
				}
				s.hangUp()
				s.bus.Publish("acme", "conv", events.Event{Type: events.BriefingUpdated, Briefing: &recaller.Briefing{Text: "Too late."}})
				s.pass(second)
				if got := s.model.Updates(); len(got) != 2 {
					s.Errorf("after the end the model was told %q", got)
				}
				s.says("user: My dog is Rex.", "assistant: "+long, "assistant: What a name.")
				s.clean()
			})
		})
	}
}

func TestTwoCallsAtOnceAreSpokenOfOnce(t *testing.T) {
	for _, side := range sides {
		t.Run(side.name, func(t *testing.T) {
			stages(t, plot{wire: side.wire, call: bridge.Call{Provider: side.provider}, model: rehearsal.ModelOptions{
				Listen: listens("Remember Rex and forget Max."),
				Think: replies(rehearsal.Reply{Calls: []realtime.Call{
					{Name: "store_memory", Arguments: object(`{"key":"dog"}`)}, {Name: "forget_memory", Arguments: object(`{"key":"max"}`)},
				}}, rehearsal.Reply{Say: "Done."}),
			}}, func(s *stage) {
				s.desk.set(func(c tool.Call) (tool.Result, error) {
					time.Sleep(second)
					if c.Name == recaller.ToolForgetMemory {
						return tool.Result{}, recaller.Errorf(recaller.NotFound, "there is no such memory")
					}
					return tool.Result{MemoryID: "m1"}, nil
				})
				s.talks()
				s.pass(8 * second)
				want := []string{"session.update", "conversation.item.create", "conversation.item.create", "response.create"}
				if side.provider.Maker == bridge.Deepgram { // it speaks of results by itself
					want = []string{"Settings", "FunctionCallResponse", "FunctionCallResponse"}
				}
				if got := s.model.Got(); !slices.Equal(got, want) {
					s.Errorf("got %q, want %q", got, want)
				}
				if n := len(s.desk.done()); n != 2 {
					s.Errorf("%d calls were carried out", n)
				}
				s.says("user: Remember Rex and forget Max.", "assistant: Done.")
				s.hangUp()
				s.clean()
			})
		})
	}
}

func TestWhatWasCalledLastIsDoneThoughTheCallerHangsUp(t *testing.T) {
	stages(t, plot{model: rehearsal.ModelOptions{Think: replies(rehearsal.Reply{Calls: []realtime.Call{{Name: "store_memory", Arguments: object(`{}`)}}})}}, func(s *stage) {
		finished := false
		s.desk.set(func(tool.Call) (tool.Result, error) {
			time.Sleep(3 * second)
			finished = true
			return tool.Result{}, nil
		})
		s.talks()
		s.pass(2 * second)
		s.hangUp()
		if !finished {
			s.Error("Run returned before the call was carried out")
		}
	})
}

func TestTheAgentHangsUpWhenItsGoodbyeWasHeard(t *testing.T) {
	end := []realtime.Call{{Name: "end_call", Arguments: object(`{}`)}}
	tests := map[string][]rehearsal.Reply{
		"said with it":   {{Say: "Goodbye, Ann, until Monday.", Calls: end}},
		"said after it":  {{Calls: end}, {Say: "Goodbye, Ann, until Monday."}},
		"said before it": {{Say: "Goodbye, Ann, until Monday.", Calls: []realtime.Call{{Name: "save_checkpoint", Arguments: object(`{}`)}}}, {Calls: end}, {Say: "Bye."}},
	}
	for name, list := range tests {
		for _, side := range sides {
			t.Run(name+", "+side.name, func(t *testing.T) {
				stages(t, plot{wire: side.wire, call: bridge.Call{Provider: side.provider}, model: rehearsal.ModelOptions{Listen: listens("Bye!"), Think: replies(list...)}}, func(s *stage) {
					s.talks()
					o := s.over(20 * second)
					if o.Reason != bridge.Ended || o.End().Status != recaller.Completed {
						s.Errorf("got %+v", o)
					}
					want := 0
					said := []string{"user: Bye!"}
					for i, r := range list {
						if r.Say != "" {
							want += len(rehearsal.Tone(i, time.Duration(len(r.Say))*60*time.Millisecond))
							said = append(said, "assistant: "+r.Say)
						}
					}
					if got := len(s.phone.Heard()); got != want {
						s.Errorf("the caller heard %d bytes of the goodbye's %d", got, want)
					}
					s.says(said...)
					if len(s.desk.done()) > 1 {
						s.Errorf("end_call went to the tools: %q", s.desk.done())
					}
					s.clean()
				})
			})
		}
	}
}

func TestACallerWhoGoesOnSpeakingIsNotHungUpOn(t *testing.T) {
	stages(t, plot{model: rehearsal.ModelOptions{
		Listen: listens("Bye!", "Wait, one more thing."),
		Think:  replies(rehearsal.Reply{Say: "Goodbye, Ann, until Monday.", Calls: []realtime.Call{{Name: "end_call", Arguments: object(`{}`)}}}, rehearsal.Reply{Say: "Yes?"}),
	}}, func(s *stage) {
		s.talks()
		s.pass(2500 * time.Millisecond)
		s.talks()
		s.pass(40 * second)
		kept := s.book.Said()
		if len(kept) != 4 || kept[2] != "user: Wait, one more thing." || kept[3] != "assistant: Yes?" {
			s.Errorf("kept %q", kept)
		}
		s.hangUp()
		s.clean()
	})
}

func TestTheModelsSideBreaksOnce(t *testing.T) {
	for _, side := range sides {
		t.Run(side.name, func(t *testing.T) {
			var next rehearsal.Heard
			stages(t, plot{wire: side.wire, call: bridge.Call{Provider: side.provider, Greeting: "Hello."}, model: rehearsal.ModelOptions{
				Listen: listens("What is the price?", "Thanks."),
				Think: func(h rehearsal.Heard) rehearsal.Reply {
					switch {
					case h.Session == 1 && h.N == 1:
						return rehearsal.Reply{Say: "Hello."}
					case h.Session == 1:
						return rehearsal.Reply{Say: long, Break: true}
					case h.N == 1:
						next = h
						return rehearsal.Reply{Say: "It is nine pounds."}
					}
					return rehearsal.Reply{Say: "Not at all."}
				},
			}}, func(s *stage) {
				s.pass(2 * second)
				s.talks()
				s.pass(8 * second)
				s.talks()
				s.pass(5 * second)
				kept := s.book.Said()
				if len(kept) != 6 || !strings.HasSuffix(kept[2], " —") || !strings.HasPrefix("assistant: "+long, strings.TrimSuffix(kept[2], " —")) {
					s.Fatalf("kept %q", kept)
				}
				s.says("assistant: Hello.", "user: What is the price?", kept[2], "assistant: It is nine pounds.", "user: Thanks.", "assistant: Not at all.")
				broken := strings.TrimSuffix(kept[2], " —")
				want, asked := []string{"assistant: Hello.", "user: What is the price?", broken}, "You know Ann.\n\nThe line to you was away"
				if side.provider.Maker == bridge.Deepgram { // it is asked in the caller's name, and nobody has said that
					want, asked = append(want, "user: "+next.Asked), "(The line to you was away"
				}
				if !slices.Equal(next.Items, want) {
					s.Errorf("the second session was told %q, want %q", next.Items, want)
				}
				if next.Instructions != "You know Ann." || !strings.HasPrefix(next.Asked, asked) {
					s.Errorf("the second session was told %q, and asked %q", next.Instructions, next.Asked)
				}
				if o := s.hangUp(); !o.Retried || o.Kept != 6 {
					s.Errorf("got %+v", o)
				}
				s.clean()
			})
		})
	}
}

func TestTheModelsSideBreaksTwice(t *testing.T) {
	stages(t, plot{call: bridge.Call{SpeaksFirst: true}, model: rehearsal.ModelOptions{Think: func(rehearsal.Heard) rehearsal.Reply {
		return rehearsal.Reply{Say: long, Break: true}
	}}}, func(s *stage) {
		o := s.over(20 * second)
		if o.Reason != bridge.Broken || !o.Apologise() || !o.Retried || o.End().Status != recaller.Failed {
			s.Errorf("got %+v", o)
		}
		if s.count("recaller_bridge_breaks_total", "socket") != 2 || s.count("recaller_bridge_calls_total", "broken") != 1 {
			s.Error("the breaks are not counted")
		}
	})
}

func TestAModelThatOnlyCallsIsMadeToSpeak(t *testing.T) {
	stages(t, plot{model: rehearsal.ModelOptions{Listen: listens("Hello?"), Think: func(h rehearsal.Heard) rehearsal.Reply {
		if h.Choice == "none" {
			return rehearsal.Reply{Say: "Here I am."}
		}
		return rehearsal.Reply{Calls: []realtime.Call{{Name: "list_reminders", Arguments: object(`{}`)}}}
	}}}, func(s *stage) {
		s.talks()
		s.pass(10 * second)
		if n := len(s.desk.done()); n != 9 {
			s.Errorf("%d calls were carried out", n)
		}
		s.says("user: Hello?", "assistant: Here I am.")
		s.hangUp()
		s.clean()
	})
}

func TestAServerThatNeitherAnswersNorStopsByItself(t *testing.T) {
	detection := object(`{"type":"server_vad","create_response":false,"interrupt_response":false}`)
	stages(t, plot{call: bridge.Call{Provider: bridge.Provider{TurnDetection: detection}}, model: rehearsal.ModelOptions{
		Speed: 1, Listen: listens("Tell me all.", "Stop."), Think: replies(rehearsal.Reply{Say: long}, rehearsal.Reply{Say: "Sure."}),
	}}, func(s *stage) {
		s.talks()
		s.pass(4 * second)
		s.talks()
		s.pass(6 * second)
		if got, want := s.model.Got(), []string{"session.update", "response.create", "conversation.item.truncate", "response.cancel", "response.create"}; !slices.Equal(got, want) {
			s.Errorf("the model was told %q, want %q", got, want)
		}
		kept := s.book.Said()
		if len(kept) != 4 || !strings.HasSuffix(kept[1], " —") || len(kept[1]) > len(long)*2/3 || kept[3] != "assistant: Sure." {
			s.Errorf("kept %q", kept)
		}
		s.hangUp()
		s.clean()
	})
}

func TestASessionThatExpiresIsFollowedByAnother(t *testing.T) {
	stages(t, plot{model: rehearsal.ModelOptions{
		Listen: listens("Hello?", "Are you there?", "Are you there?"), Think: replies(rehearsal.Reply{Say: "Hi."}, rehearsal.Reply{Fault: "session_expired"}, rehearsal.Reply{Say: "I am."}),
	}}, func(s *stage) {
		s.talks()
		s.pass(4 * second)
		s.talks()
		s.pass(6 * second)
		s.says("user: Hello?", "assistant: Hi.", "user: Are you there?", "assistant: I am.")
		if o := s.hangUp(); !o.Retried || s.count("recaller_bridge_breaks_total", "expired") != 1 {
			s.Errorf("got %+v", o)
		}
	})
}

func TestFaultsThatAreHarmlessChangeNothing(t *testing.T) {
	n := 0
	stages(t, plot{model: rehearsal.ModelOptions{Listen: listens("Hello?"), Think: func(rehearsal.Heard) rehearsal.Reply {
		if n++; n == 1 {
			return rehearsal.Reply{Fault: "rate_limit_exceeded"}
		}
		return rehearsal.Reply{Say: "Hi."}
	}}}, func(s *stage) {
		s.talks()
		s.pass(20 * second) // it is asked anew when nothing comes
		s.says("user: Hello?", "assistant: Hi.")
		if o := s.hangUp(); o.Retried {
			s.Errorf("got %+v", o)
		}
	})
}

func TestTheLastWordsAreKeptThoughTheCallerHangsUp(t *testing.T) {
	tests := map[string]struct {
		until time.Duration // from when he begins to speak
		takes time.Duration // the transcript
		want  []string
	}{
		"the transcript is under way": {2 * second, 1500 * time.Millisecond, []string{"user: Goodbye then."}},
		"in the middle of it":         {600 * time.Millisecond, 100 * time.Millisecond, []string{"user: Goodbye then."}},
		"it takes too long":           {2 * second, 9 * second, nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			stages(t, plot{model: rehearsal.ModelOptions{
				Listen: func(int, int, []byte) (string, time.Duration) { return "Goodbye then.", test.takes },
				Think:  replies(rehearsal.Reply{Say: long}),
			}}, func(s *stage) {
				s.pass(second)
				s.talks()
				s.pass(test.until)
				began := time.Now()
				s.hangUp()
				if took := time.Since(began); took > 2100*time.Millisecond {
					s.Errorf("the end took %s", took)
				}
				kept := s.book.Said()
				if len(kept) > 0 && strings.HasSuffix(kept[len(kept)-1], " —") {
					kept = kept[:len(kept)-1] // what was heard of the answer
				}
				if !slices.Equal(kept, test.want) {
					s.Errorf("kept %q, want %q", kept, test.want)
				}
				s.clean()
			})
		})
	}
}
