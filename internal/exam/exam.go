// Package exam finds out whether a language model may write of people in its own words (ADR 17). Checks of single words
// do not notice a false link between two things that were both said. So the model first gets short invented calls with
// the traps that small models fall into: what was offered and not taken, whose an allergy is, a day that was corrected,
// what was denied, who of the two is who. Its answers are read like those about real calls, and compared with what is
// known to be true. After one false statement, or one unreadable answer, it writes nothing in its own words.
//
// The verdict follows closed rules: the same answers have the same verdict. A model that passes may still write
// something false, and a rule may mistake a fair sentence. The exam does not tell which model writes well. It is in
// English only.
package exam

import (
	"context"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/prompt"
	"github.com/recallerhq/recaller/internal/speech"
	"github.com/recallerhq/recaller/internal/wrapup/answer"
	"github.com/recallerhq/recaller/internal/wrapup/evidence"
)

// Trust says whose words a model writes in, as the operator has set it.
type Trust string

// The kinds of trust.
const (
	Auto   Trust = "auto"   // its own, once it has passed
	Own    Trust = "own"    // its own, without an examination
	Quoted Trust = "quoted" // nobody's but those that were said: it is not asked to write
)

// Model is asked. A failure of the kind Invalid counts as its answer; any other may pass.
type Model interface {
	Ask(ctx context.Context, q recaller.Ask) (recaller.Answer, error)
}

// Verdict is how a model did.
type Verdict struct {
	Passed bool
	Fault  string // what was wrong, in plain words: about invented calls, so it holds nobody's words
	Cost   recaller.Cost
}

// maxTokens is how long an answer may be, thoughts included. The calls are short.
const maxTokens = 2000

// Hold examines a model with two questions about each call, until one answer is wrong. An error means that the model is
// away, and nothing is known of it. The Cost is set even then.
func Hold(ctx context.Context, m Model) (Verdict, error) {
	var v Verdict
	for _, c := range calls() {
		for _, ask := range []func(context.Context, Model, call) (string, recaller.Cost, error){
			summarised, remembered,
		} {
			fault, cost, err := ask(ctx, m, c)
			v.Cost = v.Cost.Plus(cost)
			if recaller.KindOf(err) == recaller.Invalid {
				fault, err = "gave no answer that could be read", nil
			}
			if v.Fault = fault; err != nil || fault != "" {
				return v, err
			}
		}
	}
	v.Passed = true
	return v, nil
}

// summarised has the model write a call up.
func summarised(ctx context.Context, m Model, c call) (fault string, cost recaller.Cost, err error) {
	a, err := ask(ctx, m, prompt.Summary, answer.SummarySchema(), c)
	if err != nil {
		return "", a.Cost, err
	}
	s, err := answer.Summary(a.Text, a.Cut)
	if err != nil {
		return "", a.Cost, err
	}
	var lines []string
	for _, prose := range []string{s.Brief, s.Next} {
		for _, sentence := range speech.Sentences(plain(prose)) { // a quotation may hold several
			lines = append(lines, sentence.Text)
		}
	}
	for _, list := range [][]string{s.Decisions, s.Actions, s.Facts} {
		lines = append(lines, list...)
	}
	return c.judge(lines, s.Brief), a.Cost, nil
}

// remembered has the model find what is worth remembering of a call.
func remembered(ctx context.Context, m Model, c call) (fault string, cost recaller.Cost, err error) {
	a, err := ask(ctx, m, prompt.Extraction, answer.MemoriesSchema(), c)
	if err != nil {
		return "", a.Cost, err
	}
	list, _, err := answer.Memories(a.Text, a.Cut)
	if err != nil {
		return "", a.Cost, err
	}
	var lines []string
	for _, e := range list {
		if c.says(e.Value) {
			e.Value = "“" + e.Value + "”"
		}
		lines = append(lines, e.Key+": "+e.Value)
	}
	return c.judge(lines, ""), a.Cost, nil
}

func ask(ctx context.Context, m Model, name string, schema recaller.Schema, c call) (recaller.Answer, error) {
	system, _ := prompt.For(recaller.Tenant{}, name)
	return m.Ask(ctx, recaller.Ask{System: system, Text: evidence.Script(c.turns), Schema: &schema, MaxTokens: maxTokens})
}

// Record is what is known of one model in this process. Safe for concurrent use.
type Record struct {
	trust Trust
	turn  chan struct{} // who holds it may examine
	held  *Verdict      // guarded by turn
}

// NewRecord returns the record of an unknown model. An empty trust is Auto.
func NewRecord(trust Trust) *Record { return &Record{trust: trust, turn: make(chan struct{}, 1)} }

// Trusted reports whether a model may write in its own words. If that is not known, it examines the model, and others
// wait for the verdict. told is the verdict of an examination that was held now, or nil. An error means that the model
// is away, or that ctx ended; the next call then examines it. The cost is set in any case.
func (r *Record) Trusted(ctx context.Context, m Model) (trusted bool, told *Verdict, cost recaller.Cost, err error) {
	if r.trust == Own || r.trust == Quoted {
		return r.trust == Own, nil, cost, nil
	}
	select {
	case r.turn <- struct{}{}:
		defer func() { <-r.turn }()
	case <-ctx.Done():
		return false, nil, cost, recaller.Wrap(recaller.Timeout, ctx.Err(), "the model is being examined")
	}
	if r.held == nil {
		v, err := Hold(ctx, m)
		if err != nil {
			return false, nil, v.Cost, err
		}
		r.held, told, cost = &v, &v, v.Cost
	}
	return r.held.Passed, told, cost, nil
}

// String tells people how a model did.
func (v Verdict) String() string {
	if v.Passed {
		return "it may write in its own words: it told our two calls without a false statement"
	}
	return "it writes nothing in its own words: of a call of ours it " + v.Fault
}
