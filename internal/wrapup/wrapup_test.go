package wrapup_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/wrapup"
)

// visit is a call from which there is something to remember.
var visit = []string{
	"assistant: Good morning, how can I help?",
	"user: Good morning, my name is Rosa Klein. My kitchen sink is leaking.",
	"assistant: I'm sorry to hear that. What is your address?",
	"user: It's 12 Oak Lane. I live alone, and I have a doctor's appointment tomorrow at three.",
	"assistant: A plumber will come on Friday.",
	"user: Thank you, bye.",
}

func TestAWrapUpLeavesSummaryLabelsAndMemories(t *testing.T) {
	h := newHouse(t, recaller.Tenant{})
	conv, job := h.hold(past{words: visit})
	if got := h.steps(conv); got != "summarise pending, analyse pending, extract pending" {
		t.Fatalf("before: got %s", got)
	}
	conv = h.run(job)
	if got := h.steps(conv); got != "summarise done, analyse done, extract done" {
		t.Errorf("after: got %s", got)
	}
	if conv.Summary == nil || !strings.Contains(conv.Summary.Brief, "kitchen sink is leaking") || conv.Summary.By != wrapup.By {
		t.Errorf("got summary %+v, want one that tells of the sink, by rules", conv.Summary)
	}
	if conv.Analysis == nil || conv.Analysis.Intent != "repair-visit" || conv.Analysis.By != wrapup.By {
		t.Errorf("got analysis %+v, want a repair visit, by rules", conv.Analysis)
	}
	m := h.memories(conv.Caller)["living_situation"]
	if m.Value != "“I live alone”" || m.Source != recaller.SourceExtraction || m.PrivacyScope != recaller.LineOnly {
		t.Errorf("got memory %+v, want that the caller lives alone, from extraction, for this line only", m)
	}
	if m.Provenance.Conversation != conv.ID || len(m.Provenance.Turns) != 1 || m.Provenance.Turns[0] != 3 {
		t.Errorf("got provenance %+v, want turn 3 of %s", m.Provenance, conv.ID)
	}
	for _, said := range []string{"Rosa", "Oak", "sink", "alone"} {
		if strings.Contains(h.log.String(), said) {
			t.Errorf("the log tells %q, which was said", said)
		}
	}
}

func TestStepsRunInTheirOrder(t *testing.T) {
	h := newHouse(t, recaller.Tenant{})
	conv, job := h.hold(past{words: visit})
	h.run(job)
	list, err := h.store.Steps(h.ctx, "t1", conv)
	h.ok(err)
	var last time.Time
	for i, p := range list {
		if p.Step != order[i] || !p.FinishedAt.After(last) || p.Attempts != 1 {
			t.Errorf("step %d: got %s at %v after %d attempts, want %s after %v at the first", i, p.Step, p.FinishedAt, p.Attempts, order[i], last)
		}
		last = p.FinishedAt
	}
}

func TestARepeatedWrapUpHasNoSecondEffect(t *testing.T) {
	h := newHouse(t, recaller.Tenant{})
	conv, job := h.hold(past{words: visit})
	first := h.run(job)
	before, err := h.store.ContentVersion(h.ctx, "t1", conv.Caller)
	h.ok(err)
	held, changes := h.memories(conv.Caller), len(h.changes)
	h.reopen()
	again := h.run(job)
	after, err := h.store.ContentVersion(h.ctx, "t1", conv.Caller)
	h.ok(err)
	if after != before || len(h.changes) != changes {
		t.Errorf("the second run changed something: version %d, was %d; %d changes told, were %d", after, before, len(h.changes), changes)
	}
	if again.Summary.Brief != first.Summary.Brief || len(h.memories(conv.Caller)) != len(held) {
		t.Errorf("got %q and %d memories, want what the first run left: %q and %d", again.Summary.Brief, len(h.memories(conv.Caller)), first.Summary.Brief, len(held))
	}
}

// Between any two writes the process may die; the next one does what is left, and nothing twice.
func TestACrashBetweenStepsLosesAndDoublesNothing(t *testing.T) {
	whole := newHouse(t, recaller.Tenant{})
	conv, job := whole.hold(past{words: visit})
	want, memories := whole.run(job), whole.memories(conv.Caller)
	for done := range len(order) {
		t.Run("after "+string(order[done]), func(t *testing.T) {
			h := newHouse(t, recaller.Tenant{})
			conv, job := h.hold(past{words: visit})
			h.dieAfter(done+1, job)
			if n := strings.Count(h.stands(conv), "pending"); n != len(order)-done-1 {
				t.Fatalf("the crash came with %d steps to do, want it after %d: %s", n, done+1, h.steps(conv))
			}
			h.reopen()
			got := h.run(job)
			if h.steps(conv) != "summarise done, analyse done, extract done" || got.Summary.Brief != want.Summary.Brief || got.Analysis.Intent != want.Analysis.Intent {
				t.Errorf("got %s, %q, %v; want all done as in one go", h.steps(conv), got.Summary.Brief, got.Analysis)
			}
			held := h.memories(conv.Caller)
			for key, m := range memories {
				if held[key].Value != m.Value || held[key].Version != 1 {
					t.Errorf("%s: got %q in version %d, want %q in its first", key, held[key].Value, held[key].Version, m.Value)
				}
			}
			if len(held) != len(memories) {
				t.Errorf("got %d memories, want %d", len(held), len(memories))
			}
		})
	}
}

func TestWhatIsSkippedSaysWhy(t *testing.T) {
	tests := []struct {
		name string
		past past
		want string
	}{
		{"a reminder call", past{words: visit, reminder: true}, "summarise done, analyse done, extract skipped (a reminder call)"},
		{"under half a minute", past{words: visit, lasted: 29 * time.Second}, "summarise done, analyse done, extract skipped (shorter than 30 seconds)"},
		{"half a minute", past{words: visit, lasted: 30 * time.Second}, "summarise done, analyse done, extract done"},
		{"never connected", past{}, "summarise done, analyse done, extract skipped (never connected)"},
		{"the words are gone", past{words: visit, lost: true}, "summarise skipped (the words are gone), analyse skipped (the words are gone), extract skipped (the words are gone)"},
		{"a short text message", past{words: visit, channel: recaller.ChannelSMS, lasted: time.Second}, "summarise done, analyse done, extract done"},
		{"a text message that is a reminder", past{words: visit, channel: recaller.ChannelSMS, reminder: true}, "summarise done, analyse done, extract done"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := newHouse(t, recaller.Tenant{})
			conv, job := h.hold(tt.past)
			h.run(job)
			if got := h.steps(conv); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestANameIsKeptFromTheShortestCall(t *testing.T) {
	h := newHouse(t, recaller.Tenant{})
	conv, job := h.hold(past{words: visit, lasted: 10 * time.Second})
	h.run(job)
	c, err := h.store.Caller(h.ctx, "t1", conv.Caller)
	h.ok(err)
	if c.Name != "Rosa Klein" || c.NameSource != recaller.NameSaid {
		t.Errorf("got name %q (%s), want Rosa Klein, as said", c.Name, c.NameSource)
	}
	if n := len(h.memories(conv.Caller)); n != 0 {
		t.Errorf("got %d memories of a call of ten seconds, want none", n)
	}
}

func TestWordsInMemoryAreUsedAndLetGo(t *testing.T) {
	h := newHouse(t, recaller.Tenant{Retention: recaller.Ephemeral})
	conv, job := h.hold(past{words: visit, ephemeral: true})
	got := h.run(job)
	c, err := h.store.Caller(h.ctx, "t1", conv.Caller)
	h.ok(err)
	if got.Summary.Brief != wrapup.NothingKept || len(h.memories(conv.Caller)) != 0 || c.Name != "Rosa Klein" {
		t.Errorf("got %+v and %v of %s, want the name and the labels, and nothing quoted", got.Summary, h.memories(conv.Caller), c.Name)
	}
	if len(h.held) != 0 || len(h.discarded) != 1 {
		t.Errorf("the words are still held: %d of them, let go %d times", len(h.held), len(h.discarded))
	}
}

func TestExtractionNeverOverwritesWhatIsKnown(t *testing.T) {
	h := newHouse(t, recaller.Tenant{})
	conv, job := h.hold(past{words: visit})
	_, err := h.store.StoreMemory(h.ctx, "t1", recaller.Storing{Memory: recaller.Memory{
		ID: "m-told", Caller: conv.Caller, Type: recaller.Context, Key: "Living_Situation", Value: "lives with her sister", Confidence: 0.5,
		Source: recaller.SourceConversation, PrivacyScope: recaller.LineOnly, CreatedAt: h.now, ConfirmedAt: h.now,
	}})
	h.ok(err)
	h.run(job)
	held := h.memories(conv.Caller)
	if m := held["Living_Situation"]; m.Value != "lives with her sister" || m.Version != 1 {
		t.Errorf("got %q in version %d, want what was stored before", m.Value, m.Version)
	}
	if m, ok := held["living_situation"]; ok {
		t.Errorf("the key is there twice, in another case: %q", m.Value)
	}
}

func TestFollowUpsComeDueInTheCallersZone(t *testing.T) {
	h := newHouse(t, recaller.Tenant{TimeZone: "Asia/Tokyo"})
	// Half past eleven at night on Saturday in Los Angeles; Sunday already in Tokyo, and at Greenwich.
	conv, job := h.hold(past{phone: "+12135550123", startedAt: time.Date(2026, 11, 22, 7, 30, 0, 0, time.UTC), words: visit})
	h.run(job)
	m := h.memories(conv.Caller)["appointment"]
	want := time.Date(2026, 11, 22, 23, 0, 0, 0, time.UTC) // three in the afternoon on Sunday there
	if m.DueAt == nil || !m.DueAt.Equal(want) || m.DueDay {
		t.Errorf("got due %v (day %v), want %v", m.DueAt, m.DueDay, want)
	}
}

func TestAnImportedConversationDatesItsMemoriesThen(t *testing.T) {
	h := newHouse(t, recaller.Tenant{})
	then := h.now.AddDate(-1, 0, 0)
	conv, job := h.hold(past{startedAt: then, words: visit})
	h.run(job)
	m := h.memories(conv.Caller)["living_situation"]
	if m.CreatedAt.Before(then) || m.CreatedAt.After(then.Add(2*time.Minute)) || !m.ConfirmedAt.Equal(m.CreatedAt) {
		t.Errorf("got a memory of %v, confirmed %v; want both during the call of %v", m.CreatedAt, m.ConfirmedAt, then)
	}
	if due := h.memories(conv.Caller)["appointment"].DueAt; due == nil || due.Year() != then.Year() {
		t.Errorf("got due %v, want the day after the call a year ago", due)
	}
}

func TestAJobThatIsGivenUpMarksWhatThereWillNotBe(t *testing.T) {
	h := newHouse(t, recaller.Tenant{})
	conv, job := h.hold(past{words: visit})
	h.dieAfter(1, job)
	h.reopen()
	h.ok(h.service.GiveUp(h.ctx, job, recaller.Errorf(recaller.Unavailable, "the database is away")))
	if got := h.steps(conv); got != "summarise done, analyse failed (unavailable), extract failed (unavailable)" {
		t.Errorf("got %s", got)
	}
	if len(h.discarded) != 1 {
		t.Errorf("the words were let go %d times, want once", len(h.discarded))
	}
}

func TestAConversationThatIsGoneNeedsNoWrapUp(t *testing.T) {
	h := newHouse(t, recaller.Tenant{})
	gone := recaller.Job{Tenant: "t1", Subject: "erased"}
	h.ok(h.service.Run(h.ctx, gone))
	h.ok(h.service.GiveUp(h.ctx, gone, errors.New("tried too often")))
}

func TestAPackThatIsNotKnownFailsOnlyItsStep(t *testing.T) {
	h := newHouse(t, recaller.Tenant{Packs: []string{"submarines"}})
	conv, job := h.hold(past{words: visit})
	h.run(job)
	if got := h.steps(conv); got != "summarise done, analyse failed (a keyword pack is not known), extract done" {
		t.Errorf("got %s", got)
	}
}
