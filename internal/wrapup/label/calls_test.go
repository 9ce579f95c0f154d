package label

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/recallerhq/recaller"
)

// labelled is one call of a table, with what is true of it.
type labelled struct {
	name, sentiment, outcome string
	intents                  []string
	broke                    bool
	turns                    []recaller.Turn
}

func labelledCalls(t *testing.T, file string) []labelled {
	t.Helper()
	raw, err := os.ReadFile("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	var out []labelled
	for i, block := range strings.Split(string(raw), "\n== ")[1:] {
		rows := strings.Split(strings.TrimSpace(block), "\n")
		head := strings.Split(rows[0], " | ")
		if len(head) != 5 {
			t.Fatalf("%s: call %d has %d labels", file, i, len(head))
		}
		c := labelled{fmt.Sprintf("%s %d %s", file, i, head[0]), head[1], head[2], strings.Fields(head[3]), head[4] == "failed", nil}
		for k, row := range rows[1:] {
			who, text, _ := strings.Cut(row, ": ")
			speaker := recaller.User
			if who == "A" {
				speaker = recaller.Assistant
			}
			c.turns = append(c.turns, recaller.Turn{Number: k, Speaker: speaker, Text: text, Confidence: 1})
		}
		out = append(out, c)
	}
	return out
}

// right reports whether an outcome is as labelled; what was called off was also dealt with.
func right(got, want string) bool { return got == want || got == Resolved && want == Cancelled }

// The intent goes by tables of words, and calls of trades that no table names miss them; what happened is read in any
// trade. The misses of fresh.txt are counted and not shown, so that nobody makes phrases of them.
func TestLabelsReadWhatHappened(t *testing.T) {
	for _, tt := range []struct {
		file                       string
		sentiment, outcome, intent int // the least: of thirty, of trades.txt forty
	}{
		{"calls.txt", 29, 29, 30},
		{"held.txt", 27, 29, 27},
		{"fresh.txt", 25, 21, 15},
		{"trades.txt", 30, 21, 34},
	} {
		var got [3]int
		calls := labelledCalls(t, tt.file)
		for _, c := range calls {
			a := Analyse(c.turns, nil, c.broke, must(t, "service"))
			for i, ok := range []bool{a.Sentiment == c.sentiment, right(a.Outcome, c.outcome), slices.Contains(c.intents, a.Intent)} {
				if ok {
					got[i]++
				} else if tt.file != "fresh.txt" {
					t.Logf("%s: got %s, %s, %s; labelled %s, %s, %v", c.name, a.Sentiment, a.Outcome, a.Intent, c.sentiment, c.outcome, c.intents)
				}
			}
		}
		t.Logf("%s: of n=%d sentiment %d, outcome %d, intent %d", tt.file, len(calls), got[0], got[1], got[2])
		if got[0] < tt.sentiment || got[1] < tt.outcome || got[2] < tt.intent {
			t.Errorf("%s: got %v right of sentiment, outcome, intent; want %d, %d and %d at least", tt.file, got, tt.sentiment, tt.outcome, tt.intent)
		}
	}
}

// Every mark has a table, every table a mark, and every phrase can be found.
func TestTheTablesOfDialogues(t *testing.T) {
	var in map[string][]string
	if err := json.Unmarshal(dialogueTables, &in); err != nil {
		t.Fatal(err)
	}
	if len(in) != len(markNames) {
		t.Errorf("got %d tables, want %d", len(in), len(markNames))
	}
	for _, name := range markNames {
		if len(in[name]) == 0 {
			t.Errorf("there is no table %s", name)
		}
		for _, phrase := range in[name] {
			if _, ok := newPattern(phrase); !ok {
				t.Errorf("%s: %q is no phrase", name, phrase)
			}
		}
	}
}
