package e2e

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
)

// P16, scenario 1: a first-time caller comes back, and comes back again.
func TestNewCallerJourney(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, on backing) {
		p := phone{t, house(t, on).admin}
		from := number()

		monday := p.call(from, agent("Thanks for calling Fox Hollow! How can I help you today?"),
			user("I would like to book a tee time for Saturday morning, for four players."), agent("Saturday at nine is yours."))
		if !monday.Caller.FirstTime {
			t.Error("the first call: got a known caller, want a first-time one")
		}
		holds(t, "the first briefing", monday.Briefing.Text, "This is the customer's first conversation. No prior history.")

		tuesday := p.call(strings.Replace(from, "+1415", "(415) ", 1), user("Do you serve lunch in the restaurant on Saturday?"), agent("From noon to three."))
		if tuesday.Caller.ID != monday.Caller.ID || tuesday.Caller.FirstTime {
			t.Errorf("the same number in its national form: got caller %+v, want the known one", tuesday.Caller)
		}
		holds(t, "the second briefing", tuesday.Briefing.Text, "A returning caller", "Total Previous Conversations: 1", "tee time", "!No prior history")

		friday := p.ring(from)
		holds(t, "the third briefing", friday.Briefing.Text, "Total Previous Conversations: 2", "tee time", "lunch", "1. ", "2. ", "!3. ")
		if second, first := strings.Index(friday.Briefing.Text, "lunch"), strings.Index(friday.Briefing.Text, "tee time"); second > first {
			t.Error("the history is not newest first")
		}
	})
}

// P16, scenario 2: ten calls, the last three in the briefing, all ten stored and recallable.
func TestOnlyTheLastThreeCallsAreTold(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, on backing) {
		p := phone{t, house(t, on).admin}
		from := number()
		things := []string{"umbrella", "saxophone", "greenhouse", "motorcycle", "telescope", "accordion", "wheelbarrow", "typewriter", "chandelier", "surfboard"}
		var caller string
		for _, thing := range things {
			caller = p.call(from, user("I am calling because my "+thing+" has to be repaired."), agent("We will see to it.")).Caller.ID
		}

		eleventh := p.ring(from)
		history := part(eleventh.Briefing, "history")
		holds(t, "the history", history, "chandelier", "surfboard", "typewriter", "!wheelbarrow", "!umbrella")

		list, err := p.c.CallerConversations(context.Background(), caller, client.ConversationFilter{Status: recaller.Completed})
		if err != nil || len(list.Conversations) != len(things) {
			t.Errorf("got %d stored conversations, %v; want %d", len(list.Conversations), err, len(things))
		}
		for _, thing := range things {
			if !recalls(p.recall(caller, thing), thing) {
				t.Errorf("%q is not recalled", thing)
			}
		}
	})
}

// P16, scenario 3: two callers, neither sees the other.
func TestCallersAreApart(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, on backing) {
		p := phone{t, house(t, on).admin}
		a, b := number(), number()
		p.call(a, user("I want to book a tee time for Saturday."), agent("Done."))
		p.call(b, user("What are your restaurant hours?"), agent("Noon to ten."))

		forA, forB := p.ring(a), p.ring(b)
		holds(t, "A's briefing", forA.Briefing.Text, "tee time", "!estaurant")
		holds(t, "B's briefing", forB.Briefing.Text, "estaurant", "!tee time")
		if recalls(p.recall(forA.Caller.ID, "restaurant hours"), "restaurant") {
			t.Error("A's recall found B's words")
		}
	})
}

// The same number at two tenants is two people.
func TestTenantsAreApart(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, on backing) {
		s := house(t, on)
		ctx := context.Background()
		from := number()
		phones := map[string]phone{}
		callers := map[string]client.StartResponse{}
		for _, name := range []string{"Fox Hollow", "Lakeside Dental"} {
			made, err := s.admin.CreateTenant(ctx, client.NewTenant{Name: name})
			if err != nil {
				t.Fatal(err)
			}
			phones[name] = phone{t, s.client(t, made.APIKey)}
			callers[name] = phones[name].start(client.StartRequest{Caller: client.CallerRef{Phone: from}, ExternalID: "call-1"})
			phones[name].say("call-1", user("This is about "+name+"."))
			phones[name].hangUp("call-1")
			phones[name].writtenUp("call-1")
		}
		golf, dental := callers["Fox Hollow"], callers["Lakeside Dental"]
		if golf.Caller.ID == dental.Caller.ID || golf.Conversation.ID == dental.Conversation.ID {
			t.Fatal("the tenants share a caller or a conversation")
		}
		p := phones["Lakeside Dental"]
		holds(t, "the dentist's briefing", p.ring(from).Briefing.Text, "Lakeside Dental", "!Fox Hollow")
		if rec := p.read("call-1"); rec.Conversation.ID != dental.Conversation.ID {
			t.Error("an external id led into another tenant")
		}
		if _, err := p.c.Recall(ctx, golf.Caller.ID, client.RecallRequest{Query: "Fox Hollow"}); !client.IsNotFound(err) {
			t.Errorf("recall over the other tenant's caller: got %v, want not found", err) // the other routes: TestNoRouteLeadsIntoAnotherTenant
		}
		all, err := p.c.Callers(ctx, client.Page{})
		if err != nil || len(all.Callers) != 1 {
			t.Errorf("got %d callers, %v; want the tenant's own one", len(all.Callers), err)
		}
	})
}

// P12: a name that was heard is kept, and used. P5: what is counted is counted right.
func TestANameHeardIsUsed(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, on backing) {
		p := phone{t, house(t, on).admin}
		from := number()
		p.call(from, agent("Who am I speaking with?"), user("My name is Priya Raman and I have a question about my bill."), agent("Go ahead."))
		next := p.ring(from)
		if next.Caller.Name != "Priya Raman" || next.Caller.NameSource != recaller.NameSaid {
			t.Errorf("got name %q (%s), want Priya Raman (said)", next.Caller.Name, next.Caller.NameSource)
		}
		holds(t, "the briefing", next.Briefing.Text, "Priya Raman", "Welcome them back by name")
		if next.Caller.Conversations != 1 || next.Caller.TotalDurationSeconds != 180 {
			t.Errorf("got %d conversations of %v s, want 1 of 180 s", next.Caller.Conversations, next.Caller.TotalDurationSeconds)
		}
	})
}

// P10 and P5: one number in many calls at once.
func TestSimultaneousCallsOfOneNumber(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, on backing) {
		p := phone{t, house(t, on).admin}
		from := number()
		const calls, turns = 12, 5
		done := make(chan string, calls)
		for i := range calls {
			go func() {
				s, err := p.c.StartConversation(context.Background(), client.StartRequest{Caller: client.CallerRef{Phone: from}, Channel: recaller.ChannelSMS})
				for n := 0; err == nil && n < turns; n++ {
					_, err = p.c.AddTurns(context.Background(), s.Conversation.ID, user(fmt.Sprintf("Message %d of exchange %d.", n, i)))
				}
				if err == nil {
					_, err = p.c.EndConversation(context.Background(), s.Conversation.ID, client.EndRequest{})
				}
				if err != nil {
					t.Error(err)
				}
				done <- s.Caller.ID
			}()
		}
		ids := map[string]bool{}
		for range calls {
			ids[<-done] = true
		}
		if len(ids) != 1 {
			t.Fatalf("one number became %d callers", len(ids))
		}
		found, err := p.c.CallersByPhone(context.Background(), from)
		if err != nil || len(found) != 1 || found[0].Conversations != calls || found[0].TextMessages != calls*turns {
			t.Errorf("got %+v, %v; want %d conversations and %d messages counted", found, err, calls, calls*turns)
		}
		list, err := p.c.CallerConversations(context.Background(), found[0].ID, client.ConversationFilter{})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range list.Conversations {
			if c.TurnCount != turns {
				t.Errorf("a conversation has %d turns, want %d: words went astray", c.TurnCount, turns)
			}
		}
	})
}
