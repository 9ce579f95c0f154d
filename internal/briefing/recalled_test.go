package briefing

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/recallerhq/recaller"
)

// said is a turn that was found.
func said(conv string, number int, who recaller.Speaker, past time.Duration, text string) recaller.Hit {
	return recaller.Hit{
		Kind: recaller.HitTurn, ID: fmt.Sprintf("%s/%d", conv, number), Conversation: recaller.ConversationID(conv), Turn: number,
		Speaker: who, Text: text, At: ago(past),
	}
}

func summed(conv string, past time.Duration, text string) recaller.Hit {
	return recaller.Hit{Kind: recaller.HitSummary, ID: conv, Conversation: recaller.ConversationID(conv), Text: text, At: ago(past)}
}

func remembered(id, text string) recaller.Hit {
	return recaller.Hit{Kind: recaller.HitMemory, ID: id, Text: text, At: ago(day)}
}

// ranked gives hits falling scores, near to one another.
func ranked(hits ...recaller.Hit) []recaller.Hit {
	for i := range hits {
		hits[i].Score = 10 - float64(i)/10
	}
	return hits
}

// asked is a briefing with a query, for which the hits were found, best first.
func asked(snap recaller.Snapshot, query string, style recaller.BriefingStyle, hits ...recaller.Hit) recaller.Briefing {
	return compose(material{snap: snap, found: hits}, now, Request{Query: query, Style: style, MaxTokens: 4000, Exclude: "live"}, newZones())
}

// aboutTheTerrace is what was found for a caller who speaks of the terrace: of every kind, some long, some of it known already.
func aboutTheTerrace() []recaller.Hit {
	question := said("t1", 3, recaller.Assistant, 200*day, "Shall we reserve the round table on the terrace?")
	question.Neighbours = []recaller.Turn{turn(2, recaller.User, ago(200*day), "Good evening."), turn(4, recaller.User, ago(200*day), "No, the long one, we are nine people.")}
	return ranked(
		said("t2", 8, recaller.User, 3*day, "On the terrace it was too windy for my mother."),
		question,
		remembered("diet", "diet: vegetarian"),
		summed("t3", 90*day, "Wanted heaters on the terrace.\nTopics: terrace; heating"),
		said("t4", 1, recaller.Assistant, 400*day, strings.Repeat("We have many rooms, and each has its own view. ", 12)+"The terrace closes at nine in winter. "+strings.Repeat("Ask us for more. ", 9)),
		remembered("forgotten by the snapshot", "terrace_umbrella: she brings her own"),
		summed("v2", 6*day, "Asked about the restaurant's hours and whether there is a vegetarian menu."),
		said("t5", 2, recaller.User, 500*day, "My husband proposed to me on your terrace."),
	)
}

func TestWhatFitsTheQueryIsToldWithItsDayAndWhoSaidIt(t *testing.T) {
	b := asked(returning(), "a table on the terrace", recaller.StyleBriefing, aboutTheTerrace()...)
	want := "## What was said before\n" +
		"Found in earlier conversations for what is talked about now. Where two differ, the later one counts.\n" +
		"<notes>\n" +
		"- July 9, 2025, Caller: \"My husband proposed to me on your terrace.\"\n" +
		"- October 17, 2025, Agent: \"…The terrace closes at nine in winter. Ask us for more. Ask us for more. Ask us for more. Ask us for more. Ask us for more. Ask us for more. Ask us for more. Ask us for more. Ask us for more.\"\n" +
		"- May 5, 2026, Agent: \"Shall we reserve the round table on the terrace?\" Caller: \"No, the long one, we are nine people.\"\n" +
		"- August 23, 2026, in short: Wanted heaters on the terrace. Topics: terrace; heating\n" +
		"- November 18, 2026 (last Wednesday), Caller: \"On the terrace it was too windy for my mother.\"\n" +
		"- November 20, 2026 (yesterday), noted: terrace_umbrella: she brings her own\n" +
		"</notes>\n"
	if diff := cmp.Diff(want, partNamed(t, b, "recalled").Text); diff != "" {
		t.Error(diff)
	}
	if last := b.Parts[len(b.Parts)-1]; last.Name != "recalled" || !strings.HasSuffix(b.Text, last.Text) {
		t.Errorf("what changes with every turn should come last, but %q does", last.Name)
	}
}

func TestNothingIsToldTwice(t *testing.T) {
	roof := memory(recaller.Fact, "roof", "the roof leaks over the kitchen", 0.9, ago(30*day))
	knows := recaller.Snapshot{Caller: maria(), Memories: []recaller.Memory{roof}, History: threeCalls()}
	answer := said("c1", 4, recaller.User, 9*day, "No, the long one with the bench.")
	question := said("c1", 3, recaller.Assistant, 9*day, "Shall it be the round table again?")
	question.Neighbours = []recaller.Turn{turn(4, recaller.User, ago(9*day), answer.Text)}
	tests := []struct {
		name string
		snap recaller.Snapshot
		hits []recaller.Hit
		once string   // what is told once
		not  []string // what is not told at all
	}{
		{"what a memory says in the same words", knows, ranked(said("c1", 1, recaller.User, 9*day, "Um, the roof leaks over the kitchen again!")), "the roof leaks over the kitchen", []string{"again!"}},
		{"the memory itself", knows, ranked(remembered("roof", "roof: the roof leaks over the kitchen")), "the roof leaks over the kitchen", []string{"noted:"}},
		{"the summary of one of the last calls", knows, ranked(summed("v1", 40*day, "Asked about pricing and availability.")), "pricing and availability", []string{"in short"}},
		{"what such a summary quotes", knows, ranked(said("v1", 2, recaller.User, 40*day, "I asked about the pricing and the availability.")), "pricing and availability", nil},
		{"what was repeated", recaller.Snapshot{Caller: maria()}, ranked(
			said("c1", 1, recaller.User, 9*day, "The gutter came down in the storm."), said("c2", 1, recaller.User, 5*day, "So the gutter came down in that storm, yes."),
		), "gutter", nil},
		{"an answer that was told with its question", recaller.Snapshot{Caller: maria()}, ranked(question, answer), "the long one with the bench", nil},
		{"a question whose answer was told", recaller.Snapshot{Caller: maria()}, ranked(answer, question), "the long one with the bench", nil},
		{"the last words of the call that broke off", disconnection(time.Minute), ranked(
			said(string(disconnection(time.Minute).BrokenOff.Conversation.ID), 3, recaller.User, time.Minute, disconnection(time.Minute).BrokenOff.Turns[2].Text),
		), disconnection(time.Minute).BrokenOff.Turns[2].Text, nil},
		{"words and their summary", recaller.Snapshot{Caller: maria()}, ranked(
			summed("c1", 9*day, "Reported that a gutter came down."), said("c1", 1, recaller.User, 9*day, "The gutter came down in the storm."),
		), "gutter", nil},
		{"words that say nothing", recaller.Snapshot{Caller: maria()}, ranked(said("c1", 1, recaller.User, 9*day, "Yes, so it is.")), "Maria Lopez", []string{"Yes, so"}},
		{"the live conversation", recaller.Snapshot{Caller: maria()}, ranked(said("live", 1, recaller.User, 0, "My roof is green.")), "Maria Lopez", []string{"green"}},
	}
	for _, test := range tests {
		for _, style := range recaller.BriefingStyles() {
			t.Run(test.name+", "+string(style), func(t *testing.T) {
				text := asked(test.snap, "roof", style, test.hits...).Text
				if style == recaller.StyleSystemPrompt {
					text = strings.ReplaceAll(text, "Welcome back, Maria Lopez!", "")
				}
				if n := strings.Count(text, test.once); n != 1 {
					t.Errorf("%q is told %d times in\n%s", test.once, n, text)
				}
				has(t, text, nil, test.not)
			})
		}
	}
}

func TestWhatDiffersIsTold(t *testing.T) {
	roof := memory(recaller.Fact, "roof", "the roof leaks over the kitchen", 0.9, ago(30*day))
	for name, text := range map[string]string{
		"a negation": "The roof does not leak over the kitchen.",
		"a number":   "The roof leaks over the kitchen in 3 places.",
		"more":       "The roof leaks over the kitchen since the storm.",
		"one word":   "The roof.",
	} {
		b := asked(recaller.Snapshot{Caller: maria(), Memories: []recaller.Memory{roof}}, "roof", "", ranked(said("c1", 1, recaller.User, 9*day, text))...)
		if !strings.Contains(b.Text, text) {
			t.Errorf("%s: %q is missing in\n%s", name, text, b.Text)
		}
	}
	b := asked(recaller.Snapshot{Caller: maria()}, "roof", "", ranked(
		said("c1", 1, recaller.Assistant, 9*day, "Has the roof been repaired since the storm?"), said("c2", 6, recaller.User, 5*day, "The roof has been repaired since the storm."))...)
	has(t, b.Text, []string{"The roof has been repaired"}, nil)
}

func TestAGreetingBringsNothingBack(t *testing.T) {
	hits := ranked(
		said("c1", 1, recaller.User, 9*day, "Good morning, this is Maria Lopez."), said("c2", 1, recaller.User, 8*day, "Hello, I hope you have a good day."),
		said("c3", 1, recaller.User, 7*day, "Tomorrow morning I have time."), said("c4", 1, recaller.User, 6*day, "Rain comes in above the pantry."),
	)
	for query, want := range map[string][]string{
		"Good morning, this is Maria Lopez.":          {"above the pantry"}, // which shares no word, and so was found by what it means
		"Hello, good day, which morning suits Maria?": {"Good morning, this", "Tomorrow morning", "above the pantry"},
	} {
		var not []string
		if len(want) == 1 {
			not = []string{"Good morning", "I hope", "Tomorrow"}
		}
		has(t, asked(recaller.Snapshot{Caller: maria()}, query, "", hits...).Text, want, not)
	}
}

func TestWhatFitsMuchLessThanTheBestIsNotTold(t *testing.T) {
	hits := ranked(said("c1", 1, recaller.User, 9*day, "The roof leaks."), said("c2", 1, recaller.User, 8*day, "The roof tiles are red."), said("c3", 1, recaller.User, 7*day, "I have a dog."))
	hits[2].Score = hits[0].Score * 0.3
	has(t, asked(returning(), "roof", "", hits...).Text, []string{"leaks", "tiles"}, []string{"a dog"})
}

// Short of room, the memory that fits stays though it is the least sure, and so does the conversation that was found.
func TestTheBudgetGoesToWhatFitsTheMoment(t *testing.T) {
	snap := returning()
	snap.Memories = nil
	for i := range 40 {
		snap.Memories = append(snap.Memories, memory(recaller.Fact, fmt.Sprintf("fact_%02d", i), "something about it", float64(i)/100+0.6, ago(day)))
	}
	told := func(hits ...recaller.Hit) recaller.Briefing {
		return compose(material{snap: snap, found: hits}, now, Request{MaxTokens: 500, Query: "pricing"}, newZones())
	}
	memories, history := partNamed(t, told(), "memories").Text, partNamed(t, told(), "history").Text
	if strings.Contains(memories, "Fact 00") || strings.Contains(history, "pricing and availability") {
		t.Fatalf("there is room for all:\n%s%s", memories, history)
	}
	b := told(ranked(remembered("fact_00", "fact_00: something about it"), summed("v1", 40*day, "Asked about pricing and availability."))...)
	has(t, partNamed(t, b, "memories").Text, []string{"Fact 00"}, nil)
	has(t, partNamed(t, b, "history").Text, []string{"pricing and availability"}, nil)
	if b.Tokens > 500 {
		t.Errorf("%d tokens are more than 500", b.Tokens)
	}
}

func TestMemoriesThatFitGoBeforeTheRestOfTheLastCall(t *testing.T) {
	snap := returning()
	snap.Memories = nil
	for i := range 3 {
		snap.Memories = append(snap.Memories, memory(recaller.Fact, fmt.Sprintf("fact_%02d", i), "a word", 0.7, ago(day)))
	}
	in := material{snap: snap, found: ranked(remembered("fact_00", "fact_00: a word"), remembered("fact_01", "fact_01: a word"), remembered("fact_02", "fact_02: a word"))}
	for budget := compactBelow; ; budget++ {
		text := compose(in, now, Request{MaxTokens: budget, Query: "a word"}, newZones()).Text
		if rest := strings.Contains(text, "Action items:"); rest && !strings.Contains(text, "Fact 02") {
			t.Fatalf("budget %d: a memory that fits is missing in\n%s", budget, text)
		} else if rest {
			return
		}
	}
}

func TestOfFewMemoriesThoseThatFitAreTold(t *testing.T) {
	b := compose(material{snap: returning(), found: ranked(remembered("home_town", "home_town: Madison"), remembered("elsewhere", "pet: a dog"))}, now,
		Request{Query: "where is she from", MaxMemories: 3}, newZones())
	has(t, b.Text, []string{"Madison"}, []string{"a dog"})
}

func TestTheBestIsKeptWhereTheBudgetIsShort(t *testing.T) {
	hits := ranked(said("c2", 1, recaller.User, 8*day, "The roof tiles are red and old."), said("c1", 1, recaller.User, 9*day, "The roof leaks over the kitchen."), said("c3", 1, recaller.User, 7*day, "A roof of slate costs more than one of tiles."))
	for budget := 1; budget < 600; budget++ {
		b := compose(material{snap: recaller.Snapshot{Caller: maria()}, found: hits}, now, Request{Query: "roof", MaxTokens: budget}, newZones())
		best, second, third := strings.Contains(b.Text, "red and"), strings.Contains(b.Text, "over the kitchen"), strings.Contains(b.Text, "of slate")
		if second && !best || third && !second {
			t.Fatalf("budget %d: the best is not kept in\n%s", budget, b.Text)
		}
		if third {
			return
		}
	}
	t.Error("all of it was never told")
}

func TestALongTextIsQuotedWhereItFits(t *testing.T) {
	r := newReader("is the roof leaking?", "")
	filler := strings.Repeat("something else altogether and then some more of it ", 20)
	for name, text := range map[string]string{
		"sentences":        strings.ReplaceAll(filler, "it ", "it. ") + "The roof leaks. " + filler,
		"lines":            strings.ReplaceAll(filler, "it ", "it\n") + "the roof leaks\n" + filler,
		"no signs at all":  filler + "the roof leaks " + filler,
		"one endless word": strings.Repeat("x", 2000) + " the roof leaks",
	} {
		got := string(appendData(nil, r.passage(text, maxQuote), maxQuote))
		if !strings.Contains(strings.ToLower(got), "the roof leaks") || !strings.HasPrefix(got, "…") || len([]rune(got)) > maxQuote {
			t.Errorf("%s: got %q", name, got)
		}
	}
	if got := r.passage("The roof leaks.", maxQuote); got != "The roof leaks." {
		t.Errorf("what is short should stay whole, got %q", got)
	}
}

func FuzzSentencesAreTheText(f *testing.F) {
	f.Add("One. Two! 3.5\nFour? five \xff\xfe。六")
	f.Fuzz(func(t *testing.T, text string) {
		if got := strings.Join(sentences(text), ""); got != text {
			t.Errorf("got %q, want %q", got, text)
		}
		newReader("two", "").passage(text, 5)
	})
}
