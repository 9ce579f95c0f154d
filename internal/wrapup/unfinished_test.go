package wrapup_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/exam"
)

// dropped is a call that broke off.
var dropped = past{status: recaller.Failed, words: []string{
	"user: My kitchen sink is leaking.", "assistant: Where are you?", "user: At 12 Oak Lane.", "assistant: When would suit you?",
}}

const worded = "The kitchen sink at 12 Oak Lane is leaking."

// checkpoint is the caller's: "summary | staging data"; "" if there is none.
func (h *house) checkpoint(c recaller.CallerID) string {
	h.Helper()
	cp, err := h.store.Checkpoint(h.ctx, "t1", c)
	if errors.Is(err, recaller.NotFound) {
		return ""
	}
	h.ok(err)
	if cp.Source != recaller.CheckpointFound {
		return cp.Summary
	}
	return "found: " + cp.Summary + " | " + string(cp.StagingData)
}

const (
	quoted  = "found: Caller: “My kitchen sink is leaking.” Caller: “At 12 Oak Lane.” | " + staging
	staging = `{"address":"12 Oak Lane","issue":"My kitchen sink is leaking."}`
)

// Without a model what is unfinished is quoted. With one it is in the model's words, and what was collected stays quoted;
// while the model is away the quotations are there, and so they stay where it may not write in its own words.
func TestWhatACallLeavesUnfinishedIsStored(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name     string
		model    *asked
		trust    exam.Trust
		ephemera bool
		want     string
		away     bool
	}{
		{"by rules", nil, "", false, quoted, false},
		{"by a model", &asked{summary: says(summaryJSON(recaller.Summary{Brief: worded})), memories: claims()}, "", false, "found: " + worded + " | " + staging, false},
		{"by one that is away", &asked{summary: fails(recaller.Unavailable)}, "", false, quoted, true},
		{"by one that may not", &asked{}, exam.Quoted, false, quoted, false},
		{"by one that says what nobody said", &asked{summary: says(summaryJSON(recaller.Summary{Brief: "The roof of Mr Brown is on fire."})), memories: claims()}, "", false, quoted, false},
		{"of words that are not kept", nil, "", true, "", false},
		{"of words that are not kept, by a model", &asked{summary: says(summaryJSON(recaller.Summary{Brief: worded})), memories: claims()}, "", true, "found: " + worded + " | {}", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			settings := recaller.Tenant{}
			p := dropped
			if tt.ephemera {
				settings.Retention, p.ephemeral = recaller.Ephemeral, true
			}
			h := newHouse(t, settings)
			if h.trust = tt.trust; tt.model != nil {
				h.model = tt.model
			}
			h.reopen()
			conv, job := h.hold(p)
			if err := h.service.Run(h.ctx, job); (err != nil) != tt.away {
				t.Fatal(err)
			}
			if got := h.checkpoint(conv.Caller); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

// Between the rules' quotations and the model's words, who deletes or saves the checkpoint has the last word.
func TestAModelsWordsStandOverNothingElse(t *testing.T) {
	t.Parallel()
	for _, meanwhile := range []string{"", "saved by an agent"} {
		m := &asked{summary: oneAfterAnother(fails(recaller.Unavailable), says(summaryJSON(recaller.Summary{Brief: worded}))), memories: claims()}
		h := newHouseWith(t, recaller.Tenant{}, m)
		conv, job := h.hold(dropped)
		if err := h.service.Run(h.ctx, job); err == nil || !strings.HasPrefix(h.checkpoint(conv.Caller), "found: Caller") {
			t.Fatalf("got %q, %v; want the quotations while the model is away", h.checkpoint(conv.Caller), err)
		}
		h.ok(h.store.DeleteCheckpoint(h.ctx, "t1", conv.Caller))
		if meanwhile != "" {
			_, err := h.store.PutCheckpoint(h.ctx, "t1", recaller.Checkpoint{ID: "cp", Caller: conv.Caller, Summary: meanwhile, StagingData: []byte("{}"), LastActivity: h.now, CreatedAt: h.now})
			h.ok(err)
		}
		h.run(job)
		if got := h.checkpoint(conv.Caller); got != meanwhile {
			t.Errorf("got %q, want %q", got, meanwhile)
		}
	}
}

// The conversations of one caller are written up in any order. What the later one says of the matter holds.
func TestTheLaterCallHoldsWhateverTheOrder(t *testing.T) {
	t.Parallel()
	later := past{words: []string{
		"user: We were cut off. It is about the leaking sink.", "assistant: I can send somebody on Tuesday at nine.", "user: Perfect.", "assistant: You're booked for Tuesday at nine. Bye!",
	}}
	for _, backwards := range []bool{false, true} {
		h := newHouse(t, recaller.Tenant{})
		conv, first := h.hold(dropped)
		h.now = h.now.Add(time.Hour)
		later.startedAt = h.now
		_, second := h.hold(later)
		jobs := []recaller.Job{first, second}
		if backwards {
			jobs = []recaller.Job{second, first}
		}
		for _, job := range jobs {
			h.run(job)
		}
		if cp, err := h.store.Checkpoint(h.ctx, "t1", conv.Caller); err != nil || !cp.Completed() {
			t.Errorf("backwards %v: got %+v, %v; want the matter settled", backwards, cp, err)
		}
	}
}
