package agent_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/agent"
	"github.com/recallerhq/recaller/internal/llm/llmtest"
)

// The model says amid an answer that somebody else speaks, with further calls behind it: those are not carried out, for
// they were made of what is another's, and it goes on with what is known of who speaks, and none of the other's words.
func TestAnAnswerGoesOnAnewWhereSomebodyElseSpeaks(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, b *bench) {
		in := b.hears("My putter is by Ping. Wait, here is Tom.")
		in.Briefing.Text += "\nAna has a boat."
		in.Anew = func(context.Context) agent.Asking {
			tom := in
			tom.Caller, tom.Briefing = recaller.Caller{ID: "new"}, recaller.Briefing{Text: "Tom has a kite."}
			tom.Turns = []recaller.Turn{{Speaker: recaller.User, Text: "Wait, here is Tom."}}
			return tom
		}
		b.says("One moment.", `recall {"query":"putter"}`, `someone_else {"name":"Tom"}`, `store_memory {"memory_type":"fact","key":"putter","value":"Ping"}`)
		b.says("Hello Tom.")
		got := b.answers(in)
		want := agent.Answer{
			Text: "One moment. Hello Tom.", By: agent.ByModel, Calls: []agent.Called{{Tool: "recall"}, {Tool: "someone_else"}}, Cost: got.Cost,
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if kept := b.remembered(); len(kept) > 0 {
			t.Errorf("got %v kept, want nothing", kept)
		}
		asked := b.provider.Requests()
		if told := written(asked[0]); !strings.Contains(told, "Ana has a boat.") || !strings.Contains(told, "someone_else") {
			t.Errorf("at first it was told\n%s", told)
		}
		last := asked[1]
		if told := written(last); len(asked) != 2 || strings.Contains(told, "boat") || strings.Contains(told, "putter") || !strings.Contains(told, "Tom has a kite.") {
			t.Errorf("after %d requests it was told\n%s", len(asked), told)
		}
		if len(last.Messages) != 1 || slices.ContainsFunc(last.Tools, func(t llmtest.Tool) bool { return t.Name == "someone_else" }) {
			t.Errorf("got %+v, want his words alone, and nobody else to speak before the answer is out", last)
		}
	})
}

// Where nobody else can speak, as in the chat of one visitor, the model cannot say so.
func TestNobodyElseSpeaksInAChat(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, b *bench) {
		in := b.hears("This is Tom.")
		b.says("", `someone_else {"name":"Tom"}`)
		b.says("I see.")
		got := b.answers(in)
		if want := []agent.Called{{Tool: "someone_else", Failed: recaller.NotFound}}; !slices.Equal(got.Calls, want) || got.Text != "I see." {
			t.Errorf("got %+v, want no such tool", got)
		}
		if told := written(b.provider.Requests()[0]); strings.Contains(told, "someone_else") {
			t.Errorf("it is told of a tool that is refused:\n%s", told)
		}
	})
}
