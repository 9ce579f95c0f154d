package decide

import (
	"fmt"
	"testing"

	"github.com/recallerhq/recaller"
)

func TestFinding(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		rule  string
		known []recaller.Memory
		found recaller.Memory
		state recaller.StepState
		want  string
		looks string
	}{
		{
			"what is new is created",
			nil, mem("new", "tea", "Assam", in("c1")), recaller.StepDone,
			"created; +new.1 active tea=Assam", "keyed closed",
		},
		{
			"what rules find while the model is away is interim",
			nil, mem("new", "tea", "Assam", in("c1")), recaller.StepPending,
			"created; +new.1 active tea=Assam interim", "keyed closed",
		},
		{
			"what was closed in its conversation after these words is not found in them again",
			[]recaller.Memory{
				mem("old", "drink", "Assam", version(2)),
				mem("old", "tea", "Assam", in("c1"), closed(recaller.MemorySuperseded, 3)),
			},
			mem("new", "tea", "Assam", in("c1"), on(2)), recaller.StepDone,
			"kept", "keyed closed",
		},
		{
			"what was forgotten after it was said is not found again, in whatever conversation",
			[]recaller.Memory{mem("old", "tea", "Assam", forgotten(3, ""))},
			mem("new", "tea", "Assam", in("c1"), on(2)), recaller.StepDone,
			"kept", "keyed",
		},
		{
			"nor under an alias that it had",
			[]recaller.Memory{mem("old", "drink", "Assam", also("Tea"), forgotten(3, ""))},
			mem("new", "tea", "Assam", in("c1"), on(2)), recaller.StepDone,
			"kept", "keyed",
		},
		{
			"what is said after that may be remembered again",
			[]recaller.Memory{mem("old", "tea", "Assam", forgotten(3, ""))},
			mem("new", "tea", "Assam", in("c1"), on(4)), recaller.StepDone,
			"created; +new.1 active tea=Assam", "keyed closed",
		},
		{
			"the same value changes nothing",
			[]recaller.Memory{mem("old", "tea", "Assam")},
			mem("new", "tea", "ASSAM", on(1)), recaller.StepDone,
			"kept", "keyed",
		},
		{
			"another value is kept beside that of the memory, which stays",
			[]recaller.Memory{mem("old", "tea", "Assam")},
			mem("new", "tea", "Oolong", on(1)), recaller.StepDone,
			"kept; ~old.1 active tea=Assam or Oolong", "keyed past",
		},
		{
			"also where the memory has the key as an alias only",
			[]recaller.Memory{mem("old", "drink", "Assam", also("tea"))},
			mem("new", "Tea", "Oolong", on(1)), recaller.StepDone,
			"kept; ~old.1 active drink=Assam or Oolong also tea", "keyed newest past",
		},
		{
			"what was said before the memory was last confirmed disputes nothing",
			[]recaller.Memory{mem("old", "tea", "Assam", on(2))},
			mem("new", "tea", "Oolong", on(1)), recaller.StepDone,
			"kept", "keyed",
		},
		{
			"nor does a value that it had before",
			[]recaller.Memory{
				mem("old", "tea", "Assam", version(2)),
				mem("old", "tea", "oolong", closed(recaller.MemorySuperseded, 0)),
			},
			mem("new", "tea", "Oolong", on(1)), recaller.StepDone,
			"kept", "keyed past",
		},
		{
			"nor one that disputes it already",
			[]recaller.Memory{mem("old", "tea", "Assam", disputed("oolong", 1))},
			mem("new", "tea", "Oolong", on(2)), recaller.StepDone,
			"kept", "keyed",
		},
		{
			"of two that dispute it the later stays",
			[]recaller.Memory{mem("old", "tea", "Assam", disputed("Ceylon", 3))},
			mem("new", "tea", "Oolong", on(2)), recaller.StepDone,
			"kept", "keyed",
		},
		{
			"or takes its place",
			[]recaller.Memory{mem("old", "tea", "Assam", disputed("Ceylon", 3))},
			mem("new", "tea", "Oolong", on(4)), recaller.StepDone,
			"kept; ~old.1 active tea=Assam or Oolong", "keyed past",
		},
		{
			"what is interim disputes nothing",
			[]recaller.Memory{mem("old", "tea", "Assam")},
			mem("new", "tea", "Oolong", on(1)), recaller.StepPending,
			"kept", "keyed",
		},
		{
			"what is found for good takes the key of another conversation's interim memory",
			[]recaller.Memory{mem("old", "tea", "Assam", interim, in("c0"))},
			mem("new", "tea", "Oolong", in("c1"), on(1)), recaller.StepDone,
			"created; -old.1 forgotten tea=Assam interim; +new.1 active tea=Oolong", "keyed closed",
		},
		{
			"unless it was forgotten",
			[]recaller.Memory{mem("old", "tea", "Assam", interim, in("c0")), mem("gone", "tea", "Oolong", forgotten(2, ""))},
			mem("new", "tea", "Oolong", in("c1"), on(1)), recaller.StepDone,
			"kept", "keyed closed",
		},
	} {
		t.Run(tt.rule, func(t *testing.T) {
			t.Parallel()
			w := world{versions: tt.known}
			step := recaller.StepResult{Caller: "ana", Conversation: "c1", State: tt.state}
			step.Memories = []recaller.Memory{tt.found}
			d, looks, err := w.run(t, func(k Known) (Decision, error) { return Finding(k, w.keys(), step, 0) })
			check(t, "decided", told(d, err), tt.want)
			check(t, "had to see", looks, tt.looks)
		})
	}
}

// keys are made of the active memories and of those that are forgotten.
func (w world) keys() Keys {
	var active []recaller.Memory
	for _, m := range w.versions {
		if m.Status == recaller.MemoryActive {
			active = append(active, m)
		}
	}
	return KeysOf(active, w.look(Question{Look: Gone}).Memories)
}

// A memory that was forgotten before it was noted how counts from when it was closed; its earlier keys count as well.
func TestKeysOfForgotten(t *testing.T) {
	t.Parallel()
	keys := KeysOf(nil, []recaller.Memory{
		mem("old", "tea", "Assam", version(2), closed(recaller.MemoryForgotten, 3)),
		mem("old", "hot drink", "Assam", closed(recaller.MemorySuperseded, 1)),
		mem("late", "TEA", "Assam", forgotten(5, "")),
	})
	for _, tt := range []struct {
		key  string
		day  int
		want bool
	}{
		{"tea", 4, true}, // the later request counts
		{"tea", 6, false},
		{"Hot Drink", 2, true},
		{"hot drink", 4, false},
		{"car", 0, false},
	} {
		if got := keys.forgot(mem("new", tt.key, "x", on(tt.day))); got != tt.want {
			t.Errorf("%s on day %d: got %t, want %t", tt.key, tt.day, got, tt.want)
		}
	}
}

func TestSettling(t *testing.T) {
	t.Parallel()
	dog, home := mem("dog", "dog", "Max", interim, in("c1")), mem("home", "home", "Ely", interim, in("c1"), due(4))
	other := mem("work", "work", "a baker", interim, in("c2"))
	const (
		goes  = "; -dog.1 forgotten dog=Max interim; -home.1 forgotten home=Ely interim"
		stays = "; ~dog.1 active dog=Max; ~home.1 active home=Ely"
	)
	for _, tt := range []struct {
		rule  string
		state recaller.StepState
		found []recaller.Memory
		want  string
	}{
		{"what the model did not find goes without a trace", recaller.StepDone, nil, goes + " []"},
		{
			"what it found too stays, and stands for that", recaller.StepDone,
			[]recaller.Memory{mem("x", "car", "a van"), mem("y", "dog", "Max")},
			"; ~dog.1 active dog=Max; -home.1 forgotten home=Ely interim [1]",
		},
		{
			"another value is not the same", recaller.StepDone,
			[]recaller.Memory{mem("y", "dog", "Rex")},
			goes + " []",
		},
		{
			"nor is another time", recaller.StepDone,
			[]recaller.Memory{mem("y", "home", "Ely", due(5))},
			goes + " []",
		},
		{
			"interim ones give way to each other", recaller.StepPending,
			[]recaller.Memory{mem("y", "home", "Ely", due(4))},
			"; -dog.1 forgotten dog=Max interim; ~home.1 active home=Ely interim [0]",
		},
		{"where the step failed they are all that there will be", recaller.StepFailed, nil, stays + " []"},
		{"and where it was skipped", recaller.StepSkipped, nil, stays + " []"},
	} {
		t.Run(tt.rule, func(t *testing.T) {
			t.Parallel()
			w := world{versions: []recaller.Memory{dog, home, other, mem("tea", "tea", "Assam", in("c1"))}}
			d, stands := Settling(w.keys(), recaller.StepResult{Conversation: "c1", State: tt.state, Memories: tt.found})
			places := []int{}
			for i := range tt.found {
				if stands[i].ID != "" {
					places = append(places, i)
				}
			}
			check(t, "decided", told(d, nil)+fmt.Sprint(" ", places), tt.want)
		})
	}
}

func TestWhatStandsKnowsWhatTheModelKnows(t *testing.T) {
	t.Parallel()
	found := mem("y", "dog", "Max")
	found.Confidence, found.Provenance = 0.4, recaller.Provenance{Conversation: "c1", Turns: []int{7}}
	w := world{versions: []recaller.Memory{mem("dog", "dog", "Max", interim, in("c1"))}}
	_, stands := Settling(w.keys(), recaller.StepResult{
		Conversation: "c1", State: recaller.StepDone, Memories: []recaller.Memory{found},
	})
	m := stands[0]
	check(t, "stands", fmt.Sprint(m.ID, m.Version, m.Confidence, m.Provenance.Turns), "dog1 0.4 [7]")
}
