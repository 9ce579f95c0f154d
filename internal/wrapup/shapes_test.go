package wrapup

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/agreement"
	"github.com/recallerhq/recaller/internal/forgotten"
	"github.com/recallerhq/recaller/internal/scenes"
	"github.com/recallerhq/recaller/internal/wrapup/extract"
	"github.com/recallerhq/recaller/internal/wrapup/label"
	"github.com/recallerhq/recaller/internal/wrapup/name"
	"github.com/recallerhq/recaller/internal/wrapup/reading"
	"github.com/recallerhq/recaller/internal/wrapup/summary"
)

// Whoever speaks first, last or alone, and however little: the rules write a call up. A caller who begins with "No"
// once stopped the reader of agreements, and with it every try at his write-up.
func TestNoShapeOfACallStopsItsWriteUp(t *testing.T) {
	t.Parallel()
	packs, err := label.Packs(label.Builtin())
	if err != nil {
		t.Fatal(err)
	}
	calls := [][]recaller.Turn{{{Speaker: recaller.User, Text: "No, that's not what I said."}}, {{Speaker: recaller.Assistant, Text: "?"}}}
	for _, p := range append(scenes.Tune(t), scenes.Held(t)...) {
		for _, c := range p.Calls {
			calls = append(calls, c.Turns())
		}
	}
	at := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	n := 0
	for _, call := range calls {
		for _, turns := range shapesOf(call) {
			r := reading.Of(turns, at, false)
			acts := agreement.Find(r)
			agreement.Fold(acts, at.AddDate(0, 0, 7))
			summary.Write(r, summary.Options{})
			extract.Memories(r)
			label.Analyse(turns, acts, n%2 == 0, packs)
			name.Said(turns)
			forgotten.Requests(turns)
			n++
		}
	}
	if n < 1000 {
		t.Errorf("got %d shapes, want a thousand", n)
	}
}

// shapesOf returns a call as it might also have been: begun later, ended earlier, of one side alone, the sides
// exchanged, in the other order, in single words and without any.
func shapesOf(call []recaller.Turn) [][]recaller.Turn {
	each := func(change func(*recaller.Turn)) []recaller.Turn {
		out := slices.Clone(call)
		for i := range out {
			change(&out[i])
		}
		return out
	}
	of := func(who recaller.Speaker) []recaller.Turn {
		return slices.DeleteFunc(slices.Clone(call), func(t recaller.Turn) bool { return t.Speaker != who })
	}
	first := func(text string) string { word, _, _ := strings.Cut(text, " "); return word }
	backwards := slices.Clone(call)
	slices.Reverse(backwards)
	out := [][]recaller.Turn{
		call, backwards, of(recaller.User), of(recaller.Assistant),
		each(func(t *recaller.Turn) {
			if t.Speaker == recaller.User {
				t.Speaker = recaller.Assistant
			} else {
				t.Speaker = recaller.User
			}
		}),
		each(func(t *recaller.Turn) { t.Text = first(t.Text) }),
		each(func(t *recaller.Turn) { t.Text = strings.Trim(t.Text, "?.!,") + "?" }),
		each(func(t *recaller.Turn) { t.Text = strings.Repeat("…", len(t.Text)%3) }),
	}
	for i := range call {
		out = append(out, call[i:], call[:i])
	}
	return out
}
