package wrapup

import (
	"context"
	"errors"

	"github.com/recallerhq/recaller"
)

// Indexer makes ended conversations findable; *search.Service has it.
type Indexer interface {
	// Index replaces what the conversation is found by. It returns the embedder's model, or "" if there is nothing to be
	// found by. If the embedder fails, the error has a method Reason, which returns a label of a closed set; all else that
	// the conversation is found by is then in place.
	Index(ctx context.Context, tenant recaller.TenantID, conv recaller.Conversation) (by string, err error)
}

// reasonNothing is why a conversation is not embedded, beside the Indexer's own reasons.
const reasonNothing = "nothing to be found by"

// embed makes a conversation findable by its summary, as the store now has it, and its words (P6). If the embedder
// fails, nothing waits for it: the step stays open, with the reason, and the nightly run does it
// (search.Service.Retry).
func (s *Service) embed(ctx context.Context, w work) (recaller.StepResult, error) {
	if s.Indexer == nil {
		return recaller.StepResult{State: recaller.StepSkipped, Reason: "not configured"}, nil
	}
	conv, err := s.Store.Conversation(ctx, w.tenant.ID, string(w.conv.ID))
	if err != nil {
		return recaller.StepResult{}, err
	}
	by, err := s.Indexer.Index(ctx, w.tenant.ID, conv)
	var failure interface {
		error
		Reason() string
	}
	switch {
	case errors.As(err, &failure):
		// The nights are counted from this attempt on.
		return recaller.StepResult{State: recaller.StepPending, Reason: failure.Reason(), Attempts: 1}, nil
	case err != nil:
		return recaller.StepResult{}, err
	case by == "":
		return recaller.StepResult{State: recaller.StepSkipped, Reason: reasonNothing}, nil
	}
	return recaller.StepResult{State: recaller.StepDone, By: by}, nil
}
