package document

import (
	"context"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/forgotten"
)

// Told returns documents without what their callers had forgotten since they were written. The order stays.
func (s *Service) Told(
	ctx context.Context, tenant recaller.TenantID, list []recaller.Document,
) ([]recaller.Document, error) {
	out := make([]recaller.Document, len(list))
	views := map[recaller.CallerID]forgotten.View{}
	for i, d := range list {
		view, known := views[d.Caller]
		if !known && d.Caller != "" {
			gone, err := s.Store.Forgotten(ctx, tenant, d.Caller)
			if err != nil {
				return out, err
			}
			view = forgotten.New(gone)
			views[d.Caller] = view
		}
		var err error
		if out[i], err = s.without(ctx, tenant, view, d); err != nil {
			return out, err
		}
	}
	return out, nil
}

// without returns a document without what is forgotten. A document counts as old as when it was created, so what was
// forgotten stays hidden in it, whatever is appended later.
func (s *Service) without(
	ctx context.Context, tenant recaller.TenantID, view forgotten.View, d recaller.Document,
) (recaller.Document, error) {
	if view.Empty() {
		return d, nil
	}
	var said []recaller.Turn
	if d.Conversation != "" {
		conv, err := s.Store.Conversation(ctx, tenant, string(d.Conversation))
		if err == nil {
			said, err = s.Words.Turns(ctx, tenant, conv)
		}
		if err != nil && recaller.KindOf(err) != recaller.NotFound {
			return d, err
		}
	}
	return view.Document(d, said), nil
}
