package wrapup_test

import (
	"strings"
	"testing"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/pin"
	"github.com/recallerhq/recaller/internal/wrapup"
)

// wording answers what a topic is in short, and parrots all else.
func wording(brief string, err func(recaller.Ask) (string, error)) func(recaller.Ask) (string, error) {
	return func(q recaller.Ask) (string, error) {
		switch {
		case !strings.Contains(q.System, "there is no conversation"):
			return parrotSummary(q)
		case err != nil:
			return err(q)
		}
		return summaryJSON(recaller.Summary{Brief: brief}), nil
	}
}

// worded is what a model says of the one topic.
func (h *house) worded() string {
	h.Helper()
	t, _ := pin.Of(h.onlyPin())
	if t.Worded == nil {
		return ""
	}
	return t.Worded.By + ": " + t.Worded.Text
}

// Where there is a model, a topic is told in its words beside the quotations, as far as these carry them; they go when
// the topic changes, or something of it is forgotten.
func TestAModelWordsAPin(t *testing.T) {
	t.Parallel()
	m := &asked{summary: wording("The boiler is leaking, and it is getting worse.", nil)}
	h := pinning(newHouseWith(t, recaller.Tenant{}, m))
	conv := h.calls(boilerCalls...)
	if got := h.worded(); got != modelName+": The boiler is leaking, and it is getting worse." {
		t.Errorf("got %q", got)
	}
	if d := h.onlyPin(); !strings.HasPrefix(d.Content, "**In short:** The boiler is leaking") || !strings.Contains(d.Content, "“The boiler is still leaking") {
		t.Errorf("got %s", d.Content)
	}
	if p := h.progress(conv, recaller.StepPin); p.State != recaller.StepDone || p.By != modelName || !strings.HasPrefix(p.Prompt, "summary/") {
		t.Errorf("got %+v", p)
	}
	if q := m.all[len(m.all)-1]; strings.Contains(q.System, "leaking") || !strings.Contains(q.Text, "[0] USER: My boiler is leaking.") {
		t.Errorf("got asked %+v", q)
	}
	topic, _ := pin.Of(h.onlyPin())
	if kept := topic.Without(func(q pin.Quote) bool { return strings.Contains(q.Text, "worse") }); kept.Worded != nil || kept.Empty() {
		t.Errorf("something is forgotten, and it is told as %+v", kept)
	}
	h.calls("The boiler is fixed now, thank you.") // what the model says now is not carried by that
	m.summary = wording("The boiler was sold to a museum in Paris.", nil)
	h.calls("The boiler has broken down again.")
	if got := h.worded(); got != "" {
		t.Errorf("got %q, which nobody said", got)
	}
}

// A pin waits for no model, and gets by without one that cannot be trusted or makes no sense.
func TestAPinWithoutTheModelsWords(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		answer func(recaller.Ask) (string, error)
		reason string
	}{
		"away":     {fails(recaller.Unavailable), ""},
		"refuses":  {fails(recaller.Invalid), wrapup.ReasonRefused},
		"nonsense": {says("I cannot."), wrapup.ReasonUnreadable},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := &asked{summary: wording("", tt.answer)}
			h := pinning(newHouseWith(t, recaller.Tenant{}, m))
			h.calls(boilerCalls[:2]...)
			h.now = h.now.AddDate(0, 0, 7)
			conv, job := h.hold(past{words: []string{"user: " + boilerCalls[2], "assistant: I see."}})
			err := h.service.Run(h.ctx, job)
			if away := recaller.KindOf(err) == recaller.Unavailable; away != (tt.reason == "") {
				t.Errorf("got %v", err)
			}
			if p := h.progress(conv, recaller.StepPin); p.Reason != tt.reason || p.State == recaller.StepDone != (tt.reason != "") {
				t.Errorf("got %+v", p)
			}
			if d := h.onlyPin(); h.worded() != "" || !strings.Contains(d.Content, "in 3 conversations") {
				t.Errorf("got %s", d.Content)
			}
			m.summary = wording("The boiler is leaking.", nil)
			if h.run(job); tt.reason == "" && h.worded() != modelName+": The boiler is leaking." {
				t.Errorf("when the model is back: got %q", h.worded())
			}
		})
	}
}
