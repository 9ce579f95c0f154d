package extract_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/wrapup/extract"
	"github.com/recallerhq/recaller/internal/wrapup/reading"
)

// begin is Saturday 21 November 2026, 10:30 in New York.
func begin(t testing.TB) time.Time {
	t.Helper()
	loc, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	return time.Date(2026, 11, 21, 10, 30, 0, 0, loc)
}

// talk makes turns of a line: cut by " | ", the assistant's begin with "A:".
func talk(line string) []recaller.Turn {
	var out []recaller.Turn
	for i, part := range strings.Split(line, " | ") {
		t := recaller.Turn{Number: i, Speaker: recaller.User, Text: part, Confidence: 1}
		if text, ok := strings.CutPrefix(part, "A:"); ok {
			t.Speaker, t.Text = recaller.Assistant, strings.TrimSpace(text)
		}
		out = append(out, t)
	}
	return out
}

func memories(t testing.TB, turns []recaller.Turn) []extract.Candidate {
	t.Helper()
	return extract.Memories(reading.Of(turns, begin(t), false))
}

func lines(t *testing.T, name string) []string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for l := range strings.SplitSeq(string(b), "\n") {
		if l = strings.TrimSpace(l); l != "" && !strings.HasPrefix(l, "#") {
			out = append(out, l)
		}
	}
	return out
}

func show(cs []extract.Candidate) string {
	var out []string
	for _, c := range cs {
		out = append(out, fmt.Sprintf("%s %s: %s", c.Type, c.Key, c.Value))
	}
	return strings.Join(out, " ; ")
}

func TestWhatLastsIsQuotedUnderItsKey(t *testing.T) {
	for _, l := range lines(t, "testdata/statements.txt") {
		said, want, ok := strings.Cut(l, " => ")
		if !ok {
			t.Fatalf("no expectation: %s", l)
		}
		if got := show(memories(t, talk(said))); got != want {
			t.Errorf("%s\n got %s\nwant %s", said, got, want)
		}
	}
}

func TestOfMereTalkNothingIsKept(t *testing.T) {
	for _, l := range lines(t, "testdata/nothing.txt") {
		if got := show(memories(t, talk(l))); got != "" {
			t.Errorf("%s\n got %s, want nothing", l, got)
		}
	}
}

func TestAFollowUpComesDueOnItsDay(t *testing.T) {
	tests := []struct{ said, due string }{
		{"I have a doctor's appointment tomorrow at three.", "2026-11-22T15:00:00-05:00"},
		{"My daughter is visiting next Friday.", ""},
		{"I'm flying to Lagos on the twelfth of December.", "2026-12-12T00:00:00-05:00 day"},
		{"My daughter visits on Sundays.", ""},
	}
	for _, tt := range tests {
		got := ""
		for _, c := range memories(t, talk(tt.said)) {
			if c.DueAt != nil {
				got = c.DueAt.Format(time.RFC3339)
				if c.DueDay {
					got += " day"
				}
			}
		}
		if got != tt.due {
			t.Errorf("%s: due %q, want %q", tt.said, got, tt.due)
		}
	}
}

// What was told and holds no more is found by the words of the memory; what only resembles that is left alone.
func TestWhatHoldsNoMoreIsAReversal(t *testing.T) {
	tests := []struct{ known, said, want string }{
		{"“I've got the half marathon in May.”", "Oh, and I ended up pulling out of the half, by the way.", "“I ended up pulling out of the half, by the way.”"},
		{"“We have a camper van on the drive.”", "We sold the camper in the spring.", "“We sold the camper in the spring.”"},
		{"“I work nights at the bakery.”", "I quit the bakery, thank heavens.", "“I quit the bakery, thank heavens.”"},
		{"“Wir haben einen Hund.”", "Wir haben den Hund nicht mehr, er ist alt geworden.", "“Wir haben den Hund nicht mehr, er ist alt geworden.”"},
		{"“We have a camper van on the drive.”", "We parked the camper at my sister's.", ""},
		{"“We have a camper van on the drive.”", "We have not sold the camper.", ""},
		{"“We have a camper van on the drive.”", "They sold the last tickets yesterday.", ""},
		{"“I work nights at the bakery.”", "If I quit the bakery I'd have to move.", ""},
	}
	for _, tt := range tests {
		known := []recaller.Memory{{Key: "k", Type: recaller.Fact, Value: tt.known, CreatedAt: begin(t).AddDate(0, -1, 0)}}
		got := ""
		for _, c := range extract.Reversals(reading.Of(talk(tt.said), begin(t), false), known) {
			got = c.Value
		}
		if got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.said, got, tt.want)
		}
	}
}

func TestAMemoryNamesTheTurnsItQuotes(t *testing.T) {
	tests := []struct {
		line string
		want []int
	}{
		{"A: Hello. | I live alone.", []int{1}},
		{"A: Do you smoke? | Not for ten years.", []int{0, 1}},
		{"A: Do you have any allergies? | A: okay | um | no", []int{0, 3}},
		{"I'm sixty. | A: Sixty? | Sorry, I'm seventy.", []int{2}},
	}
	for _, tt := range tests {
		got := memories(t, talk(tt.line))
		if len(got) != 1 || !slices.Equal(got[0].Turns, tt.want) {
			t.Errorf("%s: got %+v, want one from turns %v", tt.line, got, tt.want)
		}
	}
}

// B10: words that were cut off or hardly heard do not become facts; words heard so-so are believed less.
func TestWhatWasHardlyHeardIsNotKept(t *testing.T) {
	cut := talk("I live alone.")
	cut[0].Interrupted = true
	faint := talk("I live alone.")
	faint[0].Confidence = 0.49
	unheard := talk("A: Do you smoke? | No.")
	unheard[0].Interrupted = true
	for _, turns := range [][]recaller.Turn{cut, faint, unheard} {
		if got := memories(t, turns); len(got) != 0 {
			t.Errorf("got %s, want nothing", show(got))
		}
	}
	unsure := talk("I live alone.")
	unsure[0].Confidence = 0.6
	sure := memories(t, talk("I live alone."))
	if got := memories(t, unsure); len(got) != 1 || got[0].Confidence >= sure[0].Confidence {
		t.Errorf("got %+v, want what a sure turn gives, believed less", got)
	}
}

// A long call leaves its weightiest dozen.
func TestACallLeavesADozenAtMost(t *testing.T) {
	var b strings.Builder
	for _, l := range lines(t, "testdata/statements.txt") {
		said, _, _ := strings.Cut(l, " => ")
		if b.Len() > 0 {
			b.WriteString(" | ")
		}
		b.WriteString(said)
	}
	got := memories(t, talk(b.String()))
	if len(got) > 12 || len(got) < 8 {
		t.Errorf("got %d, want about a dozen", len(got))
	}
	keys := map[string]bool{}
	for _, c := range got {
		if keys[c.Key] {
			t.Errorf("the key %s is there twice", c.Key)
		}
		keys[c.Key] = true
	}
}

// Every value is bounded and every key is snake_case, whatever is said.
func FuzzMemories(f *testing.F) {
	for _, l := range []string{
		"I have three, no four grandchildren", "A: Do you smoke? | No.", "my name is \xff", "I love \"x", "(((", "i i i i i i",
		"My daughter’s name is Zoë | call me", "I'm planning a trip to Japan in April", "A: your name? | a b c no c d", "jo at x dot y", "no at dot",
	} {
		f.Add(l)
	}
	f.Fuzz(func(t *testing.T, line string) {
		for _, c := range memories(t, talk(line)) {
			if len([]rune(c.Value)) > extract.MaxValue || c.Value == "" || !c.Type.Valid() || c.Confidence <= 0 || c.Confidence > 1 || len(c.Turns) == 0 {
				t.Fatalf("%q: %+v", line, c)
			}
			if c.Key == "" || strings.ContainsAny(c.Key, " ,.'-") || c.Key != strings.ToLower(c.Key) {
				t.Fatalf("%q: key %q", line, c.Key)
			}
		}
	})
}

func BenchmarkMemories(b *testing.B) {
	var turns []recaller.Turn
	for i := range 500 {
		turns = append(turns, talk("A: How are things? | I have been so busy with the garden, you know, my daughter Sarah visits on Sundays and I love it.")...)
		turns[2*i].Number, turns[2*i+1].Number = 2*i, 2*i+1
	}
	r := reading.Of(turns, begin(b), false)
	for b.Loop() {
		extract.Memories(r)
	}
}
