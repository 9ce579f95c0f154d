package search

import (
	"context"
	"errors"
	"reflect"
	"slices"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/forgotten"
)

// Reindex is the work of a job of kind recaller.JobReindex: it makes those of a caller's conversations findable anew
// that memories hide something of which were forgotten, or did before they were brought back. It reads his
// conversations once, whatever their number. An error means: again later; until then they may still be found by what
// they hide, but never show it.
func (s *Service) Reindex(ctx context.Context, j recaller.Job) error {
	versions, err := s.Store.Regarded(ctx, j.Tenant, j.Caller, j.Subject)
	if err == nil {
		err = s.again(ctx, j.Tenant, j.Caller, forgotten.New(versions))
	}
	if errors.Is(err, recaller.NotFound) { // erased meanwhile
		return nil
	}
	return err
}

// again makes a caller's conversations findable anew as far as a view tells something else of them.
func (s *Service) again(ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, gone forgotten.View) error {
	page := recaller.Page{Limit: pageSize}
	var failed []error // one that cannot be read keeps no other waiting
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

// against makes a conversation findable anew, if it is to be found at all, and a view hides something of it.
func (s *Service) against(ctx context.Context, tenant recaller.TenantID, conv recaller.Conversation, gone forgotten.View) error {
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
