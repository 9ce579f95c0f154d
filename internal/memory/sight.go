package memory

import (
	"context"
	"slices"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/forgotten"
)

// Sight is what of a caller's memories may be seen from a conversation (B1). What is out of sight is not found, nor changed,
// nor is its being there told. The zero value sees all: it is for the application itself.
type Sight struct {
	Rights       recaller.Rights         // zero: all
	Conversation recaller.ConversationID // what was said in it is seen in any case
}

// sees reports whether all may be seen.
func (s Sight) sees() bool {
	return s.Rights == (recaller.Rights{}) || s.Rights.Tells(recaller.TellAll)
}

// hidden returns what reports whether a memory is out of sight. known are the caller's active memories.
func (s *Service) hidden(
	ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, sight Sight, known []recaller.Memory,
) (func(recaller.Memory) bool, error) {
	if sight.sees() {
		return func(recaller.Memory) bool { return false }, nil
	}
	private, err := s.Deps.Store.Private(ctx, tenant, caller)
	if err != nil {
		return nil, err
	}
	tells, most := forgotten.Tells(private, known), sight.Rights.Tells(recaller.TellAllButPrivate)
	return func(m recaller.Memory) bool {
		here := sight.Conversation != "" && m.Provenance.Conversation == sight.Conversation // whoever speaks said it
		return !here && (!most || tells(m))
	}, nil
}

// Sees reports whether a memory of a caller is in sight.
func (s *Service) Sees(
	ctx context.Context, tenant recaller.TenantID, sight Sight, m recaller.Memory,
) (bool, error) {
	if sight.sees() {
		return true, nil
	}
	known, err := s.active(ctx, tenant, m.Caller)
	if err != nil {
		return false, err
	}
	hidden, err := s.hidden(ctx, tenant, m.Caller, sight, known)
	return err == nil && !hidden(m), err
}

// Known returns a caller's active memories that are in sight, last confirmed first, up to a bound.
func (s *Service) Known(
	ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, sight Sight,
) ([]recaller.Memory, error) {
	known, err := s.active(ctx, tenant, caller)
	if err != nil {
		return nil, err
	}
	hidden, err := s.hidden(ctx, tenant, caller, sight, known)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(slices.Clone(known), hidden), nil
}

// Untold returns the versions of a caller's private memories, and those that say the same: what recall must not find for
// everybody.
func (s *Service) Untold(
	ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID,
) ([]recaller.Memory, error) {
	private, err := s.Deps.Store.Private(ctx, tenant, caller)
	if err != nil || len(private) == 0 {
		return nil, err
	}
	known, err := s.active(ctx, tenant, caller)
	return forgotten.Untold(private, known), err
}
