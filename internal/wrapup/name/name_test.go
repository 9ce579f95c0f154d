package name

import (
	"os"
	"strings"
	"testing"

	"github.com/recallerhq/recaller"
)

// exchange is one line of a table: turns, and the name that they give.
type exchange struct {
	line, want string
	turns      []recaller.Turn
}

func exchanges(t testing.TB, file string) []exchange {
	t.Helper()
	raw, err := os.ReadFile("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	var out []exchange
	for line := range strings.Lines(string(raw)) {
		talk, want, ok := strings.Cut(strings.TrimSpace(line), " => ")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		e := exchange{line: talk, want: strings.Trim(want, "- ")}
		for i, said := range strings.Split(talk, " / ") {
			who, text, _ := strings.Cut(said, ": ")
			speaker := recaller.User
			if who == "A" {
				speaker = recaller.Assistant
			}
			e.turns = append(e.turns, recaller.Turn{Number: i, Speaker: speaker, Text: text, Confidence: 1})
		}
		out = append(out, e)
	}
	return out
}

// measure counts the names that are as given, and shows the others where show is set.
func measure(t *testing.T, file string, show bool) (right, given, rightGiven int, all []exchange) {
	t.Helper()
	all = exchanges(t, file)
	for _, e := range all {
		got, _, ok := Said(e.turns)
		good := got == e.want && ok == (e.want != "")
		if good {
			right++
		} else if show {
			t.Logf("%s: got %q, want %q", e.line, got, e.want)
		}
		if e.want != "" {
			given++
			if good {
				rightGiven++
			}
		}
	}
	return right, given, rightGiven, all
}

func TestNamesAreKnownAsTheyWereGiven(t *testing.T) {
	for file, least := range map[string]int{"exchanges.txt": 90, "strangers.txt": 90, "late.txt": 75, "held.txt": 90, "openings.txt": 95, "firms.txt": 98} {
		right, given, known, all := measure(t, file, file != "held.txt" || os.Getenv("RECALLER_SHOW") != "")
		t.Logf("%s: right %d of n=%d; given and known %d of n=%d", file, right, len(all), known, given)
		if right*100 < least*len(all) {
			t.Errorf("%s: %d of %d are right, want %d %%", file, right, len(all), least)
		}
	}
}

// Essays, lists and what is pasted are no talk: a heading is nobody's name, nor is a place that the agent lists.
func TestWhatIsWrittenGivesNoNames(t *testing.T) {
	t.Parallel()
	essay := strings.Repeat("There is much to see and to taste in the valleys of the north, and every village has a cellar of its own. ", 4)
	for _, tt := range []struct{ agent, caller, want string }{
		{essay + "Have you been to Sonoma, Mendocino, Calistoga, or Healdsburg? " + essay, "I'd like to see Calistoga Springs, what is the best time?", ""},
		{essay + "What is the name of the wine? " + essay, "Chateau Montelena. Tell me more.", ""},
		{"How can I help?", "Capital Budgeting\nCorporate Valuation\nPlease solve the tasks above.", ""},
		{"How can I help?", "Improve my letter:\nDear Sir, my name is Sean Downie and I apply for the post.", "Sean Downie"},
		{essay + "By the way, what is your name?", "Ines Okafor.", "Ines Okafor"},
		{"Hello, who is calling?", "It's Ines Okafor, and " + essay, "Ines Okafor"},
	} {
		got, _, _ := Said([]recaller.Turn{
			{Number: 0, Speaker: recaller.Assistant, Text: tt.agent, Confidence: 1},
			{Number: 1, Speaker: recaller.User, Text: tt.caller, Confidence: 1},
		})
		if got != tt.want {
			t.Errorf("%.60q: got %q, want %q", tt.caller, got, tt.want)
		}
	}
}

// Words that are a surname too are one where they are said to be.
func TestSurnamesThatAreWords(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]string{
		"Hello, this is Ade Okafor.":                                          "Ade Okafor",
		"Hier ist Claudia Schön.":                                             "Claudia Schön",
		"Hier spricht Hans Zimmer.":                                           "Hans Zimmer",
		"My name is Martin Schade.":                                           "Martin Schade",
		"Me llamo Juan García López.":                                         "Juan García López",
		"García, Juan García López.":                                          "Juan García López",
		"Frische Eier vom Hof, bitte.":                                        "",
		"Hallo, Bücher von der Schule sind da.":                               "",
		"Warme Semmeln von der Bäckerei Huber hätte ich gern.":                "",
		"Guten Tag, Sauter vom Weingut Sauter, ich rufe wegen der Kisten an.": "Sauter",
	} {
		if got, _, _ := Said([]recaller.Turn{{Speaker: recaller.User, Text: said, Confidence: 1}}); got != want {
			t.Errorf("%q: got %q, want %q", said, got, want)
		}
	}
}

func TestATurnIsToldAndWhatWasHardlyHeardTellsNothing(t *testing.T) {
	talk := func(lines ...string) (out []recaller.Turn) {
		for i, l := range lines {
			speaker := recaller.User
			if text, ok := strings.CutPrefix(l, "A: "); ok {
				speaker, l = recaller.Assistant, text
			}
			out = append(out, recaller.Turn{Number: i, Speaker: speaker, Text: l, Confidence: 1})
		}
		return out
	}
	tests := []struct {
		turns []recaller.Turn
		want  string
		turn  int
	}{
		{talk("A: my name is elizabeth", "hi my name is patricia brown"), "Patricia Brown", 1},
		{talk("This is John from accounting."), "John", 0},
		{talk("My name is Jonathan Reed.", "Call me Johnny."), "Jonathan Reed", 0},
		{talk("A: Good morning.", "You can call me Johnny."), "Johnny", 1},
		{talk("A: May I have your full name?", "Sure, Tanya Miller."), "Tanya Miller", 1},
		{talk("A: Can I confirm your name please?", "yeah it's john smith and i am thirty two"), "John Smith", 1},
		{talk("my name's atan"), "Atan", 0},
		{talk("My name is spelled wrong on the card."), "", 0},
		{talk("My name is not important."), "", 0},
		{talk("My wife's name is Anna."), "", 0},
		{talk("hi it's jun battery never came"), "Jun", 0},
		{talk("hola soy ignacio ferrer mire que tenemos reserva"), "Ignacio Ferrer", 0},
		{talk("it's maureen she passed on monday"), "", 0},
		{talk("A: Posso pôr em seu nome. Qual é o livro?", "Leio devagar."), "", 0},
		{talk("A: Whose bag is it?", "Pilar Montoya."), "", 0},
		{talk("This is great."), "", 0},
		{talk("Call me back tomorrow."), "", 0},
		{talk("Can you call me on Monday?"), "", 0},
		{talk("If my name is on the list I get in."), "", 0},
		{talk("A: My name is Elizabeth.", "Hello Elizabeth."), "", 0},
		{talk("She said my name is Bob."), "", 0},
	}
	for _, tt := range tests {
		got, turn, ok := Said(tt.turns)
		if got != tt.want || turn != tt.turn || ok != (tt.want != "") {
			t.Errorf("%v: got %q from turn %d (%v), want %q from %d", tt.turns, got, turn, ok, tt.want, tt.turn)
		}
	}
	cut, unheard := talk("My name is Anna."), talk("My name is Anna.")
	cut[0].Interrupted, unheard[0].Confidence = true, 0.49
	for _, turns := range [][]recaller.Turn{cut, unheard} {
		if got, _, ok := Said(turns); ok {
			t.Errorf("got %q from words that were cut off or hardly heard, want none", got)
		}
	}
}

// Any words have an answer, and a name is a few words of letters.
func FuzzSaid(f *testing.F) {
	for _, file := range []string{"exchanges.txt", "strangers.txt", "late.txt", "held.txt", "openings.txt"} {
		for _, e := range exchanges(f, file) {
			f.Add(e.line)
		}
	}
	f.Add("0\x85/it's \xff")
	f.Fuzz(func(t *testing.T, line string) {
		var turns []recaller.Turn
		for i, text := range strings.Split(line, "/") {
			turns = append(turns, recaller.Turn{Number: i, Speaker: []recaller.Speaker{recaller.Assistant, recaller.User}[i%2], Text: text})
		}
		got, turn, ok := Said(turns)
		if ok != (got != "") || len(strings.Fields(got)) > 8 || turn < 0 || turn >= len(turns) {
			t.Errorf("%q: got %q from turn %d (%v)", line, got, turn, ok)
		}
	})
}
