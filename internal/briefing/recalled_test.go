package briefing

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

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

// aboutTheTerrace is what was found for a caller who speaks of the terrace: of every kind, some long, some of it known
// already.
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
	}
	for _, test := range tests {
		for _, style := range recaller.BriefingStyles() {
			t.Run(test.name+", "+string(style), func(t *testing.T) {
				text := asked(test.snap, "the roof, the gutter, the pricing, the round table and the long bench", style, test.hits...).Text
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
		"Good morning, this is Maria Lopez.":          nil,
		"Hello, good day, which morning suits Maria?": {"Good morning, this", "Tomorrow morning"},
		"Good morning, the ceiling is wet.":           {"above the pantry"}, // which shares no word, and so was found by what it means
	} {
		var not []string
		for _, h := range hits {
			if !slices.ContainsFunc(want, func(w string) bool { return strings.Contains(h.Text, w) }) {
				not = append(not, h.Text)
			}
		}
		has(t, asked(recaller.Snapshot{Caller: maria()}, query, "", hits...).Text, want, not)
	}
}

func TestWhatIsFoundByItsMeaningMustMeanTheSame(t *testing.T) {
	const puppy, piano, roof = "My puppy was taken ill.", "We moved the piano upstairs.", "Das Dach ist undicht, und es tropft auf die Treppe."
	tests := []struct {
		query string
		told  map[string]bool // of what was found
	}{
		{"is the dog sick?", map[string]bool{puppy: true, piano: false}},
		{"what did I mention last week, about the dog?", map[string]bool{puppy: true, piano: true}}, // it may have been found by the time
		{"was ist mit den Dächern und der Küche?", map[string]bool{roof: true}},                     // of what is not English other forms of the words
		{"the stairs?", map[string]bool{roof: true}},
	}
	for _, test := range tests {
		var hits []recaller.Hit
		for text := range test.told {
			hits = append(hits, said("c1", len(hits), recaller.User, 9*day, text))
		}
		b := asked(recaller.Snapshot{Caller: maria()}, test.query, "", ranked(hits...)...)
		for text, want := range test.told {
			if told := strings.Contains(b.Text, text); told != want {
				t.Errorf("%q: %q is told: %v, want %v", test.query, text, told, want)
			}
		}
	}
}

// A hit is marked as what was heard is everywhere.
func TestWhatIsDoubtfulIsMarked(t *testing.T) {
	hits := ranked(said("c1", 1, recaller.User, 9*day, "The roof over the kitchen"), said("c2", 2, recaller.User, 8*day, "The roofer is called Ames."), said("c3", 3, recaller.User, 7*day, "The roof is new."))
	hits[0].Interrupted, hits[1].Confidence, hits[2].Confidence = true, 0.3, 1
	b := asked(recaller.Snapshot{Caller: maria()}, "the roof and the roofer", "", hits...)
	has(t, b.Text, []string{"over the kitchen\" (cut off)\n", "called Ames.\" (unsure)\n", "is new.\"\n"}, nil)
}

// What a summary says beyond what stands in the history is told, and nothing else of it.
func TestOfASummaryTheRestIsTold(t *testing.T) {
	snap := recaller.Snapshot{Caller: maria(), History: threeCalls()}
	summary := summed("v1", 40*day, "Asked about pricing and availability.\nTopics: gate; pricing\nFacts: the gate code is 4711; the dog is brown\nNext: open the gate on Monday")
	b := asked(snap, "what is the code of the gate?", "", ranked(summary)...)
	has(t, b.Text, []string{", in short: Facts: the gate code is 4711 Next: open the gate on Monday\n"}, []string{"brown", "Topics"})
	if n := strings.Count(b.Text, "pricing and availability"); n != 1 {
		t.Errorf("what the history tells is told %d times in\n%s", n, b.Text)
	}
}

// The summary of the first call says what the second says, but it is not told, for the first call's own words are.
func TestWhatIsNotToldTellsNothing(t *testing.T) {
	b := asked(recaller.Snapshot{Caller: maria()}, "the gutter and the roof", "", ranked(
		summed("c1", 9*day, "The gutter came down in the storm. The roof is dry."),
		said("c2", 3, recaller.User, 5*day, "The gutter came down in the storm."),
		said("c1", 1, recaller.User, 9*day, "Nothing drips from the roof."),
	)...)
	has(t, b.Text, []string{"Caller: \"The gutter came down in the storm.\"", "Nothing drips"}, []string{"in short"})
}

// However short the budget: what was said before waits, beyond its share, until all else is told.
func TestWhatWasSaidBeforeTakesItsShareOnly(t *testing.T) {
	var hits []recaller.Hit
	for i := range 6 {
		hits = append(hits, said(fmt.Sprintf("c%d", i), 1, recaller.User, time.Duration(i+1)*day, fmt.Sprintf("The roof over room %d leaks, and I have said so to %d people, who all wrote it down and did nothing, though the rain of these last weeks has come through to the cellar and spoilt what my grandmother kept there.", i, i+2)))
	}
	snap := everything()
	for i := range 40 {
		snap.Memories = append(snap.Memories, memory(recaller.Fact, fmt.Sprintf("fact_%02d", i), "something about it", 0.8, ago(day)))
	}
	whole, most := false, 0
	for budget := 200; !whole; budget += 10 {
		b := compose(material{snap: snap, found: ranked(hits...)}, now, Request{MaxTokens: budget, Query: "roof"}, newZones())
		recalled, cut := 0, false
		for _, p := range b.Parts {
			if p.Name == "recalled" {
				recalled, whole = p.Tokens, !p.Cut
			} else {
				cut = cut || p.Cut
			}
		}
		if cut && recalled > budget/3 {
			t.Fatalf("budget %d: %d tokens of what was said before, while others are cut", budget, recalled)
		}
		if cut {
			most = max(most, recalled)
		}
	}
	if most < 100 {
		t.Errorf("it never had more than %d tokens while others were cut", most)
	}
}

func TestWhatFitsMuchLessThanTheBestIsNotTold(t *testing.T) {
	hits := ranked(said("c1", 1, recaller.User, 9*day, "The roof leaks."), said("c2", 1, recaller.User, 8*day, "The roof tiles are red."), said("c3", 1, recaller.User, 7*day, "A roof for a dog."))
	hits[2].Score = hits[0].Score * 0.3
	has(t, asked(returning(), "roof", "", hits...).Text, []string{"leaks", "tiles"}, []string{"for a dog"})
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
	if strings.Contains(memories, "fact_00") || strings.Contains(history, "pricing and availability") {
		t.Fatalf("there is room for all:\n%s%s", memories, history)
	}
	b := told(ranked(remembered("fact_00", "fact_00: pricing, or something about it"), summed("v1", 40*day, "Asked about pricing and availability."))...)
	has(t, partNamed(t, b, "memories").Text, []string{"fact_00"}, nil)
	has(t, partNamed(t, b, "history").Text, []string{"pricing and availability"}, nil)
	if b.Tokens > 500 {
		t.Errorf("%d tokens are more than 500", b.Tokens)
	}
}

func TestAMemoryThatSharesSmallTalkOnlyDoesNotFit(t *testing.T) {
	snap := returning()
	snap.Memories = nil
	for i := range 40 {
		snap.Memories = append(snap.Memories, memory(recaller.Fact, fmt.Sprintf("fact_%02d", i), "something to know", float64(i)/100+0.6, ago(day)))
	}
	b := compose(material{snap: snap, found: ranked(remembered("fact_00", "fact_00: something to know"))}, now, Request{MaxTokens: 500, Query: "do you know of something about the roof?"}, newZones())
	has(t, b.Text, []string{"fact_39"}, []string{"fact_00"})
}

// A long answer to a question that was found is told as far as it is read in one breath.
func TestALongAnswerIsCut(t *testing.T) {
	question := said("c1", 3, recaller.Assistant, 9*day, "What is the matter with the roof?")
	question.Neighbours = []recaller.Turn{turn(4, recaller.User, ago(9*day), strings.Repeat("It drips here and there. ", 20))}
	part := partNamed(t, asked(recaller.Snapshot{Caller: maria()}, "roof", "", question), "recalled").Text
	_, answer, _ := strings.Cut(part, `Caller: "`)
	answer, _, _ = strings.Cut(answer, `"`)
	if n := utf8.RuneCountInString(answer); n > maxAnswer || n < maxAnswer-20 || !strings.HasSuffix(answer, "…") {
		t.Errorf("got %d runes: %q", n, answer)
	}
}

// What is found is looked at as far as somebody would read on: neither to the end of an endless text nor through
// endless many.
func TestOnlySoMuchIsLookedAt(t *testing.T) {
	var hits []recaller.Hit
	for i := range 30 {
		hits = append(hits, said(fmt.Sprintf("c%d", i), 1, recaller.User, 9*day, "A piano."))
	}
	last := said("last", 1, recaller.User, 9*day, "The roof leaks.")
	told := func(hits ...recaller.Hit) bool {
		for i := range hits {
			hits[i].Score = 1
		}
		return strings.Contains(asked(recaller.Snapshot{Caller: maria()}, "roof", "", hits...).Text, "The roof leaks.")
	}
	if !told(append(slices.Clone(hits[:20]), last)...) || told(append(slices.Clone(hits), last)...) {
		t.Error("want what comes behind twenty others to be told, and not what comes behind thirty")
	}
	for size, want := range map[int]bool{maxRead / 2: true, maxRead: false} {
		if got := told(said("c1", 1, recaller.User, 9*day, strings.Repeat("x ", size/2)+"The roof leaks.")); got != want {
			t.Errorf("what stands behind %d bytes is told: %v, want %v", size, got, want)
		}
	}
	for _, text := range []string{strings.Repeat("é", maxRead), strings.Repeat("é ", maxRead), strings.Repeat("\xff", 2*maxRead)} {
		if got := beginning(text); len(got) > maxRead+len("…") || !strings.HasSuffix(got, "…") || utf8.ValidString(text) != utf8.ValidString(got) {
			t.Errorf("of %.10q there are %d bytes", text, len(got))
		}
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
		if rest := strings.Contains(text, "Action items:"); rest && !strings.Contains(text, "fact_02") {
			t.Fatalf("budget %d: a memory that fits is missing in\n%s", budget, text)
		} else if rest {
			return
		}
	}
}

func TestOfFewMemoriesThoseThatFitAreTold(t *testing.T) {
	b := compose(material{snap: returning(), found: ranked(remembered("home_town", "home_town: Madison"), remembered("elsewhere", "pet: a dog from another town"))}, now,
		Request{Query: "which town is she from", MaxMemories: 3}, newZones())
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
	r := newReader("is the roof leaking?", "", now)
	filler := strings.Repeat("something else altogether and then some more of it ", 20)
	for name, text := range map[string]string{
		"sentences":        strings.ReplaceAll(filler, "it ", "it. ") + "The roof leaks. " + filler,
		"lines":            strings.ReplaceAll(filler, "it ", "it\n") + "the roof leaks\n" + filler,
		"no signs at all":  filler + "the roof leaks " + filler,
		"one endless word": strings.Repeat("x", 2000) + " the roof leaks",
	} {
		got := r.passage(text, maxQuote)
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
		if got := newReader("two", "", now).passage(text, 5); utf8.RuneCountInString(got) > 5 || !utf8.ValidString(got) {
			t.Errorf("got %q, want at most 5 runes", got)
		}
	})
}
