package wrapup_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/exam"
	"github.com/recallerhq/recaller/internal/wrapup"
)

// examined counts the questions of an examination among those that a model was asked.
func (m *asked) examined() int {
	n := 0
	for _, q := range m.all {
		if strings.Contains(q.Text, "Doctor Amsel") || strings.Contains(q.Text, "Pedal Works") {
			n++
		}
	}
	return n
}

// A model that tells false things of a built-in call writes nothing of real ones: those are quoted, as if there were
// none. It is examined once, and who asked bears the cost.
func TestAModelThatFailsItsExaminationWritesNothing(t *testing.T) {
	m := &asked{
		summary:   says(summaryJSON(recaller.Summary{Brief: "Tomas Reuter has a toothache.", Facts: []string{"Caller is allergic to penicillin"}})),
		callsEach: recaller.Cost{Calls: 1},
	}
	h := newHouse(t, recaller.Tenant{})
	h.model, h.trust = m, exam.Auto
	h.reopen()
	_, job := h.hold(past{words: visit})
	first := h.run(job)
	if got := h.steps(first); got != "summarise done (model not trusted with its own words), analyse done, extract done (model not trusted with its own words)" {
		t.Errorf("got %s, want the rules to do it, and why", got)
	}
	if c := h.progress(first, recaller.StepSummarise).Cost; c.Calls != 1 {
		t.Errorf("got cost %+v, want that of the examination", c)
	}
	_, job = h.hold(past{phone: "+12125550188", words: visit})
	second := h.run(job)
	if len(m.all) != 1 || m.examined() != 1 {
		t.Errorf("it was asked %d questions, %d in its examination; want the one that it failed", len(m.all), m.examined())
	}
	if strings.Contains(h.log.String(), "penicillin") || !strings.Contains(h.log.String(), "passed=false") {
		t.Errorf("got the log\n%s\nwant it to say that the model failed, and not in what words", h.log.String())
	}
	h.model = nil
	h.reopen()
	_, job = h.hold(past{phone: "+12125550199", words: visit})
	alone := h.run(job)
	for _, conv := range []recaller.Conversation{first, second} {
		if diff := cmp.Diff(alone.Summary, conv.Summary); diff != "" || conv.Summary.By != wrapup.By {
			t.Errorf("summary (-without a model +with one):\n%s", diff)
		}
		if diff := cmp.Diff(h.values(alone.Caller), h.values(conv.Caller)); diff != "" {
			t.Errorf("memories (-without a model +with one):\n%s", diff)
		}
	}
}

// An examination that the endpoint breaks off is none: the conversation waits, as for any question, and is written up
// by the model that passes afterwards.
func TestAnOutageDuringTheExaminationIsNoFailure(t *testing.T) {
	m := &asked{summary: oneAfterAnother(fails(recaller.Unavailable), parrotSummary)}
	h := newHouse(t, recaller.Tenant{})
	h.model, h.trust = m, exam.Auto
	h.reopen()
	conv, job := h.hold(past{words: visit})
	if err := h.service.Run(h.ctx, job); recaller.KindOf(err) != recaller.Unavailable {
		t.Fatalf("got %v, want the job to be tried again", err)
	}
	if conv = h.conversation(conv.ID); conv.Summary == nil || conv.Summary.By != wrapup.By {
		t.Errorf("got %+v meanwhile, want the rules' summary", conv.Summary)
	}
	if conv = h.run(job); conv.Summary.By != modelName || m.examined() != 5 {
		t.Errorf("got a summary by %s after %d questions of examinations, want the model's after one and four", conv.Summary.By, m.examined())
	}
}

// Whose words are not kept, of him nothing is quoted: a model that is not trusted leaves nothing.
func TestOfAnEphemeralTenantAModelThatIsNotTrustedLeavesNothing(t *testing.T) {
	m := &asked{}
	h := newHouse(t, recaller.Tenant{Retention: recaller.Ephemeral})
	h.model, h.trust = m, exam.Quoted
	h.reopen()
	conv, job := h.hold(past{words: visit, ephemeral: true})
	conv = h.run(job)
	if conv.Summary.Brief != wrapup.NothingKept || len(h.values(conv.Caller)) != 0 || len(m.all) != 0 {
		t.Errorf("got %+v and %v after %d questions, want nothing", conv.Summary, h.values(conv.Caller), len(m.all))
	}
}
