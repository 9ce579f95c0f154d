package e2e

import (
	"strings"
	"testing"
	"time"

	"github.com/recallerhq/recaller/client"
)

// An appointment is made, moved and called off in three calls of the past. As of each time an agent is told what stood
// then, and the list of what was agreed on tells what became of it.
func TestWhatWasAgreedOnAsOfATime(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, on backing) {
		p := phone{t, house(t, on).admin}
		from := number()
		first := time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC) // a Monday
		calls := [][]client.TurnInput{
			{agent("I have Friday the sixth at nine for the boiler."), user("Friday at nine. Yes, please."), agent("You're booked.")},
			{user("Can you move the boiler to Monday the ninth?"), agent("I've moved the boiler to Monday the ninth at eleven."), user("Thanks.")},
			{user("I need to cancel Monday, the boiler is fixed."), agent("No problem, Monday is cancelled."), user("Bye.")},
		}
		who := ""
		for i, turns := range calls {
			at := first.AddDate(0, 0, i)
			done, err := p.c.ImportConversation(t.Context(), client.ImportRequest{
				Caller: client.CallerRef{Phone: from}, ExternalID: from + at.String(), StartedAt: at, EndedAt: at.Add(time.Minute), Turns: turns,
			})
			if err != nil {
				t.Fatal(err)
			}
			p.writtenUp(from + at.String())
			who = done.Caller.ID
		}
		const friday, monday = "Friday 6 March 2026, 9:00 AM", "Monday 9 March 2026, 11:00 AM"
		for i, want := range []struct{ told, states string }{{"", ""}, {friday, "open"}, {monday, "moved open"}, {"", "moved cancelled"}} {
			asOf := first.AddDate(0, 0, i).Add(-time.Hour)
			b, err := p.c.CallerBriefing(t.Context(), who, client.BriefingQuery{AsOf: asOf})
			if err != nil {
				t.Fatal(err)
			}
			_, coming, _ := strings.Cut(b.Text, "## Coming up")
			for _, day := range []string{friday, monday} {
				if strings.Contains(coming, day) != (day == want.told) {
					t.Errorf("as of day %d: is %s told? want %q in:\n%s", i, day, want.told, coming)
				}
			}
			list, err := p.c.CallerAgreements(t.Context(), who, asOf)
			if err != nil {
				t.Fatal(err)
			}
			var states []string
			for _, g := range list.Agreements {
				states = append(states, g.State)
				if g.ConversationID == "" || len(g.Said) == 0 || g.Said[0].Text == "" || (g.Ended == nil) != (g.State == "open") {
					t.Errorf("as of day %d: got %+v, want its words, where they were said, and its end", i, g)
				}
			}
			if got := strings.Join(states, " "); got != want.states {
				t.Errorf("as of day %d: got %q, want %q", i, got, want.states)
			}
		}
	})
}
