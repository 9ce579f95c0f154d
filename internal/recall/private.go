package recall

import (
	"context"
	"sync"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/forgotten"
)

// spare is how many more hits are looked for where some may be private.
const spare = 20

// discreet is Recall without what is private. What that is, is read beside the search: over a network it is a round trip
// of its own. Most callers marked nothing, and for them the search is the usual one; for the others it is made again, with
// more hits, if too many of the first ones must go.
func (s *Service) discreet(ctx context.Context, t recaller.TenantID, c recaller.CallerID, q Query) (Result, error) {
	var private []recaller.Memory
	var failed error
	var beside sync.WaitGroup
	beside.Go(func() { private, failed = s.hidden(ctx, t, c) })
	res, err := s.whole(ctx, t, c, q)
	beside.Wait()
	switch {
	case err != nil:
		return Result{}, err
	case failed != nil:
		return Result{}, failed
	case len(private) == 0:
		return res, nil
	}
	limit := q.Limit
	if limit == 0 {
		limit = DefaultLimit
	}
	view := forgotten.New(forgotten.AsIf(private))
	found := view.Hits(res.Hits)
	if len(res.Hits) == limit && len(found) < limit && limit < MaxLimit {
		q.Limit = min(MaxLimit, limit+spare)
		if res, err = s.whole(ctx, t, c, q); err != nil {
			return Result{}, err
		}
		found = view.Hits(res.Hits)
	}
	res.Hits = found[:min(len(found), limit)]
	return res, nil
}
