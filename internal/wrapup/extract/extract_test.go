package extract

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
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

func lines(t *testing.T, name string) []string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, l := range strings.Split(string(b), "\n") {
		if l = strings.TrimSpace(l); l != "" && !strings.HasPrefix(l, "#") {
			out = append(out, l)
		}
	}
	return out
}

func show(cs []Candidate) string {
	var out []string
	for _, c := range cs {
		out = append(out, fmt.Sprintf("%s %s: %s", c.Type, c.Key, c.Value))
	}
	return strings.Join(out, " ; ")
}

func TestStatements(t *testing.T) {
	all := lines(t, "testdata/statements.txt")
	if len(all) < 60 {
		t.Errorf("got %d statements, want 60 at least", len(all))
	}
	for _, l := range all {
		said, want, ok := strings.Cut(l, " => ")
		if !ok {
			t.Fatalf("no expectation: %s", l)
		}
		if got := show(Memories(talk(said), Options{Base: begin(t)})); got != want {
			t.Errorf("%s\n got %s\nwant %s", said, got, want)
		}
	}
}

func TestNothing(t *testing.T) {
	all := lines(t, "testdata/nothing.txt")
	if len(all) < 60 {
		t.Errorf("got %d statements, want 60 at least", len(all))
	}
	for _, l := range all {
		if got := show(Memories(talk(l), Options{Base: begin(t)})); got != "" {
			t.Errorf("%s\n got %s, want nothing", l, got)
		}
	}
}

func TestFollowUpComesDue(t *testing.T) {
	got := Memories(talk("I have a doctor's appointment next Tuesday at 3pm. | My daughter is visiting on Friday."), Options{Base: begin(t)})
	if len(got) != 2 || got[0].DueAt == nil || got[1].DueAt == nil {
		t.Fatalf("got %s, want two with due dates", show(got))
	}
	if s := got[0].DueAt.Format(time.RFC3339); s != "2026-11-24T15:00:00-05:00" || got[0].DueDay {
		t.Errorf("appointment: got %s (day %v), want 24 November at 3 pm in New York", s, got[0].DueDay)
	}
	if s := got[1].DueAt.Format(time.RFC3339); s != "2026-11-27T00:00:00-05:00" || !got[1].DueDay {
		t.Errorf("visit: got %s (day %v), want the day of 27 November", s, got[1].DueDay)
	}
}

// What is to be in a month that has begun does not come due before it was said.
func TestFollowUpIsNotDueBeforeItWasSaid(t *testing.T) {
	got := Memories(talk("It's for my sister's graduation in November."), Options{Base: begin(t)})
	if len(got) != 1 || got[0].DueAt == nil || got[0].DueAt.Format("2006-01-02") != "2026-11-21" {
		t.Errorf("got %+v, want due on the day it was said", got)
	}
}

// A turn's own time, where it has one, is what its relative dates count from.
func TestTurnTimeIsBase(t *testing.T) {
	turns := talk("I have a doctor's appointment tomorrow.")
	turns[0].At = time.Date(2026, 12, 1, 3, 0, 0, 0, time.UTC) // still 30 November in New York
	got := Memories(turns, Options{Base: begin(t)})
	if len(got) != 1 || got[0].DueAt == nil || got[0].DueAt.Format("2006-01-02") != "2026-12-01" {
		t.Errorf("got %s, want due on 1 December", show(got))
	}
}

func TestProvenance(t *testing.T) {
	tests := []struct {
		line string
		want []int
	}{
		{"A: Hello. | I live alone.", []int{1}},
		{"A: Do you smoke? | No.", []int{0, 1}},
		{"A: Do you have any allergies? | A: okay | um | no", []int{0, 3}},
		{"i have | three grandchildren", []int{0, 1}},
		{"I have three grandchildren. | Sorry, I have four grandchildren.", []int{1}},
	}
	for _, tt := range tests {
		got := Memories(talk(tt.line), Options{Base: begin(t)})
		if len(got) != 1 || fmt.Sprint(got[0].Turns) != fmt.Sprint(tt.want) {
			t.Errorf("%s: got %+v, want one from turns %v", tt.line, got, tt.want)
		}
	}
}

// B10: words that were cut off or hardly heard do not become facts; words heard so-so are believed less.
func TestHardlyHeard(t *testing.T) {
	base := Options{Base: begin(t)}
	turns := talk("My name is Anna. I live alone.")
	turns[0].Interrupted = true
	if got := Memories(turns, base); len(got) != 0 {
		t.Errorf("interrupted: got %s, want nothing", show(got))
	}
	turns = talk("My name is Anna. I live alone.")
	turns[0].Confidence = 0.49
	if got := Memories(turns, base); len(got) != 0 {
		t.Errorf("confidence 0.49: got %s, want nothing", show(got))
	}
	if _, _, ok := Name(turns); ok {
		t.Error("confidence 0.49: got a name, want none")
	}
	turns[0].Confidence = 0.6
	sure := Memories(talk("My name is Anna. I live alone."), base)
	unsure := Memories(turns, base)
	if len(unsure) != len(sure) || unsure[0].Confidence >= sure[0].Confidence {
		t.Errorf("confidence 0.6: got %+v, want the same as %+v, believed less", unsure, sure)
	}
	turns = talk("A: Do you smoke? | No.")
	turns[0].Interrupted = true
	if got := Memories(turns, base); len(got) != 0 {
		t.Errorf("answer to a question that was cut off: got %s, want nothing", show(got))
	}
}

func TestName(t *testing.T) {
	tests := []struct {
		line, want string
		turn       int
	}{
		{"A: my name is elizabeth | hi my name is patricia brown", "Patricia Brown", 1},
		{"This is John from accounting.", "John", 0},
		{"My name is Jonathan Reed. | Call me Johnny.", "Johnny", 1},
		{"A: May I have your full name? | Sure, Tanya Miller.", "Tanya Miller", 1},
		{"A: Can I confirm your name please? | yeah it's john smith and i am thirty two", "John Smith", 1},
		{"my name's atan", "Atan", 0},
		{"My name is spelled wrong on the card.", "", 0},
		{"My name is not important.", "", 0},
		{"My wife's name is Anna.", "", 0},
		{"This is great.", "", 0},
		{"Call me back tomorrow.", "", 0},
		{"Can you call me on Monday?", "", 0},
		{"If my name is on the list I get in.", "", 0},
		{"A: My name is Elizabeth. | Hello Elizabeth.", "", 0},
		{"She said my name is Bob.", "", 0},
	}
	for _, tt := range tests {
		name, turn, ok := Name(talk(tt.line))
		if name != tt.want || ok != (tt.want != "") || turn != tt.turn {
			t.Errorf("%s: got %q from turn %d (%v), want %q from %d", tt.line, name, turn, ok, tt.want, tt.turn)
		}
	}
}

// Every value is short and every key is snake_case, whatever is said; long transcripts take time in proportion.
func FuzzMemories(f *testing.F) {
	for _, l := range []string{
		"I have three, no four grandchildren", "A: Do you smoke? | No.", "my name is \xff", "I love \"x", "(((", "i i i i i i",
		"My daughter’s name is Zoë | call me", "I'm planning a trip to Japan in April",
	} {
		f.Add(l)
	}
	at := begin(f)
	f.Fuzz(func(t *testing.T, line string) {
		for _, c := range Memories(talk(line), Options{Base: at}) {
			if len([]rune(c.Value)) > MaxValue || c.Value == "" || !c.Type.Valid() || c.Confidence <= 0 || c.Confidence > 1 || len(c.Turns) == 0 {
				t.Fatalf("%q: %+v", line, c)
			}
			if strings.ContainsAny(c.Key, " ,.'-") || c.Key != strings.ToLower(c.Key) {
				t.Fatalf("%q: key %q", line, c.Key)
			}
		}
		Name(talk(line))
	})
}

func BenchmarkMemories(b *testing.B) {
	var turns []recaller.Turn
	for i := range 500 {
		turns = append(turns, talk("A: How are things? | I have been so busy with the garden, you know, my daughter Sarah visits on Sundays and I love it.")...)
		turns[2*i].Number, turns[2*i+1].Number = 2*i, 2*i+1
	}
	at := begin(b)
	for b.Loop() {
		Memories(turns, Options{Base: at})
	}
}
