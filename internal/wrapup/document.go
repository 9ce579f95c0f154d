package wrapup

import (
	"context"

	"github.com/recallerhq/recaller"
)

// Documents files the documents of voice conversations; *document.Service has it.
type Documents interface {
	// FileSession writes the document of a voice conversation from its summary (V5). It reports whether there is one now:
	// without a summary there is none.
	FileSession(
		ctx context.Context, t recaller.Tenant, c recaller.Caller, conv recaller.Conversation,
	) (there bool, err error)
}

// undocumented tells why no conversation gets a document.
func (s *Service) undocumented() string {
	if s.Documents == nil {
		return "not configured"
	}
	return ""
}

// document files a conversation's document from its summary, as the store now has it. To repeat it has no second effect:
// there is one document of a conversation.
func (s *Service) document(ctx context.Context, w work) (recaller.StepResult, error) {
	conv, err := s.Store.Conversation(ctx, w.tenant.ID, string(w.conv.ID))
	if err != nil {
		return recaller.StepResult{}, err
	}
	caller, err := s.Store.Caller(ctx, w.tenant.ID, conv.Caller) // whose name the conversation may have told
	if err != nil {
		return recaller.StepResult{}, err
	}
	there, err := s.Documents.FileSession(ctx, w.tenant, caller, conv)
	switch {
	case err != nil:
		return recaller.StepResult{}, err
	case !there:
		return recaller.StepResult{State: recaller.StepSkipped, Reason: "nothing to tell"}, nil
	}
	return recaller.StepResult{State: recaller.StepDone, By: conv.Summary.By}, nil
}

// documented files a conversation's document by the rules' summary, until the model's is there.
func (s *Service) documented(ctx context.Context, w work) (recaller.StepResult, error) {
	if s.undocumented() != "" {
		return recaller.StepResult{}, nil
	}
	r, err := s.document(ctx, w)
	if r.State == recaller.StepDone {
		r.State, r.Reason = recaller.StepPending, reasonFindable
	}
	return r, err
}
