package recall

import (
	"context"
	"slices"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/recall/index"
)

// This file is about a configured embedder, which knows more languages than the built-in table and reads more out of
// words. Its vectors of turns are made in the background, for callers of whom something is looked for, and kept beside
// the turns; until they are there the table serves.

// Meaning makes vectors of what was said, and of what is asked. Its errors have a Kind: Invalid where the same texts
// would be refused again.
type Meaning interface {
	Model() string // recorded with each vector; those of different models are not compared
	// Passages makes one vector of each turn, in order, all of one width.
	Passages(ctx context.Context, turns []recaller.Passage) ([][]int8, error)
	Query(ctx context.Context, text string) (recaller.QueryVector, error)
}

// Vectors keeps the vectors of turns, sealed as the turns are.
type Vectors interface {
	// TurnVectors returns what is kept by a model of a caller's turns. kept is false where nothing is to be kept of him,
	// because his turns are not either.
	TurnVectors(ctx context.Context, t recaller.TenantID, c recaller.CallerID, model string) (list []recaller.TurnVectors, kept bool, err error)
	// PutTurnVectors keeps vectors, in place of those of the same turns by any model. NotFound for a caller who is gone.
	PutTurnVectors(ctx context.Context, t recaller.TenantID, c recaller.CallerID, v []recaller.TurnVectors) error
}

const (
	// maxModelled is how many turns of a history the embedder is asked for, the latest; older ones are compared by the
	// table.
	maxModelled = 20_000
	batch       = 256 // turns at once
	// fillers is how many callers' turns are embedded at once.
	fillers = 2
	// fillPatience is how long one batch may take, and rest how long a caller is left alone after one that failed, by the
	// Service's clock.
	fillPatience = 2 * time.Minute
	rest         = time.Minute
)

// asking is a query's vector on its way.
type asking struct {
	done chan struct{}
	got  recaller.QueryVector
	err  error
}

// ask has the query's vector made beside what else there is to do; nil where there is no embedder, or the query does
// without.
func (s *Service) ask(ctx context.Context, q Query) *asking {
	if s.meaning == nil || s.dialogue || !q.Embed {
		return nil
	}
	a := &asking{done: make(chan struct{})}
	bounded, cancel := context.WithTimeout(ctx, s.modelPatience)
	go func() {
		defer cancel()
		defer close(a.done)
		a.got, a.err = s.meaning.Query(bounded, q.Text)
	}()
	return a
}

// DegradedEmbedder is what a result says that was found without the configured embedder.
const DegradedEmbedder = "embedder unavailable"

// take puts the vector into the query once it is there. It tells what is amiss where it did not come.
func (a *asking) take(q *index.Query) (degraded string) {
	if a == nil {
		return ""
	}
	<-a.done
	if a.err != nil {
		return DegradedEmbedder
	}
	q.Vector = a.got
	return ""
}

// attach gives an index that was built the vectors that are kept.
func (s *Service) attach(ctx context.Context, k key, ix *index.Index) error {
	if s.meaning == nil || s.vectors == nil {
		return nil
	}
	list, _, err := s.vectors.TurnVectors(ctx, k.tenant, k.caller, s.meaning.Model())
	if err != nil {
		return err
	}
	ix.Attach(list)
	return nil
}

// fill has the vectors made that a caller's turns lack, in the background.
func (s *Service) fill(e *entry) {
	if s.meaning == nil || !s.beginFilling(e) {
		return
	}
	slots := s.slots
	if s.dialogue && !e.short() {
		slots = s.longSlot
	}
	s.filling.Go(func() {
		select {
		case slots <- struct{}{}:
			defer func() { <-slots }()
		case <-s.closed.Done():
		}
		e.endFilling(s.Fill(s.closed, e.key.tenant, e.key.caller), s.clock)
	})
}

// Fill makes the vectors that a caller's turns lack by the configured embedder, and returns when all are there. It
// serves whoever cannot wait for the background: a measurement. Without an embedder, or an index in memory, there is
// nothing to do.
func (s *Service) Fill(ctx context.Context, t recaller.TenantID, c recaller.CallerID) error {
	k := key{tenant: t, caller: c}
	e := s.cache.peek(k)
	if s.meaning == nil || e == nil {
		return nil
	}
	keep := s.vectors != nil
	if keep {
		list, kept, err := s.vectors.TurnVectors(ctx, t, c, s.meaning.Model())
		if err != nil || !kept && !s.dialogue {
			return err // of words that are not kept nothing is sent to anybody
		}
		keep = kept
		e.attach(list) // others may have made some since the index was built
	}
	if err := s.fillEntry(ctx, e, keep); err != nil {
		return err
	}
	s.cache.resize(k, e)
	return nil
}

// fillEntry makes the vectors that an index lacks, and keeps them where they are to be kept.
func (s *Service) fillEntry(ctx context.Context, e *entry, keep bool) error {
	e.fill.Lock() // held while the embedder works: nothing is made twice
	defer e.fill.Unlock()
	for ctx.Err() == nil {
		lacking := s.lacking(e, s.batch())
		if len(lacking) == 0 {
			break
		}
		made, err := s.embed(ctx, lacking)
		if err != nil {
			return err
		}
		if keep {
			if err := s.vectors.PutTurnVectors(ctx, e.key.tenant, e.key.caller, made); err != nil {
				return err
			}
		}
		if !e.attach(made) {
			break
		}
	}
	return ctx.Err()
}

// embed makes the vectors of turns.
func (s *Service) embed(ctx context.Context, lacking []index.Lack) ([]recaller.TurnVectors, error) {
	bounded, cancel := context.WithTimeout(ctx, fillPatience)
	defer cancel()
	var turns []recaller.Passage
	for _, l := range lacking {
		for i, text := range l.Texts {
			turns = append(turns, recaller.Passage{Before: l.Before[i], Text: text})
		}
	}
	rows, err := s.passages(bounded, turns)
	if err != nil {
		return nil, err
	}
	out := make([]recaller.TurnVectors, len(lacking))
	for i, l := range lacking {
		n := len(l.Numbers)
		out[i] = recaller.TurnVectors{
			Conversation: l.Conversation, Model: s.meaning.Model(), Width: len(rows[0]), Numbers: l.Numbers, Data: slices.Concat(rows[:n]...),
		}
		rows = rows[n:]
	}
	return out, nil
}

// passages makes a vector of each turn. Where the embedder refuses one of them, that one gets a vector without
// direction, and the others get theirs.
func (s *Service) passages(ctx context.Context, turns []recaller.Passage) ([][]int8, error) {
	rows, err := s.meaning.Passages(ctx, turns)
	if recaller.KindOf(err) == recaller.Invalid && len(turns) > 1 {
		return s.halves(ctx, turns)
	}
	if err != nil {
		return nil, err
	}
	if len(rows) != len(turns) || slices.ContainsFunc(rows, func(r []int8) bool { return len(r) == 0 || len(r) != len(rows[0]) }) {
		return nil, recaller.Errorf(recaller.Internal, "the embedder gave not one vector for each text")
	}
	return rows, nil
}

// halves is passages of both halves of the turns, one of which the embedder refuses. It fails where it refuses all of
// them.
func (s *Service) halves(ctx context.Context, turns []recaller.Passage) ([][]int8, error) {
	half := len(turns) / 2
	first, err := s.passages(ctx, turns[:half])
	second, err2 := s.passages(ctx, turns[half:])
	switch refused, refused2 := recaller.KindOf(err) == recaller.Invalid, recaller.KindOf(err2) == recaller.Invalid; {
	case err != nil && !refused, refused && err2 != nil:
		return nil, err
	case err2 != nil && !refused2:
		return nil, err2
	case refused:
		first = without(len(turns[:half]), len(second[0]))
	case refused2:
		second = without(len(turns[half:]), len(first[0]))
	}
	return append(first, second...), nil
}

// without are n vectors without direction.
func without(n, width int) [][]int8 {
	out := make([][]int8, n)
	for i := range out {
		out[i] = make([]int8, width)
	}
	return out
}

// Close ends what runs in the background, and waits for it.
func (s *Service) Close() {
	s.close()
	s.filling.Wait()
}

// beginFilling says whether the vectors that the index lacks are the caller's to make.
func (s *Service) beginFilling(e *entry) bool {
	if len(s.lacking(e, 1)) == 0 {
		return false
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.filling != nil || s.clock().Before(e.restUntil) {
		return false
	}
	e.filling = make(chan struct{})
	return true
}

// awaitFilled waits until nobody is at the index's vectors any more, or for so long.
func (e *entry) awaitFilled(ctx context.Context, patience time.Duration) {
	e.mu.RLock()
	filling := e.filling
	e.mu.RUnlock()
	if filling == nil {
		return
	}
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-filling:
	case <-timer.C:
	case <-ctx.Done():
	}
}

// endFilling lets others fill, after a pause where it came to nothing.
func (e *entry) endFilling(err error, clock func() time.Time) {
	e.mu.Lock()
	defer e.mu.Unlock()
	close(e.filling)
	e.filling = nil
	if now := clock(); err != nil && !now.IsZero() {
		e.restUntil = now.Add(rest)
	}
}

// batch is how many turns are embedded at once.
func (s *Service) batch() int {
	if s.dialogue {
		return few
	}
	return batch
}

// lacking returns turns of the index that are to have a vector, and have none.
func (s *Service) lacking(e *entry, n int) []index.Lack {
	e.mu.RLock()
	defer e.mu.RUnlock()
	if e.ix == nil || s.dialogue && e.ix.Len() >= mostRead {
		return nil
	}
	return e.ix.Lacking(s.meaning.Model(), min(n, maxModelled-e.ix.Attached()), s.dialogue)
}

// short reports whether the index is of a short history.
func (e *entry) short() bool {
	e.mu.RLock()
	defer e.mu.RUnlock()
	return e.ix != nil && e.ix.Short()
}

// attached is how many turns have a vector.
func (e *entry) attached() int {
	e.mu.RLock()
	defer e.mu.RUnlock()
	if e.ix == nil {
		return 0
	}
	return e.ix.Attached()
}

// attach takes vectors into the index; false where there is none any more.
func (e *entry) attach(made []recaller.TurnVectors) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.ix == nil {
		return false
	}
	e.ix.Attach(made)
	return true
}
