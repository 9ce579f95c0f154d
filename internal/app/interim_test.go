package app

import (
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/endpoint/endpointtest"
	"github.com/recallerhq/recaller/internal/llm/llmtest"
)

// The model is away when a call ends: what the rules remember of it is told at once, wherever one asks, and marked.
// Then the model answers, and what it finds is told in its place.
func TestWhileTheModelIsAwayTheRulesMemoriesAreTold(t *testing.T) {
	t.Parallel()
	model := llmtest.New(nil)
	model.Fail(endpointtest.Unauthorized())
	provider := httptest.NewServer(model)
	t.Cleanup(provider.Close)
	h := build(t, t.TempDir(), Options{}, "RECALLER_LLM_BASE_URL="+provider.URL+"/v1", "RECALLER_LLM_MODEL=test-model")
	first := h.ring("+14155550123")
	h.say(first.Conversation.ID, "Hello, this is about my boiler.")
	h.say(first.Conversation.ID, "My daughter is Sarah. I was a teacher for thirty years.")
	h.say(first.Conversation.ID, "I have a doctor's appointment tomorrow at three.")
	h.hangUp(first.Conversation.ID)
	h.work()
	told := h.told(first.Caller.ID)
	const quoted, shown = "“My daughter is Sarah.”", ": 'My daughter is Sarah.'\n"
	if !told.marked[quoted] || !told.marked["“I was a teacher for thirty years.”"] || len(told.marked) != 3 {
		t.Errorf("got memories %v, want what the rules remember, marked", told.marked)
	}
	if !strings.Contains(told.text, shown) || !strings.Contains(told.text, "## Due") || len(told.recalled) != 1 || !strings.HasSuffix(told.recalled[0], quoted) {
		t.Errorf("recalled %q, and was briefed:\n%s\nwant the rules' memories in both, and what is due", told.recalled, told.text)
	}
	again := h.ring("+14155550123")
	if !strings.Contains(again.Briefing.Text, shown) {
		t.Errorf("who rings again is met with\n%s", again.Briefing.Text)
	}
	heard := h.listen(again.Conversation.ID)

	model.Heal()
	h.clock.turn(time.Hour)
	h.work()
	told = h.told(first.Caller.ID)
	if marked, there := told.marked["My daughter is Sarah"]; !there || marked || len(told.marked) != 3 {
		t.Errorf("got memories %v, want the model's, and what only the rules found", told.marked)
	}
	for value, marked := range told.marked {
		if marked {
			t.Errorf("%s is marked, though the model has answered", value)
		}
	}
	if strings.Contains(told.text, shown) || !strings.Contains(told.text, "- daughter: My daughter is Sarah\n") || len(told.recalled) != 1 || told.recalled[0] != "daughter: My daughter is Sarah" {
		t.Errorf("recalled %q, and was briefed:\n%s\nwant the model's memory in both, and not the rules' as well", told.recalled, told.text)
	}
	h.eventually("who listens is told that the rules' memory is to be told no more", func() bool {
		select {
		case kind := <-heard:
			return kind == client.EventMemoryForgotten
		default:
			return false
		}
	})
}

// work does all jobs that are due.
func (h *house) work() {
	h.t.Helper()
	if _, err := h.app.runner.RunDue(h.t.Context()); err != nil {
		h.t.Fatal(err)
	}
}

// told is what is told of a caller, wherever one asks.
type told struct {
	marked   map[string]bool // memories, by value: whether they are the rules' for now
	text     string          // the briefing
	recalled []string
}

func (h *house) told(caller string) told {
	h.t.Helper()
	ctx := h.t.Context()
	list, err := h.Memories(ctx, caller, client.MemoryFilter{})
	if err != nil {
		h.t.Fatal(err)
	}
	b, err := h.CallerBriefing(ctx, caller, client.BriefingQuery{})
	if err != nil {
		h.t.Fatal(err)
	}
	res, err := h.Recall(ctx, caller, client.RecallRequest{Query: "daughter Sarah", Kinds: []recaller.HitKind{recaller.HitMemory}})
	if err != nil {
		h.t.Fatal(err)
	}
	out := told{marked: map[string]bool{}, text: b.Text}
	for _, m := range list.Memories {
		out.marked[m.Value] = m.Interim
	}
	for _, r := range res.Results {
		if !r.Weak {
			out.recalled = append(out.recalled, r.Text)
		}
	}
	return out
}

// What an agent saved stands in the history as soon as something else is found in a call that broke off, though no wrap-up
// has read that yet.
func TestWhatIsFoundAtOnceHasWhatStoodBeforeInItsHistory(t *testing.T) {
	t.Parallel()
	h := build(t, t.TempDir(), Options{})
	who := h.ring("+14155550123")
	h.hangUp(who.Conversation.ID)
	h.work()
	if _, err := h.PutCheckpoint(t.Context(), who.Caller.ID, client.CheckpointInput{Intent: "order", Summary: "They wait for the brass key."}); err != nil {
		t.Fatal(err)
	}
	h.clock.turn(time.Hour)
	call := h.ring("+14155550123")
	h.say(call.Conversation.ID, "My boiler is leaking at 14 Brookside Lane, please send somebody.")
	if _, err := h.EndConversation(t.Context(), call.Conversation.ID, client.EndRequest{Status: recaller.Failed}); err != nil {
		t.Fatal(err)
	}
	for _, when := range []string{"before the wrap-up", "after it"} {
		c, err := h.Checkpoint(t.Context(), who.Caller.ID)
		if err != nil || c.Source != recaller.CheckpointFound {
			t.Fatalf("%s: got %+v, %v, want what was found", when, c, err)
		}
		past, err := h.CheckpointHistory(t.Context(), who.Caller.ID)
		if err != nil || len(past.States) != 1 || past.States[0].Summary != "They wait for the brass key." {
			t.Errorf("%s: got %+v, %v, want what was saved", when, past, err)
		}
		h.work()
	}
}
