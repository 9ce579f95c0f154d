package document

import (
	"context"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/forgotten"
)

// Told returns documents without what their callers had forgotten since they were written. The order stays. Where
// damage hides what of them is forgotten, they are left out.
func (s *Service) Told(
	ctx context.Context, tenant recaller.TenantID, list []recaller.Document,
) (out []recaller.Document, err error) {
	views, hidden := map[recaller.CallerID]forgotten.View{}, map[recaller.CallerID]bool{}
	for _, d := range list {
		view, known := views[d.Caller]
		if !known && d.Caller != "" {
			gone, err := s.Store.Forgotten(ctx, tenant, d.Caller)
			if hidden[d.Caller] = recaller.LeftOut(ctx, err); err != nil && !hidden[d.Caller] {
				return nil, err
			}
			view = forgotten.New(gone)
			views[d.Caller] = view
		}
		if hidden[d.Caller] {
			continue
		}
		switch d, err := s.without(ctx, tenant, view, d); {
		case err == nil:
			out = append(out, d)
		case !recaller.LeftOut(ctx, err): // the conversation that tells what of it is hidden may be damaged
			return nil, err
		}
	}
	return out, nil
}

// toldOne returns a document without what its caller had forgotten since it was written.
func (s *Service) toldOne(
	ctx context.Context, tenant recaller.TenantID, d recaller.Document,
) (recaller.Document, error) {
	if d.Caller == "" {
		return d, nil
	}
	gone, err := s.Store.Forgotten(ctx, tenant, d.Caller)
	if err != nil {
		return recaller.Document{}, err
	}
	return s.without(ctx, tenant, forgotten.New(gone), d)
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
