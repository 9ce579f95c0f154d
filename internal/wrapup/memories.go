package wrapup

import (
	"context"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/prompt"
	"github.com/recallerhq/recaller/internal/wrapup/answer"
	"github.com/recallerhq/recaller/internal/wrapup/evidence"
)

// pastSummaries is how many past conversations are looked at for words that an agent may have recalled.
const pastSummaries = 10

// extract has the model find memories. What it finds counts only if the caller's own words carry it (B10). What the
// rules find is kept beside it, unless the model says the same.
func (m model) extract(ctx context.Context, w work) (recaller.StepResult, error) {
	k, err := w.known()
	if err != nil {
		return recaller.StepResult{}, err
	}
	recalled, err := m.recalled(ctx, w, k.told(w.conv.ID))
	if err != nil {
		return recaller.StepResult{}, err
	}
	own := evidence.Own(w.turns, recalled)
	if !heard(own) { // nothing that could be remembered
		return recaller.StepResult{State: recaller.StepDone, By: By}, nil
	}
	var claims []answer.Memory
	var label string
	trusted, err := m.trusted(ctx, w, recaller.StepExtract)
	if err == nil && !trusted {
		return because(ReasonUntrusted, m.rules.extract)(ctx, w)
	}
	if err == nil {
		err = m.fitting(func(window int) (err error) {
			claims, label, err = m.claims(ctx, w, own, k, window)
			return err
		})
	}
	if err != nil {
		reason, err := instead(w, err)
		if err != nil {
			return recaller.StepResult{}, err
		}
		return because(reason, m.rules.extract)(ctx, w)
	}
	if k, err = m.known(ctx, w); err != nil { // anew: a model takes its time, and meanwhile people correct
		return recaller.StepResult{}, err
	}
	s := &sieve{work: w, known: k, own: own, newID: m.NewID}
	r := recaller.StepResult{State: recaller.StepDone, By: m.Model.Model(), Prompt: label, Dropped: s.sift(claims)}
	if !lastsWithProcess(w) {
		s.beside(w.found())
	}
	r.Memories = surest(s.kept)
	return r, nil
}

// recalled returns what an agent may have told the caller out of the past: the memories and summaries from before this
// conversation. When that comes back in the caller's words it proves nothing (B11). What was stored during the
// conversation came from its own words.
func (m model) recalled(ctx context.Context, w work, told []recaller.Memory) ([]string, error) {
	var out []string
	for _, a := range told {
		if a.Provenance.Conversation != w.conv.ID && a.CreatedAt.Before(w.conv.EndedAt) {
			out = append(out, a.Value)
		}
	}
	list, _, err := m.Store.Conversations(ctx, w.tenant.ID, recaller.ConversationFilter{
		Caller: w.conv.Caller, Page: recaller.Page{Limit: pastSummaries},
	})
	for _, c := range list {
		if c.ID == w.conv.ID || c.Summary == nil || !c.StartedAt.Before(w.conv.StartedAt) {
			continue
		}
		s := c.Summary
		out = append(out, s.Brief, s.Next)
		for _, lines := range [][]string{s.Decisions, s.Actions, s.Facts} {
			out = append(out, lines...)
		}
	}
	return out, err
}

// claims asks the model for memories, part by part where the conversation is longer than its window.
func (m model) claims(
	ctx context.Context, w work, own []recaller.Turn, k known, window int,
) (found []answer.Memory, label string, err error) {
	system, label := prompt.For(w.tenant, prompt.Extraction)
	stored := evidence.Stored(k.keys(window / 4))
	parts := evidence.Window(own, window-len(stored))
	if len(parts) > maxParts {
		return nil, label, tooLong()
	}
	schema := answer.MemoriesSchema()
	for _, part := range parts {
		if !heard(part) {
			continue
		}
		q := recaller.Ask{System: system, Text: stored + evidence.Script(part), Schema: &schema}
		err := m.consult(ctx, w, recaller.StepExtract, q, func(a recaller.Answer) *complaint {
			list, lost, err := answer.Memories(a.Text, a.Cut)
			if err != nil {
				return unreadable()
			}
			m.Metrics.unreadable.Add(float64(lost))
			found = append(found, list...)
			return nil
		})
		if err != nil {
			return nil, label, err
		}
	}
	return found, label, nil
}
