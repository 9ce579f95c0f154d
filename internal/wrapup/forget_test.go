package wrapup_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/forgotten"
	"github.com/recallerhq/recaller/internal/store"
	"github.com/recallerhq/recaller/internal/wrapup"
)

// A caller tells something in one call, and asks in the next, a short one, that it be forgotten; no tool is called.
func TestWhatACallerAsksInWordsIsForgotten(t *testing.T) {
	h := newHouse(t, recaller.Tenant{})
	first, job := h.hold(past{words: []string{
		"assistant: Anything that Mitch should know about?",
		"user: I'm doing IVF, so I'm on hormones. And I have asthma.",
		"assistant: Do you have a dog?",
		"user: I have a dog called Tinker.",
	}})
	h.run(job)
	told := func(word string) (n int) {
		for _, m := range h.memories(first.Caller) {
			if strings.Contains(m.Value, word) {
				n++
			}
		}
		return n
	}
	if told("IVF") == 0 || told("Tinker") == 0 {
		t.Fatalf("got %v, want what was told", h.memories(first.Caller))
	}
	second, job := h.hold(past{startedAt: h.now.Add(time.Hour), lasted: 20 * time.Second, words: []string{
		"user: hi i told you about the um the ivf stuff i don't want that written down anywhere can you forget i said that",
		"assistant: of course i'll have that taken out",
	}})
	h.run(job)
	if told("IVF") != 0 || told("Tinker") == 0 {
		t.Errorf("got %v, want all but what was to be forgotten", h.memories(first.Caller))
	}
	gone, err := h.store.Forgotten(h.ctx, "t1", first.Caller)
	h.ok(err)
	if len(gone) == 0 || gone[0].Forgetting.Asked.Conversation != second.ID || !gone[0].Forgetting.At.Equal(second.StartedAt) {
		t.Errorf("got %+v, want it forgotten when and where it was asked for", gone)
	}
	view := forgotten.New(gone)
	if !view.Hides(second.ID, recaller.Turn{Number: 0}) || !view.Hides(first.ID, recaller.Turn{Number: 1}) || view.Hides(first.ID, recaller.Turn{Number: 3}) {
		t.Error("want the turns hidden that told it and that asked, and no other")
	}
	h.run(job) // once more does nothing
	if again, err := h.store.Forgotten(h.ctx, "t1", first.Caller); err != nil || len(again) != len(gone) {
		t.Errorf("got %d versions and %v, want %d as before", len(again), err, len(gone))
	}
}

// Nothing was remembered of what he told: the turn is hidden all the same, and others are not.
func TestWhatNoMemoryWasMadeOfIsForgotten(t *testing.T) {
	h := newHouse(t, recaller.Tenant{})
	first, job := h.hold(past{words: []string{
		"assistant: What are your plans?",
		"user: Callum's fetching me at three. He's, well, I shouldn't say it, he's been let go at the garage.",
		"assistant: I'll keep it to myself.",
		"user: Could you ring me before? Any number will do.",
	}})
	h.run(job)
	_, job = h.hold(past{startedAt: h.now.Add(time.Hour), lasted: 20 * time.Second, words: []string{
		"user: What I told you about Callum, I want you to forget that. Take it out.",
		"assistant: I'll take out what you told me about Callum.",
	}})
	h.run(job)
	gone, err := h.store.Forgotten(h.ctx, "t1", first.Caller)
	h.ok(err)
	view := forgotten.New(gone)
	if !view.Hides(first.ID, recaller.Turn{Number: 1, Speaker: recaller.User}) || view.Hides(first.ID, recaller.Turn{Number: 3, Speaker: recaller.User}) {
		t.Errorf("got %d versions forgotten, want the turn about him hidden, and no other", len(gone))
	}
	if len(h.memories(first.Caller)) != 0 {
		t.Errorf("got %v, want no memory of it", h.memories(first.Caller))
	}
}

// What is told and taken back in one call is not kept, whoever finds it.
func TestWhatIsTakenBackInTheSameCallIsNotKept(t *testing.T) {
	h := newHouseWith(t, recaller.Tenant{}, &asked{memories: claims(fact("debt", "owes his brother two thousand pounds", 1), fact("dog", "a dog called Tinker", 1))})
	conv, job := h.hold(past{words: []string{
		"assistant: How are you today?",
		"user: I have a dog called Tinker. And I owe my brother two thousand pounds since the divorce.",
		"assistant: I see.",
		"user: Forget what I told you about my brother, I don't want it written down.",
		"assistant: I'll take it out.",
	}})
	h.run(job)
	for key, m := range h.memories(conv.Caller) {
		if strings.Contains(m.Value, "brother") {
			t.Errorf("got %s, want nothing of what was taken back", key)
		}
	}
	if _, ok := h.memories(conv.Caller)["dog"]; !ok {
		t.Error("the dog is gone with it")
	}
}

// What he takes back in the call in which he told it is not remembered at all.
func TestWhatIsTakenBackInTheSameCallIsNotRemembered(t *testing.T) {
	for name, words := range map[string][]string{
		"pointed at":       {"user: I take insulin every day.", "assistant: Noted.", "user: Actually, forget that, I don't want it written down."},
		"named":            {"user: My son lost his job in May.", "assistant: I'm sorry.", "user: Forget what I said about my son and his job."},
		"deleted":          {"user: I'm on hormones at the moment.", "assistant: I see.", "user: Please delete that, don't write it down."},
		"in the same turn": {"user: I have diabetes. Don't write that down, take it out."},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t, recaller.Tenant{})
			conv, job := h.hold(past{words: words})
			h.run(job)
			if got := h.memories(conv.Caller); len(got) != 0 {
				t.Errorf("got %v, want no memory", got)
			}
		})
	}
}

// late is a store in which something is forgotten just before a step is written.
type late struct {
	*store.Store
	forget func()
}

func (l *late) WriteStep(ctx context.Context, tenant recaller.TenantID, r recaller.StepResult) (recaller.StepWritten, error) {
	if forget := l.forget; r.Step == recaller.StepExtract && forget != nil {
		l.forget = nil
		forget()
	}
	return l.Store.WriteStep(ctx, tenant, r)
}

// Between the last look at what was forgotten and the commit nothing slips through.
func TestWhatIsForgottenAsAStepIsWrittenIsNotKept(t *testing.T) {
	h := newHouse(t, recaller.Tenant{})
	conv, job := h.hold(past{words: []string{
		"assistant: How are you today?", "user: I am allergic to penicillin.", "assistant: I see.", "user: I have a dog called Tinker.",
	}})
	h.behind = func(s *store.Store) wrapup.Store {
		return &late{s, func() {
			turn := recaller.Turn{Number: 1, Text: "I am allergic to penicillin.", At: conv.StartedAt, Confidence: 1}
			gone := forgotten.Unkept(conv.ID, turn, "gone")
			gone.Caller, gone.Source, gone.PrivacyScope, gone.ConfirmedAt = conv.Caller, recaller.SourceConversation, recaller.LineOnly, gone.CreatedAt
			_, err := s.ChangeMemory(h.ctx, "t1", recaller.Changing{
				ID: gone.ID, Forget: true, Patch: recaller.MemoryPatch{At: h.now.Add(time.Hour)}, Unkept: []recaller.Memory{gone},
			})
			h.ok(err)
		}}
	}
	h.reopen()
	h.run(job)
	kept := h.memories(conv.Caller)
	if len(kept) != 1 {
		t.Errorf("got %d memories, want the dog alone", len(kept))
	}
	for key, m := range kept {
		if strings.Contains(m.Value, "penicillin") {
			t.Errorf("got %s, want nothing of what was forgotten", key)
		}
	}
}

// A model takes its time; what is forgotten meanwhile does not come back with its answer, under whatever key.
func TestWhatIsForgottenWhileTheModelThinksIsNotKept(t *testing.T) {
	var h *house
	var conv recaller.Conversation
	answer := claims(fact("money_trouble", "owes his brother two thousand pounds", 1), fact("dog", "a dog called Tinker", 3))
	h = newHouseWith(t, recaller.Tenant{}, &asked{memories: func(q recaller.Ask) (string, error) {
		turn := recaller.Turn{Number: 1, Text: "I owe my brother two thousand pounds since the divorce.", At: conv.StartedAt, Confidence: 1}
		gone := forgotten.Unkept(conv.ID, turn, "gone")
		gone.Caller, gone.Source, gone.PrivacyScope, gone.ConfirmedAt = conv.Caller, recaller.SourceConversation, recaller.LineOnly, gone.CreatedAt
		_, err := h.store.ChangeMemory(h.ctx, "t1", recaller.Changing{
			ID: gone.ID, Forget: true, Patch: recaller.MemoryPatch{At: h.now.Add(time.Hour)}, Unkept: []recaller.Memory{gone},
		})
		h.ok(err)
		return answer(q)
	}})
	var job recaller.Job
	conv, job = h.hold(past{words: []string{
		"assistant: How are you today?", "user: I owe my brother two thousand pounds since the divorce.", "assistant: I see.", "user: I have a dog called Tinker.",
	}})
	h.run(job)
	kept := h.memories(conv.Caller)
	for key, m := range kept {
		if strings.Contains(m.Value, "brother") {
			t.Errorf("got %s, want nothing of what was forgotten meanwhile", key)
		}
	}
	if _, ok := kept["dog"]; !ok {
		t.Error("the dog is gone with it")
	}
}
