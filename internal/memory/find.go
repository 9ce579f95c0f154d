package memory

import (
	"context"
	"slices"
	"strings"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/memory/likeness"
)

// Find returns the active memory of a caller that a key means: the one that has it (case ignored), else the one that has it
// as an alias, else the only one whose key means the same. NotFound if there is none.
func (s *Service) Find(ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, key string) (recaller.Memory, error) {
	key = Key(key)
	if key == "" {
		return recaller.Memory{}, recaller.InvalidField("key", "must not be empty")
	}
	known, err := s.active(ctx, tenant, caller)
	if err != nil {
		return recaller.Memory{}, err
	}
	if i := slices.IndexFunc(known, func(m recaller.Memory) bool { return strings.EqualFold(Key(m.Key), key) }); i >= 0 {
		return known[i], nil
	}
	own, _, err := s.Deps.Store.Memories(ctx, tenant, caller, recaller.MemoryFilter{Key: key, Page: recaller.Page{Limit: 1}})
	if err != nil {
		return recaller.Memory{}, err
	}
	if len(own) > 0 { // one of more than are read at once
		return own[0], nil
	}
	id, ok := likeness.Same(known, key)
	if !ok {
		id, ok = likeness.Near(known, key)
	}
	if i := slices.IndexFunc(known, func(m recaller.Memory) bool { return m.ID == id }); ok && i >= 0 {
		return known[i], nil
	}
	return recaller.Memory{}, recaller.Errorf(recaller.NotFound, "the caller has no memory with this key")
}

// List returns a caller's memories, last confirmed first, with the cursor of the next page.
func (s *Service) List(ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, f recaller.MemoryFilter) ([]recaller.Memory, string, error) {
	for _, t := range f.Types {
		if !t.Valid() {
			return nil, "", recaller.InvalidField("type", "must be one of %v", recaller.MemoryTypes())
		}
	}
	for _, status := range f.Statuses {
		if !slices.Contains([]recaller.MemoryStatus{recaller.MemoryActive, recaller.MemorySuperseded, recaller.MemoryForgotten}, status) {
			return nil, "", recaller.InvalidField("status", "must be active, superseded or forgotten")
		}
	}
	f.Key = Key(f.Key)
	return s.Deps.Store.Memories(ctx, tenant, caller, f)
}

// History returns every version of a memory, newest first.
func (s *Service) History(ctx context.Context, tenant recaller.TenantID, id recaller.MemoryID) ([]recaller.Memory, error) {
	return s.Deps.Store.MemoryHistory(ctx, tenant, id)
}
