package main

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/recallerhq/recaller"
)

// talker makes words that look like what people say: sentences of everyday words with a long tail of names, streets and
// products behind them, so that an index of them is as large as one of real speech.
type talker struct{ *rand.Rand }

func (t talker) pick(list []string) string { return list[t.IntN(len(list))] }

// name is a word from the long tail: some 20,000 of them.
func (t talker) name() string {
	var b strings.Builder
	for range 2 + t.IntN(2) {
		b.WriteString(t.pick(syllables))
	}
	return strings.ToUpper(b.String()[:1]) + b.String()[1:]
}

// fill puts words in place of the marks of a template.
func (t talker) fill(template string) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(template, "{")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		mark, after, _ := strings.Cut(rest, "}")
		template = after
		switch mark {
		case "name":
			b.WriteString(t.name())
		case "n":
			fmt.Fprint(&b, 2+t.IntN(97))
		default:
			b.WriteString(t.pick(slots[mark]))
		}
	}
}

// say is one turn of a side.
func (t talker) say(s recaller.Speaker) string {
	list := userLines
	if s == recaller.Assistant {
		list = agentLines
	}
	out := t.fill(t.pick(list))
	for t.IntN(3) > 0 && len(out) < 300 {
		out += " " + t.fill(t.pick(asides))
	}
	return out
}

// memory is the k-th memory of a caller: its type, key and value.
func (t talker) memory(k int) (recaller.MemoryType, string, string) {
	m := memoryLines[k%len(memoryLines)]
	return m.kind, fmt.Sprintf("%s_%d", m.key, k), t.fill(m.value)
}

// query asks for something that turns may hold.
func (t talker) query() string { return t.fill(t.pick(queries)) }

func (t talker) summary() *recaller.Summary {
	return &recaller.Summary{
		Brief:     t.fill("The caller asked about {thing} for {person} and agreed on {day}. {name} will ring back about the {place}."),
		Topics:    []string{t.fill("{thing} from {name}"), t.fill("{activity} with {person}")},
		Decisions: []string{t.fill("Move the {thing} to {day} at {n} past nine")},
		Actions:   []string{t.fill("Send {name} the papers for {thing}")},
		Facts:     []string{t.fill("{person} lives near {place} {name}"), t.fill("Pays {n} dollars a month")},
		Next:      t.fill("Ask how {activity} went."), By: "rules",
	}
}

func (t talker) analysis() *recaller.Analysis {
	return &recaller.Analysis{
		Intent: t.pick([]string{"booking", "question", "complaint"}), Sentiment: t.pick([]string{"positive", "neutral", "negative"}),
		Topics: []string{"appointment", "billing"}, Outcome: "resolved", By: "rules",
	}
}

var syllables = strings.Fields("bar cor den fin gul ham lor mer nit pos rav sun tev wil zan kel mor dra vin tol ber ash ing wex nor lan")

var slots = map[string][]string{
	"thing":    strings.Fields("appointment invoice delivery repair prescription booking refund subscription parcel insurance boiler window contract ticket card upgrade"),
	"person":   {"my daughter", "my son", "my wife", "my husband", "my mother", "my neighbour", "my sister", "my boss", "the doctor", "my grandson"},
	"place":    strings.Fields("hospital station school office church market clinic library garden harbour airport hotel"),
	"day":      {"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "next week", "Sunday morning", "the weekend", "March", "tomorrow afternoon"},
	"activity": strings.Fields("gardening swimming knitting fishing hiking chess painting cooking cycling singing reading golf"),
	"feeling":  {"a bit tired", "much better", "worried", "quite happy", "annoyed", "relieved", "in pain", "fine"},
	"food":     strings.Fields("fish bread soup rice cheese coffee peanuts milk apples chicken"),
}

var userLines = []string{
	"Hi, it's about the {thing} for {person}, could you move it to {day}?",
	"I spoke to {name} last time about the {thing}, and nobody rang back.",
	"We live at {n} {name} Street, just behind the {place}.",
	"{person} is coming on {day} and we wanted to go {activity} together.",
	"I've been feeling {feeling} since {day}, so I couldn't make it to the {place}.",
	"The reference is {name} {n}, and they charged me {n} dollars for the {thing}.",
	"I can't eat {food}, the doctor at {name} said so.",
	"Yes, that's right, {name} with the {place} next door.",
	"No, I don't think {day} works, {person} needs the car.",
}

var agentLines = []string{
	"Of course. I can see the {thing} from {name} here; would {day} suit you?",
	"Thanks for telling me. Is it the {place} on {name} Road?",
	"I'm sorry to hear you were {feeling}. Shall I book the {thing} for {day} then?",
	"Got it, {n} {name} Street. Anything else about the {thing}?",
	"Your {thing} with {name} is confirmed for {day} at {n} past ten.",
	"Could you give me the reference of the {thing}, please?",
}

var asides = []string{
	"You know how it is with {person}.", "It has been like that for {n} months now.", "I really enjoy {activity}, more than I used to.",
	"They told me so at the {place}.", "{name} always said it would happen.", "And it cost me {n} dollars.", "I'd rather have {food} than {food}.",
	"Let me write that down.", "That was on {day}, I believe.",
}

var memoryLines = []struct {
	kind       recaller.MemoryType
	key, value string
}{
	{recaller.Fact, "family", "Has {person} called {name}, who lives near the {place}"},
	{recaller.Preference, "likes", "Likes {activity} and drinks {food} with it"},
	{recaller.Context, "home", "Lives at {n} {name} Street behind the {place}"},
	{recaller.FollowUp, "ask_about", "Ask whether the {thing} from {name} arrived on {day}"},
	{recaller.Wellbeing, "health", "Has been {feeling} since {day}; sees a doctor at {name}"},
	{recaller.History, "work", "Worked {n} years at the {place} of {name}"},
	{recaller.Fact, "pet", "Has a dog named {name}, {n} months old"},
	{recaller.Preference, "avoids", "Does not eat {food}; it was the doctor's advice"},
	{recaller.Fact, "reference", "Customer number {name} {n} for the {thing}"},
	{recaller.Context, "routine", "Goes {activity} on {day} with {person}"},
}

var queries = []string{
	"when is the {thing} for {person}?", "what is the reference number of the {thing}?", "where does {person} live?",
	"{activity} on {day}", "who is {name}, from the {thing}?", "what can't I eat, {food} or {food}?", "how much did the {thing} cost?",
	"what did I say about {person} and the {place}?", "how did I feel on {day}?", "which street is near the {place}?",
}
