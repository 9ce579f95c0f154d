package wrapup_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/store"
	"github.com/recallerhq/recaller/internal/wrapup"
)

// interim are the values of the caller's memories that are marked as the rules', sorted.
func (h *house) interim(c recaller.CallerID) []string {
	h.Helper()
	var out []string
	for _, m := range h.memories(c) {
		if m.Interim {
			out = append(out, m.Value)
		}
	}
	slices.Sort(out)
	return out
}

// telling are the caller's memories whose value has a word.
func (h *house) telling(c recaller.CallerID, word string) []recaller.Memory {
	h.Helper()
	var out []recaller.Memory
	for _, m := range h.memories(c) {
		if strings.Contains(m.Value, word) {
			out = append(out, m)
		}
	}
	return out
}

// teacher is the rules' memory of what the caller was.
func (h *house) teacher(c recaller.CallerID) recaller.Memory {
	h.Helper()
	found := h.telling(c, "I was a teacher")
	if len(found) != 1 {
		h.Fatalf("got %+v, want the one memory of the rules", found)
	}
	return found[0]
}

// waiting is a house whose model is away, with a call that waits for it, of which the rules remember waits.
func waiting(t *testing.T) (*house, *asked, recaller.Conversation, recaller.Job) {
	t.Helper()
	m := &asked{summary: fails(recaller.Unavailable), memories: fails(recaller.Unavailable)}
	h := newHouseWith(t, recaller.Tenant{}, m)
	conv, job := h.hold(past{words: chat})
	h.waits(job)
	if diff := cmp.Diff(waits, h.interim(conv.Caller)); diff != "" {
		t.Fatalf("interim memories (-want +got):\n%s", diff)
	}
	return h, m, conv, job
}

// waits is what the rules remember of chat.
var waits = []string{
	"“I have a doctor's appointment tomorrow at three [Monday 23 November 2026]”",
	"“I live alone since my wife died, and I love gardening.”",
	"“I was a teacher for thirty years.”",
	"“my daughter Sarah visits on Sundays.”",
}

// waits runs a wrap-up that finds its model away.
func (h *house) waits(job recaller.Job) {
	h.Helper()
	if err := h.service.Run(h.ctx, job); recaller.KindOf(err) != recaller.Unavailable {
		h.Fatalf("got %v, want the model's failure", err)
	}
}

// back is a model that is there again, and finds what is claimed.
func (m *asked) back(list ...claim) { m.summary, m.memories = nil, claims(list...) }

// nowhere has no words, and may have had them.
type nowhere struct{}

func (nowhere) Discard(recaller.TenantID, recaller.Conversation) bool { return false }

// Turns implements wrapup.Words.
func (nowhere) Turns(context.Context, recaller.TenantID, recaller.Conversation) ([]recaller.Turn, error) {
	return nil, recaller.Errorf(recaller.Unavailable, "the archive is away")
}

// orElse is the first of two that is not empty.
func orElse(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// change changes a memory as a person does.
func (h *house) change(m recaller.Memory, patch recaller.MemoryPatch, forget bool) {
	h.Helper()
	patch.At = h.now
	_, err := h.store.ChangeMemory(h.ctx, "t1", recaller.Changing{ID: m.ID, Patch: patch, Forget: forget, Forgetting: recaller.Forgetting{At: h.now}})
	h.ok(err)
}

func TestTheRulesMemoriesAreThereAtOnceAndGiveWay(t *testing.T) {
	t.Parallel()
	h, m, conv, job := waiting(t)
	rules, teacher := h.memories(conv.Caller), h.teacher(conv.Caller)
	if d := h.telling(conv.Caller, "appointment")[0]; d.DueAt == nil || !d.DueAt.Equal(time.Date(2026, 11, 23, 20, 0, 0, 0, time.UTC)) {
		t.Errorf("got %+v, want it to come due tomorrow at three", d)
	}
	if p := h.progress(conv, recaller.StepExtract); p.By != wrapup.By || p.Found != 4 || p.Stored != 4 || !p.FinishedAt.IsZero() {
		t.Errorf("got %+v, want four by rules, and the step open", p)
	}
	h.waits(job)
	h.reopen()
	h.waits(job)
	if diff := cmp.Diff(rules, h.memories(conv.Caller)); diff != "" {
		t.Errorf("the model is away still (-want +got):\n%s", diff)
	}
	m.all = nil
	m.back(fact("career", "was a teacher for thirty years", 5), fact("living_situation", "lives alone", 1))
	h.run(job)
	got := h.memories(conv.Caller)
	if len(got) != 4 || got["career"].Value != "was a teacher for thirty years" || got["living_situation"].Value != "lives alone" {
		t.Errorf("got %v, want what the model found, and beside it two of the rules'", got)
	}
	if left := h.interim(conv.Caller); len(left) != 0 {
		t.Errorf("got %v marked, want none", left)
	}
	for key, was := range rules {
		if beside := strings.Contains(was.Value, "appointment") || strings.Contains(was.Value, "Sarah"); beside && (got[key].ID != was.ID || got[key].Version != 1) {
			t.Errorf("got %+v, want the memory that was there", got[key])
		}
	}
	if _, err := h.store.MemoryByID(h.ctx, "t1", teacher.ID); recaller.KindOf(err) != recaller.NotFound {
		t.Errorf("got %v, want nothing left of what gave way", err)
	}
	if q := m.all[1].Text; strings.Contains(q, "[STORED]") {
		t.Errorf("the model was told that memories of the rules are known:\n%s", q)
	}
	if p := h.progress(conv, recaller.StepExtract); p.By != modelName || p.Found != 4 || p.Stored != 4 {
		t.Errorf("got %+v, want four new ones", p)
	}
}

// Whoever reads while the model's answer is written sees the rules' memories or the model's: the commit has both.
func TestNobodySeesBothOrNeither(t *testing.T) {
	t.Parallel()
	h, m, conv, job := waiting(t)
	m.back(fact("career", "was a teacher for thirty years", 5))
	h.behind = func(s *store.Store) wrapup.Store {
		return &mortal{Store: s, left: 1} // the summary is the last that is written
	}
	h.reopen()
	if err := h.service.Run(h.ctx, job); err == nil {
		t.Fatal("want the process to die")
	}
	if diff := cmp.Diff(waits, h.interim(conv.Caller)); diff != "" {
		t.Errorf("before (-want +got):\n%s", diff)
	}
	h.behind = nil
	h.reopen()
	before := len(h.changes)
	h.run(job)
	seen := map[string]bool{}
	for _, c := range h.changes[before:] {
		for _, m := range c.Memories {
			seen[m.Value+" "+string(m.Status)] = true
		}
	}
	if !seen["“I was a teacher for thirty years.” forgotten"] || !seen["was a teacher for thirty years active"] {
		t.Errorf("told %v, want what is to be told no more, and what is new", seen)
	}
}

func TestAnInterimMemoryThatWasForgottenStaysForgotten(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"", "career"} {
		h, m, conv, job := waiting(t)
		teacher := h.teacher(conv.Caller)
		h.change(teacher, recaller.MemoryPatch{}, true)
		m.back(fact(orElse(key, teacher.Key), "was a teacher for thirty years", 5), fact("living_situation", "lives alone", 1))
		h.run(job)
		if got := h.telling(conv.Caller, "teacher"); len(got) != 0 {
			t.Errorf("found as %q: got %+v, want it forgotten", key, got)
		}
		if len(h.values(conv.Caller)) != 1 {
			t.Errorf("got %v, want what else the model found", h.values(conv.Caller))
		}
	}
}

func TestWhatSomebodyMadeOfAnInterimMemoryStays(t *testing.T) {
	t.Parallel()
	value, key := "was a nurse for thirty years", "schooldays"
	touch := map[string]struct {
		do      func(h *house, m recaller.Memory)
		value   string
		version int
	}{
		"corrected": {func(h *house, m recaller.Memory) { h.change(m, recaller.MemoryPatch{Value: &value}, false) }, value, 2},
		"renamed":   {func(h *house, m recaller.Memory) { h.change(m, recaller.MemoryPatch{Key: &key}, false) }, "“I was a teacher for thirty years.”", 2},
		"confirmed": {func(h *house, m recaller.Memory) {
			m.ID, m.Source, m.Provenance, m.CreatedAt, m.ConfirmedAt = "again", recaller.SourceConversation, recaller.Provenance{}, h.now, h.now
			_, err := h.store.StoreMemory(h.ctx, "t1", recaller.Storing{Memory: m})
			h.ok(err)
		}, "“I was a teacher for thirty years.”", 1},
		"reminded of": {func(h *house, m recaller.Memory) {
			_, err := h.store.ChangeMemory(h.ctx, "t1", recaller.Changing{ID: m.ID, Patch: recaller.MemoryPatch{At: h.now}, Reminder: &recaller.Reminder{ID: "r", DueAt: h.now.Add(time.Hour)}})
			h.ok(err)
		}, "“I was a teacher for thirty years.”", 1},
	}
	for name, tt := range touch {
		for _, found := range []string{"", "career"} {
			for _, during := range []bool{false, true} { // while the model is asked
				h, m, conv, job := waiting(t)
				teacher := h.teacher(conv.Caller)
				m.back(fact(orElse(found, teacher.Key), "was a teacher for thirty years", 5))
				if answer := m.memories; during {
					m.memories = func(q recaller.Ask) (string, error) {
						tt.do(h, teacher)
						return answer(q)
					}
				} else {
					tt.do(h, teacher)
				}
				h.run(job)
				got := h.telling(conv.Caller, "thirty years")
				if len(got) != 1 || got[0].ID != teacher.ID || got[0].Value != tt.value || got[0].Version != tt.version || got[0].Interim || got[0].Dispute != nil {
					t.Errorf("%s, found as %q, while it was asked %t: got %+v, want what was made of it and nothing else", name, found, during, got)
				}
			}
		}
	}
}

func TestTheRulesMemoriesStayWhereTheModelIsGivenUp(t *testing.T) {
	t.Parallel()
	for _, lost := range []bool{false, true} { // the words too
		h, m, conv, job := waiting(t)
		want := h.memories(conv.Caller)
		if lost {
			h.service.Words = nowhere{}
		}
		h.ok(h.service.GiveUp(h.ctx, job, recaller.Errorf(recaller.Unavailable, "away")))
		for key, m := range want {
			m.Interim = false
			want[key] = m
		}
		if diff := cmp.Diff(want, h.memories(conv.Caller)); diff != "" {
			t.Errorf("words lost %t: memories (-want +got):\n%s", lost, diff)
		}
		h.service.Words = h
		m.back(fact("career", "was a teacher for thirty years", 5))
		h.run(job)
		if _, there := h.memories(conv.Caller)["career"]; there {
			t.Error("the model was asked after it was given up")
		}
	}
}

// The caller rings again and tells more of the same; the second call is written up first.
func TestALaterCallIsNoLessRememberedForWhatWaits(t *testing.T) {
	t.Parallel()
	h, m, first, job := waiting(t)
	key := h.teacher(first.Caller).Key
	again := []string{"assistant: Hello.", "user: I taught children at the village school.", "assistant: Goodbye."}
	second, later := h.hold(past{startedAt: h.now.Add(time.Hour), words: again})
	h.waits(later)
	both := len(h.interim(first.Caller))
	if own := h.telling(first.Caller, "village school"); both != len(waits)+1 || len(own) != 1 || !own[0].Interim {
		t.Errorf("got %v, want what the rules remember of both calls", h.interim(first.Caller))
	}
	m.back(fact(key, "taught children at the village school", 1))
	h.run(later)
	got := h.memories(first.Caller)[key]
	if got.Interim || got.Provenance.Conversation != second.ID || got.Dispute != nil || len(h.interim(first.Caller)) != len(waits)-1 {
		t.Errorf("got %+v and %v marked, want the second call's own, and the rest of the first", got, h.interim(first.Caller))
	}
	m.back(fact(key, "was a teacher for thirty years", 5))
	h.run(job)
	if work := h.memories(first.Caller)[key]; work.ID != got.ID || work.Version != 1 || work.Dispute != nil {
		t.Errorf("got %+v, want it once", work)
	}
}

// In the second call the caller asks that something of the first be forgotten, which waits for its model still.
func TestWhatWaitsIsForgottenWhenHeAsksForIt(t *testing.T) {
	t.Parallel()
	h, m, conv, job := waiting(t)
	_, later := h.hold(past{startedAt: h.now.Add(time.Hour), words: []string{
		"user: Please forget what I told you about my daughter Sarah.", "assistant: I will.", "user: Thanks, that is all.",
	}})
	m.back()
	h.run(later)
	if len(h.telling(conv.Caller, "Sarah")) != 0 {
		t.Errorf("got %v, want nothing of the daughter", h.memories(conv.Caller))
	}
	m.back(fact("daughter", "daughter Sarah visits on Sundays", 3), fact("career", "was a teacher for thirty years", 5))
	h.run(job)
	if diff := cmp.Diff(map[string]string{"career": "was a teacher for thirty years"}, h.values(conv.Caller)); diff != "" {
		t.Errorf("memories (-want +got):\n%s", diff)
	}
}

// A wish to forget needs no model: it is carried out while that is away.
func TestAWishToForgetWaitsForNoModel(t *testing.T) {
	t.Parallel()
	h, _, conv, _ := waiting(t)
	_, later := h.hold(past{startedAt: h.now.Add(time.Hour), words: []string{
		"user: Please forget what I told you about my daughter Sarah.", "assistant: I will.", "user: Thanks, that is all.",
	}})
	_ = h.service.Run(h.ctx, later) // it waits for the model, and says so
	if left := h.telling(conv.Caller, "Sarah"); len(left) != 0 {
		t.Errorf("got %v, want nothing of the daughter", left)
	}
}

func TestNothingIsRememberedMeanwhileOfWhatLeavesNoMemories(t *testing.T) {
	t.Parallel()
	h := newHouseWith(t, recaller.Tenant{}, &asked{summary: fails(recaller.Unavailable)})
	conv, job := h.hold(past{words: chat, lasted: 20 * time.Second})
	h.waits(job)
	if got := h.memories(conv.Caller); len(got) != 0 {
		t.Errorf("got %v of a call of 20 seconds, want nothing", got)
	}
	h = newHouseWith(t, recaller.Tenant{Retention: recaller.Ephemeral}, &asked{summary: fails(recaller.Unavailable), memories: fails(recaller.Unavailable)})
	conv, job = h.hold(past{words: chat, ephemeral: true})
	h.run(job)
	if got := h.memories(conv.Caller); len(got) != 0 {
		t.Errorf("got %v where no words are kept, want nothing", got)
	}
}
