package relay_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/agent"
	"github.com/recallerhq/recaller/internal/telephony"
)

// told is what the agent was told in its last answer: the briefing, and the turns.
func (l *line) told() string {
	l.t.Helper()
	l.core.mu.Lock()
	defer l.core.mu.Unlock()
	in := l.core.asked[len(l.core.asked)-1]
	return toldIn(in)
}

func toldIn(in agent.Asking) string {
	out := []string{in.Briefing.Text}
	for _, t := range in.Turns {
		out = append(out, t.Text)
	}
	return strings.Join(out, "|")
}

// Once somebody else speaks, an answer is made of what is known of them and of what they said, also in the middle of an
// answer, and also where their briefing cannot be had: then of none.
func TestSomebodyElseSpeaks(t *testing.T) {
	t.Parallel()
	l := newLine(t, quick, says("Yes."))
	l.core.with, l.core.briefing = "karl", recaller.Briefing{Text: "Karl has a boiler."}
	s := l.call(telephony.Call{ID: "CA1", Caller: "karl", TimeZone: "Europe/Berlin"})
	say := func(words string) {
		l.t.Helper()
		l.do(s.Say(t.Context(), words, ""))
		l.answered(s, "Yes.")
		l.eventually("both are kept", func() bool {
			return strings.HasSuffix(strings.Join(l.core.said(), "|"), "user: "+words+"|assistant: Yes.")
		})
	}
	say("My boiler leaks.")
	if got, want := l.told(), "Karl has a boiler.|My boiler leaks."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}

	anew := make(chan string, 1)
	l.core.set(func() { // the model calls the tool in the middle of its answer
		l.core.answer = func(ctx context.Context, in agent.Asking, say func(string) error) (agent.Answer, error) {
			l.core.hands("anna", 1)
			l.core.set(func() { l.core.broken = recaller.Unavailable })
			anew <- toldIn(in.Anew(ctx))
			return says("Yes.")(ctx, in, say)
		}
	})
	l.do(s.Say(t.Context(), "Here is Anna.", ""))
	l.answered(s, "Yes.")
	if got, want := <-anew, "|Here is Anna."; got != want {
		t.Errorf("her briefing cannot be had: got %q, want %q", got, want)
	}
	l.core.set(func() { l.core.broken, l.core.answer = nil, says("Yes.") })
	l.core.set(func() { l.core.briefing = recaller.Briefing{Text: "Anna has a parrot."} })
	say("Do you sell bird food?")
	if got, want := l.told(), "Anna has a parrot.|Here is Anna.|Yes.|Do you sell bird food?"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}

	if in := l.core.asked[len(l.core.asked)-1]; in.Caller.ID != "anna" || in.Caller.TimeZone != "Europe/Berlin" {
		t.Errorf("got %+v, want anna, by the clock where the telephone is", in.Caller)
	}

	// An application says so between two answers, and the briefing fails.
	l.core.hands("eve", 0)
	l.core.set(func() { l.core.broken = recaller.Unavailable })
	l.do(s.Say(t.Context(), "Eve here.", ""))
	l.answered(s, "Yes.")
	if got, want := l.told(), "|Eve here."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	// Nobody can tell who speaks: the last briefing may be of another.
	l.core.set(func() { l.core.broken, l.core.briefing = nil, recaller.Briefing{Text: "Eve has a car."} })
	say("Hello?")
	l.core.set(func() { l.core.broken, l.core.unknown = recaller.Unavailable, recaller.Unavailable })
	l.do(s.Say(t.Context(), "Still here?", ""))
	l.answered(s, "Yes.")
	if got := l.told(); strings.Contains(got, "car") {
		t.Errorf("got %q, want no briefing that may be another's", got)
	}
}

// Somebody takes over while a briefing is made: it is made again, of who speaks.
func TestSomebodyTakesOverWhileABriefingIsMade(t *testing.T) {
	t.Parallel()
	l := newLine(t, quick, says("Yes."))
	l.core.with = "karl"
	n := 0
	l.core.briefs = func() recaller.Briefing {
		if n++; n == 1 {
			l.core.with, l.core.from = "anna", len(l.core.turns)
			return recaller.Briefing{Text: "Karl has a boiler."}
		}
		return recaller.Briefing{Text: fmt.Sprint("of ", l.core.with)}
	}
	s := l.call(telephony.Call{ID: "CA1", Caller: "karl"})
	l.do(s.Say(t.Context(), "Hello.", ""))
	l.answered(s, "Yes.")
	if got, want := l.told(), "of anna"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
