package pin_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/agreement"
	"github.com/recallerhq/recaller/internal/pin"
	"github.com/recallerhq/recaller/internal/wrapup/reading"
)

// talk makes a conversation of lines that begin with "u:" or "a:", the n-th of one caller, a week after the one before.
func talk(n int, lines ...string) pin.Conversation {
	c := pin.Conversation{
		ID: recaller.ConversationID(fmt.Sprint("c", n)), StartedAt: time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC).AddDate(0, 0, 7*n),
	}
	for i, l := range lines {
		who, text, _ := strings.Cut(l, ": ")
		t := recaller.Turn{Number: i, Speaker: recaller.User, Text: text, At: c.StartedAt.Add(time.Duration(i) * time.Second)}
		if who == "a" {
			t.Speaker = recaller.Assistant
		}
		c.Turns = append(c.Turns, t)
	}
	c.Acts = agreement.Find(reading.Of(c.Turns, c.StartedAt, false))
	return c
}

// follow reads conversations one after another.
func follow(opts pin.Options, list ...pin.Conversation) []pin.Topic {
	var topics []pin.Topic
	for i, c := range list {
		topics, _ = pin.Read(c, list[:i], topics, opts)
	}
	return topics
}

// each makes conversations in each of which the caller says one text.
func each(texts ...string) []pin.Conversation {
	var out []pin.Conversation
	for i, text := range texts {
		out = append(out, talk(i, "a: Hello, how can I help?", "u: "+text, "a: Thank you, I've noted that.", "u: Bye now."))
	}
	return out
}

func titles(topics []pin.Topic) string {
	var out []string
	for _, t := range topics {
		out = append(out, t.Title)
	}
	return strings.Join(out, "; ")
}

func TestTopics(t *testing.T) {
	for _, tt := range []struct {
		name  string
		texts []string
		want  string
	}{
		{"a sale far away", []string{"I'm calling about the Orlando sale.", "Any news on the house in Orlando?", "The Orlando sale closes next week."}, "Orlando sale"},
		{"a move", []string{"We're thinking of moving to Dubai.", "I need boxes for the Dubai move.", "The Dubai move is on the third."}, "Dubai move"},
		{"a move, as recognisers write", []string{"we are thinking of moving to dubai you know", "i need boxes for the dubai move", "so the dubai move is on the third"}, "Dubai move"},
		{"a thing in the house", []string{"My boiler is leaking.", "The boiler is still leaking.", "I want a price for a new boiler, the boiler is thirty years old."}, "Boiler"},
		{"an operation", []string{"My knee operation is in May.", "How should I prepare for the knee operation?", "The knee operation was put off."}, "Knee operation"},
		{"of two less rare words", []string{"We want a kitchen renovation.", "The kitchen renovation is getting dear.", "When does the kitchen renovation start?"}, "Kitchen renovation"},
		{"a service for one thing", []string{"Remind me about the Tesla service.", "When is the Tesla service?", "The Tesla service went badly."}, "Tesla service"},
		{"by its number", []string{"Order 4471 hasn't arrived.", "Any news on order 4471?", "It's about order 4471 again."}, "Order 4471"},
		{"a thing that many have", []string{"My laptop won't turn on.", "Is my laptop ready?", "The laptop died again."}, "Laptop"},
		{"in German", []string{"Guten Tag, meine Heizung ist ausgefallen und es ist sehr kalt.", "Ich rufe noch einmal wegen der Heizung an, die Heizung tropft.", "Die Heizung macht wieder Geräusche."}, "Heizung"},
		{"in Spanish", []string{"Buenas tardes, se me descompuso la lavadora y no sé qué hacer.", "Todavía no han venido por mi lavadora.", "La lavadora sigue sin funcionar."}, "Lavadora"},

		{"what is never a certain one", []string{"I'd like a tee time.", "Can I get a massage?", "A massage, please, and a massage for my wife."}, ""},
		{"an account's number", []string{"My account number is 4471.", "It's account 4471.", "Account 4471 again."}, ""},
		{"twice is not enough", []string{"My boiler is leaking.", "The boiler is still leaking.", "I'd like an appointment."}, ""},
		{"appointments", []string{"I'd like an appointment.", "My appointment is on Monday, isn't it?", "I need to move my appointment."}, ""},
		{"bills", []string{"I have a question about my bill.", "My bill is too high.", "The bill came twice."}, ""},
		{"people of the house", []string{"My wife is ill.", "My wife will call you.", "Ask my wife, she knows."}, ""},
		{"somebody of the business", []string{"I was in with Oksana.", "Is Oksana there today?", "Oksana said that she'd call."}, ""},
		{"the caller's name", []string{"Hello, it's Delphine Barros.", "Delphine Barros again.", "This is Delphine Barros speaking."}, ""},
		{"verbs", []string{"I was wondering if you're open.", "I'm wondering about Saturday.", "Just wondering, do you deliver?"}, ""},
		{"qualities", []string{"The horrible one, please.", "That horrible weather.", "It's the horrible traffic."}, ""},
		{"what is in general", []string{"The impact on us is large.", "It's the impact that counts.", "What's the impact?"}, ""},
		{"days", []string{"The Tuesday is fine.", "That Tuesday was good.", "On the Tuesday, please."}, ""},
		{"words of the business", []string{"My crown came off.", "The crown hurts.", "The crown is loose."}, ""},
		{"greetings", []string{"Good morning, thank you.", "Good morning, thank you.", "Good morning, thank you."}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			opts := pin.Options{After: 3, Own: []string{"Crown & Sons, Delphine Barros"}}
			if got := titles(follow(opts, each(tt.texts...)...)); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestTwoTopicsInTheSameCalls(t *testing.T) {
	var list []pin.Conversation
	for i, said := range [][2]string{
		{"My boiler is leaking.", "And the Orlando sale, any news?"},
		{"The boiler is still leaking.", "I have to sign for the Orlando sale."},
		{"I want the boiler looked at.", "The Orlando sale is nearly through."},
	} {
		list = append(list, talk(i, "a: How can I help?", "u: "+said[0], "a: I see.", "u: "+said[1], "a: I'll look."))
	}
	if got := titles(follow(pin.Options{After: 3}, list...)); got != "Boiler; Orlando sale" && got != "Orlando sale; Boiler" {
		t.Errorf("got %q", got)
	}
}

func TestAfter(t *testing.T) {
	list := each("My boiler is leaking.", "The boiler is still leaking.", "The boiler again.", "That boiler!", "I mean the boiler.")
	for after, want := range map[int]int{0: 0, 1: 1, 2: 1, 3: 1, 5: 1, 6: 0} {
		if got := len(follow(pin.Options{After: after}, list...)); got != want {
			t.Errorf("after %d: %d topics, want %d", after, got, want)
		}
	}
}

// pinned are three conversations about a thing, so that there is a topic of it.
func pinned(thing string) []pin.Conversation {
	return each("I'm calling about the "+thing+".", "It's the "+thing+" again, please do something.", "The "+thing+" needs looking at.")
}

func TestSettling(t *testing.T) {
	for _, tt := range []struct {
		thing, said string
		want        bool
	}{
		{"boiler", "The boiler is fixed, thank you.", true},
		{"boiler", "the boiler's all sorted now", true},
		{"boiler", "The boiler is working again.", true},
		{"boiler", "About the boiler: that's all sorted.", true},
		{"boiler", "We got rid of the boiler.", true},
		{"boiler", "We don't need the boiler any more.", true},
		{"Orlando house", "We sold the Orlando house.", true},
		{"Orlando house", "We've finally sold the house in Orlando!", true},
		{"Orlando house", "We closed on the Orlando house on Friday.", true},
		{"Orlando sale", "The Orlando sale went through.", true},
		{"Orlando sale", "We've decided against the Orlando sale.", true},
		{"Orlando sale", "We called off the Orlando sale.", true},
		{"passport", "My passport has arrived.", true},
		{"knee", "The knee operation went well.", true},

		{"boiler", "The boiler isn't fixed.", false},
		{"boiler", "Is the boiler fixed?", false},
		{"boiler", "I hope the boiler is fixed soon.", false},
		{"boiler", "If the boiler is fixed I'll be glad.", false},
		{"boiler", "The boiler will be fixed on Monday.", false},
		{"boiler", "The boiler should be working again by Monday.", false},
		{"boiler", "When the boiler is fixed we'll paint.", false},
		{"boiler", "The boiler is fixed but it's leaking.", false},
		{"boiler", "The boiler was fixed, and now it's broken again.", false},
		{"boiler", "The papers for the boiler are done.", false},
		{"boiler", "I cancelled the appointment for the boiler.", false},
		{"boiler", "We sold the car to pay for the boiler.", false},
		{"boiler", "I want the boiler fixed.", false},
		{"boiler", "The boiler is almost done.", false},
		{"boiler", "We never sold the boiler.", false},
		{"Orlando house", "We have not sold the Orlando house.", false},
		{"Orlando house", "Once we've sold the Orlando house we'll buy a boat.", false},
		{"Orlando house", "He says we sold the wrong chairs with the Orlando house.", false},
		{"passport", "My passport hasn't arrived.", false},
		{"passport", "The form for my passport has arrived.", false},
	} {
		t.Run(tt.said, func(t *testing.T) {
			list := append(pinned(tt.thing), talk(3, "a: Hello?", "u: "+tt.said, "a: Thank you for telling me."))
			topics := follow(pin.Options{After: 3}, list...)
			if len(topics) != 1 {
				t.Fatalf("got topics %q", titles(topics))
			}
			if topics[0].Settled != tt.want {
				t.Errorf("settled %v, want %v", topics[0].Settled, tt.want)
			}
		})
	}
}

// TestTheCallIsDone: that a call has come to its end settles nothing.
func TestTheCallIsDone(t *testing.T) {
	list := append(pinned("boiler"), talk(3,
		"u: Can you send somebody for the boiler?", "a: I'll send the engineer for the boiler on Friday at ten.", "u: Great, that's all sorted then, thank you."))
	if topics := follow(pin.Options{After: 3}, list...); topics[0].Settled || len(topics[0].Actions) != 1 {
		t.Errorf("got %+v", topics[0])
	}
	list = append(list, talk(4, "u: About the boiler.", "a: The boiler is all fixed, our engineer says.", "u: No, it's still leaking."))
	if topics := follow(pin.Options{After: 3}, list...); topics[0].Settled {
		t.Errorf("settled, though the caller objects")
	}
}

// TestComingBack: what is settled stays so while it is only mentioned, and is open again when it goes wrong.
func TestComingBack(t *testing.T) {
	list := append(pinned("boiler"), each("", "", "", "The boiler is fixed, thank you.", "It's been warm since the boiler was fixed.", "The boiler has broken down again.")[3:]...)
	topics := follow(pin.Options{After: 3}, list[:5]...)
	if !topics[0].Settled || !strings.Contains(topics[0].Now[0].Text, "is fixed, thank you") || topics[0].Seen != 5 {
		t.Errorf("after a mention: %+v", topics[0])
	}
	topics = follow(pin.Options{After: 3}, list...)
	last := topics[0].History[len(topics[0].History)-1]
	if topics[0].Settled || last.Kind != pin.Reopened || len(topics) != 1 {
		t.Errorf("after it broke: %+v", topics[0])
	}
}

// TestAMovedTime: a time that was agreed on about a topic is moved in a call that does not name it.
func TestAMovedTime(t *testing.T) {
	list := append(pinned("boiler"),
		talk(3, "u: Can somebody look at the boiler?", "a: I can send the engineer on Thursday April 2 at ten. Does that suit you?", "u: Yes, that suits me.", "a: Then it's Thursday April 2 at ten."),
		talk(4, "u: I can't do Thursday, can we make it Friday April 3 at ten instead?", "a: Friday April 3 at ten, no problem.", "u: Thank you."))
	list[4].StartedAt = list[3].StartedAt.AddDate(0, 0, 2)
	list[4].Acts = agreement.Find(reading.Of(list[4].Turns, list[4].StartedAt, false))
	topics := follow(pin.Options{After: 3}, list...)
	if got := topics[0].Content(); !strings.Contains(got[:strings.Index(got, "### History")], "Friday") {
		t.Errorf("got %s", got)
	}
}

// TestWhatACallerContests: what the agent says wrongly is in no pin, and neither is what is told in confidence.
func TestWhatACallerContests(t *testing.T) {
	list := append(pinned("scan"), talk(3,
		"u: They've sent for me for the scan, a week on Monday.", "a: So the scan is on Monday the thirtieth of March.", "u: No, a week on Monday, the sixth of April."),
		talk(4, "u: The scan frightens me, but don't tell my daughter.", "a: I won't."))
	got := follow(pin.Options{After: 3}, list...)[0].Content()
	if strings.Contains(got, "thirtieth") || !strings.Contains(got, "the sixth of April [6 April 2026]") || strings.Contains(got, "frightens") {
		t.Errorf("got %s", got)
	}
}

func TestAConversationCountsOnce(t *testing.T) {
	list := pinned("boiler")
	topics := follow(pin.Options{After: 3}, list...)
	again, changed := pin.Read(list[2], list[:2], topics, pin.Options{After: 3})
	if len(again) != 1 || changed[0] || again[0].Seen != 3 {
		t.Errorf("got %+v", again)
	}
}

func TestMerge(t *testing.T) {
	a := follow(pin.Options{After: 3}, pinned("boiler")...)[0]
	b := follow(pin.Options{After: 3}, pinned("radiator")...)[0]
	both := pin.Merge(a, b)
	if both.Title != "Boiler" || both.Seen != 3 || len(both.History) != 6 {
		t.Errorf("got %+v", both)
	}
	topics, _ := pin.Read(talk(9, "u: The radiator is cold."), nil, []pin.Topic{both}, pin.Options{After: 3})
	if !strings.Contains(topics[0].Now[0].Text, "radiator is cold") || topics[0].Seen != 4 {
		t.Errorf("a later call: %+v", topics[0])
	}
}

// A topic is over where the caller says so in other words than "done", and what was promised is done where he tells of
// it, is told yes, or nobody comes back to it.
func TestWhereATopicStands(t *testing.T) {
	for _, tt := range []struct {
		name    string
		calls   string // parted by empty lines
		settled bool
		open    string // of its actions
	}{
		{"back from a journey", `u: I'm planning a trip to Iceland.
			a: I'll send you some ideas for Iceland.

			u: The Iceland ideas were great.

			u: We're back from Iceland, it was wonderful, thank you.`, true, ""},
		{"an event that is praised", `u: Emil is nervous about the recital.

			u: What time does the recital start?

			u: The recital was lovely.`, true, ""},
		{"only a part is praised", `u: I'm planning a trip to Iceland.

			u: Have you a brochure about Iceland?

			u: The Iceland brochure was lovely.`, false, ""},
		{"a thing that was repaired", `u: The gutter has come down.

			u: Nobody came for the gutter.

			u: Colin was a darling, he fixed the gutter in an hour.`, true, ""},
		{"what was dropped", `u: I want a charger for my car.

			u: Is the charger weatherproof?

			u: We won't go ahead with the charger.`, true, ""},
		{"all done", `u: The driver couldn't find the tank.

			u: I think the tank leaks.

			u: We've had the new tank installed, all done.`, true, ""},
		{"not all done", `u: The driver couldn't find the tank.

			u: I think the tank leaks.

			u: The tank isn't installed, and I'm not done with the tank.`, false, ""},
		{"in German", `u: Guten Tag, meine Haustür klemmt jeden Morgen.

			u: Die Haustür klemmt immer noch und ich komme nicht hinein.

			u: Die Haustür ist jetzt in Ordnung, das Schloss läuft.`, true, ""},
		{"a promise that came", `u: The parrot plucks her feathers.

			u: The parrot is still plucking.
			a: I'll ask the vet about a calming spray for the parrot.

			u: The spray works, the parrot is calmer.`, false, ""},
		{"a promise that did not come", `u: The parrot plucks her feathers.

			u: The parrot is still plucking.
			a: I'll ask the vet about a calming spray for the parrot.

			u: The spray never came and the parrot plucks on.`, false, "calming spray"},
		{"asked, and told yes", `u: I need a hotel in Lisbon.

			u: The Lisbon hotel has no lift.
			a: I'll find another one in Lisbon.

			u: Any luck with Lisbon?
			a: Yes, the Borges has a lift.`, false, ""},
		{"a promise about something else", `u: The florist for the wedding went bankrupt.

			u: Is there a florist now?

			u: The new florist is a dear. The orangery has flooded though!
			a: I'll call them right now.`, false, ""},
		{"a promise that nobody comes back to", `u: The worktop has a chip.
			a: We'll replace the worktop.

			u: When is the worktop coming?

			u: The worktop is a lovely colour.`, false, ""},
	} {
		var calls []pin.Conversation
		for i, call := range strings.Split(tt.calls, "\n\n") {
			calls = append(calls, talk(i, strings.Split(strings.ReplaceAll(strings.TrimSpace(call), "\t", ""), "\n")...))
		}
		topics := follow(pin.Options{After: 3}, calls...)
		if len(topics) != 1 {
			t.Errorf("%s: got the topics %s, want one", tt.name, titles(topics))
			continue
		}
		content := topics[0].Content()
		_, open, _ := strings.Cut(content, "### Open actions")
		open, _, _ = strings.Cut(open, "###")
		if topics[0].Settled != tt.settled || !strings.Contains(open, tt.open) || tt.open == "" && open != "" && strings.Contains(content, "### Open actions") {
			t.Errorf("%s: want it settled: %v, and %q open; got\n%s", tt.name, tt.settled, tt.open, content)
		}
	}
}

// What is only said so is no thing: "das sag ich Ihnen".
func TestAGermanVerbIsNoTopic(t *testing.T) {
	topics := follow(pin.Options{After: 2}, each(
		"Guten Tag, seit dem letzten Mal habe ich Angst, das sag ich Ihnen ganz ehrlich, und ich schlafe nicht mehr.",
		"Ich komme am Montag nicht mehr zu Ihnen, das sag ich Ihnen, weil es mir nicht gut geht und meine Frau auch nicht will.")...)
	if len(topics) != 0 {
		t.Errorf("got the topics %s, want none", titles(topics))
	}
}
