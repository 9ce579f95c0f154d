package answer_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/wrapup/answer"
)

// wire is an entry as the answer that was asked for has it.
type wire struct {
	Type       string  `json:"type"`
	Key        string  `json:"key"`
	Value      string  `json:"value"`
	Confidence float64 `json:"confidence"`
	Turns      []int   `json:"turns"`
	Due        string  `json:"due"`
}

func (w wire) memory() answer.Memory {
	m := answer.Memory{Type: recaller.MemoryType(w.Type), Key: w.Key, Value: w.Value, Confidence: w.Confidence, Turns: w.Turns, Due: w.Due}
	if len(m.Turns) == 0 {
		m.Turns = nil
	}
	return m
}

// awkward are pieces of values that a reader of damaged JSON could take for JSON.
var awkward = []string{
	"has a dog", `says "hi", often`, `"quoted": "twice"`, `} ] , {`, `it's`, `„so“`, `C:\temp\n`, "日本語「テスト」", `</think>`, "```json", `// no comment`,
	`a, b: c`, `{"type":"fact","key":"x","value":"y"}`, `100 %`, "naïve", "Ω", `\"`, "# 5", `"memories":[`, `,`, `:`, `"`, "'",
}

// anAnswer is a valid answer of n entries.
func anAnswer(rng *rand.Rand, n int) []wire {
	types := recaller.MemoryTypes()
	list := make([]wire, n)
	for i := range list {
		words := []string{"w"}
		for range rng.IntN(4) {
			words = append(words, awkward[rng.IntN(len(awkward))])
		}
		list[i] = wire{
			Type: string(types[rng.IntN(len(types))]), Key: fmt.Sprintf("key_%d", i), Value: strings.Join(words, " ") + ".",
			Confidence: float64(rng.IntN(101)) / 100, Turns: []int{i, i + 2}[:rng.IntN(3)],
		}
		if rng.IntN(3) == 0 {
			list[i].Due = "next Tuesday"
		}
	}
	return list
}

// written is an answer as JSON, and where each of its entries ends.
func written(t testing.TB, list []wire, indent bool) (text string, ends []int) {
	t.Helper()
	text = `{"memories":[`
	for i, w := range list {
		if i > 0 {
			text += ","
		}
		raw, err := json.Marshal(w)
		if indent {
			raw, err = json.MarshalIndent(w, "  ", "  ")
			text += "\n  "
		}
		if err != nil {
			t.Fatal(err)
		}
		text += string(raw)
		ends = append(ends, len(text))
	}
	return text + "]}", ends
}

func TestAnyValidAnswerIsKeptWhole(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range 500 {
		list := anAnswer(rng, rng.IntN(8))
		text, _ := written(t, list, i%2 == 0)
		got, lost, err := answer.Memories(text, false)
		if err != nil || lost > 0 {
			t.Fatalf("got %v, %d lost for %s", err, lost, text)
		}
		var want []answer.Memory
		for _, w := range list {
			want = append(want, w.memory())
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatal(diff)
		}
	}
}

func TestAnAnswerThatBreaksOffAnywhereKeepsEveryEntryThatWasComplete(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for i := range 20 {
		list := anAnswer(rng, 1+rng.IntN(5))
		text, ends := written(t, list, i%2 == 0)
		for at := range len(text) {
			var want []answer.Memory
			for k, end := range ends {
				if end <= at {
					want = append(want, list[k].memory())
				}
			}
			got, _, err := answer.Memories(text[:at], true)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("%s\n%s", text[:at], diff)
			}
			if (err != nil) != (len(want) == 0) {
				t.Fatalf("got %v for %s", err, text[:at])
			}
			// Where nobody said that it was cut, one entry more may have enough to stand.
			got, _, _ = answer.Memories(text[:at], false)
			if len(got) < len(want) || len(got) > len(want)+1 {
				t.Fatalf("got %d entries, want %d, perhaps one more, for %s", len(got), len(want), text[:at])
			}
			if diff := cmp.Diff(want, got[:len(want)]); len(want) > 0 && diff != "" {
				t.Fatalf("%s\n%s", text[:at], diff)
			}
		}
	}
}

// checkBounds holds that what was read is within its bounds.
func checkBounds(t *testing.T, text string, cut bool) {
	t.Helper()
	got, lost, err := answer.Memories(text, cut)
	if err != nil && (recaller.KindOf(err) != recaller.Invalid || got != nil) || len(got) > answer.MaxEntries {
		t.Fatalf("got %d entries, %d lost, %v", len(got), lost, err)
	}
	seen := map[string]bool{}
	for _, m := range got {
		if seen[m.Key] || m.Key == "" || utf8.RuneCountInString(m.Key) > answer.MaxKey || !utf8.ValidString(m.Key) {
			t.Fatalf("bad key %q", m.Key)
		}
		seen[m.Key] = true
		if m.Value == "" || utf8.RuneCountInString(m.Value) > answer.MaxValue || !utf8.ValidString(m.Value) || strings.ContainsAny(m.Value, "\n\r\t\x00\u202e") {
			t.Fatalf("bad value %q", m.Value)
		}
		if !m.Type.Valid() || !(m.Confidence >= 0 && m.Confidence <= 1) || len(m.Turns) > answer.MaxTurns || utf8.RuneCountInString(m.Due) > answer.MaxDue {
			t.Fatalf("got %+v", m)
		}
	}
	s, err := answer.Summary(text, cut)
	if (err != nil) != (s.Brief == "") || utf8.RuneCountInString(s.Brief) > answer.MaxBrief || utf8.RuneCountInString(s.Next) > answer.MaxBrief {
		t.Fatalf("got %+v, %v", s, err)
	}
	for _, list := range [][]string{s.Topics, s.Decisions, s.Actions, s.Facts} {
		for _, l := range list {
			if l == "" || utf8.RuneCountInString(l) > answer.MaxLine || len(list) > answer.MaxLines || strings.Contains(l, "\n") {
				t.Fatalf("got line %q of %d", l, len(list))
			}
		}
	}
}

func FuzzMemories(f *testing.F) {
	for _, d := range damage {
		f.Add(d.text, d.cut)
	}
	for _, d := range writeUps {
		f.Add(d.text, d.cut)
	}
	f.Fuzz(func(t *testing.T, text string, cut bool) {
		checkBounds(t, text, cut)
	})
}

// What is worst for a reader that looks ahead, 256 KiB of it, are read in a bounded time. The bound is wide: it is to
// tell linear from quadratic, on a machine that does other things.
func TestTheWorstAnswersAreReadInLinearTime(t *testing.T) {
	for _, piece := range []string{
		`{"x"}`, `{"x" `, `"`, `'`, `{`, `[`, `[[`, `{"a":`, `{"a":[`, "“„”", `"a","b":`, `[1,2} `, `\"`, `{'a':'b' `, "/*", "//", `{"type":"fact","key":"a","value":"`,
		"```json\n", "<think>", `{"a":"b", `, ` " `, `{"memories":[{"`, `,`, `:`, `{"` + strings.Repeat(" ", 300), `"` + strings.Repeat("a", 79),
		`{"value":1,"value":2,"type":"fact",`, "｛「", "- ", "**", "# topics\n", "topics: a\n",
	} {
		text := strings.Repeat(piece, (1<<18)/len(piece))
		start := time.Now()
		checkBounds(t, text, false)
		checkBounds(t, "{"+text, true)
		if took := time.Since(start); took > 10*time.Second {
			t.Errorf("256 KiB of %q took %v", piece, took)
		} else {
			t.Logf("%-12.12q %v", piece, took)
		}
	}
}
