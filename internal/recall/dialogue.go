package recall

import (
	"context"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/embed/dialogue"
	"github.com/recallerhq/recaller/internal/recall/index"
)

// This file is about the built-in model that reads turns in their dialogue (docs/adr/0023, 0030). It serves in English:
// all turns of a short history, and what people said in one of a few thousand turns. It takes about half a millisecond
// for each word, so its vectors of turns are kept beside them as a configured embedder's are.

// builtIn is the Meaning that is part of the program.
type builtIn struct{}

// gain is how much the model's cosines count beside the table's. From 1.5 to 3 recall finds about as much.
const gain = 2.25

func (builtIn) Model() string { return dialogue.Model }

func (builtIn) Passages(ctx context.Context, passages []recaller.Passage) ([][]int8, error) {
	out := make([][]int8, len(passages))
	for i, p := range passages {
		if ctx.Err() != nil {
			return nil, recaller.Wrap(recaller.Timeout, ctx.Err(), "the turns were not read to the end")
		}
		out[i] = dialogue.Turn(p.Before, p.Text)
	}
	return out, nil
}

func (builtIn) Query(_ context.Context, text string) (recaller.QueryVector, error) {
	return recaller.QueryVector{Model: dialogue.Model, Data: dialogue.Question(text), Base: dialogue.Unlike, Gain: gain, Dialogue: true}, nil
}

const (
	// readPatience is how long a search waits for the turns of a short history to be read that lack a vector. Those that
	// are not yet are compared by the table. In a long one words tell more, and nobody waits.
	readPatience = time.Second
	// few is how many turns are read at once, so that what is there serves soon.
	few = 16
	// mostRead is how many turns, memories and summaries a history has that is too long to be read.
	mostRead = 5000
)

// compare has a query compared by the model as well, once there is something to compare it with.
func (s *Service) compare(ctx context.Context, e *entry, q Query, iq *index.Query) {
	if !s.dialogue || !q.Embed || iq.Vector.Model != "" || !dialogue.Reads(q.Text) {
		return
	}
	s.fill(e)
	if e.short() {
		e.awaitFilled(ctx, readPatience)
	}
	if e.attached() == 0 {
		return
	}
	if v, err := s.meaning.Query(ctx, q.Text); err == nil {
		iq.Vector = v
	}
}

// ReadAhead has the turns of a caller read that have no vector, so that his next call need not wait for it. It returns
// when all are there. An index is not put into the cache for it: those of who rings now stay. Without the built-in
// model, or vectors that are kept, and of a history of very many turns it does nothing. Errors are of the store.
func (s *Service) ReadAhead(ctx context.Context, t recaller.TenantID, c recaller.CallerID) error {
	if !s.dialogue || s.vectors == nil {
		return nil
	}
	k := key{tenant: t, caller: c}
	if s.cache.peek(k) != nil {
		return s.Fill(ctx, t, c)
	}
	if long, ok := s.src.(Long); ok {
		if _, many, err := long.Outline(ctx, t, c, mostRead); many || err != nil {
			return err
		}
	}
	list, kept, err := s.vectors.TurnVectors(ctx, t, c, s.meaning.Model())
	if err != nil || !kept {
		return err
	}
	corpus, err := s.src.Corpus(ctx, t, c)
	if err != nil {
		return err
	}
	e := &entry{key: k, ix: index.Build(corpus, s.weights), version: corpus.Version}
	e.ix.Attach(list)
	return s.fillEntry(ctx, e, true)
}
