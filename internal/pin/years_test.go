package pin_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/agreement"
	"github.com/recallerhq/recaller/internal/pin"
	"github.com/recallerhq/recaller/internal/wrapup/reading"
)

// matter is something that a made-up caller has going on, now and then, over years.
type matter struct {
	word     string // its pin's title has it
	episodes []episode
	open     []string // what he says while it goes on; %s is a day to come
	answers  []string // what the agent says to that
	settle   []string // with what he says that it is over
	reopen   []string // with what he comes back to it
	casual   []string // with what he mentions it though it is over, and nothing changes
}

// episode is a time in which a matter goes on, in months from the beginning. It ends settled, or just ends.
type episode struct {
	from, calls int
	settled     bool
}

var matters = []matter{
	{
		word: "boiler", episodes: []episode{{2, 6, true}, {40, 5, true}, {95, 6, true}},
		open: []string{
			"The boiler keeps losing pressure and I have to top it up every morning.", "I'm ringing about the boiler, it's making that banging noise.",
			"um so the boiler went off in the night again and there's no hot water", "Is there any news on the part for the boiler?",
			"Could somebody look at our boiler %s?", "My boiler is leaking from underneath, there's a puddle on the floor.",
		},
		answers: []string{
			"I'll send the engineer for the boiler %s at ten.", "The part is ordered, and we'll call you when it arrives.", "We have it down for %s.",
		},
		settle: []string{"The boiler is fixed now, thank you, it's been warm all week.", "Your man came and the boiler's working again.", "The boiler has been replaced, and it's lovely and quiet."},
		reopen: []string{"I'm sorry to say the boiler has broken down again.", "The boiler is playing up again, there's no heating."},
		casual: []string{"It's been warm here since the boiler was replaced.", "The boiler man was very polite, by the way."},
	},
	{
		word: "Orlando", episodes: []episode{{5, 9, true}, {70, 4, false}},
		open: []string{
			"I wanted to talk about the Orlando sale.", "The realtor says there's an offer on the house in Orlando.", "We had two viewings of the Orlando house last week.",
			"Any update on the Orlando closing?", "The buyer in Orlando wants the pool inspected %s.", "We've lowered the asking price for the Orlando place.",
			"I have to sign the Orlando papers %s.",
		},
		answers: []string{"The closing is planned for %s.", "I'll remind you to sign the papers %s.", "Noted, I'll keep an eye on it."},
		settle:  []string{"Well, we sold the Orlando house.", "We closed on the Orlando house yesterday.", "The Orlando sale went through on Friday."},
		reopen:  []string{"We need to talk about Orlando again, the tax office sent a letter about the sale."},
		casual:  []string{"It's hotter here than it ever was in Orlando."},
	},
	{
		word: "Dubai", episodes: []episode{{20, 8, true}},
		open: []string{
			"We're thinking about moving to Dubai.", "The Dubai move is on, my company said yes.", "I need a shipping quote for the Dubai move.", "Our visas for Dubai should be ready %s.",
			"They want us in Dubai by the summer.", "i still have to find a school in dubai before the move", "The flight to Dubai is %s.",
		},
		answers: []string{"I'll ask three shippers for quotes.", "I'll put that in your calendar for %s."},
		settle:  []string{"We've moved to Dubai, we're finally here.", "Hello from Dubai, we've moved into the new place in Dubai."},
		casual:  []string{"Everyone here in Dubai says hello."},
	},
	{
		word: "knee", episodes: []episode{{12, 6, true}, {60, 5, true}},
		open: []string{
			"My knee is bad, I can hardly get down the stairs.", "The hospital rang about my knee operation.", "My knee operation is %s.", "They moved the knee operation to %s.",
			"I have to do exercises for my knee every day.", "How long should the knee be bandaged?",
		},
		answers: []string{"I'll note that the operation is %s.", "I'm sorry to hear that."},
		settle:  []string{"My knee is completely healed, I walked five miles.", "The knee operation went well, I'm as good as new."},
		reopen:  []string{"It's my knee again, the other one this time."},
		casual:  []string{"I walked to the shops on my new knee."},
	},
	{
		word: "kitchen", episodes: []episode{{30, 8, true}},
		open: []string{
			"We're planning a kitchen renovation.", "The kitchen renovation starts %s.", "The cabinets for the kitchen renovation are delayed.", "I want the kitchen renovation done before the holidays.",
			"The fitter for the kitchen renovation let us down.", "Who pays if the kitchen renovation runs over?",
		},
		answers: []string{"I'll send the drawings %s.", "Understood."},
		settle:  []string{"The kitchen renovation is finished, and we love it.", "The kitchen renovation is all done."},
		casual:  []string{"We had twelve people round since the kitchen renovation."},
	},
	{
		word: "Tesla", episodes: []episode{{8, 4, true}, {33, 4, true}, {57, 4, true}, {81, 4, true}, {105, 4, true}},
		open: []string{
			"Remind me about the Tesla service.", "The Tesla needs its service.", "Can you book the Tesla in %s?", "The garage says the Tesla needs new tyres too.", "I need the Tesla back by %s.",
		},
		answers: []string{"I'll book it for %s.", "I'll remind you %s."},
		settle:  []string{"The Tesla is done, I picked it up this morning.", "The Tesla service went fine."},
		reopen:  []string{"The Tesla needs its service again.", "Can you book the Tesla in again?"},
		casual:  []string{"I drove up in the Tesla, it took four hours."},
	},
	{
		word: "passport", episodes: []episode{{45, 5, true}},
		open: []string{
			"My passport runs out in the spring.", "I sent off the passport forms.", "The passport office wants another photo by %s.", "Is there any word on my passport?", "I still don't have my passport.",
		},
		answers: []string{"It usually takes three weeks.", "I'll check with them %s."},
		settle:  []string{"The passport has arrived.", "My passport finally arrived."},
		casual:  []string{"I keep the passport in the drawer now."},
	},
	{
		word: "roof", episodes: []episode{{75, 7, true}},
		open: []string{
			"A tile came off the conservatory roof.", "Water comes through the conservatory roof when it rains.", "The roofer can look at the conservatory roof %s.",
			"I got a price for the conservatory roof and it's shocking.", "They'll start on the conservatory roof %s.",
		},
		answers: []string{"I'll ask for a second price.", "Then I'll note %s for the roof."},
		settle:  []string{"The conservatory roof is finished, not a drop comes through.", "The conservatory roof has been repaired."},
		casual:  []string{"We sat under the conservatory roof in the storm."},
	},
	{
		word: "cruise", episodes: []episode{{50, 5, true}},
		open: []string{
			"We'd like to book the Norway cruise.", "The Norway cruise is %s.", "Which cabin do we have on the Norway cruise?", "I need the papers for the Norway cruise.", "We have to pay the rest for the Norway cruise %s.",
		},
		answers: []string{"I'll send the papers %s.", "You have a cabin on deck six."},
		settle:  []string{"We've decided against the Norway cruise.", "We've called off the Norway cruise."},
		casual:  []string{"I saw a film about a Norway cruise."},
	},
}

// small talk and errands that come once and again, and are no topic.
var noise = [][]string{
	{"Hi, I'd like to make an appointment please.", "Certainly. Would %s at nine suit you?", "Yes, that's fine, thank you."},
	{"What are your opening hours at the weekend?", "We're open from nine to one on Saturdays.", "Lovely, thanks."},
	{"I have a question about my last bill.", "It was forty two dollars, for the visit in spring.", "Oh, that's right, I forgot. Thanks."},
	{"I changed my phone number.", "What is the new one?", "It ends in four four two seven."},
	{"Can you tell me when my next appointment is?", "It's %s at eleven.", "Great, see you then."},
	{"The weather is dreadful here, isn't it?", "It is. How can I help?", "I just wanted to confirm my address."},
	{"My daughter is visiting, so I can't come on Friday.", "Shall I move it to %s?", "Yes please, that would be perfect."},
	{"Did my payment arrive?", "Yes, it came on Monday.", "Good. That's all sorted then, thank you."},
	{"I was just wondering if you got my email.", "We did. I'll answer it by %s.", "Brilliant, thank you so much."},
	{"Could I speak to the manager?", "She's out until %s. Can I help?", "No, I'll call again."},
	{"I need a copy of my invoice.", "I'll send it to the address that we have.", "Thanks, that's everything."},
	{"How much do you charge for a delivery?", "Eight dollars, and nothing over fifty.", "Okay, that's reasonable."},
}

var chatter = []string{
	"How are you today?", "Hello, it's me again.", "I hope you're well.", "Sorry to bother you.", "Good morning to you.", "I won't keep you long.",
	"My husband sends his regards.", "It's been a busy week.", "Thanks for picking up so quickly.",
}

// said is one call of a made-up life, with what is true of the matter that it is about.
type said struct {
	at     time.Time
	of     int // which matter; -1: none
	text   string
	answer string
	settle bool
	casual bool
}

// life makes the calls of ten years.
func life(rng *rand.Rand, from time.Time) []said {
	pick := func(list []string) string { return list[rng.IntN(len(list))] }
	var out []said
	for m, mt := range matters {
		settled := false
		for _, e := range mt.episodes {
			at := from.AddDate(0, e.from, rng.IntN(20))
			order := rng.Perm(len(mt.open))
			for i := range e.calls {
				s := said{at: at, of: m, text: mt.open[order[i%len(order)]], answer: pick(mt.answers)}
				switch {
				case i == 0 && settled:
					s.text = pick(mt.reopen)
				case i == e.calls-1 && e.settled:
					s.text, s.answer, s.settle = pick(mt.settle), "I'm glad to hear it.", true
				}
				settled = s.settle
				out = append(out, s)
				at = at.AddDate(0, 0, 3+rng.IntN(14)).Add(time.Duration(rng.IntN(600)) * time.Minute)
			}
			if e.settled {
				out = append(out, said{at: at.AddDate(0, 2, rng.IntN(20)), of: m, text: pick(mt.casual), answer: "Nice.", casual: true})
			}
		}
	}
	for i := range 200 {
		n := noise[rng.IntN(len(noise))]
		at := from.AddDate(0, 0, i*18+rng.IntN(18)).Add(time.Duration(rng.IntN(600)) * time.Minute)
		out = append(out, said{at: at, of: -1, text: n[0], answer: n[1] + "|" + n[2]})
	}
	slices.SortStableFunc(out, func(a, b said) int { return a.at.Compare(b.at) })
	return out
}

// call writes a call down as a conversation.
func call(rng *rand.Rand, i int, s said) pin.Conversation {
	c := pin.Conversation{ID: recaller.ConversationID(fmt.Sprintf("call-%03d", i)), StartedAt: s.at}
	day := s.at.AddDate(0, 0, 3+rng.IntN(12)).Format("on January 2")
	say := func(who recaller.Speaker, text string) {
		if strings.Contains(text, "%s") {
			text = strings.ReplaceAll(text, "%s", day)
		}
		if rng.IntN(4) == 0 && who == recaller.User && !strings.Contains(text, "Dubai") && !strings.Contains(text, "Orlando") && !strings.Contains(text, "Norway") {
			text = strings.ToLower(strings.NewReplacer(",", "", ".", "", "?", "").Replace(text)) // as recognisers write
		}
		c.Turns = append(c.Turns, recaller.Turn{Number: len(c.Turns), Speaker: who, Text: text, At: s.at.Add(time.Duration(len(c.Turns)) * 10 * time.Second)})
	}
	say(recaller.Assistant, "Good morning, how can I help you?")
	if rng.IntN(2) == 0 {
		say(recaller.User, chatter[rng.IntN(len(chatter))])
		say(recaller.Assistant, "What can I do for you?")
	}
	say(recaller.User, s.text)
	answer, more, _ := strings.Cut(s.answer, "|")
	say(recaller.Assistant, answer)
	if more != "" {
		say(recaller.User, more)
	} else {
		say(recaller.User, "Okay, thank you, bye.")
	}
	c.Acts = agreement.Find(reading.Of(c.Turns, c.StartedAt, false))
	return c
}

// TestTenYears simulates ten years of calls of one caller: nine matters that begin, change, are settled, come back, and
// two hundred calls about nothing. At the end of each year every pin is right, and there is none too many.
func TestTenYears(t *testing.T) {
	for seed := range uint64(2) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 15))
			from := time.Date(2016, 1, 4, 9, 0, 0, 0, time.UTC)
			y := &years{t: t, touched: map[int][]said{}, words: map[recaller.ConversationID]pin.Conversation{}}
			year := from.AddDate(1, 0, 0)
			for i, s := range life(rng, from) {
				if s.at.After(year) {
					y.check(year)
					year = year.AddDate(1, 0, 0)
				}
				y.live(call(rng, i, s), s)
			}
			y.check(year)
			if len(y.topics) != len(matters) {
				t.Errorf("%d topics, want %d", len(y.topics), len(matters))
			}
		})
	}
}

type years struct {
	t       *testing.T
	list    []pin.Conversation
	topics  []pin.Topic
	touched map[int][]said
	words   map[recaller.ConversationID]pin.Conversation
}

func (y *years) live(c pin.Conversation, s said) {
	y.words[c.ID] = c
	y.topics, _ = pin.Read(c, y.list, y.topics, pin.Options{After: 3, Own: []string{"Bright Concierge, a personal assistant"}})
	y.list = append(y.list, c)
	if len(y.list) > 24 {
		y.list = y.list[1:]
	}
	if s.of >= 0 {
		y.touched[s.of] = append(y.touched[s.of], s)
	}
}

// check holds every topic against what is true by then.
func (y *years) check(at time.Time) {
	y.t.Helper()
	for _, topic := range y.topics {
		m := slices.IndexFunc(matters, func(m matter) bool { return strings.Contains(strings.ToLower(topic.Title), strings.ToLower(m.word)) })
		if m < 0 {
			y.t.Errorf("until %d: a pin of nothing: %q %v", at.Year(), topic.Title, topic.Lead)
			continue
		}
		y.state(at, m, topic)
		y.quotes(topic)
	}
}

func (y *years) state(at time.Time, m int, topic pin.Topic) {
	y.t.Helper()
	calls := y.touched[m]
	last := calls[len(calls)-1]
	if !topic.Latest.Equal(last.at) {
		y.t.Errorf("until %d: %s was last spoken of on %s (%s), got %s", at.Year(), topic.Title, last.at.Format(time.DateOnly), last.text, topic.Latest.Format(time.DateOnly))
	}
	want := false
	for _, s := range calls {
		want = s.settle || s.casual && want
	}
	if topic.Settled != want {
		y.t.Errorf("until %d: %s settled %v, want %v, after %q", at.Year(), topic.Title, topic.Settled, want, last.text)
	}
	for i := len(calls) - 1; i > 0 && calls[i].casual; i-- {
		last = calls[i-1]
	}
	if said := topic.Now[0].At; said.Before(last.at) || said.After(last.at.Add(time.Hour)) {
		y.t.Errorf("until %d: %s stands as it was told on %s, want that of %s", at.Year(), topic.Title, said.Format(time.DateOnly), last.at.Format(time.DateOnly))
	}
	if want && len(topic.Actions) > 0 {
		y.t.Errorf("until %d: %s is settled, and has open actions", at.Year(), topic.Title)
	}
	if n := utf8.RuneCountInString(topic.Content()); n > 4000 {
		y.t.Errorf("until %d: %s has %d characters", at.Year(), topic.Title, n)
	}
}

// quotes checks that each sentence of a topic was said on its day, and of that matter.
func (y *years) quotes(topic pin.Topic) {
	y.t.Helper()
	quotes := append(slices.Clone(topic.Now), topic.Actions...)
	quotes = append(quotes, topic.About)
	for _, c := range topic.History {
		quotes = append(quotes, c.Quote)
	}
	for _, q := range quotes {
		c, ok := y.words[q.Conversation]
		if !ok || !q.At.Equal(c.Turns[q.Turn].At) || c.Turns[q.Turn].Speaker != q.Speaker {
			y.t.Errorf("%s: %q is of no turn", topic.Title, q.Text)
			continue
		}
		words, _, _ := strings.Cut(strings.Trim(q.Text, "“”"), " [")
		if !strings.Contains(c.Turns[q.Turn].Text, strings.TrimSuffix(words, "…")) {
			y.t.Errorf("%s: %q was not said", topic.Title, q.Text)
		}
	}
}
