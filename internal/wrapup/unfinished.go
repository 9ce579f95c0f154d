package wrapup

import (
	"context"
	"errors"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/wrapup/unfinished"
)

// unfinished returns what a conversation left of the caller's matter: his checkpoint, where his agent saves none. For a
// tenant whose words are not kept there is none by rules, because they quote. Earlier conversations that no wrap-up has
// read yet count as if it had.
func (s *Service) unfinished(ctx context.Context, w work) (*recaller.Unfinished, error) {
	if wordless(w) != "" || !heard(w.turns) {
		return nil, nil
	}
	packs, err := w.packs()
	if err != nil && !errors.Is(err, recaller.Invalid) { // without any it has no intent
		return nil, err
	}
	known, err := s.Store.Resumable(ctx, w.tenant.ID, w.conv.Caller)
	if err != nil {
		return nil, err
	}
	set := unfinished.Setting{
		Zone: w.zone, DayFirst: w.dayFirst, Packs: packs, Window: w.tenant.ResumeWindow, Stands: known.Checkpoint,
	}
	for _, conv := range known.Unread {
		if !conv.StartedAt.Before(w.conv.StartedAt) {
			continue
		}
		turns, err := s.Words.Turns(ctx, w.tenant.ID, conv)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil:
			s.Log.WarnContext(ctx, "a conversation could not be read for what it left unfinished", "conversation", conv.ID, "err", err)
			continue
		}
		set.Stands = unfinished.After(conv, w.gone.Blank(conv.ID, turns), set)
	}
	left := unfinished.Of(w.conv, w.turns, set)
	return &left, nil
}

// kept is what may be kept of what a result says to be unfinished. Of a tenant whose words are not kept that is what a
// model wrote, and no quotation.
func kept(w work, r recaller.StepResult) *recaller.Unfinished {
	if !lastsWithProcess(w) {
		return r.Unfinished
	}
	left := *r.Unfinished
	left.StagingData = []byte("{}")
	if r.By == By {
		left.Summary = ""
	}
	return &left
}

// reworded is what is unfinished, in the words of a model's summary: only the state of the matter is, and what was
// collected stays quoted. Where the matter of an earlier conversation goes on, the quotations of both stay.
func reworded(w work, left *recaller.Unfinished, sum recaller.Summary) *recaller.Unfinished {
	if left == nil || left.Summary == "" || sum.Brief == "" || left.Continues && !lastsWithProcess(w) {
		return left
	}
	worded := *left
	worded.Summary = sum.Brief
	return &worded
}
