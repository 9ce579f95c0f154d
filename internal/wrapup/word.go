package wrapup

import (
	"context"
	"slices"
	"sync"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/pin"
	"github.com/recallerhq/recaller/internal/prompt"
	"github.com/recallerhq/recaller/internal/wrapup/evidence"
	"github.com/recallerhq/recaller/internal/wrapup/reading"
)

// pinNote is what the model is told beside the prompt when it words what is known of a topic.
const pinNote = "Between <conversation> and </conversation> there is no conversation, but what was said of one matter in " +
	"several of them, in the order in which it was said. As the brief write what the matter is and how it stands after " +
	"the last of it, in one or two sentences. Leave the other fields empty."

// pin has the rules keep the topics, and then the model say of those that are others now what they are about and how
// they stand. What it says stands beside the quotations, as far as they carry it.
func (m model) pin(ctx context.Context, w work) (recaller.StepResult, error) {
	r, err := m.Service.pin(ctx, w)
	if err != nil {
		return r, err
	}
	list, err := m.Pins.Topics(ctx, w.tenant.ID, w.conv.Caller)
	if err != nil {
		return r, err
	}
	for _, d := range list {
		t, _ := pin.Of(d)
		if d.Origin != recaller.DocumentPin || t.Worded != nil || !slices.Contains(t.Last, w.conv.ID) {
			continue
		}
		trusted, err := m.trusted(ctx, w, recaller.StepPin)
		if err == nil && !trusted {
			r.Reason = ReasonUntrusted
			return r, nil
		}
		text, label := "", ""
		if err == nil {
			text, label, err = m.word(ctx, w, t)
		}
		if err != nil {
			r.Reason, err = instead(w, err)
			return r, err
		}
		r.By, r.Prompt = m.Model.Model(), label
		t.Worded = &pin.Words{Text: text, By: r.By, Conversation: w.conv.ID}
		err = m.Pins.FileTopic(ctx, w.tenant.ID, t.Onto(d, m.Now()))
		if err != nil && recaller.KindOf(err) != recaller.Conflict { // else somebody has changed it, who knows better
			return r, err
		}
	}
	return r, nil
}

// word asks for what a topic is about and how it stands, and checks it against what was said of it.
func (m model) word(ctx context.Context, w work, t pin.Topic) (text, label string, err error) {
	told, label := prompt.For(w.tenant, prompt.Summary)
	w.turns = t.Turns()
	w.reading = sync.OnceValue(func() reading.Reading { return reading.Of(w.turns, t.First.In(w.zone), w.dayFirst) })
	q := written(recaller.Ask{System: told + "\n\n" + pinNote, Text: evidence.Script(w.turns)})
	var sum recaller.Summary
	err = m.consult(ctx, w, recaller.StepPin, q, func(a recaller.Answer) (bad *complaint) {
		if sum, bad = readSummary(a); bad != nil {
			return bad
		}
		sum = recaller.Summary{Brief: sum.Brief}
		if bad = foreign(sum, w.turns); bad != nil {
			return bad
		}
		if sum, _ = evidence.Trim(sum, w.reading()); sum.Brief == "" {
			return &complaint{ReasonUnsupported, supportNote}
		}
		return nil
	})
	if err != nil {
		return "", label, err
	}
	date(&sum, w.reading())
	mask(&sum, w.tenant)
	return sum.Brief, label, nil
}
