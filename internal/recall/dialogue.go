package recall

import (
	"context"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/embed/dialogue"
	"github.com/recallerhq/recaller/internal/recall/index"
)

// This file is about the built-in model that reads turns in their dialogue (docs/adr/0023, 0030). It serves English. It
// reads all turns of a short history; of one of a few thousand turns it reads what people said. It takes about half a
// millisecond a word, so its vectors are kept beside the turns, as those of a configured embedder are.

// builtIn is the Meaning that is built into the program.
type builtIn struct{}

// gain is how much the model's cosines count beside the table's. Any value from 1.5 to 3 finds about as much.
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
	return recaller.QueryVector{
		Model: dialogue.Model, Data: dialogue.Question(text), Base: dialogue.Unlike, Gain: gain, Dialogue: true,
	}, nil
}

const (
	// readPatience is how long a search in a short history waits for turns that lack a vector. Turns that still lack one
	// are compared by the table. In a longer history words tell more, and nobody waits.
	readPatience = time.Second
	// few is how many turns are read at once. It is small, so that the first vectors serve soon.
	few = 16
	// mostRead is from how many turns, memories and summaries on a history is too long to be read.
	mostRead = 5000
)

// compare has the built-in model compare a query too, if any turn has a vector to compare it with.
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

// ReadAhead reads the turns of a caller that have no vector, and returns when all have one, so that his next call need
// not wait. It puts no index into the cache, where the indexes of callers who are on the line stay. It does nothing
// without the built-in model, for a caller whose vectors are not kept, or for a very long history. It fails with the
// store's error, or if ctx ends.
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
	corpus, err := s.corpus(ctx, k)
	if err != nil {
		return err
	}
	e := newEntry(k)
	e.ix, e.version = s.indexed(k, corpus), corpus.Version
	e.ix.Attach(list)
	return s.fillEntry(ctx, e, true)
}
