package memory

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/forgotten"
	"github.com/recallerhq/recaller/internal/memory/likeness"
)

// SeveralError says that the words name no memory clearly, and lists those that may be meant. It is a
// recaller.Conflict.
type SeveralError struct{ Candidates []recaller.Memory }

// Error says what to do. It says nothing of what the memories hold.
func (s *SeveralError) Error() string { return errSeveral.Error() }

// Unwrap returns the error of kind Conflict.
func (s *SeveralError) Unwrap() error { return errSeveral }

var errSeveral = recaller.Errorf(recaller.Conflict,
	"it is not clear which memory is meant: name one of the candidates by its key")

// maxCandidates bounds the candidates of a SeveralError.
const maxCandidates = 8

// Find returns the active memory of a caller that ref names: by its key (case ignored), an alias, its id, or words that
// clearly fit one memory. It fails with NotFound if no memory has all of the words, and with a *SeveralError if it is
// not clear which one is meant. What is out of sight is not there.
func (s *Service) Find(
	ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, sight Sight, ref string,
) (recaller.Memory, error) {
	m, known, err := s.byName(ctx, tenant, caller, sight, ref)
	if !errors.Is(err, recaller.NotFound) {
		return m, err
	}
	return chosen(likeness.MeantBy(known, ref), err)
}

// FindKey is Find for a ref that may be a new key. If ref is written as a key, it finds only the memory that has the
// key, or the one memory whose key means the same.
func (s *Service) FindKey(
	ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, sight Sight, ref string,
) (recaller.Memory, error) {
	m, known, err := s.byName(ctx, tenant, caller, sight, ref)
	if !errors.Is(err, recaller.NotFound) {
		return m, err
	}
	fits := likeness.MeantBy(known, ref)
	if !strings.ContainsAny(strings.TrimSpace(ref), " \t\n") && (len(fits) == 0 || fits[0].Fit < likeness.FitMeans) {
		return m, err
	}
	return chosen(fits, err)
}

// chosen returns the memory that is clearly meant, or the error that says why there is none.
func chosen(fits []likeness.Meant, none error) (recaller.Memory, error) {
	m, ok := likeness.Clear(fits)
	switch {
	case ok:
		return m, nil
	case len(fits) == 0:
		return m, none
	}
	several := &SeveralError{}
	for _, f := range fits[:min(len(fits), maxCandidates)] {
		several.Candidates = append(several.Candidates, f.Memory)
	}
	return m, several
}

// byName finds an active memory by its key, an alias or its id. It also returns all active memories in sight.
func (s *Service) byName(
	ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, sight Sight, ref string,
) (recaller.Memory, []recaller.Memory, error) {
	key := Key(ref)
	if key == "" {
		return recaller.Memory{}, nil, recaller.InvalidField("key", "must not be empty")
	}
	known, err := s.active(ctx, tenant, caller)
	if err != nil {
		return recaller.Memory{}, nil, err
	}
	hidden, err := s.hidden(ctx, tenant, caller, sight, known)
	if err != nil {
		return recaller.Memory{}, nil, err
	}
	known = slices.DeleteFunc(slices.Clone(known), hidden)
	named := func(m recaller.Memory) bool { return strings.EqualFold(Key(m.Key), key) || string(m.ID) == key }
	if i := slices.IndexFunc(known, named); i >= 0 {
		return known[i], known, nil
	}
	own, _, err := s.Deps.Store.Memories(ctx, tenant, caller, recaller.MemoryFilter{
		Key: key, Page: recaller.Page{Limit: 1},
	})
	if err != nil {
		return recaller.Memory{}, nil, err
	}
	if len(own) > 0 && !hidden(own[0]) { // the caller has more memories than known holds
		return own[0], known, nil
	}
	if id, ok := likeness.Same(known, key); ok {
		return known[slices.IndexFunc(known, func(m recaller.Memory) bool { return m.ID == id })], known, nil
	}
	return recaller.Memory{}, known, recaller.Errorf(recaller.NotFound, "the caller has no memory with this key")
}

// List returns a caller's memories, last confirmed first, and the cursor of the next page. If f does not ask for
// forgotten memories, the earlier versions of those are left out too. A page may then be shorter than its limit.
func (s *Service) List(
	ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, f recaller.MemoryFilter,
) ([]recaller.Memory, string, error) {
	for _, t := range f.Types {
		if !t.Valid() {
			return nil, "", recaller.InvalidField("type", "must be one of %v", recaller.MemoryTypes())
		}
	}
	for _, status := range f.Statuses {
		if !slices.Contains([]recaller.MemoryStatus{
			recaller.MemoryActive, recaller.MemorySuperseded, recaller.MemoryForgotten,
		}, status) {
			return nil, "", recaller.InvalidField("status", "must be active, superseded or forgotten")
		}
	}
	f.Key = Key(f.Key)
	list, next, err := s.Deps.Store.Memories(ctx, tenant, caller, f)
	if err != nil || !slices.Contains(f.Statuses, recaller.MemorySuperseded) ||
		slices.Contains(f.Statuses, recaller.MemoryForgotten) {
		return list, next, err
	}
	versions, err := s.Deps.Store.Forgotten(ctx, tenant, caller)
	gone := forgotten.New(versions)
	return slices.DeleteFunc(list, func(m recaller.Memory) bool { return gone.Has(m.ID) }), next, err
}

// History returns every version of a memory, newest first.
func (s *Service) History(
	ctx context.Context, tenant recaller.TenantID, id recaller.MemoryID,
) ([]recaller.Memory, error) {
	return s.Deps.Store.MemoryHistory(ctx, tenant, id)
}
