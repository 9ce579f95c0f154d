package wrapup

import (
	"context"
	"errors"

	"github.com/recallerhq/recaller"
)

// reasonFindable is what the embedding that is to be made anew says of itself: a conversation is found by the rules'
// summary until the model's is there.
const reasonFindable = "waiting for the summary"

// meanwhile does once what steps have to do while they wait for the model: the rules remember, and the conversation
// becomes findable. So what ended is known and can be searched at once (V7). When the model has answered, both are done
// again. meanwhile returns why the steps wait.
func (s *Service) meanwhile(ctx context.Context, w work, waiting []recaller.StepProgress, cause error) error {
	for _, p := range waiting {
		st, _ := s.find(p.Step)
		if st.meanwhile == nil || p.Reason != "" {
			continue
		}
		r, err := st.meanwhile(ctx, w)
		if err == nil && r.State == recaller.StepPending {
			r.Step, r.Remembers = st.name, st.remembers
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
	if err != nil || unremembered(w) != "" {
		return recaller.StepResult{}, err
	}
	k.active = k.told(w.conv.ID) // none is there twice
	return recaller.StepResult{
		State: recaller.StepPending, By: By, Reason: reasonWaiting, Memories: rules{s}.find(w, k),
	}, nil
}

// findable indexes a conversation by the rules' summary.
func (s *Service) findable(ctx context.Context, w work) (recaller.StepResult, error) {
	r, err := s.embed(ctx, w)
	if r.State == recaller.StepDone {
		r.State, r.Reason = recaller.StepPending, reasonFindable
	}
	return r, err
}
