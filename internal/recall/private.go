package recall

import (
	"context"
	"slices"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/forgotten"
)

// spare is how many more hits are looked for where some may be private.
const spare = 20

// secrets is what of a caller is private, as it stood at a version of his words. Changes carry it on as they do his
// index, so no search has to ask the store, and searches work while the store is away.
type secrets struct {
	known   bool
	version int64
	view    forgotten.View
	bytes   int64
}

// take takes in a change. What may change what is private has it read anew, and so does a change that is missing.
func (s *secrets) take(c recaller.Change) {
	if !s.known || c.Version <= s.version {
		return
	}
	marks := func(m recaller.Memory) bool { return !s.view.Empty() || m.PrivacyScope == recaller.Private }
	moved := c.Zone || c.Handed // a change that says no more than that much is to be read anew
	if moved || c.Version > s.version+1 || slices.ContainsFunc(c.Memories, marks) || slices.ContainsFunc(c.Forgotten, marks) {
		*s = secrets{}
		return
	}
	s.version++
}

// discreet is Recall without what is private. Most callers marked nothing, and for them the search is the usual one; for
// the others it is made again, with more hits, if too many of the first ones must go.
func (s *Service) discreet(ctx context.Context, t recaller.TenantID, c recaller.CallerID, q Query) (Result, error) {
	res, err := s.whole(ctx, t, c, q)
	if err != nil {
		return Result{}, err
	}
	view, err := s.private(ctx, key{tenant: t, caller: c}, res.Version)
	if err != nil {
		return Result{}, err
	}
	if view.Empty() {
		return res, nil
	}
	limit := q.Limit
	if limit == 0 {
		limit = DefaultLimit
	}
	found := view.Hits(res.Hits)
	if len(res.Hits) == limit && len(found) < limit && limit < MaxLimit {
		q.Limit = min(MaxLimit, limit+spare)
		if res, err = s.whole(ctx, t, c, q); err != nil {
			return Result{}, err
		}
		if view, err = s.private(ctx, key{tenant: t, caller: c}, res.Version); err != nil {
			return Result{}, err
		}
		found = view.Hits(res.Hits)
	}
	res.Hits = found[:min(len(found), limit)]
	return res, nil
}

// private returns a view of what is private of a caller, as it stands at a version of his words or later.
func (s *Service) private(ctx context.Context, k key, version int64) (forgotten.View, error) {
	e := s.cache.peek(k)
	if e == nil { // it left the cache meanwhile
		e = newEntry(k)
	}
	if view, stands := e.private(version); stands {
		return view, nil
	}
	return s.learn(ctx, e)
}

// learn reads what is private of an entry's caller, and keeps it for the next search. The version is read first: what is
// marked meanwhile comes as a change.
func (s *Service) learn(ctx context.Context, e *entry) (view forgotten.View, err error) {
	if s.hidden == nil || e.key.house() {
		return view, nil
	}
	version, err := s.src.ContentVersion(ctx, e.key.tenant, e.key.caller)
	if err != nil {
		return view, err
	}
	list, err := s.hidden(ctx, e.key.tenant, e.key.caller)
	if err != nil {
		return view, err
	}
	got := secrets{known: true, version: version, view: forgotten.New(forgotten.AsIf(list))}
	for _, m := range list {
		got.bytes += int64(len(m.Key)+len(m.Value)) + turnOverhead
	}
	e.learned(got)
	s.cache.resize(e.key, e)
	return got.view, nil
}

// private returns what is private, and whether that is known of the version.
func (e *entry) private(version int64) (forgotten.View, bool) {
	e.mu.RLock()
	defer e.mu.RUnlock()
	return e.secrets.view, e.secrets.known && e.secrets.version >= version
}

// learned keeps what is private, unless what is kept is newer.
func (e *entry) learned(s secrets) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.secrets.known || e.secrets.version <= s.version {
		e.secrets = s
	}
}
