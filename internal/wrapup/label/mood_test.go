package label

import (
	"encoding/json"
	"testing"
)

// The misses are not shown, so that nobody makes phrases of them: who needs more writes new calls first.
func TestMoodsOfShortCalls(t *testing.T) {
	calls := labelledCalls(t, "moods.txt")
	right := map[string]int{}
	sum := 0
	for _, c := range calls {
		if Analyse(c.turns, nil, c.broke, must(t, "service")).Sentiment == c.sentiment {
			right[c.sentiment]++
			sum++
		}
	}
	t.Logf("of n=%d right %d: %v", len(calls), sum, right)
	if least := 63; len(calls) != 75 || sum < least {
		t.Errorf("got %d of %d right, want %d of 75 at least", sum, len(calls), least)
	}
	for mood, n := range right {
		if n < 18 {
			t.Errorf("%s: got %d of 25 right, want 18 at least", mood, n)
		}
	}
}

func TestMoodGoesByWhatIsMeant(t *testing.T) {
	for _, tt := range []struct {
		name, want string
		turns      []string
	}{
		{"an idiom is no threat", Neutral, []string{
			"assistant: Workshop.",
			"user: The brakes squeal like a pig. My wife will kill me if it's not done by Friday. How much?", "assistant: Ninety.",
			"user: Daylight robbery. Go on then.", "assistant: Friday at eight.", "user: Friday at eight.",
		}},
		{"what nobody mends", Negative, []string{
			"assistant: Workshop.",
			"user: Nobody called me back on Monday and the brakes are still not fixed.", "assistant: You would have to write to us.",
			"user: So what am I paying you for? That's ridiculous.",
		}},
		{"what is mended, and taken so", Positive, []string{
			"assistant: Workshop.",
			"user: You charged me twice for the brakes.", "assistant: That was our mistake. I've refunded it, and the wash is free.",
			"user: Oh, that's really kind of you, thank you so much. You've been brilliant.",
		}},
		{"praise that is not given", Neutral, []string{
			"assistant: Workshop.", "user: Is he a good man for brakes?",
			"assistant: He is.", "user: If he's so very kind and patient, put me down for Friday.", "assistant: Friday it is.", "user: Okay.",
		}},
		{"the agent's greeting is for anybody", Neutral, []string{
			"assistant: Hello, lovely to hear from you! I'm so glad you called.",
			"user: When do you open?", "assistant: At nine.", "user: And on Sunday?", "assistant: At ten.", "user: Okay, bye.",
		}},
		{"joy in other words, with the agent's", Positive, []string{
			"assistant: Praxis.", "user: Ich hab die Prüfung bestanden!",
			"assistant: Das freut mich!", "user: Ich bin so froh, vielen Dank für alles.",
		}},
		{"where one is, and what is dead and not deadly", Neutral, []string{
			"assistant: Workshop.",
			"user: I'm in town on Monday. The battery is dead.", "assistant: Monday at nine.", "user: I'm in a meeting then.",
			"assistant: At ten.", "user: Ten, I'm in by ten.",
		}},
		{"anger at the beginning is anger too", Negative, []string{
			"assistant: Workshop.",
			"user: The oil light is on again. It's a disgrace, I'm that angry I could spit.", "assistant: Monday at nine.",
			"user: Is there nothing before?", "assistant: No.", "user: Monday at nine.", "assistant: Your name?", "user: Ann Pell.",
		}},
		{"nothing was said", Neutral, nil},
	} {
		if got := Analyse(call(tt.turns...), nil, false, must(t, "service")).Sentiment; got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
	}
}

func TestATenantsOwnWordsOfFeelingAreClear(t *testing.T) {
	own, err := ParsePack([]byte(`{"name":"surf","positive":["gnarly"],"negative":["wiped out"]}`))
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"That lesson was gnarly": Positive, "I was wiped out by that": Negative, "It was not gnarly": Negative, "I want a lesson": Neutral,
	} {
		turns := call("user: Hello there.", "assistant: Hello.", "user: "+text, "assistant: I see.", "user: That is all.")
		if got := Analyse(turns, nil, false, []Pack{own}).Sentiment; got != want {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	}
}

// Every sign that has a table has one with phrases that can be found, and there is no other table.
func TestTheTablesOfMoods(t *testing.T) {
	var in map[string][]string
	if err := json.Unmarshal(moodTables, &in); err != nil {
		t.Fatal(err)
	}
	if len(in) != int(unjoy) {
		t.Errorf("got %d tables, want %d", len(in), unjoy)
	}
	for _, s := range signs[:unjoy] {
		seen := map[string]bool{}
		for _, phrase := range in[s.table] {
			if _, ok := newPattern(phrase); !ok {
				t.Errorf("%s: %q is no phrase", s.table, phrase)
			}
			if seen[phrase] {
				t.Errorf("%s: %q stands twice", s.table, phrase)
			}
			seen[phrase] = true
		}
		if len(seen) == 0 {
			t.Errorf("there is no table %s", s.table)
		}
	}
}
