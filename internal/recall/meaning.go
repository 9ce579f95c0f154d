package recall

import (
	"context"
	"slices"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/recall/index"
)

// This file is about a configured embedder. It knows more languages than the built-in table, and understands more. It
// makes the vectors of turns in the background, for callers who are searched, and they are kept beside the turns. Until
// they are there, the table serves.

// Meaning makes vectors of turns and of queries. Its errors have a Kind: Invalid means that the same texts would be
// refused again.
type Meaning interface {
	Model() string // kept with each vector; vectors of different models are not compared
	// Passages makes one vector of each turn, in order. All have the same width.
	Passages(ctx context.Context, turns []recaller.Passage) ([][]int8, error)
	Query(ctx context.Context, text string) (recaller.QueryVector, error)
}

// Vectors keeps the vectors of turns, sealed as the turns are.
type Vectors interface {
	// TurnVectors returns the kept vectors of a caller's turns that a model made. kept is false if none may be kept of
	// him, because his turns are not kept either.
	TurnVectors(
		ctx context.Context, t recaller.TenantID, c recaller.CallerID, model string,
	) (list []recaller.TurnVectors, kept bool, err error)
	// PutTurnVectors keeps vectors, in place of those of the same turns by any model. It fails with NotFound for a caller
	// who is gone.
	PutTurnVectors(ctx context.Context, t recaller.TenantID, c recaller.CallerID, v []recaller.TurnVectors) error
}

const (
	// maxModelled is how many turns of a history the embedder reads: the latest ones. Older turns are compared by the
	// table.
	maxModelled = 20_000
	batch       = 256 // turns at once
	// fillers is how many callers' turns are embedded at once.
	fillers = 2
	// fillPatience is how long one batch may take. rest is how long a caller is left alone after a batch that failed, by
	// the Service's clock.
	fillPatience = 2 * time.Minute
	rest         = time.Minute
)

// asking is a query's vector that is being made.
type asking struct {
	done chan struct{}
	got  recaller.QueryVector
	err  error
}

// ask starts to make the query's vector, beside whatever else goes on. It returns nil if no configured embedder is to
// be asked.
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

// DegradedEmbedder is Result.Degraded if the configured embedder did not answer.
const DegradedEmbedder = "embedder unavailable"

// take waits for the vector and puts it into the query. If it did not come, take returns why the result is degraded.
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

// attach gives a new index the vectors that are kept.
func (s *Service) attach(ctx context.Context, k key, ix *index.Index) error {
	if s.meaning == nil || s.vectors == nil || k.house() {
		return nil
	}
	list, _, err := s.vectors.TurnVectors(ctx, k.tenant, k.caller, s.meaning.Model())
	if err != nil {
		return err
	}
	ix.Attach(list)
	return nil
}

// fill makes the vectors that a caller's turns lack, in the background.
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

// Fill makes the vectors that a caller's turns lack, and returns when all are there. It is for those who cannot leave
// that to the background, such as a measurement. Without an embedder, or without an index of the caller in memory, it
// does nothing.
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
			return err // words that are not kept are not sent to anybody
		}
		keep = kept
		e.attach(list) // others may have made vectors since the index was built
	}
	if err := s.fillEntry(ctx, e, keep); err != nil {
		return err
	}
	s.cache.resize(k, e)
	return nil
}

// fillEntry makes the vectors that an index lacks. If keep is set, it keeps them too.
func (s *Service) fillEntry(ctx context.Context, e *entry, keep bool) error {
	for {
		if more, err := s.fillBatch(ctx, e, keep); !more || err != nil {
			return err
		}
	}
}

// fillBatch makes one batch of them, and reports whether there may be more. Others who fill the same index come in
// between, so nobody waits for the end of a long history that somebody else reads.
func (s *Service) fillBatch(ctx context.Context, e *entry, keep bool) (more bool, err error) {
	select {
	case e.fill <- struct{}{}: // held while the embedder works, so that nothing is made twice
		defer func() { <-e.fill }()
	case <-ctx.Done():
	}
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	lacking := s.lacking(e, s.batch())
	if len(lacking) == 0 {
		return false, nil
	}
	made, err := s.embed(ctx, lacking)
	if err != nil {
		return false, err
	}
	if keep {
		if err := s.vectors.PutTurnVectors(ctx, e.key.tenant, e.key.caller, made); err != nil {
			return false, err
		}
	}
	return e.attach(made), nil
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
			Conversation: l.Conversation, Model: s.meaning.Model(), Width: len(rows[0]), Numbers: l.Numbers,
			Data: slices.Concat(rows[:n]...),
		}
		rows = rows[n:]
	}
	return out, nil
}

// passages makes a vector of each turn. A turn that the embedder refuses gets a vector without direction. It fails if
// the embedder refuses all of them.
func (s *Service) passages(ctx context.Context, turns []recaller.Passage) ([][]int8, error) {
	rows, err := s.meaning.Passages(ctx, turns)
	if recaller.KindOf(err) == recaller.Invalid && len(turns) > 1 {
		return s.halves(ctx, turns)
	}
	if err != nil {
		return nil, err
	}
	if len(rows) != len(turns) ||
		slices.ContainsFunc(rows, func(r []int8) bool { return len(r) == 0 || len(r) != len(rows[0]) }) {
		return nil, recaller.Errorf(recaller.Internal, "the embedder gave not one vector for each text")
	}
	return rows, nil
}

// halves calls passages for both halves of the turns, of which the embedder refuses at least one. It fails if it
// refuses all.
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

// without returns n vectors without direction.
func without(n, width int) [][]int8 {
	out := make([][]int8, n)
	for i := range out {
		out[i] = make([]int8, width)
	}
	return out
}

// Close ends the work in the background, and waits for it.
func (s *Service) Close() {
	s.close()
	s.filling.Wait()
}

// beginFilling reports whether whoever asks is to make the vectors that the index lacks. Nobody else is until
// endFilling.
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

// awaitFilled waits until nobody makes vectors for the index any more, or patience or ctx ends.
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

// endFilling lets others fill. After a failure they have to wait for rest.
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

// lacking returns up to n turns of the index that are to have a vector, and have none.
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

// attached returns how many turns have a vector.
func (e *entry) attached() int {
	e.mu.RLock()
	defer e.mu.RUnlock()
	if e.ix == nil {
		return 0
	}
	return e.ix.Attached()
}

// attach takes vectors into the index. It returns false if there is no index any more.
func (e *entry) attach(made []recaller.TurnVectors) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.ix == nil {
		return false
	}
	e.ix.Attach(made)
	return true
}
