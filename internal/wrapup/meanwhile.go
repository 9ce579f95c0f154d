package wrapup

import (
	"context"
	"errors"

	"github.com/recallerhq/recaller"
)

// reasonFindable is what the embedding that is to be made anew says of itself: a conversation is found by the rules'
// summary until the model's is there.
const reasonFindable = "waiting for the summary"

// meanwhile has the rules remember, and makes a conversation findable, once, while the steps wait for the model: what
// ended is known and can be searched at once (V7). When the model has answered, both are done again. It returns why
// they wait.
func (s *Service) meanwhile(ctx context.Context, w work, cause error) error {
	steps, err := s.Store.Steps(ctx, w.tenant.ID, w.conv)
	if err != nil {
		return errors.Join(cause, err)
	}
	for _, p := range steps {
		if p.State != recaller.StepPending || p.Reason != "" {
			continue
		}
		var interim func(context.Context, work) (recaller.StepResult, error)
		switch p.Step {
		case recaller.StepExtract:
			interim = s.remembered
		case recaller.StepEmbed:
			interim = s.findable
		default:
			continue
		}
		r, err := interim(ctx, w)
		if err == nil && r.State == recaller.StepPending {
			r.Step = p.Step
			_, err = s.write(ctx, w, r)
		}
		if err != nil {
			return errors.Join(cause, err)
		}
	}
	return cause
}

// remembered is what the rules find. A step that is to be skipped is left alone.
func (s *Service) remembered(_ context.Context, w work) (recaller.StepResult, error) {
	k, err := w.known()
	if err != nil || skip(w, recaller.StepExtract) != "" {
		return recaller.StepResult{}, err
	}
	k.active = k.told(w.conv.ID) // none is there twice
	return recaller.StepResult{State: recaller.StepPending, By: By, Reason: reasonWaiting, Memories: rules{s}.find(w, k)}, nil
}

// findable indexes a conversation by the rules' summary.
func (s *Service) findable(ctx context.Context, w work) (recaller.StepResult, error) {
	r, err := s.embed(ctx, w)
	if r.State == recaller.StepDone {
		r.State, r.Reason = recaller.StepPending, reasonFindable
	}
	return r, err
}
