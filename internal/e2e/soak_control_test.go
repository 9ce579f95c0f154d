package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
)

// soakWorld is a soak without a server, in which a caller has said three things, and what a server says that lost nothing.
type soakWorld struct {
	*soak
	who, other *soakCaller
	call       *soakCall
	conv       client.Conversation
	turns      []client.Turn
	memories   []client.Memory
}

func newSoakWorld(t *testing.T) *soakWorld {
	s := &soak{t: t, began: time.Now(), lives: []soakLife{{}}, oddities: map[string]int{}}
	for n := range 2 {
		tenant := &soakTenant{n: n, retention: recaller.Keep}
		tenant.callers = []*soakCaller{{s: s, tenant: tenant, spoken: []int{0}, erased: []time.Time{{}}}}
		s.tenants = append(s.tenants, tenant)
	}
	w := &soakWorld{soak: s, who: s.tenants[0].callers[0], other: s.tenants[1].callers[0], call: &soakCall{id: "c"}}
	w.who.id, w.conv = "ana", client.Conversation{ID: "c", CallerID: "ana", Status: recaller.Active, TurnCount: 3}
	for i := range 3 {
		word := w.who.speak()
		k := &soakTurn{word: word, text: "At " + word, speaker: recaller.User, id: fmt.Sprint("t", i), number: i, firm: true, fate: fate{sureness: sure}}
		w.call.turns = append(w.call.turns, k)
		w.turns = append(w.turns, client.Turn{ID: k.id, Number: i, Speaker: k.speaker, Text: k.text})
	}
	w.who.calls = []*soakCall{w.call}
	w.who.memories = []*soakMemory{{id: "m", key: "dog", may: []string{"Biscuit"}, versions: 1}}
	w.memories = []client.Memory{{ID: "m", Key: "dog", Value: "Biscuit", Version: 1, Source: recaller.SourceAPI}}
	return w
}

// check holds what the server says against what was said.
func (w *soakWorld) check() {
	w.who.checkCall(w.call, w.conv, w.turns, 0)
	w.who.checkMemories(w.memories)
}

// soakPlants are what could be amiss in what a server says, in what it has, or in its log.
var soakPlants = map[string]func(*soakWorld){
	"a turn was dropped":    func(w *soakWorld) { w.turns, w.conv.TurnCount = w.turns[:2], 2 },
	"the first was dropped": func(w *soakWorld) { w.turns, w.conv.TurnCount = w.turns[1:], 2 },
	"a turn was never sent": func(w *soakWorld) {
		w.call.turns = append(w.call.turns, &soakTurn{word: "x", number: 3, fate: fate{sureness: sure}})
	},
	"nobody asked for a turn": func(w *soakWorld) { w.call.turns = w.call.turns[:2] },
	"a turn is there twice": func(w *soakWorld) {
		again := w.turns[2]
		again.Number = 3
		w.turns, w.conv.TurnCount = append(w.turns, again), 4
	},
	"two turns have changed places": func(w *soakWorld) { w.turns[0], w.turns[1] = w.turns[1], w.turns[0] },
	"two turns changed their numbers": func(w *soakWorld) {
		w.turns[0], w.turns[1] = w.turns[1], w.turns[0]
		w.turns[0].Number, w.turns[1].Number = 0, 1
	},
	"two held turns changed places": func(w *soakWorld) {
		w.turns[0], w.turns[1] = w.turns[1], w.turns[0]
		w.turns[0].Number, w.turns[1].Number = 0, 1
		w.call.turns[0].firm, w.call.turns[1].firm = false, false
	},
	"another side said it":      func(w *soakWorld) { w.turns[1].Speaker = recaller.Assistant },
	"its words are others":      func(w *soakWorld) { w.turns[1].Text += "!" },
	"the count is wrong":        func(w *soakWorld) { w.conv.TurnCount = 4 },
	"the call is with another":  func(w *soakWorld) { w.conv.CallerID = "bob" },
	"the call is over":          func(w *soakWorld) { w.conv.Status = recaller.Completed },
	"the end is forgotten":      func(w *soakWorld) { w.call.ended.sureness = sure },
	"a memory is lost":          func(w *soakWorld) { w.memories = nil },
	"a memory is an old one":    func(w *soakWorld) { w.who.memories[0].may = []string{"Max"} },
	"a version is lost":         func(w *soakWorld) { w.who.memories[0].versions = 2 },
	"a memory came back":        func(w *soakWorld) { w.who.memories[0].may = []string{""} },
	"nobody asked for a memory": func(w *soakWorld) { w.who.memories = nil },
	"another tenant's word": func(w *soakWorld) {
		w.heard(asker{w.other.tenant, nil}, "a list", time.Now(), []byte(w.call.turns[0].text))
	},
	"another caller's word": func(w *soakWorld) {
		w.heard(asker{w.who.tenant, w.other}, "recall", time.Now(), []byte(w.call.turns[0].text))
	},
	"a word that nobody said": func(w *soakWorld) {
		w.heard(asker{w.who.tenant, w.who}, "recall", time.Now(), []byte(speech{0, 0, 0, 99}.word()))
	},
	"a word in the log":  func(w *soakWorld) { w.readLog(`{"level":"INFO","msg":"` + w.call.turns[0].text + `"}`) },
	"a panic in the log": func(w *soakWorld) { w.readLog(`{"level":"ERROR","msg":"panic in a request"}`) },
	"a word in a file":   func(w *soakWorld) { w.searchText("recaller.db", []byte("\x00"+w.call.turns[0].text), nil) },
	"somebody erased, in a file": func(w *soakWorld) {
		w.searchText("recaller.db", []byte("01a21c0a-6d96-73e2-8bf4-b05d80a870d9"), map[string]*soakCaller{"01a21c0a-6d96-73e2-8bf4-b05d80a870d9": w.who})
	},
	"somebody erased, in a search": func(w *soakWorld) { w.erasedAndHeard() },
	"what was forgotten, told": func(w *soakWorld) {
		m := w.who.memories[0]
		m.may, m.gone, m.goneAt, w.memories = []string{""}, []string{"Biscuit"}, time.Now(), nil
		(&soakWorker{s: w.soak}).untold(w.who, "the briefing", m.goneAt.Add(1), "His dog is Biscuit.")
	},
	"what was held in a life that ended well": func(w *soakWorld) {
		w.call.turns[2].fate, w.turns, w.conv.TurnCount = fate{held, 0}, w.turns[:2], 2
		w.lives = []soakLife{{over: true, clean: true}, {}}
	},
}

// A soak sees what is planted: a row that is dropped, one that nobody asked for, one that is there twice …
func TestASoakSeesWhatIsAmiss(t *testing.T) {
	t.Parallel()
	for name, plant := range soakPlants {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newSoakWorld(t)
			w.check()
			if len(w.violations) > 0 {
				t.Fatalf("before: got %v, want nothing amiss", w.violations)
			}
			plant(w)
			w.check()
			if len(w.violations) == 0 {
				t.Error("it is not seen")
			}
		})
	}
}

func (w *soakWorld) erasedAndHeard() {
	text := w.call.turns[0].text
	w.who.buried(recaller.Receipt{})
	w.call, w.memories, w.turns, w.conv = &soakCall{}, nil, nil, client.Conversation{Status: recaller.Active}
	w.heard(asker{w.who.tenant, nil}, "a search", time.Now().Add(time.Second), []byte(text))
}

// What may be there and what may not is left open, and nothing is amiss: a turn whose answer was not seen, and one that a
// killed process held.
func TestASoakForgivesWhatWasInDoubt(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]fate{"doubted": {doubted, 0}, "held by a process that was killed": {held, 0}} {
		w := newSoakWorld(t)
		w.lives = []soakLife{{over: true}, {}}
		w.call.turns[2].fate = f
		w.check()
		w.turns, w.conv.TurnCount = w.turns[:2], 2
		w.check()
		if len(w.violations) > 0 {
			t.Errorf("%s: got %v, want it there or not", name, w.violations)
		}
	}
}

// A word says who said it, in any case, and whatever is around it.
func TestSoakWords(t *testing.T) {
	t.Parallel()
	for _, p := range []speech{{}, {1, 2, 3, 4}, {13, 2743, 195, 38415}} {
		word := p.word()
		if got := soakWords.FindAllString("(“"+strings.ToUpper(word)+"”, he said.)", -1); !slices.Equal(got, []string{strings.ToUpper(word)}) || speechOf(got[0]) != p {
			t.Errorf("got %q, want %s, of %+v", got, word, p)
		}
	}
}
