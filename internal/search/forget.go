package search

import (
	"context"
	"errors"
	"reflect"
	"slices"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/forgotten"
)

// Reindex does a job of kind recaller.JobReindex: a caller's memories were forgotten, or brought back. It indexes anew
// those of his conversations of which they hide something, or did. It reads his conversations once, whatever the number
// of memories. An error means that the job must run again. Until then the old words may still find the conversations,
// but results never show them.
func (s *Service) Reindex(ctx context.Context, j recaller.Job) error {
	versions, err := s.Store.Regarded(ctx, j.Tenant, j.Caller, j.Subject)
	if err == nil {
		err = errors.Join(s.again(ctx, j.Tenant, j.Caller, forgotten.New(versions)), s.documentsAgain(ctx, j))
	}
	if errors.Is(err, recaller.NotFound) { // erased meanwhile
		return nil
	}
	return err
}

// again indexes anew each of a caller's conversations of which a view hides something.
func (s *Service) again(
	ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, gone forgotten.View,
) error {
	page := recaller.Page{Limit: pageSize}
	var failed []error // one that cannot be read does not stop the others
	for {
		list, next, err := s.Store.Conversations(ctx, tenant, recaller.ConversationFilter{Caller: caller, Page: page})
		if err != nil {
			return err
		}
		for _, conv := range list {
			if err := s.against(ctx, tenant, conv, gone); err != nil {
				failed = append(failed, err)
			}
			if ctx.Err() != nil {
				return ctx.Err()
			}
		}
		if next == "" {
			return errors.Join(failed...)
		}
		page.Cursor = next
	}
}

// against indexes a conversation anew, if it is indexed at all and a view hides something of it.
func (s *Service) against(
	ctx context.Context, tenant recaller.TenantID, conv recaller.Conversation, gone forgotten.View,
) error {
	if conv.Status == recaller.Active {
		return nil
	}
	turns, err := s.Words.Turns(ctx, tenant, conv)
	if err != nil {
		return err
	}
	hides := func(t recaller.Turn) bool { return gone.Hides(conv.ID, t) }
	if !slices.ContainsFunc(turns, hides) && reflect.DeepEqual(gone.Summary(conv, turns), conv.Summary) {
		return nil
	}
	steps, err := s.Store.Steps(ctx, tenant, conv)
	if err != nil {
		return err
	}
	indexed := func(p recaller.StepProgress) bool {
		return p.Step == recaller.StepEmbed && (p.State != recaller.StepSkipped || p.Reason == reasonNothing)
	}
	if !slices.ContainsFunc(steps, indexed) {
		return nil
	}
	_, err = s.Index(ctx, tenant, conv)
	return err
}
