package wrapup_test

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/forgotten"
	"github.com/recallerhq/recaller/internal/recall/token"
	"github.com/recallerhq/recaller/internal/scenes"
)

// How few of the facts may stay where they are asked in words to be forgotten, and how many turns may go with each of
// the others: by two words that single it out, and by one that is said of many things.
const (
	mostKept   = 0.1
	mostBeside = 1.0
	mostCommon = 1.5
)

// Each thing that a person told is forgotten by a sentence that names it: the turn that told it is hidden, and hardly
// any other. One common word hides hardly more.
func TestForgettingAFactHidesItsTurnAndHardlyAnyOther(t *testing.T) {
	for name, people := range map[string]func(testing.TB) []scenes.Person{"tune": scenes.Tune, "dev": scenes.Dev} {
		for _, common := range []bool{false, true} {
			if common && name == "dev" {
				continue // the few of tune tell enough, in half the time
			}
			t.Run(fmt.Sprintf("%s, by a common word %t", name, common), func(t *testing.T) {
				var facts, kept, beside int
				for _, p := range people(t) {
					f, k, b := forgetEach(t, p, common)
					facts, kept, beside = facts+f, kept+k, beside+b
				}
				t.Logf("of %d facts %d stayed; %d other turns were hidden, %.2f a fact", facts, kept, beside, float64(beside)/float64(facts))
				most := mostBeside
				if common {
					most, kept = mostCommon, 0
				}
				if float64(kept) > mostKept*float64(facts) || float64(beside) > most*float64(facts) {
					t.Errorf("of %d facts %d stayed, and %d other turns were hidden", facts, kept, beside)
				}
			})
		}
	}
}

// forgetEach has the person's calls written up, then asks for one fact after another, undoing each.
func forgetEach(t *testing.T, p scenes.Person, common bool) (facts, kept, beside int) {
	h := newHouse(t, recaller.Tenant{})
	var calls []recaller.Conversation
	for _, c := range p.Calls {
		var words []string
		for _, s := range c.Spoken {
			words = append(words, string(s.Speaker)+": "+s.Text)
		}
		conv, job := h.hold(past{startedAt: c.At, lasted: time.Duration(c.Seconds) * time.Second, words: words})
		h.run(job)
		calls = append(calls, conv)
	}
	hiddenBefore := h.hiddenOf(calls)
	after := p.Calls[len(p.Calls)-1].At.Add(time.Hour)
	for i, f := range p.After.Facts {
		ask := askFor(p, f, common)
		asking, job := h.hold(past{startedAt: after.Add(time.Duration(i) * time.Minute), lasted: 20 * time.Second, words: []string{"user: " + ask, "assistant: I've taken it out."}})
		h.run(job)
		gone, err := h.store.Forgotten(h.ctx, "t1", asking.Caller)
		h.ok(err)
		view := forgotten.New(gone)
		facts++
		var others []string
		there := false
		for c, conv := range calls {
			turns, err := h.store.Turns(h.ctx, "t1", conv)
			h.ok(err)
			for _, turn := range turns {
				switch hidden := view.Hides(conv.ID, turn); {
				case c == f.Call && turn.Number == f.Turn:
					there = hidden
				case hidden && !hiddenBefore[turn.ID]:
					others = append(others, turn.Text)
				}
			}
		}
		if !there {
			kept++
		}
		beside += len(others)
		if testing.Verbose() && (!there || len(others) > 1) {
			t.Logf("%q (%s): hidden %t, others %d\n\t%s", ask, f.Value, there, len(others), strings.Join(others, "\n\t"))
		}
		for _, m := range gone {
			if m.Status == recaller.MemoryForgotten && m.Forgetting.With == "" {
				if _, err := h.store.UndoMemory(h.ctx, "t1", recaller.Undoing{ID: m.ID, At: h.now}); err != nil {
					t.Log(err)
				}
			}
		}
	}
	return facts, kept, beside
}

// hiddenOf are the turns of conversations that say what was forgotten.
func (h *house) hiddenOf(calls []recaller.Conversation) map[recaller.TurnID]bool {
	out := map[recaller.TurnID]bool{}
	gone, err := h.store.Forgotten(h.ctx, "t1", calls[0].Caller)
	h.ok(err)
	for _, conv := range calls {
		turns, err := h.store.Turns(h.ctx, "t1", conv)
		h.ok(err)
		for _, t := range turns {
			out[t.ID] = forgotten.New(gone).Hides(conv.ID, t)
		}
	}
	return out
}

// askFor asks to forget a fact by its words that the turn has, and where those are few by the turn's own: the rarest
// ones.
func askFor(p scenes.Person, f scenes.Fact, common bool) string {
	in := map[string]int{}
	for _, c := range p.Calls {
		for _, s := range c.Spoken {
			for stem := range stemsOf(s.Text) {
				in[stem]++
			}
		}
	}
	rarest := func(from map[string]string) []string {
		var stems, out []string
		for stem, w := range from {
			if stem != "" && len(w) > 3 {
				stems = append(stems, stem)
			}
		}
		slices.SortFunc(stems, func(a, b string) int {
			return cmp.Or(cmp.Compare(in[a], in[b]), cmp.Compare(len(b), len(a)), cmp.Compare(a, b))
		})
		for _, stem := range stems {
			out = append(out, from[stem])
		}
		return out
	}
	told := stemsOf(p.Calls[f.Call].Spoken[f.Turn].Text)
	shared := stemsOf(f.Value)
	maps.DeleteFunc(shared, func(stem, _ string) bool { return told[stem] == "" })
	words := rarest(shared)
	if len(words) < 2 {
		words = append(words, rarest(told)...)
	}
	about := strings.Join(words[:min(len(words), 2)], " ")
	if common {
		about = words[len(words)-1]
	}
	switch p.Lang {
	case "de":
		return fmt.Sprintf("Bitte vergessen Sie, was ich über %s gesagt habe.", about)
	case "es":
		return fmt.Sprintf("Por favor, olvide lo que le dije sobre %s.", about)
	}
	return fmt.Sprintf("Please forget what I told you about %s.", about)
}

// stemsOf are the words of a text by their stems.
func stemsOf(s string) map[string]string {
	out := map[string]string{}
	var scan token.Scanner
	for scan.Reset(s); scan.Next(); {
		out[token.Term(string(scan.Bytes()))] = string(scan.Bytes())
	}
	return out
}
