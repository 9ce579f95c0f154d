package recall

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/recall/index"
)

// This file is about how an index is searched and built.

// search answers from e, and from the house beside it; nil: there is none. It returns false if e's index has to be
// built first to be at the version.
func (s *Service) search(ctx context.Context, e, house *entry, version int64, q index.Query) (Result, bool, error) {
	if e.behind(version) {
		s.await(ctx, e, version)
	}
	e.lock(house)
	defer e.unlock(house)
	if e.ix == nil || e.stale || e.version < version {
		return Result{}, false, nil
	}
	res := Result{Version: e.version}
	var beside *index.Index
	if house != nil {
		beside = house.ix
	}
	r := e.ix.Rank(q, &s.pool, beside)
	for w, more := r.Wants(); more; w, more = r.Wants() {
		e.unlock(house) // so that a slow store does not hold up writers
		words, err := s.words(ctx, e.key, w.Turns, w.Conversations)
		e.lock(house)
		if err != nil {
			r.Release()
			return Result{}, false, err
		}
		r.Take(words)
	}
	res.Hits = r.Hits()
	return res, true, nil
}

// lock locks an entry for reading, and a house beside it if there is one.
func (e *entry) lock(house *entry) {
	e.mu.RLock()
	if house != nil {
		house.mu.RLock()
	}
}

func (e *entry) unlock(house *entry) {
	if house != nil {
		house.mu.RUnlock()
	}
	e.mu.RUnlock()
}

// await waits a moment until whoever committed the version tells of it. An index that still lacks it is marked stale.
func (s *Service) await(ctx context.Context, e *entry, version int64) {
	if s.reached != nil && e.built() {
		patient, cancel := context.WithTimeout(ctx, s.patience)
		defer cancel()
		s.reached(patient, e.key.tenant, e.key.caller, version)
	}
	e.missed(version)
}

// errUnderWay says that the index of a long caller is being made, and takes longer than one waits for it.
var errUnderWay = errors.New("the index is being made")

// build reads the caller's words and indexes them. If somebody is at it already, build waits for him.
func (s *Service) build(ctx context.Context, e *entry) error {
	done, mine := e.begin()
	if !mine {
		return s.waitFor(ctx, e, done)
	}
	var beside sync.WaitGroup
	beside.Go(func() { _, _ = s.learn(ctx, e) }) // if that fails, discreet asks, and tells
	o, err := s.outline(ctx, e.key)
	beside.Wait()
	switch {
	case err != nil:
		e.abandon()
		return err
	case o == nil:
		return s.construct(ctx, e, nil)
	}
	// It may take longer than anybody waits. It goes on for whoever asks next.
	e.long.Store(true)
	var failed error
	made := make(chan struct{})
	s.filling.Go(func() {
		defer close(made)
		failed = s.construct(s.closed, e, o)
	})
	if err := s.waitFor(ctx, e, made); err != nil {
		return err
	}
	return failed
}

// waitFor waits until an index is made; for that of a long caller only so long. Recall looks whether it is enough.
func (s *Service) waitFor(ctx context.Context, e *entry, made <-chan struct{}) error {
	soon := time.NewTimer(s.wait)
	defer soon.Stop()
	for {
		select {
		case <-made:
			return nil
		case <-soon.C:
			if e.long.Load() {
				return errUnderWay
			}
		case <-ctx.Done():
			return recaller.Wrap(recaller.Timeout, ctx.Err(), "recall was given up")
		}
	}
}

// DegradedNewest is Result.Degraded if only the newest words of a long caller were searched, with all of his memories and
// texts, because the index of the others is being made.
const DegradedNewest = "index being made"

// newest answers for a long caller from his newest words alone, by an index that nobody keeps.
func (s *Service) newest(ctx context.Context, e, house *entry, q index.Query) (Result, error) {
	o, err := s.outline(ctx, e.key)
	if err != nil {
		return Result{}, err
	}
	if o == nil { // he has fewer words by now
		return Result{}, recaller.Errorf(recaller.Unavailable, "what is held of the caller could not be read up to date")
	}
	part, err := s.latestOf(ctx, e.key, o)
	if err != nil {
		return Result{}, err
	}
	res, _, err := s.search(ctx, part, house, 0, q)
	res.Built, res.Degraded = true, DegradedNewest
	return res, err
}

// latestOf returns an entry of a long caller's newest words, memories and texts.
func (s *Service) latestOf(ctx context.Context, k key, o *recaller.Outline) (*entry, error) {
	turn := &turn{slot: s.builder}
	defer turn.give()
	if err := turn.take(ctx); err != nil {
		return nil, err
	}
	_, rest := part(o, s.segment)
	latest, _, err := s.latest(ctx, k, o, rest)
	if err != nil {
		return nil, err
	}
	e := newEntry(k)
	e.ix, e.version = latest.Over(nil), o.Version
	return e, nil
}

// outline returns the outline of a caller with his texts; nil if he is not long.
func (s *Service) outline(ctx context.Context, k key) (*recaller.Outline, error) {
	if s.long == nil || k.house() {
		return nil, nil
	}
	o, long, err := s.long.Outline(ctx, k.tenant, k.caller, s.longer)
	if err != nil || !long {
		return nil, err
	}
	o.Texts, err = s.texts(ctx, k)
	return &o, err
}

// construct makes the index of e, and ends its build.
func (s *Service) construct(ctx context.Context, e *entry, o *recaller.Outline) error {
	finished := false
	defer func() {
		if !finished { // also after a panic, because others wait for the end
			e.abandon()
		}
	}()
	ix, version, err := s.made(ctx, e, o, nil)
	if err != nil {
		return err
	}
	if err := s.attach(ctx, e.key, ix); err != nil {
		return err
	}
	finished = true
	e.finish(ix, version)
	s.cache.resize(e.key, e)
	return nil
}

// made makes an index of a caller's words, and returns its version. o is his outline; nil if he is not long. change may
// change what was read before it is indexed; it may be nil.
func (s *Service) made(
	ctx context.Context, e *entry, o *recaller.Outline, change func(*recaller.Corpus),
) (*index.Index, int64, error) {
	if o != nil {
		if change != nil {
			change(&o.Corpus)
		}
		ix, err := s.madeOver(ctx, e, o)
		if !errors.Is(err, errElsewhere) {
			return ix, o.Version, err
		}
	}
	corpus, err := s.corpus(ctx, e.key)
	if err != nil {
		return nil, 0, err
	}
	if change != nil {
		change(&corpus)
	}
	return s.indexed(e.key, corpus), corpus.Version, nil
}
