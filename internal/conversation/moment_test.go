package conversation_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/briefing"
	"github.com/recallerhq/recaller/internal/conversation"
)

// listening notes what briefings are asked for.
type listening struct{ asked []briefing.Request }

func (l *listening) Briefing(_ context.Context, _ recaller.TenantID, _ recaller.CallerID, req briefing.Request) (recaller.Briefing, error) {
	l.asked = append(l.asked, req)
	return recaller.Briefing{}, nil
}

func TestTheLastTurnsOfTheUserSayWhatABriefingIsAbout(t *testing.T) {
	for _, tenant := range tenants {
		b := newBench(t)
		ear := &listening{}
		b.Service.Briefer = ear
		about := func(query string) string {
			_, err := b.Briefing(t.Context(), tenant, "CA1", briefing.Request{Query: query})
			b.ok(err)
			req := ear.asked[len(ear.asked)-1]
			if req.Exclude == "" {
				t.Error("the conversation itself is not left out")
			}
			return req.Query
		}
		is := func(when, got, want string) {
			t.Helper()
			if got != want {
				t.Errorf("%s, %s: got %q, want %q", tenant, when, got, want)
			}
		}
		b.begin(tenant, conversation.Start{ExternalID: "CA1"})
		is("at the start", ear.asked[0].Query, "")
		b.say(tenant, "CA1", "assistant: Good morning, how can I help?")
		is("before the user speaks", about(""), "")
		b.say(tenant, "CA1", "user: One.", "user: Two.", "assistant: Hm.", "user: Three.", "user: Four.", "assistant: I see.")
		is("in the middle", about(" "), "Two.\nThree.\nFour.")
		is("with a query", about("the roof"), "the roof")
		b.begin(tenant, conversation.Start{ExternalID: "CA1"})
		is("when the agent comes back", ear.asked[len(ear.asked)-1].Query, "Two.\nThree.\nFour.")

		b.say(tenant, "CA1", "user: "+strings.Repeat("ü", 3000), "user: "+strings.Repeat("ü", 3000), "user: "+strings.Repeat("ü", 3000))
		if got := []rune(about("")); len(got) > briefing.MaxQueryRunes || len(got) < 1000 {
			t.Errorf("%s: the query has %d characters", tenant, len(got))
		}
		b.Clock.Advance(time.Hour)
		is("an hour later", about(""), "")
		b.say(tenant, "CA1", "user: Still here.")
		_, err := b.End(t.Context(), tenant, "CA1", conversation.End{})
		b.ok(err)
		is("after the end", about(""), "")
	}
}
