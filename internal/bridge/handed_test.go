package bridge_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/bridge"
	"github.com/recallerhq/recaller/internal/events"
	"github.com/recallerhq/recaller/internal/realtime"
	"github.com/recallerhq/recaller/internal/rehearsal"
	"github.com/recallerhq/recaller/internal/tool"
)

// handed is the change by which the call is somebody else's.
func handed(to recaller.CallerID) recaller.Change {
	return recaller.Change{Tenant: "acme", Caller: to, Handed: true, Conversation: &recaller.Conversation{ID: "conv", Status: recaller.Active}}
}

// Somebody else speaks. What was said until then is kept before, though the store is slow. The model has her briefing
// before it says another word; what it called with his in mind is not carried out; and where its side breaks then, another
// session is told nothing of what he said.
func TestSomebodyElseSpeaks(t *testing.T) {
	for _, side := range sides {
		t.Run(side.name, func(t *testing.T) {
			var then, next rehearsal.Heard
			anna := func(context.Context) (recaller.CallerID, string) { return "anna", "You know Anna." }
			stages(t, plot{wire: side.wire, call: bridge.Call{Provider: side.provider, Anew: anna}, model: rehearsal.ModelOptions{
				Listen: listens("My boiler leaks.", "Here is Anna.", "A parrot."),
				Think: func(h rehearsal.Heard) rehearsal.Reply {
					switch {
					case h.Session == 1 && h.N == 1:
						return rehearsal.Reply{Say: "We come on Friday."}
					case h.Session == 1 && h.N == 2:
						return rehearsal.Reply{Calls: []realtime.Call{
							{Name: "someone_else", Arguments: object(`{"name":"Anna"}`)}, {Name: "store_memory", Arguments: object(`{"key":"boiler"}`)},
						}}
					case h.Session == 1 && len(h.Results) > 0:
						then = h
						return rehearsal.Reply{Say: "Hello Anna."}
					case h.Session == 1:
						return rehearsal.Reply{Say: long, Break: true}
					}
					next = h
					return rehearsal.Reply{Say: "Yes."}
				},
			}}, func(s *stage) {
				var before []string
				s.desk.set(func(tool.Call) (tool.Result, error) {
					before = s.book.Said()
					return tool.Result{Done: recaller.ToolHanded, Message: "You speak with Anna now."}, nil
				})
				s.book.Fails(func(n int) error {
					if 1 < n && n < 5 { // of what the model answers him
						return recaller.Unavailable
					}
					return nil
				})
				s.talks()
				s.pass(3 * second)
				s.talks()
				s.pass(8 * second)
				if want := []string{"user: My boiler leaks.", "assistant: We come on Friday."}; len(before) < 2 || !slices.Equal(before[:2], want) {
					s.Errorf("before the tool was carried out there was kept %q, want %q", before, want)
				}
				if got := s.desk.done(); len(got) != 1 {
					s.Errorf("carried out %q, want nothing behind the hand-over", got)
				}
				if then.Instructions != "You know Anna." || len(then.Results) != 2 || !strings.Contains(then.Results[1], "somebody else speaks now") {
					s.Errorf("then the model was told %+v", then)
				}
				s.bus.Apply(handed("anna"))
				s.bus.Publish("acme", "conv", events.Event{Type: events.BriefingUpdated, With: "anna", Briefing: &recaller.Briefing{Text: "You know Anna well."}})
				s.talks()
				s.pass(10 * second)
				if told := strings.Join(next.Items, "|"); next.Instructions != "You know Anna well." || !strings.HasPrefix(told, "user: Here is Anna.|assistant: Hello Anna.|user: A parrot.|") {
					s.Errorf("the second session was told %q, %q", next.Instructions, told)
				}
				s.hangUp()
				s.clean()
			})
		})
	}
}

// An application says that somebody else speaks: the model has their briefing, and another session none of the other's words.
func TestAnApplicationSaysWhoSpeaks(t *testing.T) {
	for _, side := range sides {
		t.Run(side.name, func(t *testing.T) {
			var next rehearsal.Heard
			stages(t, plot{wire: side.wire, call: bridge.Call{Provider: side.provider}, model: rehearsal.ModelOptions{
				Listen: listens("My boiler leaks.", "A parrot."),
				Think: func(h rehearsal.Heard) rehearsal.Reply {
					switch {
					case h.Session == 1 && h.N == 1:
						return rehearsal.Reply{Say: "We come on Friday."}
					case h.Session == 1:
						return rehearsal.Reply{Say: long, Break: true}
					}
					next = h
					return rehearsal.Reply{Say: "Yes."}
				},
			}}, func(s *stage) {
				s.talks()
				s.pass(5 * second)
				s.bus.Apply(handed("anna"))
				// One that was being made meanwhile is of the other, and comes too late.
				for _, of := range []recaller.CallerID{"anna", "ann"} {
					s.bus.Publish("acme", "conv", events.Event{Type: events.BriefingUpdated, With: of, Briefing: &recaller.Briefing{Text: "You know " + string(of) + "."}})
				}
				s.pass(second)
				s.talks()
				s.pass(10 * second)
				if told := strings.Join(next.Items, "|"); next.Instructions != "You know anna." || !strings.HasPrefix(told, "user: A parrot.|") {
					s.Errorf("the second session was told %q, %q", next.Instructions, told)
				}
				s.hangUp()
				s.clean()
			})
		})
	}
}
