package document

import (
	"context"
	"errors"
	"slices"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/pin"
)

// Topics returns the documents of a caller that have a topic, archived ones too, and those that a client has taken over
// since: what is known is not pinned anew.
func (s *Service) Topics(
	ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID,
) (out []recaller.Document, err error) {
	for _, origin := range []recaller.DocumentOrigin{recaller.DocumentPin, recaller.DocumentWritten} {
		f := recaller.DocumentFilter{Caller: caller, Origin: origin, Archived: true, Page: recaller.Page{Limit: 200}}
		for more := true; more; more = f.Page.Cursor != "" {
			list, next, err := s.Store.Documents(ctx, tenant, f)
			if err != nil {
				return nil, err
			}
			for _, d := range list {
				if _, ok := pin.Of(d); ok {
					out = append(out, d)
				}
			}
			f.Page.Cursor = next
		}
	}
	return out, nil
}

// FileTopic writes the document of a topic. It is a Conflict if the document was changed since it was read.
func (s *Service) FileTopic(ctx context.Context, tenant recaller.TenantID, d recaller.Document) error {
	_, err := s.file(ctx, tenant, recaller.Once{}, d)
	return err
}

// Merge makes one topic of two of a caller's: what the first says goes into the second, later conversations about
// either are about that, and the first is removed. A repeat changes nothing.
func (s *Service) Merge(
	ctx context.Context, tenant recaller.TenantID, id, into recaller.DocumentID,
) (d recaller.Document, err error) {
	for range maxRaces {
		if d, err = s.merge(ctx, tenant, id, into); !errors.Is(err, recaller.Conflict) {
			break
		}
	}
	if err != nil {
		return d, err
	}
	return s.toldOne(ctx, tenant, d)
}

func (s *Service) merge(
	ctx context.Context, tenant recaller.TenantID, id, into recaller.DocumentID,
) (recaller.Document, error) {
	const another = "must be the id of another pin of the same caller"
	if into == "" {
		return recaller.Document{}, recaller.InvalidField("into", "is required: the id of another pin of the same caller")
	}
	second, err := s.Store.Document(ctx, tenant, into)
	if recaller.KindOf(err) == recaller.NotFound {
		return second, recaller.InvalidField("into", another)
	}
	if err != nil {
		return second, err
	}
	to, ok := pin.Of(second)
	if !ok || id == into {
		return second, recaller.InvalidField("into", another)
	}
	first, err := s.Store.Document(ctx, tenant, id)
	merged := slices.Contains(to.Merged, id)
	switch {
	case recaller.KindOf(err) == recaller.NotFound && merged:
		return second, nil
	case err != nil:
		return first, err
	case first.Caller != second.Caller:
		return second, recaller.InvalidField("into", another)
	}
	from, ok := pin.Of(first)
	if !ok {
		return first, recaller.Errorf(recaller.Invalid, "the document is no pin")
	}
	if !merged {
		to = pin.Merge(to, from)
		to.Merged = append(to.Merged, id)
		if to.Hand == "" {
			to.Pinned = !to.Settled
		}
		if second, err = s.file(ctx, tenant, recaller.Once{}, to.Onto(second, s.Now())); err != nil {
			return second, err
		}
	}
	if err := s.Delete(ctx, tenant, id); err != nil && recaller.KindOf(err) != recaller.NotFound {
		return second, err
	}
	return second, nil
}
