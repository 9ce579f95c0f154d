package wrapup_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/wrapup"
)

// shelf is an Indexer that keeps what it was given, and fails as it is told.
type shelf struct {
	indexed []string // the briefs, in order
	fail    error
}

func (s *shelf) Index(_ context.Context, _ recaller.TenantID, conv recaller.Conversation) (string, error) {
	brief := ""
	if conv.Summary != nil {
		brief = conv.Summary.By
	}
	s.indexed = append(s.indexed, brief)
	if s.fail != nil || conv.Summary == nil {
		return "", s.fail
	}
	return "embedder/1", nil
}

// embedderError is how a failure of the embedder's looks.
type embedderError struct{ error }

func (embedderError) Reason() string { return "embedder unavailable" }

func failing() error {
	return embedderError{recaller.Errorf(recaller.Unavailable, "the embedder does not answer")}
}

// embedding tells how the last step of a conversation stands: "pending (embedder unavailable), tried 1".
func (h *house) embedding(conv recaller.Conversation) string {
	h.Helper()
	p := h.progress(conv, recaller.StepEmbed)
	s := string(p.State)
	if p.By != "" {
		s += " by " + p.By
	}
	if p.Reason != "" {
		s += " (" + p.Reason + ")"
	}
	return fmt.Sprintf("%s, tried %d", s, p.Attempts)
}

func TestAConversationIsMadeFindableWhenItIsWrittenUp(t *testing.T) {
	t.Parallel()
	h, s := newHouse(t, recaller.Tenant{}), &shelf{}
	h.index = s
	h.reopen()
	conv, job := h.hold(past{words: chat})
	h.run(job)
	if got := h.embedding(conv); got != "done by embedder/1, tried 1" || !slices.Equal(s.indexed, []string{wrapup.By}) {
		t.Errorf("got %s of %v, want it done once, with the summary there", got, s.indexed)
	}
	h.run(job)
	if len(s.indexed) != 1 {
		t.Errorf("a wrap-up that runs again embedded it again: %v", s.indexed)
	}
	silent, job := h.hold(past{words: chat, lost: true})
	h.run(job)
	if got := h.embedding(silent); got != "skipped (nothing to be found by), tried 1" {
		t.Errorf("without words: got %s", got)
	}
}

// Without an embedder the conversation is remembered, and searched by its words, all the same; the night does the rest.
func TestAnEmbedderThatIsAwayHoldsNothingUp(t *testing.T) {
	t.Parallel()
	h, s := newHouse(t, recaller.Tenant{}), &shelf{fail: failing()}
	h.index = s
	h.reopen()
	conv, job := h.hold(past{words: chat, ephemeral: true})
	got := h.run(job)
	if got.Summary == nil || h.steps(conv) != "summarise done, analyse done, extract done" || len(h.memories(conv.Caller)) == 0 {
		t.Errorf("got %s, want everything but the embedding", h.steps(conv))
	}
	if got := h.embedding(conv); got != "pending (embedder unavailable), tried 1" {
		t.Errorf("got %s", got)
	}
	if !slices.Equal(h.discarded, []recaller.ConversationID{conv.ID}) {
		t.Error("words that are not to be kept are held for the embedding")
	}
}

// A store that fails is another matter: the job is run again.
func TestAStoreThatFailsIsTriedAgain(t *testing.T) {
	t.Parallel()
	h, s := newHouse(t, recaller.Tenant{}), &shelf{fail: recaller.Errorf(recaller.Unavailable, "the store is away")}
	h.index = s
	h.reopen()
	conv, job := h.hold(past{words: chat})
	if err := h.service.Run(h.ctx, job); !errors.Is(err, recaller.Unavailable) || len(h.discarded) != 0 {
		t.Errorf("got %v, want the failure", err)
	}
	s.fail = nil
	h.run(job)
	if got := h.embedding(conv); got != "done by embedder/1, tried 2" {
		t.Errorf("got %s", got)
	}
}

// While the model is away the rules' summary is what is searched; when it is back, the model's is.
func TestASummaryThatIsReplacedIsEmbeddedAnew(t *testing.T) {
	t.Parallel()
	m, s := &asked{}, &shelf{}
	h := newHouseWith(t, recaller.Tenant{}, m)
	h.index = s
	h.reopen()
	down := true
	m.summary = func(q recaller.Ask) (string, error) { return provided(q, down, map[string]int{}, parrotSummary) }
	conv, job := h.hold(past{words: chat})
	for range 3 {
		if err := h.service.Run(h.ctx, job); !errors.Is(err, recaller.Unavailable) {
			t.Fatalf("got %v, want the model to be away", err)
		}
	}
	if got := h.embedding(conv); got != "pending by embedder/1 (waiting for the summary), tried 0" || !slices.Equal(s.indexed, []string{wrapup.By}) {
		t.Errorf("got %s of %v, want the rules' summary embedded, once", got, s.indexed)
	}
	down = false
	h.run(job)
	if got := h.embedding(conv); got != "done by embedder/1, tried 1" || !slices.Equal(s.indexed, []string{wrapup.By, modelName}) {
		t.Errorf("got %s of %v, want the model's embedded", got, s.indexed)
	}
}

// An embedder and a model that are both away do not multiply each other's tries.
func TestAnInterimSummaryThatCannotBeEmbeddedIsNotTriedAgain(t *testing.T) {
	t.Parallel()
	m, s := &asked{}, &shelf{fail: failing()}
	h := newHouseWith(t, recaller.Tenant{}, m)
	h.index = s
	h.reopen()
	m.summary = func(q recaller.Ask) (string, error) { return provided(q, true, map[string]int{}, parrotSummary) }
	conv, job := h.hold(past{words: chat})
	for range 3 {
		_ = h.service.Run(h.ctx, job)
	}
	if got := h.embedding(conv); got != "pending (embedder unavailable), tried 1" || len(s.indexed) != 1 {
		t.Errorf("got %s after %d tries, want one", got, len(s.indexed))
	}
}

// What the wrap-up gives up on, the night still does.
func TestGivingUpLeavesTheEmbeddingOpen(t *testing.T) {
	t.Parallel()
	h := newHouse(t, recaller.Tenant{})
	h.index = &shelf{}
	h.reopen()
	conv, job := h.hold(past{words: chat})
	h.ok(h.service.GiveUp(h.ctx, job, recaller.Errorf(recaller.Unavailable, "the store is away")))
	if got := h.embedding(conv); got != "pending (unavailable), tried 0" {
		t.Errorf("without a model: got %s", got)
	}
	s := &shelf{}
	h = newHouseWith(t, recaller.Tenant{}, &asked{})
	h.index = s
	h.reopen()
	conv, job = h.hold(past{words: chat})
	h.ok(h.service.GiveUp(h.ctx, job, recaller.Errorf(recaller.Unavailable, "the model is away")))
	if got := h.embedding(conv); got != "done by embedder/1, tried 1" || len(s.indexed) != 1 {
		t.Errorf("with one: got %s, want the rules' summary embedded", got)
	}
}
